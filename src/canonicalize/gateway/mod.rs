//! Gateways: which URL does a URL of a gateway lead to (I14)? Gateways of mail check a link when
//! it is opened, sites count it, archives keep a copy. A table lists those that have the target
//! in a parameter (`table`); the others have readers of their own (`codes`).
//!
//! At most eight gateways in one another are unwrapped, so one that leads to itself ends.

mod codes;
mod table;
mod url;

pub use table::BadGateway;

use super::digest::RulesDigest;
use crate::syntax::{Components, base64, scheme};
use table::{Coding, GatewayRow};
use url::{GatewayUrl, is_of_uri, push_decoded};

/// Most gateways around one target.
const DEPTH: usize = 8;

/// The gateways that are unwrapped.
///
/// ```
/// use urisieve::canonicalize::gateway::{Gateways, Unwrapped};
/// let gateways = Gateways::built_in();
/// let mut unwrapped = Unwrapped::default();
/// assert!(gateways.unwrap(b"https://slack-redir.net/link?url=http%3A%2F%2Fa.example%2F", &mut unwrapped));
/// assert_eq!((unwrapped.target(), unwrapped.names()), (&b"http://a.example/"[..], &b"slack"[..]));
/// assert!(!gateways.unwrap(b"https://a.example/link?url=http%3A%2F%2Fb.example%2F", &mut unwrapped));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gateways {
    rows: Vec<GatewayRow>,
    /// The names of readers in `codes`.
    codes: Vec<&'static str>,
}

/// The target of a URL of a gateway. Its memory is used again.
#[derive(Clone, Debug, Default)]
pub struct Unwrapped {
    target: Vec<u8>,
    next: Vec<u8>,
    names: Vec<u8>,
    lack: Option<TargetLack>,
}

/// Why a URL of a gateway has no target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TargetLack {
    /// The URL should have a target: it is broken, or not a link.
    Broken,
    /// Only the owner of the gateway knows it.
    Opaque,
}

impl Unwrapped {
    /// Returns the target: the URL itself where it has none.
    pub fn target(&self) -> &[u8] {
        &self.target
    }

    /// Returns the names of the gateways that were unwrapped, the outermost first, with a blank
    /// between two.
    pub fn names(&self) -> &[u8] {
        &self.names
    }

    /// Returns why the target, which is a URL of a gateway itself, has no target.
    pub fn lack(&self) -> Option<TargetLack> {
        self.lack
    }
}

impl Gateways {
    /// Returns the gateways that are built in.
    pub fn built_in() -> Gateways {
        Gateways {
            rows: table::built_in(),
            codes: codes::CODES.iter().map(|code| code.name).collect(),
        }
    }

    /// Returns the built-in gateways with this name; none where no gateway has it.
    ///
    /// ```
    /// use urisieve::canonicalize::gateway::Gateways;
    /// assert!(Gateways::named("slack").is_some() && Gateways::named("bing").is_some());
    /// assert!(Gateways::named("x").is_none());
    /// ```
    pub fn named(name: &str) -> Option<Gateways> {
        let mut gateways = Gateways::built_in();
        gateways.rows.retain(|row| row.name == name);
        gateways.codes.retain(|code| *code == name);
        let is_known = !gateways.rows.is_empty() || !gateways.codes.is_empty();
        is_known.then_some(gateways)
    }

    /// Returns the names of the built-in gateways, in order.
    pub fn names() -> Vec<String> {
        let all = Gateways::built_in();
        let rows = all.rows.into_iter().map(|row| row.name);
        let mut names: Vec<String> = rows
            .chain(all.codes.iter().map(|&code| code.into()))
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// A hash of the table: tables that differ have different ones.
    ///
    /// ```
    /// use urisieve::canonicalize::gateway::Gateways;
    /// let named = |name| Gateways::named(name).map(|gateways| gateways.digest());
    /// assert_ne!(named("slack"), named("bing"));
    /// ```
    pub fn digest(&self) -> u64 {
        let mut digest = RulesDigest::default();
        for row in &self.rows {
            digest.add(row.fields());
        }
        digest.add(self.codes.iter().copied());
        digest.number()
    }

    /// Adds other gateways.
    pub fn add(&mut self, others: Gateways) {
        self.rows.extend(others.rows);
        self.codes.extend(others.codes);
        self.codes.sort_unstable();
        self.codes.dedup();
    }

    /// Reads the lines of a table: name, host, path prefix, parameters and coding (`percent`,
    /// `base64`), with tabs between them; further columns, and lines that begin with `#`, are
    /// not read.
    ///
    /// ```
    /// use urisieve::canonicalize::gateway::{Gateways, Unwrapped};
    /// let gateways = Gateways::parse("own\tgo.a.example\t/out\tto\tpercent\n")?;
    /// let mut unwrapped = Unwrapped::default();
    /// gateways.unwrap(b"http://go.a.example/out?to=http%3A%2F%2Fb.example", &mut unwrapped);
    /// assert_eq!(unwrapped.target(), b"http://b.example");
    /// # Ok::<(), urisieve::canonicalize::gateway::BadGateway>(())
    /// ```
    ///
    /// # Errors
    /// The first line that is not such a row, with its number.
    pub fn parse(text: &str) -> Result<Gateways, BadGateway> {
        Ok(Gateways {
            rows: table::parse(text)?,
            codes: Vec::new(),
        })
    }

    /// Writes the target of `uri` to `out`. Returns whether `uri` is a URL of a gateway.
    pub fn unwrap(&self, uri: &[u8], out: &mut Unwrapped) -> bool {
        out.names.clear();
        out.lack = None;
        let Some((name, mut found)) = self.find(uri, &mut out.target) else {
            return false;
        };
        let mut name = name;
        for _ in 0..DEPTH {
            if let Err(lack) = found {
                out.lack = Some(lack);
                break;
            }
            if !out.names.is_empty() {
                out.names.push(b' ');
            }
            out.names.extend_from_slice(name.as_bytes());
            let Some(next) = self.find(&out.target, &mut out.next) else {
                break;
            };
            (name, found) = next;
            if found.is_ok() {
                std::mem::swap(&mut out.target, &mut out.next);
            }
        }
        if out.names.is_empty() {
            out.target.clear();
            out.target.extend_from_slice(uri);
        }
        true
    }

    /// Returns the gateway that `uri` belongs to, and what it makes of it.
    fn find(&self, uri: &[u8], target: &mut Vec<u8>) -> Option<(&str, Result<(), TargetLack>)> {
        let parts = Components::parse(uri);
        let scheme = parts.scheme(uri)?;
        if !scheme.eq_ignore_ascii_case(b"http") && !scheme.eq_ignore_ascii_case(b"https") {
            return None;
        }
        let host = parts.host(uri)?;
        let url = GatewayUrl {
            uri,
            host,
            path: parts.path(uri),
            query: parts.query(uri).unwrap_or_default(),
        };
        for code in codes::CODES {
            if self.codes.contains(&code.name) && (code.is_of)(&url) {
                return Some((code.name, judged((code.read)(&url, target), target)));
            }
        }
        let row = self.rows.iter().find(|row| row.is_of(&url))?;
        let found = match row.coding {
            Coding::Opaque => Err(TargetLack::Opaque),
            coding => judged(read_parameter(row, &url, coding, target), target),
        };
        Some((&row.name, found))
    }
}

/// Whether a gateway wrote a target that is one: a URL with a known scheme and a host, or an
/// address.
fn judged(wrote: Option<()>, target: &[u8]) -> Result<(), TargetLack> {
    let parts = Components::parse(target);
    let is_known = parts
        .scheme(target)
        .is_some_and(|name| scheme::find(name).is_some());
    let is_web = parts.host(target).is_some_and(|host| !host.is_empty());
    match wrote {
        Some(()) if is_known && (is_web || !parts.has_authority()) => Ok(()),
        _ => Err(TargetLack::Broken),
    }
}

/// Writes the target that a parameter has.
fn read_parameter(
    row: &GatewayRow,
    url: &GatewayUrl,
    coding: Coding,
    target: &mut Vec<u8>,
) -> Option<()> {
    let mut values = row.parameters.iter().filter_map(|name| url.parameter(name));
    let value = values.find(|value| !value.is_empty())?;
    target.clear();
    match coding {
        Coding::Base64 => {
            let mut text = Vec::new();
            push_decoded(value, &mut text);
            base64::decode(&text, target)?;
            is_of_uri(target).then_some(())?;
        }
        _ => push_decoded(value, target),
    }
    Some(())
}

#[cfg(test)]
mod tests;
