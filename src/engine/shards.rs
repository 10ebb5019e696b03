//! The shared set in shards. A shard takes the keys of the batches strictly in
//! their order, so which occurrence is the first does not depend on threads; no
//! shard waits for another, and no lock is taken for a single key.

use super::batch::{Batch, SHARDS_MAX, Turn};
use super::encoded_finding;
use super::fault;
use super::lock::lock;
use crate::dedup::{Answer, Keys, Membership};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// All shards.
pub(super) struct Shards {
    shards: Vec<Shard>,
    /// How many items were taken, where batches come in no order.
    taken: AtomicU64,
    ordered: bool,
    /// A panic left a set half changed: none is used any more.
    broken: AtomicBool,
}

struct Shard {
    queue: Mutex<Queue>,
    taken: Mutex<Taken>,
}

/// What a shard took.
struct Taken {
    set: Box<dyn Membership>,
    /// Of the last batch, for each key.
    answers: Vec<Answer>,
    /// How many items the batches before had, when they come in order.
    before: u64,
}

/// The batches that a shard has not taken yet.
#[derive(Default)]
struct Queue {
    next: Turn,
    waiting: BTreeMap<Turn, Arc<Batch>>,
    /// A thread is taking them.
    busy: bool,
}

impl Shards {
    /// Shards for so many threads, each with a set that `make` gives, which take the
    /// blocks in order or as they come.
    pub(super) fn new(
        threads: usize,
        ordered: bool,
        make: impl Fn() -> Box<dyn Membership>,
    ) -> Shards {
        let count = if threads == 1 {
            1
        } else {
            (8 * threads).next_power_of_two().min(SHARDS_MAX)
        };
        let shard = |_| Shard {
            queue: Mutex::default(),
            taken: Mutex::new(Taken {
                set: make(),
                answers: Vec::new(),
                before: 0,
            }),
        };
        Shards {
            shards: (0..count).map(shard).collect(),
            taken: AtomicU64::new(0),
            ordered,
            broken: AtomicBool::new(false),
        }
    }

    /// Takes the keys of a batch, and of batches that waited for it; `answered` is
    /// called with each batch that all shards have taken.
    pub(super) fn take(&self, mut batch: Batch, mut answered: impl FnMut(Arc<Batch>)) {
        batch.part(self.shards.len());
        if !self.ordered {
            let items = batch.items.len() as u64;
            batch.before = Some(self.taken.fetch_add(items, Ordering::Relaxed));
        }
        let batch = Arc::new(batch);
        if !self.ordered {
            for (number, shard) in self.shards.iter().enumerate() {
                let mut taken = lock(&shard.taken);
                if self.broken.load(Ordering::Relaxed) {
                    // The run ends with the batch that broke it.
                    return;
                }
                if !self.try_insert(&mut taken, &batch, number) {
                    break;
                }
            }
            return answered(batch);
        }
        for (number, shard) in self.shards.iter().enumerate() {
            let mut queue = lock(&shard.queue);
            queue.waiting.insert(batch.turn, Arc::clone(&batch));
            if queue.busy || !queue.waiting.contains_key(&queue.next) {
                continue;
            }
            queue.busy = true;
            drop(queue);
            self.drain(number, &mut answered);
        }
    }

    fn drain(&self, number: usize, answered: &mut impl FnMut(Arc<Batch>)) {
        let shard = &self.shards[number];
        let mut taken = lock(&shard.taken);
        loop {
            let mut queue = lock(&shard.queue);
            let next = queue.next;
            let Some(batch) = queue.waiting.remove(&next) else {
                queue.busy = false;
                return;
            };
            queue.next = batch.next_turn();
            drop(queue);
            let inserted = self.try_insert(&mut taken, &batch, number);
            if batch.unanswered.fetch_sub(1, Ordering::AcqRel) == 1 {
                answered(batch);
            }
            if !inserted {
                // Nothing of what follows is reported: nobody takes it.
                return;
            }
        }
    }

    /// Inserts the keys of a batch; false when there was a panic, here or before, with
    /// which the run ends.
    fn try_insert(&self, taken: &mut Taken, batch: &Batch, number: usize) -> bool {
        if batch.fault.get().is_some() {
            return false;
        }
        let Err(panic) = fault::catch(|| self.insert(taken, batch, number)) else {
            return true;
        };
        self.broken.store(true, Ordering::Relaxed);
        let error = panic.error(batch.input, "while equal URIs were looked for");
        // Of two shards that panic one is named.
        let _ = batch.fault.set(error);
        false
    }

    fn insert(&self, taken: &mut Taken, batch: &Batch, number: usize) {
        #[cfg(feature = "failpoints")]
        for key in batch.of_shard(number) {
            super::faultpoint::at("insert", batch.key(&batch.items[key.number as usize]));
        }
        let Taken {
            set,
            answers,
            before,
        } = taken;
        let first = batch.before.unwrap_or(*before);
        *before += batch.items.len() as u64;
        let asked = batch.of_shard(number);
        let record = |number: u32, out: &mut Vec<u8>| {
            let finding = batch.finding(&batch.items[number as usize]);
            encoded_finding::write(first + u64::from(number), &finding, out);
        };
        answers.resize(asked.len(), Answer::default());
        set.ask(
            &Keys::new(&batch.bytes, asked).after(first).records(&record),
            answers,
        );
        for (key, answer) in asked.iter().zip(answers) {
            batch.set_answer(key.number, *answer);
        }
    }

    /// The sets, when all blocks are taken; `None` when they are not to be used.
    pub(super) fn into_sets(self) -> Option<Vec<Box<dyn Membership>>> {
        if self.broken.into_inner() {
            return None;
        }
        let set = |shard: Shard| {
            let taken = shard.taken.into_inner();
            taken.unwrap_or_else(PoisonError::into_inner).set
        };
        Some(self.shards.into_iter().map(set).collect())
    }
}
