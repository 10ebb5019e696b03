//! Section 5.2 of the generic syntax draft of 1998 (RFC 2396). Its steps: (2) a
//! reference that is only a fragment is the current document, whatever the base; (3)
//! one with a scheme is unchanged; (4, 5) one with an authority or an absolute path
//! keeps its dots; (6) only a relative path is merged, and `..` above the root are kept
//! (6g allows this, appendix C shows it). The query of the base is never inherited, and
//! a path that begins with `//` may look like an authority.

use super::base::{Base, push_after};
use super::{Note, Notes, Resolved, Target};
use crate::syntax::Components;

pub(super) fn resolve(base: &Base, reference: &[u8], out: &mut Vec<u8>) -> Resolved {
    let r = Components::parse(reference);
    let (scheme, authority) = (r.scheme(reference), r.authority(reference));
    let (path, query) = (r.path(reference), r.query(reference));
    if scheme.is_some() {
        out.extend_from_slice(reference);
        return Resolved::uri(Notes::default());
    }
    let mut notes = base.notes();
    if path.is_empty() && authority.is_none() && query.is_none() {
        push_after(b"#", r.fragment(reference), out);
        let target = Target::CurrentDocument;
        return Resolved { target, notes };
    }
    base.push_scheme(out);
    if authority.is_some() {
        push_after(b"//", authority, out);
        out.extend_from_slice(path);
    } else {
        base.push_authority(out);
        if path.first() == Some(&b'/') {
            out.extend_from_slice(path);
        } else if merge(base.directory(), path, out) {
            notes.add(Note::AboveRoot);
        }
    }
    push_after(b"?", query, out);
    push_after(b"#", r.fragment(reference), out);
    Resolved::uri(notes)
}

/// Step 6: appends `path`, merged with the `directory` of the base, and returns whether
/// a `..` above the root was left in it (6g).
///
/// The text replaces patterns in a string, leftmost first; that is a stack: each `..`
/// takes away the segment before it unless that is `..` itself, and `.` is never pushed
/// (6c, 6e). At the end both leave an empty segment, because the slash is kept (6d,
/// 6f). The slash that begins an absolute path is not part of a segment, so a `..`
/// cannot remove anything before it.
fn merge(directory: &[u8], path: &[u8], out: &mut Vec<u8>) -> bool {
    let inner = match directory.strip_prefix(b"/") {
        Some(inner) => {
            out.push(b'/');
            inner
        }
        None => directory,
    };
    let inherited = inner.strip_suffix(b"/").map(|dirs| dirs.split(is_slash));
    let segments = inherited.into_iter().flatten().chain(path.split(is_slash));
    let mut stack = SegmentStack {
        root: out.len(),
        depth: 0,
        out,
    };
    let mut ends_in_dots = false;
    for segment in segments {
        ends_in_dots = match segment {
            b"." => true,
            b".." if stack.depth > 0 && stack.top() != b".." => {
                stack.pop();
                true
            }
            _ => {
                stack.push(segment);
                false
            }
        };
    }
    if ends_in_dots {
        stack.push(b"");
    }
    let root = stack.root;
    matches!(&out[root..], b".." | [b'.', b'.', b'/', ..])
}

fn is_slash(byte: &u8) -> bool {
    *byte == b'/'
}

/// Segments with slashes between them, kept in the output from `root` on.
struct SegmentStack<'o> {
    root: usize,
    depth: usize,
    out: &'o mut Vec<u8>,
}

impl SegmentStack<'_> {
    fn last_slash(&self) -> Option<usize> {
        memchr::memrchr(b'/', &self.out[self.root..]).map(|at| self.root + at)
    }

    fn top(&self) -> &[u8] {
        &self.out[self.last_slash().map_or(self.root, |at| at + 1)..]
    }

    fn push(&mut self, segment: &[u8]) {
        if self.depth > 0 {
            self.out.push(b'/');
        }
        self.out.extend_from_slice(segment);
        self.depth += 1;
    }

    fn pop(&mut self) {
        let end = self.last_slash().unwrap_or(self.root);
        self.out.truncate(end);
        self.depth -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Note, Rules, Target, resolve};
    use super::*;
    use proptest::prelude::*;

    /// Steps 6c to 6f to the letter: replacements in a string. `segment`s begin at the
    /// start of `path_segments` or after a slash.
    fn by_the_letter(directory: &str, path: &str) -> String {
        let whole = format!("{directory}{path}");
        let (root, mut buffer) = match whole.strip_prefix('/') {
            Some(rest) => ("/", rest.to_owned()),
            None => ("", whole),
        };
        let starts = |buffer: &str| -> Vec<usize> {
            let slashes = buffer.match_indices('/').map(|(at, _)| at + 1);
            std::iter::once(0).chain(slashes).collect()
        };
        while let Some(at) = starts(&buffer)
            .into_iter()
            .find(|&at| buffer[at..].starts_with("./"))
        {
            buffer.replace_range(at..at + 2, "");
        }
        if let Some(&at) = starts(&buffer).last().filter(|&&at| &buffer[at..] == ".") {
            buffer.truncate(at);
        }
        let takes = |buffer: &str, at: usize, follows: &str| {
            let len = buffer[at..].find('/')?;
            let rest = &buffer[at + len..];
            let fits = if follows == "/.." {
                rest == follows
            } else {
                rest.starts_with(follows)
            };
            (fits && &buffer[at..at + len] != "..").then_some(at..at + len + follows.len())
        };
        while let Some(range) = starts(&buffer)
            .into_iter()
            .find_map(|at| takes(&buffer, at, "/../"))
        {
            buffer.replace_range(range, "");
        }
        if let Some(range) = starts(&buffer)
            .into_iter()
            .find_map(|at| takes(&buffer, at, "/.."))
        {
            buffer.replace_range(range, "");
        }
        format!("{root}{buffer}")
    }

    proptest! {
        #[test]
        fn merges_as_written(directory in "(/?([.a]{0,2}/){1,4})?", path in "([.a]{1,2}(/[.a]{0,2}){0,5})?") {
            let mut out = b"kept".to_vec();
            merge(directory.as_bytes(), path.as_bytes(), &mut out);
            prop_assert_eq!(&String::from_utf8_lossy(&out)[4..], by_the_letter(&directory, &path));
        }
    }

    #[test]
    fn the_current_document_is_not_the_base() {
        for (reference, fragment) in [("", ""), ("#", "#"), ("#s", "#s")] {
            let mut out = Vec::new();
            let base = b"http://a/b?q#f";
            let resolved = resolve(Rules::Rfc2396, base, reference.as_bytes(), &mut out).unwrap();
            assert_eq!(resolved.target, Target::CurrentDocument);
            assert_eq!(out, fragment.as_bytes());
        }
    }

    #[test]
    fn what_leads_above_the_root_is_kept_and_noted() {
        for (reference, expect, above) in [
            ("../../g", "http://a/../g", true),
            ("../g", "http://a/g", false),
            ("../..", "http://a/..", true),
            ("/../g", "http://a/../g", false),
            ("..g", "http://a/b/..g", false),
        ] {
            let mut out = Vec::new();
            let resolved = resolve(
                Rules::Rfc2396,
                b"http://a/b/c",
                reference.as_bytes(),
                &mut out,
            )
            .unwrap();
            assert_eq!(String::from_utf8_lossy(&out), expect);
            assert_eq!(resolved.notes.has(Note::AboveRoot), above, "{reference}");
        }
    }
}
