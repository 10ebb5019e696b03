//! An exact set of keys in memory: keys are found by their hashes and always compared
//! byte by byte. A counting set keeps with each key a count and a record of the first
//! occurrence.

use super::arena::Arena;
use super::entries::Entries;
use super::entry::Entry;
use super::keys::{Answer, Keys};
use super::table::{Found, SlotTable};

/// The number of keys whose slots are read before the first of them is looked up.
const TOUCHED: usize = 32;

/// A set of keys. It takes their bytes and, for short keys, at most 24 bytes more for
/// each, also while the set grows.
///
/// ```
/// use urisieve::dedup::{Hasher, Set};
/// let mut set = Set::counting();
/// let hash = Hasher::new().hash(b"urn:a:b");
/// assert!(set.insert(hash, b"urn:a:b", 1, b""));
/// assert!(!set.insert(hash, b"urn:a:b", 2, b""));
/// assert_eq!(set.entries().next().unwrap().count, 3);
/// ```
#[derive(Debug, Default)]
pub struct Set {
    table: SlotTable,
    arena: Arena,
    counting: bool,
}

impl Set {
    /// Returns an empty set of keys without counts and records.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let (mut set, hasher) = (Set::new(), Hasher::new());
    /// let mut is_new = |key: &[u8]| set.insert(hasher.hash(key), key, 1, b"");
    /// assert!(is_new(b"urn:a:b") && is_new(b"urn:a:c") && !is_new(b"urn:a:b"));
    /// ```
    pub fn new() -> Set {
        Set::default()
    }

    /// Returns an empty set that keeps a count and a record with each key.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let (mut set, hasher) = (Set::counting(), Hasher::new());
    /// for key in [b"urn:a:b", b"urn:a:c", b"urn:a:b"] {
    ///     set.insert(hasher.hash(key), key, 1, b"");
    /// }
    /// assert_eq!(set.entries().map(|entry| entry.count).collect::<Vec<_>>(), [2, 1]);
    /// ```
    pub fn counting() -> Set {
        Set {
            counting: true,
            ..Set::default()
        }
    }

    /// Returns the number of keys.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let (mut set, hasher) = (Set::new(), Hasher::new());
    /// for key in [b"urn:a:b", b"urn:a:b"] {
    ///     set.insert(hasher.hash(key), key, 1, b"");
    /// }
    /// assert_eq!(set.len(), 1);
    /// ```
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Returns whether the set has no keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds `key`, whose hash is `hash`, `count` times, and returns whether the key is
    /// new. A counting set keeps `record` when the key is new. Equal keys must have equal
    /// hashes. The set is exact for any other hashes, and fast when they look random.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let mut set = Set::counting();
    /// let hash = Hasher::new().hash(b"urn:a:b");
    /// assert!(set.insert(hash, b"urn:a:b", 3, b"kept"));
    /// assert!(!set.insert(hash, b"urn:a:b", 1, b"not kept"));
    /// assert_eq!(set.entries().next().unwrap().record, b"kept");
    /// ```
    pub fn insert(&mut self, hash: u64, key: &[u8], count: u64, record: &[u8]) -> bool {
        self.add(hash, key, count, |push| push(record))
    }

    /// Returns whether the set has `key`, whose hash is `hash`.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let (mut set, hasher) = (Set::new(), Hasher::new());
    /// set.insert(hasher.hash(b"urn:a:b"), b"urn:a:b", 1, b"");
    /// assert!(set.contains(hasher.hash(b"urn:a:b"), b"urn:a:b"));
    /// assert!(!set.contains(hasher.hash(b"urn:a:c"), b"urn:a:c"));
    /// ```
    pub fn contains(&self, hash: u64, key: &[u8]) -> bool {
        let is_same = |place| self.arena.key(place, self.counting) == key;
        matches!(self.table.find(hash, is_same), Found::Key(_))
    }

    /// Adds a key and returns whether it is new. For a new key of a counting set `keep`
    /// is called, which passes the record on.
    #[inline]
    fn add(
        &mut self,
        hash: u64,
        key: &[u8],
        count: u64,
        keep: impl FnOnce(&mut dyn FnMut(&[u8])),
    ) -> bool {
        let is_same = |place| self.arena.key(place, self.counting) == key;
        let vacant = match self.table.find(hash, is_same) {
            Found::Vacant(vacant) => vacant,
            Found::Key(place) => {
                self.add_again(place, count);
                return false;
            }
        };
        let arena = &mut self.arena;
        let place = match self.counting {
            false => arena.push(key, None),
            true => {
                let mut place = 0;
                keep(&mut |record| place = arena.push(key, Some((count, record))));
                place
            }
        };
        self.table.insert(vacant, hash, place);
        true
    }

    /// Adds a key that the set has at `place`.
    #[inline]
    fn add_again(&mut self, place: u64, count: u64) {
        if self.counting {
            self.arena.add(place, count);
        }
    }

    /// Adds the keys of a batch, in their order, and writes to `answers`, which has the
    /// length of the batch, whether each key is new.
    ///
    /// ```
    /// use urisieve::dedup::{Answer, Key, Keys, Set};
    /// let keys = [Key { to: 7, count: 1, ..Key::default() }; 2];
    /// let mut answers = [Answer::default(); 2];
    /// Set::new().ask(&Keys::new(b"urn:a:b", &keys), &mut answers);
    /// assert_eq!(answers, [Answer::New, Answer::Known]);
    /// ```
    pub fn ask(&mut self, keys: &Keys, answers: &mut [Answer]) {
        let mut record = Vec::new();
        let list = keys.iter().as_slice();
        // Where most keys are new, there is hardly a key to compare them with.
        let mut known = TOUCHED;
        for (list, answers) in list.chunks(TOUCHED).zip(answers.chunks_mut(TOUCHED)) {
            // First all slots are read, then the keys with the same tags, so that the
            // cache misses overlap.
            std::hint::black_box(list.iter().fold(0, |sum, k| sum ^ self.table.peek(k.hash)));
            let mut places = [None; TOUCHED];
            if known > TOUCHED / 8 {
                for (place, key) in places.iter_mut().zip(list) {
                    *place = self.table.first_with_tag(key.hash);
                }
                let first = |place: &Option<u64>| place.map_or(0, |at| self.arena.peek(at));
                std::hint::black_box(places.iter().fold(0, |sum, place| sum ^ first(place)));
            }
            known = 0;
            for ((key, answer), place) in list.iter().zip(answers).zip(places) {
                let (bytes, count) = (keys.bytes(key), u64::from(key.count));
                let is_same = |place: &u64| self.arena.key(*place, self.counting) == bytes;
                let is_new = match place.filter(is_same) {
                    Some(place) => {
                        self.add_again(place, count);
                        false
                    }
                    None => self.add(key.hash, bytes, count, |push| {
                        record.clear();
                        keys.write_record(key, &mut record);
                        push(&record);
                    }),
                };
                known += usize::from(!is_new);
                *answer = match is_new {
                    true => Answer::New,
                    false => Answer::Known,
                };
            }
        }
    }

    /// Returns all entries, in the order in which their keys were added.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let (mut set, hasher) = (Set::new(), Hasher::new());
    /// for key in [b"urn:b:1", b"urn:a:1"] {
    ///     set.insert(hasher.hash(key), key, 1, b"");
    /// }
    /// assert!(set.entries().map(|entry| entry.key).eq([b"urn:b:1", b"urn:a:1"]));
    /// ```
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.arena.entries(self.counting)
    }

    /// Returns the entries and frees the table that looks keys up.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let mut set = Set::new();
    /// set.insert(Hasher::new().hash(b"urn:a:b"), b"urn:a:b", 1, b"");
    /// assert_eq!(set.into_entries().len(), 1);
    /// ```
    pub fn into_entries(self) -> Entries {
        let len = self.len();
        Entries::new(self.arena, self.counting, len)
    }

    /// Returns the number of bytes of memory that the set holds.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let mut set = Set::new();
    /// set.insert(Hasher::new().hash(b"urn:a:b"), b"urn:a:b", 1, b"");
    /// assert!(set.memory() > set.key_bytes());
    /// ```
    pub fn memory(&self) -> usize {
        self.arena.memory() + self.table.memory()
    }

    /// Returns the number of bytes of the keys alone.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let mut set = Set::new();
    /// set.insert(Hasher::new().hash(b"urn:a:b"), b"urn:a:b", 1, b"");
    /// assert_eq!(set.key_bytes(), 7);
    /// ```
    pub fn key_bytes(&self) -> usize {
        self.arena.key_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dedup::{Hasher, Key};
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// The hash itself, and hashes that have few or no random bits.
    fn hashes(hash: u64) -> [u64; 7] {
        [
            hash,
            0,
            u64::MAX,
            hash >> 40,
            hash >> 60,
            hash << 40,
            hash | u64::MAX << 30,
        ]
    }

    proptest! {
        #[test]
        fn agrees_with_a_map(
            keys in proptest::collection::vec(("[ab]{0,3}|[a-z]{0,9}", 0u64..3), 0..600),
        ) {
            let hasher = Hasher::new();
            for kind in 0..hashes(0).len() {
                let mut set = Set::counting();
                let mut map = HashMap::<String, u64>::new();
                for (key, count) in &keys {
                    let key_bytes = key.as_bytes();
                    let hash = hashes(hasher.hash(key_bytes))[kind];
                    let is_new = set.insert(hash, key_bytes, *count, key_bytes);
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
    }

    /// Every key is found again, and no other, for any hashes.
    #[test]
    fn bad_hashes_cost_time_alone() {
        let hasher = Hasher::new();
        for kind in 0..hashes(0).len() {
            let mut set = Set::new();
            for _ in 0..2 {
                for number in 0..3000u64 {
                    let key = number.to_le_bytes();
                    let hash = hashes(hasher.hash(&key))[kind];
                    let is_first = set.len() < 3000;
                    assert_eq!(set.insert(hash, &key, 1, b""), is_first, "{kind} {number}");
                }
            }
            assert_eq!(set.len(), 3000);
        }
    }

    /// Also where other keys have the same hash.
    #[test]
    fn a_batch_is_answered_as_its_keys_are() {
        for kind in 0..hashes(0).len() {
            batches_of_kind(kind);
        }
    }

    fn batches_of_kind(kind: usize) {
        let hasher = Hasher::new();
        let mut bytes = Vec::new();
        let mut keys = Vec::new();
        for number in 0..5000u32 {
            let from = bytes.len() as u32;
            bytes.extend_from_slice(format!("urn:a:{}", number % 1700).as_bytes());
            let hash = hashes(hasher.hash(&bytes[from as usize..]))[kind];
            let to = bytes.len() as u32;
            let count = number % 3 + 1;
            keys.push(Key {
                hash,
                from,
                to,
                number,
                count,
            });
        }
        let records = |number: u32, out: &mut Vec<u8>| out.extend_from_slice(&number.to_le_bytes());
        for size in [1, 7, 32, 33, 5000] {
            let (mut asked, mut inserted) = (Set::counting(), Set::counting());
            let mut answers = Vec::new();
            for list in keys.chunks(size) {
                let mut some = vec![Answer::Deferred; list.len()];
                asked.ask(&Keys::new(&bytes, list).records(&records), &mut some);
                answers.extend(some);
            }
            for (key, answer) in keys.iter().zip(answers) {
                let text = &bytes[key.from as usize..key.to as usize];
                let (count, record) = (u64::from(key.count), key.number.to_le_bytes());
                let is_new = inserted.insert(key.hash, text, count, &record);
                assert_eq!(answer == Answer::New, is_new);
                assert_ne!(answer, Answer::Deferred);
            }
            assert!(asked.entries().eq(inserted.entries()), "{size}");
        }
    }

    #[test]
    fn long_keys_and_many_keys() {
        let hasher = Hasher::new();
        let mut set = Set::new();
        assert!(set.is_empty());
        let long = vec![b'x'; 3 << 20];
        assert!(set.insert(hasher.hash(&long), &long, 1, b""));
        for i in 0..100_000u64 {
            let key = i.to_le_bytes();
            assert!(set.insert(hasher.hash(&key), &key, 1, b""));
        }
        assert!(!set.insert(hasher.hash(&long), &long, 1, b""));
        assert_eq!(set.len(), 100_001);
        assert_eq!(set.entries().count(), 100_001);
        assert!(!set.is_empty() && !set.into_entries().is_empty());
        assert!(Set::new().into_entries().is_empty());
    }
}
