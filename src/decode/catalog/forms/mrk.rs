//! MARC as text, as MARCBreaker and MarcEdit write it: a field a line, `=856  40$u...`. A
//! blank line or another leader ends the record.

use super::super::format::CatalogFormat;
use super::super::record::{CatalogRecord, TOO_LONG};
use super::super::text::{TextForm, TextReader};
use super::super::value::{RecordStep, push_value};
use super::lines::{RecordEnd, RecordLines, has_line, lines, malformed, no_field, push_subfields};
use memchr::memchr;
use std::ops::Range;

/// Returns whether `line` begins a field.
fn is_field(line: &[u8]) -> bool {
    matches!(line, [b'=', tag @ ..] if tag.len() >= 5
        && tag[..3].iter().all(u8::is_ascii_alphanumeric) && tag[3] == b' ')
}

/// Whether `line` is neither a field nor blank nor a comment.
fn is_other(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    !is_field(line) && !text.is_empty() && !text.starts_with(b"#")
}

/// Whether `line` would be a field if one of its first bytes were right.
fn is_nearly_field(line: &[u8]) -> bool {
    let is_of_field = |(at, byte): (usize, &u8)| match at {
        0 => *byte == b'=',
        1..4 => byte.is_ascii_alphanumeric(),
        _ => *byte == b' ',
    };
    let right = line.iter().take(6).enumerate();
    right.filter(|of| is_of_field(*of)).count() >= 5 || line.starts_with(b"=")
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
            return self.lines.end_of_input((number, offset), last);
        }
        if self.lines.is_at_start() {
            let from = usize::from(offset == 0 && bytes.starts_with(b"\xEF\xBB\xBF")) * 3;
            // Text around records is not part of the catalogue.
            let is_stray = |line: &[u8]| is_other(line) && is_nearly_field(line);
            let len = self.lines.outside(&bytes[from..], last, is_field, is_stray);
            let Some(len) = len else {
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
        let place = (number, offset);
        record.begin(CatalogFormat::Mrk, number, offset);
        record.damage.extend(self.lines.stray(place));
        for line in lines(&bytes[..end]) {
            let text_of_line = &bytes[line.clone()];
            if is_other(text_of_line) {
                record.damage.push(no_field(place));
            } else if is_field(text_of_line) && read_field(bytes, line, record, text) {
                record.damage.push(malformed(place));
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

fn unslashed(byte: u8) -> u8 {
    if byte == b'\\' { b' ' } else { byte }
}
