//! robots.txt (RFC 9309): the values of `Sitemap` lines are references, all other text is
//! searched.

use crate::decode::event::{Decode, Event, MarkupValue, Output, ValueKind};
use crate::item::{OwnedLink, Schemes};
use std::ops::Range;
use std::sync::Arc;

/// The most bytes of a line that are held until its end is there. Crawlers read at most
/// 500 KiB of the whole file (section 2.5), and a URI of this length is not used.
const LINE_MAX: usize = 64 << 10;

const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Returns the decoder of a robots.txt.
pub(super) fn robots_decoder() -> Box<dyn Decode> {
    Box::new(Robots::new())
}

/// Decodes robots.txt.
#[derive(Debug)]
struct Robots {
    place: Phase,
    /// The number of bytes of the line that were searched and contain no end.
    searched: usize,
    /// Whether the last event was text.
    in_text: bool,
    text: Arc<OwnedLink>,
    sitemap: Arc<OwnedLink>,
}

#[derive(Debug)]
enum Phase {
    /// Before the first byte.
    Start,
    Line,
    /// In a line that is too long.
    LongLine,
}

impl Robots {
    /// Creates a decoder at the start of a file.
    fn new() -> Robots {
        let link = |path: &[u8]| {
            Arc::new(OwnedLink {
                path: path.to_vec(),
                ..OwnedLink::default()
            })
        };
        Robots {
            place: Phase::Start,
            searched: 0,
            in_text: false,
            text: link(b"#text"),
            sitemap: link(b"ROBOTS@/sitemap"),
        }
    }

    fn push_value(&mut self, raw: usize, is_text: bool, out: &mut Output) {
        if raw == 0 {
            return;
        }
        let (kind, link) = match is_text {
            true => {
                let continues = self.in_text;
                (ValueKind::Text { continues }, &self.text)
            }
            false => (ValueKind::Reference(Schemes::Any), &self.sitemap),
        };
        self.in_text = is_text;
        let mut value = MarkupValue::new(raw, kind);
        value.link = Some(Arc::clone(link));
        out.events.push(Event::Value(value));
    }

    /// Reads a line with its end.
    fn line(&mut self, line: &[u8], out: &mut Output) {
        let value = sitemap(line).unwrap_or(line.len()..line.len());
        self.push_value(value.start, true, out);
        self.push_value(value.len(), false, out);
        self.push_value(line.len() - value.end, true, out);
    }
}

/// Returns the place of the value in a line that names a sitemap.
fn sitemap(line: &[u8]) -> Option<Range<usize>> {
    const NAME: &[u8] = b"sitemap";
    let skip = |at: usize| at + line[at..].len() - line[at..].trim_ascii_start().len();
    let name = skip(0);
    let end = name + NAME.len();
    if !line.get(name..end)?.eq_ignore_ascii_case(NAME) {
        return None;
    }
    let colon = skip(end);
    if line.get(colon) != Some(&b':') {
        return None;
    }
    let from = skip(colon + 1);
    let len = line[from..].iter().position(u8::is_ascii_whitespace);
    Some(from..len.map_or(line.len(), |len| from + len))
}

impl Decode for Robots {
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        let mut at = 0;
        if let Phase::Start = self.place {
            if bytes.len() < MARK.len() && MARK.starts_with(bytes) && !last {
                return 0;
            }
            self.place = Phase::Line;
            if bytes.starts_with(MARK) {
                out.events.push(Event::Skipped(MARK.len()));
                at = MARK.len();
            }
        }
        loop {
            let rest = &bytes[at..];
            let unknown = &rest[self.searched..];
            let end = memchr::memchr2(b'\n', b'\r', unknown);
            let end = end.map(|len| self.searched + len + 1);
            self.searched = 0;
            match (&self.place, end) {
                (Phase::LongLine, _) => {
                    let len = end.unwrap_or(rest.len());
                    self.push_value(len, true, out);
                    at += len;
                    if end.is_some() {
                        self.place = Phase::Line;
                    }
                }
                (_, Some(len)) if len <= LINE_MAX => {
                    self.line(&rest[..len], out);
                    at += len;
                }
                _ if rest.len() >= LINE_MAX => {
                    out.events.push(Event::Unsupported(
                        "a line of robots.txt longer than 64 KiB",
                    ));
                    self.in_text = false;
                    self.place = Phase::LongLine;
                }
                _ if last => {
                    self.line(rest, out);
                    return bytes.len();
                }
                _ => {
                    self.searched = rest.len();
                    return at;
                }
            }
            if at == bytes.len() {
                return at;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::in_pieces::push_in_pieces;
    use proptest::prelude::*;

    /// Returns the values of `bytes`, pushed in pieces of these sizes: texts in
    /// brackets, references in angle brackets, other events by name.
    fn shown(bytes: &[u8], sizes: &[usize]) -> String {
        let mut decoder = Robots::new();
        let mut shown = String::new();
        push_in_pieces(&mut decoder, bytes, sizes, |pushed| match pushed.event {
            Event::Skipped(_) => shown += "-",
            Event::Value(value) => {
                let text = String::from_utf8_lossy(pushed.text);
                let path = &value.link.as_ref().unwrap().path[..];
                match value.kind {
                    ValueKind::Text { continues } => {
                        assert_eq!(path, b"#text");
                        if continues {
                            assert_eq!(shown.pop(), Some(']'));
                        } else {
                            shown += "[";
                        }
                        shown += &format!("{text}]");
                    }
                    _ => {
                        assert_eq!(path, b"ROBOTS@/sitemap");
                        shown += &format!("<{text}>");
                    }
                }
            }
            Event::Unsupported(_) => shown += "!",
            other => panic!("{other:?}"),
        });
        shown
    }

    #[test]
    fn sitemaps_are_references() {
        for (text, wanted) in [
            ("", ""),
            ("Sitemap: http://a/b\n", "[Sitemap: ]<http://a/b>[\n]"),
            (
                "\u{FEFF}# r\r\n\tSITEMAP :/rel.xml # c\rsitemap:a#f",
                "-[# r\r\n\tSITEMAP :]</rel.xml>[ # c\rsitemap:]<a#f>",
            ),
            ("sitemap:\nSitemap: \n", "[sitemap:\nSitemap: \n]"),
            (
                "#sitemap: a\nsitemaps: b\nsitemap c\nsite\nmap: d",
                "[#sitemap: a\nsitemaps: b\nsitemap c\nsite\nmap: d]",
            ),
            ("Disallow: /x\nHost: a", "[Disallow: /x\nHost: a]"),
        ] {
            for size in [1, 2, 5, 1000] {
                assert_eq!(shown(text.as_bytes(), &[size]), wanted, "by {size}");
            }
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_text() {
        for (len, is_read) in [(LINE_MAX - 9, true), (LINE_MAX - 8, false)] {
            let line = format!("sitemap:{}\nsitemap:/b\n", "a".repeat(len));
            let whole = shown(line.as_bytes(), &[line.len()]);
            assert_eq!(whole.starts_with("[sitemap:]<aaa"), is_read);
            assert_eq!(whole.starts_with("![sitemap:aaa"), !is_read);
            assert!(whole.ends_with("sitemap:]</b>[\n]"));
            for size in [1, 1000, LINE_MAX] {
                assert!(shown(line.as_bytes(), &[size]) == whole, "by {size}");
            }
        }
    }

    proptest! {
        #[test]
        fn pieces_change_nothing(
            text in "([Ss]itemap ?: ?|[a:/# \r\n\u{FEFF}]){0,30}",
            sizes in prop::collection::vec(1usize..9, 1..20),
        ) {
            let text = text.as_bytes();
            prop_assert_eq!(shown(text, &sizes), shown(text, &[text.len().max(1)]));
        }
    }
}
