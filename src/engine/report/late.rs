//! The keys that were deferred and are new: every set settles its own, several sets at a
//! time, and what they find is read in the order of the occurrences.

use crate::dedup::{Deferred, Entry, Late};
use crate::engine::ask::memory::{EntryOrder, RunMemory};
use crate::engine::batches::encoded_finding::{self as code, put, put_text, take, take_text};
use crate::engine::error::Error;
use crate::engine::lock::lock;
use crate::engine::threads::share;
use crate::item::Finding;
use crate::store::{Log, LogWriter, Merge};
use std::collections::BTreeMap;
use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::{Mutex, PoisonError};

/// The settings by which deferred keys are settled.
pub(in crate::engine) struct LateSettling<'r> {
    pub threads: usize,
    pub memory: &'r RunMemory,
    /// Whether the rest is left unsettled.
    pub is_cancelled: &'r (dyn Fn() -> bool + Sync),
    /// The input of a position, where findings are in order.
    pub starts: &'r InputStarts,
    /// Whether they are: then the sets have no records.
    pub ordered: bool,
}

/// The deferred keys that are new.
#[derive(Debug, Default)]
pub(in crate::engine) struct SettledKeys {
    /// Each is in the order of the numbers.
    runs: Vec<Log>,
    /// The number of these keys that are first seen in an input.
    pub by_input: BTreeMap<usize, u64>,
    /// Some keys are not settled.
    pub is_cut: bool,
}

/// The beginnings of the inputs: the position of their first finding.
#[derive(Debug, Default)]
pub(in crate::engine) struct InputStarts(Vec<(u64, usize)>);

impl InputStarts {
    /// Says that `input` has a finding at `position`, which is after all others.
    pub(in crate::engine) fn enter(&mut self, position: u64, input: usize) {
        if self.0.last().is_none_or(|last| last.1 != input) {
            self.0.push((position, input));
        }
    }

    fn input_of(&self, position: u64) -> usize {
        let after = self.0.partition_point(|start| start.0 <= position);
        let start = after.checked_sub(1).and_then(|at| self.0.get(at));
        start.map_or(0, |start| start.1)
    }
}

impl LateSettling<'_> {
    /// Settles the keys of all sets.
    ///
    /// # Errors
    /// Errors of the temporary file, of starting threads, and a panic of a set.
    pub(in crate::engine) fn settle(
        &self,
        deferred: Vec<Box<dyn Deferred>>,
    ) -> Result<SettledKeys, Error> {
        let done = Mutex::new(SettledKeys::default());
        let place = "while deferred URIs were compared";
        share((self.threads, place), deferred, |next| {
            let mut settled = SettledRuns::default();
            self.settle_some(next, &mut settled)?;
            let mut done = lock(&done);
            done.runs.append(&mut settled.runs);
            done.is_cut |= settled.is_cut;
            for (input, new) in settled.by_input {
                *done.by_input.entry(input).or_default() += new;
            }
            Ok(())
        })?;
        Ok(done.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Settles one set after the other.
    fn settle_some(
        &self,
        next: &mut dyn FnMut() -> Option<Box<dyn Deferred>>,
        settled: &mut SettledRuns,
    ) -> io::Result<()> {
        let mut buffer = Vec::new();
        loop {
            let Some(deferred) = next() else {
                return settled.end_run();
            };
            if (self.is_cancelled)() {
                settled.is_cut = true;
                continue;
            }
            deferred.settle(&mut |late| {
                let input = match self.ordered {
                    true => self.starts.input_of(late.number),
                    false => code::read(&late.entry).input,
                };
                *settled.by_input.entry(input).or_default() += 1;
                settled.add(&late, self.memory, &mut buffer)?;
                Ok(match (self.is_cancelled)() {
                    false => ControlFlow::Continue(()),
                    true => {
                        settled.is_cut = true;
                        ControlFlow::Break(())
                    }
                })
            })?;
        }
    }
}

/// The keys that one thread settled.
#[derive(Default)]
struct SettledRuns {
    runs: Vec<Log>,
    run: Option<LogWriter>,
    /// The number of the last key of `run`.
    last: u64,
    by_input: BTreeMap<usize, u64>,
    is_cut: bool,
}

impl SettledRuns {
    fn add(&mut self, late: &Late, memory: &RunMemory, buffer: &mut Vec<u8>) -> io::Result<()> {
        if late.number < self.last {
            self.end_run()?;
        }
        self.last = late.number;
        buffer.clear();
        buffer.extend_from_slice(&late.number.to_be_bytes());
        put(late.entry.count, buffer);
        put_text(late.entry.key, buffer);
        buffer.extend_from_slice(late.entry.record);
        self.run
            .get_or_insert_with(|| LogWriter::new(&memory.file, &memory.budget))
            .push(buffer)
    }

    fn end_run(&mut self) -> io::Result<()> {
        if let Some(run) = self.run.take() {
            self.runs.push(run.finish_in_file()?);
        }
        Ok(())
    }
}

impl SettledKeys {
    /// Whether there is one.
    pub(in crate::engine) fn has_some(&self) -> bool {
        !self.runs.is_empty()
    }

    /// Returns the keys in the order of their numbers.
    pub(in crate::engine) fn into_reader(self, memory: &RunMemory) -> io::Result<LateReader> {
        let merge = match self.runs.is_empty() {
            true => None,
            false => Some(memory.merge_by(number_of, self.runs)?),
        };
        Ok(LateReader {
            merge,
            number: 0,
            count: 0,
            key: 0..0,
        })
    }
}

/// Returns the number of a key.
fn number_of(entry: &[u8]) -> u64 {
    entry.first_chunk().map_or(0, |n| u64::from_be_bytes(*n))
}

/// Reads the keys, one at a time.
pub(in crate::engine) struct LateReader {
    merge: Option<Merge<EntryOrder>>,
    number: u64,
    count: u64,
    /// The range of the key in the current entry; its record follows.
    key: Range<usize>,
}

impl LateReader {
    /// Goes to the next key. Returns false after the last one.
    pub(in crate::engine) fn advance(&mut self) -> io::Result<bool> {
        let Some(merge) = &mut self.merge else {
            return Ok(false);
        };
        let Some(entry) = merge.next()? else {
            self.merge = None;
            return Ok(false);
        };
        self.number = number_of(entry);
        let mut rest = entry.get(size_of::<u64>()..).unwrap_or_default();
        self.count = take(&mut rest);
        let key = take_text(&mut rest).len();
        let to = entry.len() - rest.len();
        self.key = to - key..to;
        Ok(true)
    }

    pub(in crate::engine) fn number(&self) -> u64 {
        self.number
    }

    pub(in crate::engine) fn count(&self) -> u64 {
        self.count
    }

    fn entry(&self) -> &[u8] {
        let merge = self.merge.as_ref();
        merge.and_then(Merge::current).unwrap_or_default()
    }

    pub(in crate::engine) fn key(&self) -> &[u8] {
        self.entry().get(self.key.clone()).unwrap_or_default()
    }

    /// Returns what the set kept beside the key.
    pub(in crate::engine) fn record(&self) -> &[u8] {
        self.entry().get(self.key.end..).unwrap_or_default()
    }

    /// Returns a finding that has only the URI and its input.
    pub(in crate::engine) fn only_uri(&self, starts: &InputStarts) -> Finding<'_> {
        let uri = self.key();
        Finding {
            uri,
            original: uri,
            input: starts.input_of(self.number),
            ..Finding::default()
        }
    }

    /// Returns the finding, where the set kept the whole of it.
    pub(in crate::engine) fn finding(&self) -> Finding<'_> {
        code::read(&Entry {
            key: self.key(),
            count: self.count,
            record: self.record(),
        })
    }
}
