//! What was changed, as rows of a table and as text.

use super::fixer::FixedValue;
use std::io::Write;

/// The columns of the log of changes.
///
/// ```
/// use urisieve::catalog::fix::FIX_LOG_COLUMNS;
/// assert_eq!(FIX_LOG_COLUMNS[8], "code");
/// ```
pub const FIX_LOG_COLUMNS: [&str; 10] = [
    "file",
    "record_no",
    "record_id",
    "tag",
    "occurrence",
    "subfield",
    "before",
    "after",
    "code",
    "refused",
];

/// Writes the header of the log.
///
/// ```
/// let mut out = Vec::new();
/// urisieve::catalog::fix::push_log_header(&mut out);
/// assert!(out.starts_with(b"file,record_no,record_id,tag,"));
/// ```
pub fn push_log_header(out: &mut Vec<u8>) {
    push_row(FIX_LOG_COLUMNS.iter().map(|name| name.as_bytes()), out);
}

/// Writes the row of a value that was changed or not, as CSV (RFC 4180) with a line feed at
/// the end.
///
/// ```
/// use urisieve::catalog::fix::{FixedValue, push_log_row};
/// let mut value = FixedValue::default();
/// (value.record, value.before, value.after) = (2, "a,b".to_owned(), "c".to_owned());
/// let mut out = Vec::new();
/// push_log_row(&value, b"a.mrc", &mut out);
/// assert_eq!(out, b"a.mrc,2,,,,,\"a,b\",c,,\n");
/// ```
pub fn push_log_row(value: &FixedValue, file: &[u8], out: &mut Vec<u8>) {
    let record = value.record.to_string();
    let occurrence = match value.occurrence {
        0 => String::new(),
        number => number.to_string(),
    };
    let cells: [&[u8]; 10] = [
        file,
        record.as_bytes(),
        &value.record_id,
        &value.tag,
        occurrence.as_bytes(),
        &value.subfield,
        value.before.as_bytes(),
        value.after.as_bytes(),
        value.codes.as_bytes(),
        value.refused.as_bytes(),
    ];
    push_row(cells.into_iter(), out);
}

fn push_row<'c>(cells: impl Iterator<Item = &'c [u8]>, out: &mut Vec<u8>) {
    for (number, cell) in cells.enumerate() {
        if number > 0 {
            out.push(b',');
        }
        match cell.iter().any(|byte| b",\"\r\n".contains(byte)) {
            false => out.extend_from_slice(cell),
            true => {
                out.push(b'"');
                for &byte in cell {
                    out.push(byte);
                    if byte == b'"' {
                        out.push(b'"');
                    }
                }
                out.push(b'"');
            }
        }
    }
    out.push(b'\n');
}

/// Writes a value that changes as a part of a diff: its place, the old text, the new one.
///
/// ```
/// use urisieve::catalog::fix::{FixedValue, push_difference};
/// let mut value = FixedValue::default();
/// (value.record, value.before, value.after) = (2, "a b".to_owned(), "a%20b".to_owned());
/// let mut out = Vec::new();
/// push_difference(&value, &mut out);
/// assert_eq!(out, b"@@ record 2 @@\n-a b\n+a%20b\n");
/// ```
pub fn push_difference(value: &FixedValue, out: &mut Vec<u8>) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut place = format!("record {}", value.record);
    if !value.record_id.is_empty() {
        place += &format!(" ({})", text(&value.record_id));
    }
    if !value.tag.is_empty() {
        place += &format!(": {} #{}", text(&value.tag), value.occurrence);
    }
    if !value.subfield.is_empty() {
        place += &format!(" ${}", text(&value.subfield));
    }
    for part in [&value.codes, &value.refused] {
        if !part.is_empty() {
            place += &format!(", {part}");
        }
    }
    // Writing to memory does not fail.
    let _ = writeln!(out, "@@ {} @@", one_line(&place));
    let _ = writeln!(out, "-{}", one_line(&value.before));
    if value.refused.is_empty() {
        let _ = writeln!(out, "+{}", one_line(&value.after));
    }
}

/// Returns `text` with its control characters escaped.
fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char.is_control() {
            true => out.extend(char.escape_default()),
            false => out.push(char),
        }
    }
    out
}
