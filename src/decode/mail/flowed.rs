//! Texts that are written in lines: flowed text with `delsp=yes` (RFC 3676), and the folded
//! lines of calendars and cards (RFC 5545 section 3.1, RFC 6350 section 3.2).

use crate::decode::mail_note::MailNote;
use crate::decode::markup::{ConvertText, MappedText};
use crate::item::Encoding;

/// A longer line is fixed: the line behind it has to be in memory with it.
const LINE_MAX: usize = 16 << 10;

/// The most quote marks that are counted.
const QUOTES_MAX: usize = 256;

/// Joins flowed lines (T5).
#[derive(Debug, Default)]
pub(super) struct FlowedText {
    /// Inside a line that is too long.
    is_long: bool,
    /// The quote marks of the line that continues here.
    joined: Option<usize>,
}

/// Appends `bytes`, which are at `raw`, as they are.
fn copy(bytes: &[u8], raw: usize, out: &mut MappedText) {
    if !bytes.is_empty() {
        out.map.push(out.text.len(), raw as u64, Encoding::Raw);
        out.text.extend_from_slice(bytes);
    }
}

/// Returns the number of quote marks at the start of a line.
fn quotes(line: &[u8]) -> usize {
    line.iter()
        .take(QUOTES_MAX)
        .take_while(|b| **b == b'>')
        .count()
}

impl ConvertText for FlowedText {
    fn convert(
        &mut self,
        (bytes, raw): (&[u8], usize),
        last: bool,
        out: &mut MappedText,
        _: &mut Vec<MailNote>,
    ) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let Some(end) = memchr::memchr(b'\n', rest) else {
                if last || rest.len() > LINE_MAX {
                    copy(rest, raw + at, out);
                    (self.is_long, self.joined) = (!last, None);
                    return bytes.len();
                }
                break;
            };
            let next = at + end + 1;
            if std::mem::take(&mut self.is_long) || end > LINE_MAX {
                copy(&bytes[at..next], raw + at, out);
                (self.joined, at) = (None, next);
                continue;
            }
            let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
            let marks = quotes(line);
            let (depth, content) = match self.joined {
                Some(depth) => (depth, line),
                None => (marks, without_stuffing(&line[marks..])),
            };
            let is_flowed = line.ends_with(b" ") && content != b"-- ";
            let following = &bytes[next..];
            let marks = quotes(following);
            if is_flowed && marks + 1 >= following.len() && !last {
                // The depth of the next line is not known.
                break;
            }
            if is_flowed && marks == depth && !following.is_empty() {
                copy(&line[..line.len() - 1], raw + at, out);
                let rest = &following[marks..];
                at = bytes.len() - without_stuffing(rest).len();
                self.joined = Some(depth);
            } else {
                copy(&bytes[at..next], raw + at, out);
                (self.joined, at) = (None, next);
            }
        }
        at
    }
}

/// Returns a line without the blank that is stuffed before it (RFC 3676 section 4.4).
fn without_stuffing(line: &[u8]) -> &[u8] {
    line.strip_prefix(b" ").unwrap_or(line)
}

/// Joins the folded lines of calendars and cards, and undoes their escapes (T7).
#[derive(Debug, Default)]
pub(super) struct FoldedLines;

impl ConvertText for FoldedLines {
    fn convert(
        &mut self,
        (bytes, raw): (&[u8], usize),
        last: bool,
        out: &mut MappedText,
        _: &mut Vec<MailNote>,
    ) -> usize {
        let (mut at, mut from) = (0, 0);
        while let Some(next) = memchr::memchr3(b'\n', b'\r', b'\\', &bytes[at..]) {
            let next = at + next;
            let rest = &bytes[next..];
            // The bytes that are replaced, and what replaces them.
            let (len, unit): (usize, &[u8]) = match rest {
                [b'\n', b' ' | b'\t', ..] => (2, b""),
                [b'\r', b'\n', b' ' | b'\t', ..] => (3, b""),
                [b'\\', b'n' | b'N', ..] => (2, b"\n"),
                [b'\\', b',' | b';' | b'\\', ..] => (2, &rest[1..2]),
                [_] | [b'\r', b'\n'] if !last => {
                    copy(&bytes[from..next], raw + from, out);
                    return next;
                }
                _ => {
                    at = next + 1;
                    continue;
                }
            };
            copy(&bytes[from..next], raw + from, out);
            if !unit.is_empty() {
                let (place, len) = (out.text.len(), len as u32);
                out.map.push_unit(place, (raw + next) as u64, 1, len);
                out.text.extend_from_slice(unit);
            }
            at = next + len;
            from = at;
        }
        copy(&bytes[from..], raw + from, out);
        bytes.len()
    }
}
