//! The shared set, in shards. A shard takes the keys of the batches strictly in the order
//! of the batches, so the first occurrence of a key does not depend on threads. No shard
//! waits for another one, and a lock is taken once for a batch, not for each key.

use crate::dedup::{Answer, Keys, Membership, RecordTail};
use crate::engine::batches::batch::{Batch, SHARDS_MAX, Turn};
use crate::engine::batches::encoded_finding;
use crate::engine::batches::input_count::InputCount;
use crate::engine::batches::tail_parts::TailParts;
use crate::engine::error::Error;
use crate::engine::fault;
use crate::engine::lock::lock;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// All shards.
pub(in crate::engine) struct Shards {
    shards: Vec<Shard>,
    /// The number of items that were taken, where batches have no order.
    taken: AtomicU64,
    ordered: bool,
    /// Keys are spellings of classes.
    spelled: bool,
    /// The end of the records of counted classes.
    tail: RecordTail,
    /// A panic or an error left a set half changed. No set is used any more.
    broken: AtomicBool,
}

/// A shard, in cache lines of its own: workers lock several of them at the same time.
#[repr(align(128))]
struct Shard {
    queue: Mutex<ShardQueue>,
    taken: Mutex<Taken>,
}

/// The set of a shard.
struct Taken {
    set: Box<dyn Membership>,
    /// The answers to the keys of the last batch.
    answers: Vec<Answer>,
}

/// The batches that a shard has not taken yet.
#[derive(Default)]
struct ShardQueue {
    next: Turn,
    /// The number of items in the batches before that one.
    before: u64,
    waiting: BTreeMap<Turn, Arc<Batch>>,
    /// The last input that a panic ended. Findings behind the panic are not reported, so
    /// that no later finding is a repeat of them.
    broken: Option<usize>,
    /// A thread is taking them.
    busy: bool,
}

impl ShardQueue {
    /// Skips a batch without keys for this shard, if it is the next one and no other batch
    /// waits for it. Returns false when it was not skipped. No batch skips a panic.
    fn passes(&mut self, batch: &Batch) -> bool {
        let is_next = !self.busy && self.waiting.is_empty() && self.next == batch.order.turn;
        let passes = is_next && batch.fault.get().is_none();
        if passes {
            self.leave_behind(batch);
        }
        passes
    }

    /// Says that `batch`, the next one, is taken. Returns the number of items before it.
    fn leave_behind(&mut self, batch: &Batch) -> u64 {
        self.next = batch.next_turn();
        let before = self.before;
        if !self.drops(batch) {
            self.before += batch.items.len() as u64;
        }
        if batch.breaks_input() {
            self.broken = Some(batch.input);
        }
        before
    }

    /// Whether `batch`, the next one, is not reported, because a panic ended its input
    /// before it.
    fn drops(&self, batch: &Batch) -> bool {
        self.broken == Some(batch.input)
    }
}

impl Shards {
    /// Shards for this many threads, each with a set that `make` returns, given the number
    /// of shards. They take the
    /// batches in order or as they come. Keys are classes, or spellings of them.
    pub(in crate::engine) fn new(
        threads: usize,
        (ordered, spelled, tail): (bool, bool, RecordTail),
        make: impl Fn(usize) -> Box<dyn Membership>,
    ) -> Shards {
        let count = if threads == 1 {
            1
        } else {
            (4 * threads).next_power_of_two().min(SHARDS_MAX)
        };
        let shard = |_| Shard {
            queue: Mutex::default(),
            taken: Mutex::new(Taken {
                set: make(count),
                answers: Vec::new(),
            }),
        };
        Shards {
            shards: (0..count).map(shard).collect(),
            taken: AtomicU64::new(0),
            ordered,
            spelled,
            tail,
            broken: AtomicBool::new(false),
        }
    }

    /// Takes the keys of a batch, and of batches that waited for it. Calls `answered` with
    /// each batch whose keys all shards have taken.
    pub(in crate::engine) fn take(&self, mut batch: Batch, mut answered: impl FnMut(Arc<Batch>)) {
        batch.part(self.shards.len());
        if !self.ordered {
            let items = batch.items.len() as u64;
            let before = self.taken.fetch_add(items, Ordering::Relaxed);
            batch.asked.before = Some(before);
            let batch = Arc::new(batch);
            for (number, shard) in self.shards.iter().enumerate() {
                let mut taken = lock(&shard.taken);
                if self.broken.load(Ordering::Relaxed) {
                    // The run ends with the batch that broke it.
                    return;
                }
                if !self.try_insert(&mut taken, &batch, number, before) {
                    break;
                }
            }
            return answered(batch);
        }
        let batch = Arc::new(batch);
        for (number, shard) in self.shards.iter().enumerate() {
            let mut queue = lock(&shard.queue);
            if batch.has_none_of(number) && queue.passes(&batch) {
                drop(queue);
                if batch.asked.unanswered.fetch_sub(1, Ordering::AcqRel) == 1 {
                    answered(Arc::clone(&batch));
                }
                continue;
            }
            queue.waiting.insert(batch.order.turn, Arc::clone(&batch));
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
            let is_dropped = queue.drops(&batch);
            let before = queue.leave_behind(&batch);
            drop(queue);
            let inserted = is_dropped || self.try_insert(&mut taken, &batch, number, before);
            if batch.asked.unanswered.fetch_sub(1, Ordering::AcqRel) == 1 {
                answered(batch);
            }
            if !inserted {
                // The batches that follow are not reported, so they need no answers.
                return;
            }
        }
    }

    /// Inserts the keys of a batch; `before` is the number of items before it. Returns false
    /// after a panic, here or in an earlier step, or an error of the set: these end the run.
    fn try_insert(&self, taken: &mut Taken, batch: &Batch, number: usize, before: u64) -> bool {
        if batch.fault.get().is_some() {
            return false;
        }
        let error = match fault::catch(|| {
            insert(taken, batch, number, before, (self.spelled, self.tail))
        }) {
            Ok(Ok(())) => return true,
            Ok(Err(cause)) => Error::of_set(cause),
            Err(panic) => panic.error(batch.input, "while equal URIs were looked for"),
        };
        self.broken.store(true, Ordering::Relaxed);
        // When two shards fail, one of the failures is reported.
        let _ = batch.fault.set(error);
        false
    }

    /// Returns the sets, once all batches are taken, or `None` when a panic or an
    /// error left them unusable.
    pub(in crate::engine) fn into_sets(self) -> Option<Vec<Box<dyn Membership>>> {
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

/// Inserts the keys of a batch that belong to the shard with this number.
fn insert(
    taken: &mut Taken,
    batch: &Batch,
    number: usize,
    before: u64,
    (spelled, tail): (bool, RecordTail),
) -> io::Result<()> {
    #[cfg(feature = "failpoints")]
    for key in batch.of_shard(number) {
        crate::engine::faultpoint::at("insert", batch.key(&batch.items[key.number as usize]));
    }
    let Taken { set, answers } = taken;
    let asked = batch.of_shard(number);
    let record = |number: u32, out: &mut Vec<u8>| {
        let item = &batch.items[number as usize];
        let position = before + u64::from(number);
        let end = TailParts {
            unit: tail.unit.then(|| batch.unit(number)),
            inputs: tail.inputs.then(|| InputCount::new(batch.input, 1)),
            span: tail.span.then(|| batch.span(number)),
        };
        match batch.is_bare(item) {
            true => {
                let place = (batch.input, item.offset, item.length);
                encoded_finding::write_bare(position, &item.marks, place, &end, out);
            }
            false => encoded_finding::write(position, &batch.finding(item), &end, out),
        }
    };
    answers.resize(asked.len(), Answer::default());
    let keys = Keys::new(&batch.bytes, asked).after(before);
    // The keys of groups are spellings.
    let class = |number: u32| batch.items[number as usize].original;
    let keys = match spelled {
        true => keys.classes(&class),
        false => keys,
    };
    set.ask(&keys.records(&record), answers)?;
    for (key, answer) in asked.iter().zip(answers) {
        batch.set_answer(key.number, *answer);
    }
    Ok(())
}
