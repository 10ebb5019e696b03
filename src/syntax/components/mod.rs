//! The components of a URI reference as offsets into it (RFC 3986 section 3).

mod diagram;
mod kind;
mod parts;

pub use diagram::Component;
pub use kind::Kind;
pub use parts::Parts;

use crate::syntax::class::{ALPHA, SCHEME};
use std::ops::Range;

/// The components of a URI reference, as byte offsets into it, for those who store them
/// beside the URI: [`Parts`] has the URI as well. The split is that of RFC 3986 appendix
/// B and never fails: a relative reference has no scheme, and its first segment may be
/// anything. [`Components::diagram`] draws the components of any
/// reference, with byte offsets:
///
/// ```text
/// https://user:pass@example.com:1234/foo/bar?baz#quux
/// |       |         |           |   |        |   |
/// |       |         |           |   |        |   `-- fragment 47..51
/// |       |         |           |   |        `------ query 43..46
/// |       |         |           |   `--------------- path 34..42
/// |       |         |           `------------------- port 30..34
/// |       |         `------------------------------- host 18..29
/// |       `----------------------------------------- userinfo 8..17
/// `------------------------------------------------- scheme 0..5
/// ```
///
/// ```
/// use urisieve::syntax::Components;
/// let uri = b"http://joe@a.example:80/p?q#f";
/// let parts = Components::parse(uri);
/// assert_eq!(parts.scheme(uri), Some(&b"http"[..]));
/// assert_eq!(parts.host(uri), Some(&b"a.example"[..]));
/// assert_eq!(parts.port(uri), Some(&b"80"[..]));
/// assert_eq!(parts.path(uri), b"/p");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Components {
    /// The end of the scheme, which is the offset of its ":"; 0 without a scheme.
    scheme_end: u32,
    /// Start and end of the authority without its "//". Without an authority,
    /// `has_authority` is unset and both are equal to `path_start`.
    authority_start: u32,
    path_start: u32,
    host_start: u32,
    host_end: u32,
    query_start: u32,
    fragment_start: u32,
    end: u32,
    has_authority: bool,
}

impl Components {
    /// Splits `uri`. The length of a candidate is bounded by `--max-length`; bytes
    /// beyond 4 GiB are ignored here.
    ///
    /// ```
    /// use urisieve::syntax::Components;
    /// let uri = b"mailto:joe@a.example";
    /// let parts = Components::parse(uri);
    /// assert_eq!(parts.scheme(uri), Some(&b"mailto"[..]));
    /// assert_eq!(parts.authority(uri), None);
    /// assert_eq!(parts.path(uri), b"joe@a.example");
    /// ```
    pub fn parse(uri: &[u8]) -> Components {
        let uri = &uri[..uri.len().min(u32::MAX as usize)];
        let scheme_end = scheme_end(uri);
        let rest_start = if scheme_end > 0 { scheme_end + 1 } else { 0 };
        let has_authority = uri[rest_start..].starts_with(AUTHORITY);
        let authority_start = rest_start + if has_authority { AUTHORITY.len() } else { 0 };
        let path_start = if has_authority {
            let rest = &uri[authority_start..];
            authority_start + memchr::memchr3(b'/', b'?', b'#', rest).unwrap_or(rest.len())
        } else {
            authority_start
        };
        let path_end = memchr::memchr2(b'?', b'#', &uri[path_start..]);
        let query_start = path_end.map_or(uri.len(), |at| path_start + at);
        let fragment_start = match uri.get(query_start) {
            Some(b'?') => {
                let rest = &uri[query_start..];
                query_start + memchr::memchr(b'#', rest).unwrap_or(rest.len())
            }
            _ => query_start,
        };
        let host = host_range(uri, authority_start..path_start);
        Components {
            scheme_end: scheme_end as u32,
            authority_start: authority_start as u32,
            path_start: path_start as u32,
            host_start: host.start as u32,
            host_end: host.end as u32,
            query_start: query_start as u32,
            fragment_start: fragment_start as u32,
            end: uri.len() as u32,
            has_authority,
        }
    }

    /// Returns the scheme, without its ":".
    ///
    /// # Panics
    /// If `uri` is shorter than the URI that was split; another one gives other bytes.
    ///
    /// ```
    /// use urisieve::syntax::Components;
    /// assert_eq!(Components::parse(b"urn:a:b").scheme(b"urn:a:b"), Some(&b"urn"[..]));
    /// assert_eq!(Components::parse(b"//a/b").scheme(b"//a/b"), None);
    /// ```
    pub fn scheme<'u>(&self, uri: &'u [u8]) -> Option<&'u [u8]> {
        (self.scheme_end > 0).then(|| &uri[..self.scheme_end as usize])
    }

    /// Returns the authority, without its "//".
    ///
    /// # Panics
    /// If `uri` is shorter than the URI that was split; another one gives other bytes.
    ///
    /// ```
    /// use urisieve::syntax::Components;
    /// let uri = b"http://joe@a.example:80/p";
    /// assert_eq!(Components::parse(uri).authority(uri), Some(&b"joe@a.example:80"[..]));
    /// ```
    pub fn authority<'u>(&self, uri: &'u [u8]) -> Option<&'u [u8]> {
        self.has_authority
            .then(|| &uri[self.authority_start as usize..self.path_start as usize])
    }

    /// Returns the userinfo, without its "@".
    ///
    /// # Panics
    /// If `uri` is shorter than the URI that was split; another one gives other bytes.
    ///
    /// ```
    /// use urisieve::syntax::Components;
    /// let uri = b"ftp://joe:secret@a.example/";
    /// assert_eq!(Components::parse(uri).userinfo(uri), Some(&b"joe:secret"[..]));
    /// ```
    pub fn userinfo<'u>(&self, uri: &'u [u8]) -> Option<&'u [u8]> {
        (self.host_start > self.authority_start)
            .then(|| &uri[self.authority_start as usize..self.host_start as usize - 1])
    }

    /// Returns the host; an IP literal has its brackets. `None` without an authority.
    ///
    /// # Panics
    /// If `uri` is shorter than the URI that was split; another one gives other bytes.
    ///
    /// ```
    /// use urisieve::syntax::Components;
    /// let uri = b"http://[::1]:80/";
    /// assert_eq!(Components::parse(uri).host(uri), Some(&b"[::1]"[..]));
    /// ```
    pub fn host<'u>(&self, uri: &'u [u8]) -> Option<&'u [u8]> {
        self.has_authority.then(|| &uri[self.host_range()])
    }

    /// Returns the range of the host; empty without an authority.
    ///
    /// ```
    /// use urisieve::syntax::Components;
    /// let uri = b"http://joe@a.example/";
    /// assert_eq!(&uri[Components::parse(uri).host_range()], b"a.example");
    /// ```
    pub fn host_range(&self) -> Range<usize> {
        self.host_start as usize..self.host_end as usize
    }

    /// Returns the port, without its ":"; it may be empty.
    ///
    /// # Panics
    /// If `uri` is shorter than the URI that was split; another one gives other bytes.
    ///
    /// ```
    /// use urisieve::syntax::Components;
    /// let (with, empty, without) = (b"http://a:80", b"http://a:", b"http://a");
    /// assert_eq!(Components::parse(with).port(with), Some(&b"80"[..]));
    /// assert_eq!(Components::parse(empty).port(empty), Some(&b""[..]));
    /// assert_eq!(Components::parse(without).port(without), None);
    /// ```
    pub fn port<'u>(&self, uri: &'u [u8]) -> Option<&'u [u8]> {
        (self.host_end < self.path_start)
            .then(|| &uri[self.host_end as usize + 1..self.path_start as usize])
    }

    /// Returns the path; it may be empty.
    ///
    /// # Panics
    /// If `uri` is shorter than the URI that was split; another one gives other bytes.
    ///
    /// ```
    /// use urisieve::syntax::Components;
    /// assert_eq!(Components::parse(b"http://a/b/c?d").path(b"http://a/b/c?d"), b"/b/c");
    /// assert_eq!(Components::parse(b"http://a").path(b"http://a"), b"");
    /// ```
    pub fn path<'u>(&self, uri: &'u [u8]) -> &'u [u8] {
        &uri[self.path_start as usize..self.query_start as usize]
    }

    /// Returns the range of the path.
    ///
    /// ```
    /// use urisieve::syntax::Components;
    /// let uri = b"http://a.example/b?c";
    /// assert_eq!(&uri[Components::parse(uri).path_range()], b"/b");
    /// ```
    pub fn path_range(&self) -> Range<usize> {
        self.path_start as usize..self.query_start as usize
    }

    /// Whether there is an authority, even an empty one.
    ///
    /// ```
    /// use urisieve::syntax::Components;
    /// assert!(Components::parse(b"file:///a").has_authority());
    /// assert!(!Components::parse(b"file:/a").has_authority());
    /// ```
    pub fn has_authority(&self) -> bool {
        self.has_authority
    }

    /// Returns the query, without its "?".
    ///
    /// # Panics
    /// If `uri` is shorter than the URI that was split; another one gives other bytes.
    ///
    /// ```
    /// use urisieve::syntax::Components;
    /// let uri = b"http://a/?x=1&y=?#z";
    /// assert_eq!(Components::parse(uri).query(uri), Some(&b"x=1&y=?"[..]));
    /// ```
    pub fn query<'u>(&self, uri: &'u [u8]) -> Option<&'u [u8]> {
        (self.query_start < self.fragment_start)
            .then(|| &uri[self.query_start as usize + 1..self.fragment_start as usize])
    }

    /// Returns the fragment, without its "#".
    ///
    /// # Panics
    /// If `uri` is shorter than the URI that was split; another one gives other bytes.
    ///
    /// ```
    /// use urisieve::syntax::Components;
    /// let uri = b"http://a/?q#top";
    /// assert_eq!(Components::parse(uri).fragment(uri), Some(&b"top"[..]));
    /// ```
    pub fn fragment<'u>(&self, uri: &'u [u8]) -> Option<&'u [u8]> {
        (self.fragment_start < self.end)
            .then(|| &uri[self.fragment_start as usize + 1..self.end as usize])
    }

    /// Returns the components that are defined, by name, in their order.
    pub(super) fn ranges(&self) -> impl Iterator<Item = (&'static str, Range<usize>)> {
        let range = |start: u32, end: u32| start as usize..end as usize;
        let Components {
            authority_start: authority,
            host_start: host,
            host_end,
            path_start: path,
            query_start: query,
            fragment_start: fragment,
            ..
        } = *self;
        [
            (self.scheme_end > 0).then(|| ("scheme", range(0, self.scheme_end))),
            (host > authority).then(|| ("userinfo", range(authority, host - 1))),
            self.has_authority.then(|| ("host", range(host, host_end))),
            (host_end < path).then(|| ("port", range(host_end + 1, path))),
            Some(("path", range(path, query))),
            (query < fragment).then(|| ("query", range(query + 1, fragment))),
            (fragment < self.end).then(|| ("fragment", range(fragment + 1, self.end))),
        ]
        .into_iter()
        .flatten()
    }
}

/// The mark before an authority.
const AUTHORITY: &[u8] = b"//";

/// Whether `uri` has an authority, without a look at what is in it.
fn has_authority(uri: &[u8]) -> bool {
    match scheme_end(uri) {
        0 => uri.starts_with(AUTHORITY),
        colon => uri[colon + 1..].starts_with(AUTHORITY),
    }
}

/// Returns the offset of the ":" that ends a scheme, or 0.
fn scheme_end(uri: &[u8]) -> usize {
    match uri.first() {
        Some(&first) if ALPHA.has(first) => {}
        _ => return 0,
    }
    let run = uri.iter().take_while(|&&b| SCHEME.has(b)).count();
    if uri.get(run) == Some(&b':') { run } else { 0 }
}

/// Returns the range of the host in the authority: after the last "@", up to the first
/// ":" that is not inside an IP literal.
fn host_range(uri: &[u8], authority: Range<usize>) -> Range<usize> {
    let text = &uri[authority.clone()];
    if memchr::memchr2(b'@', b':', text).is_none() {
        return authority;
    }
    let start = authority.start + memchr::memrchr(b'@', text).map_or(0, |at| at + 1);
    let text = &uri[start..authority.end];
    let literal = if text.first() == Some(&b'[') {
        memchr::memchr(b']', text).map_or(0, |at| at + 1)
    } else {
        0
    };
    let len = memchr::memchr(b':', &text[literal..]).map_or(text.len(), |at| literal + at);
    start..start + len
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_by_appendix_b() {
        let uri = b"http://www.ics.uci.edu/pub/ietf/uri/#Related";
        let c = Components::parse(uri);
        assert_eq!(c.authority(uri), Some(&b"www.ics.uci.edu"[..]));
        assert_eq!(c.path(uri), b"/pub/ietf/uri/");
        assert_eq!(c.query(uri), None);
        assert_eq!(c.fragment(uri), Some(&b"Related"[..]));
    }

    #[test]
    fn absent_and_empty_differ() {
        let uri = b"s://@h:?#";
        let c = Components::parse(uri);
        assert_eq!(c.userinfo(uri), Some(&b""[..]));
        assert_eq!(c.host(uri), Some(&b"h"[..]));
        assert_eq!(c.port(uri), Some(&b""[..]));
        assert_eq!(c.query(uri), Some(&b""[..]));
        assert_eq!(c.fragment(uri), Some(&b""[..]));
        let uri = b"urn:a:b";
        let c = Components::parse(uri);
        assert_eq!(
            (c.authority(uri), c.host(uri), c.port(uri)),
            (None, None, None)
        );
        assert_eq!(c.path(uri), b"a:b");
    }

    #[test]
    fn ip_literals_and_userinfo_with_colons() {
        let uri = b"x://u:p:q@[2001:db8::1]:8080";
        let c = Components::parse(uri);
        assert_eq!(c.userinfo(uri), Some(&b"u:p:q"[..]));
        assert_eq!(c.host(uri), Some(&b"[2001:db8::1]"[..]));
        assert_eq!(c.port(uri), Some(&b"8080"[..]));
    }

    #[test]
    fn relative_references_have_no_scheme() {
        for (uri, path) in [
            ("a/b:c", "a/b:c"),
            ("//h/p", "/p"),
            ("?q", ""),
            ("1a:b", "1a:b"),
        ] {
            let c = Components::parse(uri.as_bytes());
            assert_eq!(c.scheme(uri.as_bytes()), None, "{uri}");
            assert_eq!(c.path(uri.as_bytes()), path.as_bytes(), "{uri}");
        }
    }
}
