//! Content inside text that was decoded first: the events of the inner decoder become
//! events on the raw bytes. Used for documents in UTF-16, for the document in an
//! attribute, for HTML in a feed, and for the bodies of mail.

use super::super::event::{DecodedValue, DocumentBase, Event, MarkupValue, Output, ValueKind};
use crate::item::{OffsetMap, Places, Schemes};

/// Translates the events of a decoder that reads decoded text.
#[derive(Debug, Default)]
pub(in crate::decode) struct Nested {
    /// The number that the document's own base has outside.
    pub base: u32,
    /// The number that is added to the numbers of further bases.
    pub bases: u32,
    /// Whether the inner body is all of the outer one: its encoding is that of the outer.
    is_whole: bool,
    /// Whether the event before continues as text.
    in_text: bool,
}

/// Text that was decoded, and the map to its raw bytes.
#[derive(Clone, Copy, Debug)]
pub(in crate::decode) struct DecodedText<'t> {
    pub text: &'t [u8],
    /// Leads from the text to the raw bytes, counted from 0.
    pub map: &'t OffsetMap,
    /// The number of raw bytes of the whole text.
    pub raw_len: u64,
}

impl Nested {
    /// Creates a translator for an inner document whose own base has the number `base`
    /// outside, and whose further bases get numbers after `bases`.
    pub fn new(base: u32, bases: u32) -> Nested {
        Nested {
            base,
            bases,
            ..Nested::default()
        }
    }

    /// Creates a translator for an inner body that is all of the outer one.
    pub fn whole() -> Nested {
        Nested {
            is_whole: true,
            ..Nested::default()
        }
    }

    /// Notes events of the inner decoder that are those of the outer one, because their bytes
    /// are not decoded.
    pub fn note_plain(&mut self, events: &[Event]) {
        if let Some(last) = events.last() {
            self.in_text = is_text(last);
        }
    }

    /// Appends the events of `inner`, which describe bytes at the start of `source`, to
    /// `out`, and returns the number of raw bytes that these describe.
    pub fn translate(&mut self, inner: &Output, source: DecodedText, out: &mut Output) -> u64 {
        let mut walk = NestedWalk {
            source,
            places: source.map.places(source.text),
            at: 0,
            raw: 0,
            decoded: &inner.text,
        };
        for event in &inner.events {
            let was_text = self.in_text;
            self.in_text = is_text(event);
            let text = ValueKind::Text {
                continues: was_text,
            };
            let event = match event {
                // Parts in a body that is converted are not split: they are text.
                Event::Body(len) if self.is_whole => {
                    walk.written(MarkupValue::new(*len, text), out);
                    continue;
                }
                Event::Skipped(len) | Event::Body(len) => Event::Skipped(walk.take(*len)),
                Event::Text(len) => {
                    walk.written(MarkupValue::new(*len, text), out);
                    continue;
                }
                Event::Decoded { raw, len, encoding } => {
                    let map = OffsetMap::of(*encoding);
                    walk.converted(MarkupValue::new(*raw, text), (*len, Some(&map)), out);
                    continue;
                }
                Event::Reference(reference) => {
                    let kind = ValueKind::Reference(Schemes::Any);
                    walk.written(MarkupValue::new(reference.len, kind), out);
                    continue;
                }
                Event::Value(value) => {
                    if value.skipped > 0 {
                        out.skip(walk.take(value.skipped));
                    }
                    let value = MarkupValue {
                        skipped: 0,
                        base: self.number(value.base),
                        ..value.clone()
                    };
                    match value.decoded {
                        None => walk.written(value, out),
                        Some(DecodedValue { len, map }) => {
                            let map = map.map(|number| inner.map(number));
                            walk.converted(value, (len, map), out);
                        }
                    }
                    continue;
                }
                Event::Base(base) => Event::Base(DocumentBase {
                    number: self.number(base.number),
                    parent: self.number(base.parent),
                    reference: base.reference.clone(),
                }),
                Event::Suspect(cause) => Event::Suspect(cause),
                Event::Unsupported(cause) => Event::Unsupported(cause),
                Event::Damaged(damage) => Event::Damaged(*damage),
                Event::Mail(note) => Event::Mail(*note),
                Event::Lost(kind) => Event::Lost(kind.clone()),
                Event::Charset(charset) if self.is_whole => Event::Charset(*charset),
                Event::Odd(oddity) if self.is_whole => Event::Odd(*oddity),
                Event::Broken(format, cause) if self.is_whole => Event::Broken(format, cause),
                Event::NoColumn(lacking) if self.is_whole => Event::NoColumn(lacking.clone()),
                // The outer document has its own encoding and its own parts, data are not nested
                // in markup, and the places of requests are not those of raw bytes.
                Event::Charset(_)
                | Event::Page
                | Event::Part(_)
                | Event::PartEnd
                | Event::Record
                | Event::Request(_)
                | Event::RecordTime(_)
                | Event::RecordEnd
                | Event::Odd(_)
                | Event::Broken(..)
                | Event::NoColumn(_) => continue,
            };
            out.events.push(event);
        }
        walk.raw
    }

    fn number(&self, number: u32) -> u32 {
        match number {
            DocumentBase::DOCUMENT => self.base,
            number => number.saturating_add(self.bases),
        }
    }
}

/// Whether an event is text, which the text behind it continues.
fn is_text(event: &Event) -> bool {
    match event {
        Event::Text(_) | Event::Decoded { .. } => true,
        Event::Value(value) => matches!(value.kind, ValueKind::Text { .. }),
        _ => false,
    }
}

/// A walk over the decoded text, event by event.
struct NestedWalk<'t> {
    source: DecodedText<'t>,
    places: Places<'t>,
    at: usize,
    raw: u64,
    /// The texts of the inner decoder that were not used yet.
    decoded: &'t [u8],
}

impl NestedWalk<'_> {
    /// Goes over `len` bytes of the text, and returns the number of their raw bytes.
    fn take(&mut self, len: usize) -> usize {
        self.at += len;
        let end = match self.at >= self.source.text.len() {
            true => self.source.raw_len,
            false => self.places.raw(self.at).min(self.source.raw_len),
        };
        let raw = end.saturating_sub(self.raw);
        self.raw += raw;
        raw as usize
    }

    /// Skips the raw bytes before the next value that belong to no character.
    fn lead(&mut self, kind: ValueKind, out: &mut Output) {
        if self.at >= self.source.text.len() {
            return;
        }
        let gap = self.take(0);
        if gap == 0 {
            return;
        }
        out.events.push(match kind {
            // Skipped bytes would end the text.
            ValueKind::Text { continues: true } => Event::Value(MarkupValue {
                decoded: Some(DecodedValue { len: 0, map: None }),
                ..MarkupValue::new(gap, kind)
            }),
            _ => Event::Skipped(gap),
        });
    }

    /// Goes over `len` bytes of the text, which are a value, and returns the number of its raw
    /// bytes, and of those behind it that belong to no character. To a text, which may
    /// continue, they belong.
    fn take_value(&mut self, len: usize, kind: ValueKind) -> (usize, usize) {
        let (at, before) = (self.at, self.raw);
        let raw = self.take(len);
        if matches!(kind, ValueKind::Text { .. }) || len == 0 {
            return (raw, 0);
        }
        let (from, own) = self.places.span(at..at + len);
        let own = (from + own).saturating_sub(before).min(raw as u64) as usize;
        (own, raw - own)
    }

    /// Translates a value whose text is the bytes that the inner decoder read.
    fn written(&mut self, mut value: MarkupValue, out: &mut Output) {
        self.lead(value.kind, out);
        let range = self.at..self.at + value.raw;
        let gap;
        (value.raw, gap) = self.take_value(value.raw, value.kind);
        let text = self.source.text;
        out.text.extend_from_slice(&text[range.clone()]);
        let len = range.len();
        let (number, map) = out.add_map();
        self.source.map.part_into(range, text, map);
        value.decoded = Some(DecodedValue {
            len,
            map: Some(number),
        });
        push_value(value, gap, out);
    }

    /// Translates a value whose text, the next `len` bytes, the inner decoder decoded.
    fn converted(
        &mut self,
        mut value: MarkupValue,
        (len, map): (usize, Option<&OffsetMap>),
        out: &mut Output,
    ) {
        self.lead(value.kind, out);
        let range = self.at..self.at + value.raw;
        let (text, rest) = self.decoded.split_at(len);
        self.decoded = rest;
        let gap;
        (value.raw, gap) = self.take_value(value.raw, value.kind);
        out.text.extend_from_slice(text);
        let map = map.map(|outer| {
            let mut inner = OffsetMap::IDENTITY;
            self.source
                .map
                .part_into(range.clone(), self.source.text, &mut inner);
            let (number, map) = out.add_map();
            outer.compose_into(text, &inner, &self.source.text[range], map);
            number
        });
        value.decoded = Some(DecodedValue { len, map });
        push_value(value, gap, out);
    }
}

/// Appends a value, and the raw bytes behind it that belong to nothing.
fn push_value(value: MarkupValue, gap: usize, out: &mut Output) {
    out.events.push(Event::Value(value));
    if gap > 0 {
        out.events.push(Event::Skipped(gap));
    }
}
