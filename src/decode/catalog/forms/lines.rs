//! Records that are written as lines: their ends, their lines, and the subfields of a field
//! between signs. MARC as text and PICA+ are such.

use super::super::record::{CatalogRecord, FIELD_MAX, RECORD_MAX, VALUES_MAX};
use super::super::text::{TextForm, TextReader};
use super::super::value::{RecordStep, push_code, push_value};
use super::directory::MALFORMED;
use super::leader::{FIELD_END, RECORD_END};
use crate::decode::record_damage::{RecordDamage, RecordFault};
use memchr::{memchr, memchr2};
use std::ops::Range;

/// The lines of a record that were found so far.
#[derive(Debug, Default)]
pub(super) struct RecordLines {
    searched: usize,
    /// The number of fields and subfields in them, or more.
    values: usize,
    /// Whether text outside of records ended within a line.
    is_in_line: bool,
    /// Whether that text has a line that was probably a field.
    has_stray: bool,
}

/// The end of a record, or of a part of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordEnd {
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

const NO_FIELD: &str = "a line that is no field is not read";

/// The most bytes of a record that wait for the end of a field.
pub(super) const WINDOW_MAX: usize = RECORD_MAX + FIELD_MAX;

/// An incomplete line that is longer is decided by its beginning.
const LINE_DECIDED: usize = 64;

impl RecordLines {
    /// Whether no line of a record was found yet.
    pub fn is_at_start(&self) -> bool {
        self.searched == 0
    }

    /// Whether text outside of records continues within a line.
    pub fn is_in_line(&self) -> bool {
        self.is_in_line
    }

    /// Returns the length of the text at the start that is in no record: up to the line
    /// that begins one. A line ends with a line feed, or with the end of a record. Notes a line
    /// that `is_stray`. `None` when more bytes are needed.
    pub fn outside(
        &mut self,
        bytes: &[u8],
        last: bool,
        begins: impl Fn(&[u8]) -> bool,
        is_stray: impl Fn(&[u8]) -> bool,
    ) -> Option<usize> {
        let mut from = 0;
        loop {
            let rest = &bytes[from..];
            let end = memchr2(b'\n', RECORD_END, rest);
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
                self.has_stray |= is_stray(line);
            }
            self.is_in_line = end.is_none() && !last;
            from += line.len() + usize::from(end.is_some());
            if from == bytes.len() {
                return Some(from);
            }
        }
    }

    /// Returns the damage for lines outside of records that were noted since the last call. It
    /// belongs to the record behind them, or to none at the end.
    pub fn stray(&mut self, place: (u64, u64)) -> Option<RecordDamage> {
        std::mem::take(&mut self.has_stray).then(|| no_field(place))
    }

    /// Returns the step where no bytes are left: stray lines before the end of the input are
    /// a loss.
    pub fn end_of_input(&mut self, place: (u64, u64), last: bool) -> RecordStep {
        let stray = if last { self.stray(place) } else { None };
        stray.map_or(RecordStep::Hungry, |damage| RecordStep::Lost(0, damage))
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
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
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
pub(super) fn has_line(lines: &[u8], begin: &[u8; 4]) -> bool {
    let [a, b, c, d] = *begin;
    lines.starts_with(begin) || memchr::memmem::find(lines, &[b'\n', a, b, c, d]).is_some()
}

/// The loss for a line of a record that is no field.
pub(super) fn no_field(place: (u64, u64)) -> RecordDamage {
    RecordDamage::of_record(RecordFault::Damaged, NO_FIELD, place)
}

/// The loss for bytes that are not characters.
pub(super) fn malformed(place: (u64, u64)) -> RecordDamage {
    RecordDamage::of_record(RecordFault::Suspect, MALFORMED, place)
}

/// Adds the subfields between `from`, where the first sign is, and `end`. Each begins with
/// `sign` and its code; a sign that is doubled belongs to the text. Returns whether bytes of
/// them are not valid.
pub(super) fn push_subfields(
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
            let (code, len, is_valid) = push_code(&bytes[from..to], record);
            is_lossy |= push_value(bytes, (code, from + len..to), form, record, text);
            is_lossy |= !is_valid;
        }
    }
    is_lossy
}
