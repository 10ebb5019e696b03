//! Text whose lines may be requests (G1): a line that states one gives its URL and its
//! referer, and the rest of it is searched on its own; the lines between two requests are one
//! text. `decode::log` reads the lines.

use super::nested::{Outer, add_nested};
use super::problems;
use super::reported::Reported;
use super::search::{count, search_piece};
use super::worker::{Buffers, Worker};
use crate::decode::{LOG_RECORD_MAX, LineKind, LogRequest};
use crate::delimit::{Referred, Refusal};
use crate::engine::batches::batch::Batch;
use crate::engine::batches::carry::Carry;
use crate::engine::batches::line_state::{LineMode, OddLine};
use crate::engine::batches::piece::BlockPiece;
use crate::item::{Marks, RequestPart, Schemes, Wrapper};
use crate::syntax::plain_url;
use std::ops::Range;

/// Scans a piece of text, which continues `carry`; without one, the text begins.
pub(in crate::engine) fn scan_piece(
    worker: &mut Worker,
    piece: &BlockPiece,
    carry: Option<Box<Carry>>,
    last: bool,
    batch: &mut Batch,
) -> Option<Box<Carry>> {
    if worker.keys.skips_text() {
        count(worker, piece, batch.items.len(), batch);
        return None;
    }
    match piece.lines {
        true => scan_lines(worker, piece, carry, last, batch),
        false => scan_text(worker, piece, carry, last, batch),
    }
}

/// Scans a piece of text whose lines may be requests, which continues `carry`. The state of
/// the lines is that of the worker.
fn scan_lines(
    worker: &mut Worker,
    piece: &BlockPiece,
    mut carry: Option<Box<Carry>>,
    last: bool,
    batch: &mut Batch,
) -> Option<Box<Carry>> {
    let open = carry.as_mut().map(|carry| std::mem::take(&mut carry.line));
    let mut open = open.unwrap_or_default();
    if worker.lines.mode == LineMode::Off && open.bytes.is_empty() {
        return scan_text(worker, piece, carry, last, batch);
    }
    let Some(mut reader) = worker.logs.take() else {
        return scan_text(worker, piece, carry, last, batch);
    };
    let mut joined = Vec::new();
    // The line before these bytes has no end.
    let known = open.bytes.len();
    let piece = match open.bytes.is_empty() {
        true => *piece,
        false => {
            let before = piece.encoding.raw_len(&open.bytes);
            open.bytes.extend_from_slice(piece.bytes);
            joined = std::mem::take(&mut open.bytes);
            BlockPiece {
                bytes: &joined,
                offset: piece.offset - before,
                ..*piece
            }
        }
    };
    let mut text = LineText {
        places: TextPlaces {
            piece,
            at: 0,
            raw: piece.offset,
        },
        odd_places: TextPlaces {
            piece,
            at: 0,
            raw: piece.offset,
        },
        carry,
        from: 0,
    };
    let bytes = piece.bytes;
    let mut at = 0;
    while at < bytes.len() && worker.lines.mode != LineMode::Off {
        let state = &mut worker.lines;
        if state.ends_open() {
            break;
        }
        let searched = known.saturating_sub(at);
        let end = memchr::memchr(b'\n', &bytes[at + searched..]);
        let end = end.map(|end| searched + end);
        if end.is_none() && !last {
            break;
        }
        let next = end.map_or(bytes.len(), |end| at + end + 1);
        let line = &bytes[at..end.map_or(next, |end| at + end)];
        let kind = match std::mem::take(&mut open.is_text) {
            true => {
                state.begun = true;
                state.pass(LineKind::Text, next - at);
                LineKind::Text
            }
            false => state.read_line(&mut reader, line, next - at),
        };
        match kind {
            LineKind::Text if reader.time.is_some() && worker.keys.wants_times() => {
                // G15: an object without a request has a time all the same.
                text.flush(worker, at, batch);
                worker.keys.set_time(reader.time);
                let line = text.places.part(at..next);
                scan_text(worker, &line, None, true, batch);
                worker.keys.set_time(None);
                text.places.advance(next);
                text.from = next;
            }
            LineKind::Text | LineKind::Header => {}
            LineKind::NoHost => text.add_odd(OddLine::NoHost, at),
            LineKind::Garbage => text.add_odd(OddLine::Garbage, at),
            LineKind::Request => {
                text.flush(worker, at, batch);
                let line = text.places.part(at..next);
                read_request(worker, &reader.request, &line, batch);
                text.places.advance(next);
                text.from = next;
            }
        }
        at = next;
    }
    let is_begun = at < bytes.len() && !last && worker.lines.mode != LineMode::Off;
    let columns = worker.lines.columns.as_ref();
    open.is_text |= is_begun && reader.stays_text(&bytes[at..], columns.map(|columns| &**columns));
    let is_long = is_begun && bytes.len() - at > LOG_RECORD_MAX;
    if is_long && !open.is_text && reader.read_cut(&bytes[at..], columns) == LineKind::Garbage {
        text.add_odd(OddLine::Garbage, at);
    }
    worker.logs = Some(reader);
    let is_open = worker.lines.mode != LineMode::Off && !last;
    let until = match is_open && (open.is_text || is_long) {
        // The rest of a line that is too long is searched as it comes.
        true => {
            open.is_text |= at < bytes.len();
            worker.lines.read += (bytes.len() - at) as u64;
            bytes.len()
        }
        false if is_open => at,
        false => bytes.len(),
    };
    let rest = text.places.part(text.from..until);
    let mut carry = scan_text(worker, &rest, text.carry, last, batch);
    // A line that grows is not copied again and again.
    open.bytes = match until == 0 && known > 0 {
        true => joined,
        false => bytes[until..].to_vec(),
    };
    if let Some(carry) = &mut carry {
        carry.line = open;
    }
    carry
}

/// Scans text that has no requests.
fn scan_text(
    worker: &mut Worker,
    piece: &BlockPiece,
    mut carry: Option<Box<Carry>>,
    last: bool,
    batch: &mut Batch,
) -> Option<Box<Carry>> {
    let first = batch.items.len();
    let odd = carry
        .as_mut()
        .map(|carry| std::mem::take(&mut carry.odd_lines));
    let mut odd = odd.unwrap_or_default();
    let mut handed_on = search_piece(worker, piece, carry, last, batch);
    count(worker, piece, first, batch);
    // A line is behind the findings that begin before it, which may follow.
    if let Some(carry) = &mut handed_on {
        let decided = odd.partition_point(|odd| odd.0 <= carry.decided);
        carry.odd_lines = odd.split_off(decided);
    }
    if !odd.is_empty() {
        batch.add_odd_lines(first, &odd);
    }
    handed_on
}

/// The text between two requests.
struct LineText<'t> {
    places: TextPlaces<'t>,
    /// The places of its lines that state no usable request.
    odd_places: TextPlaces<'t>,
    /// The end of the text before it; `None` behind a request.
    carry: Option<Box<Carry>>,
    /// The offset at which it begins.
    from: usize,
}

impl LineText<'_> {
    /// Notes that the line at `at` has the shape of a request, but is text.
    fn add_odd(&mut self, line: OddLine, at: usize) {
        self.odd_places.advance(at);
        let carry = self.carry.get_or_insert_with(|| Box::new(Carry::start()));
        carry.odd_lines.push((self.odd_places.raw, line));
    }

    /// Searches the text up to the request at `to`, which ends every wrapper (G11).
    fn flush(&mut self, worker: &mut Worker, to: usize, batch: &mut Batch) {
        if self.from == to && self.carry.is_none() {
            return;
        }
        let part = self.places.part(self.from..to);
        scan_text(worker, &part, self.carry.take(), true, batch);
        self.places.advance(to);
    }
}

/// The parts of a piece, taken from left to right, with their raw offsets.
struct TextPlaces<'t> {
    piece: BlockPiece<'t>,
    at: usize,
    raw: u64,
}

impl<'t> TextPlaces<'t> {
    /// Goes on to the offset `to`.
    fn advance(&mut self, to: usize) {
        self.raw = self.offset(to);
        self.at = to;
    }

    fn offset(&self, to: usize) -> u64 {
        let skipped = &self.piece.bytes[self.at..to];
        self.raw + self.piece.encoding.raw_len(skipped)
    }

    fn part(&self, range: Range<usize>) -> BlockPiece<'t> {
        BlockPiece {
            offset: self.offset(range.start),
            bytes: &self.piece.bytes[range],
            ..self.piece
        }
    }
}

/// Adds what the line of a request gives: the URL, the referer, and what the rest of the line
/// has.
fn read_request(worker: &mut Worker, request: &LogRequest, line: &BlockPiece, batch: &mut Batch) {
    worker.keys.set_exchange(Some(&request.exchange()));
    read_stated(worker, request, (line, 0), batch);
    worker.keys.set_exchange(None);
}

/// Adds what a part of the line or record of a request gives, which begins at `start` in it.
pub(in crate::engine) fn read_stated(
    worker: &mut Worker,
    request: &LogRequest,
    (line, start): (&BlockPiece, usize),
    batch: &mut Batch,
) {
    let first = batch.items.len();
    worker.keys.enter(line.context, batch);
    let here = start..start + line.bytes.len();
    let in_part = |range: &Range<usize>| {
        let is_here = here.start <= range.start && range.end <= here.end;
        is_here.then(|| range.start - start..range.end - start)
    };
    let [query, _] = &request.silent;
    if worker.shows_parts
        && !query.is_empty()
        && let Some(range) = in_part(query)
    {
        add_value(worker, request, line, (range, RequestPart::Target), batch);
    }
    let searches_text = worker.searches_text_of_requests();
    let has_referer = !searches_text || may_have_referer(worker, request);
    let is_value = |at: usize| request.has_value_in(start + at..start + at + 1);
    // In most lines nothing but these values has URIs.
    if !searches_text || has_referer && !worker.may_have_uris_outside(line.bytes, is_value) {
        let referer = (&request.referer_at, RequestPart::Referer);
        let mut parts = [(&request.target, RequestPart::Target), referer];
        if request.referer_at.start < request.target.start {
            parts.swap(0, 1);
        }
        for (range, part) in parts {
            let is_added = part == RequestPart::Target || searches_text && !range.is_empty();
            if let Some(range) = in_part(range).filter(|_| is_added) {
                add_value(worker, request, line, (range, part), batch);
            }
        }
        return count(worker, line, first, batch);
    }
    let mut parts = request.values();
    parts.sort_unstable_by_key(|(range, _)| range.start);
    let mut at = 0;
    for (range, part) in parts {
        let is_target = part == Some(RequestPart::Target);
        if part == Some(RequestPart::Referer) && !has_referer {
            continue;
        }
        let Some(range) = in_part(range).filter(|range| is_target || !range.is_empty()) else {
            continue;
        };
        if at < range.start {
            search_rest(worker, line, at..range.start, batch);
        }
        at = at.max(range.end);
        if let Some(part) = part {
            add_value(worker, request, line, (range, part), batch);
        }
    }
    if at < line.bytes.len() {
        search_rest(worker, line, at..line.bytes.len(), batch);
    }
    count(worker, line, first, batch);
}

/// Whether the referer, if there is one, is a reference (F1); if not, it is text (G11).
fn may_have_referer(worker: &mut Worker, request: &LogRequest) -> bool {
    let (url, is_plain) = &request.referer;
    if *is_plain || request.referer_at.is_empty() {
        return true;
    }
    let cleaning = &mut worker.buffers.cleaning;
    matches!(
        worker.delimiter.reference(url, Schemes::Any, cleaning),
        Ok(Referred::Uri { .. }) | Err(Refusal::TooLong)
    )
}

/// Adds the URL of the target or of the referer, which is this range of the line.
fn add_value(
    worker: &mut Worker,
    request: &LogRequest,
    line: &BlockPiece,
    (range, part): (Range<usize>, RequestPart),
    batch: &mut Batch,
) {
    let bytes = &line.bytes[range.clone()];
    let ((url, is_plain), written) = match part {
        RequestPart::Target if request.written.is_empty() => (&request.url, bytes),
        RequestPart::Target => (&request.url, &request.written[..]),
        _ => (&request.referer, bytes),
    };
    let stated = StatedUrl {
        url,
        is_plain: *is_plain,
        written,
    };
    let first = batch.items.len();
    add_url(worker, stated, line, (range, part), batch);
    if worker.shows_parts {
        let items = batch.items.get_mut(first..).unwrap_or_default();
        items.iter_mut().for_each(|item| item.part = part);
    }
}

/// Searches a part of the line of a request.
fn search_rest(worker: &mut Worker, line: &BlockPiece, range: Range<usize>, batch: &mut Batch) {
    let bytes = &line.bytes[range.clone()];
    if !worker.may_have_uris(bytes) {
        return;
    }
    let part = BlockPiece {
        bytes,
        offset: line.offset + line.encoding.raw_len(&line.bytes[..range.start]),
        ..*line
    };
    worker.keys.set_part(RequestPart::Text);
    search_piece(worker, &part, None, true, batch);
}

/// A URL that a line states.
struct StatedUrl<'u> {
    url: &'u [u8],
    /// Whether it is known to be [plain](crate::syntax::plain_url).
    is_plain: bool,
    /// The text of the line, without the escapes of the format around it.
    written: &'u [u8],
}

/// Adds a URL that the line states in this range, as a reference that its format delimits (F1).
fn add_url(
    worker: &mut Worker,
    stated: StatedUrl,
    line: &BlockPiece,
    (range, part): (Range<usize>, RequestPart),
    batch: &mut Batch,
) {
    let StatedUrl { url, written, .. } = stated;
    let raw_len = |range: Range<usize>| line.encoding.raw_len(&line.bytes[range]);
    let place = (
        line.offset + raw_len(0..range.start),
        raw_len(range.clone()),
    );
    let Worker {
        delimiter,
        canonicalizer,
        keys,
        buffers,
        scanner,
        shows_parts,
        ..
    } = worker;
    let shows_parts = *shows_parts;
    let Buffers {
        canonical,
        cleaning,
        nested,
        ..
    } = buffers;
    if stated.is_plain && delimiter.takes_plain(url) && canonicalizer.keeps_lower_case() {
        debug_assert!(plain_url::is_url(url));
        let marks = Marks {
            problems: problems::of_damage(line.doubt, place),
            ..Marks::default()
        };
        keys.set_part(part);
        if keys.takes_plain_written() {
            return keys.add_plain(url, place, marks, batch);
        }
        let original = Reported::Target { url, written };
        return keys.add(Reported::Uri(url), original, place, marks, batch);
    }
    let look = |at| scanner.outlook(url, at);
    let usual = delimiter.as_written(url, Schemes::Any, look);
    let reference = (url, Schemes::Any, usual);
    let (uri, problems) =
        match delimiter.reference_with_inner(reference, cleaning, &mut nested.inner) {
            Ok(Referred::Uri { uri, problems, .. }) => (uri, problems),
            Err(Refusal::TooLong) => return batch.skip_too_long(place.0),
            _ => {
                batch.stats.references_dropped += 1;
                return;
            }
        };
    keys.set_part(part);
    let damage = problems::of_damage(line.doubt, place);
    let key = canonicalizer.canonicalize(uri, canonical);
    let marks = Marks {
        problems: problems | problems::of_urn(uri) | damage,
        ..Marks::default()
    };
    let original = Reported::Target { url: uri, written };
    keys.add(Reported::Uri(key), original, place, marks, batch);
    keys.set_part(RequestPart::Text);
    if shows_parts {
        return;
    }
    let outer = Outer {
        uri,
        place,
        wrapper: Wrapper::None,
        damage,
    };
    add_nested((canonicalizer, keys), &outer, nested, batch);
}
