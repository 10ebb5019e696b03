//! Inputs that are taken as they come: pipes, compressed files, containers, UTF-16.
//! They are unpacked here, by one worker at a time, while others scan; a block ends
//! early when the writer pauses, and where something is missing. Of a container a
//! block has whole records, but for very long ones.

use super::ahead::Ahead;
use super::block::{End, Start, Stretch, Text};
use super::cancel::{Cancel, Cancelled};
use super::error::Error;
use super::read_as::ReadAs;
use crate::decode::{Beginning, Utf16Decoder};
use crate::input::{Stream, Watch};
use crate::item::{Encoding, Loss, Part};
use crate::scan::{Cut, Cutter};
use crate::unpack::{Next, Stack, Unpack};
use std::io;
use std::sync::Arc;

/// Compressed bytes that are looked at ahead of the stream, for each worker.
const LOOK_AHEAD: usize = 512 << 10;

/// So many losses or marks fill a block, whatever its text.
const NOTES: usize = 4096;

/// A record of so many times the size of a block goes on in the next one.
const LONG: usize = 4;

/// A stream, and what was read of it but not yet given on.
pub(super) struct Pending<'s> {
    stack: Stack<'s>,
    watch: Watch,
    input: usize,
    cancel: Cancel,
    /// All text is UTF-16.
    utf16: bool,
    /// The beginning of the text was read.
    has_begun: bool,
    /// Text that is still encoded, or may be.
    raw: Vec<u8>,
    /// From where on it may be wrong.
    raw_doubt: Option<usize>,
    decoder: Option<Utf16Decoder>,
    /// So much of the input as it is stored was counted.
    counted: u64,
    text: Vec<u8>,
    /// What begins where in `text`.
    marks: Vec<(usize, Mark)>,
    /// What `text` goes on from: its end is the start of `text`.
    part: Stretch,
    /// The block is in a record.
    in_record: bool,
    /// What was read last may be wrong, and that is marked.
    is_doubtful: bool,
    carried: bool,
    ended: bool,
    failed: Option<io::Error>,
    ahead: Arc<Ahead>,
    /// Records that end in `text`.
    ends: usize,
    /// What is lost, and after how many of these ends it is reported: what is lost in a
    /// record after its own.
    losses: Vec<(usize, Loss)>,
}

/// What begins at a place of the text.
enum Mark {
    /// What stood before is missing, or does not belong to what follows.
    Break,
    /// A record of a container.
    Record(Arc<Part>),
    RecordEnd,
    /// From here on it may be wrong; no other text begins.
    Doubt,
}

impl<'s> Pending<'s> {
    pub(super) fn new(
        stream: Stream<'s>,
        input: usize,
        (unpack, utf16): (Unpack, bool),
        cancel: Cancel,
        ahead: Arc<Ahead>,
    ) -> Pending<'s> {
        let watch = stream.watch();
        let reader = Cancelled {
            stream,
            cancel: cancel.clone(),
        };
        Pending {
            stack: Stack::new(Box::new(reader), unpack),
            watch,
            input,
            cancel,
            utf16,
            has_begun: false,
            raw: Vec::new(),
            raw_doubt: None,
            decoder: None,
            counted: 0,
            text: Vec::new(),
            marks: Vec::new(),
            part: Stretch::default(),
            in_record: false,
            is_doubtful: false,
            carried: false,
            ended: false,
            failed: None,
            ahead,
            ends: 0,
            losses: Vec::new(),
        }
    }

    /// Whether the next read is known to wait for nobody.
    pub(super) fn reads_at_once(&self) -> bool {
        self.watch.reads_at_once()
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
        let ends = std::mem::take(&mut self.ends);
        let due = self.losses.partition_point(|loss| loss.0 <= ends);
        let later = self.losses.split_off(due);
        let later = later.into_iter().map(|(after, loss)| (after - ends, loss));
        let losses = std::mem::replace(&mut self.losses, later.collect());
        let at_end = self.text.is_empty() && self.marks.is_empty() && self.ended;
        if at_end && self.failed.is_none() && losses.is_empty() && !self.carried {
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
        let read_as = ReadAs::of(&self.stack, self.encoding());
        let kind = read_as.failed_at(self.input, (stored, self.part.offset));
        let newly = stored - std::mem::replace(&mut self.counted, stored);
        Some(Text {
            bytes,
            parts,
            encoding: self.encoding(),
            read_as,
            stored: newly,
            start: if carried {
                Start::Carried
            } else {
                Start::Clean
            },
            end,
            flush: paused,
            losses,
            failed: cause.map(|cause| Error::new(kind, cause)),
        })
    }

    /// Where the text that was read may be cut.
    fn cut(&self, cutter: &Cutter, paused: bool) -> (usize, End) {
        let len = self.text.len();
        let begins = |mark: &&(usize, Mark)| !matches!(mark.1, Mark::Doubt);
        let last = self.marks.iter().rfind(begins);
        let begun = last.map_or(0, |mark| mark.0);
        if self.in_record {
            return (len, End::Open);
        }
        if begun == len && last.is_some() {
            return (len, End::Clean);
        }
        if len == 0 {
            // There is only a loss to report.
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
    fn parts(&mut self, bytes: &[u8], to: usize) -> Vec<Stretch> {
        let encoding = self.encoding();
        let mut parts = Vec::new();
        let mut part = Stretch {
            from: 0,
            ..self.part.clone()
        };
        // What the block before left undecided ends with the first part, even if
        // that is empty.
        let mut wanted = self.carried;
        let mut close = |part: &Stretch, to: usize, ends: bool, parts: &mut Vec<Stretch>| {
            let wanted = std::mem::take(&mut wanted) || to > part.from || ends;
            let offset = part.offset + encoding.raw_len(&bytes[part.from..to]);
            if wanted {
                parts.push(Stretch {
                    to,
                    ends,
                    ..part.clone()
                });
            }
            Stretch {
                from: to,
                offset,
                begins: part.begins && !wanted,
                ..part.clone()
            }
        };
        let here = self.marks.iter().take_while(|mark| mark.0 <= to).count();
        for (at, mark) in self.marks.drain(..here) {
            if matches!(mark, Mark::Doubt) && part.record.is_none() {
                let before = encoding.raw_len(&bytes[part.from..at]);
                part.doubt.get_or_insert(part.offset + before);
                continue;
            }
            let ends = matches!(mark, Mark::RecordEnd);
            part = close(&part, at, ends, &mut parts);
            match mark {
                Mark::Doubt => part.doubt = Some(part.offset),
                Mark::Break => part.doubt = None,
                Mark::RecordEnd => part.record = None,
                Mark::Record(record) => {
                    part.offset = 0;
                    part.begins = true;
                    part.record = Some(record);
                    part.doubt = None;
                }
            }
        }
        self.part = close(&part, to, false, &mut parts);
        for (at, _) in &mut self.marks {
            *at -= to;
        }
        parts
    }

    /// Reads until about `size` bytes are there; true when the writer pauses.
    fn fill(&mut self, size: usize) -> bool {
        while !self.ended && !self.is_full(size) {
            let room = size.saturating_sub(self.text.len()).max(1);
            let is_raw = !self.has_begun || self.decoder.is_some();
            let out = match is_raw {
                true => &mut self.raw,
                false => &mut self.text,
            };
            #[cfg(feature = "failpoints")]
            let known = out.len();
            let next = self.stack.next(out, room);
            #[cfg(feature = "failpoints")]
            super::faultpoint::at("unpack", super::faultpoint::new(out, known));
            self.lost();
            match next {
                Next::Text { len, doubtful } => self.take_text(len, doubtful),
                Next::Record(part) => {
                    self.is_doubtful = false;
                    self.in_record = true;
                    self.has_begun = true;
                    self.mark(Mark::Record(Arc::new(part)));
                }
                Next::Content { len, doubtful } => self.doubt(self.text.len() - len, doubtful),
                Next::RecordEnd => {
                    self.in_record = false;
                    self.ends += 1;
                    self.mark(Mark::RecordEnd);
                }
                Next::Gap => {
                    self.begin(true);
                    self.is_doubtful = false;
                    self.mark(Mark::Break);
                }
                Next::Member(offset) => self.take_member(offset),
                Next::Hungry => {
                    let has_some =
                        !self.text.is_empty() || !self.marks.is_empty() || !self.losses.is_empty();
                    if has_some && self.watch.pauses() {
                        return true;
                    }
                    let out = match is_raw {
                        true => &mut self.raw,
                        false => &mut self.text,
                    };
                    match self.stack.refill(out, room) {
                        Ok(0) => {}
                        Ok(len) => self.take_text(len, false),
                        // What came before the failure is unpacked all the same.
                        Err(cause) => drop(self.failed.get_or_insert(cause)),
                    }
                }
                Next::End => {
                    self.begin(true);
                    self.ended = true;
                }
            }
        }
        false
    }

    /// Whether there is enough for a block.
    fn is_full(&self, size: usize) -> bool {
        let (long, notes) = match self.in_record {
            true => (size.saturating_mul(LONG), self.marks.len()),
            false => (size, self.marks.len().max(self.losses.len())),
        };
        self.text.len() >= long || notes >= NOTES
    }

    fn mark(&mut self, mark: Mark) {
        self.marks.push((self.text.len(), mark));
    }

    /// What begins at `at` may be wrong, when it is `doubtful`.
    fn doubt(&mut self, at: usize, doubtful: bool) {
        if doubtful && !std::mem::replace(&mut self.is_doubtful, true) {
            self.marks.push((at, Mark::Doubt));
        }
    }

    /// Takes text of which the last `len` bytes are new.
    fn take_text(&mut self, len: usize, doubtful: bool) {
        if self.has_begun && self.decoder.is_none() {
            return self.doubt(self.text.len() - len, doubtful);
        }
        if doubtful && !std::mem::replace(&mut self.is_doubtful, true) {
            self.raw_doubt = Some(self.raw.len() - len);
        }
        self.begin(false);
    }

    /// Decodes the text that was read, once it is known how it is encoded. Nothing that
    /// belongs to it follows when it is `whole`.
    fn begin(&mut self, whole: bool) {
        if !self.has_begun {
            // Only what an input begins with says how it is encoded.
            let Some(beginning) = Beginning::of(&self.raw, whole, self.utf16) else {
                return;
            };
            if self.raw.is_empty() {
                return;
            }
            self.has_begun = true;
            self.raw.drain(..beginning.mark);
            self.raw_doubt = self.raw_doubt.map(|at| at.saturating_sub(beginning.mark));
            self.part.offset = beginning.mark as u64;
            self.decoder = beginning.utf16.map(Utf16Decoder::new);
        }
        let sure = self.raw_doubt.take().unwrap_or(self.raw.len());
        for (raw, is_doubtful) in [(0..sure, false), (sure..self.raw.len(), true)] {
            if is_doubtful && !raw.is_empty() {
                self.marks.push((self.text.len(), Mark::Doubt));
            }
            match &mut self.decoder {
                Some(decoder) => decoder.decode(&self.raw[raw], &mut self.text),
                None => self.text.extend_from_slice(&self.raw[raw]),
            }
        }
        self.raw.clear();
        if let Some(decoder) = self.decoder.as_mut().filter(|_| whole) {
            decoder.finish(&mut self.text);
        }
    }

    /// A member begins at `offset` of the stream around it: it may have been decoded
    /// ahead, and others may be from now on.
    fn take_member(&mut self, offset: u64) {
        let stream = (self.input, self.stack.compressions().len());
        while self.ahead.has_room(stream) {
            if let Some(stretch) = self.stack.look_ahead() {
                self.ahead.add(stretch);
                continue;
            }
            let waiting = self.stack.waiting();
            if waiting.is_none_or(|len| len >= self.ahead.room() * LOOK_AHEAD)
                || !self.watch.reads_at_once()
                || self.cancel.is_set()
            {
                break;
            }
            if let Err(cause) = self.stack.refill(&mut Vec::new(), 0) {
                self.failed.get_or_insert(cause);
            }
        }
        if let Some((decoded, member)) = self.ahead.take(stream, offset) {
            self.stack.supply(decoded, &member);
        }
    }

    fn lost(&mut self) {
        let (after, input) = (self.ends + usize::from(self.in_record), self.input);
        let losses = self.stack.losses();
        self.losses.extend(losses.map(|(offset, kind)| {
            let loss = Loss {
                input,
                offset,
                kind,
            };
            (after, loss)
        }));
    }
}
