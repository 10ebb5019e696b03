//! The search of one text: scan and delimit find URIs in it, and what is found goes
//! with its canonical form and its place in the raw bytes into a batch. What is
//! read as a list is left to `records`.

use super::batch::Batch;
use super::carry::{Carry, Reading};
use super::keys::Told;
use super::piece::Piece;
use super::problems;
use super::spans::Spans;
use super::worker::Worker;
use crate::decode::{MARK_MAX, Refanged};
use crate::delimit::{self, LEADER_MAX, LOOK_BACK, Outcome, Overrun};
use crate::item::{OffsetMap, RawUri, Segment};
use crate::scan::{TRIGGER_MAX, Trigger};
use std::ops::Range;

/// Where scanning stands.
#[derive(Default)]
struct Place {
    /// Scanning goes on here.
    at: usize,
    /// No candidate starts before here.
    floor: usize,
    overrun: Option<Overrun>,
}

/// What is searched.
struct Searched<'t> {
    segment: Segment<'t>,
    /// The text without the marks of defanging (R1), and with them.
    refanged: Option<(&'t Refanged, &'t [u8])>,
    spans: Spans<'t>,
}

impl<'t> Searched<'t> {
    /// A text, in which what stands from the raw offset `doubt` on may be wrong.
    fn new(segment: &Segment<'t>, doubt: Option<u64>) -> Searched<'t> {
        Searched {
            segment: *segment,
            refanged: None,
            spans: Spans::new(segment, doubt),
        }
    }

    /// Where marks of defanging stand for bytes of this range, and the marks.
    fn marks(&self, range: Range<usize>) -> impl Iterator<Item = (usize, &'t [u8])> + use<'t> {
        let marks = |(read, raw): (&'t Refanged, &'t [u8])| {
            let marks = read.marks(range);
            marks.map(move |(at, mark)| (at, &raw[mark]))
        };
        self.refanged.map(marks).into_iter().flatten()
    }
}

impl Worker {
    /// Searches a piece of text, which goes on from `carry`; gives what the next one must
    /// know, unless the piece is the `last` of a text.
    pub(super) fn search_piece(
        &mut self,
        piece: &Piece,
        carry: Carry,
        last: bool,
        batch: &mut Batch,
    ) -> Option<Carry> {
        let block = piece.bytes;
        let joined;
        let bytes = if carry.bytes.is_empty() {
            block
        } else {
            joined = [&carry.bytes[..], block].concat();
            &joined[..]
        };
        let map = OffsetMap::of(piece.encoding);
        let segment = Segment {
            last,
            offset: piece.offset - carry.raw_len,
            context: piece.context,
            map: &map,
            ..Segment::whole(bytes)
        };
        if let Some(layout) = self.lists.layout(batch.input).cloned() {
            return self.read_list(&layout, &segment, carry, piece.doubt, batch);
        }
        let segment = Segment {
            leader: carry.leader(),
            ..segment
        };
        let mut place = Place {
            at: carry.resume,
            floor: carry.floor,
            overrun: carry.overrun,
        };
        match self.refanged.take() {
            None => {
                let mut searched = Searched::new(&segment, piece.doubt);
                self.search(&mut searched, &mut place, batch);
            }
            Some(mut refanged) => {
                refanged.read(bytes, last);
                self.search_refanged(&segment, &refanged, &mut place, piece.doubt, batch);
                self.refanged = Some(refanged);
            }
        }
        (!last).then(|| hand_on(&segment, place))
    }

    /// Searches what `refanged` has read of `segment`.
    fn search_refanged(
        &mut self,
        segment: &Segment,
        refanged: &Refanged,
        place: &mut Place,
        doubt: Option<u64>,
        batch: &mut Batch,
    ) {
        let (text, map) = (refanged.text(), refanged.map());
        let composed = (*segment.map != OffsetMap::IDENTITY)
            .then(|| map.compose(text, segment.map, segment.text));
        let scanned = Segment {
            text,
            map: composed.as_ref().unwrap_or(map),
            ..*segment
        };
        for at in [&mut place.at, &mut place.floor] {
            *at = map.text_offset(*at as u64, text);
        }
        let mut searched = Searched {
            refanged: Some((refanged, segment.text)),
            ..Searched::new(&scanned, doubt)
        };
        self.search(&mut searched, place, batch);
        let mut places = map.places(text);
        for at in [&mut place.at, &mut place.floor] {
            *at = places.raw(*at) as usize;
        }
    }

    fn search(&mut self, searched: &mut Searched, place: &mut Place, batch: &mut Batch) {
        let segment = searched.segment;
        self.keys.enter(segment.context, batch);
        self.delimiter.begin();
        if let Some(overrun) = place.overrun.take() {
            let (end, goes_on) = self.delimiter.skip(&segment, place.at, overrun);
            (place.at, place.floor) = (end, end);
            place.overrun = goes_on;
            if goes_on.is_some() {
                return;
            }
        }
        #[cfg(feature = "failpoints")]
        super::faultpoint::at("scan", segment.text);
        let scanner = self.scanner.clone();
        let look = |at| scanner.outlook(segment.text, at);
        let keeps_plain = self.canonicalizer.keeps_lower_case() && searched.refanged.is_none();
        let mut triggers = scanner.triggers(&segment, place.at);
        while let Some(trigger) = triggers.next() {
            place.at = trigger.at() + 1;
            #[cfg(feature = "failpoints")]
            super::faultpoint::at(
                "delimit",
                super::faultpoint::near(segment.text, trigger.at()),
            );
            let outcome = match trigger {
                Trigger::Colon(at) => self
                    .delimiter
                    .delimit_ahead(&segment, at, place.floor, look),
                Trigger::Abbreviated(at) => {
                    self.delimiter
                        .delimit_abbreviated(&segment, at, place.floor)
                }
            };
            match outcome {
                Outcome::None => {}
                Outcome::Undecided => {
                    place.at = trigger.at();
                    return;
                }
                Outcome::Found(end) => {
                    match self.delimiter.found_plain(&segment) {
                        Some(plain) if keeps_plain => self.report_plain(&plain, searched, batch),
                        _ => self.report(searched, batch),
                    }
                    (place.at, place.floor) = (end.max(place.at), end);
                    triggers.skip_to(place.at);
                }
                Outcome::TooLong {
                    start,
                    end,
                    goes_on,
                } => {
                    batch.skip_too_long(searched.spans.offset(start));
                    (place.at, place.floor) = (end, end);
                    place.overrun = goes_on;
                    if goes_on.is_some() {
                        return;
                    }
                    triggers.skip_to(end);
                }
            }
        }
        // The end may hold the beginning of a trigger.
        place.at = place.at.max(segment.text.len().saturating_sub(TRIGGER_MAX));
    }

    /// Adds what the delimiter found to `batch`, which is its own canonical form.
    #[inline]
    fn report_plain(&mut self, raw: &RawUri, searched: &mut Searched, batch: &mut Batch) {
        #[cfg(feature = "failpoints")]
        super::faultpoint::at("canonicalize", raw.text);
        let place = searched.spans.of(raw.offset..raw.offset + raw.length);
        let mut marks = raw.marks;
        marks.problems |= searched.spans.problems(place);
        let uri = Told::Uri(raw.text);
        self.keys.add(uri, uri, place, marks, batch);
    }

    /// Gives what the delimiter found its canonical form and adds it to `batch`.
    fn report(&mut self, searched: &mut Searched, batch: &mut Batch) {
        let Worker {
            delimiter,
            canonicalizer,
            buffers,
            keys,
            ..
        } = self;
        let segment = &searched.segment;
        for (number, raw) in delimiter.found(segment).enumerate() {
            let uri = with_scheme(&raw, &mut buffers.prefixed);
            #[cfg(feature = "failpoints")]
            super::faultpoint::at("canonicalize", uri);
            let key = canonicalizer.canonicalize(uri, &mut buffers.canonical);
            let range = raw.offset..raw.offset + raw.length;
            let is_defanged =
                searched.refanged.is_some() && searched.marks(range.clone()).next().is_some();
            let encoded = delimiter.is_encoded(number);
            let original = if encoded || is_defanged {
                let mut defanged = searched.marks(range.clone()).peekable();
                buffers.defanged.clear();
                let mut last = None;
                for (place, &byte) in delimiter.places(number).zip(raw.text) {
                    let written = segment.text[place];
                    while defanged.next_if(|(at, _)| *at < place).is_some() {}
                    match defanged.peek() {
                        Some((at, mark)) if *at == place => {
                            buffers.defanged.extend_from_slice(mark);
                        }
                        // One byte was written, three stand for it.
                        _ if encoded && matches!(written, b'<' | b'>') => {
                            if last != Some(place) {
                                buffers.defanged.push(written);
                            }
                        }
                        _ => buffers.defanged.push(byte),
                    }
                    last = Some(place);
                }
                &buffers.defanged
            } else {
                raw.text
            };
            let mut marks = raw.marks;
            marks.problems |= problems::of_urn(uri);
            let place = searched.spans.of(range);
            marks.problems |= searched.spans.problems(place);
            // W6 `both`: the same place, spelled in two ways.
            let is_other = |(at, other): &(usize, RawUri)| {
                *at != number && other.offset == raw.offset && other.marks.hyphen_break
            };
            let other = match raw.marks.hyphen_break {
                true => delimiter.found(segment).enumerate().find(is_other),
                false => None,
            };
            let alternative = other.map(|(_, other)| {
                let mut prefixed = Vec::new();
                let uri = with_scheme(&other, &mut prefixed);
                canonicalizer.canonicalize(uri, &mut Vec::new()).to_vec()
            });
            let (key, original) = (Told::Uri(key), Told::Uri(original));
            keys.add(key, original, place, marks, batch);
            if let Some(alternative) = alternative {
                keys.link(&alternative, batch);
            }
        }
    }
}

/// S7: the text of a candidate with the scheme that it lacks.
fn with_scheme<'a>(raw: &RawUri<'a>, buffer: &'a mut Vec<u8>) -> &'a [u8] {
    match raw.marks.abbreviated {
        true => prefixed(raw.text, buffer),
        false => raw.text,
    }
}

/// S7: an abbreviated URL with its scheme.
pub(super) fn prefixed<'b>(text: &[u8], buffer: &'b mut Vec<u8>) -> &'b [u8] {
    buffer.clear();
    let is_ftp = text.first().is_some_and(|b| b.eq_ignore_ascii_case(&b'f'));
    buffer.extend_from_slice(if is_ftp { b"ftp://" } else { b"http://" });
    buffer.extend_from_slice(text);
    buffer
}

/// What the next block must know of the end of `segment`.
fn hand_on(segment: &Segment, place: Place) -> Carry {
    // A mark of defanging stands for one byte.
    let from = place.at.saturating_sub(LOOK_BACK * MARK_MAX);
    Carry {
        raw_len: segment.places().span(from..segment.text.len()).1,
        resume: place.at - from,
        floor: place.floor.saturating_sub(from),
        overrun: place.overrun,
        reading: Reading::default(),
        leader: delimit::leader_at(segment.text, from, segment.leader),
        bytes: segment.text[from..].to_vec(),
    }
}

const _: () = assert!(LEADER_MAX >= LOOK_BACK * MARK_MAX);
