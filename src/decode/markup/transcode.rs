//! Content that is converted as a whole before it is decoded: documents in UTF-16 and
//! ISO-2022-JP, in which markup cannot be split on raw bytes, and the bodies of mail. The
//! events of the inner decoder are translated to raw bytes.

use super::super::event::{Decode, Event, Output};
use super::super::mail_note::MailNote;
use super::super::utf16::{Endian, Utf16Decoder};
use super::iso_2022_jp::Iso2022Jp;
use super::map_writer::MappedText;
use super::nested::{DecodedText, Nested};
use crate::item::{Encoding, OffsetMap};
use std::fmt::Debug;

/// Converts content for a decoder.
#[derive(Debug)]
pub(in crate::decode) struct Transcoded<S, D> {
    inner: D,
    source: S,
    /// The text that the inner decoder has not read, with its map to the bytes that were
    /// not read.
    converted: MappedText,
    /// The number of these bytes that were converted.
    converted_len: usize,
    nested: Nested,
    output: Output,
    notes: Vec<MailNote>,
}

/// A conversion of content, piece by piece.
pub(in crate::decode) trait ConvertText: Debug + Send {
    /// Converts whole units at the start of `bytes`, which begin `raw` bytes after the bytes
    /// of the text, and appends them. Returns the number of bytes that were converted: of the
    /// `last` ones, all. Every byte that is not converted must be pushed again.
    fn convert(
        &mut self,
        bytes: (&[u8], usize),
        last: bool,
        out: &mut MappedText,
        notes: &mut Vec<MailNote>,
    ) -> usize;

    /// Returns the number of bytes at the start of `bytes` that stay as they are, if `last`
    /// all of them. `convert` goes on behind them.
    fn plain(&mut self, _bytes: &[u8], _last: bool) -> usize {
        0
    }
}

/// The bytes that are converted.
#[derive(Debug)]
pub(super) enum SourceEncoding {
    Utf16(Endian),
    Iso2022Jp(Iso2022Jp),
}

impl ConvertText for SourceEncoding {
    fn convert(
        &mut self,
        bytes: (&[u8], usize),
        last: bool,
        out: &mut MappedText,
        _: &mut Vec<MailNote>,
    ) -> usize {
        match self {
            SourceEncoding::Utf16(endian) => convert_utf16(*endian, bytes, last, out),
            SourceEncoding::Iso2022Jp(decoder) => decoder.decode(bytes, last, out),
        }
    }
}

/// Converts whole characters of UTF-16 at the start of `bytes`, which begin `raw` bytes after
/// the bytes of the text. Returns the number of bytes that were converted: of the `last` ones,
/// all.
pub(in crate::decode) fn convert_utf16(
    endian: Endian,
    (bytes, raw): (&[u8], usize),
    last: bool,
    MappedText { text, map }: &mut MappedText,
) -> usize {
    let mut len = bytes.len() & !1;
    let high = match endian {
        Endian::Little => 1,
        Endian::Big => 0,
    };
    // A high surrogate waits for its low one.
    let is_high = |unit: &[u8]| unit[high] & 0xFC == 0xD8;
    if !last && len > 0 && is_high(&bytes[len - 2..len]) {
        len -= 2;
    }
    let mut decoder = Utf16Decoder::new(endian);
    decoder.decode(&bytes[..len], text);
    decoder.finish(text);
    let lone = &bytes[len..];
    if last && !lone.is_empty() {
        let at = text.len();
        decoder.decode(lone, text);
        decoder.finish(text);
        let units = (text.len() - at) as u32;
        map.push_unit(at, (raw + len) as u64, units, lone.len() as u32);
        len += lone.len();
    }
    len
}

impl<D: Decode> Transcoded<SourceEncoding, D> {
    /// Creates a decoder of a document whose text, in UTF-8, `inner` decodes.
    pub fn new(source: SourceEncoding, inner: D) -> Transcoded<SourceEncoding, D> {
        let map = source.map();
        Transcoded::mapped(source, inner, map, Nested::default())
    }
}

impl SourceEncoding {
    /// Returns the map of the empty text.
    pub fn map(&self) -> OffsetMap {
        match self {
            SourceEncoding::Utf16(_) => OffsetMap::of(Encoding::Utf16),
            SourceEncoding::Iso2022Jp(_) => OffsetMap::IDENTITY,
        }
    }
}

impl<S, D> Transcoded<S, D> {
    /// Creates a decoder of a body all of which is converted for `inner`. The text that
    /// nothing is in yet has the map `map`.
    pub fn whole(source: S, inner: D, map: OffsetMap) -> Transcoded<S, D> {
        Transcoded::mapped(source, inner, map, Nested::whole())
    }

    fn mapped(source: S, inner: D, map: OffsetMap, nested: Nested) -> Transcoded<S, D> {
        Transcoded {
            inner,
            source,
            converted: MappedText {
                text: Vec::new(),
                map,
            },
            converted_len: 0,
            nested,
            output: Output::default(),
            notes: Vec::new(),
        }
    }
}

impl<S: ConvertText, D: Decode> Decode for Transcoded<S, D> {
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        if self.converted_len == 0 && self.converted.text.is_empty() {
            let plain = self.source.plain(bytes, last);
            if plain > 0 {
                let is_last = last && plain == bytes.len();
                let events = out.events.len();
                let read = self.inner.push(&bytes[..plain], is_last, out);
                self.nested.note_plain(&out.events[events..]);
                let (text, rest) = (&mut self.converted.text, &bytes[read..plain]);
                text.extend_from_slice(rest);
                self.converted_len = rest.len();
                if is_last || plain == bytes.len() {
                    return read;
                }
                return read + self.convert(&bytes[read..], last, out);
            }
        }
        self.convert(bytes, last, out)
    }
}

impl<S: ConvertText, D: Decode> Transcoded<S, D> {
    fn convert(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        let more = (&bytes[self.converted_len..], self.converted_len);
        let (converted, notes) = (&mut self.converted, &mut self.notes);
        self.converted_len += self.source.convert(more, last, converted, notes);
        out.events.extend(notes.drain(..).map(Event::Mail));
        let MappedText { text, map } = &mut self.converted;
        self.output.clear();
        let read = self.inner.push(text, last, &mut self.output);
        let source = DecodedText {
            text,
            map,
            raw_len: self.converted_len as u64,
        };
        let mut raw = self.nested.translate(&self.output, source, out) as usize;
        if read > 0 {
            let mut rest = OffsetMap::IDENTITY;
            map.part_into(read..text.len(), text, &mut rest);
            *map = rest;
            text.drain(..read);
        }
        if last && raw < self.converted_len {
            // Bytes that belong to no character.
            let rest = self.converted_len - raw;
            out.events.push(Event::Skipped(rest));
            raw += rest;
        }
        self.converted_len -= raw;
        raw
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::event::{DecodedValue, DocumentBase, MarkupValue, ValueKind};
    use super::*;
    use crate::decode::in_pieces::push_in_pieces;
    use crate::item::Schemes;
    use encoding_rs::ISO_2022_JP;
    use proptest::prelude::*;

    /// Reads words, each up to a blank: `t…` is text, `v…` a reference, `b…` a base;
    /// others are references in which `_` before a character is an escape.
    #[derive(Debug, Default)]
    struct Words;

    impl Decode for Words {
        fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
            let end = bytes.iter().rposition(|&byte| byte == b' ');
            let end = if last {
                bytes.len()
            } else {
                end.map_or(0, |at| at + 1)
            };
            let mut at = 0;
            for word in bytes[..end].split_inclusive(|&byte| byte == b' ') {
                let len = word.trim_ascii_end().len();
                let mut value = MarkupValue::new(len, ValueKind::Reference(Schemes::Any));
                value.base = 1;
                let event = match word[0] {
                    b't' => Event::Text(len),
                    b'v' => Event::Value(value),
                    b'b' => {
                        out.events.push(Event::Base(DocumentBase {
                            number: 1,
                            parent: DocumentBase::DOCUMENT,
                            reference: word.to_vec(),
                        }));
                        Event::Skipped(len)
                    }
                    _ => {
                        let (mut text, mut map) = (Vec::new(), OffsetMap::IDENTITY);
                        let mut read = 0;
                        while read < len {
                            if word[read] == b'_' && read + 1 < len {
                                map.push_unit(text.len(), read as u64, 1, 2);
                                read += 1;
                            }
                            text.push(word[read]);
                            read += 1;
                        }
                        out.text.extend_from_slice(&text);
                        let (number, own) = out.add_map();
                        *own = map;
                        let (len, map) = (text.len(), Some(number));
                        value.decoded = Some(DecodedValue { len, map });
                        Event::Value(value)
                    }
                };
                out.events.push(event);
                if len < word.len() {
                    out.events.push(Event::Skipped(word.len() - len));
                }
                at += word.len();
            }
            at
        }
    }

    /// Returns the values of `raw`, pushed in pieces of these sizes: the raw bytes of each
    /// and its text. Checks that its map leads from the text to these bytes.
    fn values(
        source: SourceEncoding,
        raw: &[u8],
        sizes: &[usize],
        again: fn(&[u8]) -> String,
    ) -> Vec<(Vec<u8>, String)> {
        let mut decoder = Transcoded::new(source, Words);
        decoder.nested = Nested::new(7, 10);
        let mut values = Vec::new();
        push_in_pieces(&mut decoder, raw, sizes, |pushed| match pushed.event {
            Event::Skipped(_) => {}
            Event::Base(base) => assert_eq!((base.number, base.parent), (11, 7)),
            Event::Value(value) => {
                let (bytes, own) = (pushed.raw, str::from_utf8(pushed.text).unwrap());
                let mut places = pushed.map.unwrap().places(own.as_bytes());
                for (at, char) in own.char_indices() {
                    let (from, len) = places.span(at..at + char.len_utf8());
                    let char_bytes = &bytes[from as usize..(from + len) as usize];
                    let found = again(char_bytes);
                    assert!(
                        !char.is_ascii() || found.ends_with(char),
                        "{char} {bytes:x?}"
                    );
                }
                if let ValueKind::Text { continues } = value.kind {
                    assert!(!continues || own.starts_with('t'));
                } else {
                    assert_eq!(value.base, 11);
                }
                values.push((bytes.to_vec(), own.to_owned()));
            }
            other => panic!("{other:?}"),
        });
        values
    }

    /// The texts that the words of `text` become.
    fn wanted(text: &str) -> Vec<String> {
        let words = text
            .split_inclusive(' ')
            .map(|word| word.trim_end_matches(' '));
        let words = words.filter(|word| !word.starts_with('b'));
        let unescaped = |word: &str| match word.chars().next() {
            Some('t' | 'v') => word.to_owned(),
            _ => {
                let mut chars = word.chars().peekable();
                let mut text = String::new();
                while let Some(char) = chars.next() {
                    let is_escape = char == '_' && chars.peek().is_some_and(char::is_ascii);
                    text.push(if is_escape {
                        chars.next().unwrap()
                    } else {
                        char
                    });
                }
                text
            }
        };
        words.map(unescaped).collect()
    }

    proptest! {
        #[test]
        fn events_count_raw_bytes(
            text in "([tvbd][a日é😀]{0,3}(_[a_])?日? ){0,6}",
            endian in prop::sample::select(vec![Endian::Little, Endian::Big]),
            sizes in prop::collection::vec(1usize..9, 1..20),
        ) {
            let units = text.encode_utf16().flat_map(|unit| match endian {
                Endian::Little => unit.to_le_bytes(),
                Endian::Big => unit.to_be_bytes(),
            });
            let raw: Vec<u8> = units.collect();
            let little: fn(&[u8]) -> String = |raw| {
                let (text, _) = encoding_rs::UTF_16LE.decode_without_bom_handling(raw);
                text.into_owned()
            };
            let big: fn(&[u8]) -> String = |raw| {
                let (text, _) = encoding_rs::UTF_16BE.decode_without_bom_handling(raw);
                text.into_owned()
            };
            let again = if endian == Endian::Little { little } else { big };
            let found = values(SourceEncoding::Utf16(endian), &raw, &sizes, again);
            let texts: Vec<String> = found.iter().map(|value| value.1.clone()).collect();
            prop_assert_eq!(texts, wanted(&text));
            for (bytes, text) in found {
                if !text.starts_with('d') {
                    prop_assert_eq!(again(&bytes), text);
                }
            }
        }

        #[test]
        fn escape_sequences_belong_to_no_character(
            text in "([tvbd][a日本]{0,3}(_[a_])?日? ){0,6}",
            sizes in prop::collection::vec(1usize..9, 1..20),
        ) {
            let (raw, _, _) = ISO_2022_JP.encode(&text);
            let source = SourceEncoding::Iso2022Jp(Iso2022Jp::default());
            let again: fn(&[u8]) -> String = |raw| String::from_utf8_lossy(raw).into_owned();
            let found = values(source, &raw, &sizes, again);
            let texts: Vec<String> = found.iter().map(|value| value.1.clone()).collect();
            prop_assert_eq!(texts, wanted(&text));
        }
    }

    #[test]
    fn a_lone_last_byte_is_damage() {
        let raw = b"\0v\0a\xD8\0\0";
        let again: fn(&[u8]) -> String = |raw| String::from_utf8_lossy(raw).into_owned();
        let found = values(SourceEncoding::Utf16(Endian::Big), raw, &[1], again);
        let text = "va\u{FFFD}\u{FFFD}".to_owned();
        assert_eq!(found, [(raw.to_vec(), text)]);
    }
}
