//! The shared set in shards. A shard takes the keys of the batches strictly in
//! their order, so which occurrence is the first does not depend on threads; no
//! shard waits for another, and no lock is taken for a single key.

use super::batch::{Batch, SHARDS_MAX, Turn};
use super::fault;
use super::lock::lock;
use super::record;
use crate::dedup::{Hasher, Set};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// All shards.
pub(super) struct Shards {
    shards: Vec<Shard>,
    counting: bool,
    ordered: bool,
    /// A panic left a set half changed: none is used any more.
    broken: AtomicBool,
}

struct Shard {
    queue: Mutex<Queue>,
    set: Mutex<Set>,
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
    /// Shards for so many threads, whose sets count or not, and which take the
    /// blocks in order or as they come.
    pub(super) fn new(threads: usize, counting: bool, ordered: bool, hasher: &Hasher) -> Shards {
        let count = if threads == 1 {
            1
        } else {
            (8 * threads).next_power_of_two().min(SHARDS_MAX)
        };
        let shard = |_| Shard {
            queue: Mutex::default(),
            set: Mutex::new(if counting {
                Set::counting(hasher.clone())
            } else {
                Set::new(hasher.clone())
            }),
        };
        Shards {
            shards: (0..count).map(shard).collect(),
            counting,
            ordered,
            broken: AtomicBool::new(false),
        }
    }

    /// Takes the keys of a batch, and of batches that waited for it; `answered` is
    /// called with each batch that all shards have taken.
    pub(super) fn take(&self, mut batch: Batch, mut answered: impl FnMut(Arc<Batch>)) {
        batch.part(self.shards.len());
        let batch = Arc::new(batch);
        if !self.ordered {
            for (number, shard) in self.shards.iter().enumerate() {
                let mut set = lock(&shard.set);
                if self.broken.load(Ordering::Relaxed) {
                    // The run ends with the batch that broke it.
                    return;
                }
                if !self.try_insert(&mut set, &batch, number) {
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
        let mut set = lock(&shard.set);
        loop {
            let mut queue = lock(&shard.queue);
            let next = queue.next;
            let Some(batch) = queue.waiting.remove(&next) else {
                queue.busy = false;
                return;
            };
            queue.next = batch.next_turn();
            drop(queue);
            let inserted = self.try_insert(&mut set, &batch, number);
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
    fn try_insert(&self, set: &mut Set, batch: &Batch, number: usize) -> bool {
        if batch.fault.get().is_some() {
            return false;
        }
        let Err(panic) = fault::catch(|| self.insert(set, batch, number)) else {
            return true;
        };
        self.broken.store(true, Ordering::Relaxed);
        let error = panic.error(batch.input, "while equal URIs were looked for");
        // Of two shards that panic one is named.
        let _ = batch.fault.set(error);
        false
    }

    fn insert(&self, set: &mut Set, batch: &Batch, number: usize) {
        #[cfg(feature = "failpoints")]
        for (_, item) in batch.of_shard(number) {
            super::faultpoint::at("insert", batch.key(item));
        }
        let mut kept = Vec::new();
        for (at, item) in batch.of_shard(number) {
            if item.alone {
                batch.is_new[at].store(true, Ordering::Relaxed);
                continue;
            }
            if self.counting {
                kept.clear();
                record::write(&batch.finding(item), &mut kept);
            }
            let is_new = set.insert(item.hash, batch.key(item), u64::from(item.count), &kept);
            batch.is_new[at].store(is_new, Ordering::Relaxed);
        }
    }

    /// The sets, when all blocks are taken; `None` when they are not to be used.
    pub(super) fn into_sets(self) -> Option<Vec<Set>> {
        if self.broken.into_inner() {
            return None;
        }
        let set = |shard: Shard| {
            shard
                .set
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner)
        };
        Some(self.shards.into_iter().map(set).collect())
    }
}
