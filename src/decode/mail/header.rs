//! The header of a message or a part (RFC 5322 section 2.2): where it ends, its fields, and
//! what they state about the content. `fields` makes findings of the fields.

use super::date::read_date;
use super::parameters::{Parameters, without_comments};
use crate::item::Timestamp;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// The longest header. What is over is content (O4).
pub(super) const HEADER_MAX: usize = 1 << 20;

/// The longest field. The rest of a longer one is not read.
pub(super) const FIELD_MAX: usize = 256 << 10;

/// The longest message id (RFC 5322 section 2.1.1).
const MESSAGE_ID_MAX: usize = 998;

/// Most headers have fewer fields.
const USUAL_FIELDS: usize = 16;

/// A field of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HeaderField {
    /// The name, without the colon.
    pub name: Range<usize>,
    /// The value with its folds, without its last line break.
    pub value: Range<usize>,
}

/// A line of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderLine {
    /// The first line of a field, with the offset of its colon.
    Field(usize),
    /// A line that continues a field.
    Fold,
    Empty,
    /// Neither a field nor empty.
    Other,
}

impl HeaderLine {
    /// Returns the kind of `line`, which has no line break.
    pub fn of(line: &[u8]) -> HeaderLine {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match line.first() {
            None => HeaderLine::Empty,
            Some(b' ' | b'\t') => HeaderLine::Fold,
            _ => colon(line).map_or(HeaderLine::Other, HeaderLine::Field),
        }
    }
}

/// Returns the offset of the colon of a field: `[!-9;-~]+[ \t]*:`. A line that begins with a
/// URI is not a field.
fn colon(line: &[u8]) -> Option<usize> {
    let is_of_name = |b: &u8| b.is_ascii_graphic() && *b != b':';
    let name = line.iter().take_while(|b| is_of_name(b)).count();
    let blanks = line[name..].iter();
    let at = name + blanks.take_while(|b| matches!(b, b' ' | b'\t')).count();
    let is_field = name > 0 && line.get(at) == Some(&b':');
    (is_field && !line[at + 1..].starts_with(b"//")).then_some(at)
}

/// The lines of a text, each with the offset of its end, behind the line break.
pub(super) struct HeaderLines<'t> {
    pub text: &'t [u8],
    pub at: usize,
    /// Whether no bytes follow the text, so that its last line needs no line break.
    pub whole: bool,
}

impl<'t> Iterator for HeaderLines<'t> {
    type Item = (Range<usize>, &'t [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.text[self.at..];
        let end = match memchr::memchr(b'\n', rest) {
            Some(end) => end + 1,
            None if self.whole && !rest.is_empty() => rest.len(),
            None => return None,
        };
        let range = self.at..self.at + end;
        self.at = range.end;
        let line = &rest[..end];
        Some((range, line.strip_suffix(b"\n").unwrap_or(line)))
    }
}

/// Returns the fields of a header, and the number of its lines that are not part of one (M3).
pub(super) fn fields(header: &[u8]) -> (Vec<HeaderField>, usize) {
    let (mut fields, mut others) = (Vec::<HeaderField>::with_capacity(USUAL_FIELDS), 0);
    let mut goes_on = false;
    let lines = HeaderLines {
        text: header,
        at: 0,
        whole: true,
    };
    for (range, line) in lines {
        let end = range.start + line.strip_suffix(b"\r").unwrap_or(line).len();
        match (HeaderLine::of(line), fields.last_mut()) {
            (HeaderLine::Field(colon), _) => {
                let name = line[..colon].trim_ascii_end().len();
                fields.push(HeaderField {
                    name: range.start..range.start + name,
                    value: range.start + colon + 1..end,
                });
                goes_on = true;
            }
            (HeaderLine::Fold, Some(last)) if goes_on => last.value.end = end,
            (HeaderLine::Fold | HeaderLine::Empty, _) => {}
            (HeaderLine::Other, _) => {
                goes_on = false;
                // A line of an mbox before the fields.
                others += usize::from(!is_from(line));
            }
        }
    }
    (fields, others)
}

/// Whether a line is the first one of a message in an mbox, or one that was quoted.
pub(super) fn is_from(line: &[u8]) -> bool {
    line.starts_with(b"From ") || line.starts_with(b">From ")
}

/// The fields that state something about the content, in the order in which they are read.
const STATED: [&str; 8] = [
    "content-type",
    "content-disposition",
    "content-transfer-encoding",
    "content-base",
    "content-location",
    "content-length",
    "message-id",
    "date",
];

/// The statements of a header about the content.
#[derive(Clone, Debug, Default)]
pub(super) struct ContentHeader {
    /// The first `Content-Type`, without folds; empty without one.
    pub media_type: Vec<u8>,
    /// The type in lower case, without parameters.
    pub essence: Vec<u8>,
    /// The boundary of the parts of a multipart.
    pub boundary: Option<Vec<u8>>,
    /// The transfer coding, in lower case.
    pub coding: Vec<u8>,
    /// The `Message-ID`, without its angle brackets.
    pub message_id: Option<Arc<[u8]>>,
    /// The instant that the first `Date` states.
    pub date: Option<Timestamp>,
    /// `Content-Base`, or `Content-Location` (RFC 2557 section 5).
    pub base: Option<Vec<u8>>,
    /// `Content-Length` of an mbox.
    pub length: Option<u64>,
    /// The name of the file that the part is.
    pub file: Option<Vec<u8>>,
    /// Whether a line is not a field (M3).
    pub has_others: bool,
}

impl ContentHeader {
    /// Reads a header. The first of two equal fields counts (M9).
    pub fn read(header: &[u8]) -> ContentHeader {
        let (fields, others) = fields(header);
        let mut values = [None; STATED.len()];
        for field in &fields {
            let name = &header[field.name.clone()];
            let is_name = |known: &&str| {
                known.len() == name.len() && name.eq_ignore_ascii_case(known.as_bytes())
            };
            if let Some(number) = STATED.iter().position(is_name) {
                values[number].get_or_insert(field);
            }
        }
        let values = values.map(|field: Option<&HeaderField>| {
            let value = field?.value.clone();
            let len = value.len().min(FIELD_MAX);
            Some(unfolded(&header[value.start..][..len]))
        });
        let [
            stated,
            disposition,
            coding,
            base,
            location,
            length,
            id,
            date,
        ] = values;
        let stated = stated.unwrap_or_default();
        let disposition = disposition.unwrap_or_default();
        let parameters = Parameters::read(&stated);
        let essence = Parameters::essence(&stated);
        // "Not `type/subtype`: `text/plain`" (M9).
        let is_type = |part: Option<&[u8]>| part.is_some_and(|part| !part.is_empty());
        let mut halves = essence.splitn(2, |&b| b == b'/');
        let is_known = is_type(halves.next()) && is_type(halves.next());
        let coding = coding.unwrap_or_default();
        let coding = coding.split(|b| matches!(b, b';' | b'(' | b' ' | b'\t'));
        let mut coding = coding.filter(|word| !word.is_empty());
        let absolute =
            |uri: Cow<[u8]>| Some(unwrapped(uri.into_owned())).filter(|uri| is_absolute(uri));
        let base = base.and_then(absolute);
        let disposition = Parameters::read(&disposition);
        let file = disposition.get(b"filename").or(parameters.get(b"name"));
        let is_multipart = is_known && essence.starts_with(b"multipart/");
        let boundary = is_multipart.then(|| parameters.get(b"boundary"));
        ContentHeader {
            coding: coding.next().unwrap_or_default().to_ascii_lowercase(),
            message_id: id.and_then(|value| message_id(&value)),
            date: date.and_then(|value| read_date(&without_comments(&value))),
            base: base.or_else(|| location.and_then(absolute)),
            length: length.and_then(|value| {
                let digits = std::str::from_utf8(&value).ok()?.trim();
                digits.parse().ok()
            }),
            has_others: others > 0,
            file: file.map(<[u8]>::to_vec),
            boundary: boundary.flatten().map(<[u8]>::to_vec),
            essence: if is_known { essence } else { Vec::new() },
            media_type: match is_known {
                true => stated.to_vec(),
                false => Vec::new(),
            },
        }
    }
}

/// Returns a value without its line breaks and the blanks around it.
fn unfolded(value: &[u8]) -> Cow<'_, [u8]> {
    let value = value.trim_ascii();
    if memchr::memchr2(b'\r', b'\n', value).is_none() {
        return Cow::Borrowed(value);
    }
    let mut text = value.to_vec();
    text.retain(|b| !matches!(b, b'\r' | b'\n'));
    Cow::Owned(text)
}

/// Returns a URI without the quotes or brackets around it, and without blanks (RFC 2557
/// section 4.4.2).
fn unwrapped(mut uri: Vec<u8>) -> Vec<u8> {
    uri.retain(|b| !b.is_ascii_whitespace());
    let is_pair = |uri: &[u8]| matches!(uri, [b'"', .., b'"'] | [b'<', .., b'>']) && uri.len() > 1;
    while is_pair(&uri) {
        uri.pop();
        uri.remove(0);
    }
    uri
}

/// Whether a reference begins with a scheme.
fn is_absolute(uri: &[u8]) -> bool {
    let end = uri
        .iter()
        .position(|b| !b.is_ascii_alphanumeric() && !b"+-.".contains(b));
    end.is_some_and(|end| end > 0 && uri[0].is_ascii_alphabetic() && uri[end] == b':')
}

/// Returns a message id without its angle brackets.
fn message_id(value: &[u8]) -> Option<Arc<[u8]>> {
    let from = memchr::memchr(b'<', value).map_or(0, |at| at + 1);
    let rest = &value[from..];
    let to = memchr::memchr(b'>', rest).unwrap_or(rest.len());
    let id = rest[..to].trim_ascii();
    let id = &id[..id.len().min(MESSAGE_ID_MAX)];
    (!id.is_empty()).then(|| Arc::from(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_header() {
        for (line, kind) in [
            ("From: a", HeaderLine::Field(4)),
            ("X \t: a", HeaderLine::Field(3)),
            (" a", HeaderLine::Fold),
            ("\r", HeaderLine::Empty),
            ("", HeaderLine::Empty),
            (": a", HeaderLine::Other),
            ("http://a.example/", HeaderLine::Other),
            ("From a", HeaderLine::Other),
            ("a b: c", HeaderLine::Other),
        ] {
            assert_eq!(HeaderLine::of(line.as_bytes()), kind, "{line:?}");
        }
    }

    #[test]
    fn the_statements_of_a_header() {
        let header = ContentHeader::read(
            b"Content-Type: Text/Plain;\r\n charset=\"latin1\"\r\nContent-type: text/html\r\n\
              Content-Transfer-Encoding: 7-bit; x\r\nMessage-ID: (c) <a@b> x\r\n\
              Content-Location: \"http://a.example/\r\n x\"\r\n\
              Date: Mon,\r\n 2 Feb 2026 (x) 10:05:06 +0100 (CET)\r\n",
        );
        let date = header.date.map(|date| date.to_string());
        assert_eq!(date.as_deref(), Some("2026-02-02T10:05:06+01:00"));
        assert_eq!(header.essence, b"text/plain");
        assert_eq!(header.boundary, None);
        assert_eq!(header.coding, b"7-bit");
        assert_eq!(header.message_id.as_deref(), Some(&b"a@b"[..]));
        assert_eq!(header.base.as_deref(), Some(&b"http://a.example/x"[..]));
        let none = ContentHeader::read(b"Content-Type: text\nContent-Location: x\n");
        assert!(none.media_type.is_empty() && none.base.is_none());
    }
}
