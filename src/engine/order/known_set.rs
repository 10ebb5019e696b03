//! A set beside keys that are known before the run: their occurrences are not reported. The set
//! comes first, so that each key is asked for once, and later if asking takes long: where classes
//! are counted, when all are. Spellings of known classes must not get into a set.

use super::later_keys::{AllLaterKeys, LaterKeys, WaitingKeys};
use crate::dedup::{Answer, Deferred, Entry, Finished, Key, Keys, KnownKeys};
use crate::dedup::{Late, LateReceiver, Membership, Set};
use crate::engine::ask::memory::RunMemory;
use crate::engine::error::KnownError;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The memory of the keys whose answers are remembered where they are asked for before the set.
const REMEMBERED: usize = 1 << 20;

/// The least part of a limit of memory for the keys of a set that are asked for later.
const LATER_PART: usize = 4 << 20;

/// When keys are asked for whether they are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum KnownTurn {
    /// When they are new to the set.
    AfterSet,
    /// When all are counted. Those in memory are asked for elsewhere.
    AtEnd,
    /// Before the set has them.
    BeforeSet,
}

/// A set that takes keys which are known for keys that it has.
pub(in crate::engine) struct KnownSet {
    set: Box<dyn Membership>,
    known: Arc<dyn KnownKeys>,
    turn: KnownTurn,
    /// The keys that are asked for later, if they may be.
    later: Option<LaterKeys>,
    all_later: Arc<AllLaterKeys>,
    /// Whether deferred keys come back with their records.
    records: bool,
    before: Vec<Answer>,
    record: Vec<u8>,
    /// Keys that are known, and keys that are not, as they were asked for before.
    remembered: [Set; 2],
    keys: Vec<Key>,
    places: Vec<usize>,
    answers: Vec<Answer>,
}

impl KnownSet {
    /// Returns one of `shards` sets that keep the keys that are not known in `set`. They share
    /// `all_later`.
    pub(in crate::engine) fn new(
        set: Box<dyn Membership>,
        (known, all_later): (Arc<dyn KnownKeys>, &Arc<AllLaterKeys>),
        turn: KnownTurn,
        (memory, shards, records): (&RunMemory, usize, bool),
    ) -> KnownSet {
        let has_room = memory.budget.limit() / shards >= LATER_PART;
        let asks_later = has_room && turn != KnownTurn::BeforeSet;
        KnownSet {
            set,
            known,
            turn,
            later: asks_later.then(|| LaterKeys::new(memory)),
            all_later: Arc::clone(all_later),
            records,
            before: Vec::new(),
            record: Vec::new(),
            remembered: [Set::new(), Set::new()],
            keys: Vec::new(),
            places: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// Asks for the keys that are new to the set, now or later.
    fn ask_known(&mut self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()> {
        let Some(later) = &mut self.later else {
            return self.known.ask(keys, answers).map_err(KnownError::of);
        };
        self.before.clear();
        self.before.extend_from_slice(answers);
        if !self
            .known
            .ask_later(keys, answers)
            .map_err(KnownError::of)?
        {
            return self.known.ask(keys, answers).map_err(KnownError::of);
        }
        let asked = keys.iter().zip(&self.before).zip(answers);
        for ((key, before), answer) in asked {
            if *before != Answer::New || *answer != Answer::Deferred {
                continue;
            }
            self.record.clear();
            if self.records {
                keys.write_record(key, &mut self.record);
            }
            later.push(&Late {
                number: keys.number(key),
                entry: Entry {
                    key: keys.bytes(key),
                    count: u64::from(key.count),
                    record: &self.record,
                },
            })?;
        }
        Ok(())
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
        if self.turn != KnownTurn::BeforeSet {
            self.set.ask(keys, answers)?;
            let is_asked = self.turn == KnownTurn::AfterSet && answers.contains(&Answer::New);
            return match is_asked {
                true => self.ask_known(keys, answers),
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
        let waits = self.later.as_ref().is_some_and(LaterKeys::has_any);
        let is_asked = self.turn != KnownTurn::BeforeSet;
        if is_asked && (finished.deferred.is_some() || waits) {
            finished.deferred = Some(Box::new(KnownDeferred {
                deferred: finished.deferred.take(),
                later: self.later,
                all_later: self.all_later,
                known: self.known,
            }));
        }
        Ok(finished)
    }
}

/// Deferred keys, some of which may be known.
struct KnownDeferred {
    /// Those of the set.
    deferred: Option<Box<dyn Deferred>>,
    /// Those that are in the set, and may be known; those of the set join them.
    later: Option<LaterKeys>,
    all_later: Arc<AllLaterKeys>,
    known: Arc<dyn KnownKeys>,
}

impl Deferred for KnownDeferred {
    fn settle(self: Box<Self>, new: LateReceiver<'_>) -> io::Result<()> {
        let (known, mut later) = (&*self.known, self.later);
        if let Some(deferred) = self.deferred {
            let mut waiting = WaitingKeys::default();
            let mut is_ended = false;
            deferred.settle(&mut |late| {
                waiting.add(&late);
                let flow = match waiting.is_full() {
                    true => waiting.pass_on(known, later.as_mut(), new)?,
                    false => ControlFlow::Continue(()),
                };
                is_ended = flow.is_break();
                Ok(flow)
            })?;
            if is_ended || waiting.pass_on(known, later.as_mut(), new)?.is_break() {
                return Ok(());
            }
        }
        if let Some(later) = later {
            later.join(&self.all_later)?;
        }
        // The last shard asks for the keys of all.
        match Arc::into_inner(self.all_later) {
            Some(all) => all.settle(known, new).map(drop),
            None => Ok(()),
        }
    }
}
