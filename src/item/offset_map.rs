//! The map from a decoded text back to the raw bytes: runs, never an entry per byte.
//! Maps compose, so that a text that was decoded in several steps has one map. The
//! kinds of units (escapes, references, marks of defanging) are left to the decoder.

use super::encoding::Encoding;
use std::ops::Range;

/// Maps offsets of a text to raw bytes, both counted from 0.
///
/// A run begins with a unit, which may be empty: a number of bytes of the text that
/// correspond, as a whole, to a number of raw bytes. From the end of the unit to the
/// next run the text is written in an [`Encoding`]. Between two runs there may be raw
/// bytes that the text lacks.
///
/// ```
/// use urisieve::item::{Encoding, OffsetMap};
/// // The text `a"bc` was decoded from `a\"b`, a line break that is removed, and `c`.
/// let mut map = OffsetMap::IDENTITY;
/// map.push_unit(1, 1, 1, 2);
/// map.push(3, 5, Encoding::Raw);
/// let mut places = map.places(b"a\"bc");
/// assert_eq!([0, 1, 2, 3, 4].map(|at| places.raw(at)), [0, 1, 3, 5, 6]);
/// // The span of `"b` is `\"b`: the removed bytes after it are not part of it.
/// assert_eq!(places.span(1..3), (1, 3));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OffsetMap {
    /// The encoding of the text before the first run.
    first: Encoding,
    runs: Vec<Run>,
}

/// A part of the text that begins with a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Run {
    /// The offset of its start in the text.
    at: usize,
    /// The offset of its start in the raw bytes.
    raw: u64,
    /// The length of the unit in the text.
    unit_len: u32,
    /// The length of the unit in the raw bytes.
    unit_raw: u32,
    /// The encoding of the text after the unit.
    rest: Encoding,
}

impl Run {
    /// The offset of the unit's end in the text.
    fn rest_at(&self) -> usize {
        self.at.saturating_add(self.unit_len as usize)
    }

    /// The offset of the unit's end in the raw bytes.
    fn rest_raw(&self) -> u64 {
        self.raw.saturating_add(u64::from(self.unit_raw))
    }
}

impl OffsetMap {
    /// The map of a text that is equal to the raw bytes.
    ///
    /// ```
    /// use urisieve::item::OffsetMap;
    /// assert_eq!(OffsetMap::IDENTITY.places(b"abc").raw(2), 2);
    /// ```
    pub const IDENTITY: OffsetMap = OffsetMap::of(Encoding::Raw);

    /// Creates the map of a text in `encoding`.
    ///
    /// ```
    /// use urisieve::item::{Encoding, OffsetMap};
    /// let map = OffsetMap::of(Encoding::Utf16);
    /// assert_eq!(map.places("é😀!".as_bytes()).raw(6), 6);
    /// ```
    pub const fn of(encoding: Encoding) -> OffsetMap {
        OffsetMap {
            first: encoding,
            runs: Vec::new(),
        }
    }

    /// Resets the map to the identity, and keeps its memory.
    ///
    /// ```
    /// use urisieve::item::OffsetMap;
    /// let mut map = OffsetMap::IDENTITY;
    /// map.push_unit(0, 0, 1, 3);
    /// map.clear();
    /// assert_eq!(map, OffsetMap::IDENTITY);
    /// ```
    pub fn clear(&mut self) {
        self.first = Encoding::Raw;
        self.runs.clear();
    }

    /// Sets the encoding of the text from `at` on, which corresponds to the raw offset
    /// `raw`. Removes earlier entries for `at` and the text after it.
    ///
    /// ```
    /// use urisieve::item::{Encoding, OffsetMap};
    /// let mut map = OffsetMap::IDENTITY;
    /// map.push(2, 7, Encoding::Utf16);
    /// let mut places = map.places(b"abcd");
    /// assert_eq!([0, 1, 2, 3, 4].map(|at| places.raw(at)), [0, 1, 7, 9, 11]);
    /// ```
    pub fn push(&mut self, at: usize, raw: u64, encoding: Encoding) {
        self.truncate(at);
        let last = self.last();
        let goes_on = match encoding {
            Encoding::Raw => (at - last.rest_at().min(at)) as u64,
            _ => 0,
        };
        let is_known = match encoding {
            Encoding::Raw => at >= last.rest_at(),
            // The length between is not known without the text.
            _ => at == last.rest_at(),
        };
        if last.rest != encoding || !is_known || last.rest_raw() + goes_on != raw {
            self.runs.push(Run {
                at,
                raw,
                unit_len: 0,
                unit_raw: 0,
                rest: encoding,
            });
        }
    }

    /// Adds a unit: `len` bytes of the text at `at` correspond to `raw_len` raw bytes
    /// at the raw offset `raw`. After the unit the text continues in the same encoding
    /// as before. Removes earlier entries for `at` and the text after it.
    ///
    /// ```
    /// use urisieve::item::OffsetMap;
    /// // `é` for `&eacute;`
    /// let mut map = OffsetMap::IDENTITY;
    /// map.push_unit(1, 1, 2, 8);
    /// let mut places = map.places("aéb".as_bytes());
    /// assert_eq!([0, 1, 2, 3].map(|at| places.raw(at)), [0, 1, 1, 9]);
    /// ```
    pub fn push_unit(&mut self, at: usize, raw: u64, len: u32, raw_len: u32) {
        let rest = self.last().rest;
        self.truncate(at);
        self.runs.push(Run {
            at,
            raw,
            unit_len: len,
            unit_raw: raw_len,
            rest,
        });
    }

    /// Returns the number of runs: how much memory the map takes.
    ///
    /// ```
    /// use urisieve::item::{Encoding, OffsetMap};
    /// assert_eq!(OffsetMap::of(Encoding::Utf16).runs(), 0);
    /// ```
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Removes the runs that begin at `at` or after it.
    ///
    /// ```
    /// use urisieve::item::OffsetMap;
    /// let mut map = OffsetMap::IDENTITY;
    /// map.push_unit(3, 3, 1, 2);
    /// map.truncate(3);
    /// assert_eq!(map, OffsetMap::IDENTITY);
    /// ```
    pub fn truncate(&mut self, at: usize) {
        while self.runs.last().is_some_and(|run| run.at >= at) {
            self.runs.pop();
        }
    }

    /// Returns the raw offsets of `text`, which the map belongs to.
    ///
    /// ```
    /// use urisieve::item::OffsetMap;
    /// assert_eq!(OffsetMap::IDENTITY.places(b"abc").span(1..3), (1, 2));
    /// ```
    pub fn places<'m>(&'m self, text: &'m [u8]) -> Places<'m> {
        Places::new(self, text, 0)
    }

    /// Returns the units that begin in this range of the text, in order: the offset and
    /// the raw range of each.
    ///
    /// ```
    /// use urisieve::item::OffsetMap;
    /// let mut map = OffsetMap::IDENTITY;
    /// map.push_unit(1, 1, 1, 3);
    /// assert_eq!(map.units(0..2).collect::<Vec<_>>(), [(1, 1..4)]);
    /// assert_eq!(map.units(2..9).next(), None);
    /// ```
    pub fn units(&self, range: Range<usize>) -> impl Iterator<Item = (usize, Range<u64>)> + '_ {
        let start = range.start;
        let units = self.unit_ranges(range);
        let units = units.filter(move |(text, _)| text.start >= start);
        units.map(|(text, raw)| (text.start, raw))
    }

    /// Returns the units that have a part of this range of the text, each with its ranges there
    /// and in the raw text.
    pub(crate) fn unit_ranges(
        &self,
        range: Range<usize>,
    ) -> impl Iterator<Item = (Range<usize>, Range<u64>)> + '_ {
        let first = self.runs.partition_point(|run| run.at < range.start);
        let covers = |&run: &usize| self.runs[run].rest_at() > range.start;
        let first = first.checked_sub(1).filter(covers).unwrap_or(first);
        let runs = self.runs[first..].iter();
        let runs = runs.take_while(move |run| run.at < range.end);
        let units = runs.filter(|run| run.unit_len > 0);
        units.map(|run| (run.at..run.rest_at(), run.raw..run.rest_raw()))
    }

    /// Returns the offset in `text` of the raw byte at `raw`: that of its character or
    /// its unit; for a byte that the text lacks, that of the next one.
    ///
    /// ```
    /// use urisieve::item::OffsetMap;
    /// let mut map = OffsetMap::IDENTITY;
    /// map.push_unit(1, 1, 1, 3);
    /// assert_eq!([0, 1, 3, 4].map(|raw| map.text_offset(raw, b"a.b")), [0, 1, 1, 2]);
    /// ```
    pub fn text_offset(&self, raw: u64, text: &[u8]) -> usize {
        let number = self.runs.partition_point(|run| run.raw <= raw);
        let run = self.run(number);
        if raw < run.rest_raw() {
            return run.at;
        }
        let end = self.runs.get(number).map_or(text.len(), |next| next.at);
        let rest = text.get(run.rest_at()..end).unwrap_or_default();
        let wanted = raw - run.rest_raw();
        let len = match run.rest {
            Encoding::Raw => usize::try_from(wanted).map_or(rest.len(), |len| len.min(rest.len())),
            encoding => {
                let mut before = 0;
                let ends_after = |&byte: &u8| {
                    before += encoding.width(byte);
                    before > wanted
                };
                rest.iter().position(ends_after).unwrap_or(rest.len())
            }
        };
        run.rest_at().min(end) + len
    }

    /// Returns the map from `text` to the raw bytes of `inner`, where this map leads
    /// from `text` to `inner_text`, and `inner` from there to the raw bytes. Where this
    /// map has another encoding than raw text, offsets inside a character are not mapped
    /// exactly.
    ///
    /// This also creates the map of a part of a text, if this map has a single run that
    /// states where the part begins.
    ///
    /// ```
    /// use urisieve::item::{Encoding, OffsetMap};
    /// // The bytes are UTF-16 of `a\/b`; the text is `a/b`.
    /// let mut outer = OffsetMap::IDENTITY;
    /// outer.push_unit(1, 1, 1, 2);
    /// let inner = OffsetMap::of(Encoding::Utf16);
    /// let map = outer.compose(b"a/b", &inner, br"a\/b");
    /// let mut places = map.places(b"a/b");
    /// assert_eq!([0, 1, 2, 3].map(|at| places.raw(at)), [0, 2, 6, 8]);
    /// ```
    pub fn compose(&self, text: &[u8], inner: &OffsetMap, inner_text: &[u8]) -> OffsetMap {
        let mut composed = OffsetMap::IDENTITY;
        self.compose_into(text, inner, inner_text, &mut composed);
        composed
    }

    /// Does the same as [`OffsetMap::compose`] with a map whose memory is reused.
    ///
    /// ```
    /// use urisieve::item::{Encoding, OffsetMap};
    /// let mut map = OffsetMap::IDENTITY;
    /// let inner = OffsetMap::of(Encoding::Utf16);
    /// OffsetMap::IDENTITY.compose_into(b"ab", &inner, b"ab", &mut map);
    /// assert_eq!(map.places(b"ab").raw(1), 2);
    /// ```
    pub fn compose_into(
        &self,
        text: &[u8],
        inner: &OffsetMap,
        inner_text: &[u8],
        composed: &mut OffsetMap,
    ) {
        composed.clear();
        composed.first = inner.first;
        let mut places = inner.places(inner_text);
        for number in 0..=self.runs.len() {
            let run = self.run(number);
            // The last run also contains the end of the text, as if there were a byte.
            let next = self.runs.get(number);
            let end = next.map_or(text.len().saturating_add(1), |next| next.at);
            if run.unit_len > 0 {
                let (raw, len) = places.span(run.raw as usize..run.rest_raw() as usize);
                let len = u32::try_from(len).unwrap_or(u32::MAX);
                composed.push_unit(run.at, raw, run.unit_len, len);
            }
            let range = run.rest_at()..end;
            match run.rest {
                Encoding::Raw => composed.copy(range, inner, run.rest_raw() as usize, &mut places),
                encoding => {
                    let from = run.rest_raw() as usize;
                    composed.copy_chars(text, range, (encoding, from), &mut places);
                }
            }
        }
    }

    /// Writes the map of `text[range]` to `part`, and returns the raw offset of its
    /// start, from which that map counts.
    ///
    /// ```
    /// use urisieve::item::{Encoding, OffsetMap};
    /// let map = OffsetMap::of(Encoding::Utf16);
    /// let mut part = OffsetMap::IDENTITY;
    /// assert_eq!(map.part_into(2..4, b"abcd", &mut part), 4);
    /// assert_eq!(part.places(b"cd").raw(1), 2);
    /// ```
    pub fn part_into(&self, range: Range<usize>, text: &[u8], part: &mut OffsetMap) -> u64 {
        self.places(text).part_into(range, part)
    }

    /// Appends the map of a further text, which begins at `at` and at the raw offset
    /// `raw`.
    ///
    /// ```
    /// use urisieve::item::{Encoding, OffsetMap};
    /// let mut map = OffsetMap::IDENTITY;
    /// map.append(2, 9, &OffsetMap::of(Encoding::Utf16));
    /// assert_eq!([0, 2, 3].map(|at| map.places(b"abcd").raw(at)), [0, 9, 11]);
    /// ```
    pub fn append(&mut self, at: usize, raw: u64, further: &OffsetMap) {
        self.push(at, raw, further.first);
        self.runs.extend(further.runs.iter().map(|run| Run {
            at: run.at + at,
            raw: run.raw + raw,
            ..*run
        }));
    }

    /// Copies the entries of `inner` from `from` on to the offsets in `range`.
    fn copy(
        &mut self,
        range: Range<usize>,
        inner: &OffsetMap,
        from: usize,
        places: &mut Places<'_>,
    ) {
        let mut at = range.start;
        let mut number = inner.number(from);
        while at < range.end {
            let place = from + (at - range.start);
            while inner.runs.get(number).is_some_and(|next| next.at <= place) {
                number += 1;
            }
            let run = inner.run(number);
            let next = inner.runs.get(number).map_or(usize::MAX, |next| next.at);
            let left = range.end - at;
            let len = if place < run.rest_at() {
                let len = left.min(run.rest_at().min(next) - place);
                self.push_unit(at, run.raw, len as u32, run.unit_raw);
                len
            } else {
                self.push(at, places.raw(place), run.rest);
                left.min(next - place)
            };
            at += len;
        }
    }

    /// Copies the raw offsets of `places` for the text in `encoding` at `from` to the
    /// characters of `text` in `range`.
    fn copy_chars(
        &mut self,
        text: &[u8],
        range: Range<usize>,
        (encoding, mut from): (Encoding, usize),
        places: &mut Places<'_>,
    ) {
        // The raw offset where the encoded text continues without a gap.
        let mut goes_on = None;
        let mut at = range.start;
        while at < range.end {
            let rest = &text[at.min(text.len())..range.end.min(text.len())];
            let goes_over = rest.iter().skip(1).take_while(|&&b| b & 0xC0 == 0x80);
            let len = 1 + goes_over.count();
            let width = rest.first().map_or(0, |&byte| encoding.width(byte)) as usize;
            let raw = places.raw(from);
            if places.is_raw(from..from + width) {
                if goes_on != Some(raw) {
                    self.push(at, raw, encoding);
                }
                goes_on = Some(raw + width as u64);
            } else {
                let (raw, raw_len) = places.span(from..from + width);
                let raw_len = u32::try_from(raw_len).unwrap_or(u32::MAX);
                self.push_unit(at, raw, len as u32, raw_len);
                goes_on = None;
            }
            at += len;
            from += width;
        }
    }

    /// Returns the number of the run that contains the offset `at`.
    fn number(&self, at: usize) -> usize {
        self.runs.partition_point(|run| run.at <= at)
    }

    /// Returns a run by its number; the text before the first run is number 0.
    fn run(&self, number: usize) -> Run {
        let head = Run {
            rest: self.first,
            ..Run::default()
        };
        number.checked_sub(1).map_or(head, |at| self.runs[at])
    }

    fn last(&self) -> Run {
        self.run(self.runs.len())
    }
}

/// Raw offsets of offsets in a text. Queries from left to right take amortized constant
/// time; going back is possible.
///
/// ```
/// use urisieve::item::{OffsetMap, Segment};
/// let mut map = OffsetMap::IDENTITY;
/// map.push_unit(4, 4, 1, 3);
/// let text = Segment { map: &map, offset: 100, ..Segment::whole(b"evil.example") };
/// let mut places = text.places();
/// assert_eq!((places.raw(5), places.raw(4), places.span(0..5)), (107, 104, (100, 7)));
/// ```
#[derive(Clone, Debug)]
pub struct Places<'m> {
    map: &'m OffsetMap,
    text: &'m [u8],
    /// The raw offset of the start of the text.
    base: u64,
    /// The run of the last query.
    number: usize,
    /// An offset after the unit of this run, and its raw offset.
    known: (usize, u64),
}

impl<'m> Places<'m> {
    /// Creates the queries for `text`, which `map` belongs to and which starts at the
    /// raw offset `base`.
    pub(super) fn new(map: &'m OffsetMap, text: &'m [u8], base: u64) -> Places<'m> {
        Places {
            map,
            text,
            base,
            number: 0,
            known: (0, 0),
        }
    }

    /// Returns the raw offset of `at`: that of its unit; inside a character that was
    /// converted from another encoding, that of the next one.
    ///
    /// ```
    /// use urisieve::item::{Encoding, OffsetMap};
    /// let map = OffsetMap::of(Encoding::Utf16);
    /// assert_eq!(map.places("é".as_bytes()).raw(2), 2);
    /// ```
    #[inline]
    pub fn raw(&mut self, at: usize) -> u64 {
        if self.is_identity() {
            return self.base + at as u64;
        }
        self.base + self.mapped(at)
    }

    /// Returns the raw offset and length of `range`: from the raw offset of its start
    /// to the end of its last byte, or of the unit that contains it.
    ///
    /// ```
    /// use urisieve::item::{Encoding, OffsetMap};
    /// let map = OffsetMap::of(Encoding::Utf16);
    /// assert_eq!(map.places(b"a://b").span(1..4), (2, 6));
    /// ```
    #[inline]
    pub fn span(&mut self, range: Range<usize>) -> (u64, u64) {
        let raw = self.raw(range.start);
        if self.is_identity() {
            return (raw, range.len() as u64);
        }
        if range.is_empty() {
            return (raw, 0);
        }
        (raw, (self.base + self.end(range.end)).saturating_sub(raw))
    }

    #[inline]
    fn is_identity(&self) -> bool {
        self.map.runs.is_empty() && self.map.first == Encoding::Raw
    }

    /// Does the same as [`OffsetMap::part_into`]. Parts from left to right take
    /// amortized linear time.
    ///
    /// ```
    /// use urisieve::item::{Encoding, OffsetMap};
    /// let map = OffsetMap::of(Encoding::Utf16);
    /// let mut places = map.places(b"abcd");
    /// let mut part = OffsetMap::IDENTITY;
    /// assert_eq!([0..2, 2..4].map(|range| places.part_into(range, &mut part)), [0, 4]);
    /// ```
    pub fn part_into(&mut self, range: Range<usize>, part: &mut OffsetMap) -> u64 {
        let base = std::mem::take(&mut self.base);
        let (map, start) = (self.map, self.mapped(range.start));
        part.clear();
        // The last run also contains the end of the text.
        let range = range.start..range.end.saturating_add(1);
        part.copy(0..range.len(), map, range.start, self);
        self.base = base;
        for run in &mut part.runs {
            run.raw = run.raw.saturating_sub(start);
        }
        // The first run is the beginning of the text, unless a unit begins there.
        if let Some(&first) = part.runs.first()
            && (first.at, first.unit_len) == (0, 0)
            && first.raw == 0
        {
            part.first = first.rest;
            part.runs.remove(0);
        }
        base + start
    }

    /// Returns the raw offset of `at`, from the start of the text.
    fn mapped(&mut self, at: usize) -> u64 {
        let run = self.enter(at);
        match at < run.rest_at() {
            true => run.raw,
            false => self.within(run, at),
        }
    }

    /// Returns the raw offset of the end of the byte before `at`, from the start of the
    /// text.
    fn end(&mut self, at: usize) -> u64 {
        let run = self.enter(at - 1);
        match at <= run.rest_at() {
            true => run.rest_raw(),
            false => self.within(run, at),
        }
    }

    /// Returns the raw offset of `at`, which is after the unit of `run`.
    fn within(&mut self, run: Run, at: usize) -> u64 {
        let raw = match run.rest {
            Encoding::Raw => run.rest_raw() + (at - run.rest_at()) as u64,
            encoding => {
                let (known, raw) = self.known;
                let text = |range: Range<usize>| self.text.get(range).unwrap_or_default();
                let at = at.min(self.text.len());
                match at >= known {
                    true => raw + encoding.raw_len(text(known..at)),
                    false => raw - encoding.raw_len(text(at..known)),
                }
            }
        };
        self.known = (at, raw);
        raw
    }

    /// Goes to the run that contains the offset `at`.
    fn enter(&mut self, at: usize) -> Run {
        let runs = &self.map.runs;
        let before = self.number;
        if self.number > 0 && at < runs[self.number - 1].at {
            self.number = self.map.number(at);
        }
        while runs.get(self.number).is_some_and(|next| next.at <= at) {
            self.number += 1;
        }
        let run = self.map.run(self.number);
        if self.number != before {
            self.known = (run.rest_at(), run.rest_raw());
        }
        run
    }

    /// Whether the text of `range` is equal to the raw bytes, without gaps between
    /// them.
    fn is_raw(&mut self, range: Range<usize>) -> bool {
        let run = self.enter(range.start);
        let next = self.map.runs.get(self.number);
        range.start >= run.rest_at()
            && run.rest == Encoding::Raw
            && next.is_none_or(|next| next.at >= range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A piece of a generated text.
    #[derive(Clone, Debug)]
    enum Piece {
        Raw(String),
        Coded(Encoding, String),
        Unit(String, u32),
        /// Raw bytes that the text lacks.
        Gap(u64),
    }

    fn coded() -> impl Strategy<Value = Encoding> {
        prop::sample::select(vec![
            Encoding::Utf16,
            Encoding::Utf32,
            Encoding::OneByte,
            Encoding::TwoBytes,
        ])
    }

    fn pieces() -> impl Strategy<Value = Vec<Piece>> {
        let text = || "[a-cé日😀]{0,4}";
        let piece = prop_oneof![
            text().prop_map(Piece::Raw),
            (coded(), text()).prop_map(|(encoding, text)| Piece::Coded(encoding, text)),
            ("[a-cé]{1,2}", 0u32..5).prop_map(|(text, raw)| Piece::Unit(text, raw)),
            (0u64..4).prop_map(Piece::Gap),
        ];
        proptest::collection::vec(piece, 0..8)
    }

    /// Returns the same pieces of another text, whose rest is raw.
    fn of_text(text: &str, pieces: &[Piece]) -> Vec<Piece> {
        let mut rest = text.chars();
        let mut take = |like: &str| rest.by_ref().take(like.chars().count()).collect::<String>();
        let mut pieces: Vec<Piece> = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Raw(like) => Piece::Raw(take(like)),
                Piece::Coded(encoding, like) => Piece::Coded(*encoding, take(like)),
                Piece::Unit(like, raw) => match take(like) {
                    none if none.is_empty() => Piece::Gap(u64::from(*raw)),
                    text => Piece::Unit(text, *raw),
                },
                Piece::Gap(raw) => Piece::Gap(*raw),
            })
            .collect();
        pieces.push(Piece::Raw(rest.collect()));
        pieces
    }

    /// An entry per byte, with its raw offset and the raw offset of its end, and the
    /// end of the text.
    #[derive(Debug, Default)]
    struct Naive {
        text: String,
        bytes: Vec<(u64, u64)>,
        end: u64,
        /// The text from which it was decoded: the same characters where the text is
        /// raw.
        source: String,
    }

    impl Naive {
        fn raw(&self, at: usize) -> u64 {
            self.bytes.get(at).map_or(self.end, |byte| byte.0)
        }

        fn span(&self, range: Range<usize>) -> (u64, u64) {
            let raw = self.raw(range.start);
            match range.is_empty() {
                true => (raw, 0),
                false => (raw, self.bytes[range.end - 1].1 - raw),
            }
        }
    }

    /// Returns the map of the text that `pieces` form, and the same byte by byte.
    fn built(pieces: &[Piece]) -> (OffsetMap, Naive) {
        let mut map = OffsetMap::IDENTITY;
        let mut naive = Naive::default();
        for piece in pieces {
            let at = naive.text.len();
            match piece {
                Piece::Raw(text) => {
                    map.push(at, naive.end, Encoding::Raw);
                    for _ in text.bytes() {
                        naive.bytes.push((naive.end, naive.end + 1));
                        naive.end += 1;
                    }
                    naive.text += text;
                    naive.source += text;
                }
                Piece::Coded(encoding, text) => {
                    map.push(at, naive.end, *encoding);
                    for char in text.chars() {
                        let width = match encoding {
                            Encoding::Utf16 => 2 * char.len_utf16(),
                            Encoding::Utf32 => 4,
                            Encoding::TwoBytes if !char.is_ascii() => 2,
                            _ => 1,
                        };
                        let end = naive.end + width as u64;
                        naive.bytes.push((naive.end, end));
                        naive.bytes.extend((1..char.len_utf8()).map(|_| (end, end)));
                        naive.end = end;
                    }
                    naive.text += text;
                }
                Piece::Unit(text, raw) => {
                    map.push_unit(at, naive.end, text.len() as u32, *raw);
                    let end = naive.end + u64::from(*raw);
                    naive.bytes.extend(text.bytes().map(|_| (naive.end, end)));
                    naive.end = end;
                    naive.text += text;
                }
                Piece::Gap(raw) => {
                    let encoding = map.last().rest;
                    naive.end += raw;
                    map.push(at, naive.end, encoding);
                }
            }
            let lacking = naive.end as usize - naive.source.len();
            naive.source.extend(std::iter::repeat_n('-', lacking));
        }
        (map, naive)
    }

    fn check(map: &OffsetMap, naive: &Naive, asked: &[usize]) {
        let text = naive.text.as_bytes();
        let mut places = map.places(text);
        for at in 0..=text.len() {
            assert_eq!(places.raw(at), naive.raw(at), "{map:?} at {at}");
        }
        // Forward and back.
        for pair in asked.windows(2) {
            let [from, to] = [pair[0], pair[1]].map(|at| at % (text.len() + 1));
            let range = from.min(to)..from.max(to);
            assert_eq!(places.raw(to), naive.raw(to), "{map:?} at {to}");
            assert_eq!(
                places.span(range.clone()),
                naive.span(range.clone()),
                "{map:?} of {range:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn runs_say_what_an_entry_per_byte_says(
            pieces in pieces(),
            asked in proptest::collection::vec(0usize..64, 0..40),
        ) {
            let (map, naive) = built(&pieces);
            check(&map, &naive, &asked);
            let text = naive.text.as_bytes();
            for raw in 0..=naive.end {
                let first = naive.bytes.iter().position(|byte| byte.1 > raw);
                let at = first.unwrap_or(text.len());
                prop_assert_eq!(map.text_offset(raw, text), at, "{:?} at {}", map, raw);
            }
        }

        #[test]
        fn units_are_where_they_were_put(pieces in pieces(), len in 1usize..5) {
            let (map, naive) = built(&pieces);
            let mut units = Vec::new();
            let mut at = 0;
            for piece in &pieces {
                at += match piece {
                    Piece::Raw(text) | Piece::Coded(_, text) => text.len(),
                    Piece::Gap(_) => 0,
                    Piece::Unit(text, raw) => {
                        let start = naive.raw(at);
                        units.push((at, start..start + u64::from(*raw)));
                        text.len()
                    }
                };
            }
            for at in 0..=naive.text.len() {
                let within = at..at + len;
                let wanted = units.iter().filter(|unit| within.contains(&unit.0)).cloned();
                prop_assert!(map.units(within.clone()).eq(wanted));
            }
        }

        /// Mapping an offset twice equals mapping it once by the composed map.
        #[test]
        fn maps_compose(
            (first, second, third) in (pieces(), pieces(), pieces()),
            asked in proptest::collection::vec(0usize..64, 0..20),
        ) {
            let (first, text) = built(&first);
            let (second, between) = built(&of_text(&text.source, &second));
            let (third, below) = built(&of_text(&between.source, &third));
            let [source, text_bytes] = [&between.text, &text.text].map(|text| text.as_bytes());
            check(&second, &between, &asked);
            let composed = first.compose(text_bytes, &second, source);
            let mut places = composed.places(text_bytes);
            let between_chars = || (0..=text_bytes.len()).filter(|&at| text.text.is_char_boundary(at));
            for at in between_chars() {
                let raw = between.raw(text.raw(at) as usize);
                prop_assert_eq!(places.raw(at), raw, "{:?} at {}", composed, at);
            }
            // Three maps can be composed in either order.
            let left = composed.compose(text_bytes, &third, below.text.as_bytes());
            let right = second.compose(source, &third, below.text.as_bytes());
            let right = first.compose(text_bytes, &right, source);
            let [mut left, mut right] = [&left, &right].map(|map| map.places(text_bytes));
            for at in between_chars() {
                prop_assert_eq!(left.raw(at), right.raw(at));
            }
        }

        /// The map of a part of a text.
        #[test]
        fn a_part_has_its_map(pieces in pieces(), from in 0usize..40, len in 0usize..40) {
            let (map, naive) = built(&pieces);
            let from = from.min(naive.text.len());
            let to = (from + len).min(naive.text.len());
            let text = &naive.text.as_bytes()[from..to];
            let mut part = OffsetMap::IDENTITY;
            part.push(0, from as u64, Encoding::Raw);
            let part = part.compose(text, &map, naive.text.as_bytes());
            let mut places = part.places(text);
            for at in 0..=text.len() {
                prop_assert_eq!(places.raw(at), naive.raw(from + at));
            }
            prop_assert_eq!(places.span(0..text.len()), naive.span(from..to));
            // Counted from its own start.
            let mut own = OffsetMap::IDENTITY;
            let start = map.part_into(from..to, naive.text.as_bytes(), &mut own);
            prop_assert_eq!(start, naive.raw(from));
            let mut places = own.places(text);
            for at in 0..=text.len() {
                prop_assert_eq!(start + places.raw(at), naive.raw(from + at), "{:?}", own);
            }
        }

        /// Truncation removes all entries of the removed part.
        #[test]
        fn what_is_cut_off_is_forgotten(before in pieces(), after in pieces()) {
            let (map, _) = built(&before);
            let mut longer = map.clone();
            let (_, naive) = built(&before);
            let len = naive.text.len();
            let runs = map.runs.iter().filter(|run| run.at < len).count();
            let (further, _) = built(&after);
            for run in &further.runs {
                longer.push_unit(len + run.at, naive.end + run.raw, 1, 1);
            }
            longer.truncate(len);
            prop_assert_eq!(&longer.runs[..], &map.runs[..runs]);
        }
    }

    #[test]
    fn what_joins_is_one_run() {
        let mut map = OffsetMap::IDENTITY;
        for at in 0..9 {
            map.push(at, at as u64, Encoding::Raw);
        }
        assert_eq!(map, OffsetMap::IDENTITY);
        map.push_unit(2, 2, 1, 6);
        map.push(3, 8, Encoding::Raw);
        map.push(7, 12, Encoding::Raw);
        assert_eq!(map.runs.len(), 1);
    }
}
