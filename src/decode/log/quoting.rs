//! The escapes that formats write around their values: strings of JSON, cells of tables,
//! values of logfmt, CEF and LEEF. They are undone before those of the log itself (G10).

use crate::decode::json::escape;
use std::ops::Range;

/// How a format escapes bytes of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ValueQuoting {
    #[default]
    None,
    /// RFC 8259 section 7; `\x`, which servers write all the same, is left.
    Json,
    /// `""` for a quotation mark (RFC 4180).
    Doubled,
    /// A backslash before any byte.
    Backslash,
}

impl ValueQuoting {
    /// The byte that may begin an escape.
    fn mark(self) -> Option<u8> {
        match self {
            ValueQuoting::None => None,
            ValueQuoting::Json | ValueQuoting::Backslash => Some(b'\\'),
            ValueQuoting::Doubled => Some(b'"'),
        }
    }

    /// Whether `raw` may have escapes.
    pub(super) fn is_in(self, raw: &[u8]) -> bool {
        self.mark()
            .is_some_and(|mark| memchr::memchr(mark, raw).is_some())
    }

    /// Reads the unit at the start of `raw`: returns its length, and its text with the number
    /// of bytes of it.
    fn unit(self, raw: &[u8]) -> (usize, [u8; 4], usize) {
        let one = |byte: u8, len: usize| (len, [byte, 0, 0, 0], 1);
        match (self, raw) {
            (ValueQuoting::Doubled, [b'"', b'"', ..]) => one(b'"', 2),
            (ValueQuoting::Backslash, [b'\\', b'n', ..]) => one(b'\n', 2),
            (ValueQuoting::Backslash, [b'\\', b'r', ..]) => one(b'\r', 2),
            (ValueQuoting::Backslash, [b'\\', b't', ..]) => one(b'\t', 2),
            (ValueQuoting::Backslash, [b'\\', byte, ..]) => one(*byte, 2),
            (ValueQuoting::Json, [b'\\', b'x', ..]) => one(b'\\', 1),
            (ValueQuoting::Json, [b'\\', ..]) => match escape(raw) {
                Some((char, len)) => {
                    let mut utf8 = [0; 4];
                    let written = char.encode_utf8(&mut utf8).len();
                    (len, utf8, written)
                }
                None => one(b'\\', 1),
            },
            _ => one(raw[0], 1),
        }
    }

    /// Appends `raw` without its escapes.
    pub(super) fn undo(self, raw: &[u8], out: &mut Vec<u8>) {
        let Some(mark) = self.mark() else {
            return out.extend_from_slice(raw);
        };
        let mut at = 0;
        while let Some(plain) = memchr::memchr(mark, &raw[at..]) {
            out.extend_from_slice(&raw[at..at + plain]);
            at += plain;
            let (len, text, written) = self.unit(&raw[at..]);
            out.extend_from_slice(&text[..written]);
            at += len;
        }
        out.extend_from_slice(&raw[at..]);
    }

    /// Returns the range of `raw` that a range of its text is.
    pub(super) fn raw_range(self, raw: &[u8], text: Range<usize>) -> Range<usize> {
        if !self.is_in(raw) {
            return text;
        }
        let (mut at, mut len) = (0, 0);
        let mut start = None;
        while at < raw.len() && len < text.end {
            if len >= text.start {
                start.get_or_insert(at);
            }
            let (unit, _, written) = self.unit(&raw[at..]);
            at += unit;
            len += written;
        }
        start.unwrap_or(at)..at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_around_values() {
        for (quoting, raw, wanted) in [
            (ValueQuoting::None, "a\\\"\"", "a\\\"\""),
            (
                ValueQuoting::Json,
                "\\/a\\u0026\\\\x22\\x22\\n\\",
                "/a&\\x22\\x22\n\\",
            ),
            (ValueQuoting::Doubled, "a\"\"b\"", "a\"b\""),
            (ValueQuoting::Backslash, "a\\\"b\\\\\\=\\n", "a\"b\\=\n"),
        ] {
            let mut out = Vec::new();
            quoting.undo(raw.as_bytes(), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), wanted, "{raw}");
        }
    }

    #[test]
    fn ranges_of_texts_are_found_in_the_raw_value() {
        let raw = b"a\\u0026b\\\"c";
        for (text, wanted) in [(0..1, 0..1), (1..2, 1..7), (1..4, 1..10), (4..5, 10..11)] {
            assert_eq!(
                ValueQuoting::Json.raw_range(raw, text.clone()),
                wanted,
                "{text:?}"
            );
        }
    }
}
