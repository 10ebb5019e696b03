//! The parts of a URI as slices of it. `Components` has them as offsets.

use super::Components;
use std::fmt;

/// The parts of a URI reference, as slices of it. The split is that of RFC 3986 appendix B and
/// never fails: a relative reference has no scheme. For parts that are stored without the URI,
/// use [`Components`].
///
/// ```
/// use urisieve::syntax::Parts;
/// let parts = Parts::of(b"http://joe@a.example:80/p?q#f");
/// assert_eq!((parts.scheme(), parts.host()), (Some(&b"http"[..]), Some(&b"a.example"[..])));
/// assert_eq!((parts.path(), parts.query()), (&b"/p"[..], Some(&b"q"[..])));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Parts<'u> {
    uri: &'u [u8],
    components: Components,
}

impl<'u> Parts<'u> {
    /// Splits `uri`. Bytes beyond 4 GiB are ignored.
    ///
    /// ```
    /// use urisieve::syntax::Parts;
    /// assert_eq!(Parts::of(b"mailto:joe@a.example").path(), b"joe@a.example");
    /// ```
    pub fn of(uri: &'u [u8]) -> Parts<'u> {
        Parts {
            uri,
            components: Components::parse(uri),
        }
    }

    /// Returns the URI.
    ///
    /// ```
    /// use urisieve::syntax::Parts;
    /// assert_eq!(Parts::of(b"urn:a-b:c").uri(), b"urn:a-b:c");
    /// ```
    pub fn uri(&self) -> &'u [u8] {
        self.uri
    }

    /// Returns the offsets of the parts in the URI.
    ///
    /// ```
    /// use urisieve::syntax::Parts;
    /// assert_eq!(Parts::of(b"http://a.example/").components().host_range(), 7..16);
    /// ```
    pub fn components(&self) -> Components {
        self.components
    }

    /// Returns the scheme, without its ":".
    ///
    /// ```
    /// use urisieve::syntax::Parts;
    /// assert_eq!(Parts::of(b"urn:a:b").scheme(), Some(&b"urn"[..]));
    /// assert_eq!(Parts::of(b"//a/b").scheme(), None);
    /// ```
    pub fn scheme(&self) -> Option<&'u [u8]> {
        self.components.scheme(self.uri)
    }

    /// Returns the authority, without its "//".
    ///
    /// ```
    /// use urisieve::syntax::Parts;
    /// assert_eq!(Parts::of(b"http://joe@a:80/p").authority(), Some(&b"joe@a:80"[..]));
    /// ```
    pub fn authority(&self) -> Option<&'u [u8]> {
        self.components.authority(self.uri)
    }

    /// Returns the userinfo, without its "@".
    ///
    /// ```
    /// use urisieve::syntax::Parts;
    /// assert_eq!(Parts::of(b"ftp://joe:secret@a/").userinfo(), Some(&b"joe:secret"[..]));
    /// ```
    pub fn userinfo(&self) -> Option<&'u [u8]> {
        self.components.userinfo(self.uri)
    }

    /// Returns the host; an IP literal has its brackets. `None` without an authority.
    ///
    /// ```
    /// use urisieve::syntax::Parts;
    /// assert_eq!(Parts::of(b"http://[::1]:80/").host(), Some(&b"[::1]"[..]));
    /// assert_eq!(Parts::of(b"urn:a:b").host(), None);
    /// ```
    pub fn host(&self) -> Option<&'u [u8]> {
        self.components.host(self.uri)
    }

    /// Returns the port, without its ":"; it may be empty.
    ///
    /// ```
    /// use urisieve::syntax::Parts;
    /// assert_eq!(Parts::of(b"http://a:80").port(), Some(&b"80"[..]));
    /// assert_eq!(Parts::of(b"http://a").port(), None);
    /// ```
    pub fn port(&self) -> Option<&'u [u8]> {
        self.components.port(self.uri)
    }

    /// Returns the path; it may be empty.
    ///
    /// ```
    /// use urisieve::syntax::Parts;
    /// assert_eq!(Parts::of(b"http://a/b/c?d").path(), b"/b/c");
    /// ```
    pub fn path(&self) -> &'u [u8] {
        self.components.path(self.uri)
    }

    /// Returns the query, without its "?".
    ///
    /// ```
    /// use urisieve::syntax::Parts;
    /// assert_eq!(Parts::of(b"http://a/?x=1#z").query(), Some(&b"x=1"[..]));
    /// ```
    pub fn query(&self) -> Option<&'u [u8]> {
        self.components.query(self.uri)
    }

    /// Returns the fragment, without its "#".
    ///
    /// ```
    /// use urisieve::syntax::Parts;
    /// assert_eq!(Parts::of(b"http://a/?q#top").fragment(), Some(&b"top"[..]));
    /// ```
    pub fn fragment(&self) -> Option<&'u [u8]> {
        self.components.fragment(self.uri)
    }
}

impl fmt::Debug for Parts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut shown = f.debug_struct("Parts");
        for (name, range) in self.components.ranges() {
            shown.field(name, &String::from_utf8_lossy(&self.uri[range]));
        }
        shown.finish()
    }
}
