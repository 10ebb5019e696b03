//! The bytes at which a walk along strings of data stops, as masks with one bit for each byte.
//! This file computes them byte by byte; the kernel of `scan` computes them by vectors.

use super::line_masks::{LineBlock, LineMasks};
use crate::syntax::class::SCHEME;
use crate::syntax::steps;
use std::fmt::Debug;
use std::ops::Range;

/// The number of bytes that are judged at a time.
const BLOCK: usize = 512;

/// One bit for each of 512 bytes. Bit 0 of the first mask is the first of them.
pub(crate) type StopMasks = [u64; BLOCK / 64];

/// Judges the bytes of strings.
pub(crate) trait FindStops: Debug + Send + Sync {
    /// Sets the bits of the bytes of `text` from `at` on that are a quotation mark, a
    /// backslash, a line feed or what may be the colon of a URI, and unsets all others. A
    /// colon directly behind a quotation mark is not one of them.
    fn find_stops(&self, text: &[u8], at: usize, masks: &mut StopMasks);

    /// Whether the colon of `text` at `at`, behind a character of a scheme, may be that of a
    /// URI, by the bytes around it.
    #[cfg(feature = "html")]
    fn may_begin_uri(&self, text: &[u8], at: usize) -> bool;

    /// Whether [`find_lines`](FindStops::find_lines) is fast.
    fn has_fast_lines(&self) -> bool;

    /// Sets the classes of the bytes of `text` from `at` on, where one is.
    fn find_lines(&self, text: &[u8], at: usize, block: &mut LineBlock);
}

/// Every colon behind a character of a scheme may be that of a URI.
#[derive(Debug)]
pub(crate) struct EveryColon;

impl FindStops for EveryColon {
    fn find_stops(&self, text: &[u8], at: usize, masks: &mut StopMasks) {
        *masks = StopMasks::default();
        let end = text.len().min(at + BLOCK);
        for place in at..end {
            let stops = ends_stretch(text[place]) || EveryColon::may_be_colon(text, place);
            masks[(place - at) / 64] |= u64::from(stops) << ((place - at) % 64);
        }
    }

    #[cfg(feature = "html")]
    fn may_begin_uri(&self, _text: &[u8], _at: usize) -> bool {
        true
    }

    fn has_fast_lines(&self) -> bool {
        cfg!(test)
    }

    fn find_lines(&self, text: &[u8], at: usize, block: &mut LineBlock) {
        for (number, masks) in block.iter_mut().enumerate() {
            let at = at + 64 * number;
            let colons = (at..text.len().min(at + 64)).map(|at| EveryColon::may_be_colon(text, at));
            let bits = colons.enumerate();
            let of_uri = bits.fold(0, |bits, (i, is)| bits | u64::from(is) << i);
            *masks = LineMasks::of(text, at, of_uri);
        }
    }
}

impl EveryColon {
    fn may_be_colon(text: &[u8], at: usize) -> bool {
        let before = at.checked_sub(1).map(|before| text[before]);
        match text[at] {
            b':' => before.is_some_and(|before| SCHEME.has(before)),
            // The digit of an escaped colon.
            b'3' => matches!(before, Some(b'0' | b'x')),
            _ => false,
        }
    }
}

/// Whether a byte in a string ends a stretch of it whatever the bytes around it are.
pub(crate) fn ends_stretch(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | b'\n')
}

/// Whether `text` has what may be the colon of a URI.
pub(crate) fn has_colon(finder: &dyn FindStops, text: &[u8]) -> bool {
    let mut stops = Stops::new(finder);
    let mut at = 0;
    while let Some(stop) = stops.next(text, at) {
        if !ends_stretch(text[stop]) {
            return true;
        }
        at = stop + 1;
    }
    false
}

/// Goes from stop to stop of one text.
pub(crate) struct Stops<'f> {
    finder: &'f dyn FindStops,
    /// The mask of the bytes that were looked at last, and the offset of the first of them.
    mask: u64,
    at: usize,
    /// The masks that were found last, and the range of their bytes.
    masks: StopMasks,
    range: Range<usize>,
}

impl<'f> Stops<'f> {
    pub(crate) fn new(finder: &'f dyn FindStops) -> Stops<'f> {
        Stops {
            finder,
            mask: 0,
            at: 0,
            masks: StopMasks::default(),
            range: 0..0,
        }
    }

    /// Returns the offset of the first stop in `text` from `at` on. It is always the same
    /// text.
    #[inline]
    pub(crate) fn next(&mut self, text: &[u8], at: usize) -> Option<usize> {
        let place = at.wrapping_sub(self.at);
        if place < 64 {
            let bits = self.mask >> place;
            if bits != 0 {
                return Some(at + bits.trailing_zeros() as usize);
            }
        }
        self.next_beyond(text, at)
    }

    /// Does the same where the stop is not among the bytes that were looked at last.
    fn next_beyond(&mut self, text: &[u8], mut at: usize) -> Option<usize> {
        loop {
            if !self.range.contains(&at) {
                let len = text
                    .len()
                    .checked_sub(at)
                    .filter(|len| *len > 0)?
                    .min(BLOCK);
                steps::count(len);
                self.range = at..at + len;
                self.finder.find_stops(text, at, &mut self.masks);
            }
            let number = (at - self.range.start) / 64;
            self.at = self.range.start + 64 * number;
            self.mask = self.masks[number];
            let bits = self.mask >> (at - self.at);
            if bits != 0 {
                return Some(at + bits.trailing_zeros() as usize);
            }
            at = self.at + 64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_are_where_strings_end_or_uris_may_be() {
        let text = format!("a\"b\\c\n :d::e:{}x3", " ".repeat(1500));
        let mut stops = Stops::new(&EveryColon);
        let (mut found, mut at) = (Vec::new(), 0);
        while let Some(stop) = stops.next(text.as_bytes(), at) {
            found.push(stop);
            at = stop + 1;
        }
        assert_eq!(found, [1, 3, 5, 9, 12, 1514]);
        assert_eq!(stops.next(text.as_bytes(), 4), Some(5));
        assert!(has_colon(&EveryColon, b"\"a:") && !has_colon(&EveryColon, b"\": "));
    }
}
