//! A piece of text as the stages receive it. It may continue the text that was scanned
//! before it, so a text need not be in memory as a whole.

use crate::item::{Encoding, OffsetMap, OwnedContext};

/// A piece of text.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct BlockPiece<'t> {
    pub bytes: &'t [u8],
    pub encoding: Encoding,
    /// The source of `bytes`, where `encoding` does not say all of it.
    pub decoded_from: Option<RawPiece<'t>>,
    /// The raw offset of its start.
    pub offset: u64,
    /// The raw offset from which the text may be damaged.
    pub doubt: Option<u64>,
    /// The context of what is found in it.
    pub context: &'t OwnedContext,
    /// Whether its lines may be requests (G1).
    pub lines: bool,
}

/// The raw bytes of a piece, and the way to them.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct RawPiece<'t> {
    pub bytes: &'t [u8],
    /// The encoding of its line feeds.
    pub encoding: RawEncoding,
    /// The map from the text, counted from the start of `bytes`; `None` where no text
    /// is searched.
    pub map: Option<&'t OffsetMap>,
}

/// The bytes of a line feed in raw bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::engine) enum RawEncoding {
    /// As one byte.
    #[default]
    Ascii,
    /// As two bytes, the lower one first or last.
    Utf16 { big_endian: bool },
}

impl BlockPiece<'_> {
    /// Returns the number of its raw bytes.
    pub(in crate::engine) fn raw_len(&self) -> u64 {
        match &self.decoded_from {
            Some(raw) => raw.bytes.len() as u64,
            None => self.encoding.raw_len(self.bytes),
        }
    }

    /// Calls `end` with the raw offset of the byte after each line feed.
    pub(in crate::engine) fn line_ends(&self, mut end: impl FnMut(u64)) {
        let (text, pair) = match &self.decoded_from {
            None => (self.bytes, None),
            Some(raw) => match raw.encoding {
                RawEncoding::Ascii => (raw.bytes, None),
                RawEncoding::Utf16 { big_endian } => (raw.bytes, Some(big_endian)),
            },
        };
        match (self.decoded_from.is_some(), pair) {
            (false, _) => {
                let map = OffsetMap::of(self.encoding);
                let mut places = map.places(text);
                for at in memchr::memchr_iter(b'\n', text) {
                    end(self.offset + places.raw(at + 1));
                }
            }
            (true, None) => {
                for at in memchr::memchr_iter(b'\n', text) {
                    end(self.offset + at as u64 + 1);
                }
            }
            (true, Some(big_endian)) => {
                let line_feed = if big_endian { [0, b'\n'] } else { [b'\n', 0] };
                // Pieces end between code units, which are counted from the start.
                for (number, unit) in text.chunks_exact(2).enumerate() {
                    if unit == line_feed {
                        end(self.offset + 2 * (number as u64 + 1));
                    }
                }
            }
        }
    }
}
