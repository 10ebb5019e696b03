//! Searches texts in memory on the thread of the caller: one worker, no queue and no
//! locks. It is used again for the next text, so a short text costs little more than its
//! search. `find` gives what is found to an iterator, `texts` to a closure; `crew` has threads.

use crate::dedup::Hasher;
use crate::engine::ask::config::RunConfig;
use crate::engine::ask::lists::{InputReading, Lists};
use crate::engine::batches::batch::{Batch, BatchNext};
use crate::engine::batches::block::BlockStart;
use crate::engine::batches::piece::BlockPiece;
use crate::engine::cancel::Cancel;
use crate::engine::claim::ahead::DecodeAhead;
use crate::engine::claim::blocks::{InputOpener, OpenInput};
use crate::engine::read::handoff::Unfinished;
use crate::engine::read::lines::scan_piece;
use crate::engine::read::parts::{ScanCalls, scan};
use crate::engine::read::search::prefilter::Prefilter;
use crate::engine::read::worker::Worker;
use crate::input::Source;
use crate::item::{Encoding, OwnedContext};
use std::sync::Arc;

/// The rest of a text: `None` once all of it is searched.
pub(in crate::engine) type TextRest<'t> = Option<OpenInput<'t>>;

/// One worker, and what it found in a block of the text that it searches.
pub(in crate::engine) struct Serial {
    opener: InputOpener,
    worker: Worker,
    /// Looks at a text first; `None` where the caller has done that.
    prefilter: Option<Prefilter>,
    /// The rest that the last block left to the next one.
    unfinished: Option<Unfinished>,
    /// The findings of the last block.
    pub batch: Batch,
    buffer: Vec<u8>,
}

/// The result of the first block of a text.
pub(in crate::engine) enum FirstBlock {
    /// The block was searched into the batch.
    Searched,
    /// There is nothing in the text, of which this many bytes are known to be without URIs. The
    /// batch is that of the text before it.
    Passed { bytes: u64 },
}

impl Serial {
    pub(in crate::engine) fn new(config: &RunConfig, prefilter: Option<Prefilter>) -> Serial {
        let lists = Arc::new(Lists::new(config));
        let reading = InputReading::by(config, config.reading.unpack);
        Serial {
            prefilter,
            worker: Worker::new(config, config.keys.mode, &Hasher::new(), &lists),
            opener: InputOpener {
                size: config.reading.block_size,
                cancel: Cancel::new(&config.reading.cancel),
                reading,
                text_reading: reading.of_text(),
                lists,
                #[cfg(feature = "parquet")]
                fields: Arc::clone(&config.reading.fields),
                ahead: Arc::new(DecodeAhead::new(1, 0)),
                pieces: Arc::default(),
                line_reader: None,
            },
            unfinished: None,
            batch: Batch::default(),
            buffer: Vec::new(),
        }
    }

    /// Whether the run is cancelled.
    pub(in crate::engine) fn is_cancelled(&self) -> bool {
        self.opener.cancel.is_set()
    }

    /// Begins a text, and searches its first block into `batch`.
    pub(in crate::engine) fn search_first<'t>(
        &mut self,
        text: &'t [u8],
        number: usize,
        rest: &mut TextRest<'t>,
    ) -> FirstBlock {
        self.unfinished = None;
        *rest = None;
        if text.is_empty() {
            return FirstBlock::Passed { bytes: 0 };
        }
        if let Some(searched) = self.search_plain(text, number) {
            return searched;
        }
        self.batch.input = number;
        // A text in memory always opens.
        let input = self
            .opener
            .open(Source::Text(text), number, &mut self.buffer);
        *rest = input.ok();
        match self.search_next(rest) {
            true => FirstBlock::Searched,
            false => FirstBlock::Passed { bytes: 0 },
        }
    }

    /// Searches the next block of the text into `batch`. Returns false at its end.
    pub(in crate::engine) fn search_next(&mut self, rest: &mut TextRest<'_>) -> bool {
        let Some(input) = rest else {
            return false;
        };
        let claim = input.claim(&self.opener, &mut self.buffer);
        if claim.next != BatchNext::Block {
            *rest = None;
        }
        let lists = &self.worker.lists;
        let text = claim.body.read(claim.turn.input, lists, &mut self.buffer);
        // Only a run has a panic in place of a block.
        let Ok(Some(text)) = text else {
            return false;
        };
        let before = self.unfinished.take();
        let before = before.filter(|_| matches!(text.start, BlockStart::Carried));
        self.batch.clear();
        let calls = ScanCalls {
            pause: &mut |_| true,
            pass_on: None,
        };
        let batch = &mut self.batch;
        self.unfinished = scan(&mut self.worker, &text, (before, None), batch, calls);
        self.buffer = text.bytes;
        true
    }

    /// Searches `text` into `batch` as a whole, if it is plain text and not longer than a
    /// block.
    fn search_plain(&mut self, text: &[u8], number: usize) -> Option<FirstBlock> {
        let mark = self.opener.plain_text(text, number)?;
        let rejects = |prefilter: &Prefilter| prefilter.rejects(&text[mark..]);
        if self.prefilter.as_ref().is_some_and(rejects) || text.len() == mark {
            let bytes = (text.len() - mark) as u64;
            return Some(FirstBlock::Passed { bytes });
        }
        self.batch.clear();
        self.batch.input = number;
        let piece = BlockPiece {
            bytes: &text[mark..],
            encoding: Encoding::Raw,
            decoded_from: None,
            offset: mark as u64,
            doubt: None,
            context: OwnedContext::nothing(),
            // A text in memory is text.
            lines: false,
        };
        let batch = &mut self.batch;
        scan_piece(&mut self.worker, &piece, None, true, batch);
        Some(FirstBlock::Searched)
    }
}
