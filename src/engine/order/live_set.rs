//! A set for a run without end: what was reported becomes known elsewhere, and leaves the set.
//! Keys are in two generations; the older one is dropped when all its keys are known, so that
//! nothing is ever deferred.

use crate::dedup::{Answer, Finished, Key, Keys, KnownKeys, Membership, Set};
use crate::engine::error::KnownError;
use std::io;
use std::sync::Arc;

/// Keys that came one after the other.
#[derive(Default)]
struct Generation {
    set: Set,
    /// The number of findings up to the last of its keys.
    end: u64,
}

/// A set that keeps the keys that are not known yet.
pub(in crate::engine) struct LiveSet {
    known: Arc<dyn KnownKeys>,
    young: Generation,
    old: Generation,
    /// The memory of a generation, as long as older keys become known in time.
    most: usize,
    keys: Vec<Key>,
    places: Vec<usize>,
    answers: Vec<Answer>,
}

impl LiveSet {
    /// Returns an empty set beside keys that grow with the run, of `most` bytes.
    pub(in crate::engine) fn new(known: Arc<dyn KnownKeys>, most: usize) -> LiveSet {
        LiveSet {
            known,
            young: Generation::default(),
            old: Generation::default(),
            most: most / 2,
            keys: Vec::new(),
            places: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// Drops the older keys if they are known, where the younger ones have used up their memory.
    fn make_room(&mut self) {
        if self.young.set.memory() <= self.most {
            return;
        }
        let remembered = self.known.remembered().unwrap_or_default();
        match self.old.set.is_empty() || self.old.end <= remembered {
            true => self.old = std::mem::take(&mut self.young),
            false => self.known.crowded(),
        }
    }
}

impl Membership for LiveSet {
    fn ask(&mut self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()> {
        self.make_room();
        self.keys.clear();
        self.places.clear();
        for (place, key) in keys.iter().enumerate() {
            let bytes = keys.bytes(key);
            let is_old = self.old.set.contains(key.hash, bytes);
            // Known keys are kept, too: they come again.
            let is_new = !is_old && self.young.set.insert(key.hash, bytes, 1, &[]);
            answers[place] = Answer::Known;
            if is_new {
                self.young.end = self.young.end.max(keys.number(key) + 1);
                self.keys.push(*key);
                self.places.push(place);
            }
        }
        self.answers.clear();
        self.answers.resize(self.keys.len(), Answer::New);
        let asked = self.known.ask(&keys.only(&self.keys), &mut self.answers);
        asked.map_err(KnownError::of)?;
        for (&place, &answer) in self.places.iter().zip(&self.answers) {
            answers[place] = answer;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<Finished> {
        Ok(Finished::new(self.young.set))
    }
}
