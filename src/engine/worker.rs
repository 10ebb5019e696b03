//! One worker: takes the text of a block through scan, delimit and canonicalize
//! into a batch. Sequential and without I/O; every worker is a clone.

use super::batch::Batch;
use super::blocks::{End, Text};
use super::content::{Content, Reader};
use super::carry::Carry;
use super::keys::{Keys, Told};
use super::problems;
use super::records::Reading;
use crate::canonicalize::Canonicalizer;
use crate::decode::{Encoding, Layout, MARK_MAX, Refanged};
use crate::delimit::{self, Delimiter, LEADER_MAX, LOOK_BACK, Outcome, Overrun};
use crate::item::{Loss, LossKind, Problem, Problems, RawUri, Segment, Wrapper};
use crate::scan::{Scanner, TRIGGER_MAX, Trigger};
use crate::syntax::Components;
use crate::syntax::resolve::{self, Rules};
use std::collections::HashMap;
use std::sync::Arc;

/// What is done with equal URIs.
///
/// ```
/// use urisieve::engine::{Mode, Sieve};
/// let text = b"http://a.example/ http://b.example/ http://A.example/";
/// for (mode, wanted) in [(Mode::Distinct, 2), (Mode::All, 3), (Mode::Count, 2)] {
///     let mut told = 0;
///     let sieve = Sieve::builder().mode(mode).build();
///     sieve.slice(text, &mut |_: &urisieve::item::Finding<'_>| told += 1)?;
///     assert_eq!(told, wanted);
/// }
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Each class is reported once, where it is first seen.
    #[default]
    Distinct,
    /// Every occurrence is reported.
    All,
    /// Each class is reported at the end, with its number of occurrences.
    Count,
    /// As `Count`, and with its spellings and theirs.
    Groups,
}

/// Which canonical forms are reported.
pub(super) type Select = Arc<dyn Fn(&[u8]) -> bool + Send + Sync>;

/// The stages, with their buffers.
#[derive(Clone)]
pub(super) struct Worker {
    pub scanner: Scanner,
    pub delimiter: Delimiter,
    pub canonicalizer: Canonicalizer,
    pub keys: Keys,
    pub count_lines: bool,
    /// The inputs are lists, written so; otherwise texts.
    pub layout: Option<Layout>,
    /// Inputs that are lists all the same, or lists written otherwise.
    pub layouts: Arc<HashMap<usize, Layout>>,
    /// The text as it is scanned, where defanged URIs are read (R1).
    pub refanged: Option<Refanged>,
    pub buffers: Buffers,
    /// Names of header fields that held references.
    pub headers: Vec<Arc<[u8]>>,
}

/// What is written on the way from a URI as found to its key.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers {
    pub canonical: Vec<u8>,
    prefixed: Vec<u8>,
    defanged: Vec<u8>,
    /// What codings are undone into.
    pub pieces: Vec<Vec<u8>>,
    wrapped: Vec<u8>,
}

/// Text that follows what was scanned before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'t> {
    pub bytes: &'t [u8],
    pub encoding: Encoding,
    /// Raw offset of its start.
    pub offset: u64,
    /// Raw offset from which on it may be wrong.
    pub doubt: Option<u64>,
}

/// Where scanning stands.
struct Place {
    /// Scanning goes on here.
    at: usize,
    /// No candidate starts before here.
    floor: usize,
    overrun: Option<Overrun>,
}

impl Worker {
    /// Scans `text`, which goes on from `carry`, into `batch`; gives what the next
    /// block must know when `text` ends inside something. Where a little may become
    /// very much, `pause` is called again and again: it may take what is in `batch`,
    /// and says whether to go on.
    pub(super) fn scan(
        &mut self,
        text: &Text,
        carry: Carry,
        batch: &mut Batch,
        pause: &mut dyn FnMut(&mut Batch) -> bool,
    ) -> Option<Carry> {
        let mut carry = Some(carry);
        let mut losses = text.losses.iter().peekable();
        let mut ends = 0;
        for (number, part) in text.parts.iter().enumerate() {
            while let Some((_, loss)) = losses.next_if(|loss| loss.0 <= ends) {
                batch.lose(*loss);
            }
            let before = carry.take();
            let bytes = &text.bytes[part.from..part.to];
            let Some(record) = &part.record else {
                let piece = Piece {
                    bytes,
                    encoding: text.encoding,
                    offset: part.offset,
                    doubt: part.doubt,
                };
                let last = number + 1 < text.parts.len() || text.end == End::Clean;
                carry = self.scan_piece(&piece, before.unwrap_or_else(Carry::start), last, batch);
                continue;
            };
            let goes_on = before.and_then(|carry| carry.content).filter(|_| !part.begins);
            let mut content = goes_on.unwrap_or_else(|| {
                batch.lines.begin();
                Box::new(Content::new(record))
            });
            // What is certain comes before what may be wrong.
            let doubt = part.doubt.unwrap_or(u64::MAX).max(part.offset) - part.offset;
            let sure = usize::try_from(doubt).map_or(bytes.len(), |len| len.min(bytes.len()));
            let (sure, doubtful) = bytes.split_at(sure);
            // What is left of the block before may be wrong, too.
            let before = part.doubt.filter(|&doubt| doubt < part.offset);
            for (bytes, last, doubt) in [
                (sure, part.ends && doubtful.is_empty(), before),
                (doubtful, part.ends && !doubtful.is_empty(), part.doubt),
            ] {
                if bytes.is_empty() && !last {
                    continue;
                }
                let mut reader = Reader {
                    batch: &mut *batch,
                    doubt,
                    pause: &mut *pause,
                };
                if !self.read_content(&mut content, bytes, last, &mut reader) {
                    return None;
                }
            }
            ends += usize::from(part.ends);
            carry = (!part.ends).then(|| Carry {
                content: Some(content),
                ..Carry::start()
            });
        }
        for (_, loss) in losses {
            batch.lose(*loss);
        }
        let is_open = text.end == End::Open;
        carry.filter(|_| is_open).or_else(|| is_open.then(Carry::start))
    }

    /// Scans a piece of text, which goes on from `carry`.
    pub(super) fn scan_piece(
        &mut self,
        piece: &Piece,
        carry: Carry,
        last: bool,
        batch: &mut Batch,
    ) -> Option<Carry> {
        let first_item = batch.items.len();
        let handed_on = self.search_piece(piece, carry, last, batch);
        self.count(piece, first_item, batch);
        handed_on
    }

    /// Counts the bytes and lines of a piece, for the items from number `first` on.
    pub(super) fn count(&mut self, piece: &Piece, first: usize, batch: &mut Batch) {
        batch.stats.bytes += piece.encoding.raw_len(piece.bytes);
        if self.count_lines {
            let Batch { lines, items, .. } = batch;
            let items = &mut items[first..];
            lines.count(piece.bytes, piece.encoding, piece.offset, items);
        }
    }

    fn search_piece(
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
        let mut offsets = Offsets {
            encoding: piece.encoding,
            bytes,
            refanged: None,
            at: 0,
            raw: piece.offset - carry.raw_len,
            whole: None,
            doubt: piece.doubt,
        };
        if let Some(layout) = self.layout_of(batch.input) {
            return self.read_list(&layout, last, carry, &mut offsets, batch);
        }
        let mut refanged = self.refanged.take();
        if let Some(refanged) = &mut refanged {
            refanged.read(bytes, last);
        }
        let scanned = refanged.as_ref();
        let segment = Segment {
            text: scanned.map_or(bytes, Refanged::text),
            last,
            leader: carry.leader(),
        };
        self.delimiter.begin();
        offsets.refanged = scanned;
        let scanned_at = |at| scanned.map_or(at, |refanged| refanged.offset(at));
        let mut place = Place {
            at: scanned_at(carry.resume),
            floor: scanned_at(carry.floor),
            overrun: carry.overrun,
        };
        self.scan_segment(&segment, &mut place, &mut offsets, batch);
        let unscanned_at = |at| scanned.map_or(at, |refanged| refanged.raw_offset(at));
        (place.at, place.floor) = (unscanned_at(place.at), unscanned_at(place.floor));
        let segment = Segment {
            text: bytes,
            last,
            leader: carry.leader(),
        };
        self.refanged = refanged;
        (!segment.last).then(|| hand_on(&segment, place, piece.encoding))
    }

    /// Adds what a part stands for that is a reference as a whole: itself when it is
    /// a URI, otherwise what it is resolved to (RFC 3986 section 5.2). It is judged
    /// as if it stood in angle brackets.
    pub(super) fn refer(
        &mut self,
        piece: &Piece,
        base: Option<&[u8]>,
        wrapper: Wrapper,
        batch: &mut Batch,
    ) {
        let reference = piece.bytes;
        let mut wrapped = std::mem::take(&mut self.buffers.wrapped);
        wrapped.clear();
        wrapped.push(b'<');
        let is_there = if Components::parse(reference).scheme(reference).is_some() {
            wrapped.extend_from_slice(reference);
            true
        } else {
            let base = base.unwrap_or_default();
            let resolves = !resolve::is_opaque(base);
            resolves && resolve::resolve(Rules::Rfc3986, base, reference, &mut wrapped).is_ok()
        };
        wrapped.push(b'>');
        if is_there {
            let segment = Segment::whole(&wrapped);
            let mut offsets = Offsets {
                encoding: piece.encoding,
                bytes: &wrapped,
                refanged: None,
                at: 0,
                raw: 0,
                whole: Some((piece.offset, piece.encoding.raw_len(reference), wrapper)),
                doubt: piece.doubt,
            };
            let mut place = Place {
                at: 0,
                floor: 0,
                overrun: None,
            };
            self.delimiter.begin();
            self.scan_segment(&segment, &mut place, &mut offsets, batch);
        }
        self.buffers.wrapped = wrapped;
    }

    /// How the records of an input are written when it is a list.
    fn layout_of(&self, input: usize) -> Option<Layout> {
        self.layouts.get(&input).or(self.layout.as_ref()).cloned()
    }

    fn scan_segment(
        &mut self,
        segment: &Segment,
        place: &mut Place,
        offsets: &mut Offsets,
        batch: &mut Batch,
    ) {
        if let Some(overrun) = place.overrun.take() {
            let (end, goes_on) = self.delimiter.skip(segment, place.at, overrun);
            (place.at, place.floor) = (end, end);
            place.overrun = goes_on;
            if goes_on.is_some() {
                return;
            }
        }
        let scanner = self.scanner.clone();
        let mut triggers = scanner.triggers(segment, place.at);
        while let Some(trigger) = triggers.next() {
            place.at = trigger.at() + 1;
            let outcome = match trigger {
                Trigger::Colon(at) => self.delimiter.delimit(segment, at, place.floor),
                Trigger::Abbreviated(at) => {
                    self.delimiter.delimit_abbreviated(segment, at, place.floor)
                }
            };
            match outcome {
                Outcome::None => {}
                Outcome::Undecided => {
                    place.at = trigger.at();
                    return;
                }
                Outcome::Found(end) => {
                    self.report(segment, offsets, batch);
                    (place.at, place.floor) = (end.max(place.at), end);
                    triggers.skip_to(place.at);
                }
                Outcome::TooLong {
                    start,
                    end,
                    goes_on,
                } => {
                    batch.stats.too_long += 1;
                    batch.losses.push(Loss {
                        input: batch.input,
                        offset: offsets.of(start),
                        kind: LossKind::TooLong,
                    });
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

    /// Gives what the delimiter found its canonical form and adds it to `batch`.
    fn report(&mut self, segment: &Segment, offsets: &mut Offsets, batch: &mut Batch) {
        let Worker {
            delimiter,
            canonicalizer,
            buffers,
            keys,
            ..
        } = self;
        for (number, raw) in delimiter.found(segment).enumerate() {
            let uri = with_scheme(&raw, &mut buffers.prefixed);
            let key = canonicalizer.canonicalize(uri, &mut buffers.canonical);
            let range = raw.offset..raw.offset + raw.length;
            let refanged = offsets.refanged.filter(|r| r.has_marks(range));
            let encoded = delimiter.is_encoded(number);
            let original = if encoded || refanged.is_some() {
                buffers.defanged.clear();
                let mut last = None;
                for (place, &byte) in delimiter.places(number).zip(raw.text) {
                    let written = segment.text[place];
                    match refanged.and_then(|refanged| refanged.mark(place)) {
                        Some(mark) => buffers.defanged.extend_from_slice(&offsets.bytes[mark]),
                        // One byte was written, three stand for it.
                        None if encoded && matches!(written, b'<' | b'>') => {
                            if last != Some(place) {
                                buffers.defanged.push(written);
                            }
                        }
                        None => buffers.defanged.push(byte),
                    }
                    last = Some(place);
                }
                &buffers.defanged
            } else {
                raw.text
            };
            let mut marks = raw.marks;
            marks.problems |= problems::of_urn(uri);
            if let Some((.., wrapper)) = offsets.whole {
                marks.wrapper = wrapper;
            }
            let place = offsets.span(&raw);
            marks.problems |= offsets.doubts(place);
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
fn hand_on(segment: &Segment, place: Place, encoding: Encoding) -> Carry {
    // A mark of defanging stands for one byte.
    let from = place.at.saturating_sub(LOOK_BACK * MARK_MAX);
    let bytes = segment.text[from..].to_vec();
    Carry {
        raw_len: encoding.raw_len(&bytes),
        resume: place.at - from,
        floor: place.floor.saturating_sub(from),
        overrun: place.overrun,
        reading: Reading::default(),
        leader: delimit::leader_at(segment.text, from, segment.leader),
        bytes,
        content: None,
    }
}

/// Raw offsets of places in a text, asked from left to right.
pub(super) struct Offsets<'t> {
    pub encoding: Encoding,
    pub bytes: &'t [u8],
    /// What is scanned, where that is not `bytes`.
    refanged: Option<&'t Refanged>,
    at: usize,
    raw: u64,
    /// Offset, length and wrapper of a reference that all of the text stands for.
    whole: Option<(u64, u64, Wrapper)>,
    /// The raw offset from which on what is found may be wrong.
    doubt: Option<u64>,
}

impl Offsets<'_> {
    /// What is to be said of what stands at a place because of damage.
    pub(super) fn doubts(&self, (offset, len): (u64, u64)) -> Problems {
        match self.doubt {
            Some(from) if offset + len > from => Problem::Suspect.into(),
            _ => Problems::NONE,
        }
    }

    /// The raw offset of the place `at`. Places before the last one asked for are
    /// told too, by going back.
    pub(super) fn of(&mut self, at: usize) -> u64 {
        if let Some((offset, ..)) = self.whole {
            return offset;
        }
        let at = self.raw_at(at);
        if at >= self.at {
            self.raw += self.encoding.raw_len(&self.bytes[self.at..at]);
        } else {
            self.raw -= self.encoding.raw_len(&self.bytes[at..self.at]);
        }
        self.at = at;
        self.raw
    }

    /// Where in `bytes` the place `at` of what is scanned is.
    fn raw_at(&self, at: usize) -> usize {
        self.refanged.map_or(at, |refanged| refanged.raw_offset(at))
    }

    /// The raw offset and length of what stands at the place `at`.
    pub(super) fn place(&mut self, at: usize, text: &[u8]) -> (u64, u64) {
        (self.of(at), self.encoding.raw_len(text))
    }

    /// The raw offset and length of a URI.
    fn span(&mut self, raw: &RawUri) -> (u64, u64) {
        if let Some((offset, len, _)) = self.whole {
            return (offset, len);
        }
        let offset = self.of(raw.offset);
        let uri = &self.bytes[self.at..self.raw_at(raw.offset + raw.length)];
        (offset, self.encoding.raw_len(uri))
    }
}

const _: () = assert!(LEADER_MAX >= LOOK_BACK * MARK_MAX);
