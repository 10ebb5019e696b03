//! The header of a record: named fields of WARC, a line of ARC.

use crate::item::{OwnedContext, Part, Record};
use crate::syntax::fields;
use std::sync::Arc;

/// The fields of a header that are used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RecordHeader {
    pub record: Record,
    /// The `Content-Type` of the block; empty when it must be detected from the
    /// content.
    pub media_type: Vec<u8>,
    /// The detected media type of the payload; empty when it is not known.
    pub identified: Vec<u8>,
    /// The length of the block in bytes; `None` when it is missing or malformed.
    pub length: Option<u64>,
    /// Whether the block is known to be truncated.
    pub truncated: bool,
}

impl RecordHeader {
    /// Returns the record, which begins at `offset` of the input.
    pub(super) fn into_part(mut self, number: u64, offset: u64) -> Part {
        (self.record.number, self.record.offset) = (number, offset);
        Part {
            context: OwnedContext {
                warc: Some(Arc::new(self.record)),
                ..OwnedContext::default()
            },
            media_type: self.media_type,
            codings: Vec::new(),
            truncated: self.truncated,
            offset,
            identified: self.identified,
            ..Part::default()
        }
    }
}

/// Reads the fields of a WARC header (WARC/1.1 section 4), from its first line to the
/// empty line after it; `None` when there is no field of WARC.
pub(super) fn warc(text: &[u8]) -> Option<RecordHeader> {
    let mut header = RecordHeader::default();
    let mut length = None;
    for (name, value) in fields::of(text) {
        match &name.to_ascii_lowercase()[..] {
            b"content-length" => length = number(&value).or(length),
            b"content-type" => header.media_type = value,
            b"warc-identified-payload-type" => header.identified = value,
            b"warc-type" => header.record.kind = value,
            b"warc-record-id" => header.record.record_id = bare(&value).to_vec(),
            b"warc-date" => header.record.date = value,
            b"warc-target-uri" => header.record.target_uri = bare(&value).to_vec(),
            b"warc-truncated" => header.truncated = true,
            _ => {}
        }
    }
    header.length = length;
    let is_header = length.is_some() || header.record != Record::default();
    is_header.then_some(header)
}

/// Reads the header line of an ARC record: URL, address, date, type and length,
/// and in version 2 five fields more before the length. URLs with blanks exist.
pub(super) fn arc(line: &[u8], version: u8) -> Option<RecordHeader> {
    let line = line.trim_ascii();
    let fields = if version == 2 { 10 } else { 5 };
    let mut parts: Vec<&[u8]> = line.rsplitn(fields, |&b| b == b' ').collect();
    parts.reverse();
    if parts.len() < fields {
        return None;
    }
    let date = parts[2];
    if !parts[0].contains(&b':') || date.len() < 8 || !date.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let length = number(parts[fields - 1]);
    // Without a length the other fields must look even more like a header.
    let address = |b: &u8| b.is_ascii_hexdigit() || matches!(b, b'.' | b':');
    if length.is_none() && !(date.len() >= 14 && parts[1].iter().all(address)) {
        return None;
    }
    Some(RecordHeader {
        length,
        media_type: Vec::new(),
        identified: Vec::new(),
        truncated: false,
        record: Record {
            kind: match parts[0].starts_with(b"filedesc:") {
                true => b"filedesc".to_vec(),
                false => b"response".to_vec(),
            },
            date: date.to_vec(),
            target_uri: parts[0].to_vec(),
            ..Record::default()
        },
    })
}

fn number(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    text.bytes().all(|b| b.is_ascii_digit()).then_some(())?;
    text.parse().ok()
}

/// Returns the value without angle brackets.
fn bare(value: &[u8]) -> &[u8] {
    let inner = value.strip_prefix(b"<");
    inner.and_then(|v| v.strip_suffix(b">")).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_warc() {
        let text = b"WARC/1.0\r\nwarc-type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n\
            WARC-Target-URI: http://a/\r\n b\r\nContent-Type: application/http; msgtype=response\r\n\
            Content-Length: 12\r\n\r\n";
        assert_eq!(fields::end(text), Some(text.len()));
        let header = warc(text).unwrap();
        assert_eq!(header.length, Some(12));
        assert!(header.media_type.starts_with(b"application/http"));
        assert_eq!(header.record.record_id, b"urn:uuid:1");
        assert_eq!(header.record.target_uri, b"http://a/ b");
        for wrong in ["", "Content-Length: -1\n", "Content-Length: 1x\n"] {
            assert_eq!(warc(format!("WARC/1.0\n{wrong}\n").as_bytes()), None);
        }
    }

    #[test]
    fn lines_of_arc() {
        let header = arc(b"http://a/b c 1.2.3.4 20140216050221 text/html 1591\n", 1).unwrap();
        assert_eq!(header.record.target_uri, b"http://a/b c");
        assert_eq!(header.length, Some(1591));
        let line = b"http://a/ 1.2.3.4 20140216050221 text/html 200 - - 77 a.arc 12";
        assert_eq!(arc(line, 2).unwrap().length, Some(12));
        let line = b"http://a/ 1.2.3.4 20140216050221 text/html -1";
        assert_eq!(arc(line, 1).unwrap().length, None);
        for wrong in [
            "",
            "http://a/ 1.2.3.4 20140216 text/html -1",
            "http://a/ see 20140216050221 text/html -1",
            "a b c d 5",
        ] {
            assert_eq!(arc(wrong.as_bytes(), 1), None);
        }
    }
}
