//! Lists of URIs that are already delimited: a record is a line, a CSV record or
//! a line of JSON, and one value of it is the URI. Nothing is searched for; a
//! value that is no URI is for others to notice.

use std::borrow::Cow;
use std::ops::Range;

/// The longest record, in bytes.
pub const RECORD_MAX: usize = 16 << 20;

/// How a list is written, and which value of a record is the URI.
///
/// ```
/// use urisieve::decode::Layout;
/// let text = b"a,http://a.example/\nb,http://b.example/\n";
/// let layout = Layout::CsvColumn(1);
/// let record = layout.record(text, 0, true).unwrap();
/// assert_eq!(&text[record.clone()], b"a,http://a.example/\n");
/// assert_eq!(&*layout.value(&text[record]).unwrap(), b"http://a.example/");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// One URI a line, blanks and a carriage return around it left out.
    Lines,
    /// CSV (RFC 4180): the field with this number, from 0.
    CsvColumn(usize),
    /// CSV (RFC 4180) whose first record names the fields: the one with this name.
    CsvName(String),
    /// JSON Lines: the string at this JSON pointer (RFC 6901).
    #[cfg(feature = "json")]
    Pointer(String),
}

impl Layout {
    /// The record that starts at `at` of `text`, with what ends it; `None` when
    /// none starts there, or when it is not known where it ends because `text`
    /// is not the `last`.
    ///
    /// ```
    /// use urisieve::decode::Layout;
    /// assert_eq!(Layout::Lines.record(b"a\nb", 0, false), Some(0..2));
    /// assert_eq!(Layout::Lines.record(b"a\nb", 2, false), None);
    /// assert_eq!(Layout::Lines.record(b"a\nb", 2, true), Some(2..3));
    /// ```
    pub fn record(&self, text: &[u8], at: usize, last: bool) -> Option<Range<usize>> {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let len = if self.is_csv() {
            csv_len(rest)
        } else {
            memchr::memchr(b'\n', rest).map(|len| len + 1)
        };
        match len {
            Some(len) => Some(at..at + len),
            None => last.then_some(at..text.len()),
        }
    }

    /// Whether a record may hold line breaks.
    ///
    /// ```
    /// use urisieve::decode::Layout;
    /// assert!(Layout::CsvColumn(0).is_csv() && !Layout::Lines.is_csv());
    /// ```
    pub fn is_csv(&self) -> bool {
        matches!(self, Layout::CsvColumn(_) | Layout::CsvName(_))
    }

    /// The URI of a record; `None` when the record has no such value.
    ///
    /// ```
    /// use urisieve::decode::Layout;
    /// assert_eq!(&*Layout::Lines.value(b"  urn:a-b:c \r\n").unwrap(), b"urn:a-b:c");
    /// assert_eq!(Layout::CsvColumn(2).value(b"a,b\n"), None);
    /// ```
    pub fn value<'r>(&self, record: &'r [u8]) -> Option<Cow<'r, [u8]>> {
        match self {
            Layout::Lines => Some(Cow::Borrowed(trimmed(record))),
            Layout::CsvColumn(column) => {
                let field = csv_fields(record).nth(*column)?;
                Some(Cow::Owned(trimmed(&field).to_vec()))
            }
            // The record that names the fields says which one it is.
            Layout::CsvName(_) => None,
            #[cfg(feature = "json")]
            Layout::Pointer(pointer) => {
                let value: serde_json::Value = serde_json::from_slice(record).ok()?;
                let text = value.pointer(pointer)?.as_str()?;
                Some(Cow::Owned(text.trim().as_bytes().to_vec()))
            }
        }
    }

    /// The layout of the records after the first one, `record`: of
    /// [`CsvName`](Layout::CsvName) it names the fields, of the others it is a
    /// record like all. `None` when no field has the name.
    ///
    /// ```
    /// use urisieve::decode::Layout;
    /// let named = Layout::CsvName("url".into());
    /// assert_eq!(named.after_head(b"id,url\n"), Some(Layout::CsvColumn(1)));
    /// assert_eq!(named.after_head(b"id,uri\n"), None);
    /// ```
    pub fn after_head(&self, record: &[u8]) -> Option<Layout> {
        match self {
            Layout::CsvName(name) => csv_fields(record)
                .position(|field| trimmed(&field) == name.as_bytes())
                .map(Layout::CsvColumn),
            other => Some(other.clone()),
        }
    }
}

/// `text` without the blanks and line breaks around it.
fn trimmed(text: &[u8]) -> &[u8] {
    let blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n');
    let from = text.iter().position(|b| !blank(b)).unwrap_or(text.len());
    let to = text
        .iter()
        .rposition(|b| !blank(b))
        .map_or(from, |at| at + 1);
    &text[from..to]
}

/// Length of the CSV record at the start of `text`: up to the first line feed
/// that is in no quoted field. A quote that a field does not begin with is text.
fn csv_len(text: &[u8]) -> Option<usize> {
    let mut starts_field = true;
    let mut quoted = false;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'"' if quoted => quoted = false,
            // Also the second of two quotes, which stand for one.
            b'"' if starts_field || text[at - 1] == b'"' => quoted = true,
            b'\n' if !quoted => return Some(at + 1),
            _ => {}
        }
        starts_field = !quoted && byte == b',';
    }
    None
}

/// Where the fields of a CSV record lie in it, as they are written.
///
/// ```
/// let record = b"1,\"a,b\",c\n";
/// let places: Vec<_> = urisieve::decode::csv_places(record).collect();
/// assert_eq!(places, [0..1, 2..7, 8..10]);
/// ```
pub fn csv_places(record: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut rest = Some(0);
    std::iter::from_fn(move || {
        let start = rest?;
        let mut quoted = record.get(start) == Some(&b'"');
        let mut at = start + usize::from(quoted);
        while let Some(&byte) = record.get(at)
            && (quoted || byte != b',')
        {
            // Two quotes stand for one: the second opens again what the first closed.
            quoted ^= byte == b'"' && record[start] == b'"';
            at += 1;
        }
        rest = (at < record.len()).then_some(at + 1);
        Some(start..at)
    })
}

/// The fields of a CSV record, unquoted.
fn csv_fields(record: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    let mut reader = csv_core::Reader::new();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn values(layout: &Layout, text: &str) -> Vec<Option<String>> {
        let mut values = Vec::new();
        let (mut at, text) = (0, text.as_bytes());
        while let Some(record) = layout.record(text, at, true) {
            at = record.end;
            let value = layout.value(&text[record]);
            values.push(value.map(|v| String::from_utf8(v.into_owned()).unwrap()));
        }
        assert_eq!(at, text.len());
        values
    }

    fn some(values: &[&str]) -> Vec<Option<String>> {
        values.iter().map(|v| Some(v.to_string())).collect()
    }

    #[test]
    fn lines_are_trimmed() {
        assert_eq!(
            values(&Layout::Lines, "a\r\n  b\t\n\nc"),
            some(&["a", "b", "", "c"])
        );
        assert_eq!(values(&Layout::Lines, ""), []);
    }

    #[test]
    fn quoted_fields_hold_commas_quotes_and_line_breaks() {
        let text = "1,\"a,\"\"b\"\"\nc\"\r\n2,d\"e\n3\n";
        let second = values(&Layout::CsvColumn(1), text);
        assert_eq!(
            second,
            [Some("a,\"b\"\nc".into()), Some("d\"e".into()), None]
        );
        assert_eq!(values(&Layout::CsvColumn(0), text), some(&["1", "2", "3"]));
    }

    #[cfg(feature = "json")]
    #[test]
    fn a_pointer_leads_into_json() {
        let layout = Layout::Pointer("/http/url".into());
        let text = "{\"http\":{\"url\":\"http:\\/\\/a.example\\/\"}}\n{\"http\":1}\nno json\n";
        let wanted = [Some("http://a.example/".to_owned()), None, None];
        assert_eq!(values(&layout, text), wanted);
    }

    #[test]
    fn what_is_not_known_to_end_is_no_record() {
        for (text, layout) in [("a", Layout::Lines), ("\"a\nb", Layout::CsvColumn(0))] {
            assert_eq!(layout.record(text.as_bytes(), 0, false), None);
            assert_eq!(layout.record(text.as_bytes(), 0, true), Some(0..text.len()));
        }
    }
}
