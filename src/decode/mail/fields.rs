//! The findings of a header: the references of the fields that hold some (RFC 2369, RFC 2557,
//! RFC 2017, RFC 5064), and the texts of others. Ids and signatures are not searched.

use super::header::{self, FIELD_MAX, HeaderField};
use super::parameters::{Parameters, joined, written};
use super::words::decode_words;
use crate::decode::event::{
    DataPlace, Decode, DecodedValue, Event, MarkupValue, Output, ValueKind,
};
use crate::decode::mail_note::MailNote;
use crate::decode::markup::MappedText;
use crate::decode::mentions::Mentions;
use crate::item::{Encoding, OffsetMap, Schemes, Wrapper};
use crate::syntax::masks::stops::{FindStops, has_colon};
use std::cell::OnceCell;
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

/// The beginning of the type of an external body.
const MESSAGE: &[u8] = b"message/";

/// Fields whose values have parameters (RFC 2045 section 5.1, RFC 2183).
const WITH_PARAMETERS: [&str; 2] = ["content-type", "content-disposition"];

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

/// The name of a field, of which its values share one copy.
struct FieldName<'n> {
    name: &'n [u8],
    shared: OnceCell<Arc<[u8]>>,
}

impl<'n> FieldName<'n> {
    fn new(name: &'n [u8]) -> FieldName<'n> {
        FieldName {
            name,
            shared: OnceCell::new(),
        }
    }

    fn shared(&self) -> Arc<[u8]> {
        Arc::clone(self.shared.get_or_init(|| Arc::from(self.name)))
    }
}

/// Decodes a header.
#[derive(Debug)]
pub(super) struct HeaderFields {
    /// The texts that are wanted.
    pub mentions: Mentions,
    /// Finds what may be the colons of URIs.
    pub stops: Arc<dyn FindStops>,
}

impl Decode for HeaderFields {
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        if !last {
            return 0;
        }
        let mut writer = FieldWriter {
            at: 0,
            mentions: self.mentions,
            stops: &*self.stops,
            out,
        };
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
    mentions: Mentions,
    stops: &'o dyn FindStops,
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
        let name = FieldName::new(name);
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
        } else if WITH_PARAMETERS.iter().any(is_name_of) && may_be_extended(text) {
            self.with_parameters(&value, &name);
        } else {
            self.text(&value, 0..text.len(), &name);
        }
    }

    /// Writes the references in `<…>`, and the rest as text.
    fn bracketed(&mut self, value: &ValueText, name: &FieldName) {
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

    /// Writes a value with parameters: those that are written in sections or encoded are one
    /// text each (M4), the parameter `URL` of an external body is a reference (RFC 2017), and the
    /// rest is text.
    fn with_parameters(&mut self, value: &ValueText, name: &FieldName) {
        let is_external = Parameters::essence(value.text) == b"message/external-body";
        let written = written(value.text);
        let mut at = 0;
        for own in written.chunk_by(|a, b| a.name == b.name) {
            let (first, last) = (&own[0], &own[own.len() - 1]);
            let is_url = is_external && first.name == b"url";
            if !is_url && !first.is_extended() {
                continue;
            }
            let (range, text, map) = match first.is_extended() {
                false => {
                    let range = first.unquoted(value.text);
                    let (text, map) = without_blanks(&value.text[range.clone()]);
                    (range, text, map)
                }
                true => {
                    // The sections of a parameter have no bytes of their own (O1).
                    let range = first.range.start..last.range.end;
                    let mut text = joined(own, value.text);
                    text.retain(|byte| !is_url || !byte.is_ascii_whitespace());
                    let mut map = OffsetMap::IDENTITY;
                    map.push_unit(0, 0, text.len() as u32, range.len() as u32);
                    (range, text, map)
                }
            };
            self.text(value, at..range.start, name);
            at = range.end;
            let how = match is_url {
                true => (ValueKind::Reference(Schemes::Any), Wrapper::DoubleQuote),
                false => (ValueKind::Text { continues: false }, Wrapper::None),
            };
            self.written(value, range, (text, map), how, name);
        }
        self.text(value, at..value.text.len(), name);
    }

    /// Writes a part of a value that is one reference: folds in it are removed with their
    /// blanks, other blanks are encoded (M5).
    fn reference(
        &mut self,
        value: &ValueText,
        range: Range<usize>,
        wrapper: Wrapper,
        name: &FieldName,
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
        let how = (ValueKind::Reference(Schemes::Any), wrapper);
        self.written(value, range, (uri, map), how, name);
    }

    /// Writes a text or a reference that is written in `range` of the text of the value.
    fn written(
        &mut self,
        value: &ValueText,
        range: Range<usize>,
        (uri, map): (Vec<u8>, OffsetMap),
        how: (ValueKind, Wrapper),
        name: &FieldName,
    ) {
        if range.is_empty() || uri.is_empty() {
            return;
        }
        let mut inner = OffsetMap::IDENTITY;
        value.map.part_into(range.clone(), value.text, &mut inner);
        let composed = map.compose(&uri, &inner, &value.text[range.clone()]);
        self.value(value, range, (&uri, composed), how, name);
    }

    /// Writes a part of a value as text.
    fn text(&mut self, value: &ValueText, range: Range<usize>, name: &FieldName) {
        let text = &value.text[range.clone()];
        let is_wanted = match self.mentions {
            Mentions::None => false,
            Mentions::All => !text.iter().all(u8::is_ascii_whitespace),
            // Most values have neither a colon nor the digit of an escaped one.
            Mentions::WithColon => {
                memchr::memchr2(b':', b'3', text).is_some() && has_colon(self.stops, text)
            }
        };
        if !is_wanted {
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
        name: &FieldName,
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
            place: Some(DataPlace::Mail(name.shared())),
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

/// Whether a value may have parameters in sections or encoded, or be that of an external body.
fn may_be_extended(value: &[u8]) -> bool {
    let is_rare = |byte: &u8| matches!(byte, b'*' | b'(');
    let begin = value.trim_ascii_start().get(..MESSAGE.len());
    value.iter().any(is_rare) || begin.is_some_and(|begin| begin.eq_ignore_ascii_case(MESSAGE))
}

/// Returns a text without its blanks, and the map to it.
fn without_blanks(text: &[u8]) -> (Vec<u8>, OffsetMap) {
    let (mut without, mut map) = (Vec::new(), OffsetMap::IDENTITY);
    for (at, &byte) in text.iter().enumerate() {
        if !byte.is_ascii_whitespace() {
            map.push(without.len(), at as u64, Encoding::Raw);
            without.push(byte);
        }
    }
    (without, map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::in_pieces::push_in_pieces;
    use crate::syntax::masks::stops::EveryColon;

    /// The values of a header: `<` before a reference, its text, and the bytes of it.
    fn values(header: &str, sizes: &[usize]) -> Vec<String> {
        let mut found = Vec::new();
        let bytes = header.as_bytes();
        let mut fields = HeaderFields {
            mentions: Mentions::All,
            stops: Arc::new(EveryColon),
        };
        push_in_pieces(&mut fields, bytes, sizes, |pushed| {
            if let Event::Value(value) = pushed.event {
                let of = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let Some(DataPlace::Mail(name)) = &value.place else {
                    panic!("{value:?}");
                };
                let name = of(name);
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
            Content-Type: message/external-body; URL=\"http://a/\r\n b\"\r\n\
            Content-Type: message/external-body; URL*0=\"http://c/\";\r\n URL*1=\"d e\"; x=y\r\n\
            Content-Disposition: a; filename*0*=utf-8''see%20http%3A%2F; filename*1=\"/f\"\r\n";
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
            "Content-Type  message/external-body; ",
            "Content-Type <http://c/de",
            "Content-Type ; x=y",
            "Content-Disposition  a; ",
            "Content-Disposition see http://f",
        ];
        assert_eq!(values(header, &[header.len()]), wanted);
        assert_eq!(values(header, &[1]), wanted);
    }
}
