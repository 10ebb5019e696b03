//! The search of texts by a crew: a worker claims a block, scans it, passes its keys to the
//! shards and hands in its batch. There are three locks: of writing, of claiming and of the
//! queue. A worker that holds one takes only locks that come later in this list.
//!
//! A panic in a block takes the place of the findings of the block. The findings before
//! it are reported. A panic of a stage ends the input: the blocks behind it are not
//! reported, and the next input is. Any other panic ends the run.

use super::formatting::Formatting;
use super::spare::SpareBatches;
use crate::decode::LogColumns;
use crate::engine::ask::lists::Lists;
use crate::engine::batches::batch::{Batch, BatchLen, BatchNext, BatchOrder, Turn};
use crate::engine::batches::block::{
    BlockBody, BlockEnd, BlockStart, BlockText, Claim, RANGE_FIRST, RangeLines,
};
use crate::engine::batches::formatted::Formatted;
use crate::engine::batches::line_state::LineState;
use crate::engine::cancel::Cancel;
use crate::engine::claim::blocks;
use crate::engine::claim::window::Window;
use crate::engine::end::End;
use crate::engine::fault::{self, Panic};
use crate::engine::order::crew::{Crew, CrewWork};
use crate::engine::order::shards::Shards;
use crate::engine::read::handoff::{Ended, Handoff};
use crate::engine::read::parts::{ScanCalls, decode_first, scan};
use crate::engine::read::worker::Worker;
use crate::engine::report::write::SinkWriter;
use crate::engine::{Error, Sink};
use crate::input::Source;
use crate::item::{Damage, Loss, LossKind};
use std::sync::{Arc, Mutex};

/// The least size that a batch counts as. Without it, batches with few findings would
/// not bound how far later inputs are read.
const HELD_LEAST: usize = 16 << 10;

/// The search of a run, as the work of a crew.
pub(in crate::engine) struct SearchWork<'r, 's, K: ?Sized, I: ?Sized> {
    pub window: Window<'s, I>,
    pub handoff: Handoff,
    pub shards: Option<Shards>,
    pub writer: Mutex<SinkWriter<'r, K>>,
    /// Written batches, to be used again.
    pub spare: SpareBatches,
    /// Set where workers format the findings.
    pub formatting: Option<Formatting>,
    pub lists: Arc<Lists>,
    /// Whether an input may end with one of its findings.
    pub is_limited: bool,
    /// Returns a worker of a thread.
    pub make: Box<dyn Fn() -> Worker + Sync + 'r>,
}

/// The crew of a search.
pub(in crate::engine) type SearchCrew<'r, 's, K, I> = Crew<SearchWork<'r, 's, K, I>>;

impl<'r, 's, K, I> CrewWork for SearchWork<'r, 's, K, I>
where
    K: Sink + ?Sized,
    I: Iterator<Item = Source<'s>> + ?Sized,
{
    type Batch = Arc<Batch>;
    type Writer = SinkWriter<'r, K>;

    fn writer(&self) -> &Mutex<SinkWriter<'r, K>> {
        &self.writer
    }

    fn write(&self, writer: &mut SinkWriter<'r, K>, batch: &mut Arc<Batch>) -> bool {
        writer.write(batch)
    }

    fn recycle(&self, batch: Arc<Batch>) {
        self.window.make_room();
        self.spare.add(batch);
    }

    fn fail(&self, writer: &mut SinkWriter<'r, K>, panic: &Panic, input: usize) {
        let error = panic.error(input, "between two blocks");
        writer.end.get_or_insert(End::Failed(error));
    }

    fn stop(&self) {
        self.window.stop();
        self.handoff.stop();
    }

    fn work_on(&self, crew: &SearchCrew<'r, 's, K, I>, input: &mut usize) {
        let mut worker = (self.make)();
        let mut buffer = Vec::new();
        let mut last = Turn::default();
        let (number, mut len) = (self.spare.add_worker(), BatchLen::default());
        while let Some(claim) = self.window.claim(&crew.delivery, &mut buffer) {
            let Claim {
                turn,
                next,
                body,
                name,
                lines,
            } = claim;
            *input = turn.input;
            // Keys of a later block of an input that is left may still turn out to lie behind
            // a panic. Then they are not reported, and nothing is a repeat of them.
            let before = std::mem::replace(&mut last, turn);
            if turn < before || (turn.input != before.input && before.block > 0) {
                worker.forget_recent();
            }
            let mut batch = self.spare_batch(number, len);
            batch.order.turn = turn;
            batch.order.next = next;
            batch.input = turn.input;
            batch.name = name;
            let offset = body.offset();
            let done = fault::catch(|| {
                let block = (&mut batch, &mut buffer);
                self.do_block(crew, &mut worker, (body, lines), block)
            });
            match done {
                Ok(Ok(true)) => len = batch.len(),
                // The run stops.
                Ok(Ok(false)) => return,
                Ok(Err(fault)) => {
                    batch.drop_content();
                    batch.fault = fault.into();
                }
                Err(panic) => {
                    worker = (self.make)();
                    buffer = Vec::new();
                    self.give_up(&crew.cancel, &mut batch, &panic, offset);
                }
            }
            self.hand_in(crew, batch);
        }
    }
}

impl<'r, 's, K, I> SearchWork<'r, 's, K, I>
where
    K: Sink + ?Sized,
    I: Iterator<Item = Source<'s>> + ?Sized,
{
    /// Has `panic`, which occurred in the block that starts at `offset`, take the place of
    /// what was found in the block.
    fn give_up(&self, cancel: &Cancel, batch: &mut Batch, panic: &Panic, offset: u64) {
        let place = format_args!("in the block at byte {offset}");
        let error = panic.error(batch.input, place);
        let (turn, name) = (batch.order.turn, batch.name.take());
        batch.drop_content();
        batch.name = name;
        match panic.is_of_caller {
            true => batch.fault = error.into(),
            false => {
                batch.error = Some(error);
                cancel.break_off(turn);
            }
        }
        match batch.order.next {
            BatchNext::Block => self.handoff.give_up(turn),
            _ => {
                self.handoff.decline_before(turn);
                self.handoff.decline_lines(turn);
            }
        }
    }

    /// Reads a block and scans it into `batch`. Returns false when the run stops. The block
    /// is read into `buffer`, where the next one may also be read.
    ///
    /// # Errors
    /// A panic that took the place of the block.
    fn do_block(
        &self,
        crew: &SearchCrew<'r, 's, K, I>,
        worker: &mut Worker,
        (body, lines): (BlockBody<'s>, bool),
        (batch, buffer): (&mut Batch, &mut Vec<u8>),
    ) -> Result<bool, Error> {
        let Some(mut text) = body.read(batch.input, &self.lists, buffer)? else {
            self.handoff.decline_before(batch.order.turn);
            self.handoff.decline_lines(batch.order.turn);
            batch.order.is_end = true;
            return Ok(true);
        };
        text.lines = lines;
        let Some(bytes) = self.scan(crew, worker, text, batch) else {
            return Ok(false);
        };
        *buffer = bytes;
        Ok(true)
    }

    /// Scans a block into `batch`. Returns its buffer, or `None` when the run stops.
    fn scan(
        &self,
        crew: &SearchCrew<'r, 's, K, I>,
        worker: &mut Worker,
        mut text: BlockText,
        batch: &mut Batch,
    ) -> Option<Vec<u8>> {
        batch.error = text.failed.take();
        batch.flush = text.flush;
        batch.read_as = text.read_as;
        batch.stored = text.stored;
        let (turn, at) = (batch.order.turn, text.ends_at());
        let failed = batch.error.is_some();
        let mut pass_on = |decoder| self.handoff.pass_on(turn, decoder);
        let ahead = match &text.start {
            BlockStart::Carried => self.handoff.take_decoder(turn),
            _ => None,
        };
        let ahead = ahead.and_then(|passed| decode_first(worker, &text, passed, &mut pass_on));
        let is_carried = !matches!(text.start, BlockStart::Clean);
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
        let follows = batch.order.next == BatchNext::Block;
        let after = self.lines_after(worker, (&text, is_carried), turn)?;
        let is_known = after.is_some();
        if let Some(after) = after.filter(|_| follows) {
            self.handoff.post_lines(turn, after);
        }
        let mut is_cut = false;
        let mut pause = |batch: &mut Batch| {
            is_cut = crew.cancel.is_set();
            !is_cut && (!batch.is_large() || self.hand_in_part(crew, batch))
        };
        let calls = ScanCalls {
            pause: &mut pause,
            pass_on: Some(&mut pass_on),
        };
        let range = text.range.as_deref();
        let columns = range.and_then(|_| worker.lines.columns.clone());
        let unfinished = scan(worker, &text, (before.unfinished, ahead), batch, calls);
        if let Some(range) = range {
            note_columns(&text, range, (columns, &worker.lines), batch);
        }
        if batch.order.next == BatchNext::Block {
            let ended = Ended {
                at,
                unfinished,
                failed,
            };
            self.handoff.post(turn, ended);
            if !is_known {
                self.handoff.post_lines(turn, worker.lines.clone());
            }
        }
        if is_cut {
            batch.order.next = BatchNext::Nothing;
        }
        Some(text.bytes)
    }

    /// Sets the state of lines of `worker` to the one before the block at `turn`. Returns the
    /// state after `text`, if it is known before the lines are read; the outer `None` when the
    /// run stops.
    fn lines_after(
        &self,
        worker: &mut Worker,
        (text, is_carried): (&BlockText, bool),
        turn: Turn,
    ) -> Option<Option<LineState>> {
        worker.lines = LineState::start(worker.logs.as_deref().filter(|_| text.lines));
        let Some(reader) = worker.logs.as_deref_mut().filter(|_| text.lines) else {
            self.handoff.decline_lines(turn);
            return Some(Some(LineState::default()));
        };
        let range = text.range.as_deref();
        if turn.block > 0 {
            worker.lines = self.handoff.take_lines(turn)?;
        } else if let Some(before) = range.and_then(|range| range.before.as_ref()) {
            worker.lines = before.clone();
        }
        // The lines across the ends of other blocks are not in the text.
        let (parts, is_clean) = (&text.parts[..], text.end == BlockEnd::Clean);
        let [part] = parts else {
            return Some(None);
        };
        let is_whole = part.record.is_none() && is_clean && !is_carried;
        let bytes = &text.bytes[part.from..part.to];
        Some(match is_whole {
            true => worker.lines.after(reader, bytes),
            false => None,
        })
    }

    /// Returns an empty batch for `worker`. One that is new has room for `len`: a batch that
    /// grows is copied several times.
    fn spare_batch(&self, worker: usize, len: BatchLen) -> Batch {
        let spare = self.spare.take(worker);
        let mut batch = spare.unwrap_or_else(|| Batch::with_room(len));
        batch.worker = worker;
        if let Some(formatting) = &self.formatting {
            formatting.recycle(&mut batch);
        }
        batch.clear();
        batch.tally.is_kept = self.is_limited;
        batch
    }

    /// Hands in what was found in a block so far. Returns false when the run stops.
    fn hand_in_part(&self, crew: &SearchCrew<'r, 's, K, I>, batch: &mut Batch) -> bool {
        let follows = std::mem::replace(&mut batch.order.next, BatchNext::Part);
        let next = Batch {
            order: BatchOrder {
                turn: batch.next_turn(),
                next: follows,
                ..BatchOrder::default()
            },
            input: batch.input,
            name: batch.name.clone(),
            read_as: batch.read_as,
            flush: std::mem::take(&mut batch.flush),
            ..self.spare_batch(batch.worker, batch.len())
        };
        let turn = next.order.turn;
        self.hand_in(crew, std::mem::replace(batch, next));
        crew.delivery.wait_for_part(turn)
    }

    /// Passes the keys to the shards, and writes the next batches, unless another worker
    /// does.
    fn hand_in(&self, crew: &SearchCrew<'r, 's, K, I>, mut batch: Batch) {
        if crew.cancel.is_broken_before(batch.order.turn) {
            // In order this is known only later, of batches that are handed in already.
            batch.drop_content();
        }
        batch.order.held = batch.size().max(HELD_LEAST);
        crew.delivery.announce(batch.order.held);
        // A shard is held while its last answers are passed on.
        let mut answered = Vec::new();
        match &self.shards {
            None => answered.push(Arc::new(batch)),
            Some(shards) => shards.take(batch, |batch| answered.push(batch)),
        }
        let mut writes = false;
        for batch in answered {
            let mut deliver = |batch| writes |= crew.delivery.add(batch);
            match &self.formatting {
                None => deliver(batch),
                Some(formatting) => {
                    let has_memory = || crew.delivery.has_memory();
                    formatting.each_ready(batch, has_memory, |batch: Arc<Batch>| {
                        let formatted = batch.formatted.get();
                        crew.delivery.announce(formatted.map_or(0, Formatted::size));
                        deliver(batch);
                    });
                }
            }
        }
        if writes {
            crew.write();
        }
    }
}

/// Notes in `batch` that `text` names other columns than those by which the lines behind its
/// range are read. The columns before and the state after it are given.
fn note_columns(
    text: &BlockText,
    range: &RangeLines,
    (before, after): (Option<Arc<LogColumns>>, &LineState),
    batch: &mut Batch,
) {
    let Some(behind) = &range.behind else {
        return;
    };
    // What the first lines name is known to every range.
    let is_known = after.columns == *behind || text.ends_at() <= RANGE_FIRST;
    if after.columns == before || is_known {
        return;
    }
    let offset = text.parts.first().map_or(0, |part| part.offset);
    let cause = "a header names other columns, with which later ranges are not read";
    let kind = LossKind::Unsupported(Damage::new("log", cause, offset));
    batch.lose(Loss::new(batch.input, offset, kind));
}
