//! Cells of tables and strings of JSON that are changed. A cell keeps its quotes, and gets
//! some where it needs them; a string of JSON is escaped as the old one is.

use super::super::format::CatalogFormat;
use super::super::forms::json_row;
use super::super::forms::table::trimmed_end;
use super::super::record::CatalogRecord;
use super::super::text::{TextForm, TextReader};
use super::refusal::RewriteRefusal;
use super::value::{ValuePlace, rewritten as rewritten_value};
use crate::decode::table;
use std::fmt::Write;

/// Returns the bytes that the cell `raw` has when its text becomes `text`.
pub(super) fn rewritten(
    texts: &mut TextReader,
    record: &CatalogRecord,
    raw: &[u8],
    text: &str,
) -> Result<Vec<u8>, RewriteRefusal> {
    if record.format == CatalogFormat::JsonLines {
        let bytes = json(raw, text)?;
        return match json_row::text(&bytes) == text.as_bytes() || is_number(&bytes) {
            true => Ok(bytes),
            false => Err(RewriteRefusal::Misread),
        };
    }
    let is_quoted = raw.starts_with(b"\"");
    let old = table::value(raw);
    let place = ValuePlace {
        form: TextForm::Utf8,
        raw: &old,
        quote: None,
        is_slashed: false,
        is_cell: true,
    };
    let new = rewritten_value(texts, place, text)?;
    let needs = |byte: &u8| matches!(byte, b'"' | b'\r' | b'\n') || *byte == record.delimiter;
    if !is_quoted && !new.iter().any(needs) {
        return Ok(new);
    }
    let mut out = vec![b'"'];
    for byte in new {
        out.push(byte);
        if byte == b'"' {
            out.push(b'"');
        }
    }
    out.push(b'"');
    Ok(out)
}

/// Whether the row `written` has as many cells as the record, and is not blank, because
/// blank rows are skipped.
pub(super) fn has_cells(record: &CatalogRecord, written: &[u8]) -> bool {
    !written.trim_ascii().is_empty()
        && table::fields(trimmed_end(written), record.delimiter).count() == record.fields.len()
}

/// Returns a string of JSON with this text, or a number in the place of one.
fn json(raw: &[u8], text: &str) -> Result<Vec<u8>, RewriteRefusal> {
    if !raw.starts_with(b"\"") && is_number(text.as_bytes()) {
        return Ok(text.as_bytes().to_vec());
    }
    // Characters that were malformed are not written anew.
    if text.contains(char::REPLACEMENT_CHARACTER) && std::str::from_utf8(raw).is_err() {
        return Err(RewriteRefusal::Unwritable(char::REPLACEMENT_CHARACTER));
    }
    let is_escaped = raw.is_ascii() && memchr::memmem::find(raw, b"\\u").is_some();
    let has_slashes = memchr::memmem::find(raw, b"\\/").is_some();
    let mut out = String::from("\"");
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '/' if has_slashes => out.push_str("\\/"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if char < ' ' || is_escaped && !char.is_ascii() => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    // Writing to a string does not fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            _ => out.push(char),
        }
    }
    out.push('"');
    Ok(out.into_bytes())
}

/// Whether `text` is a number of JSON.
fn is_number(text: &[u8]) -> bool {
    let begins = text
        .first()
        .is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-');
    // Blanks around it are not part of it.
    let ends = text.last().is_some_and(u8::is_ascii_digit);
    begins && ends && serde_json::from_slice::<serde_json::Number>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_as_the_old_ones() {
        for (raw, text, new) in [
            (&br#""a""#[..], "a/\"\u{E9}", "\"a/\\\"\u{E9}\""),
            (br#""http:\/\/a\/""#, "http://b/", r#""http:\/\/b\/""#),
            (br#""\u00e9""#, "\u{E9}\u{1F600}", r#""\u00e9\ud83d\ude00""#),
            (b"123", "124", "124"),
            (b"123", "12X", "\"12X\""),
            (b"\"123\"", "124", "\"124\""),
        ] {
            assert_eq!(json(raw, text), Ok(new.as_bytes().to_vec()));
        }
    }
}
