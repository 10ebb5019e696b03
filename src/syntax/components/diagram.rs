//! The components of a URI reference as a drawing for people: the text, and
//! below it a marker, a name and byte offsets for each component.

use super::Components;
use crate::syntax::urn;
use std::ops::Range;

/// A component by its name, and its range without delimiters.
///
/// ```
/// use urisieve::syntax::Components;
/// let uri = b"mailto:joe@a.example";
/// let parts = Components::parse(uri).parts(uri);
/// assert_eq!((parts[1].name, &parts[1].range), ("path", &(7..20)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Component {
    /// The name in the RFC: `scheme`, `userinfo`, `host`, `port`, `path`, `query`,
    /// `fragment` (RFC 3986 section 3), or `urn`, `NID`, `NSS`, `r-component`,
    /// `q-component`, `f-component` (RFC 8141 section 2).
    pub name: &'static str,
    /// Byte offsets.
    pub range: Range<usize>,
}

impl Components {
    /// Returns the components of `uri`, in their order; a path is always among them. A
    /// URN has the components of RFC 8141 when its assigned-name is valid and its `?`
    /// begins an r- or a q-component.
    ///
    /// ```
    /// use urisieve::syntax::Components;
    /// let urn = b"urn:example:a?=q#f";
    /// let names = Components::parse(urn).parts(urn).into_iter().map(|part| part.name);
    /// assert!(names.eq(["urn", "NID", "NSS", "q-component", "f-component"]));
    /// ```
    pub fn parts(&self, uri: &[u8]) -> Vec<Component> {
        urn_parts(uri).unwrap_or_else(|| {
            let named = |(name, range)| Component { name, range };
            self.ranges().map(named).collect()
        })
    }

    /// Draws the components that [`Components::parts`] lists, each with its byte
    /// offsets. A character takes one column; bytes that are not UTF-8, and control
    /// characters, are drawn as U+FFFD.
    ///
    /// ```
    /// use urisieve::syntax::Components;
    /// let urn = b"urn:example:a?+r";
    /// let drawing = "
    /// urn:example:a?+r
    /// |   |       |  |
    /// |   |       |  `-- r-component 15..16
    /// |   |       `----- NSS 12..13
    /// |   `------------- NID 4..11
    /// `----------------- urn 0..3
    /// ";
    /// assert_eq!(Components::parse(urn).diagram(urn), &drawing[1..]);
    /// ```
    pub fn diagram(&self, uri: &[u8]) -> String {
        let parts = self.parts(uri);
        let drawn = draw(uri);
        // The column of each marker.
        let columns: Vec<usize> = parts
            .iter()
            .map(|part| draw(&uri[..part.range.start]).chars().count())
            .collect();
        let width = columns.last().map_or(0, |last| last + 4);
        let mut text = drawn;
        text.push('\n');
        push_markers(&columns, &mut text);
        text.push('\n');
        for (at, Component { name, range }) in parts.iter().enumerate().rev() {
            let column = columns[at];
            let (left, same) = match columns[..at].last() {
                Some(&before) if before == column => (at - 1, true),
                _ => (at, false),
            };
            let used = push_markers(&columns[..left], &mut text);
            text.extend(std::iter::repeat_n(' ', column - used));
            text.push(if same { '|' } else { '`' });
            text.extend(std::iter::repeat_n('-', width - column - 2));
            text.push_str(&format!(" {name} {}..{}\n", range.start, range.end));
        }
        text
    }
}

/// Appends a `|` in each of `columns`, and returns the number of columns used.
fn push_markers(columns: &[usize], text: &mut String) -> usize {
    let mut used = 0;
    for &column in columns {
        if column >= used {
            text.extend(std::iter::repeat_n(' ', column - used));
            text.push('|');
            used = column + 1;
        }
    }
    used
}

fn draw(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        let plain = |c: char| {
            if crate::syntax::shown::is_shown(c) {
                c
            } else {
                '\u{FFFD}'
            }
        };
        text.extend(chunk.valid().chars().map(plain));
        if !chunk.invalid().is_empty() {
            text.push('\u{FFFD}');
        }
    }
    text
}

/// `namestring = assigned-name [ rq-components ] [ "#" f-component ]`, with
/// `rq-components = [ "?+" r-component ] [ "?=" q-component ]` (RFC 8141 section
/// 2). An r-component ends at the first "?=" (section 2.3.1).
fn urn_parts(uri: &[u8]) -> Option<Vec<Component>> {
    let name_end = urn::assigned_name_len(uri)?;
    let nid_end = 4 + urn::nid(uri)?.len();
    let part = |name, range| Component { name, range };
    let mut parts = vec![
        part("urn", 0..3),
        part("NID", 4..nid_end),
        part("NSS", nid_end + 1..name_end),
    ];
    let fragment = memchr::memchr(b'#', uri).unwrap_or(uri.len());
    let mut at = name_end;
    if uri[at..fragment].starts_with(b"?+") {
        let end = memchr::memmem::find(&uri[at + 2..fragment], b"?=")
            .map_or(fragment, |len| at + 2 + len);
        parts.push(part("r-component", at + 2..end));
        at = end;
    }
    if uri[at..fragment].starts_with(b"?=") {
        parts.push(part("q-component", at + 2..fragment));
        at = fragment;
    }
    if at < fragment {
        return None;
    }
    if fragment < uri.len() {
        parts.push(part("f-component", fragment + 1..uri.len()));
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn diagram(uri: &[u8]) -> String {
        Components::parse(uri).diagram(uri)
    }

    #[test]
    fn the_documentation_shows_what_is_drawn() {
        let uri = b"https://user:pass@example.com:1234/foo/bar?baz#quux";
        let shown: String = include_str!("mod.rs")
            .lines()
            .skip_while(|line| !line.starts_with("/// ```text"))
            .skip(1)
            .take_while(|line| !line.starts_with("/// ```"))
            .map(|line| format!("{}\n", &line[4..]))
            .collect();
        assert_eq!(shown, diagram(uri));
    }

    #[test]
    fn components_at_one_place_share_a_marker() {
        let drawing = "
file:///x
|      |
|      |-- path 7..9
|      `-- host 7..7
`--------- scheme 0..4
";
        assert_eq!(diagram(b"file:///x"), &drawing[1..]);
    }

    #[test]
    fn relative_references_and_odd_bytes() {
        assert_eq!(diagram(b""), "\n|\n`-- path 0..0\n");
        let drawing = "
\u{e9}\u{fffd}\u{fffd}?q
|   |
|   `-- query 5..6
`------ path 0..4
";
        assert_eq!(diagram(b"\xC3\xA9\xFF\n?q"), &drawing[1..]);
    }

    #[test]
    fn parts_of_urns() {
        for (uri, names) in [
            ("urn:example:a", "urn NID NSS"),
            (
                "URN:example:a?+r?x?=q?+z#f",
                "urn NID NSS r-component q-component f-component",
            ),
            ("urn:example:a?=q", "urn NID NSS q-component"),
            ("urn:example:a#f?+x", "urn NID NSS f-component"),
            ("urn:example:a?q", "scheme path query"),
            ("urn:x", "scheme path"),
        ] {
            let parts = Components::parse(uri.as_bytes()).parts(uri.as_bytes());
            let got: Vec<&str> = parts.iter().map(|part| part.name).collect();
            assert_eq!(got.join(" "), names, "{uri}");
        }
    }

    proptest! {
        #[test]
        fn every_part_is_drawn_below_its_first_character(uri in "(urn:ab|[a-z]{0,2})[:/?#@a+=é\u{1}]{0,16}") {
            let parts = Components::parse(uri.as_bytes()).parts(uri.as_bytes());
            let drawing = diagram(uri.as_bytes());
            let lines: Vec<&str> = drawing.lines().skip(2).collect();
            prop_assert_eq!(lines.len(), parts.len());
            for (line, part) in lines.iter().rev().zip(&parts) {
                let column = uri[..part.range.start].chars().count();
                prop_assert!(matches!(line.as_bytes()[column], b'`' | b'|'), "{}", drawing);
                prop_assert_eq!(line.as_bytes()[column + 1], b'-', "{}", drawing);
                let label = format!(" {} {}..{}", part.name, part.range.start, part.range.end);
                prop_assert!(line.ends_with(&label));
            }
        }
    }
}
