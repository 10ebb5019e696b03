//! The queue between the workers that finish batches and the one that writes them, in the
//! order of the batches or as they come. Its lock is held only to add and to take a batch,
//! so a slow sink stops other workers only when the queue is full.

use crate::engine::batches::batch::{Batch, BatchNext, Turn};
use crate::engine::batches::formatted::Formatted;
use crate::engine::lock::lock;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The number of blocks of one input that may be ahead of the sink, for each thread.
const AHEAD: u64 = 8;

/// The number of batches of one block that may be ahead of the sink.
const PARTS_AHEAD: u32 = 4;

/// A batch with its position in the order.
pub(in crate::engine) trait Ordered {
    /// The position of the batch.
    fn turn(&self) -> Turn;

    /// Returns what follows it.
    fn next(&self) -> BatchNext;

    /// The bytes of memory that it was [announced](Delivery::announce) with.
    fn held(&self) -> usize;
}

impl Ordered for Arc<Batch> {
    fn turn(&self) -> Turn {
        self.order.turn
    }

    fn next(&self) -> BatchNext {
        self.order.next
    }

    fn held(&self) -> usize {
        self.order.held + self.formatted.get().map_or(0, Formatted::size)
    }
}

/// Batches on their way to the sink. No worker is always the writer: the worker that adds
/// the batch which is to be written next becomes the writer, unless there is one, until
/// the next batch is not ready.
pub(in crate::engine) struct Delivery<B> {
    queue: Mutex<DeliveryQueue<B>>,
    /// A batch was taken, or the run stops.
    taken: Condvar,
    /// Batches are written in their order.
    ordered: bool,
    threads: usize,
    /// The memory that batches may take from the end of their scan until they are written.
    /// When they take more, no blocks of later inputs are begun.
    memory: usize,
    /// The size of the batches that were announced and not taken.
    held: AtomicUsize,
}

/// Which blocks may be begun. This bounds how far the workers read while the sink is slow,
/// or while the input that is to be written next takes long.
pub(in crate::engine) struct Room {
    ordered: bool,
    next: Turn,
    taken: u64,
    ahead: u64,
    /// There is memory for batches of later inputs.
    has_memory: bool,
}

impl Room {
    /// Whether the block at `turn` may be begun, where `begun` is the number of blocks that
    /// were begun so far.
    ///
    /// The block that is written next may always be begun. So at least one worker continues:
    /// the one that has this block, or else the next one that claims a block.
    pub(in crate::engine) fn is_for(&self, turn: Turn, begun: u64) -> bool {
        match self.ordered {
            false => begun <= self.taken + self.ahead,
            true if turn.input == self.next.input => turn.block <= self.next.block + self.ahead,
            true => self.has_memory,
        }
    }
}

struct DeliveryQueue<B> {
    /// The position of the batch that is written next, where batches are in order.
    next: Turn,
    /// The number of blocks that were taken.
    taken: u64,
    /// The batches that were added, in the order of their turns. Few are, and most come last.
    ready: VecDeque<B>,
    /// There is a writer.
    is_written: bool,
    /// Nothing more is written, and no worker waits.
    stopped: bool,
    /// The number of workers that wait. To wake nobody takes a call of the system, too.
    waiting: usize,
}

impl<B> Default for DeliveryQueue<B> {
    fn default() -> DeliveryQueue<B> {
        DeliveryQueue {
            next: Turn::default(),
            taken: 0,
            ready: VecDeque::new(),
            is_written: false,
            stopped: false,
            waiting: 0,
        }
    }
}

impl<B: Ordered> Delivery<B> {
    /// For this many threads. Batches may take this much `memory` from the end of their scan
    /// until they are written.
    pub(in crate::engine) fn new(threads: usize, ordered: bool, memory: usize) -> Delivery<B> {
        Delivery {
            queue: Mutex::default(),
            taken: Condvar::new(),
            ordered,
            threads,
            memory,
            held: AtomicUsize::new(0),
        }
    }

    /// Returns which blocks may be begun now.
    pub(in crate::engine) fn room(&self) -> Room {
        let queue = lock(&self.queue);
        Room {
            ordered: self.ordered,
            next: queue.next,
            taken: queue.taken,
            ahead: AHEAD * self.threads as u64,
            has_memory: self.has_memory(),
        }
    }

    /// Whether there is memory for another batch.
    pub(in crate::engine) fn has_memory(&self) -> bool {
        self.held.load(Ordering::Relaxed) < self.memory
    }

    /// Says that a batch which takes this much memory is going to be added.
    pub(in crate::engine) fn announce(&self, held: usize) {
        self.held.fetch_add(held, Ordering::Relaxed);
    }

    /// Waits until there is memory for another batch. Returns false when the run stops.
    ///
    /// While none is announced there is always memory, so the wait ends: the worker of the
    /// batch that is written next waits for nobody.
    #[cfg(feature = "marc")]
    pub(in crate::engine) fn wait_for_memory(&self) -> bool {
        self.wait_while(|_| {
            let held = self.held.load(Ordering::Relaxed);
            held > 0 && !self.has_memory()
        })
    }

    /// Adds a batch. When it returns true, the caller is the writer and calls
    /// [`take`](Delivery::take) until that returns `None`.
    ///
    /// No batch stays in the queue. Under one lock, `take` finds that the next batch is not
    /// ready and ends the role of the writer. That batch is added either before, and `take`
    /// finds it, or after, and the worker that adds it becomes the writer.
    #[must_use]
    pub(in crate::engine) fn add(&self, batch: B) -> bool {
        let mut queue = lock(&self.queue);
        if queue.stopped {
            return false;
        }
        let turn = batch.turn();
        let at = queue.ready.partition_point(|ready| ready.turn() < turn);
        queue.ready.insert(at, batch);
        let writes = !queue.is_written && self.has_next(&queue);
        queue.is_written |= writes;
        writes
    }

    /// Returns the batch that is written next. When it is not ready, returns `None`, and the
    /// caller is not the writer any more.
    pub(in crate::engine) fn take(&self) -> Option<B> {
        let mut queue = lock(&self.queue);
        if queue.stopped || !self.has_next(&queue) {
            queue.is_written = false;
            return None;
        }
        let batch = queue.ready.pop_front()?;
        self.held.fetch_sub(batch.held(), Ordering::Relaxed);
        queue.next = batch.turn().after(batch.next());
        queue.taken += u64::from(batch.next() != BatchNext::Part);
        let is_awaited = queue.waiting > 0;
        drop(queue);
        if is_awaited {
            self.taken.notify_all();
        }
        Some(batch)
    }

    /// Whether the batch that is written next is ready. It is the first one, because all
    /// before it were taken.
    fn has_next(&self, queue: &DeliveryQueue<B>) -> bool {
        let first = queue.ready.front();
        first.is_some_and(|first| !self.ordered || first.turn() == queue.next)
    }

    /// Waits until the sink has all but a few of the batches of the same block before
    /// `turn`. Returns false when the run stops.
    pub(in crate::engine) fn wait_for_part(&self, turn: Turn) -> bool {
        let first = Turn {
            part: turn.part.saturating_sub(PARTS_AHEAD),
            ..turn
        };
        let start = Turn { part: 0, ..turn };
        self.wait_while(|queue| match self.ordered {
            true => queue.next < first,
            false => {
                let mut ready = queue.ready.iter();
                ready.any(|ready| (start..first).contains(&ready.turn()))
            }
        })
    }

    fn wait_while(&self, is_far: impl Fn(&DeliveryQueue<B>) -> bool) -> bool {
        let mut queue = lock(&self.queue);
        while !queue.stopped && is_far(&queue) {
            queue.waiting += 1;
            queue = self
                .taken
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
            queue.waiting -= 1;
        }
        !queue.stopped
    }

    /// Drops all batches and ends all waits.
    pub(in crate::engine) fn stop(&self) {
        let mut queue = lock(&self.queue);
        queue.stopped = true;
        let left = std::mem::take(&mut queue.ready);
        drop(queue);
        drop(left);
        self.taken.notify_all();
    }
}
