//! The base URI that the algorithms of the RFCs resolve against.

use super::notes::{Note, Notes};
use crate::syntax::{Components, scheme};

/// Whether `uri` has no hierarchy against which a relative path could be resolved: no
/// authority, and no path that begins with `/` (the `opaque_part` of RFC 2396 section
/// 3).
///
/// ```
/// use urisieve::syntax::resolve::is_opaque;
/// assert!(is_opaque(b"urn:example:a") && is_opaque(b"mailto:joe@a.example"));
/// assert!(!is_opaque(b"file:/etc/hosts") && !is_opaque(b"http://a"));
/// ```
pub fn is_opaque(uri: &[u8]) -> bool {
    let parts = Components::parse(uri);
    parts.authority(uri).is_none() && parts.path(uri).first() != Some(&b'/')
}

/// Whether `base` can be the base of `reference`, which has no scheme: a URI with a
/// hierarchy, or any URI when the reference is empty or only a fragment (RFC 3986
/// section 4.4).
///
/// ```
/// use urisieve::syntax::resolve::is_base_for;
/// assert!(is_base_for(b"http://a.example/", b"b") && is_base_for(b"urn:example:a", b"#b"));
/// assert!(!is_base_for(b"urn:example:a", b"b") && !is_base_for(b"C:/a", b"b"));
/// ```
pub fn is_base_for(base: &[u8], reference: &[u8]) -> bool {
    let is_of_web = base.starts_with(b"http://") || base.starts_with(b"https://");
    let is_here = matches!(reference.first(), None | Some(b'#'));
    is_of_web || scheme::prefix_len(base).is_some() && (is_here || !is_opaque(base))
}

/// A base URI in its components; its fragment is ignored (RFC 3986 section 5.1).
pub(super) struct Base<'u> {
    pub uri: &'u [u8],
    pub scheme: &'u [u8],
    pub authority: Option<&'u [u8]>,
    pub path: &'u [u8],
    pub query: Option<&'u [u8]>,
}

impl<'u> Base<'u> {
    pub fn of(uri: &'u [u8]) -> Option<Base<'u>> {
        let parts = Components::parse(uri);
        Some(Base {
            uri,
            scheme: parts.scheme(uri)?,
            authority: parts.authority(uri),
            path: parts.path(uri),
            query: parts.query(uri),
        })
    }

    /// Returns the path without its last segment: up to its last slash, inclusive.
    pub fn directory(&self) -> &'u [u8] {
        let end = memchr::memrchr(b'/', self.path).map_or(0, |at| at + 1);
        &self.path[..end]
    }

    /// Returns the note for a base without hierarchy.
    pub fn notes(&self) -> Notes {
        let mut notes = Notes::default();
        if self.scheme.eq_ignore_ascii_case(b"urn") {
            notes.add(Note::UrnBase);
        } else if is_opaque(self.uri) {
            notes.add(Note::OpaqueBase);
        }
        notes
    }

    pub fn push_scheme(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.scheme);
        out.push(b':');
    }

    pub fn push_authority(&self, out: &mut Vec<u8>) {
        push_after(b"//", self.authority, out);
    }
}

/// Appends a component with its delimiter, or nothing when it is undefined.
pub(super) fn push_after(delimiter: &[u8], component: Option<&[u8]>, out: &mut Vec<u8>) {
    if let Some(component) = component {
        out.extend_from_slice(delimiter);
        out.extend_from_slice(component);
    }
}
