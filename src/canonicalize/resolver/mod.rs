//! Identifiers in the URLs of resolvers: a URN, DOI, Handle or ARK inside an `http` or
//! `https` URL, for users for whom the URL and the identifier are equal.
//!
//! A table lists the hosts, and the place of the name in their URLs; a file may add to
//! the table ([`Resolvers::add`]). The name keeps its spelling; the levels normalize
//! it. A name is never an `http` URL, so no URL can be unwrapped twice.

use super::digest::RulesDigest;
use crate::syntax::{Components, class, pct, urn};
use std::fmt;

/// The built-in resolvers: host and path, the parameter of the query that contains the
/// name (empty when the name is the rest of the path), and the kind of name.
const BUILT_IN: [(&str, &str, &str, Names); 21] = [
    ("ark.bnf.fr", "/", "", Names::Ark),
    ("arks.org", "/", "", Names::Ark),
    ("digital.bibliothek.uni-halle.de", "/urn/", "", Names::Urn),
    ("doi.org", "/", "", Names::Doi),
    ("dx.doi.org", "/", "", Names::Doi),
    ("hdl.handle.net", "/", "", Names::Handle),
    ("hdl.loc.gov", "/", "", Names::Handle),
    ("n2t.net", "/", "", Names::Ark),
    ("nbn-resolving.de", "/", "", Names::Urn),
    ("nbn-resolving.de", "/resolver", "identifier", Names::Urn),
    ("nbn-resolving.org", "/", "", Names::Urn),
    ("nbn-resolving.org", "/resolver", "identifier", Names::Urn),
    ("nbn.depositolegale.it", "/", "", Names::Urn),
    ("persistent-identifier.nl", "/", "", Names::Urn),
    ("persistent-identifier.nl", "/", "identifier", Names::Urn),
    ("resolver.kb.nl", "/resolve", "urn", Names::Urn),
    ("resolver.obvsg.at", "/", "", Names::Urn),
    ("urn.fi", "/", "", Names::Urn),
    ("urn.kb.se", "/resolve", "urn", Names::Urn),
    ("urn.nb.no", "/", "", Names::Urn),
    ("urn.nsk.hr", "/", "", Names::Urn),
];

/// The most bytes of a host of a built-in resolver, and more.
#[cfg(feature = "domain")]
pub(crate) const HOST_MAX: usize = 64;

/// Whether `host` is that of a built-in resolver.
#[cfg(feature = "domain")]
pub(crate) fn is_built_in(host: &str) -> bool {
    host.len() <= HOST_MAX
        && BUILT_IN
            .iter()
            .any(|(known, ..)| known.eq_ignore_ascii_case(host))
}

/// The kind of names that a resolver resolves, which decides how they are written in a
/// URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    /// `urn:NID:NSS`, unchanged.
    Urn,
    /// `10.1000/182`, which becomes `doi:10.1000/182`.
    Doi,
    /// `20.1000/5555`, which becomes `hdl:20.1000/5555`.
    Handle,
    /// `ark:/12345/x` or `ark:12345/x`, unchanged.
    Ark,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Resolver {
    host: String,
    path: String,
    /// The parameter of the query; empty when the name is the rest of the path.
    parameter: String,
    names: Names,
}

/// A table of resolvers.
///
/// ```
/// use urisieve::canonicalize::resolver::Resolvers;
/// let resolvers = Resolvers::built_in();
/// let mut out = Vec::new();
/// assert!(resolvers.unwrap(b"https://urn.fi/URN:NBN:fi-fe1", &mut out));
/// assert_eq!(out, b"URN:NBN:fi-fe1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolvers {
    /// The resolvers, in the order of their hosts.
    resolvers: Vec<Resolver>,
    /// The bits of their hosts: few others have one of these.
    bits: u64,
}

impl Default for Resolvers {
    fn default() -> Resolvers {
        Resolvers::built_in()
    }
}

impl Resolvers {
    /// Returns the built-in resolvers.
    ///
    /// ```
    /// use urisieve::canonicalize::resolver::Resolvers;
    /// assert!(Resolvers::built_in().carries(b"http://dx.doi.org/10.1000/182"));
    /// ```
    pub fn built_in() -> Resolvers {
        let resolvers = BUILT_IN.map(|(host, path, parameter, names)| Resolver {
            host: host.to_owned(),
            path: path.to_owned(),
            parameter: parameter.to_owned(),
            names,
        });
        Resolvers::of(resolvers.into())
    }

    fn of(mut resolvers: Vec<Resolver>) -> Resolvers {
        resolvers.sort_by(|a, b| a.host.cmp(&b.host));
        let hosts = resolvers.iter().map(|resolver| resolver.host.as_bytes());
        Resolvers {
            bits: hosts.fold(0, |bits, host| bits | host_bit(host)),
            resolvers,
        }
    }

    /// A hash of the table: tables that differ have different ones.
    ///
    /// ```
    /// use urisieve::canonicalize::resolver::Resolvers;
    /// let mut more = Resolvers::built_in();
    /// more.add("a.example/id/ urn")?;
    /// assert_ne!(more.digest(), Resolvers::built_in().digest());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn digest(&self) -> u64 {
        let mut digest = RulesDigest::default();
        for resolver in &self.resolvers {
            let Resolver {
                host,
                path,
                parameter,
                names,
            } = resolver;
            digest.add([host, path, parameter, names.word()]);
        }
        digest.number()
    }

    /// Adds the resolvers of a file. Each line names one: where the name is, a blank,
    /// and its kind: `urn`, `doi`, `hdl` or `ark`. The place of the name is a host and
    /// the path up to the name, or a host, a path and the parameter of the query that
    /// contains it. Empty lines and lines that begin with `#` are skipped.
    ///
    /// ```text
    /// # the name is the rest of the path
    /// urn.example.org/id/              urn
    /// # the name is the value of a parameter
    /// resolver.example.org/find?name=  ark
    /// ```
    ///
    /// # Errors
    /// The first line that is not a resolver; in this case no resolver is added.
    ///
    /// ```
    /// use urisieve::canonicalize::resolver::Resolvers;
    /// let mut resolvers = Resolvers::built_in();
    /// resolvers.add("urn.example.org/id/ urn\n")?;
    /// assert!(resolvers.carries(b"http://urn.example.org/id/urn:ab:c"));
    /// let error = resolvers.add("# mine\nurn.example.org urn:\n").unwrap_err();
    /// assert_eq!(error.line(), 2);
    /// # Ok::<(), urisieve::canonicalize::resolver::BadResolver>(())
    /// ```
    pub fn add(&mut self, text: &str) -> Result<(), BadResolver> {
        let mut added = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                let bad = |reason| BadResolver {
                    line: at + 1,
                    reason,
                };
                added.push(parse_line(line).map_err(bad)?);
            }
        }
        added.splice(..0, std::mem::take(&mut self.resolvers));
        *self = Resolvers::of(added);
        Ok(())
    }

    /// Whether `uri` is a resolver's URL with an identifier in it.
    ///
    /// ```
    /// use urisieve::canonicalize::resolver::Resolvers;
    /// assert!(Resolvers::built_in().carries(b"https://doi.org/10.1000/182"));
    /// assert!(!Resolvers::built_in().carries(b"https://doi.org/the-handbook.html"));
    /// ```
    pub fn carries(&self, uri: &[u8]) -> bool {
        self.find(uri).is_some()
    }

    /// Appends the identifier in `uri` to `out`, as a URI. Returns false without
    /// writing when `uri` has no identifier.
    ///
    /// A name in the path is copied as written and ends at the query or fragment, which
    /// belong to the resolver. A name in a query is decoded once, except for bytes that
    /// would not be part of a URI then. Names keep their spelling, also DOIs and ARKs,
    /// whose own rules normalize more.
    ///
    /// ```
    /// use urisieve::canonicalize::resolver::Resolvers;
    /// let mut out = Vec::new();
    /// let uri = b"http://urn.kb.se:80/resolve?urn=urn%3Anbn%3Ase%3Auu%3Adiva-1";
    /// assert!(Resolvers::built_in().unwrap(uri, &mut out));
    /// assert_eq!(out, b"urn:nbn:se:uu:diva-1");
    /// ```
    pub fn unwrap(&self, uri: &[u8], out: &mut Vec<u8>) -> bool {
        match self.find(uri) {
            Some(Identifier { scheme, name }) => {
                out.extend_from_slice(scheme);
                out.extend(name);
                true
            }
            None => false,
        }
    }

    fn find<'u>(&self, uri: &'u [u8]) -> Option<Identifier<'u>> {
        // Most hosts are not those of resolvers, and have no user and no port around them.
        let host = bare_host(after_web_scheme(uri)?);
        if host.is_some_and(|host| self.of_host(host).next().is_none()) {
            return None;
        }
        let parts = web_url(uri)?;
        self.of_host(parts.host(uri)?)
            .find_map(|resolver| resolver.find(&parts, uri))
    }

    /// Returns the resolvers with this host, with or without `www.`.
    fn of_host(&self, host: &[u8]) -> impl Iterator<Item = &Resolver> {
        let host = strip_prefix_ignoring_case(host, b"www.").unwrap_or(host);
        let order = move |resolver: &Resolver| urn::compare_nids(&resolver.host, host);
        let first = match self.bits & host_bit(host) {
            0 => self.resolvers.len(),
            _ => self.resolvers.partition_point(|r| order(r).is_lt()),
        };
        self.resolvers[first..]
            .iter()
            .take_while(move |resolver| order(resolver).is_eq())
    }
}

/// An identifier in a URL: the prefix to be written before it, and its bytes.
struct Identifier<'u> {
    scheme: &'static [u8],
    name: NameBytes<'u>,
}

impl Resolver {
    fn find<'u>(&self, parts: &Components, uri: &'u [u8]) -> Option<Identifier<'u>> {
        let path = parts.path(uri);
        let name = if self.parameter.is_empty() {
            NameBytes::as_it_is(path.strip_prefix(self.path.as_bytes())?)
        } else {
            let same = path == self.path.as_bytes() || (path.is_empty() && self.path == "/");
            let query = parts.query(uri).filter(|_| same)?;
            NameBytes::once(query.split(|byte| *byte == b'&').find_map(|pair| {
                pair.strip_prefix(self.parameter.as_bytes())?
                    .strip_prefix(b"=")
            })?)
        };
        self.names.find(name)
    }
}

impl Names {
    const ALL: [Names; 4] = [Names::Urn, Names::Doi, Names::Handle, Names::Ark];

    /// The word for it in a table.
    const fn word(self) -> &'static str {
        match self {
            Names::Urn => "urn",
            Names::Doi => "doi",
            Names::Handle => "hdl",
            Names::Ark => "ark",
        }
    }

    fn find(self, name: NameBytes<'_>) -> Option<Identifier<'_>> {
        let found = |scheme, name| Some(Identifier { scheme, name });
        match self {
            Names::Urn => name.is_urn().then_some(Identifier { scheme: b"", name }),
            Names::Ark => {
                let rest = name.clone().skip_prefix(b"ark:")?;
                let rest = rest.clone().skip_prefix(b"/").unwrap_or(rest);
                let is_number = |byte: u8| byte.is_ascii_alphanumeric();
                rest.has_two_parts(5, is_number)
                    .then_some(Identifier { scheme: b"", name })
            }
            Names::Doi => {
                let name = name.clone().skip_prefix(b"doi:").unwrap_or(name);
                let rest = name.clone().skip_prefix(b"10.")?;
                let is_number = |byte: u8| byte.is_ascii_digit() || byte == b'.';
                if rest.has_two_parts(4, is_number) {
                    return found(b"doi:", name);
                }
                None
            }
            Names::Handle => {
                let name = name.clone().skip_prefix(b"hdl:").unwrap_or(name);
                let is_authority = |byte: u8| class::UNRESERVED.has(byte);
                // Pages of the resolver itself begin with a word.
                let mut authority = name.clone().take_while(|byte| *byte != b'/');
                let numbered = authority.any(|byte| byte.is_ascii_digit() || byte == b'.');
                if numbered && name.clone().has_two_parts(1, is_authority) {
                    return found(b"hdl:", name);
                }
                None
            }
        }
    }
}

/// The bytes of a name, decoded once while they are read if it comes from a query.
#[derive(Clone)]
struct NameBytes<'u> {
    rest: &'u [u8],
    decode: bool,
    /// The number of bytes of an undecoded `%XX` that are still to be returned.
    kept: usize,
    /// Whether a `%23` was decoded: a URI has one "#".
    in_fragment: bool,
}

impl<'u> NameBytes<'u> {
    fn as_it_is(rest: &'u [u8]) -> NameBytes<'u> {
        NameBytes {
            rest,
            decode: false,
            kept: 0,
            in_fragment: false,
        }
    }

    fn once(rest: &'u [u8]) -> NameBytes<'u> {
        NameBytes {
            decode: true,
            ..NameBytes::as_it_is(rest)
        }
    }

    /// Returns the bytes after `prefix`, which is in lower case and matches any case.
    fn skip_prefix(mut self, prefix: &[u8]) -> Option<NameBytes<'u>> {
        prefix
            .iter()
            .all(|byte| self.next().is_some_and(|b| b.eq_ignore_ascii_case(byte)))
            .then_some(self)
    }

    /// Whether the name consists of at least `len` bytes that `is` accepts, a "/" and
    /// another part, which is not empty; all of them allowed in a path.
    fn has_two_parts(mut self, len: usize, is: impl Fn(u8) -> bool) -> bool {
        let mut first = 0;
        loop {
            match self.next() {
                Some(b'/') => break,
                Some(byte) if is(byte) => first += 1,
                _ => return false,
            }
        }
        first >= len && self.rest.first().is_some_and(|b| *b != b'/') && self.is_path()
    }

    /// Whether the name begins with an assigned-name of RFC 8141. The levels normalize
    /// the name.
    fn is_urn(&self) -> bool {
        let Some(mut rest) = self.clone().skip_prefix(b"urn:") else {
            return false;
        };
        let mut nid = [0; urn::NID_MAX + 2];
        let mut len = 0;
        loop {
            match (rest.next(), nid.get_mut(len)) {
                (Some(byte), Some(place)) => *place = byte,
                _ => return false,
            }
            len += 1;
            if nid[len - 1] == b':' {
                break;
            }
        }
        // The grammar of the NID also needs the first byte of the NSS.
        let Some((first, place)) = rest.clone().next().zip(nid.get_mut(len)) else {
            return false;
        };
        *place = first;
        urn::nid_len(&nid[..=len]).is_some() && rest.is_path()
    }

    /// Whether the bytes up to a `?` or `#` are allowed in a path.
    fn is_path(&self) -> bool {
        let mut digits = 0;
        for byte in self.clone().take_while(|byte| !matches!(byte, b'?' | b'#')) {
            if digits > 0 {
                if !byte.is_ascii_hexdigit() {
                    return false;
                }
                digits -= 1;
            } else if byte == b'%' {
                digits = 2;
            } else if !class::PCHAR.has(byte) && byte != b'/' {
                return false;
            }
        }
        digits == 0
    }
}

impl Iterator for NameBytes<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let (&byte, after) = self.rest.split_first()?;
        if self.kept > 0 {
            self.kept -= 1;
        } else if self.decode && byte == b'%' {
            let value = decoded(self.rest);
            if let Some(value) = value.filter(|byte| *byte != b'#' || !self.in_fragment) {
                self.rest = &self.rest[3..];
                self.in_fragment |= value == b'#';
                return Some(value);
            }
            self.kept = 2;
        }
        self.rest = after;
        Some(byte)
    }
}

/// Returns the byte that the `%XX` at the start of `text` encodes, when that is allowed
/// in a URI: `%25` is decoded only before two digits.
fn decoded(text: &[u8]) -> Option<u8> {
    let &[_, high, low, ref after @ ..] = text else {
        return None;
    };
    let value = pct::hex_value(high)? << 4 | pct::hex_value(low)?;
    let stands = match value {
        b'%' => matches!(after, [a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit()),
        b'#' => true,
        _ => class::QUERY.has(value),
    };
    stands.then_some(value)
}

/// Returns the components of `uri` when it is an `http` or `https` URL with the default
/// port or no port, and without userinfo.
fn web_url(uri: &[u8]) -> Option<Components> {
    after_web_scheme(uri)?;
    let parts = Components::parse(uri);
    let port: &[u8] = if parts.scheme(uri)?.len() == 4 {
        b"80"
    } else {
        b"443"
    };
    let is_default = parts.port(uri).is_none_or(|p| p.is_empty() || p == port);
    (is_default && parts.userinfo(uri).is_none()).then_some(parts)
}

/// Returns the text after `http://` or `https://`.
fn after_web_scheme(uri: &[u8]) -> Option<&[u8]> {
    let rest = strip_prefix_ignoring_case(uri, b"http")?;
    let plain = rest.strip_prefix(b"://");
    plain.or_else(|| strip_prefix_ignoring_case(rest, b"s://"))
}

/// Returns a number with one bit, by the length, the first and the last letter of a host.
fn host_bit(host: &[u8]) -> u64 {
    let letter = |byte: Option<&u8>| usize::from(byte.map_or(0, u8::to_ascii_lowercase));
    let number = host.len() + 5 * letter(host.first()) + 11 * letter(host.last());
    1 << (number % 64)
}

/// Returns the host at the start of `text`, an authority and a path; `None` where the authority
/// may have other parts.
fn bare_host(text: &[u8]) -> Option<&[u8]> {
    let ends = |byte: &u8| matches!(byte, b'/' | b'?' | b'#' | b'@' | b':' | b'[');
    let len = text.iter().position(ends).unwrap_or(text.len());
    let has_more = matches!(text.get(len), Some(b'@' | b':' | b'['));
    (!has_more).then(|| &text[..len])
}

fn strip_prefix_ignoring_case<'t>(text: &'t [u8], prefix: &[u8]) -> Option<&'t [u8]> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// Parses one line of a file of resolvers.
fn parse_line(line: &str) -> Result<Resolver, LineError> {
    let mut words = line.split_whitespace();
    let (Some(place), Some(names), None) = (words.next(), words.next(), words.next()) else {
        return Err(LineError::Words);
    };
    let of_word = Names::ALL.into_iter().find(|kind| kind.word() == names);
    let names = of_word.ok_or(LineError::Names)?;
    let slash = place.find('/').ok_or(LineError::Path)?;
    let (host, path) = place.split_at(slash);
    let in_host = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    if host.is_empty() || !host.bytes().all(in_host) {
        return Err(LineError::Host);
    }
    let (path, parameter) = match path.split_once('?') {
        None => (path, ""),
        Some((path, query)) => match query.strip_suffix('=') {
            Some(name) if !name.is_empty() && !name.contains(['=', '&', '#']) => (path, name),
            _ => return Err(LineError::Parameter),
        },
    };
    if path.contains('#') {
        return Err(LineError::Path);
    }
    let host = host.to_ascii_lowercase();
    Ok(Resolver {
        host: host.strip_prefix("www.").unwrap_or(&host).to_owned(),
        path: path.to_owned(),
        parameter: parameter.to_owned(),
        names,
    })
}

/// The error for a file with a malformed line.
///
/// ```
/// use urisieve::canonicalize::resolver::Resolvers;
/// let error = Resolvers::built_in().add("a.example/ isbn").unwrap_err();
/// assert_eq!(error.line(), 1);
/// assert_eq!(error.to_string(), "line 1: the second word is not urn, doi, hdl or ark");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadResolver {
    line: usize,
    reason: LineError,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineError {
    Words,
    Names,
    Host,
    Path,
    Parameter,
}

impl BadResolver {
    /// Returns the number of the line, from 1.
    ///
    /// ```
    /// use urisieve::canonicalize::resolver::Resolvers;
    /// assert_eq!(Resolvers::built_in().add("\n\nx").unwrap_err().line(), 3);
    /// ```
    pub fn line(&self) -> usize {
        self.line
    }
}

impl fmt::Display for BadResolver {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let reason = match self.reason {
            LineError::Words => "a resolver is two words: where the name is, and its kind",
            LineError::Names => "the second word is not urn, doi, hdl or ark",
            LineError::Host => "the first word does not begin with the name of a host",
            LineError::Path => "after the host comes a path that begins with / and has no #",
            LineError::Parameter => "after ? comes the name of one parameter and =",
        };
        write!(f, "line {}: {reason}", self.line)
    }
}

impl std::error::Error for BadResolver {}

#[cfg(test)]
mod tests;
