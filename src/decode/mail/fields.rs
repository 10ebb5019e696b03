//! The findings of a header: the references of the fields that hold some (RFC 2369, RFC 2557,
//! RFC 2017, RFC 5064), and the texts of others. Ids and signatures are not searched.

use super::header::{self, FIELD_MAX, HeaderField};
use super::parameters::Parameters;
use super::words::decode_words;
use crate::decode::event::{Decode, DecodedValue, Event, MarkupValue, Output, ValueKind};
use crate::decode::mail_note::MailNote;
use crate::decode::markup::MappedText;
use crate::item::{Encoding, OffsetMap, Schemes, Wrapper};
use std::ops::Range;
use std::sync::Arc;

/// The number of no base: references of headers have none (M5).
const NO_BASE: u32 = u32::MAX;

/// Fields whose values have references in angle brackets.
const BRACKETED: [&str; 7] = [
    "list-archive",
    "list-help",
    "list-owner",
    "list-post",
    "list-subscribe",
    "list-unsubscribe",
    "archived-at",
];

/// Fields whose values are references.
const WHOLE: [&str; 2] = ["content-location", "content-base"];

/// Fields that are not searched (M6).
const HIDDEN: [&str; 9] = [
    "message-id",
    "in-reply-to",
    "references",
    "resent-message-id",
    "content-id",
    "date",
    "dkim-signature",
    "arc-seal",
    "arc-message-signature",
];

/// The parts of a value, each with its range in the text of the value.
struct ValueText<'v> {
    /// The value in the header.
    raw: Range<usize>,
    text: &'v [u8],
    map: &'v OffsetMap,
}

/// Decodes a header.
#[derive(Debug, Default)]
pub(super) struct HeaderFields;

impl Decode for HeaderFields {
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        if !last {
            return 0;
        }
        let mut writer = FieldWriter { at: 0, out };
        for field in header::fields(bytes).0 {
            writer.field(bytes, &field);
        }
        writer.skip_to(bytes.len());
        bytes.len()
    }
}

/// Writes the events of fields.
struct FieldWriter<'o> {
    at: usize,
    out: &'o mut Output,
}

impl FieldWriter<'_> {
    fn skip_to(&mut self, to: usize) {
        if to > self.at {
            self.out.events.push(Event::Skipped(to - self.at));
            self.at = to;
        }
    }

    fn field(&mut self, header: &[u8], field: &HeaderField) {
        let name = &header[field.name.clone()];
        let is_name = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        let is_name_of = |known: &&str| is_name(known);
        if HIDDEN.iter().any(is_name_of) {
            return;
        }
        let mut raw = field.value.clone();
        if raw.len() > FIELD_MAX {
            raw.end = raw.start + FIELD_MAX;
            self.out.events.push(Event::Mail(MailNote::Field));
        }
        let name: Arc<[u8]> = Arc::from(name);
        let decoded = decode_words(&header[raw.clone()]);
        let (text, map) = match &decoded {
            Some(MappedText { text, map }) => (&text[..], map),
            None => (&header[raw.clone()], &OffsetMap::IDENTITY),
        };
        let value = ValueText { raw, text, map };
        if BRACKETED.iter().any(is_name_of) {
            self.bracketed(&value, &name);
        } else if WHOLE.iter().any(is_name_of) {
            let inner = unwrapped(text);
            self.reference(&value, inner, Wrapper::None, &name);
        } else if is_name("content-type") {
            self.content_type(&value, &name);
        } else {
            self.text(&value, 0..text.len(), &name);
        }
    }

    /// Writes the references in `<…>`, and the rest as text.
    fn bracketed(&mut self, value: &ValueText, name: &Arc<[u8]>) {
        let mut at = 0;
        while let Some(open) = memchr::memchr(b'<', &value.text[at..]) {
            let open = at + open;
            let Some(len) = memchr::memchr(b'>', &value.text[open..]) else {
                break;
            };
            self.text(value, at..open, name);
            self.reference(value, open + 1..open + len, Wrapper::Angle, name);
            at = open + len + 1;
        }
        self.text(value, at..value.text.len(), name);
    }

    /// Writes the parameter `URL` of an external body (RFC 2017), and the rest as text.
    fn content_type(&mut self, value: &ValueText, name: &Arc<[u8]>) {
        let is_external = Parameters::essence(value.text) == b"message/external-body";
        let range = is_external.then(|| url_parameter(value.text)).flatten();
        let Some(range) = range else {
            return self.text(value, 0..value.text.len(), name);
        };
        self.text(value, 0..range.start, name);
        let text = &value.text[range.clone()];
        let (mut url, mut map) = (Vec::new(), OffsetMap::IDENTITY);
        for (at, &byte) in text.iter().enumerate() {
            if !byte.is_ascii_whitespace() {
                map.push(url.len(), at as u64, Encoding::Raw);
                url.push(byte);
            }
        }
        self.written(value, range.clone(), (url, map), Wrapper::DoubleQuote, name);
        self.text(value, range.end..value.text.len(), name);
    }

    /// Writes a part of a value that is one reference: folds in it are removed with their
    /// blanks, other blanks are encoded (M5).
    fn reference(
        &mut self,
        value: &ValueText,
        range: Range<usize>,
        wrapper: Wrapper,
        name: &Arc<[u8]>,
    ) {
        let text = &value.text[range.clone()];
        let blanks = text.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let len = text.trim_ascii().len();
        let text = &text[blanks..blanks + len];
        let range = range.start + blanks..range.start + blanks + len;
        let (mut uri, mut map) = (Vec::new(), OffsetMap::IDENTITY);
        let mut at = 0;
        while at < text.len() {
            let run = text[at..].iter().take_while(|b| b.is_ascii_whitespace());
            let run = run.count();
            let is_fold = memchr::memchr(b'\n', &text[at..at + run]).is_some();
            if run == 0 {
                map.push(uri.len(), at as u64, Encoding::Raw);
                uri.push(text[at]);
                at += 1;
            } else if is_fold {
                at += run;
            } else {
                for (number, blank) in text[at..at + run].iter().enumerate() {
                    map.push_unit(uri.len(), (at + number) as u64, 3, 1);
                    uri.extend_from_slice(if *blank == b'\t' { b"%09" } else { b"%20" });
                }
                at += run;
            }
        }
        self.written(value, range, (uri, map), wrapper, name);
    }

    /// Writes a reference that is written in `range` of the text of the value.
    fn written(
        &mut self,
        value: &ValueText,
        range: Range<usize>,
        (uri, map): (Vec<u8>, OffsetMap),
        wrapper: Wrapper,
        name: &Arc<[u8]>,
    ) {
        if range.is_empty() {
            return;
        }
        let mut inner = OffsetMap::IDENTITY;
        value.map.part_into(range.clone(), value.text, &mut inner);
        let composed = map.compose(&uri, &inner, &value.text[range.clone()]);
        let kind = ValueKind::Reference(Schemes::Any);
        self.value(value, range, (&uri, composed), (kind, wrapper), name);
    }

    /// Writes a part of a value as text.
    fn text(&mut self, value: &ValueText, range: Range<usize>, name: &Arc<[u8]>) {
        let text = &value.text[range.clone()];
        if text.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let mut map = OffsetMap::IDENTITY;
        value.map.part_into(range.clone(), value.text, &mut map);
        let kind = ValueKind::Text { continues: false };
        self.value(value, range, (text, map), (kind, Wrapper::None), name);
    }

    fn value(
        &mut self,
        value: &ValueText,
        range: Range<usize>,
        (text, map): (&[u8], OffsetMap),
        (kind, wrapper): (ValueKind, Wrapper),
        name: &Arc<[u8]>,
    ) {
        let (from, len) = value.map.places(value.text).span(range);
        let from = value.raw.start + from as usize;
        // The parts of words in base64 have the same bytes: each has what is left of them.
        let end = (from + len as usize).min(value.raw.end);
        self.skip_to(from.min(end));
        let raw = end.saturating_sub(self.at);
        self.at += raw;
        self.out.text.extend_from_slice(text);
        let (number, own) = self.out.add_map();
        *own = map;
        self.out.events.push(Event::Value(MarkupValue {
            decoded: Some(DecodedValue {
                len: text.len(),
                map: Some(number),
            }),
            header: Some(Arc::clone(name)),
            wrapper: Some(wrapper),
            base: NO_BASE,
            ..MarkupValue::new(raw, kind)
        }));
    }
}

/// Returns the range of a value without the quotes or brackets around it.
fn unwrapped(text: &[u8]) -> Range<usize> {
    let from = text.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let mut range = from..from + text[from..].trim_ascii_end().len();
    while let [b'"', .., b'"'] | [b'<', .., b'>'] = text[range.clone()] {
        range = range.start + 1..range.end - 1;
    }
    range
}

/// Returns the range of the value of the parameter `URL`, without its quotes.
fn url_parameter(text: &[u8]) -> Option<Range<usize>> {
    let mut at = 0;
    loop {
        at += memchr::memchr(b';', &text[at..])? + 1;
        let blanks = text[at..].iter().take_while(|b| b.is_ascii_whitespace());
        let name = at + blanks.count();
        let rest = text.get(name..name + 3)?;
        if !rest.eq_ignore_ascii_case(b"url") {
            continue;
        }
        let after = &text[name + 3..];
        let blanks = after.iter().take_while(|b| b.is_ascii_whitespace()).count();
        if after.get(blanks) != Some(&b'=') {
            continue;
        }
        let from = name + 3 + blanks + 1;
        let blanks = text[from..].iter().take_while(|b| b.is_ascii_whitespace());
        let from = from + blanks.count();
        let (from, end) = match text.get(from) {
            Some(b'"') => (from + 1, b'"'),
            _ => (from, b';'),
        };
        let len = memchr::memchr(end, &text[from..]);
        return Some(from..from + len.unwrap_or(text.len() - from));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::in_pieces::push_in_pieces;

    /// The values of a header: `<` before a reference, its text, and the bytes of it.
    fn values(header: &str, sizes: &[usize]) -> Vec<String> {
        let mut found = Vec::new();
        let bytes = header.as_bytes();
        push_in_pieces(&mut HeaderFields, bytes, sizes, |pushed| {
            if let Event::Value(value) = pushed.event {
                let of = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let name = value.header.as_deref().map(of).unwrap();
                let kind = match value.kind {
                    ValueKind::Reference(_) => "<",
                    ValueKind::Text { .. } => "",
                };
                let map = pushed.map.unwrap();
                let (from, len) = map.places(pushed.text).span(0..pushed.text.len());
                assert_eq!((from, len as usize), (0, pushed.raw.len()), "{name}");
                found.push(format!("{name} {kind}{}", of(pushed.text)));
            }
        });
        found
    }

    #[test]
    fn fields_have_references_and_texts() {
        let header = "From: a\r\nList-Post: <mailto:a@b>\r\n (x), <http://a/\r\n b c>\r\nList-Help: NO\r\n\
            Content-Location: \"http://a/p.\"\r\nMessage-ID: <urn:a:b>\r\nX-A: b\r\n c\r\n\
            Content-Type: message/external-body; URL=\"http://a/\r\n b\"\r\n";
        let wanted = [
            "From  a",
            "List-Post <mailto:a@b",
            "List-Post \r\n (x), ",
            "List-Post <http://a/b%20c",
            "List-Help  NO",
            "Content-Location <http://a/p.",
            "X-A  b\r\n c",
            "Content-Type  message/external-body; URL=\"",
            "Content-Type <http://a/b",
            "Content-Type \"",
        ];
        assert_eq!(values(header, &[header.len()]), wanted);
        assert_eq!(values(header, &[1]), wanted);
    }
}
