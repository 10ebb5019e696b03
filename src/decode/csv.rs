//! The syntax of tables (RFC 4180): where records and fields begin and end, and what a
//! quoted field says. Which field is wanted is left to the caller.

use std::ops::Range;

/// The separators that are detected, the most usual first.
pub(in crate::decode) const DELIMITERS: &[u8] = b",;\t|";

/// The delimiter is detected from that many records.
pub(in crate::decode) const JUDGED: usize = 4;

/// The delimiter of a table of one column, where none was set and the header has none:
/// the values may contain commas. No text contains NUL.
pub(in crate::decode) const NO_DELIMITER: u8 = 0;

/// The records that decide are searched for in that many bytes.
pub(in crate::decode) const JUDGED_BYTES: usize = 64 << 10;

/// Returns the length of the blank lines at the start of `text`, complete ones only.
pub(in crate::decode) fn blank_lines(text: &[u8]) -> usize {
    let content = text
        .iter()
        .position(|b| !b.is_ascii_whitespace())
        .unwrap_or(text.len());
    memchr::memrchr(b'\n', &text[..content]).map_or(0, |at| at + 1)
}

/// Returns `text` without the blanks and line breaks around it.
pub(in crate::decode) fn trimmed(text: &[u8]) -> &[u8] {
    let blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n');
    let from = text.iter().position(|b| !blank(b)).unwrap_or(text.len());
    let to = text
        .iter()
        .rposition(|b| !blank(b))
        .map_or(from, |at| at + 1);
    &text[from..to]
}

/// Returns the length of the CSV record at the start of `text`: up to the first line
/// feed outside of quoted fields. A quote inside an unquoted field is text.
pub(in crate::decode) fn csv_len(text: &[u8], delimiter: u8) -> Option<usize> {
    let mut starts_field = true;
    let mut quoted = false;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'"' if quoted => quoted = false,
            // Also for the second of two quotes, which encode one.
            b'"' if starts_field || text[at - 1] == b'"' => quoted = true,
            b'\n' if !quoted => return Some(at + 1),
            _ => {}
        }
        starts_field = !quoted && byte == delimiter;
    }
    None
}

/// Returns the ranges of the fields of a CSV record, as they are written.
pub(in crate::decode) fn csv_places(
    record: &[u8],
    delimiter: u8,
) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut rest = Some(0);
    std::iter::from_fn(move || {
        let start = rest?;
        let mut quoted = record.get(start) == Some(&b'"');
        let mut at = start + usize::from(quoted);
        while let Some(&byte) = record.get(at)
            && (quoted || byte != delimiter)
        {
            // Two quotes encode one: the second reopens the field that the first
            // closed.
            quoted ^= byte == b'"' && record[start] == b'"';
            at += 1;
        }
        rest = (at < record.len()).then_some(at + 1);
        Some(start..at)
    })
}

/// Returns the fields of a CSV record, unquoted.
pub(in crate::decode) fn csv_fields(
    record: &[u8],
    delimiter: u8,
) -> impl Iterator<Item = Vec<u8>> + '_ {
    let mut reader = csv_core::ReaderBuilder::new()
        .delimiter(delimiter)
        .terminator(csv_core::Terminator::Any(b'\n'))
        .build();
    let mut rest = record;
    let mut ended = false;
    std::iter::from_fn(move || {
        if ended {
            return None;
        }
        let mut field = vec![0; rest.len() + 1];
        let mut len = 0;
        loop {
            let (result, read, written) = reader.read_field(rest, &mut field[len..]);
            rest = &rest[read..];
            len += written;
            match result {
                csv_core::ReadFieldResult::InputEmpty => {}
                csv_core::ReadFieldResult::OutputFull => field.resize(field.len() * 2, 0),
                csv_core::ReadFieldResult::Field { record_end } => {
                    ended = record_end;
                    field.truncate(len);
                    return Some(field);
                }
                csv_core::ReadFieldResult::End => return None,
            }
        }
    })
}
