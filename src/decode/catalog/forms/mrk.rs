//! MARC as text, as MARCBreaker and MarcEdit write it: a field a line, `=856  40$u...`. A
//! blank line or another leader ends the record.

use super::super::format::CatalogFormat;
use super::super::record::{CatalogRecord, FIELD_MAX, RECORD_MAX, TOO_LONG, VALUES_MAX};
use super::super::text::{TextForm, TextReader};
use super::super::value::{RecordStep, push_value};
use super::directory::MALFORMED;
use super::leader::{FIELD_END, RECORD_END};
use crate::decode::record_damage::{RecordDamage, RecordFault};
use memchr::memchr;
use std::ops::Range;

/// Returns whether `line` begins a field.
fn is_field(line: &[u8]) -> bool {
    matches!(line, [b'=', tag @ ..] if tag.len() >= 5
        && tag[..3].iter().all(u8::is_ascii_alphanumeric) && tag[3] == b' ')
}

/// Whether `line` is a field with a tag of digits and two blanks, or a leader.
pub(in crate::decode::catalog) fn is_usual_field(line: &[u8]) -> bool {
    matches!(line, [b'=', a, b, c, b' ', b' ', ..]
        if [a, b, c].iter().all(|byte| byte.is_ascii_digit()) || [*a, *b, *c] == *b"LDR")
}

/// Whether an input is in this format by its first bytes; `None` when more are needed.
pub(in crate::decode::catalog) fn detect(head: &[u8], whole: bool) -> Option<bool> {
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let blanks = text
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    let text = &text[blanks..];
    let is_of_field = |(at, byte): (usize, &u8)| match at {
        0 => *byte == b'=',
        1..4 => byte.is_ascii_digit() || at < 4 && b"LDR"[at - 1] == *byte,
        _ => *byte == b' ',
    };
    let is_field = text.iter().take(6).enumerate().all(is_of_field);
    match text.len() < 6 && !whole && is_field {
        true => None,
        false => Some(is_field && text.len() >= 6),
    }
}

/// Reads this format.
#[derive(Debug, Default)]
pub(in crate::decode::catalog) struct Mrk {
    lines: RecordLines,
}

/// The lines of a record that were found so far.
#[derive(Debug, Default)]
pub(in crate::decode::catalog) struct RecordLines {
    searched: usize,
    /// The number of fields and subfields in them, or more.
    values: usize,
    /// Whether text outside of records ended within a line.
    is_in_line: bool,
}

/// The end of a record, or of a part of one.
#[derive(Clone, Copy, Debug)]
pub(in crate::decode::catalog) struct RecordEnd {
    pub end: usize,
    /// Whether another part of the record follows.
    pub is_part: bool,
}

impl RecordEnd {
    pub fn whole(end: usize) -> RecordEnd {
        RecordEnd {
            end,
            is_part: false,
        }
    }

    pub fn part(end: usize) -> RecordEnd {
        RecordEnd { end, is_part: true }
    }
}

/// The most bytes of a record that wait for the end of a field.
pub(in crate::decode::catalog) const WINDOW_MAX: usize = RECORD_MAX + FIELD_MAX;

/// An incomplete line that is longer is decided by its beginning.
const LINE_DECIDED: usize = 64;

impl RecordLines {
    /// Whether text outside of records continues within a line.
    pub fn is_in_line(&self) -> bool {
        self.is_in_line
    }

    /// Returns the length of the text at the start that is in no record: up to the line
    /// that begins one. `None` when more bytes are needed.
    pub fn outside(
        &mut self,
        bytes: &[u8],
        last: bool,
        begins: impl Fn(&[u8]) -> bool,
    ) -> Option<usize> {
        let mut from = 0;
        loop {
            let rest = &bytes[from..];
            let end = memchr(b'\n', rest);
            let line = &rest[..end.unwrap_or(rest.len())];
            // Bytes that may be between fields of PICA+ decide nothing.
            let is_mark = |byte: &&u8| matches!(**byte, b'\r' | RECORD_END | FIELD_END);
            let len = line.len() - line.iter().take_while(is_mark).count();
            let is_decided = end.is_some() || last || len > LINE_DECIDED;
            if !self.is_in_line {
                if !is_decided {
                    return (from > 0).then_some(from);
                }
                if begins(line) {
                    return Some(from);
                }
            }
            self.is_in_line = end.is_none() && !last;
            from += line.len() + usize::from(end.is_some());
            if from == bytes.len() {
                return Some(from);
            }
        }
    }

    /// Text outside of records begins within a line.
    pub fn begin_in_line(&mut self) {
        self.is_in_line = true;
    }

    /// Returns the end of the record at the start of `bytes`, or of a part of it: after a
    /// blank line, or before a line that begins another record, as the lines before it
    /// show. `signs` counts the signs of subfields in a line. `None` when more bytes are
    /// needed.
    pub fn end(
        &mut self,
        bytes: &[u8],
        last: bool,
        begins: impl Fn(&[u8], &[u8]) -> bool,
        signs: impl Fn(&[u8]) -> usize,
    ) -> Option<RecordEnd> {
        let found = self.find_end(bytes, last, begins, signs)?;
        (self.searched, self.values) = (0, 0);
        Some(found)
    }

    fn find_end(
        &mut self,
        bytes: &[u8],
        last: bool,
        begins: impl Fn(&[u8], &[u8]) -> bool,
        signs: impl Fn(&[u8]) -> usize,
    ) -> Option<RecordEnd> {
        let is_long = bytes.len() >= WINDOW_MAX;
        let bytes = &bytes[..bytes.len().min(WINDOW_MAX)];
        loop {
            let (from, rest) = (self.searched, &bytes[self.searched..]);
            let len = memchr(b'\n', rest);
            let line = &rest[..len.unwrap_or(rest.len())];
            if len.is_none() && !last && !is_long {
                return None;
            }
            if let Some(len) = len
                && line.trim_ascii().is_empty()
            {
                return Some(RecordEnd::whole(from + len + 1));
            }
            if from > 0 && begins(&bytes[..from], line) {
                return Some(RecordEnd::whole(from));
            }
            if from > RECORD_MAX || self.values >= VALUES_MAX {
                return Some(RecordEnd::part(from));
            }
            let Some(len) = len else {
                self.is_in_line = is_long;
                return Some(RecordEnd {
                    end: bytes.len(),
                    is_part: is_long,
                });
            };
            self.values += 1 + signs(line).max(1);
            self.searched += len + 1;
        }
    }
}

/// Returns the lines of `bytes`, without their ends.
pub(in crate::decode::catalog) fn lines(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(from..).filter(|rest| !rest.is_empty())?;
        let len = memchr(b'\n', rest).unwrap_or(rest.len());
        let line = &rest[..len];
        let trimmed = line.strip_suffix(b"\r").unwrap_or(line).len();
        let start = from;
        from += len + 1;
        Some(start..start + trimmed)
    })
}

/// Whether one of `lines` begins with `begin`.
pub(in crate::decode::catalog) fn has_line(lines: &[u8], begin: &[u8; 4]) -> bool {
    let [a, b, c, d] = *begin;
    lines.starts_with(begin) || memchr::memmem::find(lines, &[b'\n', a, b, c, d]).is_some()
}

/// The loss for bytes that are not characters.
pub(in crate::decode::catalog) fn malformed(place: (u64, u64)) -> RecordDamage {
    RecordDamage::of_record(RecordFault::Suspect, MALFORMED, place)
}

impl Mrk {
    /// Reads the record, or a part of one, at the start of `bytes`.
    pub fn read(
        &mut self,
        (bytes, last): (&[u8], bool),
        (number, offset): (u64, u64),
        record: &mut CatalogRecord,
        text: &mut TextReader,
    ) -> RecordStep {
        if bytes.is_empty() {
            return RecordStep::Hungry;
        }
        if self.lines.searched == 0 {
            let from = usize::from(offset == 0 && bytes.starts_with(b"\xEF\xBB\xBF")) * 3;
            let Some(len) = self.lines.outside(&bytes[from..], last, is_field) else {
                return RecordStep::Hungry;
            };
            if from + len > 0 {
                return RecordStep::Outside {
                    len: from + len,
                    is_text: true,
                };
            }
        }
        // Another control number begins a record whose leader cannot be read.
        let begins = |before: &[u8], line: &[u8]| {
            line.starts_with(b"=LDR") || line.starts_with(b"=001") && has_line(before, b"=001")
        };
        let signs = |line: &[u8]| memchr::memchr_iter(b'$', line).count();
        let found = self.lines.end(bytes, last, begins, signs);
        let Some(RecordEnd { end, is_part }) = found else {
            return RecordStep::Hungry;
        };
        record.begin(CatalogFormat::Mrk, number, offset);
        for line in lines(&bytes[..end]) {
            if is_field(&bytes[line.clone()]) && read_field(bytes, line, record, text) {
                record.damage.push(malformed((number, offset)));
            }
        }
        if is_part {
            record.lack(TOO_LONG);
        }
        record.finish(end);
        RecordStep::Record(end)
    }
}

/// Reads the field in this line. Returns whether it has invalid bytes.
fn read_field(
    bytes: &[u8],
    line: Range<usize>,
    record: &mut CatalogRecord,
    text: &mut TextReader,
) -> bool {
    let tag = line.start + 1..line.start + 4;
    let blanks = bytes[tag.end..line.end]
        .iter()
        .take(2)
        .take_while(|&&byte| byte == b' ');
    let data = tag.end + blanks.count()..line.end;
    if bytes[tag.clone()] == *b"LDR" {
        record
            .leader
            .extend(bytes[data].iter().map(|&byte| unslashed(byte)));
        return false;
    }
    let first = memchr(b'$', &bytes[data.clone()]).map(|at| data.start + at);
    let is_control = bytes[tag.clone()].starts_with(b"00");
    let Some(first) = first.filter(|_| !is_control) else {
        record.push_field(&bytes[tag], b"", b"", data.clone());
        let from = record.text.len();
        let is_lossy = push_value(bytes, (0..0, data), TextForm::Mrk, record, text);
        record.text[from..]
            .iter_mut()
            .for_each(|byte| *byte = unslashed(*byte));
        return is_lossy;
    };
    let indicator = |at: usize| match bytes.get(data.start + at) {
        Some(byte) if data.start + at < first && byte.is_ascii() => unslashed(*byte),
        _ => b' ',
    };
    let (ind1, ind2) = ([indicator(0)], [indicator(1)]);
    record.push_field(&bytes[tag], &ind1, &ind2, data.clone());
    let place = (first, data.end);
    let is_lossy = push_subfields(bytes, place, (b"$", TextForm::Mrk), record, text);
    is_lossy || !bytes[data.start..first].is_ascii()
}

/// Adds the subfields between `from`, where the first sign is, and `end`. Each begins with
/// `sign` and its code; a sign that is doubled belongs to the text. Returns whether bytes of
/// them are not valid.
pub(in crate::decode::catalog) fn push_subfields(
    bytes: &[u8],
    (from, end): (usize, usize),
    (sign, form): (&[u8], TextForm),
    record: &mut CatalogRecord,
    text: &mut TextReader,
) -> bool {
    let is_doubled = matches!(form, TextForm::Doubled(_));
    let next = |from: usize| {
        let mut at = from;
        loop {
            let found = memchr::memmem::find(&bytes[at..end], sign).map(|len| at + len)?;
            let after = &bytes[found + sign.len()..end];
            match is_doubled && after.starts_with(sign) {
                true => at = found + 2 * sign.len(),
                false => return Some(found),
            }
        }
    };
    let (mut begin, mut is_lossy) = (Some(from), false);
    while let Some(from) = begin {
        if record.is_full() {
            record.is_over = true;
            break;
        }
        let from = from + sign.len();
        begin = next(from);
        let to = begin.unwrap_or(end);
        if from < to {
            let chunk = bytes[from..to].utf8_chunks().next();
            let first = chunk.and_then(|chunk| chunk.valid().chars().next());
            let len = first.map_or(1, char::len_utf8);
            let code = match first {
                Some(_) => record.push_text(&bytes[from..from + len]),
                None => record.push_text("\u{FFFD}".as_bytes()),
            };
            is_lossy |= push_value(bytes, (code, from + len..to), form, record, text);
            is_lossy |= first.is_none();
        }
    }
    is_lossy
}

fn unslashed(byte: u8) -> u8 {
    if byte == b'\\' { b' ' } else { byte }
}
