//! The changes, as the text of a diff.

use super::fixed::FixedValue;

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
    let mut line = |line: String| out.extend_from_slice(line.as_bytes());
    line(format!("@@ {} @@\n", one_line(&place)));
    line(format!("-{}\n", one_line(&value.before)));
    if value.refused.is_empty() {
        line(format!("+{}\n", one_line(&value.after)));
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
