//! Quoted-printable (RFC 2045 section 6.7). A `=` that encodes nothing stays (T1).

use crate::decode::mail_note::MailNote;
use crate::decode::markup::{ConvertText, MappedText};
use crate::item::{Encoding, OffsetMap};
use crate::syntax::{QuotedUnit, quoted_blanks, quoted_settled};
use std::ops::Range;

/// A text without encodings of at least this length is not copied.
const PLAIN_MIN: usize = 512;

/// Decodes quoted-printable.
#[derive(Debug, Default)]
pub(super) struct QuotedPrintable;

impl ConvertText for QuotedPrintable {
    fn convert(
        &mut self,
        (bytes, raw): (&[u8], usize),
        last: bool,
        MappedText { text, map }: &mut MappedText,
        _: &mut Vec<MailNote>,
    ) -> usize {
        let mut at = 0;
        // The start of the bytes that are not copied yet.
        let mut from = 0;
        let copy = |range: Range<usize>, text: &mut Vec<u8>, map: &mut OffsetMap| {
            if !range.is_empty() {
                map.push(text.len(), (raw + range.start) as u64, Encoding::Raw);
                text.extend_from_slice(&bytes[range]);
            }
        };
        while let Some(next) = memchr::memchr2(b'=', b'\n', &bytes[at..]) {
            let next = at + next;
            if bytes[next] == b'\n' {
                let line = &bytes[from..next];
                let is_crlf = line.ends_with(b"\r");
                let end = next - usize::from(is_crlf);
                let blanks = quoted_blanks(&bytes[from..end]);
                if blanks > 0 {
                    copy(from..end - blanks, text, map);
                    from = end;
                }
                at = next + 1;
                continue;
            }
            match QuotedUnit::of(&bytes[next + 1..], last) {
                QuotedUnit::Byte(byte) => {
                    copy(from..next, text, map);
                    map.push_unit(text.len(), (raw + next) as u64, 1, 3);
                    text.push(byte);
                    from = next + 3;
                    at = from;
                }
                QuotedUnit::Nothing(len) => {
                    copy(from..next, text, map);
                    from = next + 1 + len;
                    at = from;
                }
                QuotedUnit::Plain => at = next + 1,
                QuotedUnit::Open => {
                    copy(from..next, text, map);
                    return next;
                }
            }
        }
        let rest = &bytes[from..];
        let end = match last {
            // The end of a part is the end of its line.
            true => from + rest.len() - quoted_blanks(rest),
            false => from + quoted_settled(rest),
        };
        copy(from..end, text, map);
        if last { bytes.len() } else { end }
    }

    fn plain(&mut self, bytes: &[u8], _: bool) -> usize {
        let end = memchr::memchr(b'=', bytes).unwrap_or(bytes.len());
        if end < PLAIN_MIN {
            return 0;
        }
        let is_removed = |&at: &usize| {
            let line = &bytes[..at];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            matches!(line.last(), Some(b' ' | b'\t'))
        };
        let first = memchr::memchr_iter(b'\n', &bytes[..end]).find(is_removed);
        let line = first.unwrap_or(end);
        quoted_settled(&bytes[..line])
    }
}
