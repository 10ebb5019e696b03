//! PICA+ in four forms: plain (a field a line), normalized (fields end in 1E, records in a
//! line feed), binary (records end in 1D) and import (1D and a line feed begin a record,
//! 1E a field). The number of a record may precede its first field.

use super::super::format::CatalogFormat;
use super::super::record::{CatalogRecord, RECORD_MAX, TOO_LONG, VALUES_MAX};
use super::super::text::{TextForm, TextReader};
use super::super::value::RecordStep;
use super::leader::{FIELD_END, RECORD_END, SUBFIELD};
use super::lines::{
    RecordEnd, RecordLines, WINDOW_MAX, has_line, lines, malformed, no_field, push_subfields,
};
use std::ops::Range;

/// The number of bytes that decide whether a field begins.
const DECIDED: usize = 11;
/// The most bytes of the number before the first field, with the blanks around it.
const HEADER_MAX: usize = 64;
/// U+0192, which begins a subfield in some plain texts.
const HOOK: &[u8] = "\u{192}".as_bytes();

/// The beginning of a field: its tag, its occurrence, and where its subfields begin.
struct FieldStart {
    tag: Range<usize>,
    occurrence: Range<usize>,
    data: usize,
    sign: &'static [u8],
}

impl FieldStart {
    /// Reads the beginning of a field, `ddd[A-Z@](/dd)? ` and the sign of a subfield.
    fn of(bytes: &[u8]) -> Option<FieldStart> {
        let tag = bytes.get(..4)?;
        let is_tag = tag[..3].iter().all(u8::is_ascii_digit)
            && (tag[3] == b'@' || tag[3].is_ascii_uppercase());
        if !is_tag {
            return None;
        }
        let mut at = 4;
        let mut occurrence = at..at;
        if bytes.get(at) == Some(&b'/') {
            let digits = bytes[at + 1..]
                .iter()
                .take(3)
                .take_while(|byte| byte.is_ascii_digit());
            occurrence = at + 1..at + 1 + digits.count();
            at = occurrence.end;
        }
        let data = at + usize::from(bytes.get(at) == Some(&b' '));
        let signs: [&[u8]; 3] = [&[SUBFIELD], b"$", HOOK];
        let mut signs = signs.into_iter();
        let sign = signs.find(|sign| bytes[data..].starts_with(sign))?;
        Some(FieldStart {
            tag: 0..4,
            occurrence,
            data,
            sign,
        })
    }
}

/// Returns the length of the number of a record at the start of `bytes` (`104131838   `), which
/// ends in 1E and precedes a field; 0 without one. `None` when more bytes are needed.
fn header_len(bytes: &[u8], whole: bool) -> Option<usize> {
    let len = bytes
        .iter()
        .take(HEADER_MAX)
        .take_while(|byte| is_of_number(byte))
        .count();
    let rest = &bytes[len..];
    match rest {
        _ if len == 0 => Some(0),
        [] => whole.then_some(0),
        [FIELD_END, field @ ..] if field.len() >= DECIDED || whole => {
            Some(if FieldStart::of(field).is_some() {
                len
            } else {
                0
            })
        }
        [FIELD_END, ..] => None,
        _ => Some(0),
    }
}

/// Whether `byte` may be in the number of a record before its first field.
fn is_of_number(byte: &u8) -> bool {
    matches!(*byte, b'0'..=b'9' | b'X' | b' ')
}

/// Returns the sign of subfields in `line`, if it begins a field.
pub(in crate::decode::catalog) fn sign(line: &[u8]) -> Option<&'static [u8]> {
    FieldStart::of(line).map(|start| start.sign)
}

/// Whether an input is PICA+ by its first bytes; `None` when more are needed.
pub(in crate::decode::catalog) fn detect(head: &[u8], whole: bool) -> Option<bool> {
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let is_before = |byte: &&u8| matches!(**byte, b'\r' | b'\n' | RECORD_END | FIELD_END);
    let text = &text[text.iter().take_while(is_before).count()..];
    if header_len(text, whole)? > 0 {
        return Some(true);
    }
    let is_of_tag = |(at, byte): (usize, &u8)| match at {
        0..3 => byte.is_ascii_digit(),
        _ => *byte == b'@' || byte.is_ascii_uppercase(),
    };
    if !text.iter().take(4).enumerate().all(is_of_tag) {
        return Some(false);
    }
    match text.len() < DECIDED && !whole {
        true => None,
        false => Some(FieldStart::of(text).is_some()),
    }
}

/// The forms of PICA+.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PicaForm {
    Plain,
    /// Normalized or binary.
    Normalized,
    Import,
}

/// Reads PICA+.
#[derive(Debug, Default)]
pub(in crate::decode::catalog) struct Pica {
    lines: RecordLines,
    /// The form of the record that is being read.
    form: Option<PicaForm>,
    searched: usize,
    /// The offset of the last field, and the number of fields and subfields before it.
    field: usize,
    values: usize,
}

impl Pica {
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
        let form = match self.form {
            Some(form) => form,
            None => match begin(bytes, last, offset, &mut self.lines) {
                Ok(form) => form,
                Err(step) => return step,
            },
        };
        self.form = Some(form);
        let end = match form {
            PicaForm::Plain => self.lines.end(bytes, last, begins_another, signs),
            _ => self.end(form, bytes, last),
        };
        let Some(RecordEnd { end, is_part }) = end else {
            return RecordStep::Hungry;
        };
        self.form = None;
        (self.searched, self.field, self.values) = (0, 0, 0);
        let place = (number, offset);
        record.begin(CatalogFormat::Pica, number, offset);
        record.damage.extend(self.lines.stray(place));
        let mut push = |range: Range<usize>, is_first: bool| {
            let field = &bytes[range.clone()];
            match read_field(bytes, range, record, text) {
                Some(false) => {}
                Some(true) => record.damage.push(malformed(place)),
                None if field.trim_ascii().is_empty() => {}
                // The number before the first field.
                None if is_first && field.iter().all(is_of_number) => {}
                None => record.damage.push(no_field(place)),
            }
        };
        match form {
            PicaForm::Plain => lines(&bytes[..end]).for_each(|line| push(line, false)),
            _ => {
                let mut from = 0;
                for field in bytes[..end].split(|byte| is_between(*byte)) {
                    push(from..from + field.len(), from == 0);
                    from += field.len() + 1;
                }
            }
        }
        if is_part {
            record.lack(TOO_LONG);
        }
        record.finish(end);
        RecordStep::Record(end)
    }

    /// Returns the end of a record in another form than plain, or of a part of it.
    fn end(&mut self, form: PicaForm, bytes: &[u8], last: bool) -> Option<RecordEnd> {
        let is_import = form == PicaForm::Import;
        let is_long = bytes.len() >= WINDOW_MAX;
        let bytes = &bytes[..bytes.len().min(WINDOW_MAX)];
        if self.searched == 0 && is_import {
            // The bytes before the first field.
            self.searched = bytes.iter().take_while(|&&byte| is_between(byte)).count();
        }
        let from = self.searched.min(bytes.len());
        for at in memchr::memchr3_iter(b'\n', RECORD_END, FIELD_END, &bytes[from..]) {
            let (at, byte) = (from + at, bytes[from + at]);
            let cut = at + usize::from(!is_import);
            match byte {
                b'\n' if is_import => continue,
                b'\n' | RECORD_END => return Some(RecordEnd::whole(cut)),
                _ => {}
            }
            let field = &bytes[self.field.min(at)..at];
            self.values += 1 + memchr::memchr_iter(SUBFIELD, field).count();
            self.field = at + 1;
            if cut > RECORD_MAX || self.values >= VALUES_MAX {
                return Some(RecordEnd::part(cut));
            }
        }
        self.searched = bytes.len();
        if is_long {
            self.lines.begin_in_line();
        }
        (last || is_long).then_some(RecordEnd {
            end: bytes.len(),
            is_part: is_long,
        })
    }
}

/// Returns the form of the record at the start of `bytes`, or the step for bytes before
/// it.
fn begin(
    bytes: &[u8],
    last: bool,
    offset: u64,
    text: &mut RecordLines,
) -> Result<PicaForm, RecordStep> {
    let skip = |len| {
        Err(RecordStep::Outside {
            len,
            is_text: false,
        })
    };
    let count = |is_it: fn(u8) -> bool| bytes.iter().take_while(|&&byte| is_it(byte)).count();
    if offset == 0 && bytes.starts_with(b"\xEF\xBB\xBF") {
        return skip(3);
    }
    if !text.is_in_line() {
        let breaks = count(|byte| matches!(byte, b'\r' | b'\n'));
        if breaks > 0 {
            return skip(breaks);
        }
        let between = count(is_between);
        if between == bytes.len() && (last || between > RECORD_MAX) {
            return skip(between);
        }
        let rest = &bytes[between..];
        if rest.len() < DECIDED && !last {
            return Err(RecordStep::Hungry);
        }
        match header_len(rest, last) {
            None => return Err(RecordStep::Hungry),
            Some(0) => {}
            Some(_) if between > 0 => return skip(between),
            Some(_) => return Ok(PicaForm::Normalized),
        }
        match FieldStart::of(rest) {
            // 1E begins its fields.
            Some(_) if bytes[..between].ends_with(&[FIELD_END]) => return Ok(PicaForm::Import),
            Some(_) if between > 0 => return skip(between),
            Some(field) if field.sign == [SUBFIELD] => return Ok(PicaForm::Normalized),
            Some(_) => return Ok(PicaForm::Plain),
            None => {}
        }
    }
    match text.outside(bytes, last, begins, is_nearly_field) {
        Some(len) if len > 0 => Err(RecordStep::Outside { len, is_text: true }),
        _ => Err(RecordStep::Hungry),
    }
}

/// The number of signs of subfields in a line, or more.
fn signs(line: &[u8]) -> usize {
    memchr::memchr2_iter(b'$', HOOK[0], line).count()
}

/// Whether `line` begins a field of any form.
fn begins(line: &[u8]) -> bool {
    let between = line.iter().take_while(|&&byte| is_between(byte)).count();
    let line = &line[between..];
    FieldStart::of(line).is_some() || header_len(line, true).is_some_and(|len| len > 0)
}

/// Whether `line` is no field, but has the sign of a subfield where a field has its first one, or
/// bytes that no text has.
fn is_nearly_field(line: &[u8]) -> bool {
    let begin = &line[..line.len().min(DECIDED)];
    let digits = begin.iter().take(4).filter(|byte| byte.is_ascii_digit());
    let has_sign = begin.iter().skip(4).any(|byte| *byte == b'$');
    has_sign && digits.count() > 1 || memchr::memchr2(FIELD_END, SUBFIELD, begin).is_some()
}

/// Whether `line` begins another record than the one of the lines `before`, where the blank
/// line between them cannot be read: fields are in the order of their tags, and a record has
/// one identifier.
fn begins_another(before: &[u8], line: &[u8]) -> bool {
    const ID: &[u8; 4] = b"003@";
    let Some(tag) = line.first_chunk::<4>() else {
        return false;
    };
    if !tag.starts_with(b"00") || FieldStart::of(line).is_none() {
        return false;
    }
    let body = before.strip_suffix(b"\n").unwrap_or(before);
    let last = memchr::memrchr(b'\n', body).map_or(0, |at| at + 1);
    let is_first = before.starts_with(tag) && !body[last..].starts_with(tag);
    is_first || tag == ID && has_line(before, ID)
}

/// Whether `byte` is between fields or records of forms that are not plain.
fn is_between(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n' | RECORD_END | FIELD_END)
}

/// Reads the field at `range`. Returns whether it has invalid bytes; `None` if it is no field.
fn read_field(
    bytes: &[u8],
    range: Range<usize>,
    record: &mut CatalogRecord,
    text: &mut TextReader,
) -> Option<bool> {
    let field = &bytes[range.clone()];
    let start = FieldStart::of(field)?;
    let form = match start.sign {
        b"$" => TextForm::Doubled(b'$'),
        _ => TextForm::Utf8,
    };
    let data = range.start + start.data;
    record.push_field(
        &field[start.tag],
        &field[start.occurrence],
        b"",
        data..range.end,
    );
    let place = (data, range.end);
    Some(push_subfields(
        bytes,
        place,
        (start.sign, form),
        record,
        text,
    ))
}
