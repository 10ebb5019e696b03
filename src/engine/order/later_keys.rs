//! Keys that wait until they are asked for whether they are known: some of them together, or all at
//! the end, in byte order, so that each block of a store is read once.

use crate::dedup::{Answer, Entry, Key, Keys, KnownKeys, Late, LateReceiver};
use crate::engine::ask::memory::{EntryOrder, RunMemory};
use crate::engine::batches::encoded_finding::{put, put_text, take, take_text};
use crate::engine::error::KnownError;
use crate::engine::lock::lock;
use crate::store::{Sorted, Sorter};
use std::cmp::Ordering;
use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::{Mutex, PoisonError};

/// The number and the bytes of deferred keys that are asked for at a time.
const LATE: usize = 8192;
const LATE_BYTES: usize = 1 << 20;

/// Keys that are asked for in byte order at the end: asked for in another order, each of them
/// might need another block of a store.
pub(in crate::engine) struct LaterKeys {
    memory: RunMemory,
    sorter: Option<Sorter<EntryOrder>>,
    entry: Vec<u8>,
}

impl LaterKeys {
    pub(in crate::engine) fn new(memory: &RunMemory) -> LaterKeys {
        LaterKeys {
            memory: memory.clone(),
            sorter: None,
            entry: Vec::new(),
        }
    }

    pub(in crate::engine) fn has_any(&self) -> bool {
        self.sorter.is_some()
    }

    pub(in crate::engine) fn push(&mut self, late: &Late) -> io::Result<()> {
        put_later(late, &mut self.entry);
        let memory = &self.memory;
        let sorter = self.sorter.get_or_insert_with(|| memory.sorter(by_key));
        sorter.push(&self.entry)
    }

    /// Has them asked for with those of others.
    pub(in crate::engine) fn join(self, all: &AllLaterKeys) -> io::Result<()> {
        if let Some(sorter) = self.sorter {
            let sorted = sorter.finish()?;
            lock(&all.0).push(sorted);
        }
        Ok(())
    }
}

/// The keys of all shards that are asked for at the end, together: asked for shard by shard, each
/// shard would need all blocks of a store.
#[derive(Debug, Default)]
pub(in crate::engine) struct AllLaterKeys(Mutex<Vec<Sorted<EntryOrder>>>);

impl AllLaterKeys {
    /// Asks for them, and passes on those that are not known.
    pub(in crate::engine) fn settle(
        self,
        known: &dyn KnownKeys,
        new: LateReceiver<'_>,
    ) -> io::Result<ControlFlow<()>> {
        let sorted = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut sorted = Sorted::merge(sorted, by_key as EntryOrder)?;
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

/// Keys that are new to the set, until they are asked for.
#[derive(Default)]
pub(in crate::engine) struct WaitingKeys {
    bytes: Vec<u8>,
    keys: Vec<Key>,
    /// The number of the first occurrence, the number of occurrences, and the record.
    rests: Vec<(u64, u64, Range<usize>)>,
    answers: Vec<Answer>,
}

impl WaitingKeys {
    pub(in crate::engine) fn add(&mut self, late: &Late) {
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

    pub(in crate::engine) fn is_full(&self) -> bool {
        self.keys.len() >= LATE || self.bytes.len() >= LATE_BYTES
    }

    /// Passes on those that are not known, in their order; to `later`, if it is there, those
    /// for which it takes long to ask now.
    pub(in crate::engine) fn pass_on(
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
