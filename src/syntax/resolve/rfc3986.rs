//! RFC 3986 section 5.2, strict. The text's pseudo-code (5.2.2), R the reference,
//! T the target, with "remove" for remove_dot_segments of 5.2.4:
//!
//! ```text
//! R.scheme     T = R.scheme     R.authority     remove(R.path)                  R.query
//! R.authority  T = Base.scheme  R.authority     remove(R.path)                  R.query
//! R.path = ""  T = Base.scheme  Base.authority  Base.path                       R.query or Base.query
//! R.path = "/" T = Base.scheme  Base.authority  remove(R.path)                  R.query
//! otherwise    T = Base.scheme  Base.authority  remove(merge(Base.path R.path)) R.query
//! always       T.fragment = R.fragment
//! ```

use super::base::{Base, is_opaque, push_after};
use super::{Note, Resolved};
use crate::syntax::Components;
use crate::syntax::dots::{has_dot_segments, remove_dot_segments_from};

pub(super) fn resolve(base: &Base, reference: &[u8], out: &mut Vec<u8>) -> Resolved {
    let r = Components::parse(reference);
    let (r_path, mut query) = (r.path(reference), r.query(reference));
    let mut resolved = Resolved::uri(base.notes());
    let authority = match (r.scheme(reference), r.authority(reference)) {
        (Some(scheme), authority) => {
            out.extend_from_slice(scheme);
            out.push(b':');
            resolved = Resolved::uri(Default::default());
            if is_opaque(reference) && has_dot_segments(r_path) {
                resolved.notes.add(Note::OpaqueDots);
            }
            authority
        }
        (None, authority) => {
            base.push_scheme(out);
            authority.or(base.authority)
        }
    };
    push_after(b"//", authority, out);
    let path_start = out.len();
    let relative = r.scheme(reference).is_none() && r.authority(reference).is_none();
    if relative && r_path.is_empty() {
        out.extend_from_slice(base.path);
        query = query.or(base.query);
    } else {
        if relative && r_path[0] != b'/' {
            // 5.2.3, merge.
            match base.authority {
                Some(_) if base.path.is_empty() => out.push(b'/'),
                _ => out.extend_from_slice(base.directory()),
            }
        }
        out.extend_from_slice(r_path);
        remove_dot_segments_from(out, path_start);
    }
    if authority.is_none() && out[path_start..].starts_with(b"//") {
        out.splice(path_start..path_start, *b"/.");
        resolved.notes.add(Note::Guarded);
    }
    push_after(b"?", query, out);
    push_after(b"#", r.fragment(reference), out);
    resolved
}

#[cfg(test)]
mod tests {
    use super::super::{Note, Rules, resolve};

    fn answer(base: &str, reference: &str) -> (String, Vec<Note>) {
        let mut out = Vec::new();
        let resolved = resolve(
            Rules::Rfc3986,
            base.as_bytes(),
            reference.as_bytes(),
            &mut out,
        )
        .unwrap();
        (
            String::from_utf8(out).unwrap(),
            resolved.notes.iter().collect(),
        )
    }

    #[test]
    fn a_path_is_not_read_as_an_authority() {
        for (base, reference, expect) in [
            ("foo:/a", "/.//b", "foo:/.//b"),
            ("foo:a/b", "..//x", "foo:/.//x"),
            ("foo:/a/b/c", "../..//d", "foo:/.//d"),
            ("x:y", "foo:/..//b", "foo:/.//b"),
        ] {
            let (uri, notes) = answer(base, reference);
            assert_eq!(uri, expect, "{reference} in {base}");
            assert!(notes.contains(&Note::Guarded));
        }
        assert_eq!(answer("foo://h/a", "/.//b").0, "foo://h//b");
    }

    #[test]
    fn bases_and_references_without_hierarchy_have_notes() {
        assert_eq!(
            answer("urn:example:a", "#f"),
            ("urn:example:a#f".into(), vec![Note::UrnBase])
        );
        assert_eq!(
            answer("foo:a", "../b"),
            ("foo:b".into(), vec![Note::OpaqueBase])
        );
        assert_eq!(
            answer("urn:example:a", "http://h/a/../b"),
            ("http://h/b".into(), vec![])
        );
        assert_eq!(
            answer("http://h/", "urn:example:a/../b"),
            ("urn:/b".into(), vec![Note::OpaqueDots])
        );
    }

    #[test]
    fn bytes_that_are_no_characters_are_taken_over() {
        let mut out = b"kept ".to_vec();
        resolve(Rules::Rfc3986, b"http://a/\xFF/x", b"\xE9?\x80", &mut out).unwrap();
        assert_eq!(out, b"kept http://a/\xFF/\xE9?\x80");
    }
}
