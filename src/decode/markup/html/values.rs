//! Writes the references and the text of one value, by the algorithm of its kind.

use super::super::convert::Converter;
use super::super::script_json::ScriptJson;
use super::super::tokens::ByteMarks;
use super::super::{css, lists, onclick, srcset, url_like};
use super::attribute::AttributeKind;
use super::positions::{AttributePosition, Positions, TextPosition};
use super::source::SourceText;
use super::writer::EventWriter;
use crate::decode::content_reading::ContentReading;
use crate::decode::event::{DataPlace, DecodedValue, MarkupValue, Output, ValueKind};
use crate::decode::json::PointerPath;
use crate::decode::json::{OpenJson, unescape};
use crate::decode::mentions::Mentions;
use crate::decode::refresh;
use crate::item::{OffsetMap, OwnedLink, Places, Schemes};
use crate::syntax::masks::stops::FindStops;
use crate::syntax::{plain_url, scheme};
use std::ops::Range;
use std::sync::Arc;

/// Buffers for values.
#[derive(Debug, Default)]
pub(in crate::decode::markup) struct ValueBuffers {
    unescaped: Vec<u8>,
    unescaped_map: OffsetMap,
    part: OffsetMap,
    open: Vec<OpenJson>,
    pointer: Vec<u8>,
}

/// The way in which a value is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::decode::markup) enum ValueReading {
    Attribute(AttributeKind),
    Refresh,
    /// Text that is wanted.
    Wanted,
    /// The text of an element, and whether the element continues after it.
    StyleElement {
        is_cut: bool,
    },
    Json {
        kind: ScriptJson,
        is_cut: bool,
    },
}

/// The place of a value.
#[derive(Clone, Copy, Debug)]
pub(in crate::decode::markup) enum ValuePosition<'t> {
    Attribute(AttributePosition<'t>),
    /// The position of a link, and that of other text.
    Element(TextPosition, TextPosition),
    /// The position of a link in the text of an element of XML.
    Link(Option<&'t Arc<OwnedLink>>),
}

/// The surroundings of the values of a document.
#[derive(Debug)]
pub(in crate::decode::markup) struct Surroundings {
    pub writer: EventWriter,
    pub buffers: ValueBuffers,
    pub positions: Positions,
    pub mentions: Mentions,
    /// Judges the colons of texts.
    pub colons: Arc<dyn FindStops>,
}

impl Surroundings {
    /// Returns those of a document that is read in this way.
    pub fn of(reading: &ContentReading) -> Surroundings {
        Surroundings {
            writer: EventWriter::default(),
            buffers: ValueBuffers::default(),
            positions: Positions::new(reading.positions),
            mentions: reading.mentions,
            colons: Arc::clone(&reading.stops),
        }
    }

    /// Returns those of a document that is a value of this one.
    pub fn nested(&self) -> Surroundings {
        Surroundings {
            writer: EventWriter::default(),
            buffers: ValueBuffers::default(),
            positions: self.positions.nested(),
            mentions: self.mentions,
            colons: Arc::clone(&self.colons),
        }
    }

    /// Whether the text of these bytes may be wanted for its mentions. `has_some` is whether they
    /// have a colon or an ampersand, if that is known.
    pub fn may_want(&self, raw: &[u8], has_some: Option<bool>) -> bool {
        self.mentions.may_want(raw, has_some, &*self.colons)
    }

    /// Whether the text of these bytes, which have these marks, is wanted for its mentions; `None`
    /// where that depends on what they become.
    pub fn wants_raw(&self, raw: &[u8], marks: ByteMarks) -> Option<bool> {
        if !marks.may_have_reference() && Converter::is_text(raw) {
            return Some(self.wants(raw));
        }
        let may_be = self.may_want(raw, marks.has_colon_or_reference());
        if may_be { None } else { Some(false) }
    }

    /// Returns the way in which a value is read that has no kind; `None` where it is not wanted.
    pub fn reading_of_text(&self, (raw, marks): (&[u8], ByteMarks)) -> Option<ValueReading> {
        match self.wants_raw(raw, marks) {
            None => Some(ValueReading::Attribute(AttributeKind::Other)),
            Some(is_wanted) => is_wanted.then_some(ValueReading::Wanted),
        }
    }

    /// Writes a reference of any scheme, whose `text` is in the window, at the offset `at`.
    #[inline]
    pub fn reference(
        &mut self,
        (text, at): (&[u8], usize),
        position: &AttributePosition,
        out: &mut Output,
    ) {
        let range = trimmed(text, 0..text.len());
        let link = self.positions.attribute(position);
        self.write_reference((&text[range.clone()], at + range.start), link, out);
    }

    /// Writes a reference that is in the window, without blanks at its edges.
    fn write_reference(
        &mut self,
        (text, at): (&[u8], usize),
        link: Option<Arc<OwnedLink>>,
        out: &mut Output,
    ) {
        if depends_on_base(text) {
            self.writer.need_base(out);
        }
        let mut value = MarkupValue::new(0, ValueKind::Reference(Schemes::Any));
        value.link = link;
        value.base = self.writer.base();
        self.writer.value(at..at + text.len(), value, out);
    }

    /// Whether a text is wanted for its mentions.
    pub fn wants(&self, text: &[u8]) -> bool {
        self.mentions.wants(text, &*self.colons)
    }
}

#[cfg(test)]
impl From<Mentions> for Surroundings {
    fn from(mentions: Mentions) -> Surroundings {
        Surroundings::of(&ContentReading {
            mentions,
            ..ContentReading::default()
        })
    }
}

/// A value that is being written.
pub(in crate::decode::markup) struct ValueWriter<'w> {
    around: &'w mut Surroundings,
    out: &'w mut Output,
    position: ValuePosition<'w>,
    /// The offset of its bytes in the window.
    at: usize,
    source: SourceText<'w>,
    /// The way to the bytes, used from left to right.
    places: Option<Places<'w>>,
    /// The end of the written part of the text.
    done: usize,
}

/// The events that a value of the text becomes.
struct ValuePart {
    /// The range in the text of the source.
    range: Range<usize>,
    kind: ValueKind,
    link: Option<Arc<OwnedLink>>,
    pointer: Option<Arc<PointerPath>>,
    /// Whether `range` has escapes: its text is then in the buffers.
    is_escaped: bool,
    is_of_style: bool,
}

impl<'w> ValueWriter<'w> {
    /// Begins a value at the offset `at` of the window.
    pub fn new(
        around: &'w mut Surroundings,
        out: &'w mut Output,
        at: usize,
        source: SourceText<'w>,
        position: ValuePosition<'w>,
    ) -> ValueWriter<'w> {
        ValueWriter {
            around,
            out,
            position,
            at,
            source,
            places: source.map.map(|map| map.places(source.text)),
            done: 0,
        }
    }

    /// Writes the value.
    pub fn write(mut self, reading: ValueReading) {
        let text = self.source.text;
        match reading {
            ValueReading::Attribute(AttributeKind::Url) => self.reference(0..text.len()),
            ValueReading::Attribute(AttributeKind::Blanks) => {
                lists::by_blanks(text).for_each(|url| self.reference(url));
            }
            ValueReading::Attribute(AttributeKind::Commas) => {
                lists::by_commas(text).for_each(|url| self.reference(url));
            }
            ValueReading::Attribute(AttributeKind::Srcset) => {
                srcset::urls(text).for_each(|url| self.reference(url));
            }
            ValueReading::Attribute(AttributeKind::UrlLike) => {
                if url_like::is_url_like(text) {
                    return self.reference(0..text.len());
                }
                self.text(text.len());
            }
            ValueReading::Attribute(AttributeKind::SrcsetLike) => {
                for url in srcset::urls(text) {
                    if url_like::is_url_like(&text[url.clone()]) {
                        self.text(url.start);
                        self.reference(url);
                    }
                }
                self.text(text.len());
            }
            ValueReading::Attribute(AttributeKind::Onclick) => {
                if let Some(url) = onclick::url(text) {
                    self.text(url.start);
                    self.reference(url);
                }
                self.text(text.len());
            }
            ValueReading::Refresh => {
                if let Some(url) = refresh::url(text) {
                    self.reference(url);
                }
            }
            ValueReading::Attribute(AttributeKind::Css) => self.css(false),
            ValueReading::StyleElement { is_cut } => self.css(is_cut),
            ValueReading::Json { kind, is_cut } => self.json(kind, is_cut),
            ValueReading::Wanted => self.wanted_text(0..text.len()),
            ValueReading::Attribute(_) => self.text(text.len()),
        }
    }

    fn css(&mut self, is_cut: bool) {
        let text = self.source.text;
        for url in css::urls(text) {
            if is_cut && url.end == text.len() {
                break;
            }
            self.text(url.start);
            let is_escaped = memchr::memchr(b'\\', &text[url.clone()]).is_some();
            let mut range = url.clone();
            if is_escaped {
                self.around.buffers.unescaped.clear();
                css::unescape(&text[url], &mut self.around.buffers.unescaped);
            } else {
                range = trimmed(text, url);
            }
            let mut written = self.link(range);
            (written.is_escaped, written.is_of_style) = (is_escaped, true);
            self.push(written);
        }
        self.text(text.len());
    }

    fn json(&mut self, kind: ScriptJson, is_cut: bool) {
        let text = self.source.text;
        let mut open = std::mem::take(&mut self.around.buffers.open);
        let mut strings = kind.strings(text, &mut open);
        while let Some(string) = strings.next() {
            if is_cut && string.end == text.len() {
                break;
            }
            let inside = &text[string.clone()];
            let is_escaped = memchr::memchr(b'\\', inside).is_some();
            let buffers = &mut self.around.buffers;
            if is_escaped {
                buffers.unescaped.clear();
                buffers.unescaped_map.clear();
                let map = Some(&mut buffers.unescaped_map);
                unescape(inside, &mut buffers.unescaped, map);
            }
            let value = if is_escaped {
                &buffers.unescaped
            } else {
                inside
            };
            buffers.pointer.clear();
            let pointer = strings.pointer(&mut buffers.pointer);
            let pointer = pointer.then_some(&buffers.pointer[..]);
            if !kind.may_be_link(value, pointer) {
                continue;
            }
            let pointer = pointer.map(|pointer| Arc::new(PointerPath::whole(pointer)));
            let range = match is_escaped {
                true => string,
                false => trimmed(text, string),
            };
            self.text(range.start);
            let written = ValuePart {
                range,
                kind: ValueKind::Reference(kind.schemes()),
                link: self.link_position(),
                pointer,
                is_escaped,
                is_of_style: false,
            };
            self.push(written);
        }
        self.around.buffers.open = open;
        self.text(text.len());
    }

    /// Writes a reference without escapes.
    fn reference(&mut self, range: Range<usize>) {
        let range = trimmed(self.source.text, range);
        if self.places.is_some() {
            let written = self.link(range);
            return self.push(written);
        }
        let link = self.link_position();
        let place = (&self.source.text[range.clone()], self.at + range.start);
        self.around.write_reference(place, link, self.out);
        self.done = range.end;
    }

    /// Returns a reference of any scheme, without escapes.
    fn link(&mut self, range: Range<usize>) -> ValuePart {
        ValuePart {
            range,
            kind: ValueKind::Reference(Schemes::Any),
            link: self.link_position(),
            pointer: None,
            is_escaped: false,
            is_of_style: false,
        }
    }

    /// Writes the text up to `end` that was not written yet.
    fn text(&mut self, end: usize) {
        let range = self.done..end.max(self.done);
        if self.around.wants(&self.source.text[range.clone()]) {
            self.wanted_text(range);
        }
    }

    fn wanted_text(&mut self, range: Range<usize>) {
        let link = match self.position {
            ValuePosition::Attribute(position) => self.around.positions.attribute(&position.text()),
            ValuePosition::Element(_, text) => self.around.positions.text(text),
            ValuePosition::Link(_) => self.around.positions.text(TextPosition::Text),
        };
        self.push(ValuePart {
            range,
            kind: ValueKind::Text { continues: false },
            link,
            pointer: None,
            is_escaped: false,
            is_of_style: false,
        });
    }

    fn link_position(&mut self) -> Option<Arc<OwnedLink>> {
        match self.position {
            ValuePosition::Attribute(position) => self.around.positions.attribute(&position),
            ValuePosition::Element(link, _) => self.around.positions.text(link),
            ValuePosition::Link(link) => link.cloned(),
        }
    }

    /// Returns the bytes of a range of the text, as a range of the window.
    fn bytes(&mut self, range: Range<usize>) -> Range<usize> {
        let (raw, len) = match &mut self.places {
            None => (range.start as u64, range.len() as u64),
            Some(places) => places.span(range),
        };
        let start = self.at + raw as usize;
        start..start + len as usize
    }

    fn push(&mut self, written: ValuePart) {
        let ValuePart { kind, range, .. } = written;
        let text = &self.source.text[range.clone()];
        self.done = range.end;
        let bytes = self.bytes(range.clone());
        let is_any = kind == ValueKind::Reference(Schemes::Any);
        let mut value = MarkupValue::new(0, kind);
        value.link = written.link;
        value.place = written.pointer.map(DataPlace::Json);
        value.is_of_style = written.is_of_style;
        let value_text = match written.is_escaped {
            true => &self.around.buffers.unescaped[..],
            false => text,
        };
        if is_any && depends_on_base(value_text) {
            self.around.writer.need_base(self.out);
        }
        value.base = self.around.writer.base();
        if written.is_escaped || self.places.is_some() {
            let target = self.around.writer.target(self.out);
            target.text.extend_from_slice(value_text);
            let map = (!is_any).then(|| {
                let (number, map) = target.add_map();
                match (&mut self.places, written.is_escaped) {
                    (None, false) => {}
                    (None, true) => {
                        let unescaped = &self.around.buffers.unescaped_map;
                        unescaped.part_into(0..value_text.len(), value_text, map);
                    }
                    (Some(places), false) => {
                        places.part_into(range.clone(), map);
                    }
                    (Some(places), true) => {
                        places.part_into(range.clone(), &mut self.around.buffers.part);
                        let part = &self.around.buffers.part;
                        let unescaped = &self.around.buffers.unescaped_map;
                        unescaped.compose_into(value_text, part, text, map);
                    }
                }
                number
            });
            value.decoded = Some(DecodedValue {
                len: value_text.len(),
                map,
            });
        }
        self.around.writer.value(bytes, value, self.out);
    }
}

/// Returns `range` of `text` without the characters that the URL Standard strips from
/// its edges.
fn trimmed(text: &[u8], range: Range<usize>) -> Range<usize> {
    let inside = &text[range.clone()];
    let is_kept = |byte: &u8| *byte > b' ';
    let Some(first) = inside.iter().position(is_kept) else {
        return range.start..range.start;
    };
    let last = inside.iter().rposition(is_kept).unwrap_or(first);
    range.start + first..range.start + last + 1
}

/// Whether the base may matter to a reference: it is relative, if only by the rules of
/// the URL Standard.
fn depends_on_base(reference: &[u8]) -> bool {
    const SPECIAL: [&[u8]; 6] = [b"http", b"https", b"ws", b"wss", b"ftp", b"file"];
    if plain_url::host_at(reference).is_some() {
        return false;
    }
    let Some(len) = scheme::prefix_len(reference) else {
        return true;
    };
    let (scheme, rest) = reference.split_at(len);
    !rest.starts_with(b"://")
        && SPECIAL
            .iter()
            .any(|special| scheme.eq_ignore_ascii_case(special))
}
