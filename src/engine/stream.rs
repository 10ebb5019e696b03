//! Inputs that are taken as they come: pipes, compressed files, UTF-16. They are
//! read here, by one worker at a time, while others scan; a block ends early when
//! the writer pauses, and where something is missing.

use super::ahead::Ahead;
use super::blocks::{End, Part, Start, Text, Unpack};
use super::cancel::{Cancel, Cancelled};
use super::error::Error;
use super::held::{Held, Ready};
use super::read_as::{DEPTH_MAX, ReadAs};
use crate::decode::{Beginning, Utf16Decoder};
use crate::input::{Stream, Watch};
use crate::item::{Damage, Encoding, Loss, LossKind};
use crate::scan::{Cut, Cutter};
use crate::unpack::{
    self, Archive, Coded, Compression, Event, Piece, Record, Sought, Trust, Unpacker, Verdict,
};
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Bytes that are decoded at a time.
const PIECE: usize = 64 << 10;

/// Compressed bytes that are looked at ahead of the stream, for each worker.
const LOOK_AHEAD: usize = 512 << 10;

/// About how much longer text is than what it was coded as.
const CODED_TO_TEXT: usize = 4;

/// So many losses or marks fill a block, whatever its text.
const NOTES: usize = 4096;

/// A stream, and what was read of it but not yet given on.
pub(super) struct Pending<'s> {
    feed: Feed<'s>,
    watch: Watch,
    input: usize,
    cancel: Cancel,
    /// How many more compressions may lie in each other.
    depth: u8,
    /// Whether what is compressed is decoded.
    decompress: bool,
    /// Whether archives are taken apart.
    archives: bool,
    /// All text is UTF-16.
    utf16: bool,
    archive: Option<Box<Archive>>,
    /// What is known so far of what the input is read as.
    read_as: ReadAs,
    /// So much of the input as it is stored was told of.
    told: u64,
    /// Where the last member began.
    member: u64,
    text: Vec<u8>,
    /// What begins where in `text`.
    marks: Vec<(usize, Mark)>,
    /// The part of the input that `text` goes on from: its end is the start of
    /// `text`.
    part: Part,
    /// What is looked for in the end of `text`.
    sought: Sought,
    /// About how many bytes of text the marks stand for.
    coded: usize,
    carried: bool,
    sniffed: bool,
    ended: bool,
    failed: Option<io::Error>,
    decoder: Option<Utf16Decoder>,
    raw: Vec<u8>,
    /// From where on `raw` may be wrong.
    raw_doubt: Option<usize>,
    /// What a decoder writes to.
    scratch: Box<[u8]>,
    ahead: Arc<Ahead>,
    /// Text of the last member that was decoded, and what of it is left.
    decoded: Option<(Ready, Range<usize>)>,
    /// Text of the member that is held back.
    held: Option<Held>,
    /// A buffer for that.
    spare: Held,
    /// What comes after the text that was held back.
    event: Option<Event>,
    /// What was taken last of a record may be wrong.
    doubted: bool,
    losses: Vec<(usize, Loss)>,
}

/// Where the bytes come from.
enum Feed<'s> {
    Plain(Stream<'s>),
    Unpacked(Box<Unpacker<'s>>),
    Nothing,
}

/// What begins at a place of the text.
enum Mark {
    /// What stood before is missing, or does not belong to what follows.
    Break,
    /// A record of an archive.
    Record(Arc<Record>),
    /// Text in which this is looked for.
    Sought(Sought),
    /// What is still to be decoded stands here.
    Coded(Arc<Coded>),
    /// From here to the end of the part it may be wrong; nothing begins.
    Doubt,
}

impl<'s> Pending<'s> {
    pub(super) fn new(
        stream: Stream<'s>,
        input: usize,
        unpack: Unpack,
        cancel: Cancel,
        ahead: Arc<Ahead>,
    ) -> Pending<'s> {
        Pending {
            watch: stream.watch(),
            feed: Feed::Plain(stream),
            input,
            cancel,
            depth: if unpack.decompress {
                DEPTH_MAX as u8
            } else {
                0
            },
            decompress: unpack.decompress,
            archives: unpack.archives,
            utf16: unpack.utf16,
            archive: None,
            read_as: ReadAs::default(),
            told: 0,
            member: 0,
            text: Vec::new(),
            marks: Vec::new(),
            part: Part::default(),
            sought: Sought::Uris,
            coded: 0,
            carried: false,
            sniffed: false,
            ended: false,
            failed: None,
            decoder: None,
            raw: Vec::new(),
            raw_doubt: None,
            scratch: Box::default(),
            ahead,
            decoded: None,
            held: None,
            spare: Held::default(),
            event: None,
            doubted: false,
            losses: Vec::new(),
        }
    }

    fn encoding(&self) -> Encoding {
        match self.decoder {
            Some(_) => Encoding::Utf16,
            None => Encoding::Raw,
        }
    }

    /// Reads until a block is full, the writer pauses or the stream ends, and
    /// gives what may be scanned on its own.
    pub(super) fn block(&mut self, size: usize, cutter: &Cutter, buffer: Vec<u8>) -> Option<Text> {
        let paused = self.fill(size);
        if self.cancel.is_set() {
            // What was not read is not lost.
            self.losses.clear();
        }
        let coded = std::mem::take(&mut self.coded);
        let at_end = self.text.is_empty() && coded == 0 && self.ended;
        if at_end && self.failed.is_none() && self.losses.is_empty() && !self.carried {
            return None;
        }
        let (to, end) = match self.ended {
            true => (self.text.len(), End::Clean),
            false => self.cut(cutter, paused),
        };
        let mut rest = buffer;
        rest.clear();
        rest.extend_from_slice(&self.text[to..]);
        let bytes = std::mem::replace(&mut self.text, rest);
        let parts = self.parts(&bytes, to);
        let carried = std::mem::replace(&mut self.carried, end == End::Open);
        let cause = if at_end { self.failed.take() } else { None };
        let stored = self.watch.read_bytes();
        let place = (stored, self.part.offset);
        let kind = self.read_as.failed_at(self.input, place);
        let newly = stored - std::mem::replace(&mut self.told, stored);
        Some(Text {
            bytes,
            parts,
            encoding: self.encoding(),
            read_as: self.read_as.with_encoding(self.encoding()),
            stored: newly,
            start: if carried {
                Start::Carried
            } else {
                Start::Clean
            },
            end,
            flush: paused,
            losses: std::mem::take(&mut self.losses),
            failed: cause.map(|cause| Error::new(kind, cause)),
        })
    }

    /// Where the text that was read may be cut.
    fn cut(&self, cutter: &Cutter, paused: bool) -> (usize, End) {
        let len = self.text.len();
        let begins = |mark: &&(usize, Mark)| !matches!(mark.1, Mark::Doubt);
        let last = self.marks.iter().rfind(begins);
        let begun = last.map_or(0, |mark| mark.0);
        if begun == len && last.is_some() || self.sought != Sought::Uris {
            return (len, End::Clean);
        }
        if len == 0 {
            // There is only a loss to tell.
            let end = if self.carried { End::Open } else { End::Clean };
            return (0, end);
        }
        let skipped = begun.max(len.saturating_sub(cutter.look_back()));
        let fresh = skipped == begun && (last.is_some() || !self.carried);
        match cutter.cut(&self.text[skipped..], fresh) {
            Cut::Safe(at) if !paused || skipped + at == len => (skipped + at, End::Clean),
            _ => (len, End::Open),
        }
    }

    /// The parts of the first `to` of `bytes`, none of which begins after that.
    fn parts(&mut self, bytes: &[u8], to: usize) -> Vec<Part> {
        let encoding = self.encoding();
        let mut parts = Vec::new();
        let mut part = Part {
            from: 0,
            ..self.part.clone()
        };
        // What the block before left undecided ends with the first part, even if
        // that is empty.
        let mut wanted = self.carried;
        let mut close = |part: &Part, to: usize, parts: &mut Vec<Part>| {
            let wanted = std::mem::take(&mut wanted) || to > part.from;
            let offset = part.offset + encoding.raw_len(&bytes[part.from..to]);
            if wanted {
                parts.push(Part { to, ..part.clone() });
            }
            Part {
                from: to,
                offset,
                begins: part.begins && !wanted,
                ..part.clone()
            }
        };
        let here = self.marks.iter().take_while(|mark| mark.0 <= to).count();
        for (at, mark) in self.marks.drain(..here) {
            if matches!(mark, Mark::Doubt) {
                let before = encoding.raw_len(&bytes[part.from..at]);
                part.doubt.get_or_insert(part.offset + before);
                continue;
            }
            part = close(&part, at, &mut parts);
            match mark {
                Mark::Doubt => {}
                Mark::Break => part.doubt = None,
                Mark::Coded(coded) => {
                    parts.push(Part {
                        sought: coded.sought,
                        coded: Some(coded),
                        ..part.clone()
                    });
                    part.begins = false;
                }
                Mark::Sought(sought) => part.sought = sought,
                Mark::Record(record) => {
                    part.offset = 0;
                    part.begins = true;
                    part.record = Some(record);
                    part.doubt = None;
                }
            }
        }
        self.part = close(&part, to, &mut parts);
        for (at, _) in &mut self.marks {
            *at -= to;
        }
        parts
    }

    /// Reads until `size` bytes are there; true when the writer pauses.
    fn fill(&mut self, size: usize) -> bool {
        let is_full = |pending: &Self| {
            let notes = pending.losses.len().max(pending.marks.len());
            pending.text.len() + pending.coded >= size || notes >= NOTES
        };
        while !self.ended && !is_full(self) {
            if self.archive.is_some() && self.take_piece() {
                continue;
            }
            if self.take_decoded(size) {
                continue;
            }
            let has_some = !self.text.is_empty() || self.coded > 0 || !self.losses.is_empty();
            let mut ended = false;
            match &mut self.feed {
                Feed::Plain(stream) => {
                    if has_some && self.watch.pauses() {
                        return true;
                    }
                    let cancel = &self.cancel;
                    if self.watch.wait(|| cancel.is_set()) {
                        self.ended = true;
                        break;
                    }
                    let direct = self.sniffed && self.decoder.is_none() && self.archive.is_none();
                    let (to, room) = match direct {
                        true => (&mut self.text, size),
                        false => (&mut self.raw, PIECE),
                    };
                    let had = to.len();
                    to.resize(room.max(had + 1), 0);
                    let result = stream.read(&mut to[had..]);
                    let len = *result.as_ref().unwrap_or(&0);
                    to.truncate(had + len);
                    ended = len == 0;
                    self.failed = result.err();
                }
                Feed::Unpacked(unpacker) => {
                    let room = match &mut self.held {
                        Some(held) => held.room(),
                        None => &mut self.scratch[..],
                    };
                    let event = self.event.take();
                    let event = event.unwrap_or_else(|| unpacker.decode(room));
                    let lost = unpacker.losses();
                    let trust = unpacker.trust();
                    if let (Some(held), Event::Bytes(len)) = (&mut self.held, event) {
                        held.len += len;
                    }
                    match event {
                        _ if self.held.is_some() && trust.is_some() => {
                            self.release(trust, event);
                        }
                        Event::Bytes(_) if self.held.is_some() => {}
                        Event::Bytes(len) => {
                            let scratch = std::mem::take(&mut self.scratch);
                            self.take_bytes(&scratch[..len]);
                            self.scratch = scratch;
                        }
                        Event::Member(offset) => {
                            match &mut self.archive {
                                Some(archive) => archive.member(offset),
                                None => self.member = offset,
                            }
                            self.take_member(offset);
                        }
                        Event::Hungry => {
                            if has_some && self.watch.pauses() {
                                return true;
                            }
                            // What came before the failure is decoded all the same.
                            if let Err(cause) = unpacker.refill() {
                                self.failed.get_or_insert(cause);
                            }
                        }
                        Event::Break => self.gap(),
                        Event::End => ended = true,
                    }
                    self.lost(lost);
                }
                Feed::Nothing => ended = true,
            }
            let depth = self.depth;
            self.take_raw(ended);
            // What was read may go on in another form.
            ended &= self.depth == depth;
            match &mut self.archive {
                Some(archive) if ended => archive.end(),
                _ => self.ended |= ended,
            }
        }
        false
    }

    /// Takes what was decoded as text, or as what is to become text.
    fn take_bytes(&mut self, bytes: &[u8]) {
        match &mut self.archive {
            _ if !self.sniffed || self.decoder.is_some() => self.raw.extend_from_slice(bytes),
            Some(archive) => archive.push(bytes),
            None => self.text.extend_from_slice(bytes),
        }
    }

    /// Takes from the member that was decoded ahead, text of about `size`; false
    /// when nothing of it is left.
    fn take_decoded(&mut self, size: usize) -> bool {
        let Some((ready, mut left)) = self.decoded.take() else {
            return false;
        };
        let is_text = self.sniffed && self.decoder.is_none() && self.archive.is_none();
        let most = match (is_text, self.sniffed) {
            (true, _) => size.saturating_sub(self.text.len()).max(1),
            (false, true) => PIECE,
            // It may be compressed itself: then all of it is.
            (false, false) => usize::MAX,
        };
        let to = left.end.min(left.start.saturating_add(most));
        self.take_bytes(&ready.text()[left.start..to]);
        self.take_raw(false);
        left.start = to;
        match ready {
            ready if !left.is_empty() => self.decoded = Some((ready, left)),
            Ready::Held(held) => self.spare = held.emptied(),
            Ready::Ahead(_) => {}
        }
        true
    }

    /// Gives on the text that was held back, before `event`.
    fn release(&mut self, trust: Option<Trust>, event: Event) {
        let Some(held) = self.held.take() else {
            return;
        };
        if trust == Some(Trust::Doubtful) && held.len > 0 {
            self.doubt();
        }
        // The others come again when they are asked for.
        self.event = Some(event).filter(|e| matches!(e, Event::Break | Event::Member(_)));
        let text = 0..held.len;
        self.decoded = Some((Ready::Held(held), text));
    }

    /// What comes now, up to the next gap, may be wrong.
    fn doubt(&mut self) {
        match &mut self.archive {
            _ if !self.sniffed || self.decoder.is_some() => self.raw_doubt = Some(self.raw.len()),
            Some(archive) => archive.doubt(),
            None => self.marks.push((self.text.len(), Mark::Doubt)),
        }
    }

    /// A member begins at `offset` of the feed: it may have been decoded ahead, and
    /// others may be from now on.
    fn take_member(&mut self, offset: u64) {
        let Feed::Unpacked(unpacker) = &mut self.feed else {
            return;
        };
        let stream = (self.input, self.depth);
        while self.ahead.has_room(stream) {
            if let Some(stretch) = unpacker.look_ahead() {
                self.ahead.add(stretch);
                continue;
            }
            let waiting = unpacker.waiting();
            if waiting.is_none_or(|len| len >= self.ahead.room() * LOOK_AHEAD)
                || !self.watch.reads_at_once()
                || self.cancel.is_set()
            {
                break;
            }
            if let Err(cause) = unpacker.refill() {
                self.failed.get_or_insert(cause);
            }
        }
        if let Some((decoded, member)) = self.ahead.take(stream, offset)
            && unpacker.pass(&member)
        {
            self.decoded = Some((Ready::Ahead(decoded), member.text));
        } else if unpacker.holds() {
            self.held = Some(std::mem::take(&mut self.spare));
        }
    }

    fn lost(&mut self, losses: impl Iterator<Item = (u64, LossKind)>) {
        let input = self.input;
        let is_coded = |mark: &&(usize, Mark)| matches!(mark.1, Mark::Coded(_));
        self.losses.extend(losses.map(|(offset, kind)| {
            let coded = self.marks.iter().filter(is_coded).count();
            let loss = Loss {
                input,
                offset,
                kind,
            };
            (coded, loss)
        }));
    }

    /// Something is missing after what was read.
    fn gap(&mut self) {
        self.take_raw(true);
        if let Some(archive) = &mut self.archive {
            archive.gap();
            return;
        }
        // An archive may have been damaged at its very beginning.
        self.sniffed = self.decoder.is_some();
        if self.has_begun() {
            self.marks.push((self.text.len(), Mark::Break));
        }
    }

    /// Whether any text was read.
    fn has_begun(&self) -> bool {
        !self.text.is_empty() || self.part.offset > 0 || self.carried
    }

    /// Takes the next piece of the archive; false when it has none yet.
    fn take_piece(&mut self) -> bool {
        let Some(archive) = &mut self.archive else {
            return false;
        };
        let at = self.text.len();
        let piece = archive.next(&mut self.text);
        let losses = archive.losses();
        let is_content = matches!(piece, Piece::Text(..) | Piece::Coded(_));
        let doubted = is_content && archive.is_doubtful();
        if doubted && !self.doubted {
            self.marks.push((at, Mark::Doubt));
        }
        self.doubted = doubted || self.doubted && matches!(piece, Piece::Hungry);
        let mut some = true;
        match piece {
            Piece::Record(record) => self.marks.push((at, Mark::Record(record))),
            Piece::Text(_, sought) => {
                if sought != self.sought {
                    self.sought = sought;
                    self.marks.push((at, Mark::Sought(sought)));
                }
            }
            Piece::Break => self.marks.push((at, Mark::Break)),
            Piece::Coded(coded) => {
                self.coded += coded.len() * CODED_TO_TEXT;
                self.marks.push((at, Mark::Coded(Arc::new(coded))));
            }
            Piece::Hungry => some = false,
            Piece::End => self.ended = true,
        }
        self.lost(losses);
        some
    }

    /// Gives on the bytes that were read; `whole` when nothing that belongs to them
    /// follows.
    fn take_raw(&mut self, whole: bool) {
        if !self.sniffed {
            if self.raw.is_empty() || (self.may_become_more() && !whole) {
                return;
            }
            match self.is_compressed(whole) {
                Some(true) => return self.dive(),
                Some(false) => {}
                None => return,
            }
            let is_archive = self.archives && unpack::is_archive(&self.raw);
            // Only what an input begins with tells how it is written.
            let is_start = !is_archive && !self.has_begun();
            let beginning = is_start.then(|| Beginning::of(&self.raw, whole, self.utf16));
            if beginning == Some(None) {
                return;
            }
            self.sniffed = true;
            self.find_too_deep();
            self.find_unseen();
            if let Some(beginning) = beginning.flatten() {
                self.begin(beginning);
            }
            if is_archive {
                let compressed = matches!(self.feed, Feed::Unpacked(_));
                let mut archive = Archive::new(compressed).leave_coded();
                archive.member(self.member);
                self.read_as.open(&self.raw);
                self.archive = Some(Box::new(archive));
            }
        }
        if let Some(from) = self.raw_doubt.take() {
            let doubtful = self.raw.split_off(from);
            self.give_raw(false);
            match &mut self.archive {
                Some(archive) => archive.doubt(),
                None => self.marks.push((self.text.len(), Mark::Doubt)),
            }
            self.raw = doubtful;
        }
        self.give_raw(whole);
    }

    fn give_raw(&mut self, whole: bool) {
        match (&mut self.archive, &mut self.decoder) {
            (Some(archive), _) => archive.push(&self.raw),
            (None, Some(decoder)) => {
                decoder.decode(&self.raw, &mut self.text);
                if whole {
                    decoder.finish(&mut self.text);
                }
            }
            (None, None) => self.text.extend_from_slice(&self.raw),
        }
        self.raw.clear();
    }

    /// The text begins, after a byte-order mark where it has one.
    fn begin(&mut self, beginning: Beginning) {
        self.raw.drain(..beginning.mark);
        self.raw_doubt = self.raw_doubt.map(|at| at.saturating_sub(beginning.mark));
        self.part.offset = beginning.mark as u64;
        self.decoder = beginning.utf16.map(Utf16Decoder::new);
    }

    /// Whether more bytes may tell that this is an archive or a container.
    fn may_become_more(&self) -> bool {
        let may_be_archive = || unpack::may_become_archive(&self.raw);
        let may_be_opaque = || !self.has_begun() && unpack::may_become_opaque(&self.raw);
        self.archives && (may_be_archive() || may_be_opaque())
    }

    /// Whether what was read is compressed; `None` when more must be read to know.
    fn is_compressed(&self, whole: bool) -> Option<bool> {
        if self.depth == 0 || Compression::of(&self.raw).is_some() {
            return Some(self.depth > 0);
        }
        if !whole && unpack::may_become(&self.raw) {
            return None;
        }
        match unpack::damaged(&self.raw, whole) {
            Verdict::Unknown => None,
            verdict => Some(verdict != Verdict::No),
        }
    }

    /// Names a container that is searched as it is.
    fn find_unseen(&mut self) {
        let is_start = self.archives && !self.has_begun();
        let Some((container, cause)) = unpack::opaque(&self.raw).filter(|_| is_start) else {
            return;
        };
        let kind = LossKind::Unseen(Damage {
            container,
            cause,
            at: 0,
            resumes: None,
            text: None,
        });
        self.lost(std::iter::once((0, kind)));
    }

    /// Names what is compressed so often that it is read as it is.
    fn find_too_deep(&mut self) {
        let form = Compression::of(&self.raw);
        let Some(form) = form.filter(|_| self.decompress && self.depth == 0) else {
            return;
        };
        let kind = LossKind::Unsupported(Damage {
            container: form.name(),
            cause: "compressed more than 8 times",
            at: self.member,
            resumes: None,
            text: None,
        });
        self.lost(std::iter::once((self.member, kind)));
    }

    /// What was read is compressed.
    fn dive(&mut self) {
        let head = std::mem::take(&mut self.raw);
        self.read_as.dive(&head);
        let unpacker = match std::mem::replace(&mut self.feed, Feed::Nothing) {
            Feed::Plain(stream) => {
                let cancel = self.cancel.clone();
                Unpacker::new(Box::new(Cancelled { stream, cancel }), head)
            }
            Feed::Unpacked(outer) => Unpacker::within(*outer, head),
            Feed::Nothing => return,
        };
        self.feed = Feed::Unpacked(Box::new(unpacker));
        // What comes next of the stream around it says nothing about what lies in it.
        (self.raw_doubt, self.event) = (None, None);
        if !self.has_begun() {
            for (_, loss) in &mut self.losses {
                loss.kind = loss.kind.without_text();
            }
        }
        self.scratch = vec![0; PIECE].into();
        self.depth -= 1;
        self.ended = false;
    }
}
