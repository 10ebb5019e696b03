//! The store of `enrich`: says which URIs of events are new, and remembers those that are added.
//! Answers cannot wait, so URIs are in memory until they are committed.

use crate::cli::seen::remembered::Stores;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use urisieve::dedup::{Answer, Hasher, Key, Keys, KnownKeys, Set};

/// The memory of the URIs that are not committed, above which a commit is asked for, where the
/// store is committed while events are read.
const MOST: usize = match cfg!(feature = "failpoints") {
    true => 1 << 14,
    false => 64 << 20,
};

/// The URIs of a store, and those that were added since.
pub(super) struct SeenEvents {
    pub stores: Stores,
    known: Arc<dyn KnownKeys>,
    hasher: Hasher,
    /// Those that may not be committed yet.
    added: Set,
    /// The number of all that were added.
    number: u64,
    keys: Vec<Key>,
    answers: Vec<Answer>,
}

impl SeenEvents {
    /// Returns nothing where no store remembers.
    pub(super) fn new(stores: Stores) -> Option<SeenEvents> {
        let known = stores.known()?;
        Some(SeenEvents {
            stores,
            known,
            hasher: Hasher::new(),
            added: Set::new(),
            number: 0,
            keys: Vec::new(),
            answers: Vec::new(),
        })
    }

    /// Notes the URIs at these places of `texts`, which are added to events in this order, and
    /// calls `say` with the number of each that is new.
    ///
    /// # Errors
    /// The store cannot be read, or the temporary file not be written.
    pub(super) fn add(
        &mut self,
        texts: &[u8],
        places: impl Iterator<Item = Range<usize>>,
        mut say: impl FnMut(usize),
    ) -> io::Result<()> {
        let is_committed = |number: u64| number >= self.number;
        if self.known.remembered().is_some_and(is_committed) {
            self.added = Set::new();
        }
        self.keys.clear();
        for (number, place) in places.enumerate() {
            let hash = self.hasher.hash(&texts[place.clone()]);
            if !self.added.contains(hash, &texts[place.clone()]) {
                self.keys.push(Key {
                    hash,
                    from: place.start as u32,
                    to: place.end as u32,
                    number: number as u32,
                    count: 1,
                });
            }
        }
        self.answers.clear();
        self.answers.resize(self.keys.len(), Answer::New);
        let keys = Keys::new(texts, &self.keys);
        self.known.ask(&keys, &mut self.answers)?;
        for (key, answer) in keys.iter().zip(&self.answers) {
            let uri = keys.bytes(key);
            if *answer == Answer::New && self.added.insert(key.hash, uri, 1, b"") {
                self.stores.add_uri(uri)?;
                self.number += 1;
                say(key.number as usize);
            }
        }
        self.known.reported(self.number);
        if self.added.memory() > MOST {
            self.known.crowded();
        }
        Ok(())
    }
}
