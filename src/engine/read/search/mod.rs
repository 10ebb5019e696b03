//! Searches a text: `scan` and `delimit` find URIs in it, and each is added to a batch
//! with its canonical form and its place in the raw bytes. `list_records` reads lists.

pub(in crate::engine) mod prefilter;
pub(in crate::engine) mod spans;

use crate::canonicalize::Canonicalizer;
use crate::decode::{MARK_MAX, MARKS_LEN, Refanged};
use crate::delimit::{self, Delimiter, HEAD_MAX, Judged, LOOK_BACK, Outcome, Overrun};
use crate::engine::batches::batch::Batch;
use crate::engine::batches::carry::{Carry, ListReading, OpenLine, RefangCarry};
use crate::engine::batches::piece::BlockPiece;
use crate::engine::read::keys::KeyIntake;
use crate::engine::read::list_records::read_list;
use crate::engine::read::problems;
use crate::engine::read::reported::Reported;
use crate::engine::read::worker::{Buffers, Worker};
use crate::item::{IdentifierKind, OffsetMap, RawUri, Segment};
use crate::scan::{TRIGGER_MAX, Trigger};
use spans::Spans;
use std::ops::Range;

/// The state of scanning a text.
#[derive(Default)]
struct ScanPosition {
    /// The offset at which scanning resumes.
    at: usize,
    /// The offset from which the next candidate may start.
    floor: usize,
    /// The run at `at` that is too long and has not ended.
    overrun: Option<Overrun>,
    /// An identifier of this kind ends at `at`, and a list may continue.
    listed: Option<IdentifierKind>,
    /// The state of undoing marks of defanging: first at the start of the text, then at the
    /// offset at which it is read again with more text.
    refang: (Option<usize>, RefangCarry),
}

/// The text that is searched.
struct Searched<'t> {
    segment: Segment<'t>,
    /// The refanged text, where marks of defanging are undone (R1), and the text with
    /// the marks.
    refanged: Option<(&'t Refanged, &'t [u8])>,
    spans: Spans<'t>,
}

/// The stages of a worker that follow its scanner.
struct ReportStages<'w> {
    delimiter: &'w mut Delimiter,
    canonicalizer: &'w Canonicalizer,
    keys: &'w mut KeyIntake,
    buffers: &'w mut Buffers,
}

impl<'t> Searched<'t> {
    /// Returns a text to be searched. From the raw offset `doubt` on it may be damaged.
    fn new(segment: &Segment<'t>, doubt: Option<u64>) -> Searched<'t> {
        Searched {
            segment: *segment,
            refanged: None,
            spans: Spans::new(segment, doubt),
        }
    }

    /// Returns the marks of defanging that were replaced in this range, each with the
    /// range of the text that replaces it.
    fn marks(
        &self,
        range: Range<usize>,
    ) -> impl Iterator<Item = (Range<usize>, &'t [u8])> + use<'t> {
        let marks = |(read, raw): (&'t Refanged, &'t [u8])| {
            let marks = read.map().unit_ranges(range);
            marks.map(move |(text, mark)| (text, &raw[mark.start as usize..mark.end as usize]))
        };
        self.refanged.map(marks).into_iter().flatten()
    }

    /// Whether the text that is found at `at` was given its scheme (I10).
    fn is_given(&self, at: usize) -> bool {
        self.refanged.is_some_and(|(read, _)| read.is_given(at))
    }

    /// Writes bytes of this range, each with its offset, with the marks of defanging that
    /// they were read from.
    fn refang_back(
        &self,
        range: Range<usize>,
        bytes: impl Iterator<Item = (usize, u8)>,
        out: &mut Vec<u8>,
    ) {
        let mut marks = self.marks(range).peekable();
        out.clear();
        for (place, byte) in bytes {
            while marks.next_if(|(text, _)| text.end <= place).is_some() {}
            match marks.peek() {
                // An identifier may begin behind the first byte of a mark.
                Some((text, mark))
                    if text.start == place || out.is_empty() && text.contains(&place) =>
                {
                    out.extend_from_slice(mark);
                }
                // One mark may stand for several bytes.
                Some((text, _)) if text.contains(&place) => {}
                _ => out.push(byte),
            }
        }
    }
}

/// Searches a piece of text, which continues `carry`; without one, the text begins. Returns what is
/// carried into the next piece, unless this one is the `last` of its text.
pub(in crate::engine) fn search_piece(
    worker: &mut Worker,
    piece: &BlockPiece,
    carry: Option<Box<Carry>>,
    last: bool,
    batch: &mut Batch,
) -> Option<Box<Carry>> {
    let carry = carry.map_or_else(Carry::start, |carry| *carry);
    let block = piece.bytes;
    let joined;
    let bytes = if carry.bytes.is_empty() {
        block
    } else {
        joined = [&carry.bytes[..], block].concat();
        &joined[..]
    };
    let map = piece_map(piece, &carry);
    let segment = Segment {
        last,
        offset: piece.offset - carry.raw_len,
        context: piece.context,
        map: &map,
        ..Segment::whole(bytes)
    };
    if let Some(layout) = worker.lists.layout(batch.input).cloned() {
        let handed_on = read_list(worker, &layout, &segment, carry, piece.doubt, batch);
        return handed_on.map(Box::new);
    }
    let segment = Segment {
        head: carry.head(),
        ..segment
    };
    let mut position = ScanPosition {
        at: carry.resume,
        floor: carry.floor,
        overrun: carry.overrun,
        listed: carry.listed,
        refang: (None, carry.refang),
    };
    let reads_wide = worker.reads_wide;
    let mut lines = std::mem::take(&mut worker.wide_lines);
    let mut search_marks = |segment: &Segment, position: &mut ScanPosition| {
        search_with_marks(worker, segment, position, piece.doubt, batch);
    };
    match reads_wide && lines.read(bytes, last) {
        true => search_as(
            (lines.text(), lines.map()),
            &segment,
            &mut position,
            search_marks,
        ),
        false => search_marks(&segment, &mut position),
    }
    worker.wide_lines = lines;
    (!last).then(|| Box::new(hand_on(&segment, position, piece)))
}

/// Searches a text in which marks of defanging may be undone.
fn search_with_marks(
    worker: &mut Worker,
    segment: &Segment,
    position: &mut ScanPosition,
    doubt: Option<u64>,
    batch: &mut Batch,
) {
    // A text without marks is searched as it is. At the end of an unfinished one a mark may
    // begin.
    let is_read = |_: &mut Refanged| !segment.last || Refanged::has_marks(segment.text);
    let Some(mut refanged) = worker.refanged.take_if(is_read) else {
        let mut searched = Searched::new(segment, doubt);
        return search(worker, &mut searched, position, batch);
    };
    let RefangCarry { state, mut inside } = position.refang.1;
    refanged.read_on(segment.text, state, segment.last);
    let (text, map) = (refanged.text(), refanged.map());
    search_as((text, map), segment, position, |scanned, position| {
        let mut searched = Searched {
            refanged: Some((&refanged, segment.text)),
            ..Searched::new(scanned, doubt)
        };
        position.at += inside[0];
        position.floor += inside[1];
        search(worker, &mut searched, position, batch);
        // The left context is counted in bytes without marks.
        let from = position.at.saturating_sub(LOOK_BACK);
        position.refang.0 = Some(from);
        inside = [position.at, position.floor.max(from)].map(|at| {
            let raw = map.places(text).raw(at);
            at - map.text_offset(raw, text).min(at)
        });
    });
    if let Some(from) = position.refang.0 {
        let (from, state) = refanged.resume(segment.text, from);
        position.refang = (Some(from), RefangCarry { state, inside });
    }
    worker.refanged = Some(refanged);
}

/// Has `text`, which was made of that of `segment` and has a map to it, searched in its place.
fn search_as(
    (text, map): (&[u8], &OffsetMap),
    segment: &Segment,
    position: &mut ScanPosition,
    search: impl FnOnce(&Segment, &mut ScanPosition),
) {
    let composed =
        (*segment.map != OffsetMap::IDENTITY).then(|| map.compose(text, segment.map, segment.text));
    let scanned = Segment {
        text,
        map: composed.as_ref().unwrap_or(map),
        ..*segment
    };
    for at in [&mut position.at, &mut position.floor] {
        *at = map.text_offset(*at as u64, text);
    }
    search(&scanned, position);
    let mut places = map.places(text);
    let from = position.refang.0.as_mut();
    for at in from
        .into_iter()
        .chain([&mut position.at, &mut position.floor])
    {
        *at = places.raw(*at) as usize;
    }
}

/// Searches a text from `position` on, and sets `position` to where its end is undecided.
fn search(
    worker: &mut Worker,
    searched: &mut Searched,
    position: &mut ScanPosition,
    batch: &mut Batch,
) {
    let Worker {
        scanner,
        delimiter,
        canonicalizer,
        identifiers,
        keys,
        buffers,
        ..
    } = worker;
    let mut stages = ReportStages {
        delimiter,
        canonicalizer,
        keys,
        buffers,
    };
    let segment = searched.segment;
    stages.keys.enter(segment.context, batch);
    stages.delimiter.begin();
    if let Some(overrun) = position.overrun.take() {
        let (end, goes_on) = stages.delimiter.skip(&segment, position.at, overrun);
        (position.at, position.floor) = (end, end);
        position.overrun = goes_on;
        if goes_on.is_some() {
            return;
        }
    }
    if position.listed.is_some() && !search_list(&mut stages, searched, position, batch) {
        return;
    }
    #[cfg(feature = "failpoints")]
    crate::engine::faultpoint::at("scan", segment.text);
    let look = |at| scanner.outlook(segment.text, at);
    let keeps_plain = stages.canonicalizer.keeps_lower_case()
        && searched.refanged.is_none()
        && stages.keys.takes_plain();
    let mut triggers = scanner.triggers(&segment, position.at);
    while let Some(trigger) = triggers.next() {
        position.at = trigger.at() + 1;
        #[cfg(feature = "failpoints")]
        crate::engine::faultpoint::at(
            "delimit",
            crate::engine::faultpoint::near(segment.text, trigger.at()),
        );
        let outcome = match trigger {
            Trigger::Colon(at) if keeps_plain => {
                let judged = stages
                    .delimiter
                    .delimit_plain(&segment, at, position.floor, look);
                match judged {
                    Judged::Plain(uri) => {
                        let end = uri.offset + uri.length;
                        (position.at, position.floor) = (end, end);
                        triggers.skip_to(end);
                        report_plain(stages.keys, &uri, searched, batch);
                        continue;
                    }
                    Judged::Other(outcome) => outcome,
                }
            }
            Trigger::Colon(at) => {
                stages
                    .delimiter
                    .delimit_ahead(&segment, at, position.floor, look)
            }
            Trigger::Abbreviated(at) => {
                stages
                    .delimiter
                    .delimit_abbreviated(&segment, at, position.floor)
            }
            Trigger::Identifier(at) => {
                stages
                    .delimiter
                    .delimit_identifier(&segment, at, position.floor, *identifiers)
            }
        };
        match outcome {
            Outcome::None => {
                batch.stats.template_hosts += u64::from(stages.delimiter.take_template_host());
            }
            Outcome::Undecided => {
                position.at = trigger.at();
                return;
            }
            Outcome::Found(end) => {
                let plain = stages.delimiter.found_plain(&segment);
                match plain.filter(|_| keeps_plain) {
                    Some(uri) => report_plain(stages.keys, &uri, searched, batch),
                    None => report(&mut stages, searched, batch),
                }
                (position.at, position.floor) = (end.max(position.at), end);
                position.listed = stages.delimiter.listed();
                if position.listed.is_some() && !search_list(&mut stages, searched, position, batch)
                {
                    return;
                }
                triggers.skip_to(position.at);
            }
            Outcome::TooLong {
                start,
                end,
                goes_on,
            } => {
                batch.skip_too_long(searched.spans.offset(start));
                (position.at, position.floor) = (end, end);
                position.overrun = goes_on;
                if goes_on.is_some() {
                    return;
                }
                triggers.skip_to(end);
            }
        }
    }
    // A trigger may begin in the last bytes.
    position.at = position
        .at
        .max(segment.text.len().saturating_sub(TRIGGER_MAX));
}

/// Adds the identifiers that follow the one at `position` in a list. Returns false when
/// more text is needed.
fn search_list(
    stages: &mut ReportStages,
    searched: &mut Searched,
    position: &mut ScanPosition,
    batch: &mut Batch,
) -> bool {
    let segment = searched.segment;
    while let Some(kind) = position.listed {
        match stages
            .delimiter
            .delimit_next(&segment, position.floor, kind)
        {
            Outcome::Found(end) => {
                report(stages, searched, batch);
                (position.at, position.floor) = (end, end);
            }
            Outcome::Undecided => {
                position.at = position.floor;
                return false;
            }
            _ => position.listed = None,
        }
    }
    true
}

/// Adds the URI `raw` to `batch`; it is its own canonical form.
#[inline]
fn report_plain(keys: &mut KeyIntake, raw: &RawUri, searched: &mut Searched, batch: &mut Batch) {
    #[cfg(feature = "failpoints")]
    crate::engine::faultpoint::at("canonicalize", raw.text);
    let place = searched.spans.of(raw.offset..raw.offset + raw.length);
    let mut marks = raw.marks;
    marks.problems |= searched.spans.problems(place);
    keys.add_plain(raw.text, place, marks, batch);
}

/// Adds the URIs that the delimiter found to `batch`, with their canonical forms.
fn report(stages: &mut ReportStages, searched: &mut Searched, batch: &mut Batch) {
    let ReportStages {
        delimiter,
        canonicalizer,
        keys,
        buffers,
    } = stages;
    let segment = &searched.segment;
    let has_inner = delimiter.has_inner();
    for (number, raw) in delimiter.found(segment).enumerate() {
        // A secret may go on behind the end of a nested URI.
        let hidden = keys.redactor.as_ref().and_then(|redactor| {
            let whole = delimiter.text_to_outer_end(number, segment, &mut buffers.whole);
            let is_cut = whole.len() > raw.text.len();
            is_cut.then(|| redactor.redact_start(whole, raw.text.len(), &mut buffers.hidden))
        });
        let text = hidden.unwrap_or(raw.text);
        let uri = with_scheme(&RawUri { text, ..raw }, &mut buffers.prefixed);
        #[cfg(feature = "failpoints")]
        crate::engine::faultpoint::at("canonicalize", uri);
        let key = canonicalizer.canonicalize(uri, &mut buffers.canonical);
        if has_inner && number == 0 {
            keys.set_outer(key);
        }
        let range = raw.offset..raw.offset + raw.length;
        let is_defanged =
            searched.refanged.is_some() && searched.marks(range.clone()).next().is_some();
        let encoded = delimiter.is_encoded(number);
        let is_identifier = raw.marks.identifier.is_some();
        let original = if let Some(hidden) = hidden {
            hidden
        } else if is_identifier && !is_defanged {
            delimiter.written().0
        } else if is_identifier {
            let (written, places) = delimiter.written();
            let bytes = places.iter().copied().zip(written.iter().copied());
            searched.refang_back(range.clone(), bytes, &mut buffers.defanged);
            &buffers.defanged
        } else if encoded || is_defanged {
            let mut last = None;
            let bytes = delimiter.places(number).zip(raw.text.iter().copied());
            let bytes = bytes.filter_map(|(place, byte)| {
                let written = segment.text[place];
                // The delimiter replaced one byte by a percent-encoding.
                let is_first = last.replace(place) != Some(place);
                match encoded && matches!(written, b'<' | b'>') {
                    true => is_first.then_some((place, written)),
                    false => Some((place, byte)),
                }
            });
            searched.refang_back(range.clone(), bytes, &mut buffers.defanged);
            &buffers.defanged
        } else {
            raw.text
        };
        let mut marks = raw.marks;
        marks.refanged = is_defanged;
        marks.given_scheme = searched.is_given(raw.offset);
        marks.problems |= problems::of_urn(uri);
        let place = searched.spans.of(range);
        marks.problems |= searched.spans.problems(place);
        // W6 `both`: a URI with a hyphen before a line break has two spellings.
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
        let (key, original) = (Reported::Uri(key), Reported::Uri(original));
        keys.add(key, original, place, marks, batch);
        if let Some(alternative) = alternative {
            keys.link(&alternative, batch);
        }
    }
}

/// Counts the bytes and lines of a piece, for the items from number `first` on.
pub(in crate::engine) fn count(
    worker: &mut Worker,
    piece: &BlockPiece,
    first: usize,
    batch: &mut Batch,
) {
    count_bytes(piece.raw_len(), (piece.offset, first), batch);
    count_lines(worker, piece, first, batch);
}

/// Counts the bytes of a piece that begins at this offset, for the items from number `first` on.
#[inline]
pub(in crate::engine) fn count_bytes(len: u64, (offset, first): (u64, usize), batch: &mut Batch) {
    if batch.items.len() > first {
        let bytes = batch.stats.bytes;
        batch.tally.note_piece(first, offset, bytes);
    }
    batch.stats.bytes += len;
}

/// Counts the lines of a piece, for the items from number `first` on.
pub(in crate::engine) fn count_lines(
    worker: &Worker,
    piece: &BlockPiece,
    first: usize,
    batch: &mut Batch,
) {
    if worker.count_lines {
        let Batch { lines, items, .. } = batch;
        let first = first.min(items.len());
        let remembered = worker.lists.remembered(batch.input);
        lines.count(piece, remembered, &mut items[first..]);
    }
}

/// Returns the text of a candidate, with a scheme if it is abbreviated (S7).
fn with_scheme<'a>(raw: &RawUri<'a>, buffer: &'a mut Vec<u8>) -> &'a [u8] {
    match raw.marks.abbreviated {
        true => prefixed(raw.text, buffer),
        false => raw.text,
    }
}

/// Returns an abbreviated URL with its scheme (S7).
pub(in crate::engine) fn prefixed<'b>(text: &[u8], buffer: &'b mut Vec<u8>) -> &'b [u8] {
    buffer.clear();
    let is_ftp = text.first().is_some_and(|b| b.eq_ignore_ascii_case(&b'f'));
    buffer.extend_from_slice(if is_ftp { b"ftp://" } else { b"http://" });
    buffer.extend_from_slice(text);
    buffer
}

/// Returns the map of what `carry` has and `piece` has after it.
fn piece_map(piece: &BlockPiece, carry: &Carry) -> OffsetMap {
    let own = piece.decoded_from.and_then(|raw| raw.map);
    if own.is_none() && carry.map.is_none() {
        return OffsetMap::of(piece.encoding);
    }
    let of_encoding = OffsetMap::of(piece.encoding);
    let mut map = match &carry.map {
        Some(map) => map.clone(),
        None => of_encoding.clone(),
    };
    map.append(
        carry.bytes.len(),
        carry.raw_len,
        own.unwrap_or(&of_encoding),
    );
    map
}

/// Returns what is carried from the end of `segment`, which ends with `piece`, into the
/// next piece.
fn hand_on(segment: &Segment, position: ScanPosition, piece: &BlockPiece) -> Carry {
    let from = match position.refang.0 {
        Some(from) => from,
        None => position.at.saturating_sub(LOOK_BACK * MARK_MAX),
    };
    let mut places = segment.places();
    let start = places.raw(from);
    let is_mapped = *segment.map != OffsetMap::of(piece.encoding);
    Carry {
        raw_len: piece.offset + piece.raw_len() - start,
        map: is_mapped.then(|| {
            let mut map = OffsetMap::IDENTITY;
            let range = from..segment.text.len();
            segment.map.part_into(range, segment.text, &mut map);
            map
        }),
        resume: position.at - from,
        floor: position.floor.saturating_sub(from),
        overrun: position.overrun,
        listed: position.listed,
        refang: position.refang.1,
        reading: ListReading::default(),
        head: delimit::head_at(segment.text, from, segment.head),
        line: OpenLine::default(),
        bytes: segment.text[from..].to_vec(),
        decided: places.raw(position.floor.max(from)),
        losses: Vec::new(),
        odd_lines: Vec::new(),
    }
}

const _: () = assert!(HEAD_MAX >= LOOK_BACK * MARK_MAX + MARKS_LEN);
