//! Reads inputs as catalogues and cuts them into batches of records: one worker at a time.
//! Compressions and archives are unpacked; each member of an archive is a catalogue of its
//! own. Bytes around the records are passed on as well.

use super::batch::CatalogBatch;
use super::document::{CatalogDocument, DocumentNeeds, DocumentStop, RecordReading};
use crate::engine::ask::lists::unpack_of;
use crate::engine::batches::read_as::ReadAs;
use crate::engine::cancel::{Cancel, Cancelled};
use crate::engine::error::{Error, ErrorKind};
use crate::engine::fault::{self, Panic};
use crate::input::{Opened, Source, SourceName, Stream, Watch};
use crate::item::{Encoding, Loss, Part};
use crate::unpack::{HeldPieces, Next, Stack};
use std::sync::Arc;

/// Bytes that are read at a time.
const PIECE: usize = 64 << 10;

/// All inputs, and the one that is read.
pub(in crate::engine) struct CatalogFeed<'s> {
    sources: Box<dyn Iterator<Item = Source<'s>> + Send + 's>,
    reading: RecordReading,
    cancel: Cancel,
    pieces: Arc<HeldPieces>,
    /// The number of the next input, and of the next batch.
    next: usize,
    number: u64,
    open: Option<OpenCatalog<'s>>,
}

/// An input that is read.
struct OpenCatalog<'s> {
    input: usize,
    /// The file that it is.
    name: Option<SourceName>,
    stack: Stack<'s>,
    watch: Watch,
    counted: u64,
    document: CatalogDocument,
    /// The member of an archive that begins after the document.
    next: Option<Part>,
    has_ended: bool,
    has_failed: bool,
}

impl<'s> CatalogFeed<'s> {
    pub(in crate::engine) fn new(
        sources: impl Iterator<Item = Source<'s>> + Send + 's,
        reading: RecordReading,
        cancel: Cancel,
    ) -> CatalogFeed<'s> {
        CatalogFeed {
            sources: Box::new(sources),
            reading,
            cancel,
            pieces: Arc::default(),
            next: 0,
            number: 0,
            open: None,
        }
    }

    /// The number of the input that is read.
    pub(in crate::engine) fn input(&self) -> usize {
        self.next.saturating_sub(1)
    }

    /// Reads the next batch. Returns false at the end: all inputs were read, or the
    /// run is cancelled.
    pub(in crate::engine) fn fill(&mut self, batch: &mut CatalogBatch) -> bool {
        loop {
            batch.clear();
            if self.cancel.is_set() {
                return false;
            }
            match &mut self.open {
                Some(open) => {
                    match fault::catch(|| open.fill(&self.reading, &self.cancel, batch)) {
                        Ok(true) => {}
                        Ok(false) => self.open = None,
                        Err(panic) => self.give_up(&panic, batch),
                    }
                }
                None => {
                    let Some(source) = self.sources.next() else {
                        return false;
                    };
                    let begun = fault::catch(|| self.begin(source, batch));
                    if let Err(panic) = begun {
                        self.give_up(&panic, batch);
                    }
                }
            }
            if !batch.is_empty() {
                batch.number = self.number;
                self.number += 1;
                return true;
            }
        }
    }

    /// Ends the input that is read: `panic` takes the place of what was read of it for
    /// `batch`, and of the rest.
    fn give_up(&mut self, panic: &Panic, batch: &mut CatalogBatch) {
        let input = self.input();
        let open = self.open.take();
        let name = open.as_ref().and_then(|open| open.name.clone());
        // A reader that panicked may do so again when it is dropped.
        let _ = fault::catch(|| drop(open));
        *batch = CatalogBatch::default();
        batch.input = input;
        batch.ended = Some(ReadAs::default());
        let error = panic.error(input, "while the input was read");
        batch.errors.push(error.of_input(name.as_ref()));
    }

    fn begin(&mut self, source: Source<'s>, batch: &mut CatalogBatch) {
        let input = self.next;
        self.next += 1;
        let unpack = unpack_of(&source, self.reading.unpack);
        let name = source.name();
        // Records are read from the start of an input, whatever they are.
        let is_elsewhere = source.bytes().is_some_and(|bytes| !bytes.contains(&0));
        let stream = match source.open() {
            Ok(_) if is_elsewhere => return,
            Ok(Opened::At(bytes, len)) => Stream::of(bytes, len),
            Ok(Opened::Stream(stream)) => stream,
            Err(cause) => {
                let error = Error::new(ErrorKind::Open(input), cause);
                batch.input = input;
                batch.errors.push(error.of_input(name.as_ref()));
                return;
            }
        };
        let watch = stream.watch();
        let cancel = self.cancel.clone();
        let reader = Box::new(Cancelled { stream, cancel });
        let mut stack = Stack::new(reader, unpack).sharing(&self.pieces);
        // Only one input is read at a time.
        stack.take_turn();
        self.open = Some(OpenCatalog {
            input,
            name,
            stack,
            watch,
            counted: 0,
            document: CatalogDocument::of(input, None, &self.reading),
            next: None,
            has_ended: false,
            has_failed: false,
        });
    }
}

impl OpenCatalog<'_> {
    /// Reads the next batch of the input. Returns false after its last one.
    fn fill(&mut self, reading: &RecordReading, cancel: &Cancel, batch: &mut CatalogBatch) -> bool {
        batch.input = self.input;
        let goes_on = loop {
            match self.document.read(reading, batch) {
                DocumentNeeds::Full => break true,
                DocumentNeeds::Stopped if self.document.has_gap() => self.document.resume(),
                DocumentNeeds::Stopped => {
                    self.describe(batch);
                    self.document = CatalogDocument::of(self.input, self.next.take(), reading);
                    if self.has_ended {
                        let read_as = ReadAs::of(&self.stack, Encoding::Raw, None);
                        batch.ended = Some(read_as.with_records(batch.format));
                        break false;
                    }
                    if !batch.is_empty() {
                        break true;
                    }
                    batch.is_described = false;
                }
                DocumentNeeds::Bytes => {
                    if !self.pull(reading, batch) {
                        batch.pauses = true;
                        break true;
                    }
                    if cancel.is_set() {
                        break true;
                    }
                }
            }
        };
        self.describe(batch);
        if !batch.is_empty() {
            let stored = self.watch.read_bytes();
            batch.stored = stored - std::mem::replace(&mut self.counted, stored);
        }
        goes_on
    }

    /// Says what the records of the batch are.
    fn describe(&self, batch: &mut CatalogBatch) {
        if batch.is_described {
            return;
        }
        batch.is_described = true;
        self.document.describe(batch);
        let is_stored = self.stack.compressions().is_empty() && self.stack.container().is_none();
        batch.is_stored_plain = is_stored;
    }

    /// Takes what comes next of the input. Returns false when nothing waits in a pipe, and
    /// the batch has something to pass on.
    fn pull(&mut self, reading: &RecordReading, batch: &mut CatalogBatch) -> bool {
        let (input, document) = (self.input, &mut self.document);
        if document.is_coded() {
            document.take(batch);
            return true;
        }
        // A record that needs more bytes is searched again from its start.
        let room = PIECE.max(document.waiting());
        let next = self.stack.next(document.inlet(), room);
        let losses = self.stack.losses();
        let losses = losses.map(|(offset, kind)| Loss::new(input, offset, kind));
        batch.losses.extend(losses);
        match next {
            Next::Text { .. } | Next::Content { .. } => document.take(batch),
            Next::Record(part) => {
                document.end(DocumentStop::End, batch);
                self.next = Some(*part);
            }
            Next::RecordEnd => document.end(DocumentStop::End, batch),
            Next::Gap => document.end(DocumentStop::Gap, batch),
            Next::Member(_) => {}
            Next::Waits => self.stack.take_turn(),
            Next::Hungry => {
                // Rows of one identifier stay together.
                let may_end = reading.id_column.is_none() && !batch.is_empty();
                if may_end && self.watch.pauses() {
                    return false;
                }
                match self.stack.refill(document.inlet(), room) {
                    Ok(_) => document.take(batch),
                    // Bytes before the error are unpacked all the same.
                    Err(cause) => {
                        let stored = self.watch.read_bytes();
                        let read_as = ReadAs::of(&self.stack, Encoding::Raw, None);
                        let kind = read_as.failed_at(input, (stored, stored));
                        if !std::mem::replace(&mut self.has_failed, true) {
                            let error = Error::new(kind, cause);
                            batch.errors.push(error.of_input(self.name.as_ref()));
                        }
                    }
                }
            }
            Next::End => {
                self.has_ended = true;
                document.end(DocumentStop::End, batch);
            }
        }
        true
    }
}
