//! Which URIs are reported, by names that users write: schemes, namespaces, hosts.

use crate::decode::Refanged;
use crate::indicators::{HostEntry, Hosts};
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
    /// Removes marks of defanging from hosts that are added.
    refanged: Refanged,
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
        self.schemes.is_empty() && self.nids.is_empty() && self.hosts.is_empty()
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

    /// Adds hosts, by an entry in one of these forms. Blanks around an entry are ignored, and
    /// marks of defanging are read: `a[.]example`.
    ///
    /// | entry | hosts |
    /// |---|---|
    /// | `a.example`, `.a.example` | this one and those below it |
    /// | `=a.example` | this one alone |
    /// | `*.a.example` | those below it |
    /// | `a.example:8080`, `[2001:db8::1]:80` | the same with this port; the default port of a scheme counts |
    /// | `192.0.2.1`, `2001:db8::1` | this address |
    /// | `192.0.2.0/24` | the addresses of this block; bits behind its length do not count |
    ///
    /// Hosts are compared by what they mean, in URIs of every level: case, percent-encoding,
    /// a dot at the end, U-labels and A-labels, and the forms of addresses do not count.
    /// Numbers are addresses as in the URL Standard: `0x7f.1` is `127.0.0.1`, and
    /// `[::ffff:192.0.2.1]` is `192.0.2.1`. The hosts of a URI are also those of the
    /// addresses of `mailto:`, `sip:`, `sips:` and `xmpp:`, and those of the URI inside of
    /// `blob:`, `view-source:`, `feed:`, `jar:` and `jdbc:`.
    ///
    /// ```
    /// let mut selection = urisieve::UriSelection::default();
    /// selection.add_host("a.example")?;
    /// assert!(selection.holds(b"http://b.A%2Eexample./") && selection.holds(b"mailto:joe@a.example"));
    /// assert!(!selection.holds(b"http://ba.example/"));
    /// selection.add_host("192.0.2.0/24")?;
    /// assert!(selection.holds(b"http://[::ffff:192.0.2.7]/"));
    /// # Ok::<(), urisieve::UnusableName>(())
    /// ```
    ///
    /// # Errors
    /// A text that is not such an entry, such as a URI.
    pub fn add_host(&mut self, name: &str) -> Result<(), UnusableName> {
        self.refanged.read_host(name.trim().as_bytes());
        let text = std::str::from_utf8(self.refanged.text()).unwrap_or_default();
        let entry = HostEntry::parse(text);
        if !entry.is_some_and(|entry| self.hosts.add(entry)) {
            let why = "not a host; write a.example, =a.example, *.a.example, 192.0.2.1, \
                       2001:db8::1 or 192.0.2.0/24, without scheme or path";
            return Err(UnusableName::new(name, why));
        }
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
            && (self.hosts.is_empty() || self.hosts.hold(uri))
    }
}

/// Returns `name` in lower case, as it is where it has no capital letter.
fn lower(name: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    match name.iter().any(u8::is_ascii_uppercase) {
        true => name.to_ascii_lowercase().into(),
        false => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_selected_beside_schemes() {
        let mut selection = UriSelection::default();
        selection.add_scheme("http").unwrap();
        for host in [
            " b.example ",
            "c[.]example",
            "d{.}example",
            "evil(dit)example",
        ] {
            let is_host = !host.contains("(dit)");
            assert_eq!(selection.add_host(host).is_ok(), is_host, "{host}");
        }
        assert!(selection.holds(b"HTTP://%62.example/") && selection.holds(b"http://x.c.example/"));
        assert!(!selection.holds(b"ftp://b.example/") && !selection.holds(b"http://e.example/"));
    }
}
