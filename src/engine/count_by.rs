//! What is counted where URIs are counted by a part of them: the part takes the
//! place of the URI as the key, so a set is as large as there are parts.

use crate::syntax::{Components, urn};

/// A part of a URI by which occurrences are counted.
///
/// ```
/// use urisieve::engine::{CountBy, Mode, Sieve};
/// let text = b"http://a.example/1 http://b.example/ http://a.example/2 urn:x-y:1";
/// let sieve = Sieve::builder().mode(Mode::Count).by(CountBy::Host).build();
/// let mut told = Vec::new();
/// sieve.slice(text, &mut |f: &urisieve::item::Finding<'_>| {
///     told.push((f.count, String::from_utf8_lossy(f.uri).into_owned()));
/// })?;
/// let wanted = [(Some(2), "a.example"), (Some(1), ""), (Some(1), "b.example")];
/// assert_eq!(told, wanted.map(|(count, host)| (count, host.to_owned())));
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CountBy {
    /// The host (RFC 3986 section 3.2.2).
    Host,
    /// The registered domain, by the public suffix list.
    #[cfg(feature = "domain")]
    Domain,
    /// The public suffix.
    #[cfg(feature = "domain")]
    Suffix,
    /// The scheme (RFC 3986 section 3.1).
    Scheme,
    /// The namespace identifier of a URN (RFC 8141 section 2.1).
    Nid,
    /// The input. What takes the place of the URI is
    /// [`Finding::input`](crate::item::Finding::input), 8 bytes, big-endian.
    Input,
}

impl CountBy {
    /// The part of `uri`, a canonical form; empty when it has none. Of
    /// [`CountBy::Input`] a URI knows nothing.
    ///
    /// ```
    /// use urisieve::engine::CountBy;
    /// assert_eq!(CountBy::Scheme.part(b"http://a.example/"), b"http");
    /// assert_eq!(CountBy::Nid.part(b"urn:isbn:0395363411"), b"isbn");
    /// assert_eq!(CountBy::Host.part(b"urn:isbn:0395363411"), b"");
    /// ```
    pub fn part(self, uri: &[u8]) -> &[u8] {
        let host = || Components::parse(uri).host(uri);
        let part = match self {
            CountBy::Host => host(),
            #[cfg(feature = "domain")]
            CountBy::Domain => host().and_then(crate::syntax::domain::registered_domain),
            #[cfg(feature = "domain")]
            CountBy::Suffix => host().and_then(crate::syntax::domain::suffix),
            CountBy::Scheme => Components::parse(uri).scheme(uri),
            CountBy::Nid => urn::nid(uri),
            CountBy::Input => None,
        };
        part.unwrap_or_default()
    }

    /// The key of an occurrence of `uri` in an input.
    pub(super) fn key<'k>(self, uri: &'k [u8], input: &'k [u8; 8]) -> &'k [u8] {
        match self {
            CountBy::Input => input,
            _ => self.part(uri),
        }
    }
}
