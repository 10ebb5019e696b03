//! A set beside keys that are known before the run: their occurrences are not reported. Where
//! classes are only listed, the set comes first, so that each key is asked for once. Where they
//! are counted, the known ones must not get into the set.

use crate::dedup::{Answer, Deferred, Entry, Finished, Key, Keys, KnownKeys};
use crate::dedup::{Late, LateReceiver, Membership, Set};
use crate::engine::error::KnownError;
use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// The memory of the keys whose answers are remembered where classes are counted.
const REMEMBERED: usize = 1 << 20;

/// The number and the bytes of deferred keys that are asked for at a time.
const LATE: usize = 8192;
const LATE_BYTES: usize = 1 << 20;

/// A set that takes keys which are known for keys that it has.
pub(in crate::engine) struct KnownSet {
    set: Box<dyn Membership>,
    known: Arc<dyn KnownKeys>,
    counting: bool,
    /// Keys that are known, and keys that are not, as they were asked for before.
    remembered: [Set; 2],
    keys: Vec<Key>,
    places: Vec<usize>,
    answers: Vec<Answer>,
}

impl KnownSet {
    /// Returns a set that keeps the keys that are not known in `set`, which is counting or not.
    pub(in crate::engine) fn new(
        set: Box<dyn Membership>,
        known: Arc<dyn KnownKeys>,
        counting: bool,
    ) -> KnownSet {
        KnownSet {
            set,
            known,
            counting,
            remembered: [Set::new(), Set::new()],
            keys: Vec::new(),
            places: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// Sets the answers to the keys that are known.
    fn ask_first(&mut self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()> {
        self.keys.clear();
        self.places.clear();
        for (place, key) in keys.iter().enumerate() {
            let bytes = keys.bytes(key);
            answers[place] = match &self.remembered {
                [known, _] if known.contains(key.hash, bytes) => Answer::Known,
                [_, other] if other.contains(key.hash, bytes) => Answer::New,
                _ => {
                    self.keys.push(*key);
                    self.places.push(place);
                    Answer::New
                }
            };
        }
        self.answers.clear();
        self.answers.resize(self.keys.len(), Answer::New);
        let asked = self.known.ask(&keys.only(&self.keys), &mut self.answers);
        asked.map_err(KnownError::of)?;
        for ((key, &place), &answer) in self.keys.iter().zip(&self.places).zip(&self.answers) {
            answers[place] = answer;
            let set = &mut self.remembered[usize::from(answer != Answer::Known)];
            if set.memory() > REMEMBERED {
                *set = Set::new();
            }
            set.insert(key.hash, keys.bytes(key), 1, &[]);
        }
        Ok(())
    }
}

impl Membership for KnownSet {
    fn ask(&mut self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()> {
        if !self.counting {
            self.set.ask(keys, answers)?;
            return match answers.contains(&Answer::New) {
                true => self.known.ask(keys, answers).map_err(KnownError::of),
                false => Ok(()),
            };
        }
        self.ask_first(keys, answers)?;
        self.keys.clear();
        self.places.clear();
        for (place, key) in keys.iter().enumerate() {
            if answers[place] == Answer::New {
                self.keys.push(*key);
                self.places.push(place);
            }
        }
        self.answers.clear();
        self.answers.resize(self.keys.len(), Answer::default());
        self.set.ask(&keys.only(&self.keys), &mut self.answers)?;
        for (&place, &answer) in self.places.iter().zip(&self.answers) {
            answers[place] = answer;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<Finished> {
        let mut finished = self.set.finish()?;
        if !self.counting {
            let known = self.known;
            finished.deferred = finished
                .deferred
                .map(|deferred| Box::new(KnownDeferred { deferred, known }) as Box<dyn Deferred>);
        }
        Ok(finished)
    }
}

/// Deferred keys, some of which may be known.
struct KnownDeferred {
    deferred: Box<dyn Deferred>,
    known: Arc<dyn KnownKeys>,
}

impl Deferred for KnownDeferred {
    fn settle(self: Box<Self>, new: LateReceiver<'_>) -> io::Result<()> {
        let mut waiting = WaitingKeys::default();
        let mut is_ended = false;
        self.deferred.settle(&mut |late| {
            waiting.add(&late);
            let flow = match waiting.is_full() {
                true => waiting.pass_on(&*self.known, new)?,
                false => ControlFlow::Continue(()),
            };
            is_ended = flow.is_break();
            Ok(flow)
        })?;
        if !is_ended {
            let _ = waiting.pass_on(&*self.known, new)?;
        }
        Ok(())
    }
}

/// Keys that are new to the set, until they are asked for.
#[derive(Default)]
struct WaitingKeys {
    bytes: Vec<u8>,
    keys: Vec<Key>,
    /// The number of the first occurrence, the number of occurrences, and the record.
    rests: Vec<(u64, u64, Range<usize>)>,
    answers: Vec<Answer>,
}

impl WaitingKeys {
    fn add(&mut self, late: &Late) {
        let from = self.bytes.len();
        self.bytes.extend_from_slice(late.entry.key);
        let to = self.bytes.len();
        self.bytes.extend_from_slice(late.entry.record);
        self.keys.push(Key {
            from: from as u32,
            to: to as u32,
            number: self.keys.len() as u32,
            ..Key::default()
        });
        let rest = (late.number, late.entry.count, to..self.bytes.len());
        self.rests.push(rest);
    }

    fn is_full(&self) -> bool {
        self.keys.len() >= LATE || self.bytes.len() >= LATE_BYTES
    }

    /// Passes on those that are not known, in their order.
    fn pass_on(
        &mut self,
        known: &dyn KnownKeys,
        new: LateReceiver<'_>,
    ) -> io::Result<ControlFlow<()>> {
        self.answers.clear();
        self.answers.resize(self.keys.len(), Answer::New);
        let asked = known.ask(&Keys::new(&self.bytes, &self.keys), &mut self.answers);
        asked.map_err(KnownError::of)?;
        for ((key, rest), answer) in self.keys.iter().zip(&self.rests).zip(&self.answers) {
            if *answer != Answer::New {
                continue;
            }
            let (number, count, record) = rest.clone();
            let late = Late {
                number,
                entry: Entry {
                    key: &self.bytes[key.from as usize..key.to as usize],
                    count,
                    record: &self.bytes[record],
                },
            };
            if new(late)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        self.bytes.clear();
        self.keys.clear();
        self.rests.clear();
        Ok(ControlFlow::Continue(()))
    }
}
