//! The threads of a run. All workers do the same: claim a block, scan it, pass its keys
//! to the shards and its batch to the queue. The worker that adds the batch which is to be
//! written next also writes. There are three locks: of writing, of claiming and of the
//! queue. A worker that holds one takes only locks that come later in this list.
//!
//! A panic in a block takes the place of the findings of the block. The findings before
//! it are reported. A panic of a stage ends the input: the blocks behind it are not
//! reported, and the next input is. Any other panic ends the run.

use crate::engine::ask::lists::Lists;
use crate::engine::batches::batch::{Batch, BatchLen, BatchNext, Turn};
use crate::engine::batches::block::{BlockBody, BlockStart, BlockText, Claim};
use crate::engine::cancel::Cancel;
use crate::engine::claim::blocks;
use crate::engine::claim::window::Window;
use crate::engine::end::End;
use crate::engine::fault::{self, Panic};
use crate::engine::lock::lock;
use crate::engine::order::deliver::Delivery;
use crate::engine::order::shards::Shards;
use crate::engine::read::handoff::{Ended, Handoff};
use crate::engine::read::parts::ScanCalls;
use crate::engine::read::worker::Worker;
use crate::engine::report::write::SinkWriter;
use crate::engine::{Error, ErrorKind};
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};

/// The state that the workers share.
pub(in crate::engine) struct Crew<'r, 's> {
    pub window: Window<'s>,
    pub handoff: Handoff,
    pub shards: Option<Shards>,
    pub delivery: Delivery,
    pub writer: Mutex<SinkWriter<'r>>,
    /// Written batches, to be used again once no shard holds them.
    pub spare: Mutex<VecDeque<Arc<Batch>>>,
    pub lists: Arc<Lists>,
    pub cancel: Cancel,
}

impl<'s> Crew<'_, 's> {
    /// Does all blocks, with this many threads, each with a worker that `make` returns.
    ///
    /// # Errors
    /// Those of starting threads.
    pub(in crate::engine) fn run(
        &self,
        threads: usize,
        make: &(impl Fn() -> Worker + Sync),
    ) -> Result<(), Error> {
        if threads == 1 {
            self.work(make);
            return Ok(());
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|cause| Error::new(ErrorKind::Threads, io::Error::other(cause)))?;
        pool.broadcast(|_| self.work(make));
        Ok(())
    }

    /// Claims and does blocks until there are no more.
    fn work(&self, make: &impl Fn() -> Worker) {
        let mut input = 0;
        if let Err(panic) = fault::catch(|| self.work_on(make, &mut input)) {
            // It was not in a block, so it has no position in the order.
            let error = panic.error(input, "between two blocks");
            lock(&self.writer).end.get_or_insert(End::Failed(error));
            self.stop();
        }
    }

    fn work_on(&self, make: &impl Fn() -> Worker, input: &mut usize) {
        let mut worker = make();
        let mut buffer = Vec::new();
        let mut last = Turn::default();
        let mut len = BatchLen::default();
        while let Some(claim) = self.window.claim(&self.delivery, &mut buffer) {
            let Claim {
                turn,
                next,
                body,
                path,
            } = claim;
            *input = turn.input;
            // Keys of a later block of an input that is left may still turn out to lie behind
            // a panic. Then they are not reported, and nothing is a repeat of them.
            let before = std::mem::replace(&mut last, turn);
            if turn < before || (turn.input != before.input && before.block > 0) {
                worker.forget_recent();
            }
            let mut batch = self.spare_batch(len);
            batch.turn = turn;
            batch.next = next;
            batch.input = turn.input;
            batch.path = path;
            let offset = body.offset();
            let done = fault::catch(|| self.do_block(&mut worker, body, &mut batch, &mut buffer));
            match done {
                Ok(Ok(true)) => len = batch.len(),
                // The run stops.
                Ok(Ok(false)) => return,
                Ok(Err(fault)) => {
                    batch.drop_content();
                    batch.fault = fault.into();
                }
                Err(panic) => {
                    worker = make();
                    buffer = Vec::new();
                    self.give_up(&mut batch, &panic, offset);
                }
            }
            self.hand_in(batch);
        }
    }

    /// Has `panic`, which occurred in the block that starts at `offset`, take the place of
    /// what was found in the block.
    fn give_up(&self, batch: &mut Batch, panic: &Panic, offset: u64) {
        let place = format_args!("in the block at byte {offset}");
        let error = panic.error(batch.input, place);
        let (turn, path) = (batch.turn, batch.path.take());
        batch.drop_content();
        batch.path = path;
        match panic.is_of_caller {
            true => batch.fault = error.into(),
            false => {
                batch.error = Some(error);
                self.cancel.break_off(turn);
            }
        }
        match batch.next {
            BatchNext::Block => self.handoff.give_up(turn),
            _ => self.handoff.decline_before(turn),
        }
    }

    /// Reads a block and scans it into `batch`. Returns false when the run stops. The block
    /// is read into `buffer`, where the next one may be read, too.
    ///
    /// # Errors
    /// A panic that took the place of the block.
    fn do_block(
        &self,
        worker: &mut Worker,
        body: BlockBody<'s>,
        batch: &mut Batch,
        buffer: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        let Some(text) = body.read(batch.input, &self.lists, buffer)? else {
            self.handoff.decline_before(batch.turn);
            batch.is_end = true;
            return Ok(true);
        };
        let Some(bytes) = self.scan(worker, text, batch) else {
            return Ok(false);
        };
        *buffer = bytes;
        Ok(true)
    }

    /// Scans a block into `batch`. Returns its buffer, or `None` when the run stops.
    fn scan(&self, worker: &mut Worker, mut text: BlockText, batch: &mut Batch) -> Option<Vec<u8>> {
        batch.error = text.failed.take();
        batch.flush = text.flush;
        batch.read_as = text.read_as;
        batch.stored = text.stored;
        let (turn, at) = (batch.turn, text.ends_at());
        let failed = batch.error.is_some();
        let mut pass_on = |decoder| self.handoff.pass_on(turn, decoder);
        let ahead = match &text.start {
            BlockStart::Carried => self.handoff.take_decoder(turn),
            _ => None,
        };
        let ahead = ahead.and_then(|passed| worker.decode_first(&text, passed, &mut pass_on));
        let before = match std::mem::take(&mut text.start) {
            BlockStart::Clean => {
                self.handoff.decline_before(turn);
                Ended::default()
            }
            BlockStart::Carried => self.handoff.take_before(turn)?,
            BlockStart::Torn(start, cause) => {
                let before = self.handoff.take_before(turn)?;
                let failed = batch.error.take();
                batch.error = blocks::torn(&before, (start, cause), failed, batch.input);
                before
            }
        };
        let mut is_cut = false;
        let mut pause = |batch: &mut Batch| {
            is_cut = self.cancel.is_set();
            !is_cut && (!batch.is_large() || self.hand_in_part(batch))
        };
        let calls = ScanCalls {
            pause: &mut pause,
            pass_on: Some(&mut pass_on),
        };
        let unfinished = worker.scan(&text, (before.unfinished, ahead), batch, calls);
        if batch.next == BatchNext::Block {
            let ended = Ended {
                at,
                unfinished,
                failed,
            };
            self.handoff.post(turn, ended);
        }
        if is_cut {
            batch.next = BatchNext::Nothing;
        }
        Some(text.bytes)
    }

    /// Returns an empty batch. One that is new has room for `len`: a batch that grows is
    /// copied several times.
    fn spare_batch(&self, len: BatchLen) -> Batch {
        let spare = lock(&self.spare).pop_back();
        let spare = spare.and_then(Arc::into_inner);
        let mut batch = spare.unwrap_or_else(|| Batch::with_room(len));
        batch.clear();
        batch
    }

    /// Hands in what was found in a block so far. Returns false when the run stops.
    fn hand_in_part(&self, batch: &mut Batch) -> bool {
        let follows = std::mem::replace(&mut batch.next, BatchNext::Part);
        let next = Batch {
            turn: batch.next_turn(),
            next: follows,
            input: batch.input,
            path: batch.path.clone(),
            read_as: batch.read_as,
            flush: std::mem::take(&mut batch.flush),
            ..self.spare_batch(batch.len())
        };
        let turn = next.turn;
        self.hand_in(std::mem::replace(batch, next));
        self.delivery.wait_for_part(turn)
    }

    /// Passes the keys to the shards, and writes the next batches, unless another worker
    /// does.
    fn hand_in(&self, mut batch: Batch) {
        if self.cancel.is_broken_before(batch.turn) {
            // In order this is known only later, of batches that are handed in already.
            batch.drop_content();
        }
        self.delivery.announce(&mut batch);
        let mut writes = false;
        let mut deliver = |batch| writes |= self.delivery.add(batch);
        match &self.shards {
            None => deliver(Arc::new(batch)),
            Some(shards) => shards.take(batch, deliver),
        }
        if writes {
            self.write();
        }
    }

    /// Writes batches until the next one is not ready.
    fn write(&self) {
        let mut writer = lock(&self.writer);
        while let Some(batch) = self.delivery.take() {
            if !writer.write(&batch) {
                self.stop();
            }
            self.window.make_room();
            lock(&self.spare).push_front(batch);
        }
    }

    /// Ends all waits and all reading.
    fn stop(&self) {
        self.cancel.finish_all();
        self.window.stop();
        self.delivery.stop();
        self.handoff.stop();
    }
}
