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
    depth: u32,
    /// Whether each open value is an object; that of the innermost is the lowest bit.
    kinds: u64,
    /// The line is not sound.
    is_broken: bool,
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
        depth: 0,
        kinds: 0,
        is_broken: false,
    };
    let mut end = MasksEnd::default();
    let mut block = LineBlock::default();
    let mut from = at;
    'lines: while from < bytes.len() {
        finder.find_lines(bytes, from, &mut block);
        for (number, masks) in block.iter().enumerate() {
            let from = from + number * 64;
            let mut found = end.go_over(masks);
            match &mut strings {
                Some(strings) => end.note_all(masks, (found.of_uri, from), strings),
                None => found.odd |= found.of_uri,
            }
            // Of what is behind an odd byte nothing counts.
            let mut bits = found.structure & (found.odd & found.odd.wrapping_neg()).wrapping_sub(1);
            while bits != 0 {
                line.take(bytes, from + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
            if line.is_broken || found.odd != 0 {
                break 'lines;
            }
            end.pass(masks, from);
        }
        from += 64 * block.len();
    }
    steps::count(from.min(bytes.len()) + 64 * block.len() - at);
    if let Some(strings) = strings {
        let sound = strings.partition_point(|string| string.start < line.start);
        strings.truncate(sound);
    }
    line.start
}

/// The bytes of 64 that matter.
struct FoundBytes {
    /// Brackets and line feeds outside strings.
    structure: u64,
    /// Possible colons of URIs, in strings.
    of_uri: u64,
    /// Bytes that end the lines that are passed.
    odd: u64,
}

impl MasksEnd {
    /// Goes over the next 64 bytes.
    #[inline]
    fn go_over(&mut self, masks: &LineMasks) -> FoundBytes {
        let inside = masks.quoted ^ self.inside;
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
        FoundBytes {
            structure: outside & (masks.brackets | masks.line_feed),
            of_uri: inside & masks.of_uri,
            odd,
        }
    }

    /// Notes the strings that have the bits of `of_uri` of the 64 bytes from `from` on, and the
    /// end of the string before that was not there.
    #[inline]
    fn note_all(
        &mut self,
        masks: &LineMasks,
        (mut of_uri, from): (u64, usize),
        strings: &mut Vec<Range<usize>>,
    ) {
        if self.is_open && masks.quote != 0 {
            self.is_open = false;
            if let Some(string) = strings.last_mut() {
                string.end = from + masks.quote.trailing_zeros() as usize;
            }
        }
        while of_uri != 0 {
            let bit = of_uri & of_uri.wrapping_neg();
            of_uri ^= bit;
            self.note(masks, (bit, from), strings);
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
    /// Takes a bracket or a line feed at `at`. Few of these are foreseen by a processor, so there
    /// are no branches.
    #[inline]
    fn take(&mut self, bytes: &[u8], at: usize) {
        let byte = bytes[at];
        // Brackets have one bit, opening ones another, and those of objects a third.
        let (opens, closes) = (byte & 0x42 == 0x42, byte & 0x42 == 0x40);
        let is_object = byte >> 5 & 1 == 1;
        let is_first = self.depth == 0;
        let is_misplaced = is_first & !(is_object & (at == self.start)) | (self.depth >= DEPTH_MAX);
        let is_unmatched = is_first | ((self.kinds & 1 == 1) != is_object);
        let is_cut =
            !is_first | (bytes[at.saturating_sub(1)] != b'}') | (at - self.start > STRING_MAX);
        let ends = !(opens | closes);
        self.is_broken |= opens & is_misplaced | closes & is_unmatched | ends & is_cut;
        self.kinds = self.kinds << u32::from(opens) >> u32::from(closes);
        self.kinds |= u64::from(opens & is_object);
        self.depth = self.depth.wrapping_add(u32::from(opens));
        self.depth = self.depth.wrapping_sub(u32::from(closes));
        if ends & !self.is_broken {
            self.start = at + 1;
        }
    }
}
