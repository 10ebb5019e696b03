//! Which URIs are reported, by names that users write: schemes, namespaces, hosts.

use crate::syntax::{Components, urn};
use std::collections::HashSet;
use std::fmt;

type NameSet = HashSet<Box<[u8]>, ahash::RandomState>;

/// Selects URIs by their scheme, their URN namespace and their host. A URI must have one of
/// the names of each kind of which there are any.
///
/// ```
/// use urisieve::{Sieve, UriSelection};
/// let mut selection = UriSelection::default();
/// selection.add_host("*.b.example")?;
/// let sieve = Sieve::builder().select(move |uri| selection.holds(uri)).build();
/// let stats = sieve.for_each(b"http://a.example/ http://c.b.example/", |_| {}).unwrap();
/// assert_eq!((stats.distinct, stats.deselected), (1, 1));
/// # Ok::<(), urisieve::UnusableName>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct UriSelection {
    schemes: NameSet,
    nids: NameSet,
    hosts: Hosts,
}

/// The error of a name that can match nothing.
///
/// ```
/// use urisieve::UriSelection;
/// let error = UriSelection::default().add_scheme("a b").unwrap_err();
/// assert_eq!(error.to_string(), "\"a b\": not a scheme; write a name like http");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableName {
    name: String,
    why: &'static str,
}

impl UnusableName {
    pub(in crate::engine) fn new(name: &str, why: &'static str) -> UnusableName {
        let name = name.to_owned();
        UnusableName { name, why }
    }
}

impl fmt::Display for UnusableName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:?}: {}", self.name, self.why)
    }
}

impl std::error::Error for UnusableName {}

impl UriSelection {
    /// Whether every URI is selected.
    ///
    /// ```
    /// assert!(urisieve::UriSelection::default().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.schemes.is_empty() && self.nids.is_empty() && self.hosts.names.is_empty()
    }

    /// Adds a scheme: `http`, also written `http:` or `http://`, in any case.
    ///
    /// ```
    /// let mut selection = urisieve::UriSelection::default();
    /// selection.add_scheme("HTTP://")?;
    /// assert!(selection.holds(b"http://a.example/") && !selection.holds(b"urn:a-b:c"));
    /// # Ok::<(), urisieve::UnusableName>(())
    /// ```
    ///
    /// # Errors
    /// A name that is not a scheme (RFC 3986 section 3.1).
    pub fn add_scheme(&mut self, name: &str) -> Result<(), UnusableName> {
        let scheme = name.trim();
        let scheme = scheme.strip_suffix("//").unwrap_or(scheme);
        let scheme = scheme.strip_suffix(':').unwrap_or(scheme);
        let mut bytes = scheme.bytes();
        let begins = bytes.next().is_some_and(|b| b.is_ascii_alphabetic());
        if !begins || !bytes.all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b)) {
            return Err(UnusableName::new(
                name,
                "not a scheme; write a name like http",
            ));
        }
        self.schemes
            .insert(scheme.to_ascii_lowercase().into_bytes().into());
        Ok(())
    }

    /// Adds a namespace of URNs: `isbn`, also written `urn:isbn`, in any case.
    ///
    /// ```
    /// let mut selection = urisieve::UriSelection::default();
    /// selection.add_nid("urn:ISBN")?;
    /// assert!(selection.holds(b"urn:isbn:1") && !selection.holds(b"urn:issn:1"));
    /// # Ok::<(), urisieve::UnusableName>(())
    /// ```
    ///
    /// # Errors
    /// A name that is not a namespace identifier (RFC 8141 section 2.1).
    pub fn add_nid(&mut self, name: &str) -> Result<(), UnusableName> {
        let lower = name.trim().to_ascii_lowercase();
        let nid = lower.strip_prefix("urn:").unwrap_or(&lower);
        if urn::nid_len(format!("{nid}:x").as_bytes()) != Some(nid.len()) {
            let why = "not a namespace identifier; write a name like isbn";
            return Err(UnusableName::new(name, why));
        }
        self.nids.insert(nid.as_bytes().into());
        Ok(())
    }

    /// Adds a host with those below it: `a.example`, also written `.a.example` or
    /// `*.a.example`, in any case.
    ///
    /// ```
    /// let mut selection = urisieve::UriSelection::default();
    /// selection.add_host("a.example")?;
    /// assert!(selection.holds(b"http://b.a.example/") && !selection.holds(b"http://ba.example/"));
    /// # Ok::<(), urisieve::UnusableName>(())
    /// ```
    ///
    /// # Errors
    /// A name that is not a host (RFC 3986 section 3.2.2).
    pub fn add_host(&mut self, name: &str) -> Result<(), UnusableName> {
        let host = name.trim();
        let host = host.strip_prefix('*').unwrap_or(host);
        let host = host.trim_start_matches('.').to_ascii_lowercase();
        let is_literal = host.starts_with('[') && host.ends_with(']');
        if host.is_empty() || (!is_literal && host.contains(['/', ':', '@', '*', ' '])) {
            let why =
                "not a host; write a.example, 192.0.2.1 or [2001:db8::1], without scheme or port";
            return Err(UnusableName::new(name, why));
        }
        self.hosts.add(host.into_bytes());
        Ok(())
    }

    /// Whether `uri`, a canonical form, is selected.
    ///
    /// ```
    /// assert!(urisieve::UriSelection::default().holds(b"urn:a-b:c"));
    /// ```
    pub fn holds(&self, uri: &[u8]) -> bool {
        let parts = Components::parse(uri);
        let is_among = |names: &NameSet, name: Option<&[u8]>| {
            names.is_empty() || name.is_some_and(|name| names.contains(&*lower(name)))
        };
        is_among(&self.schemes, parts.scheme(uri))
            && is_among(&self.nids, urn::nid(uri))
            && (self.hosts.names.is_empty()
                || parts
                    .host(uri)
                    .is_some_and(|host| self.hosts.hold(&lower(host))))
    }
}

/// Returns `name` in lower case, as it is where it has no capital letter.
fn lower(name: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    match name.iter().any(u8::is_ascii_uppercase) {
        true => name.to_ascii_lowercase().into(),
        false => name.into(),
    }
}

/// The selected hosts, which include their subdomains. The cost of a test does not
/// depend on their number: the ends of a host are looked up, label by label.
#[derive(Clone, Debug, Default)]
struct Hosts {
    names: NameSet,
    /// The length of the longest: longer ends of a host need not be looked up.
    longest: usize,
}

impl Hosts {
    fn add(&mut self, host: Vec<u8>) {
        self.longest = self.longest.max(host.len());
        self.names.insert(host.into());
    }

    /// Whether `host`, in lower case, is one of the hosts or a subdomain of one.
    fn hold(&self, host: &[u8]) -> bool {
        let next_label =
            |from: usize| memchr::memchr(b'.', &host[from..]).map(|dot| from + dot + 1);
        let mut from = match host.len().saturating_sub(self.longest) {
            0 => Some(0),
            // The match may begin inside a label: the next one is the first that may.
            beyond => next_label(beyond - 1),
        };
        while let Some(at) = from {
            if self.names.contains(&host[at..]) {
                return true;
            }
            from = next_label(at);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_and_what_is_below_it() {
        let mut selection = UriSelection::default();
        for host in ["b.example", "*.C.example", "[::1]", "192.0.2.1"] {
            selection.add_host(host).unwrap();
        }
        for (host, wanted) in [
            ("b.example", true),
            ("B.Example", true),
            ("a.b.example", true),
            ("x.y.z.a.b.example", true),
            ("bb.example", false),
            ("example", false),
            ("c.example", true),
            ("[::1]", true),
            ("1.192.0.2.1", true),
            ("92.0.2.1", false),
            ("b.example.", false),
        ] {
            let uri = format!("http://{host}/");
            assert_eq!(selection.holds(uri.as_bytes()), wanted, "{host}");
        }
        assert!(!selection.holds(b"urn:a-b:c"));
        for wrong in ["", "*.", "http://a", "a:80", "a b"] {
            assert!(selection.add_host(wrong).is_err(), "{wrong}");
        }
    }
}
