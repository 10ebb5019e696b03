//! The three kinds of URIs: with an authority, with a URN namespace, and with neither.
//! The kinds of URN namespaces are left to `urn`.

use super::has_authority;
use crate::syntax::urn;

/// The kind of a URI.
///
/// ```
/// use urisieve::syntax::Kind;
/// assert_eq!(Kind::of(b"file:///etc/hosts"), Kind::Url);
/// assert_eq!(Kind::of(b"urn:isbn:0395363411"), Kind::Urn);
/// assert_eq!(Kind::of(b"mailto:joe@a.example"), Kind::Uri);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A URI with an authority, if only an empty one.
    Url,
    /// A URI with a namespace (RFC 8141).
    Urn,
    /// A URI with neither.
    Uri,
}

impl Kind {
    /// The kind of `uri`.
    ///
    /// ```
    /// use urisieve::syntax::Kind;
    /// assert_eq!(Kind::of(b"http://a.example/"), Kind::Url);
    /// ```
    pub fn of(uri: &[u8]) -> Kind {
        match has_authority(uri) {
            // No URN has an authority.
            true => Kind::Url,
            false if urn::nid(uri).is_some() => Kind::Urn,
            false => Kind::Uri,
        }
    }

    /// The name that records use.
    ///
    /// ```
    /// use urisieve::syntax::Kind;
    /// assert_eq!([Kind::Url, Kind::Urn, Kind::Uri].map(Kind::name), ["url", "urn", "uri"]);
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Url => "url",
            Kind::Urn => "urn",
            Kind::Uri => "uri",
        }
    }
}
