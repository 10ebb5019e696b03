//! A set that grows only as far as a budget allows. Keys for which there is no room are left
//! to `spilling` and `settling`.

use super::budget::{Budget, Charge};
use super::partitions::EntryForm;
use crate::dedup::{Answer, Key, Keys, Set};
use std::cell::Cell;
use std::sync::Arc;

/// A set within a budget. After the first key for which there is no room, the set does
/// not change.
#[derive(Debug)]
pub(super) struct BoundedSet {
    set: Set,
    charge: Charge,
    counting: bool,
    /// The memory that it takes even if it is not left in the budget.
    least: usize,
    full: bool,
    /// The number of records, and that of their bytes.
    records: (usize, usize),
    record: Vec<u8>,
}

impl BoundedSet {
    pub(super) fn new(
        budget: &Arc<Budget>,
        EntryForm { counting, tail, .. }: EntryForm,
        least: usize,
    ) -> BoundedSet {
        let set = match counting {
            true => Set::counting().with_tail(tail),
            false => Set::new(),
        };
        let mut charge = Charge::new(budget);
        charge.set(set.memory());
        BoundedSet {
            set,
            charge,
            counting,
            least,
            full: false,
            records: (0, 0),
            record: Vec::new(),
        }
    }

    /// Returns whether a key had no room.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    pub(super) fn set(&self) -> &Set {
        &self.set
    }

    /// Returns the set and its charge.
    pub(super) fn into_parts(self) -> (Set, Charge) {
        (self.set, self.charge)
    }

    /// Adds the new keys of a batch for which there is room, in their order, and writes the
    /// answer for each key to `answers`.
    pub(super) fn ask(&mut self, keys: &Keys, answers: &mut [Answer]) {
        if self.full {
            self.set.absorb(keys, answers);
            return self.charge.set(self.set.memory());
        }
        let list = keys.iter().as_slice();
        let key_bytes = list.iter().map(|key| (key.to - key.from) as usize).sum();
        let record_bytes = self.record_bytes_at_most(list.len());
        let growth = self.set.growth_at_most(list.len(), key_bytes, record_bytes);
        // There is usually room for all keys, so no key is looked up twice.
        if !self.reserve(growth + Set::FILTER_BYTES * list.len()) {
            return self.ask_for_each(keys, answers);
        }
        match self.counting {
            false => self.set.ask(keys, answers),
            true => {
                let records = Cell::new(self.records);
                let write = |number: u32, out: &mut Vec<u8>| {
                    let key = Key {
                        number,
                        ..Key::default()
                    };
                    let before = out.len();
                    keys.write_record(&key, out);
                    let (count, bytes) = records.get();
                    records.set((count + 1, bytes + out.len() - before));
                };
                self.set.ask(&keys.records(&write), answers);
                self.records = records.get();
            }
        }
        self.charge_memory();
    }

    /// Takes the memory of the set and of its future filter from the budget.
    fn charge_memory(&mut self) {
        self.charge
            .set(self.set.memory() + Set::FILTER_BYTES * self.set.len());
    }

    /// Returns an estimate of the most bytes of the records of this number of keys: the
    /// number of bytes is known only when records are written.
    fn record_bytes_at_most(&self, keys: usize) -> usize {
        let (count, bytes) = self.records;
        match self.counting {
            true => keys.saturating_mul(2 * (bytes / count.max(1)) + 64),
            false => 0,
        }
    }

    /// Takes `bytes` from the budget. Returns false when they are not left.
    fn reserve(&mut self, bytes: usize) -> bool {
        let with_them = self.charge.bytes().saturating_add(bytes);
        if self.charge.try_grow(bytes) {
            return true;
        }
        let is_little = with_them <= self.least;
        if is_little {
            self.charge.set(with_them);
        }
        is_little
    }

    /// Does the same as [`ask`](BoundedSet::ask), key by key, near the limit.
    fn ask_for_each(&mut self, keys: &Keys, answers: &mut [Answer]) {
        for (key, answer) in keys.iter().zip(answers) {
            let (bytes, count) = (keys.bytes(key), u64::from(key.count));
            *answer = if self
                .set
                .add_known(key.hash, bytes, count, |out| keys.write_record(key, out))
            {
                Answer::Known
            } else if !self.full && self.add(keys, key) {
                Answer::New
            } else {
                Answer::Deferred
            };
        }
    }

    /// Adds a key that the set does not have, if there is room for it.
    fn add(&mut self, keys: &Keys, key: &Key) -> bool {
        self.record.clear();
        if self.counting {
            keys.write_record(key, &mut self.record);
        }
        let (bytes, record) = (keys.bytes(key), self.record.len());
        let growth = self.set.growth(key.hash, bytes.len(), record);
        // A pass that kept no key would be repeated without end.
        let is_needed = self.least > 0 && self.set.is_empty();
        if !self.reserve(growth + Set::FILTER_BYTES) && !is_needed {
            self.full = true;
            return false;
        }
        self.set
            .insert(key.hash, bytes, u64::from(key.count), &self.record);
        if growth > 0 {
            self.charge_memory();
        }
        self.records = (self.records.0 + 1, self.records.1 + record);
        true
    }
}
