//! "Partial form" of the first draft, Uniform Resource Locators (March 1993,
//! Recommendations). A missing scheme or host is taken from the context; about a
//! relative path the draft says:
//!
//! ```text
//! The last part of the path of the context locator (anything following the rightmost
//! slash) is removed, and the given partial URL appended in its place. Within the result,
//! all occurrences of "/xxx/.." or "/." are recursively removed, where xxx, ".." and "."
//! are complete path elements.
//! ```

use super::base::{Base, push_after};
use super::{Note, Notes, Resolved};
use crate::syntax::Components;

// Readings of the draft where it is silent:
// - Its grammar ends a path at "?" (search) and "#" (fragmentid), so dots are
//   removed before them only, and those of the context are dropped.
// - No rule is given for a partial URL without a path; its path is the empty
//   relative one, so `?y` and `#s` drop the last part of the context's path.
// - "xxx" is neither ".." nor ".": those are reserved for the hierarchy.
pub(super) fn resolve(base: &Base, reference: &[u8], out: &mut Vec<u8>) -> Resolved {
    let r = Components::parse(reference);
    let (authority, path) = (r.authority(reference), r.path(reference));
    if r.scheme(reference).is_some() {
        out.extend_from_slice(reference);
        return Resolved::uri(Notes::default());
    }
    let mut notes = base.notes();
    base.push_scheme(out);
    push_after(b"//", authority.or(base.authority), out);
    let path_start = out.len();
    if authority.is_some() || path.first() == Some(&b'/') {
        out.extend_from_slice(path);
    } else {
        out.extend_from_slice(base.directory());
        out.extend_from_slice(path);
        remove_dots(out, path_start);
        if first_is_up(&out[path_start..]) {
            notes.add(Note::AboveRoot);
        }
    }
    push_after(b"?", r.query(reference), out);
    push_after(b"#", r.fragment(reference), out);
    Resolved::uri(notes)
}

/// Removes "/xxx/.." and "/." from `path`, from `start` on. An element is removed with
/// the slash before it, so nothing of it is left: `/a/..` becomes the empty path, where
/// later RFCs leave `/`.
fn remove_dots(path: &mut Vec<u8>, start: usize) {
    let (mut read, mut write) = (start, start);
    while read < path.len() {
        let next = memchr::memchr(b'/', &path[read + 1..]);
        let end = next.map_or(path.len(), |at| read + 1 + at);
        let before = memchr::memrchr(b'/', &path[start..write]).map(|at| start + at);
        match (&path[read..end], before) {
            (b"/.", _) => {}
            (b"/..", Some(at)) if &path[at..write] != b"/.." => write = at,
            _ => {
                path.copy_within(read..end, write);
                write += end - read;
            }
        }
        read = end;
    }
    path.truncate(write);
}

fn first_is_up(path: &[u8]) -> bool {
    let path = path.strip_prefix(b"/").unwrap_or(path);
    matches!(path, b".." | [b'.', b'.', b'/', ..])
}

#[cfg(test)]
mod tests {
    use super::super::{Note, Rules, resolve};
    use super::*;
    use proptest::prelude::*;

    /// The sentence of the draft, as replacements in a string.
    fn by_the_letter(path: &str) -> String {
        let mut path = path.to_owned();
        let ends = |path: &str, at: usize| matches!(path.as_bytes().get(at), None | Some(b'/'));
        while let Some((at, _)) = path.match_indices("/.").find(|(at, _)| ends(&path, at + 2)) {
            path.replace_range(at..at + 2, "");
        }
        let slashes =
            |path: &str| -> Vec<usize> { path.match_indices('/').map(|(at, _)| at).collect() };
        while let Some((from, up)) = slashes(&path).windows(2).find_map(|pair| {
            let (from, up) = (pair[0], pair[1]);
            let is_up = path[up..].starts_with("/..") && ends(&path, up + 3);
            (is_up && &path[from..up] != "/..").then_some((from, up))
        }) {
            path.replace_range(from..up + 3, "");
        }
        path
    }

    proptest! {
        #[test]
        fn removes_as_written(path in "[./a]{0,16}") {
            let mut out = format!("/kept{path}").into_bytes();
            remove_dots(&mut out, 5);
            prop_assert_eq!(&String::from_utf8_lossy(&out)[5..], by_the_letter(&path));
        }
    }

    #[test]
    fn what_leads_above_the_root_is_kept_and_noted() {
        for (reference, expect, above) in [
            ("../g", "http://a/g", false),
            ("../../g", "http://a/../g", true),
            ("../../../g", "http://a/../../g", true),
            ("..g", "http://a/b/..g", false),
        ] {
            let mut out = Vec::new();
            let base = b"http://a/b/c";
            let resolved = resolve(Rules::Rfc1993, base, reference.as_bytes(), &mut out).unwrap();
            assert_eq!(String::from_utf8_lossy(&out), expect);
            assert_eq!(resolved.notes.has(Note::AboveRoot), above, "{reference}");
        }
    }
}
