//! Documents in UTF-16 and ISO-2022-JP, in which markup cannot be split on raw bytes:
//! they are converted to UTF-8 as a whole, and the events of the inner decoder are
//! translated to raw bytes.

use super::super::event::{Decode, Output};
use super::super::utf16::{Endian, Utf16Decoder};
use super::iso_2022_jp::Iso2022Jp;
use super::nested::{DecodedText, Nested};
use crate::item::{Encoding, OffsetMap};

/// Gives UTF-8 to a decoder.
#[derive(Debug)]
pub(super) struct Transcoded<D> {
    inner: D,
    source: Source,
    /// The text that the inner decoder has not read, and its map to the bytes that were
    /// not read.
    text: Vec<u8>,
    map: OffsetMap,
    /// The number of these bytes that were converted.
    converted: usize,
    nested: Nested,
    output: Output,
}

/// What is converted.
#[derive(Debug)]
pub(super) enum Source {
    Utf16(Endian),
    Iso2022Jp(Iso2022Jp),
}

impl Source {
    /// Converts whole characters at the start of `bytes`, which are `raw` bytes after
    /// those of the text. Returns how many bytes were converted: all of the `last` ones.
    fn convert(
        &mut self,
        (bytes, raw): (&[u8], usize),
        last: bool,
        text: &mut Vec<u8>,
        map: &mut OffsetMap,
    ) -> usize {
        match self {
            Source::Utf16(endian) => convert_utf16(*endian, (bytes, raw), last, text, map),
            Source::Iso2022Jp(decoder) => decoder.decode((bytes, raw), last, text, map),
        }
    }
}

fn convert_utf16(
    endian: Endian,
    (bytes, raw): (&[u8], usize),
    last: bool,
    text: &mut Vec<u8>,
    map: &mut OffsetMap,
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

impl<D: Decode> Transcoded<D> {
    /// Creates a decoder of a document whose text, in UTF-8, `inner` decodes.
    pub fn new(source: Source, inner: D) -> Transcoded<D> {
        let map = match &source {
            Source::Utf16(_) => OffsetMap::of(Encoding::Utf16),
            Source::Iso2022Jp(_) => OffsetMap::IDENTITY,
        };
        Transcoded {
            inner,
            source,
            text: Vec::new(),
            map,
            converted: 0,
            nested: Nested::default(),
            output: Output::default(),
        }
    }
}

impl<D: Decode> Decode for Transcoded<D> {
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        let more = (&bytes[self.converted..], self.converted);
        self.converted += self
            .source
            .convert(more, last, &mut self.text, &mut self.map);
        self.output.clear();
        let read = self.inner.push(&self.text, last, &mut self.output);
        let source = DecodedText {
            text: &self.text,
            map: &self.map,
            raw_len: self.converted as u64,
        };
        let raw = self.nested.translate(&self.output, source, out) as usize;
        let mut rest = OffsetMap::IDENTITY;
        self.map
            .part_into(read..self.text.len(), &self.text, &mut rest);
        self.map = rest;
        self.text.drain(..read);
        self.converted -= raw;
        raw
    }
}
