//! Inputs that must be read from their start: pipes, compressed files, containers and
//! UTF-16. One worker at a time unpacks such an input here, while others scan. A block
//! ends early when the writer of a pipe pauses, and where bytes are missing. A block of a
//! container has whole records, except for very long ones.

use super::ahead::DecodeAhead;
use crate::decode::{InputFormat, Utf16Decoder};
use crate::engine::ask::lists::InputReading;
use crate::engine::batches::block::{
    BlockEnd, BlockStart, BlockStretch, BlockText, StreamLoss, document,
};
use crate::engine::batches::read_as::ReadAs;
use crate::engine::cancel::{Cancel, Cancelled};
use crate::engine::error::{Error, ErrorKind};
use crate::input::{Stream, Watch};
use crate::item::{Encoding, Loss, Part};
use crate::scan::{Cut, Cutter};
use crate::unpack::{HeldPieces, Next, Stack, may_become_opaque, opaque_container};
use std::io;
use std::sync::Arc;

/// The number of compressed bytes that are read ahead for members, for each stretch.
const LOOK_AHEAD: usize = 512 << 10;

/// The number of losses or marks that fills a block, however short its text is.
const NOTES: usize = 4096;

/// A record that is this many times as long as a block is continued in the next block, and so is a
/// document in a file: its references wait for a `<base>`, and the bytes of those in one block are
/// copied to the next.
pub(super) const LONG: usize = 4;

/// A stream, with the text that was read from it but is not in a block yet.
pub(in crate::engine) struct Pending<'s> {
    stack: Stack<'s>,
    watch: Watch,
    input: usize,
    cancel: Cancel,
    /// The encoding of text that is in no container.
    reading: InputReading,
    /// The document of markup that the input is.
    document: Option<Arc<Part>>,
    /// The format that its text seems to be in.
    seems: Option<&'static InputFormat>,
    /// The beginning of the text was read.
    has_begun: bool,
    /// Text that is still encoded, or may be.
    raw: Vec<u8>,
    /// The offset from which it is doubtful.
    raw_doubt: Option<usize>,
    decoder: Option<Utf16Decoder>,
    /// UTF-16 has ended: `raw`, which begins with a line in ASCII, follows `text`.
    is_decoded: bool,
    /// The number of bytes of the input as it is stored that were counted.
    counted: u64,
    text: Vec<u8>,
    /// The marks in `text`, with their offsets in it.
    marks: Vec<(usize, StreamMark)>,
    /// The part that `text` continues.
    part: BlockStretch,
    /// `text` ends in a record.
    in_record: bool,
    /// Whether the text that was read last is doubtful, and marked as such.
    is_doubtful: bool,
    carried: bool,
    /// Whether the stream needs more memory than its share, and waits for its turn.
    waits: bool,
    ended: bool,
    failed: Option<io::Error>,
    /// The input was to be a list and is a container: nothing of it is read.
    is_refused: bool,
    ahead: Arc<DecodeAhead>,
    /// Records that end in `text`.
    ends: usize,
    /// The losses, each with the number of these ends before it.
    losses: Vec<StreamLoss>,
}

/// The event at an offset in the text.
enum StreamMark {
    /// Text is missing before it, or the text before it is separate.
    Break,
    /// A record of a container.
    Record(Arc<Part>),
    RecordEnd,
    /// A document of markup. Its offsets are those of the input.
    Document(Arc<Part>),
    /// Doubtful text. It continues the text before it.
    Doubt,
}

impl<'s> Pending<'s> {
    pub(in crate::engine) fn new(
        stream: Stream<'s>,
        input: usize,
        how: InputReading,
        cancel: Cancel,
        (ahead, pieces): (Arc<DecodeAhead>, &Arc<HeldPieces>),
    ) -> Pending<'s> {
        let watch = stream.watch();
        let reader = Cancelled {
            stream,
            cancel: cancel.clone(),
        };
        Pending {
            stack: Stack::new(Box::new(reader), how.unpack).sharing(pieces),
            watch,
            input,
            cancel,
            reading: how,
            document: None,
            seems: None,
            has_begun: false,
            raw: Vec::new(),
            raw_doubt: None,
            decoder: None,
            is_decoded: false,
            counted: 0,
            text: Vec::new(),
            marks: Vec::new(),
            part: BlockStretch::default(),
            in_record: false,
            is_doubtful: false,
            carried: false,
            waits: false,
            ended: false,
            failed: None,
            is_refused: false,
            ahead,
            ends: 0,
            losses: Vec::new(),
        }
    }

    /// Whether the next read is known not to wait for another process or input.
    pub(in crate::engine) fn reads_at_once(&self) -> bool {
        !self.waits && self.watch.reads_at_once()
    }

    fn encoding(&self) -> Encoding {
        let decoder = self.decoder.as_ref();
        decoder.map_or(Encoding::Raw, Utf16Decoder::encoding)
    }

    /// Reads until a block is full, the writer pauses or the stream ends. Returns a block
    /// that may be scanned on its own, or `None` at the end of the stream and when reading
    /// is cancelled. Text that was read before, and only waited until its format was known, is
    /// then a block all the same.
    pub(in crate::engine) fn block(
        &mut self,
        size: usize,
        cutter: &Cutter,
        buffer: Vec<u8>,
    ) -> Option<BlockText> {
        let had_begun = self.has_begun;
        let paused = self.fill(size);
        let (to, end) = match (self.cancel.is_set(), self.ended) {
            // The text may end in a URI only because the rest was not read.
            (true, _) if had_begun || self.text.is_empty() || !self.marks.is_empty() => {
                return None;
            }
            (true, _) => (self.text.len(), BlockEnd::Open),
            (false, true) => (self.text.len(), BlockEnd::Clean),
            (false, false) if self.is_decoded => (self.text.len(), BlockEnd::Clean),
            (false, false) => self.cut(cutter, paused),
        };
        let ends = std::mem::take(&mut self.ends);
        let is_due = |lost: &StreamLoss| lost.ends <= ends && lost.at <= to;
        let later = self.losses.split_off(self.losses.partition_point(is_due));
        let later = later.into_iter().map(|lost| StreamLoss {
            ends: lost.ends.saturating_sub(ends),
            at: lost.at.saturating_sub(to),
            ..lost
        });
        let losses = std::mem::replace(&mut self.losses, later.collect());
        let at_end = self.text.is_empty() && self.marks.is_empty() && self.ended;
        if at_end && self.failed.is_none() && losses.is_empty() && !self.carried {
            return None;
        }
        let mut rest = buffer;
        rest.clear();
        rest.extend_from_slice(&self.text[to..]);
        let bytes = std::mem::replace(&mut self.text, rest);
        let parts = self.parts(&bytes, to);
        let carried = std::mem::replace(&mut self.carried, end == BlockEnd::Open);
        let cause = if at_end { self.failed.take() } else { None };
        let stored = self.watch.read_bytes();
        let markup = self.document.as_deref();
        let read_as =
            ReadAs::of(&self.stack, self.encoding(), markup).with_text_that_seems(self.seems);
        let kind = match self.is_refused {
            true => ErrorKind::Container(self.input),
            false => read_as.failed_at(self.input, (stored, self.part.offset)),
        };
        let newly = stored - std::mem::replace(&mut self.counted, stored);
        let encoding = self.encoding();
        if std::mem::take(&mut self.is_decoded) {
            self.end_decoding();
        }
        Some(BlockText {
            range: None,
            bytes,
            parts,
            encoding,
            lines: false,
            read_as,
            stored: newly,
            start: if carried {
                BlockStart::Carried
            } else {
                BlockStart::Clean
            },
            end,
            flush: paused,
            losses,
            failed: cause.map(|cause| Error::new(kind, cause)),
        })
    }

    /// Returns where the text that was read may be cut, and how the block ends there.
    fn cut(&self, cutter: &Cutter, paused: bool) -> (usize, BlockEnd) {
        let len = self.text.len();
        let begins = |mark: &&(usize, StreamMark)| !matches!(mark.1, StreamMark::Doubt);
        let last = self.marks.iter().rfind(begins);
        let begun = last.map_or(0, |mark| mark.0);
        if self.in_record {
            return (len, BlockEnd::Open);
        }
        if begun == len && last.is_some() {
            return (len, BlockEnd::Clean);
        }
        if len == 0 {
            // There is only a loss to report.
            let end = if self.carried {
                BlockEnd::Open
            } else {
                BlockEnd::Clean
            };
            return (0, end);
        }
        let skipped = begun.max(len.saturating_sub(cutter.look_back()));
        let fresh = skipped == begun && (last.is_some() || !self.carried);
        match cutter.cut(&self.text[skipped..], fresh) {
            Cut::Safe(at) if !paused || skipped + at == len => (skipped + at, BlockEnd::Clean),
            _ => (len, BlockEnd::Open),
        }
    }

    /// Returns the parts of the first `to` bytes.
    fn parts(&mut self, bytes: &[u8], to: usize) -> Vec<BlockStretch> {
        let of_text = self.encoding();
        let mut parts = Vec::new();
        let mut part = BlockStretch {
            from: 0,
            ..self.part.clone()
        };
        // The text that the block before it left unfinished ends with the first part, even if
        // that part is empty.
        let mut wanted = self.carried;
        let mut close =
            |part: &BlockStretch, to: usize, ends: bool, parts: &mut Vec<BlockStretch>| {
                let wanted = std::mem::take(&mut wanted) || to > part.from || ends;
                let encoding = match part.record {
                    Some(_) => Encoding::Raw,
                    None => of_text,
                };
                let offset = part.offset + encoding.raw_len(&bytes[part.from..to]);
                if wanted {
                    parts.push(BlockStretch {
                        to,
                        ends,
                        ..part.clone()
                    });
                }
                BlockStretch {
                    from: to,
                    offset,
                    begins: part.begins && !wanted,
                    ..part.clone()
                }
            };
        let here = self.marks.iter().take_while(|mark| mark.0 <= to).count();
        for (at, mark) in self.marks.drain(..here) {
            if matches!(mark, StreamMark::Doubt) && part.record.is_none() {
                let before = of_text.raw_len(&bytes[part.from..at]);
                part.doubt.get_or_insert(part.offset + before);
                continue;
            }
            let ends = matches!(mark, StreamMark::RecordEnd);
            part = close(&part, at, ends, &mut parts);
            match mark {
                StreamMark::Doubt => part.doubt = Some(part.offset),
                StreamMark::Break => part.doubt = None,
                StreamMark::RecordEnd => part.record = None,
                StreamMark::Record(record) => {
                    part.offset = 0;
                    part.begins = true;
                    part.record = Some(record);
                    part.doubt = None;
                }
                StreamMark::Document(document) => {
                    part.begins = true;
                    part.record = Some(document);
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

    /// Reads until there are about `size` bytes of text. Returns true when the writer
    /// pauses.
    fn fill(&mut self, size: usize) -> bool {
        while !self.ended && !self.is_full(size) {
            let room = self.full(size).saturating_sub(self.text.len()).max(1);
            // A record decodes its own text.
            let is_raw = !self.in_record && (!self.has_begun || self.decoder.is_some());
            let at = self.text.len();
            let out = match is_raw {
                true => &mut self.raw,
                false => &mut self.text,
            };
            #[cfg(feature = "failpoints")]
            let known = out.len();
            let next = self.stack.next(out, room);
            #[cfg(feature = "failpoints")]
            crate::engine::faultpoint::at("unpack", crate::engine::faultpoint::new(out, known));
            self.take_losses(at);
            match next {
                Next::Text { len, doubtful } => self.take_text(len, doubtful),
                Next::Record(part) => {
                    self.end_text();
                    self.is_doubtful = false;
                    self.in_record = true;
                    self.has_begun = true;
                    self.mark(StreamMark::Record(Arc::new(*part)));
                }
                Next::Content { len, doubtful } => self.doubt(self.text.len() - len, doubtful),
                Next::RecordEnd => {
                    self.in_record = false;
                    self.ends += 1;
                    self.mark(StreamMark::RecordEnd);
                }
                Next::Gap => {
                    self.end_text();
                    self.is_doubtful = false;
                    match &self.document {
                        Some(_) => self.end_document(true),
                        None => self.mark(StreamMark::Break),
                    }
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
                        // The bytes before the error are unpacked all the same.
                        Err(cause) => drop(self.failed.get_or_insert(cause)),
                    }
                }
                Next::Waits if self.ahead.has_turn(self.input) => {
                    self.waits = false;
                    self.stack.take_turn();
                }
                Next::Waits => {
                    self.waits = true;
                    return false;
                }
                Next::End => {
                    self.begin(true);
                    self.end_document(false);
                    self.ended = true;
                }
            }
        }
        false
    }

    /// Whether there is enough for a block.
    fn is_full(&self, size: usize) -> bool {
        let is_due = |lost: &StreamLoss| lost.ends <= self.ends;
        let notes = self.marks.len().max(self.losses.partition_point(is_due));
        self.text.len() >= self.full(size) || notes >= NOTES || self.is_decoded
    }

    /// Returns the number of bytes that fill a block of this size. The end of a record is
    /// waited for, but not that of a document: what is decoded of a block is held at once.
    fn full(&self, size: usize) -> usize {
        match self.in_record && self.document.is_none() {
            true => size.saturating_mul(LONG),
            false => size,
        }
    }

    fn mark(&mut self, mark: StreamMark) {
        self.marks.push((self.text.len(), mark));
    }

    /// Marks the text from `at` on, if it is `doubtful`.
    fn doubt(&mut self, at: usize, doubtful: bool) {
        if doubtful && !std::mem::replace(&mut self.is_doubtful, true) {
            self.marks.push((at, StreamMark::Doubt));
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

    /// Decodes the text that was read, once its encoding is known. No text follows that
    /// belongs to it when it is `whole`.
    fn begin(&mut self, whole: bool) {
        if !self.has_begun {
            if self.reading.is_list {
                if !whole && may_become_opaque(&self.raw) {
                    return;
                }
                if let Some(container) = opaque_container(&self.raw) {
                    return self.refuse(container);
                }
            }
            // Only the first text of an input decides its encoding.
            let Some((beginning, media_type)) = self.reading.begins(&self.raw, whole) else {
                return;
            };
            if self.raw.is_empty() {
                return;
            }
            self.has_begun = true;
            if let Some(media_type) = media_type {
                return self.begin_document(document(media_type));
            }
            self.seems = self.reading.seeming(&self.raw);
            self.raw.drain(..beginning.mark);
            self.raw_doubt = self.raw_doubt.map(|at| at.saturating_sub(beginning.mark));
            self.part.offset = beginning.mark as u64;
            self.decoder = beginning.decoder();
        }
        let (sure, len) = (
            self.raw_doubt.take().unwrap_or(self.raw.len()),
            self.raw.len(),
        );
        let mut read = 0;
        for (raw, is_doubtful) in [(0..sure, false), (sure..len, true)] {
            if is_doubtful && !raw.is_empty() {
                self.marks.push((self.text.len(), StreamMark::Doubt));
            }
            let Some(decoder) = &mut self.decoder else {
                self.text.extend_from_slice(&self.raw[raw]);
                read = len;
                continue;
            };
            let (from, last) = (raw.start, whole || raw.end < len);
            let (decoded, ends) =
                decoder.decode_lines(&self.raw[raw.clone()], last, &mut self.text);
            read = from + decoded;
            self.is_decoded = ends;
            if read < raw.end {
                self.raw_doubt = (read < sure && sure < len).then(|| sure - read);
                break;
            }
        }
        self.raw.drain(..read);
        match &mut self.decoder {
            Some(_) if self.is_decoded && self.text.is_empty() => {
                self.is_decoded = false;
                self.end_decoding();
            }
            Some(decoder) if whole && !self.is_decoded => decoder.finish(&mut self.text),
            _ => {}
        }
    }

    /// Ends the text before a record or missing bytes: its last bytes stay what they were.
    fn end_text(&mut self) {
        self.begin(true);
        if std::mem::take(&mut self.is_decoded)
            && let Some(decoder) = &mut self.decoder
        {
            decoder.decode(&self.raw, &mut self.text);
            decoder.finish(&mut self.text);
            self.raw.clear();
        }
    }

    /// Takes the text that was read as an extension of ASCII, as which it goes on.
    fn end_decoding(&mut self) {
        self.decoder = None;
        if let Some(sure) = self.raw_doubt.take() {
            self.marks.push((self.text.len() + sure, StreamMark::Doubt));
        }
        self.text.append(&mut self.raw);
    }

    /// Ends an input that is a container, and not the list that it is to be.
    fn refuse(&mut self, container: &str) {
        let cause = format!("looks like {container}, whose content is not read");
        self.failed = Some(io::Error::new(io::ErrorKind::InvalidData, cause));
        self.is_refused = true;
        self.has_begun = true;
        self.ended = true;
        self.raw.clear();
        self.raw_doubt = None;
    }

    /// Begins a document of markup with the text that was read.
    fn begin_document(&mut self, part: Arc<Part>) {
        self.in_record = true;
        self.mark(StreamMark::Document(Arc::clone(&part)));
        self.document = Some(part);
        if let Some(sure) = self.raw_doubt.take() {
            self.marks.push((self.text.len() + sure, StreamMark::Doubt));
        }
        self.text.append(&mut self.raw);
    }

    /// Ends the document, and begins it again where it `goes_on` after missing bytes.
    fn end_document(&mut self, goes_on: bool) {
        let Some(part) = self.document.clone() else {
            return;
        };
        if std::mem::replace(&mut self.in_record, goes_on) {
            self.ends += 1;
            self.mark(StreamMark::RecordEnd);
        }
        if goes_on {
            self.mark(StreamMark::Document(part));
        }
    }

    /// Takes the member that begins at `offset` of the stream around it, if it was decoded
    /// ahead, and has the following members decoded ahead.
    fn take_member(&mut self, offset: u64) {
        if self.ahead.is_alone() && !self.stack.gains_by_stretches() {
            return;
        }
        let stream = (self.input, self.stack.compressions().len());
        while self.ahead.has_room(stream, offset) {
            if let Some(stretch) = self.stack.look_ahead(|| self.ahead.buffer()) {
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
            // The stream around this one may have nothing but losses.
            if self.stack.waiting() == waiting {
                break;
            }
        }
        if let Some((decoded, member)) = self.ahead.take(stream, offset) {
            self.stack.supply(decoded, &member);
        }
    }

    /// Takes the losses of unpacking, which are at the offset `at` in the text. A record may consist of damage alone: so many losses
    /// that they fill a block do not wait for its end.
    fn take_losses(&mut self, at: usize) {
        let (ends, input) = (self.ends + usize::from(self.in_record), self.input);
        let losses = self.stack.losses();
        self.losses.extend(losses.map(|(offset, kind)| {
            let loss = Loss {
                input,
                offset,
                kind,
            };
            StreamLoss { ends, at, loss }
        }));
        let waiting = self.losses.partition_point(|lost| lost.ends <= self.ends);
        let waiting = &mut self.losses[waiting..];
        if waiting.len() >= NOTES {
            waiting.iter_mut().for_each(|lost| lost.ends = self.ends);
        }
    }
}
