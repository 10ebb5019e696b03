//! The keys that a worker saw recently. As long as a worker receives its blocks in the
//! order of the input, a key that is here occurred earlier in the input: it is a repeat,
//! and the shared set is not queried for it. A worker that goes back to an earlier input
//! forgets all keys.

use super::batch::Turn;

/// The number of slots. Some bits of its hash select the slot of a key.
const SLOTS: usize = 1 << 12;
/// The size of the buffer for the bytes of keys.
const RING: usize = 1 << 19;
/// The greatest length of a key that is remembered.
const KEY_MAX: usize = 1 << 10;

/// The batch and the item in which a key was last seen.
pub(super) type LastSeen = (Turn, u32);

/// The keys that were seen recently.
#[derive(Clone, Debug)]
pub(super) struct Recent {
    slots: Vec<Slot>,
    ring: Vec<u8>,
    /// The number of bytes that were ever written to the ring.
    written: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    hash: u64,
    /// The value of [`Recent::written`] before the key was written.
    at: u64,
    /// The length of the key; 0 for an empty slot.
    len: usize,
    seen: LastSeen,
}

impl Recent {
    pub(super) fn new() -> Recent {
        Recent {
            slots: vec![Slot::default(); SLOTS],
            ring: vec![0; RING],
            written: 0,
        }
    }

    /// Returns where `key` was last seen. A key that is not known is remembered as last
    /// seen in `seen`.
    #[inline]
    pub(super) fn look_up(&mut self, hash: u64, key: &[u8], seen: LastSeen) -> Option<LastSeen> {
        if key.len() > KEY_MAX {
            return None;
        }
        let slot = &mut self.slots[(hash >> 20) as usize % SLOTS];
        if slot.hash == hash
            && slot.len == key.len()
            && slot.at + RING as u64 >= self.written + KEY_MAX as u64
        {
            let at = (slot.at % RING as u64) as usize;
            if &self.ring[at..at + slot.len] == key {
                return Some(slot.seen);
            }
        }
        let mut at = (self.written % RING as u64) as usize;
        if at + key.len() > RING {
            self.written += (RING - at) as u64;
            at = 0;
        }
        self.ring[at..at + key.len()].copy_from_slice(key);
        *slot = Slot {
            hash,
            at: self.written,
            len: key.len(),
            seen,
        };
        self.written += key.len() as u64;
        None
    }

    /// Forgets all keys: what comes next stands before them.
    pub(super) fn forget(&mut self) {
        self.written += RING as u64;
    }

    /// Sets where the key with this hash, which [`look_up`](Recent::look_up) found, was
    /// last seen.
    #[inline]
    pub(super) fn see_again(&mut self, hash: u64, seen: LastSeen) {
        self.slots[(hash >> 20) as usize % SLOTS].seen = seen;
    }
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
        for key in [&b"http://a/"[..], &[b'x'; 1000]] {
            for round in 0..3000 {
                assert!(recent.look_up(7, key, (turn(round), 0)).is_none());
                assert!(recent.look_up(7, key, (turn(round), 1)).is_some());
                recent.forget();
            }
        }
    }

    #[test]
    fn only_keys_that_were_seen_are_found() {
        let mut recent = Recent::new();
        let mut seen = std::collections::HashSet::new();
        for i in 0..200_000u64 {
            // Keys that repeat after a few others, and long keys that fill the ring.
            let key = if i % 3 == 0 {
                vec![b'x'; (i % 1500) as usize + 1]
            } else {
                (i % 1000).to_le_bytes().to_vec()
            };
            let hash = key.iter().fold(i % 3 / 2, |h, &b| {
                h.wrapping_mul(0x100_0000_01B3) ^ u64::from(b)
            }) << 20;
            let known = recent.look_up(hash, &key, (turn(i), 0)).is_some();
            assert!(!known || seen.contains(&key));
            seen.insert(key);
        }
    }
}
