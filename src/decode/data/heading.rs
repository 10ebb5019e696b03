//! The beginning of a table: whether a text is one (C1), its delimiter, the names of its columns.

use super::cells::{record_len, values};
use crate::decode::format::head::InputHead;
use crate::decode::log::states_request;
use crate::decode::table::{DELIMITERS, JUDGED, JUDGED_BYTES, blank_lines, trimmed};
use crate::decode::utf16::Beginning;
use crate::syntax::scheme;
use std::borrow::Cow;

/// The fewest columns of a text that is detected as a table.
const COLUMNS_LEAST: usize = 3;

/// The beginning of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TableHeading {
    /// The bytes before the first record: the line that states the delimiter, and blank lines.
    pub skipped: usize,
    /// The number of these blank lines.
    pub blank_lines: u64,
    pub delimiter: u8,
    /// The first record, if it names the columns.
    pub header: Option<usize>,
}

impl TableHeading {
    /// Reads the beginning of a table, whose `delimiter` may be known, or that its first record
    /// has the names (`named`); `None` while more bytes are needed. No bytes follow `text` when it
    /// is the `last`.
    pub(super) fn of(
        text: &[u8],
        last: bool,
        (delimiter, named): (Option<u8>, bool),
    ) -> Option<TableHeading> {
        // More bytes than these change nothing, so that pieces of every size give the same.
        let last = last && text.len() <= JUDGED_BYTES;
        let text = &text[..text.len().min(JUDGED_BYTES)];
        let whole = last || text.len() == JUDGED_BYTES;
        let (stated, line) = stated_delimiter(text, whole)?;
        let rest = &text[line..];
        let blanks = blank_lines(rest);
        let records = &rest[blanks..];
        let delimiter = match stated.or(delimiter) {
            Some(delimiter) => delimiter,
            None => judged_delimiter(records, whole)?,
        };
        let first = match record_len(records, delimiter) {
            None if last => Some(records.len()),
            None if !whole => return None,
            len => len,
        };
        let is_header = |len: &usize| {
            let mut values = values(&records[..*len], delimiter);
            *len > 0 && (named || !values.any(|value| may_hold_uri(&value)))
        };
        Some(TableHeading {
            skipped: line + blanks,
            blank_lines: memchr::memchr_iter(b'\n', &rest[..blanks]).count() as u64,
            delimiter,
            header: first.filter(is_header),
        })
    }
}

/// C6: returns the delimiter that the first line states, and the length of that line; `None` while
/// more bytes are needed.
fn stated_delimiter(text: &[u8], whole: bool) -> Option<(Option<u8>, usize)> {
    const MARK: &[u8] = b"sep=";
    let len = text.len().min(MARK.len());
    if !text[..len].eq_ignore_ascii_case(&MARK[..len]) || text.len() < MARK.len() && whole {
        return Some((None, 0));
    }
    match text[len..] {
        [delimiter, b'\n', ..] => Some((Some(delimiter), 6)),
        [delimiter, b'\r', b'\n', ..] => Some((Some(delimiter), 7)),
        [] | [_] | [_, b'\r'] if !whole => None,
        _ => Some((None, 0)),
    }
}

/// Returns the first records, at most as many as decide; `None` while more bytes are needed.
fn first_records(text: &[u8], delimiter: u8, whole: bool) -> Option<Vec<&[u8]>> {
    let mut rest = &text[..text.len().min(JUDGED_BYTES)];
    let mut records = Vec::new();
    while records.len() < JUDGED && !rest.is_empty() {
        let len = match record_len(rest, delimiter) {
            Some(len) => len,
            None if !whole => return None,
            None if records.is_empty() || text.len() <= JUDGED_BYTES => rest.len(),
            None => break,
        };
        records.push(&rest[..len]);
        rest = &rest[len..];
    }
    (whole || records.len() == JUDGED).then_some(records)
}

/// C1: returns the delimiter that gives the first records the same number of fields, at least 2;
/// of several the one with the most; otherwise the most frequent in the first record.
fn judged_delimiter(text: &[u8], whole: bool) -> Option<u8> {
    let mut best = (0, 0, DELIMITERS[0]);
    for &delimiter in DELIMITERS {
        let records = first_records(text, delimiter, whole)?;
        let mut counts = records
            .iter()
            .map(|record| values(record, delimiter).count());
        let first = counts.next().unwrap_or_default();
        let is_even = first >= 2 && counts.all(|count| count == first);
        let rank = (if is_even { first } else { 0 }, first, delimiter);
        if (rank.0, rank.1) > (best.0, best.1) {
            best = rank;
        }
    }
    Some(best.2)
}

/// C1: returns the name of the format of a table if `head` begins one: the first records have the same number
/// of fields, at least 3, and one of each after the first is a URI. The outer `None` is returned
/// while more bytes are needed.
pub(in crate::decode) fn table_of(head: InputHead<'_>) -> Option<Option<&'static str>> {
    if !head.tables {
        return Some(None);
    }
    let beginning = Beginning::of(head.bytes, head.whole, false)?;
    let text = &head.bytes[beginning.mark..];
    let text = match beginning.decoder() {
        None => Cow::Borrowed(text),
        Some(mut decoder) => {
            let mut utf8 = Vec::new();
            decoder.decode(text, &mut utf8);
            Cow::Owned(utf8)
        }
    };
    let whole = head.whole || head.bytes.len() >= JUDGED_BYTES;
    let text = &text[..text.len().min(JUDGED_BYTES)];
    // Values of JSON begin so, which their names detect.
    if matches!(text.first(), Some(b'{' | b'[')) {
        return Some(None);
    }
    let (stated, line) = stated_delimiter(text, whole)?;
    let only = stated.map(|delimiter| [delimiter]);
    let mut found = Some(None);
    for &delimiter in only.as_ref().map_or(DELIMITERS, |only| &only[..]) {
        found = match is_table(&text[line..], delimiter, whole) {
            Some(true) if delimiter == b'\t' => Some(Some("tsv")),
            Some(true) => Some(Some("csv")),
            Some(false) => continue,
            None => None,
        };
        break;
    }
    // The line of a request is no row, and does not wait for the lines after it.
    let end = memchr::memchr(b'\n', text).filter(|_| found != Some(None));
    match end.is_some_and(|end| states_request(&text[..end])) {
        true => Some(None),
        false => found,
    }
}

/// Whether this delimiter shows a table; `None` while more bytes are needed.
fn is_table(text: &[u8], delimiter: u8, whole: bool) -> Option<bool> {
    let (mut rest, mut fields) = (text, None);
    for number in 0..JUDGED {
        let Some(len) = record_len(rest, delimiter) else {
            // The last line of a file may have no end.
            let is_last = whole && number + 1 == JUDGED && !rest.is_empty();
            if !is_last {
                return whole.then_some(false);
            }
            return Some(is_row(rest, delimiter, fields, number > 0));
        };
        let (record, after) = rest.split_at(len);
        if !is_row(record, delimiter, fields, number > 0) {
            return Some(false);
        }
        fields.get_or_insert(values(record, delimiter).count());
        rest = after;
    }
    Some(true)
}

/// Whether a record has this number of fields, and a URI among them where one is demanded.
fn is_row(record: &[u8], delimiter: u8, fields: Option<usize>, has_uri: bool) -> bool {
    let mut count = 0;
    let mut is_found = !has_uri;
    for value in values(record, delimiter) {
        count += 1;
        is_found |= is_uri(trimmed(&value));
    }
    is_found && count >= COLUMNS_LEAST && fields.is_none_or(|fields| fields == count)
}

/// Whether a text looks like a URI as a whole.
fn is_uri(text: &[u8]) -> bool {
    let is_one = |&byte: &u8| byte > b' ' && !matches!(byte, b'<' | b'>');
    scheme::prefix_len(text).is_some_and(|len| begins_uri(text, 0..len)) && text.iter().all(is_one)
}

/// Whether a text looks as if it had a URI in it.
fn may_hold_uri(text: &[u8]) -> bool {
    memchr::memchr_iter(b':', text).any(|colon| {
        let is_of_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        let len = text[..colon]
            .iter()
            .rev()
            .take_while(|byte| is_of_scheme(byte))
            .count();
        begins_uri(text, colon - len..colon)
    })
}

/// Whether a scheme and what follows it look like a URI: an authority, or an opaque part of a
/// known scheme.
fn begins_uri(text: &[u8], name: std::ops::Range<usize>) -> bool {
    let rest = &text[name.end + 1..];
    let is_known =
        (2..=scheme::MAX_LEN).contains(&name.len()) && scheme::find(&text[name]).is_some();
    match rest {
        [b'/', b'/', first, ..] => first.is_ascii_alphanumeric() || *first >= 0x80,
        // A word before a colon may be the name of a scheme: an opaque part has one of these.
        [first, ..] if is_known && !first.is_ascii_whitespace() => {
            rest.iter().any(|byte| matches!(byte, b':' | b'@' | b'/'))
        }
        _ => false,
    }
}

/// Returns the names of the columns that a record states.
pub(super) fn names(record: &[u8], delimiter: u8) -> Vec<Vec<u8>> {
    values(record, delimiter)
        .map(|value| trimmed(&value).to_vec())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heading(text: &str) -> (usize, char, Option<usize>) {
        let heading = TableHeading::of(text.as_bytes(), true, (None, false)).unwrap();
        for len in 0..text.len() {
            let early = TableHeading::of(&text.as_bytes()[..len], false, (None, false));
            assert!(early.is_none_or(|early| early == heading), "{text:?} {len}");
        }
        (
            heading.skipped,
            char::from(heading.delimiter),
            heading.header,
        )
    }

    #[test]
    fn delimiters_and_headers() {
        for (text, wanted) in [
            ("", (0, ',', None)),
            ("a,b;c\n1,2;3\n", (0, ',', Some(6))),
            ("a,b;c;d\n1;2;3\n1,2;3;4\n", (0, ';', Some(8))),
            ("a|b,c\n1|2\n", (0, '|', Some(6))),
            ("a b;c,d,e\nf\n", (0, ',', Some(10))),
            ("sep=;\r\na,b;c\n", (7, ';', Some(6))),
            ("sep=", (0, ',', Some(4))),
            ("\n \na,b\n", (3, ',', Some(4))),
            ("a,http://b.example/\n", (0, ',', None)),
            ("a,see urn:a-b:c\n", (0, ',', None)),
            ("dc:title,time:local,a: b\n", (0, ',', Some(25))),
            ("a\tb\n\"1\t2,c\n", (0, '\t', Some(4))),
        ] {
            assert_eq!(heading(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn tables_are_detected() {
        let format = |text: &str, whole: bool| {
            let head = InputHead {
                bytes: text.as_bytes(),
                whole,
                is_resource: false,
                tables: true,
                fragments: false,
            };
            table_of(head)
        };
        let table = "a,b,c\n1,http://a.example/,\n2,urn:a-b:c,x\n3,mailto:x@a.example,\"\n\"\n";
        assert_eq!(format(table, false), Some(Some("csv")));
        assert_eq!(
            format(&table.replace(',', "\t").replace("\"\n\"", ""), false),
            Some(Some("tsv"))
        );
        assert_eq!(format(&table.replace(',', ";"), false), Some(Some("csv")));
        for text in [
            "a\n",
            "a,b\n",
            "a,b,c\n1,2,3\n",
            "a,b,c\n1,http://a.example/\n",
            "a,b,c\n1,see http://a.example/,3\n",
            "[a,b,c\n",
        ] {
            assert_eq!(format(text, false), Some(None), "{text}");
        }
        for text in ["", "a", "a,b,c", "a,b,c\n1,http://a.example/,3\n"] {
            assert_eq!(format(text, false), None, "{text}");
            assert_eq!(format(text, true), Some(None), "{text}");
        }
        // The line of a request decides at once.
        let time = "[05/Oct/2026:00:00:00 +0000]";
        for (text, is_request) in [
            (
                format!("time:{time}\thost:192.0.2.1\treq:GET / HTTP/1.1\n"),
                true,
            ),
            (
                "CEF:0|a|b|c|1|d|2|requestMethod=GET request=/a dhost=a.example\n".to_owned(),
                true,
            ),
            (
                format!("192.0.2.1 - - {time} \"GET / HTTP/1.1\" 200 2 \"-\" \"a (b; c; d)\"\n"),
                true,
            ),
            ("time:1\thost:2\treq:3\n".to_owned(), false),
            ("a; b; http://a.example/\n".to_owned(), false),
        ] {
            let wanted = if is_request { Some(None) } else { None };
            assert_eq!(format(&text, false), wanted, "{text}");
        }
        let long = format!("a,b,c\n1,{}", "x".repeat(JUDGED_BYTES));
        assert_eq!(format(&long, false), Some(None));
    }
}
