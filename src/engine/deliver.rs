//! The queue between those who finish batches and the one who writes them, in the
//! order of the batches or as they come. Nothing is done here but to add and to
//! take: a slow sink stops nobody before the queue is full.

use super::batch::{Batch, Next, Turn};
use super::lock::lock;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// How many blocks of one input may be ahead of the sink, for each thread.
const AHEAD: u64 = 8;

/// How much memory may be taken by what waits here or on its way here before blocks of
/// later inputs are left alone, for each thread.
const HELD: usize = 16 << 20;

/// A batch counts as so many bytes at least: its text was read, and is gone.
const HELD_LEAST: usize = 16 << 10;

/// How many batches of one block may be ahead of the sink.
const PARTS_AHEAD: u32 = 4;

/// Batches on their way to the sink. Nobody is their writer all the time: whoever
/// adds the batch that is to be written next, while nobody writes, is the writer
/// until the next one is not there.
pub(super) struct Delivery {
    queue: Mutex<Queue>,
    /// A batch was taken, or the run stops.
    taken: Condvar,
    /// Batches are written in their order.
    ordered: bool,
    threads: usize,
    /// Bytes of the batches that were announced and not taken.
    held: AtomicUsize,
}

/// What may be begun: nobody reads on and on while the sink is slow, or while an input
/// takes long whose turn it is.
pub(super) struct Room {
    ordered: bool,
    next: Turn,
    taken: u64,
    ahead: u64,
    /// There is memory for what is ahead of its turn.
    has_memory: bool,
}

impl Room {
    /// Whether the block at `turn` may be begun, when `begun` blocks were so far.
    ///
    /// The block that is written next always may. So one worker at least goes on: the
    /// one that has that block, or else whoever asks for a block.
    pub(super) fn is_for(&self, turn: Turn, begun: u64) -> bool {
        match self.ordered {
            false => begun <= self.taken + self.ahead,
            true if turn.input == self.next.input => turn.block <= self.next.block + self.ahead,
            true => self.has_memory,
        }
    }
}

#[derive(Default)]
struct Queue {
    /// The batch after those that were taken, where they are in order.
    next: Turn,
    /// How many blocks were taken.
    taken: u64,
    ready: BTreeMap<Turn, Arc<Batch>>,
    /// Somebody writes, or is about to.
    is_written: bool,
    /// Nothing is written any more, and nobody waits.
    stopped: bool,
}

impl Delivery {
    /// For so many threads.
    pub(super) fn new(threads: usize, ordered: bool) -> Delivery {
        Delivery {
            queue: Mutex::default(),
            taken: Condvar::new(),
            ordered,
            threads,
            held: AtomicUsize::new(0),
        }
    }

    /// What may be begun now.
    pub(super) fn room(&self) -> Room {
        let queue = lock(&self.queue);
        Room {
            ordered: self.ordered,
            next: queue.next,
            taken: queue.taken,
            ahead: AHEAD * self.threads as u64,
            has_memory: self.held.load(Ordering::Relaxed) < HELD * self.threads,
        }
    }

    /// Says that a batch is going to be added.
    pub(super) fn announce(&self, batch: &mut Batch) {
        batch.held = batch.size().max(HELD_LEAST);
        self.held.fetch_add(batch.held, Ordering::Relaxed);
    }

    /// Adds a batch. When it is true the caller is the writer: it calls
    /// [`take`](Delivery::take) until there is nothing.
    ///
    /// No batch stays behind. A writer ends in `take`, which finds that the next batch
    /// is not there and says that nobody writes, both under the lock. Who adds that
    /// batch comes either before, and `take` finds it, or after, and finds here that
    /// nobody writes.
    #[must_use]
    pub(super) fn add(&self, batch: Arc<Batch>) -> bool {
        let mut queue = lock(&self.queue);
        if queue.stopped {
            return false;
        }
        queue.ready.insert(batch.turn, batch);
        let writes = !queue.is_written && self.has_next(&queue);
        queue.is_written |= writes;
        writes
    }

    /// The batch that is written next, for the writer; when it is not there the caller
    /// is not the writer any more.
    pub(super) fn take(&self) -> Option<Arc<Batch>> {
        let mut queue = lock(&self.queue);
        if queue.stopped || !self.has_next(&queue) {
            queue.is_written = false;
            return None;
        }
        let (_, batch) = queue.ready.pop_first()?;
        self.held.fetch_sub(batch.held, Ordering::Relaxed);
        queue.next = batch.next_turn();
        queue.taken += u64::from(batch.next != Next::Part);
        drop(queue);
        self.taken.notify_all();
        Some(batch)
    }

    /// Whether the batch that is written next is there. Those before it were taken, so
    /// it is the first one.
    fn has_next(&self, queue: &Queue) -> bool {
        let first = queue.ready.first_key_value();
        first.is_some_and(|(turn, _)| !self.ordered || *turn == queue.next)
    }

    /// Waits until the part of a block at `turn` is near enough to what the sink has;
    /// false when the run stops.
    pub(super) fn wait_for_part(&self, turn: Turn) -> bool {
        let first = Turn {
            part: turn.part.saturating_sub(PARTS_AHEAD),
            ..turn
        };
        let start = Turn { part: 0, ..turn };
        self.wait_while(|queue| match self.ordered {
            true => queue.next < first,
            false => queue.ready.range(start..first).next().is_some(),
        })
    }

    fn wait_while(&self, is_far: impl Fn(&Queue) -> bool) -> bool {
        let mut queue = lock(&self.queue);
        while !queue.stopped && is_far(&queue) {
            queue = self
                .taken
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
        !queue.stopped
    }

    /// Drops what is here and lets nobody wait any more.
    pub(super) fn stop(&self) {
        let mut queue = lock(&self.queue);
        queue.stopped = true;
        let left = std::mem::take(&mut queue.ready);
        drop(queue);
        drop(left);
        self.taken.notify_all();
    }
}
