//! Writes the map of a text that is converted character by character: characters with
//! the same relation to their raw bytes share a run.

use crate::item::{Encoding, OffsetMap};

/// A text that grows, and its map to the raw bytes.
#[derive(Debug, Default)]
pub(in crate::decode) struct MappedText {
    pub text: Vec<u8>,
    pub map: OffsetMap,
}

/// Writes to a map.
#[derive(Debug)]
pub(in crate::decode) struct MapWriter<'m> {
    map: &'m mut OffsetMap,
    /// The encoding in which the map continues, and the raw offset at which it continues
    /// without a gap.
    encoding: Encoding,
    goes_on: u64,
}

impl<'m> MapWriter<'m> {
    /// Creates a writer to `map`, whose text continues in `encoding` at the raw offset
    /// `raw`.
    pub fn new(map: &'m mut OffsetMap, encoding: Encoding, raw: u64) -> MapWriter<'m> {
        MapWriter {
            map,
            encoding,
            goes_on: raw,
        }
    }

    /// Adds `len` ASCII characters, which are the same bytes in all these encodings.
    pub fn ascii(&mut self, (at, raw): (usize, u64), len: usize) {
        self.go_on((at, raw), self.encoding, len as u64);
    }

    /// Adds characters in `encoding` that have `len` raw bytes.
    pub fn encoded(&mut self, (at, raw): (usize, u64), encoding: Encoding, len: u64) {
        self.go_on((at, raw), encoding, len);
    }

    fn go_on(&mut self, (at, raw): (usize, u64), encoding: Encoding, len: u64) {
        if self.encoding != encoding || self.goes_on != raw {
            self.map.push(at, raw, encoding);
            self.encoding = encoding;
        }
        self.goes_on = raw + len;
    }

    /// Adds a unit: `len` bytes of the text for `raw_len` raw bytes.
    pub fn unit(&mut self, (at, raw): (usize, u64), len: usize, raw_len: usize) {
        let [units, raw_units] = [len, raw_len].map(|len| u32::try_from(len).unwrap_or(u32::MAX));
        self.map.push_unit(at, raw, units, raw_units);
        self.goes_on = raw + raw_len as u64;
    }
}
