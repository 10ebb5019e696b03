//! An exact set of keys in memory: keys are found by their hashes and always compared
//! byte by byte. A counting set keeps with each key a count and a record of the first
//! occurrence.

use super::arena::{Arena, entry_len, overhead_at_most};
use super::entries::Entries;
use super::entry::Entry;
use super::keys::{Answer, Keys};
use super::table::{Found, SlotTable};
use super::tag_filter::TagFilter;
use super::tail::RecordTail;

/// The number of keys whose slots are read before the first of them is looked up.
const TOUCHED: usize = 32;
/// The same for a set that gets no more keys: of most of them no slot is read.
const ABSORBED: usize = 256;

/// A set of keys. The set takes the bytes of its keys and, for short keys, at most 24
/// bytes more for each key, also while it grows. The caller hashes the keys; a set of URIs
/// that does this itself, such as a crawler needs for its frontier, is [`Seen`](crate::Seen).
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
    /// The end of each record, which changes when its key repeats.
    tail: RecordTail,
    /// The record of a key that is not new.
    record: Vec<u8>,
    /// The filter before the table; valid as long as no key is added.
    filter: TagFilter,
}

impl Set {
    /// The most bytes for each key by which [`memory`](Set::memory) grows at the first call of
    /// [`absorb`](Set::absorb).
    ///
    /// ```
    /// assert_eq!(urisieve::dedup::Set::FILTER_BYTES, 2);
    /// ```
    pub const FILTER_BYTES: usize = TagFilter::BYTES;

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

    /// Sets the end of each record of a set that counts, which changes when its key repeats.
    pub(crate) fn with_tail(mut self, tail: RecordTail) -> Set {
        if self.counting {
            self.tail = tail;
        }
        self
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

    /// Adds `count` to the count of `key`, whose hash is `hash`, if the set has the key, and
    /// returns whether it has. `record` appends the record of this occurrence, whose span may
    /// widen that of the record in the set.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let mut set = Set::counting();
    /// let hash = Hasher::new().hash(b"urn:a:b");
    /// assert!(!set.add_known(hash, b"urn:a:b", 1, |_| {}));
    /// set.insert(hash, b"urn:a:b", 1, b"");
    /// assert!(set.add_known(hash, b"urn:a:b", 4, |_| {}));
    /// assert_eq!(set.entries().next().unwrap().count, 5);
    /// ```
    pub fn add_known(
        &mut self,
        hash: u64,
        key: &[u8],
        count: u64,
        record: impl FnOnce(&mut Vec<u8>),
    ) -> bool {
        let is_same = |place| self.arena.key(place, self.counting) == key;
        match self.table.find(hash, is_same) {
            Found::Key(place) => {
                self.add_again(place, count, record);
                true
            }
            Found::Vacant(_) => false,
        }
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
                self.add_again(place, count, |out| {
                    keep(&mut |record| out.extend_from_slice(record));
                });
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
    fn add_again(&mut self, place: u64, count: u64, record: impl FnOnce(&mut Vec<u8>)) {
        if self.tail != RecordTail::default() {
            self.record.clear();
            record(&mut self.record);
            let known = self.arena.record_mut(place);
            if !self.tail.repeat(known, &self.record) {
                return;
            }
        }
        if self.counting {
            self.arena.add(place, count);
        }
    }

    /// Adds the counts of those keys of a batch that the set has. Writes to `answers`, which
    /// has the length of the batch, [`Answer::Known`] for them and [`Answer::Deferred`] for
    /// the others, which are not added.
    ///
    /// ```
    /// use urisieve::dedup::{Answer, Key, Keys, Set};
    /// let keys = [Key { to: 7, count: 1, ..Key::default() }];
    /// let (keys, mut answers) = (Keys::new(b"urn:a:b", &keys), [Answer::New]);
    /// let mut set = Set::new();
    /// set.absorb(&keys, &mut answers);
    /// assert_eq!((answers, set.len()), ([Answer::Deferred], 0));
    /// set.ask(&keys, &mut answers);
    /// set.absorb(&keys, &mut answers);
    /// assert_eq!(answers, [Answer::Known]);
    /// ```
    pub fn absorb(&mut self, keys: &Keys, answers: &mut [Answer]) {
        if self.filter.len() != self.table.len() {
            self.filter = self.table.filter();
        }
        answers.fill(Answer::Deferred);
        let list = keys.iter().as_slice();
        for (list, answers) in list.chunks(ABSORBED).zip(answers.chunks_mut(ABSORBED)) {
            let (mut likely, mut count) = ([0; ABSORBED], 0);
            for (key, at) in list.iter().zip(0..=u8::MAX) {
                likely[count] = at;
                count += usize::from(self.filter.may_have(self.table.tag(key.hash)));
            }
            let likely = likely[..count].iter().map(|&at| usize::from(at));
            // As in `ask`, the cache misses overlap.
            let slots = likely.clone().map(|at| self.table.peek(list[at].hash));
            std::hint::black_box(slots.fold(0, |sum, slot| sum ^ slot));
            let mut places = [None; ABSORBED];
            for (place, at) in places.iter_mut().zip(likely.clone()) {
                *place = self.table.first_with_tag(list[at].hash);
            }
            let places = &places[..count];
            let first = |place: &Option<u64>| place.map_or(0, |at| self.arena.peek(at));
            std::hint::black_box(places.iter().fold(0, |sum, place| sum ^ first(place)));
            for (&place, at) in places.iter().zip(likely) {
                let (bytes, count) = (keys.bytes(&list[at]), u64::from(list[at].count));
                let is_known = match place {
                    Some(place) if self.arena.key(place, self.counting) == bytes => {
                        self.add_again(place, count, |out| keys.write_record(&list[at], out));
                        true
                    }
                    Some(_) => self.add_known(list[at].hash, bytes, count, |out| {
                        keys.write_record(&list[at], out);
                    }),
                    None => false,
                };
                if is_known {
                    answers[at] = Answer::Known;
                }
            }
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
        // If most keys are new, few stored keys have to be compared.
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
                        self.add_again(place, count, |out| keys.write_record(key, out));
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
        self.arena.memory() + self.table.memory() + self.filter.memory()
    }

    /// Returns the number of bytes by which [`memory`](Set::memory) grows when a key with
    /// this hash, which the set does not have, is added.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let mut set = Set::new();
    /// let hash = Hasher::new().hash(b"urn:a:b");
    /// let (before, growth) = (set.memory(), set.growth(hash, 7, 0));
    /// set.insert(hash, b"urn:a:b", 1, b"");
    /// assert_eq!(set.memory() - before, growth);
    /// ```
    pub fn growth(&self, hash: u64, key_len: usize, record_len: usize) -> usize {
        let need = entry_len(key_len, self.counting.then_some(record_len));
        self.arena.growth(need) + self.table.growth(hash, self.arena.next_place(need))
    }

    /// Returns at most by how many bytes [`memory`](Set::memory) grows when this number of
    /// keys is added, with this number of bytes of all keys and of all records. Hashes that
    /// do not look random may make it grow more.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let (mut set, hasher) = (Set::new(), Hasher::new());
    /// let (before, most) = (set.memory(), set.growth_at_most(2, 14, 0));
    /// for key in [b"urn:a:b", b"urn:a:c"] {
    ///     set.insert(hasher.hash(key), key, 1, b"");
    /// }
    /// assert!(set.memory() - before <= most);
    /// ```
    pub fn growth_at_most(&self, keys: usize, key_bytes: usize, record_bytes: usize) -> usize {
        let need = key_bytes.saturating_add(overhead_at_most(keys, self.counting));
        let need = need.saturating_add(if self.counting { record_bytes } else { 0 });
        let arena = self.arena.growth_at_most(keys, need);
        arena.saturating_add(self.table.growth_at_most(keys))
    }

    /// Returns the number of bytes of the keys, without other memory.
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
    use super::super::span::VALUE_LEN;
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

    /// Holds also if other keys have the same hash.
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

    /// Adds keys one by one and asserts that the growth is known before.
    fn growth_of_kind(kind: usize, counting: bool, keys: u64) {
        let hasher = Hasher::new();
        let mut set = match counting {
            true => Set::counting(),
            false => Set::new(),
        };
        let text = [b'x'; 9000];
        for number in 0..keys {
            let len = match number % 1000 {
                999 => 9000,
                998 => 0,
                rest => rest as usize * 7 % 90,
            };
            let key = [&number.to_le_bytes(), &text[..len]].concat();
            let record = &text[..len / 3];
            let hash = hashes(hasher.hash(&key))[kind];
            let (before, growth) = (set.memory(), set.growth(hash, key.len(), record.len()));
            let most = set.growth_at_most(1, key.len(), record.len());
            assert!(set.insert(hash, &key, 1, record));
            assert_eq!(set.memory() - before, growth, "{kind} {number}");
            assert!(kind > 0 || growth <= most, "{number}: {growth} > {most}");
        }
        assert_eq!(set.memory(), set.arena.memory() + set.table.counted());
    }

    /// Holds also if pages are split, the directory grows, or a chunk is begun.
    #[test]
    fn growth_is_known_before() {
        for counting in [false, true] {
            growth_of_kind(0, counting, 120_000);
            (1..hashes(0).len()).for_each(|kind| growth_of_kind(kind, counting, 3000));
        }
    }

    #[test]
    fn a_batch_grows_no_more_than_was_said() {
        let hasher = Hasher::new();
        for counting in [false, true] {
            for size in [1, 2, 10, 62, 400, 5000, 60_000] {
                let mut set = match counting {
                    true => Set::counting(),
                    false => Set::new(),
                };
                let mut number = 0u64;
                while number < 150_000 && number < 4000 * size {
                    let batch: Vec<_> = (number..number + size)
                        .map(|n| [&n.to_le_bytes()[..], &[b'x'; 100][..n as usize % 90]].concat())
                        .collect();
                    let key_bytes = batch.iter().map(Vec::len).sum();
                    let most = set.growth_at_most(batch.len(), key_bytes, 2 * batch.len());
                    let before = set.memory();
                    for key in &batch {
                        set.insert(hasher.hash(key), key, 1, b"ab");
                    }
                    let grown = set.memory() - before;
                    assert!(grown <= most, "{size} {number}: {grown} > {most}");
                    // A set that is not empty need not reserve many times its size.
                    assert!(
                        most <= 4 * set.memory() + (16 << 10) * size as usize,
                        "{most}"
                    );
                    number += size;
                }
            }
        }
    }

    /// The keys that the set has are known, with their counts; no other is added.
    #[test]
    fn known_keys_are_absorbed() {
        for kind in 0..hashes(0).len() {
            let hasher = Hasher::new();
            let (mut set, mut expected) = (Set::counting(), Set::counting());
            let (mut bytes, mut keys) = (Vec::new(), Vec::new());
            for number in 0..1000u32 {
                let from = bytes.len() as u32;
                bytes.extend_from_slice(format!("urn:a:{}", number % 700).as_bytes());
                let key = &bytes[from as usize..];
                let hash = hashes(hasher.hash(key))[kind];
                let (to, count) = (bytes.len() as u32, number % 3 + 1);
                if number % 2 == 0 && number < 700 {
                    set.insert(hash, key, 1, b"");
                    expected.insert(hash, key, 1, b"");
                }
                keys.push(Key {
                    hash,
                    from,
                    to,
                    number,
                    count,
                });
            }
            let mut answers = vec![Answer::New; keys.len()];
            set.absorb(&Keys::new(&bytes, &keys), &mut answers);
            for (key, answer) in keys.iter().zip(answers) {
                let text = &bytes[key.from as usize..key.to as usize];
                let known = expected.contains(key.hash, text);
                assert_eq!(known, key.number % 700 % 2 == 0);
                assert_eq!(
                    expected.add_known(key.hash, text, key.count.into(), |_| {}),
                    known
                );
                assert_eq!(answer == Answer::Known, known);
                assert_eq!(answer == Answer::Deferred, !known);
            }
            assert!(set.entries().eq(expected.entries()));
        }
    }

    /// Spans are those of all records, however the keys are added.
    #[test]
    fn spans_are_widened() {
        let hasher = Hasher::new();
        let (bytes, mut keys) = (b"urn:a:burn:a:c", Vec::new());
        for number in 0..200u32 {
            let (from, to) = (number % 2 * 7, number % 2 * 7 + 7);
            let hash = hasher.hash(&bytes[from as usize..to as usize]);
            let count = 1;
            keys.push(Key {
                hash,
                from,
                to,
                number,
                count,
            });
        }
        let value = |number: u32| [(number * 7 % 200) as u8; VALUE_LEN];
        let records = |number: u32, out: &mut Vec<u8>| {
            out.extend_from_slice(&[7; 3][..number as usize % 4 % 3]);
            out.extend_from_slice(&[value(number), value(number)].concat());
        };
        let record = |key: &Key| {
            let mut record = Vec::new();
            records(key.number, &mut record);
            record
        };
        for way in 0..3 {
            let tail = RecordTail {
                unit: false,
                inputs: false,
                span: true,
            };
            let mut set = Set::counting().with_tail(tail);
            let (first, rest) = keys.split_at(2);
            set.ask(
                &Keys::new(bytes, first).records(&records),
                &mut [Answer::New; 2],
            );
            let all = Keys::new(bytes, rest).records(&records);
            let mut answers = vec![Answer::New; rest.len()];
            match way {
                0 => set.ask(&all, &mut answers),
                1 => set.absorb(&all, &mut answers),
                _ => rest.iter().for_each(|key| {
                    assert!(!set.insert(key.hash, all.bytes(key), 1, &record(key)));
                }),
            }
            for (entry, odd) in set.entries().zip(0..) {
                assert_eq!(entry.count, 100);
                let of_key = keys.iter().filter(|key| key.number % 2 == odd);
                let values = of_key.map(|key| value(key.number)).collect::<Vec<_>>();
                let (least, greatest) = (values.iter().min(), values.iter().max());
                let wanted = [*least.unwrap(), *greatest.unwrap()].concat();
                assert!(entry.record.ends_with(&wanted), "{way}");
            }
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
