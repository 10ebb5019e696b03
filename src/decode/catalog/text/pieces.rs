//! The characters of a decoded text, each with its raw bytes. The text is written in
//! normalization form C, with a map back to the bytes.

use crate::item::OffsetMap;
use std::ops::Range;
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The number of characters that wait to be written, or of marks that wait for their letter:
/// a character takes more memory than bytes in the text.
pub(in crate::decode::catalog) const WAITING_MAX: usize = 4096;

/// A character of a text, and the raw bytes from which it was decoded.
#[derive(Clone, Debug)]
pub(in crate::decode::catalog) struct TextPiece {
    pub char: char,
    pub raw: Range<usize>,
}

/// The characters of a text that is decoded.
#[derive(Debug)]
pub(in crate::decode::catalog) struct TextPieces<'d> {
    /// The pieces that are not written yet.
    pub pieces: &'d mut Vec<TextPiece>,
    /// Whether characters are unknown.
    pub is_lossy: bool,
    /// The text into which the pieces are written; `None` if they are kept.
    pub written: Option<NormalizedText<'d>>,
}

impl TextPieces<'_> {
    /// Adds a character that these raw bytes encode.
    pub fn push(&mut self, char: char, raw: Range<usize>) {
        let waiting = self.pieces.len();
        if waiting >= WAITING_MAX && (is_boundary(char) || waiting >= 2 * WAITING_MAX) {
            self.write();
        }
        self.pieces.push(TextPiece { char, raw });
    }

    /// Adds characters, and removes them from `pieces`.
    pub fn append(&mut self, pieces: &mut Vec<TextPiece>) {
        for TextPiece { char, raw } in pieces.drain(..) {
            self.push(char, raw);
        }
    }

    /// Adds a replacement for these raw bytes.
    pub fn lose(&mut self, raw: Range<usize>) {
        self.is_lossy = true;
        self.push(char::REPLACEMENT_CHARACTER, raw);
    }

    /// Writes the characters that wait.
    pub fn write(&mut self) {
        if let Some(written) = &mut self.written {
            written.write(self.pieces);
            self.pieces.clear();
        }
    }
}

/// A text in normalization form C.
#[derive(Debug)]
pub(in crate::decode::catalog) struct NormalizedText<'d> {
    out: &'d mut Vec<u8>,
    map: Option<&'d mut OffsetMap>,
    /// The start of the text in `out`.
    start: usize,
    /// The raw offset of the next piece if it follows without a gap.
    goes_on: usize,
}

impl<'d> NormalizedText<'d> {
    /// Begins a text after the content of `out`, with the map back to its bytes in
    /// `map`.
    pub fn new(out: &'d mut Vec<u8>, map: Option<&'d mut OffsetMap>) -> NormalizedText<'d> {
        NormalizedText {
            start: out.len(),
            out,
            map,
            goes_on: 0,
        }
    }

    /// Writes `pieces`. Characters that normalization joins or reorders become one unit of the
    /// map.
    fn write(&mut self, pieces: &[TextPiece]) {
        let mut at = 0;
        while at < pieces.len() {
            let next = pieces[at + 1..]
                .iter()
                .position(|piece| is_boundary(piece.char));
            let cluster = &pieces[at..next.map_or(pieces.len(), |len| at + 1 + len)];
            at += cluster.len();
            let from = self.out.len();
            let raw = cluster.iter().fold(cluster[0].raw.clone(), |raw, piece| {
                raw.start.min(piece.raw.start)..raw.end.max(piece.raw.end)
            });
            for char in cluster.iter().map(|piece| piece.char).nfc() {
                let bytes = &mut [0; 4];
                self.out
                    .extend_from_slice(char.encode_utf8(bytes).as_bytes());
            }
            let len = self.out.len() - from;
            if let Some(map) = &mut self.map {
                let is_byte = len == 1 && raw.len() == 1;
                if !is_byte || raw.start != self.goes_on {
                    let lens = [len, raw.len()].map(|len| u32::try_from(len).unwrap_or(u32::MAX));
                    map.push_unit(from - self.start, raw.start as u64, lens[0], lens[1]);
                }
            }
            self.goes_on = raw.end;
        }
    }
}

/// Whether normalization changes nothing across the place before `char`.
fn is_boundary(char: char) -> bool {
    char.is_ascii()
        || canonical_combining_class(char) == 0
            && is_nfc_quick(std::iter::once(char)) == IsNormalized::Yes
}
