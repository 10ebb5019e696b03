//! Markup inside text that was decoded first: the events of the inner decoder become
//! events on the raw bytes. Used for documents in UTF-16, for the document in an
//! attribute, and for HTML in a feed.

use super::super::event::{DecodedValue, DocumentBase, Event, MarkupValue, Output, ValueKind};
use crate::item::{OffsetMap, Places, Schemes};

/// Translates the events of a decoder that reads decoded text.
#[derive(Debug, Default)]
pub(super) struct Nested {
    /// The number that the document's own base has outside.
    pub base: u32,
    /// The number that is added to the numbers of further bases.
    pub bases: u32,
    /// Whether the event before continues as text.
    in_text: bool,
}

/// Text that was decoded, and the map to its raw bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct DecodedText<'t> {
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
            in_text: false,
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
            self.in_text = matches!(event, Event::Text(_) | Event::Decoded { .. });
            let text = ValueKind::Text {
                continues: was_text,
            };
            let event = match event {
                Event::Skipped(len) | Event::Body(len) => Event::Skipped(walk.take(*len)),
                Event::Text(len) => walk.written(MarkupValue::new(*len, text), out),
                Event::Decoded { raw, len, encoding } => {
                    let map = OffsetMap::of(*encoding);
                    walk.converted(MarkupValue::new(*raw, text), (*len, Some(&map)), out)
                }
                Event::Reference(reference) => {
                    let kind = ValueKind::Reference(Schemes::Any);
                    walk.written(MarkupValue::new(reference.len, kind), out)
                }
                Event::Value(value) => {
                    let value = MarkupValue {
                        base: self.number(value.base),
                        ..value.clone()
                    };
                    match value.decoded {
                        None => walk.written(value, out),
                        Some(DecodedValue { len, map }) => {
                            let map = map.map(|number| &inner.maps()[number]);
                            walk.converted(value, (len, map), out)
                        }
                    }
                }
                Event::Base(base) => Event::Base(DocumentBase {
                    number: self.number(base.number),
                    parent: self.number(base.parent),
                    reference: base.reference.clone(),
                }),
                Event::Suspect(cause) => Event::Suspect(cause),
                Event::Unsupported(cause) => Event::Unsupported(cause),
                Event::Damaged(damage) => Event::Damaged(*damage),
                // The outer document has its own encoding and its own parts.
                Event::Charset(_) | Event::Page | Event::Part(_) | Event::PartEnd => continue,
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

    /// Translates a value whose text is the bytes that the inner decoder read.
    fn written(&mut self, mut value: MarkupValue, out: &mut Output) -> Event {
        let from = self.at;
        let range = from..from + value.raw;
        value.raw = self.take(value.raw);
        let text = self.source.text;
        out.text.extend_from_slice(&text[range.clone()]);
        let len = range.len();
        let (number, map) = out.add_map();
        self.source.map.part_into(range, text, map);
        value.decoded = Some(DecodedValue {
            len,
            map: Some(number),
        });
        Event::Value(value)
    }

    /// Translates a value whose text, the next `len` bytes, the inner decoder decoded.
    fn converted(
        &mut self,
        mut value: MarkupValue,
        (len, map): (usize, Option<&OffsetMap>),
        out: &mut Output,
    ) -> Event {
        let range = self.at..self.at + value.raw;
        let (text, rest) = self.decoded.split_at(len);
        self.decoded = rest;
        value.raw = self.take(value.raw);
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
        Event::Value(value)
    }
}
