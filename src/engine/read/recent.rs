//! The keys that a worker saw recently. As long as a worker receives its blocks in the
//! order of the input, a key that is here occurred earlier in the input: it is a repeat,
//! and the shared set is not queried for it. A worker that goes back to an earlier input
//! forgets all keys.

use crate::engine::batches::batch::Turn;

/// The number of slots, a power of two. More slots leave the cache of a core, and looking
/// a key up there takes as long as the shared set does.
const SLOTS: usize = 1 << 11;
/// After this many keys that were not found, it is considered whether to continue.
const TRIAL: u32 = 4096;
/// The number of keys that are not looked up where hardly any was found.
const PAUSE: u32 = 64 << 10;
/// The greatest length of a key that is remembered.
const KEY_MAX: usize = 168;

/// The place at which a key was last seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Sighting {
    /// The item of the same batch with this number.
    Here(u32),
    /// In an earlier batch.
    Before,
}

/// The keys that were seen recently.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Recent {
    /// Empty before the first key: many texts have none.
    slots: Vec<Slot>,
    /// The batch that the keys are added to, and the number of batches so far.
    turn: Turn,
    batch: u64,
    /// Keys of batches before this one are forgotten.
    oldest: u64,
    /// The keys of a trial that were found, and those that were not.
    found: u32,
    missed: u32,
    /// The number of keys that are still not looked up.
    pause: u32,
}

/// A key is in its slot, so that looking it up costs one cache miss, not two.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Slot {
    hash: u64,
    /// The number of the batch in which the key was last seen; 0 for an empty slot.
    batch: u64,
    item: u32,
    len: u32,
    key: [u8; KEY_MAX],
}

const EMPTY: Slot = Slot {
    hash: 0,
    batch: 0,
    item: 0,
    len: 0,
    key: [0; KEY_MAX],
};

impl Recent {
    pub(in crate::engine) fn new() -> Recent {
        Recent {
            slots: Vec::new(),
            turn: Turn::default(),
            batch: 1,
            oldest: 1,
            found: 0,
            missed: 0,
            pause: 0,
        }
    }

    /// The keys that follow are added to the batch at `turn`.
    #[inline]
    pub(in crate::engine) fn enter(&mut self, turn: Turn) {
        if self.turn != turn {
            self.turn = turn;
            self.batch += 1;
        }
    }

    /// Returns where `key` was last seen. A key that is not known is remembered as the
    /// item with the number `item`. Where keys hardly ever come again, most are neither
    /// looked up nor remembered.
    #[inline]
    pub(in crate::engine) fn look_up(
        &mut self,
        hash: u64,
        key: &[u8],
        item: u32,
    ) -> Option<Sighting> {
        if self.pause > 0 {
            self.pause -= 1;
            return None;
        }
        let Some(slot) = self.slots.get_mut(slot_of(hash)) else {
            return self.look_up_first(hash, key, item);
        };
        let seen = slot.hash == hash && slot.batch >= self.oldest;
        if seen && slot.key.get(..slot.len as usize) == Some(key) {
            self.found += 1;
            return Some(match slot.batch == self.batch {
                true => Sighting::Here(slot.item),
                false => Sighting::Before,
            });
        }
        slot.key.get_mut(..key.len())?.copy_from_slice(key);
        slot.hash = hash;
        slot.batch = self.batch;
        slot.item = item;
        slot.len = key.len() as u32;
        self.missed += 1;
        if self.missed == TRIAL {
            let is_worth_it = self.found >= TRIAL / 16;
            self.pause = if is_worth_it { 0 } else { PAUSE };
            (self.found, self.missed) = (0, 0);
        }
        None
    }

    /// Does the same before there are slots.
    #[cold]
    fn look_up_first(&mut self, hash: u64, key: &[u8], item: u32) -> Option<Sighting> {
        self.slots = vec![EMPTY; SLOTS];
        self.look_up(hash, key, item)
    }

    /// Forgets all keys: the next ones are before them.
    pub(in crate::engine) fn forget(&mut self) {
        self.batch += 1;
        self.oldest = self.batch;
    }

    /// The key with this hash, which [`look_up`](Recent::look_up) found, is now the item
    /// with the number `item`.
    #[inline]
    pub(in crate::engine) fn record_repeat(&mut self, hash: u64, item: u32) {
        let slot = &mut self.slots[slot_of(hash)];
        slot.batch = self.batch;
        slot.item = item;
    }
}

fn slot_of(hash: u64) -> usize {
    (hash >> 20) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(block: u64) -> Turn {
        Turn {
            block,
            ..Turn::default()
        }
    }

    #[test]
    fn what_is_forgotten_is_not_known() {
        let mut recent = Recent::new();
        for key in [&b"http://a/"[..], &[b'x'; KEY_MAX]] {
            for round in 0..3000 {
                recent.enter(turn(round));
                assert_eq!(recent.look_up(7, key, 0), None);
                assert_eq!(recent.look_up(7, key, 1), Some(Sighting::Here(0)));
                recent.enter(turn(round + 1));
                assert_eq!(recent.look_up(7, key, 1), Some(Sighting::Before));
                recent.forget();
            }
        }
    }

    #[test]
    fn long_keys_are_not_known() {
        let mut recent = Recent::new();
        let key = [b'x'; KEY_MAX + 1];
        assert_eq!(recent.look_up(7, &key[1..], 0), None);
        assert_eq!(recent.look_up(7, &key, 1), None);
        assert_eq!(recent.look_up(7, &key, 2), None);
        assert_eq!(recent.look_up(7, &key[1..], 3), Some(Sighting::Here(0)));
    }

    /// With random hashes, and with those of which many are equal.
    #[test]
    fn only_keys_that_were_seen_are_found() {
        for kinds in [1, 2, 1 << 20] {
            let mut recent = Recent::new();
            let mut last = std::collections::HashMap::new();
            for i in 0..200_000u64 {
                let batch = i / 100;
                recent.enter(turn(batch));
                // Keys that repeat after a few others, and long keys.
                let key = if i % 3 == 0 {
                    vec![b'x'; (i % 200) as usize + 1]
                } else {
                    (i % 5000).to_le_bytes().to_vec()
                };
                let start = 0xCBF2_9CE4_8422_2325;
                let hash = key.iter().fold(start, |h: u64, &b| {
                    (h ^ u64::from(b)).wrapping_mul(0x100_0000_01B3)
                });
                let hash = (hash % kinds) << 20;
                let item = (i % 100) as u32;
                let seen = recent.look_up(hash, &key, item);
                let expect = last.get(&key).map(|&(before, item)| match before == batch {
                    true => Sighting::Here(item),
                    false => Sighting::Before,
                });
                assert!(seen.is_none() || seen == expect, "{i}");
                if seen != Some(Sighting::Before) && seen.is_some() {
                    continue;
                }
                if seen.is_some() {
                    recent.record_repeat(hash, item);
                }
                last.insert(key, (batch, item));
            }
        }
    }

    #[test]
    fn most_keys_are_skipped_where_none_comes_again() {
        let mut recent = Recent::new();
        let mut look_up = |number: u64| {
            let seen = recent.look_up(number << 20, &number.to_le_bytes(), 0);
            (seen.is_some(), recent.pause == 0)
        };
        // Each key comes twice.
        assert!((0..100_000).all(|i| look_up(i / 2) == (i % 2 == 1, true)));
        let looked_up = (100_000..300_000).filter(|&i| look_up(i).1).count();
        assert!(looked_up < 30_000, "{looked_up}");
        // Keys come again, and that is noticed.
        let found = (0..300_000).filter(|i| look_up(i % 1000).0).count();
        assert!(found > 200_000, "{found}");
    }
}
