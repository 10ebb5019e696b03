//! Have we seen it? An exact set of keys in memory: bytes are always compared,
//! hashes only say where to look. Keeps with each key, when asked to, a count
//! and a record of its first occurrence. Which keys meet in which set, and in
//! which order, is left to `engine`.

mod arena;
mod entry;

pub use entry::Entry;

use ahash::RandomState;
use arena::Arena;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry as Slot;

/// Hashes keys. Keyed anew for each process, so its values never leave memory:
/// they order, name and store nothing.
///
/// ```
/// use urisieve::dedup::Hasher;
/// let hasher = Hasher::new();
/// assert_eq!(hasher.clone().hash(b"urn:a:b"), hasher.hash(b"urn:a:b"));
/// ```
#[derive(Clone, Debug)]
pub struct Hasher(RandomState);

impl Default for Hasher {
    fn default() -> Hasher {
        Hasher::new()
    }
}

impl Hasher {
    /// A hasher with fresh keys.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let hasher = Hasher::new();
    /// // Sets that share keys share the hasher.
    /// let (left, right) = (Set::new(hasher.clone()), Set::new(hasher));
    /// assert!(left.is_empty() && right.is_empty());
    /// ```
    pub fn new() -> Hasher {
        Hasher(RandomState::new())
    }

    /// The hash of `key`.
    ///
    /// ```
    /// use urisieve::dedup::Hasher;
    /// let hasher = Hasher::new();
    /// let shard = hasher.hash(b"http://a.example/") % 8;
    /// assert_eq!(hasher.hash(b"http://a.example/") % 8, shard);
    /// ```
    #[inline]
    pub fn hash(&self, key: &[u8]) -> u64 {
        self.0.hash_one(key)
    }
}

/// The keys of a set to which none is added any more, with what is kept beside them:
/// without the table that says where to look.
///
/// ```
/// use urisieve::dedup::{Hasher, Set};
/// let hasher = Hasher::new();
/// let mut set = Set::counting(hasher.clone());
/// set.insert(hasher.hash(b"urn:a:b"), b"urn:a:b", 2, b"line 1");
/// let entries = set.into_entries();
/// let place = entries.places().next().unwrap();
/// assert_eq!(entries.at(place).unwrap().key, b"urn:a:b");
/// ```
#[derive(Debug)]
pub struct Entries {
    arena: Arena,
    counting: bool,
    len: usize,
}

impl Entries {
    /// The places of all entries, in the order in which they came. A place is less
    /// than 2 to the 48th.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// assert_eq!(Set::new(Hasher::new()).into_entries().places().count(), 0);
    /// ```
    pub fn places(&self) -> impl Iterator<Item = u64> + '_ {
        self.arena.places(self.counting)
    }

    /// The entry at a place that [`places`](Entries::places) gave; none at others that
    /// lie beyond all entries.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// assert_eq!(Set::new(Hasher::new()).into_entries().at(7), None);
    /// ```
    pub fn at(&self, place: u64) -> Option<Entry<'_>> {
        self.arena.entry(place, self.counting)
    }

    /// How many entries there are.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// assert_eq!(Set::new(Hasher::new()).into_entries().len(), 0);
    /// ```
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// A set of keys. A slot of its table holds 16 bits of the hash and the 48-bit
/// place of the key in an arena: key bytes + about 13 bytes for each key.
///
/// ```
/// use urisieve::dedup::{Hasher, Set};
/// let hasher = Hasher::new();
/// let mut set = Set::counting(hasher.clone());
/// let hash = hasher.hash(b"urn:a:b");
/// assert!(set.insert(hash, b"urn:a:b", 1, b""));
/// assert!(!set.insert(hash, b"urn:a:b", 2, b""));
/// assert_eq!(set.entries().next().unwrap().count, 3);
/// ```
#[derive(Debug)]
pub struct Set {
    table: HashTable<u64>,
    arena: Arena,
    hasher: Hasher,
    counting: bool,
}

/// Bits of a slot that hold the place of the key.
const PLACE_BITS: u32 = 48;

/// The 16 bits of a hash that a slot holds. The table takes its place from the
/// low bits and its own tag from the 7 topmost.
const fn tag(hash: u64) -> u64 {
    hash >> 35 & 0xFFFF
}

impl Set {
    /// A set of keys alone, hashed by `hasher`.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let hasher = Hasher::new();
    /// let mut set = Set::new(hasher.clone());
    /// let mut is_new = |key: &[u8]| set.insert(hasher.hash(key), key, 1, b"");
    /// assert!(is_new(b"urn:a:b") && is_new(b"urn:a:c") && !is_new(b"urn:a:b"));
    /// ```
    pub fn new(hasher: Hasher) -> Set {
        Set {
            table: HashTable::new(),
            arena: Arena::default(),
            hasher,
            counting: false,
        }
    }

    /// A set that keeps a count and a record with each key.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let hasher = Hasher::new();
    /// let mut set = Set::counting(hasher.clone());
    /// for key in [b"urn:a:b", b"urn:a:c", b"urn:a:b"] {
    ///     set.insert(hasher.hash(key), key, 1, b"");
    /// }
    /// assert_eq!(set.entries().map(|entry| entry.count).collect::<Vec<_>>(), [2, 1]);
    /// ```
    pub fn counting(hasher: Hasher) -> Set {
        Set {
            counting: true,
            ..Set::new(hasher)
        }
    }

    /// How many keys there are.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let hasher = Hasher::new();
    /// let mut set = Set::new(hasher.clone());
    /// for key in [b"urn:a:b", b"urn:a:b"] {
    ///     set.insert(hasher.hash(key), key, 1, b"");
    /// }
    /// assert_eq!(set.len(), 1);
    /// ```
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Adds `key`, whose hash by the set's hasher is `hash`, `count` times; true
    /// when it is new. `record` is kept when the set is counting and the key is new.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let hasher = Hasher::new();
    /// let mut set = Set::counting(hasher.clone());
    /// let hash = hasher.hash(b"urn:a:b");
    /// assert!(set.insert(hash, b"urn:a:b", 3, b"kept"));
    /// assert!(!set.insert(hash, b"urn:a:b", 1, b"not kept"));
    /// assert_eq!(set.entries().next().unwrap().record, b"kept");
    /// ```
    pub fn insert(&mut self, hash: u64, key: &[u8], count: u64, record: &[u8]) -> bool {
        let Set {
            table,
            arena,
            hasher,
            counting,
        } = self;
        let wanted = tag(hash);
        let same =
            |&slot: &u64| slot >> PLACE_BITS == wanted && arena.key(place(slot), *counting) == key;
        let rehash = |&slot: &u64| hasher.hash(arena.key(place(slot), *counting));
        match table.entry(hash, same, rehash) {
            Slot::Occupied(slot) => {
                if *counting {
                    arena.add(place(*slot.get()), count);
                }
                false
            }
            Slot::Vacant(slot) => {
                let kept = counting.then_some((count, record));
                let place = arena.push(key, kept);
                slot.insert(wanted << PLACE_BITS | place);
                true
            }
        }
    }

    /// Whether the set has `key`, whose hash by the set's hasher is `hash`.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let hasher = Hasher::new();
    /// let mut set = Set::new(hasher.clone());
    /// set.insert(hasher.hash(b"urn:a:b"), b"urn:a:b", 1, b"");
    /// assert!(set.contains(hasher.hash(b"urn:a:b"), b"urn:a:b"));
    /// assert!(!set.contains(hasher.hash(b"urn:a:c"), b"urn:a:c"));
    /// ```
    pub fn contains(&self, hash: u64, key: &[u8]) -> bool {
        let wanted = tag(hash);
        let same = |&slot: &u64| {
            slot >> PLACE_BITS == wanted && self.arena.key(place(slot), self.counting) == key
        };
        self.table.find(hash, same).is_some()
    }

    /// Every key, in the order in which they came.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let hasher = Hasher::new();
    /// let mut set = Set::new(hasher.clone());
    /// for key in [b"urn:b:1", b"urn:a:1"] {
    ///     set.insert(hasher.hash(key), key, 1, b"");
    /// }
    /// assert!(set.entries().map(|entry| entry.key).eq([b"urn:b:1", b"urn:a:1"]));
    /// ```
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.arena.entries(self.counting)
    }

    /// The keys alone; the table is freed.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let hasher = Hasher::new();
    /// let mut set = Set::new(hasher.clone());
    /// set.insert(hasher.hash(b"urn:a:b"), b"urn:a:b", 1, b"");
    /// assert_eq!(set.into_entries().len(), 1);
    /// ```
    pub fn into_entries(self) -> Entries {
        Entries {
            len: self.len(),
            arena: self.arena,
            counting: self.counting,
        }
    }

    /// Bytes of memory that the set holds.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let hasher = Hasher::new();
    /// let mut set = Set::new(hasher.clone());
    /// set.insert(hasher.hash(b"urn:a:b"), b"urn:a:b", 1, b"");
    /// assert!(set.memory() >= b"urn:a:b".len());
    /// ```
    pub fn memory(&self) -> usize {
        self.arena.memory() + self.table.allocation_size()
    }
}

const fn place(slot: u64) -> u64 {
    slot & ((1 << PLACE_BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn agrees_with_a_map(keys in proptest::collection::vec(("[ab]{0,3}", 0u64..3), 0..300)) {
            let hasher = Hasher::new();
            let mut set = Set::counting(hasher.clone());
            let mut map = HashMap::<String, u64>::new();
            for (key, count) in &keys {
                let key_bytes = key.as_bytes();
                let is_new = set.insert(hasher.hash(key_bytes), key_bytes, *count, key_bytes);
                prop_assert_eq!(is_new, !map.contains_key(key));
                *map.entry(key.clone()).or_default() += count;
            }
            prop_assert_eq!(set.len(), map.len());
            for entry in set.entries() {
                let key = std::str::from_utf8(entry.key).unwrap();
                prop_assert_eq!(map[key], entry.count);
                prop_assert_eq!(entry.key, entry.record);
            }
        }
    }

    #[test]
    fn long_keys_and_many_keys() {
        let hasher = Hasher::new();
        let mut set = Set::new(hasher.clone());
        let long = vec![b'x'; 3 << 20];
        assert!(set.insert(hasher.hash(&long), &long, 1, b""));
        for i in 0..100_000u64 {
            let key = i.to_le_bytes();
            assert!(set.insert(hasher.hash(&key), &key, 1, b""));
        }
        assert!(!set.insert(hasher.hash(&long), &long, 1, b""));
        assert_eq!(set.len(), 100_001);
        assert_eq!(set.entries().count(), 100_001);
    }

    #[test]
    fn keys_of_one_hash_are_told_apart_by_their_bytes() {
        let mut set = Set::new(Hasher::new());
        // Few enough not to grow: growing hashes the keys anew.
        assert!(set.insert(5, b"a", 1, b""));
        assert!(set.insert(5, b"b", 1, b""));
        assert!(!set.insert(5, b"a", 1, b""));
    }
}
