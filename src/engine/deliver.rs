//! The queue between those who finish batches and the one who writes them, in the
//! order of the batches or as they come. Nothing is done here but to add and to
//! take: a slow sink stops nobody before the queue is full.

use super::batch::{Batch, Turn};
use super::lock::lock;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// How many blocks a worker may be ahead of the sink, for each thread.
const AHEAD: u64 = 8;

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
    ahead: u64,
}

#[derive(Default)]
struct Queue {
    /// The batch after those that were taken; where they are written as they come,
    /// its block says only how many were.
    next: Turn,
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
            ahead: AHEAD * threads as u64,
        }
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
        match self.ordered {
            true => queue.next = batch.next_turn(),
            false => queue.next.seq += u64::from(!batch.more),
        }
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

    /// Waits until block `seq` is near enough to what the sink has; false when the run
    /// stops.
    pub(super) fn wait_for_block(&self, seq: u64) -> bool {
        self.wait_while(|queue| seq > queue.next.seq + self.ahead)
    }

    /// The same for a part of a block.
    pub(super) fn wait_for_part(&self, Turn { seq, part }: Turn) -> bool {
        let first = Turn {
            seq,
            part: part.saturating_sub(PARTS_AHEAD),
        };
        let start = Turn { seq, part: 0 };
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
