//! Passes whole lines of JSON Lines, by masks of their bytes: sound objects, of whose strings
//! only those are looked at that may have a URI. It stops at every other line, which the
//! decoder then takes.

use super::tokens::STRING_MAX;
use crate::syntax::masks::line_masks::{LineBlock, LineMasks};
use crate::syntax::masks::stops::FindStops;
use crate::syntax::steps;
use std::ops::Range;

/// Objects and arrays that are nested more deeply are left to the decoder.
const DEPTH_MAX: u32 = 64;

/// The line that is read.
#[derive(Debug)]
struct JsonLine {
    start: usize,
    /// The number of strings before it.
    strings: usize,
    depth: u32,
    /// Whether each open value is an object; that of the innermost is the lowest bit.
    kinds: u64,
}

/// The state at the end of the last 64 bytes.
#[derive(Debug, Default)]
struct MasksEnd {
    /// All bits if it is in a string.
    inside: u64,
    /// The lowest bit says whether the last byte was part of a word.
    word: u64,
    /// And whether it was one behind which a value may begin.
    before: u64,
    /// And whether it was a blank behind such a byte.
    blank: u64,
    /// The offset of the last quotation mark.
    quote: usize,
    /// Whether the end of the last string that was noted is not known.
    is_open: bool,
}

/// Passes lines of `bytes` from `at` on, where an object begins a line. Returns the start of the
/// first other line. Adds the ranges of the strings that may have URIs, without quotation marks,
/// to `strings`; without it a line that has one is not passed.
pub(super) fn pass_lines(
    finder: &dyn FindStops,
    bytes: &[u8],
    at: usize,
    mut strings: Option<&mut Vec<Range<usize>>>,
) -> usize {
    let mut line = JsonLine {
        start: at,
        strings: strings.as_deref().map_or(0, Vec::len),
        depth: 0,
        kinds: 0,
    };
    let mut end = MasksEnd::default();
    let mut block = LineBlock::default();
    let mut from = at;
    'lines: while from < bytes.len() {
        finder.find_lines(bytes, from, &mut block);
        for (number, masks) in block.iter().enumerate() {
            let from = from + number * 64;
            let mut found = end.go_over(masks);
            if end.is_open && masks.quote != 0 {
                end.is_open = false;
                if let Some(string) = strings.as_mut().and_then(|strings| strings.last_mut()) {
                    string.end = from + masks.quote.trailing_zeros() as usize;
                }
            }
            while found.bits != 0 {
                let bit = found.bits & found.bits.wrapping_neg();
                found.bits ^= bit;
                let at = from + bit.trailing_zeros() as usize;
                if found.odd & bit != 0 {
                    break 'lines;
                }
                let goes_on = match bytes[at] {
                    open @ (b'{' | b'[') => line.open(open, at),
                    close @ (b'}' | b']') => line.close(close) && line.may_end(bytes, at),
                    b'\n' => {
                        let noted = strings.as_deref().map_or(0, Vec::len);
                        line.end(at, noted) && bytes.get(at + 1) == Some(&b'{')
                    }
                    _ => match &mut strings {
                        Some(strings) => {
                            end.note(masks, (bit, from), strings);
                            true
                        }
                        None => false,
                    },
                };
                if !goes_on {
                    break 'lines;
                }
            }
            end.pass(masks, from);
        }
        from += 64 * block.len();
    }
    steps::count(from.min(bytes.len()) + 64 * block.len() - at);
    if let Some(strings) = strings {
        strings.truncate(line.strings);
    }
    line.start
}

/// The bytes of 64 that matter: an odd one ends the lines that are passed.
struct FoundBytes {
    bits: u64,
    odd: u64,
}

impl MasksEnd {
    /// Goes over the next 64 bytes.
    #[inline]
    fn go_over(&mut self, masks: &LineMasks) -> FoundBytes {
        let inside = prefix_xor(masks.quote) ^ self.inside;
        let outside = !(inside | masks.quote);
        let word = outside & masks.word;
        let before = outside & masks.before;
        let known = word | masks.before | masks.brackets | masks.blank | masks.line_feed;
        let behind = before << 1 | self.before;
        let blank = behind & masks.blank;
        let of_word = word << 1 | self.word;
        let mut odd = outside & !known
            | masks.backslash
            | inside & masks.line_feed
            // A word is a value behind a colon, a comma or an opener.
            | word & !of_word & !(behind | blank << 1 | self.blank)
            // A word before a colon is a name, or broken.
            | outside & masks.colon & of_word;
        if word == u64::MAX {
            odd = word;
        }
        self.inside = ((inside as i64) >> 63) as u64;
        (self.word, self.before, self.blank) = (word >> 63, before >> 63, blank >> 63);
        let structure = outside & (masks.brackets | masks.line_feed);
        FoundBytes {
            bits: odd | structure | inside & masks.of_uri,
            odd,
        }
    }

    /// Notes the string that has what may be the colon of a URI at `bit` of the 64 bytes from
    /// `from` on.
    fn note(
        &mut self,
        masks: &LineMasks,
        (bit, from): (u64, usize),
        strings: &mut Vec<Range<usize>>,
    ) {
        let opener = masks.quote & (bit - 1);
        let start = match opener {
            0 => self.quote,
            _ => from + opener.ilog2() as usize,
        } + 1;
        if strings.last().is_some_and(|last| last.start == start) {
            return;
        }
        let closer = masks.quote & !(bit - 1);
        self.is_open = closer == 0;
        let end = match closer {
            0 => start,
            _ => from + closer.trailing_zeros() as usize,
        };
        strings.push(start..end);
    }

    /// Ends the 64 bytes from `from` on.
    #[inline]
    fn pass(&mut self, masks: &LineMasks, from: usize) {
        if masks.quote != 0 {
            self.quote = from + masks.quote.ilog2() as usize;
        }
    }
}

impl JsonLine {
    fn open(&mut self, byte: u8, at: usize) -> bool {
        let is_object = byte == b'{';
        let fits = match self.depth {
            0 => is_object && at == self.start,
            depth => depth < DEPTH_MAX,
        };
        self.kinds = self.kinds << 1 | u64::from(is_object);
        self.depth += 1;
        fits
    }

    fn close(&mut self, byte: u8) -> bool {
        let fits = self.depth > 0 && (self.kinds & 1 == 1) == (byte == b'}');
        self.kinds >>= 1;
        self.depth = self.depth.saturating_sub(1);
        fits
    }

    /// Whether the value that is closed at `at` is inside another one, or ends the line.
    fn may_end(&self, bytes: &[u8], at: usize) -> bool {
        self.depth > 0 || bytes.get(at + 1) == Some(&b'\n')
    }

    /// Ends the line at `at`, if it is one object. `strings` were noted in it and before.
    fn end(&mut self, at: usize, strings: usize) -> bool {
        let is_object = self.depth == 0 && at - self.start <= STRING_MAX;
        if is_object {
            (self.start, self.strings) = (at + 1, strings);
        }
        is_object
    }
}

/// Returns for each bit whether the number of set bits up to it is odd.
#[inline]
fn prefix_xor(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}
