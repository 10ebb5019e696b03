//! A set beside keys that are known before the run: their occurrences are not reported. Where
//! classes are only listed, the set comes first, so that each key is asked for once, and later
//! if asking takes long. Where they are counted, the known ones must not get into the set.

use crate::dedup::{Answer, Deferred, Entry, Finished, Key, Keys, KnownKeys};
use crate::dedup::{Late, LateReceiver, Membership, Set};
use crate::engine::ask::memory::{EntryOrder, RunMemory};
use crate::engine::batches::encoded_finding::{put, put_text, take, take_text};
use crate::engine::error::KnownError;
use crate::store::Sorter;
use std::cmp::Ordering;
use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// The memory of the keys whose answers are remembered where classes are counted.
const REMEMBERED: usize = 1 << 20;

/// The number and the bytes of deferred keys that are asked for at a time.
const LATE: usize = 8192;
const LATE_BYTES: usize = 1 << 20;

/// The least part of a limit of memory for the keys of a set that are asked for later.
const LATER_PART: usize = 4 << 20;

/// A set that takes keys which are known for keys that it has.
pub(in crate::engine) struct KnownSet {
    set: Box<dyn Membership>,
    known: Arc<dyn KnownKeys>,
    counting: bool,
    /// The keys that are asked for later, if they may be.
    later: Option<LaterKeys>,
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
    /// Returns one of `shards` sets that keep the keys that are not known in `set`, which is
    /// counting or not.
    pub(in crate::engine) fn new(
        set: Box<dyn Membership>,
        known: Arc<dyn KnownKeys>,
        counting: bool,
        (memory, shards, records): (&RunMemory, usize, bool),
    ) -> KnownSet {
        let has_room = memory.budget.limit() / shards >= LATER_PART;
        KnownSet {
            set,
            known,
            counting,
            later: (has_room && !counting).then(|| LaterKeys::new(memory)),
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
        if !self.counting {
            self.set.ask(keys, answers)?;
            return match answers.contains(&Answer::New) {
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
        if !self.counting && (finished.deferred.is_some() || waits) {
            finished.deferred = Some(Box::new(KnownDeferred {
                deferred: finished.deferred.take(),
                later: self.later,
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
    known: Arc<dyn KnownKeys>,
}

/// Keys that are asked for in byte order at the end: asked for in another order, each of them
/// might need another block of a store.
struct LaterKeys {
    memory: RunMemory,
    sorter: Option<Sorter<EntryOrder>>,
    entry: Vec<u8>,
}

impl LaterKeys {
    fn new(memory: &RunMemory) -> LaterKeys {
        LaterKeys {
            memory: memory.clone(),
            sorter: None,
            entry: Vec::new(),
        }
    }

    fn has_any(&self) -> bool {
        self.sorter.is_some()
    }

    fn push(&mut self, late: &Late) -> io::Result<()> {
        put_later(late, &mut self.entry);
        let memory = &self.memory;
        let sorter = self.sorter.get_or_insert_with(|| memory.sorter(by_key));
        sorter.push(&self.entry)
    }

    /// Asks for them, and passes on those that are not known.
    fn settle(self, known: &dyn KnownKeys, new: LateReceiver<'_>) -> io::Result<ControlFlow<()>> {
        let Some(sorter) = self.sorter else {
            return Ok(ControlFlow::Continue(()));
        };
        let mut sorted = sorter.finish()?;
        let (mut asked, mut found) = (WaitingKeys::default(), WaitingKeys::default());
        loop {
            let late = sorted.next()?.map(take_late);
            if let Some(late) = &late {
                asked.add(late);
            }
            if late.is_none() || asked.is_full() {
                asked.ask(known, Answer::Deferred)?;
                for at in 0..asked.keys.len() {
                    if asked.answers[at] != Answer::Known {
                        found.add(&asked.late(at));
                    }
                }
                asked.clear();
            }
            // In the order of their numbers there are few runs of them.
            if (late.is_none() || found.is_full()) && found.give(new)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            if late.is_none() {
                return Ok(ControlFlow::Continue(()));
            }
        }
    }
}

/// Appends a key that is asked for later.
fn put_later(late: &Late, out: &mut Vec<u8>) {
    out.clear();
    put_text(late.entry.key, out);
    put(late.number, out);
    put(late.entry.count, out);
    out.extend_from_slice(late.entry.record);
}

/// Decodes a key that [`put_later`] appended.
fn take_late(mut entry: &[u8]) -> Late<'_> {
    let key = take_text(&mut entry);
    let (number, count) = (take(&mut entry), take(&mut entry));
    Late {
        number,
        entry: Entry {
            key,
            count,
            record: entry,
        },
    }
}

/// The order of such keys: each is there once.
fn by_key(mut a: &[u8], mut b: &[u8]) -> Ordering {
    take_text(&mut a).cmp(take_text(&mut b))
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
        match later {
            Some(later) => later.settle(known, new).map(drop),
            None => Ok(()),
        }
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

    /// Passes on those that are not known, in their order; to `later`, if it is there, those
    /// for which it takes long to ask now.
    fn pass_on(
        &mut self,
        known: &dyn KnownKeys,
        mut later: Option<&mut LaterKeys>,
        new: LateReceiver<'_>,
    ) -> io::Result<ControlFlow<()>> {
        if later.is_none() || !self.ask_later(known)? {
            self.ask(known, Answer::New)?;
        }
        for at in 0..self.keys.len() {
            match (self.answers[at], &mut later) {
                (Answer::Known, _) => {}
                (Answer::Deferred, Some(later)) => later.push(&self.late(at))?,
                _ if new(self.late(at))?.is_break() => return Ok(ControlFlow::Break(())),
                _ => {}
            }
        }
        self.clear();
        Ok(ControlFlow::Continue(()))
    }

    /// Asks for all, which may be known, or passed a filter, as the answer `before` says.
    fn ask(&mut self, known: &dyn KnownKeys, before: Answer) -> io::Result<()> {
        self.answers.clear();
        self.answers.resize(self.keys.len(), before);
        let keys = Keys::new(&self.bytes, &self.keys);
        let asked = known.ask(&keys, &mut self.answers);
        asked.map_err(KnownError::of)
    }

    /// Has those deferred that may be known, if it takes long to ask for them now; else returns
    /// false.
    fn ask_later(&mut self, known: &dyn KnownKeys) -> io::Result<bool> {
        self.answers.clear();
        self.answers.resize(self.keys.len(), Answer::New);
        let keys = Keys::new(&self.bytes, &self.keys);
        let asked = known.ask_later(&keys, &mut self.answers);
        asked.map_err(KnownError::of)
    }

    /// Passes on all, in the order of their numbers.
    fn give(&mut self, new: LateReceiver<'_>) -> io::Result<ControlFlow<()>> {
        let mut order: Vec<usize> = (0..self.keys.len()).collect();
        order.sort_unstable_by_key(|&at| self.rests[at].0);
        for at in order {
            if new(self.late(at))?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        self.clear();
        Ok(ControlFlow::Continue(()))
    }

    fn late(&self, at: usize) -> Late<'_> {
        let (key, (number, count, record)) = (&self.keys[at], &self.rests[at]);
        Late {
            number: *number,
            entry: Entry {
                key: &self.bytes[key.from as usize..key.to as usize],
                count: *count,
                record: &self.bytes[record.clone()],
            },
        }
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.keys.clear();
        self.rests.clear();
    }
}
