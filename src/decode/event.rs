//! The events by which a decoder describes the bytes that are pushed into it.

use super::json::PointerPath;
use super::log::LogRequest;
use super::mail_note::MailNote;
use super::record_damage::RecordDamage;
use crate::item::{
    Charset, Encoding, LossKind, OffsetMap, OwnedLink, OwnedMarc, Part, Schemes, Timestamp, Wrapper,
};
use std::fmt::Debug;
use std::sync::Arc;

/// The number of events, and of bytes of texts, whose memory is kept for other ones.
const SPARE_EVENTS: usize = 1 << 16;
const SPARE_TEXT: usize = 4 << 20;

/// Describes the next bytes of a body. The lengths of all events add up to the bytes
/// that were read.
///
/// ```
/// use urisieve::decode::{Event, Output, decoder};
/// use urisieve::item::Part;
/// let mut out = Output::default();
/// let part = Part { media_type: b"application/http".to_vec(), ..Part::default() };
/// let mut http = decoder(&part, &Default::default());
/// let message = b"HTTP/1.1 301\r\nLocation: /b\r\n\r\nmoved";
/// assert_eq!(http.push(message, true, &mut out), message.len());
/// let is_reference = |event: &Event| matches!(event, Event::Reference(r) if r.len == 2);
/// assert!(out.events.iter().any(is_reference));
/// assert!(out.events.contains(&Event::Body(5)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// This number of bytes belongs to the format and is not searched.
    Skipped(usize),
    /// This number of bytes is text to scan, which continues the text directly before
    /// it.
    Text(usize),
    /// This number of bytes was decoded to text to scan, the next of [`Output::text`],
    /// which continues the text directly before it.
    Decoded {
        /// The number of bytes that were read.
        raw: usize,
        /// The length of the text.
        len: usize,
        /// The relation of the text to the raw bytes.
        encoding: Encoding,
    },
    /// Bytes that are one URI reference.
    Reference(Delimited),
    /// A body begins inside this one.
    Part(Arc<Part>),
    /// This number of bytes belongs to the inner body.
    Body(usize),
    /// The inner body ends.
    PartEnd,
    /// The format is violated, and the decoded bytes may be wrong.
    Suspect(&'static str),
    /// The next bytes are a value of markup, or a part of one.
    Value(MarkupValue),
    /// The base of the values that name it. The event precedes them.
    Base(DocumentBase),
    /// The encoding of the document. The event precedes the values.
    Charset(Charset),
    /// The body describes a page: the response in another record of the archive.
    Page,
    /// The next thing exceeds a limit of the decoder, and is not decoded as the format
    /// demands. The cause names the limit.
    Unsupported(&'static str),
    /// A record of a catalogue is damaged, or bytes belong to no record.
    Damaged(RecordDamage),
    /// An archive in the body is damaged, or is not read.
    Lost(Box<LossKind>),
    /// A mail departs from its rules, or exceeds a limit.
    Mail(MailNote),
    /// A record of data or a message of a mailbox begins.
    Record,
    /// The record of data that begins is a request (G1). Its values follow.
    Request(Box<LogRequest>),
    /// The record of data that begins states a time, but no request (G15).
    RecordTime(Option<Timestamp>),
    /// The record of data ends that began with one of these events.
    RecordEnd,
    /// Something that is odd, but no damage: it is counted.
    Odd(DataOddity),
    /// Data are broken, and a value that was selected may be missing: the format and the cause.
    Broken(&'static str, &'static str),
    /// A table lacks a column that was selected. Nothing more of it is searched.
    NoColumn(Box<LackingColumn>),
}

/// A column that a table lacks.
///
/// ```
/// use urisieve::decode::LackingColumn;
/// let lacking = LackingColumn { column: "column 3".into(), columns: vec!["a".into()] };
/// assert_eq!(lacking.columns.len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LackingColumn {
    /// The column, as messages name it.
    pub column: String,
    /// The names of the columns that exist.
    pub columns: Vec<String>,
}

/// An oddity of data, which is only counted.
///
/// ```
/// use urisieve::decode::DataOddity;
/// assert_ne!(DataOddity::BrokenJson, DataOddity::WithoutField);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DataOddity {
    /// JSON is broken: the rest of the line is text (J7).
    BrokenJson,
    /// A value of JSON lacks every field that was selected (J6).
    WithoutField,
    /// The JSON Pointer of a value is not known or too long (J5).
    WithoutPointer,
    /// A quoted cell of a table has no end: its quotation mark is a character (C7).
    OpenQuote,
    /// A record states a request without a host (G9).
    NoHost,
    /// A record has the shape of a request, but states none (G4).
    Garbage,
}

/// A value of markup: a reference, or text that is searched for mentions.
///
/// ```
/// use urisieve::decode::{MarkupValue, ValueKind};
/// let value = MarkupValue::new(5, ValueKind::Text { continues: false });
/// assert!(value.decoded.is_none() && value.link.is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MarkupValue {
    /// The number of bytes directly before it that belong to the format and are not searched.
    pub skipped: usize,
    /// The number of bytes of the body that it covers: its raw bytes, with escapes.
    pub raw: usize,
    /// The text of the value, where that is not the raw bytes.
    pub decoded: Option<DecodedValue>,
    /// The kinds that the value may be of.
    pub kind: ValueKind,
    /// The position in the markup, shared by all values with the same one.
    pub link: Option<Arc<OwnedLink>>,
    /// The number of the base for a relative reference: [`DocumentBase::DOCUMENT`], or that of
    /// an earlier [`Event::Base`].
    pub base: u32,
    /// The place in data that are not markup.
    pub place: Option<DataPlace>,
    /// The wrapper of a reference in a field of a mail; `None` where the format decides.
    pub wrapper: Option<Wrapper>,
    /// Whether the query of a reference is encoded as UTF-8 whatever the encoding of the
    /// document: the reference is in a style sheet (HTML Standard, "encoding-parsing a URL").
    pub is_of_style: bool,
}

impl MarkupValue {
    /// Creates a value whose text is its raw bytes, without a position, relative to the
    /// document.
    ///
    /// ```
    /// use urisieve::decode::{DocumentBase, MarkupValue, ValueKind};
    /// use urisieve::item::Schemes;
    /// let value = MarkupValue::new(5, ValueKind::Reference(Schemes::Any));
    /// assert_eq!((value.raw, value.base), (5, DocumentBase::DOCUMENT));
    /// ```
    pub const fn new(raw: usize, kind: ValueKind) -> MarkupValue {
        MarkupValue {
            skipped: 0,
            raw,
            decoded: None,
            kind,
            link: None,
            base: DocumentBase::DOCUMENT,
            place: None,
            wrapper: None,
            is_of_style: false,
        }
    }
}

/// The place of a value in data that are not markup.
///
/// ```
/// use urisieve::decode::DataPlace;
/// assert_ne!(DataPlace::Table(1, b"url"[..].into()), DataPlace::Table(2, b"url"[..].into()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DataPlace {
    /// In a JSON text, as a JSON Pointer (RFC 6901).
    Json(Arc<PointerPath>),
    /// In this field of a catalogue record.
    Catalog(Arc<OwnedMarc>),
    /// In the field of a mail with this name, as written.
    Mail(Arc<[u8]>),
    /// In the row of a table with this number, from 1, and in the column with this name.
    Table(u64, Arc<[u8]>),
}

/// The decoded text of a value.
///
/// ```
/// use urisieve::decode::DecodedValue;
/// let decoded = DecodedValue { len: 4, map: None };
/// assert_eq!(decoded.len, 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodedValue {
    /// The length in bytes. The bytes are the next ones of [`Output::text`].
    pub len: usize,
    /// The number of the map, as [`Output::map`] takes it, from the text to the raw bytes of the
    /// value, counted from its first byte. Text that may be searched has a map.
    pub map: Option<u32>,
}

/// A kind of value in markup.
///
/// ```
/// use urisieve::decode::ValueKind;
/// assert_ne!(ValueKind::Text { continues: false }, ValueKind::Text { continues: true });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueKind {
    /// A reference as a whole: a link. With [`Schemes::Known`] the value is text unless
    /// a rule accepts all of it.
    Reference(Schemes),
    /// Text to scan: the URIs in it are mentions.
    Text {
        /// Whether the text continues that of the value directly before it.
        continues: bool,
    },
}

/// A base for relative references, as the document states it. Nothing is resolved yet.
///
/// ```
/// use urisieve::decode::DocumentBase;
/// let base = DocumentBase { number: 1, parent: DocumentBase::DOCUMENT, reference: b"/x/".to_vec() };
/// assert_ne!(base.number, base.parent);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentBase {
    /// The number by which values name the base. Another base may reuse the number.
    pub number: u32,
    /// The number of the base that `reference` is relative to. If it cannot be resolved,
    /// or is a `data:` or `javascript:` URL, this one is used in its place.
    pub parent: u32,
    /// The reference, decoded.
    pub reference: Vec<u8>,
}

impl DocumentBase {
    /// The number of the URI of the document itself.
    pub const DOCUMENT: u32 = 0;
}

/// A URI reference that its format delimits.
///
/// ```
/// use urisieve::{decode::Delimited, item::Wrapper};
/// let target = Delimited { wrapper: Wrapper::Angle, header: Some("link"), ..Delimited::new(5) };
/// assert_eq!(target.len, 5);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delimited {
    /// The length in bytes.
    pub len: usize,
    /// The wrapper in the text.
    pub wrapper: Wrapper,
    /// The header field that contains it, in lower case.
    pub header: Option<&'static str>,
    /// The position, if the value is a link.
    pub link: Option<Arc<OwnedLink>>,
}

impl Delimited {
    /// Creates a reference of this length, without wrapper and header field.
    ///
    /// ```
    /// use urisieve::{decode::Delimited, item::Wrapper};
    /// assert_eq!(Delimited::new(5).wrapper, Wrapper::None);
    /// ```
    pub const fn new(len: usize) -> Delimited {
        Delimited {
            len,
            wrapper: Wrapper::None,
            header: None,
            link: None,
        }
    }
}

/// The output of a decoder, a buffer that is reused.
///
/// ```
/// use urisieve::decode::{Event, Output, decoder};
/// use urisieve::item::{Encoding, Part};
/// let mut out = Output::default();
/// decoder(&Part::default(), &Default::default()).push(b"\xFF\xFEh\0i\0", true, &mut out);
/// let text = Event::Decoded { raw: 4, len: 2, encoding: Encoding::Utf16 };
/// assert_eq!((&out.events[..], &out.text[..]), (&[Event::Skipped(2), text][..], &b"hi"[..]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The events, in the order of the bytes.
    pub events: Vec<Event>,
    /// The texts of [`Event::Decoded`] and of decoded values, one after the other.
    pub text: Vec<u8>,
    /// The maps of decoded values; only the first ones are in use.
    maps: Vec<OffsetMap>,
    /// The number of maps in use.
    mapped: usize,
}

impl Output {
    /// Removes all events and texts.
    ///
    /// ```
    /// let mut out = urisieve::decode::Output::default();
    /// out.text.push(b'a');
    /// out.clear();
    /// assert!(out.text.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.events.clear();
        self.text.clear();
        self.mapped = 0;
    }

    /// Returns the output, or an empty one if its memory is large.
    pub(crate) fn recycle(self) -> Output {
        let is_large = self.events.capacity() > SPARE_EVENTS
            || self.text.capacity() > SPARE_TEXT
            || self.maps.len() > SPARE_EVENTS;
        if is_large { Output::default() } else { self }
    }

    /// Returns whether events may refer to a text or a map.
    pub(super) fn has_texts(&self) -> bool {
        !self.text.is_empty() || self.mapped > 0
    }

    /// Adds bytes that are skipped, to those directly before them.
    pub(super) fn skip(&mut self, len: usize) {
        match self.events.last_mut() {
            _ if len == 0 => {}
            Some(Event::Skipped(before)) => *before += len,
            _ => self.events.push(Event::Skipped(len)),
        }
    }

    /// Moves everything of `other` to the end, and leaves `other` empty.
    ///
    /// ```
    /// use urisieve::decode::{Event, Output};
    /// let (mut out, mut other) = (Output::default(), Output::default());
    /// other.events.push(Event::Text(2));
    /// out.append(&mut other);
    /// assert!(other.events.is_empty() && out.events == [Event::Text(2)]);
    /// ```
    pub fn append(&mut self, other: &mut Output) {
        if !self.has_texts() && self.events.len() <= other.events.len() {
            other.events.splice(0..0, self.events.drain(..));
            std::mem::swap(self, other);
            return other.clear();
        }
        let before = self.mapped as u32;
        for number in 0..other.mapped {
            std::mem::swap(self.add_map().1, &mut other.maps[number]);
        }
        self.text.append(&mut other.text);
        self.events.extend(other.events.drain(..).map(|mut event| {
            if let Event::Value(MarkupValue {
                decoded: Some(DecodedValue { map: Some(map), .. }),
                ..
            }) = &mut event
            {
                *map += before;
            }
            event
        }));
        other.clear();
    }

    /// Returns the map with this number, which [`DecodedValue::map`] states.
    ///
    /// ```
    /// use urisieve::{decode::Output, item::OffsetMap};
    /// let mut out = Output::default();
    /// let (number, _) = out.add_map();
    /// assert_eq!(out.map(number), &OffsetMap::IDENTITY);
    /// ```
    pub fn map(&self, number: u32) -> &OffsetMap {
        &self.maps[..self.mapped][number as usize]
    }

    /// Returns the map with this number, which [`Output::add_map`] returned, to be filled.
    ///
    /// ```
    /// let mut out = urisieve::decode::Output::default();
    /// let (number, _) = out.add_map();
    /// out.map_mut(number).push_unit(0, 0, 1, 2);
    /// assert_eq!(out.map(number).runs(), 1);
    /// ```
    pub fn map_mut(&mut self, number: u32) -> &mut OffsetMap {
        &mut self.maps[number as usize]
    }

    /// Adds an empty map, to be filled by the caller, and returns its number with it.
    ///
    /// ```
    /// use urisieve::{decode::Output, item::OffsetMap};
    /// let mut out = Output::default();
    /// assert_eq!(out.add_map(), (0, &mut OffsetMap::IDENTITY));
    /// ```
    pub fn add_map(&mut self) -> (u32, &mut OffsetMap) {
        if self.mapped == self.maps.len() {
            self.maps.push(OffsetMap::IDENTITY);
        }
        let number = self.mapped;
        self.mapped += 1;
        let map = &mut self.maps[number];
        map.clear();
        (number as u32, map)
    }
}

/// Decodes one body in pieces of any size. The same bytes yield the same events, except
/// that a text, a body or skipped bytes may be split into several events.
///
/// ```
/// use urisieve::decode::{Decode, Output, decoder};
/// use urisieve::item::Part;
/// let part = Part { media_type: b"message/http".to_vec(), ..Part::default() };
/// let mut http = decoder(&part, &Default::default());
/// // Nothing is decoded before the head is complete.
/// assert_eq!(http.push(b"HTTP/1.1 200 OK\r\n", false, &mut Output::default()), 0);
/// ```
pub trait Decode: Debug + Send {
    /// Whether its texts are those of a file of text, whose lines may be requests (G1).
    fn has_lines(&self) -> bool {
        false
    }

    /// Sets the offset in the input of the first byte that is pushed. Most decoders
    /// need no offsets.
    fn begin_at(&mut self, _offset: u64) {}

    /// Reads from `bytes` and appends events to `out`; `last` means that no bytes
    /// follow `bytes`. Returns the number of bytes that were read. The others must be
    /// pushed again, together with further bytes. When `last` is set, all bytes are
    /// read.
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an output with the events of `pieces`: a number is the length of a text of the
    /// input, a word a decoded value with a map, whose offset is the number of the word.
    fn output(pieces: &[&'static str]) -> Output {
        let mut out = Output::default();
        for (number, piece) in pieces.iter().enumerate() {
            if let Ok(len) = piece.parse() {
                out.events.push(Event::Text(len));
                continue;
            }
            let (map_number, map) = out.add_map();
            map.push(0, number as u64, Encoding::Utf16);
            out.text.extend_from_slice(piece.as_bytes());
            let mut value = MarkupValue::new(1, ValueKind::Text { continues: false });
            value.decoded = Some(DecodedValue {
                len: piece.len(),
                map: Some(map_number),
            });
            out.events.push(Event::Value(value));
        }
        out
    }

    /// Returns the pieces, and the raw offsets of the words.
    fn pieces(out: &Output) -> (Vec<String>, Vec<u64>) {
        let (mut at, mut raw) = (0, Vec::new());
        let pieces = out.events.iter().map(|event| match event {
            Event::Text(len) => len.to_string(),
            Event::Value(MarkupValue {
                decoded: Some(decoded),
                ..
            }) => {
                let text = &out.text[at..at + decoded.len];
                at += decoded.len;
                let map = out.map(decoded.map.unwrap());
                raw.push(map.places(text).raw(0));
                String::from_utf8_lossy(text).into_owned()
            }
            event => panic!("{event:?}"),
        });
        (pieces.collect(), raw)
    }

    /// Up to 128 bytes, the compiler copies a value without a call. A page has thousands.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn an_event_is_small() {
        assert!(size_of::<Event>() <= 80, "{}", size_of::<Event>());
    }

    #[test]
    fn what_is_appended_follows_with_its_texts_and_maps() {
        let lists: [&[&str]; 6] = [
            &[],
            &["1"],
            &["1", "2"],
            &["one"],
            &["1", "two", "3"],
            &["one", "2", "three", "four"],
        ];
        for first in lists {
            for second in lists {
                let (mut out, mut other) = (output(first), output(second));
                let (mut wanted, mut raw) = pieces(&out);
                let (behind, raw_behind) = pieces(&other);
                wanted.extend(behind);
                raw.extend(raw_behind);
                out.append(&mut other);
                assert_eq!(pieces(&out), (wanted, raw), "{first:?} {second:?}");
                assert!(other.events.is_empty() && other.text.is_empty() && other.mapped == 0);
            }
        }
    }

    #[test]
    fn only_small_memory_is_kept() {
        assert_eq!(output(&["1", "two"]).recycle().events.len(), 2);
        let mut large = output(&["1"]);
        large.text.reserve(SPARE_TEXT + 1);
        assert_eq!(large.recycle().events.capacity(), 0);
    }
}
