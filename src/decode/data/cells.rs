//! The cells of a table (C2, C8): where each ends, and its text. A cell may be in a window that
//! does not reach its end.

use crate::decode::table;
use crate::item::{Encoding, OffsetMap};
use std::borrow::Cow;
use std::ops::Range;

/// The longest cell that is held until its end. A longer one is text, and a quoted one is read
/// without its quotes (C7).
pub(super) const CELL_MAX: usize = 1 << 20;

/// A cell at the start of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CellFound {
    /// The bytes of its value, which a `doubled` quotation mark may be in, or one behind which
    /// bytes follow; and where the cell ends, before its separator.
    Whole {
        inside: Range<usize>,
        doubled: bool,
        end: usize,
    },
    /// A quoted cell that is not closed: its quotation mark is a character (C7).
    OpenQuote,
    /// A cell without an end, which is too long to be held.
    Long,
}

/// Finds the cell at the start of `text`, which is `plain` if its quotation mark is a character;
/// `None` while more bytes are needed. No bytes follow when it is the `last` text. `known` is the
/// number of bytes that were searched and do not end it.
pub(super) fn find_cell(
    text: &[u8],
    (delimiter, plain): (u8, bool),
    last: bool,
    known: &mut usize,
) -> Option<CellFound> {
    let quoted = text.first() == Some(&b'"') && !plain;
    if quoted && delimiter != b'\t' {
        return quoted_cell(text, delimiter, last, known);
    }
    let end = separator(text, *known, delimiter, last);
    let found = match end {
        Some(end) if end <= CELL_MAX => {
            let value = without_return(text, end);
            let inside = match quoted && is_quoted_whole(&text[..value]) {
                true => 1..value - 1,
                false => 0..value,
            };
            CellFound::Whole {
                doubled: inside.start > 0 && text[inside.clone()].contains(&b'"'),
                inside,
                end,
            }
        }
        _ if end.is_some() || text.len() > CELL_MAX => CellFound::Long,
        _ => {
            *known = text.len();
            return None;
        }
    };
    *known = 0;
    Some(found)
}

/// Whether quotation marks around a cell with tabs between cells are quotes: inside of them two
/// are one (C8).
fn is_quoted_whole(cell: &[u8]) -> bool {
    let inside = cell
        .strip_prefix(b"\"")
        .and_then(|cell| cell.strip_suffix(b"\""));
    inside.is_some_and(|mut rest| {
        while let Some(at) = memchr::memchr(b'"', rest) {
            if rest.get(at + 1) != Some(&b'"') {
                return false;
            }
            rest = &rest[at + 2..];
        }
        true
    })
}

fn quoted_cell(text: &[u8], delimiter: u8, last: bool, known: &mut usize) -> Option<CellFound> {
    let mut at = (*known).max(1);
    let mut close = None;
    while close.is_none() {
        let Some(found) = memchr::memchr(b'"', &text[at..]) else {
            *known = text.len();
            break;
        };
        at += found;
        *known = at;
        match text.get(at + 1) {
            _ if at > CELL_MAX => break,
            Some(b'"') => at += 2,
            None if !last => return None,
            _ => close = Some(at),
        }
    }
    let Some(close) = close.filter(|close| *close <= CELL_MAX) else {
        if !last && text.len() <= CELL_MAX {
            return None;
        }
        *known = 0;
        return Some(CellFound::OpenQuote);
    };
    let end = separator(text, close + 1, delimiter, last);
    if end.is_none() && text.len() <= CELL_MAX {
        // The closing quote is found again at once.
        *known = close;
        return None;
    }
    *known = 0;
    let end = end.filter(|end| *end <= CELL_MAX);
    Some(match end {
        None => CellFound::OpenQuote,
        Some(end) => {
            let value = without_return(text, end);
            let has_rest = value > close + 1;
            CellFound::Whole {
                inside: 1..if has_rest { value } else { close },
                doubled: has_rest || text[1..close].contains(&b'"'),
                end,
            }
        }
    })
}

/// Returns the place of the separator of the cell, from `from` on; the end of the last text.
fn separator(text: &[u8], from: usize, delimiter: u8, last: bool) -> Option<usize> {
    let found = memchr::memchr2(delimiter, b'\n', &text[from..]);
    match found {
        Some(len) => Some(from + len),
        None => last.then_some(text.len()),
    }
}

/// Returns the end of the value that ends at `end`, without the carriage return before a line
/// feed.
fn without_return(text: &[u8], end: usize) -> usize {
    let ends_line = text.get(end).is_none_or(|byte| *byte == b'\n');
    end - usize::from(ends_line && text[..end].ends_with(b"\r"))
}

/// Appends the inside of a quoted cell: two quotation marks are one, and one alone is the end of
/// the quotes, behind which bytes follow unchanged.
pub(super) fn undouble(raw: &[u8], out: &mut Vec<u8>, map: &mut OffsetMap) {
    let from = out.len();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'"', &raw[at..]) {
        out.extend_from_slice(&raw[at..at + found]);
        at += found;
        let place = out.len() - from;
        if raw.get(at + 1) != Some(&b'"') {
            at += 1;
            map.push(place, at as u64, Encoding::Raw);
            break;
        }
        map.push_unit(place, at as u64, 1, 2);
        out.push(b'"');
        at += 2;
    }
    out.extend_from_slice(&raw[at..]);
}

/// Returns the length of the record at the start of `text`, with its line feed; `None` if it has
/// no end there.
pub(super) fn record_len(text: &[u8], delimiter: u8) -> Option<usize> {
    match delimiter {
        b'\t' => memchr::memchr(b'\n', text).map(|len| len + 1),
        _ => table::record_len(text, delimiter),
    }
}

/// Returns the values of the cells of a record.
pub(super) fn values(record: &[u8], delimiter: u8) -> impl Iterator<Item = Cow<'_, [u8]>> {
    let mut rest = Some(record);
    std::iter::from_fn(move || {
        let text = rest?;
        let found = find_cell(text, (delimiter, false), true, &mut 0);
        let found = match found {
            Some(CellFound::OpenQuote) => find_cell(text, (delimiter, true), true, &mut 0),
            found => found,
        };
        let (inside, doubled, end) = match found {
            Some(CellFound::Whole {
                inside,
                doubled,
                end,
            }) => (inside, doubled, end),
            _ => (0..text.len(), false, text.len()),
        };
        rest = text
            .get(end)
            .filter(|byte| **byte == delimiter)
            .map(|_| &text[end + 1..]);
        let raw = &text[inside];
        Some(match doubled {
            false => Cow::Borrowed(raw),
            true => {
                let mut value = Vec::new();
                undouble(raw, &mut value, &mut OffsetMap::IDENTITY.clone());
                Cow::Owned(value)
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The values of a record by a reader of single bytes.
    fn slow(record: &str, delimiter: char) -> Vec<String> {
        let mut values = vec![String::new()];
        let (mut quoted, mut begins) = (false, true);
        let mut chars = record.chars().peekable();
        while let Some(char) = chars.next() {
            let value = values.last_mut().unwrap();
            match char {
                '"' if begins => quoted = true,
                '"' if quoted && chars.peek() == Some(&'"') => value.push(chars.next().unwrap()),
                '"' if quoted => quoted = false,
                _ if char == delimiter && !quoted => {
                    values.push(String::new());
                    begins = true;
                    continue;
                }
                _ => value.push(char),
            }
            begins = false;
        }
        values
    }

    proptest! {
        #[test]
        fn values_are_those_of_a_slow_reader(record in "(\"[a,]{0,3}(\"\"){0,2}\"a?|[a\"]{0,3}|a,){0,5}") {
            // A mark without a closing one begins no quoted value.
            let is_closed = crate::decode::table::record_len(format!("{record}\n").as_bytes(), b',') == Some(record.len() + 1);
            prop_assume!(is_closed);
            let values: Vec<_> = values(record.as_bytes(), b',').map(|value| String::from_utf8(value.into_owned()).unwrap()).collect();
            prop_assert_eq!(values, slow(&record, ','));
        }

        /// The map leads from a text to the bytes that it was written in.
        #[test]
        fn the_map_leads_back(text in "[ab\"]{0,8}", rest in "[ab]{0,2}") {
            let raw = format!("{}{}", text.replace('"', "\"\""), if rest.is_empty() { String::new() } else { format!("\"{rest}") });
            let (mut value, mut map) = (Vec::new(), OffsetMap::IDENTITY);
            undouble(raw.as_bytes(), &mut value, &mut map);
            prop_assert_eq!(&value, &format!("{text}{rest}").into_bytes());
            prop_assert_eq!(map.places(&value).raw(value.len()), raw.len() as u64);
        }
    }

    #[test]
    fn quotes_with_tabs() {
        for (cell, wanted) in [
            ("\"a\"", "a"),
            ("\"a\"\"b\"", "a\"b"),
            ("\"a\"b\"", "\"a\"b\""),
            ("\"a\"b", "\"a\"b"),
            ("a\"", "a\""),
            ("\"", "\""),
        ] {
            let got: Vec<_> = values(cell.as_bytes(), b'\t').collect();
            assert_eq!(got, [wanted.as_bytes()], "{cell}");
        }
    }
}
