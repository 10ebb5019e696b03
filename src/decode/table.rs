//! The syntax of tables (RFC 4180): the ends of records and fields, and the values of quoted
//! fields. The choice of a field is left to the caller.

use std::borrow::Cow;
use std::ops::Range;

/// The separators that are detected, the most usual first.
pub(in crate::decode) const DELIMITERS: &[u8] = b",;\t|";

/// The number of records from which the delimiter is detected.
pub(in crate::decode) const JUDGED: usize = 4;

/// The delimiter of a table of one column, if no delimiter was set and the header has
/// none: the values may contain commas. No text contains NUL.
pub(in crate::decode) const NO_DELIMITER: u8 = 0;

/// The number of bytes in which the deciding records are searched for.
pub(in crate::decode) const JUDGED_BYTES: usize = 64 << 10;

/// A column of a table.
///
/// ```
/// use urisieve::decode::TableColumn;
/// assert_eq!(TableColumn::parse("2"), TableColumn::Number(1));
/// assert_eq!(TableColumn::parse("id").to_string(), "column \"id\"");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableColumn {
    /// By its number, from 0.
    Number(usize),
    /// By its name in the header; in JSON the path of names, with `/` between them.
    Name(String),
}

impl TableColumn {
    /// Reads a number from 1, or a name.
    ///
    /// ```
    /// use urisieve::decode::TableColumn;
    /// assert_eq!(TableColumn::parse("0"), TableColumn::Name("0".into()));
    /// ```
    pub fn parse(text: &str) -> TableColumn {
        match text.parse::<usize>() {
            Ok(number @ 1..) => TableColumn::Number(number - 1),
            _ => TableColumn::Name(text.to_owned()),
        }
    }
}

impl std::fmt::Display for TableColumn {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            TableColumn::Number(number) => write!(f, "column {}", number.saturating_add(1)),
            TableColumn::Name(name) => write!(f, "column {name:?}"),
        }
    }
}

/// Returns the length of the complete blank lines at the start of `text`.
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

/// Returns the length of the record at the start of `text`: up to the first line feed
/// outside of quoted fields; `None` if the record has no end.
pub(in crate::decode) fn record_len(text: &[u8], delimiter: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        at = quotes_end(text, at)?;
        at += memchr::memchr2(delimiter, b'\n', &text[at..])? + 1;
        if text[at - 1] == b'\n' {
            return Some(at);
        }
    }
}

/// Returns the ranges of the fields of a record, as written.
pub(in crate::decode) fn fields(
    record: &[u8],
    delimiter: u8,
) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut rest = Some(0);
    std::iter::from_fn(move || {
        let start = rest?;
        let unquoted = quotes_end(record, start).unwrap_or(record.len());
        let len = memchr::memchr(delimiter, &record[unquoted..]);
        rest = len.map(|len| unquoted + len + 1);
        Some(start..len.map_or(record.len(), |len| unquoted + len))
    })
}

/// Returns the position after the quotes of the field that begins at `start`, or `start` if
/// it is not quoted. A quote elsewhere is a character. `None` if the quotes have no end.
pub(in crate::decode) fn quotes_end(text: &[u8], start: usize) -> Option<usize> {
    if text.get(start) != Some(&b'"') {
        return Some(start);
    }
    let mut at = start + 1;
    loop {
        at += memchr::memchr(b'"', &text[at..])? + 1;
        match text.get(at) {
            // Two quotes are one.
            Some(b'"') => at += 1,
            _ => return Some(at),
        }
    }
}

/// Returns the value of a field: without its quotes, inside of which two quotes mean one.
/// Bytes after the closing quote are kept.
pub(in crate::decode) fn value(field: &[u8]) -> Cow<'_, [u8]> {
    let Some(mut rest) = field.strip_prefix(b"\"") else {
        return Cow::Borrowed(field);
    };
    let mut value = Cow::Borrowed(&b""[..]);
    while let Some(at) = memchr::memchr(b'"', rest) {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        let is_end = after.first() != Some(&b'"');
        let piece = if is_end { before } else { &rest[..at + 1] };
        rest = if is_end { after } else { &after[1..] };
        append(&mut value, piece);
        if is_end {
            break;
        }
    }
    append(&mut value, rest);
    value
}

/// Appends a piece. A single piece is not copied.
fn append<'f>(value: &mut Cow<'f, [u8]>, piece: &'f [u8]) {
    match value.is_empty() {
        true => *value = Cow::Borrowed(piece),
        false if piece.is_empty() => {}
        false => value.to_mut().extend_from_slice(piece),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The fields of the record at the start of `text` and its length, read byte by byte.
    fn slow(text: &[u8]) -> (Vec<Vec<u8>>, Option<usize>) {
        #[derive(PartialEq)]
        enum At {
            Start,
            Plain,
            Quoted,
            /// After a quote that ends the quoted part, or is the first of two.
            Quote,
        }
        let (mut fields, mut at) = (vec![Vec::new()], At::Start);
        for (position, &byte) in text.iter().enumerate() {
            let is_outside = at != At::Quoted;
            at = match byte {
                b'\n' if is_outside => return (fields, Some(position + 1)),
                b',' if is_outside => {
                    fields.push(Vec::new());
                    At::Start
                }
                b'"' if at == At::Start => At::Quoted,
                b'"' if at == At::Quoted => At::Quote,
                _ => {
                    fields.last_mut().unwrap().push(byte);
                    match at {
                        At::Quoted => At::Quoted,
                        At::Quote if byte == b'"' => At::Quoted,
                        _ => At::Plain,
                    }
                }
            };
        }
        (fields, None)
    }

    proptest! {
        /// Records and fields are those of a reader of single bytes.
        #[test]
        fn fields_are_those_of_a_slow_reader(text in "[a,\"\n ]{0,40}") {
            let text = text.as_bytes();
            let (wanted, len) = slow(text);
            prop_assert_eq!(record_len(text, b','), len);
            let record = &text[..len.map_or(text.len(), |len| len - 1)];
            let read = fields(record, b',').map(|field| value(&record[field]).into_owned());
            prop_assert_eq!(read.collect::<Vec<_>>(), wanted);
        }
    }

    /// A field is copied only if quotes are inside of it.
    #[test]
    fn fields_are_borrowed() {
        for (field, is_borrowed) in [
            ("a", true),
            ("\"a,\n\"", true),
            ("\"a", true),
            ("\"a\"\n", false),
            ("\"a\"\"b\"", false),
        ] {
            let is_read = matches!(value(field.as_bytes()), Cow::Borrowed(_));
            assert_eq!(is_read, is_borrowed, "{field}");
        }
    }
}
