//! Finds the new keys among the deferred ones, one partition after the other. A
//! partition that is larger than the memory is divided again, with fresh hashes.

use super::bounded::BoundedSet;
use super::budget::Charge;
use super::log::{Log, LogReader, split_entry};
use super::partitions::{EntryForm, Occurrence, Partitions};
use super::spill_config::SpillConfig;
use super::varint;
use crate::dedup::{Answer, Deferred, Entry, Hasher, Key, Keys, Late, LateReceiver};
use std::io;
use std::ops::{ControlFlow, Range};

/// The number of keys that a set is asked at a time.
const BATCH: usize = 512;

/// The deferred keys of a set.
#[derive(Debug)]
pub(super) struct Settling {
    config: SpillConfig,
    /// The rest of the work, in reverse, with the depth of each partition.
    partitions: Vec<(Log, u64)>,
}

impl Settling {
    pub(super) fn new(config: SpillConfig, logs: Vec<Log>) -> Settling {
        Settling {
            config,
            partitions: logs.into_iter().rev().map(|log| (log, 1)).collect(),
        }
    }
}

impl Deferred for Settling {
    /// Each pass over a partition passes on keys in the order of their numbers, if that is
    /// the order in which they were deferred.
    fn settle(mut self: Box<Self>, new: LateReceiver<'_>) -> io::Result<()> {
        while let Some((log, depth)) = self.partitions.pop() {
            self.config.counts.pass(depth);
            let pass = Pass::new(&self.config, log.raw_bytes());
            let (rest, flow) = pass.run(log.read(), new)?;
            if flow.is_break() {
                break;
            }
            let rest = rest.into_iter().rev().map(|log| (log, depth + 1));
            self.partitions.extend(rest);
        }
        Ok(())
    }
}

/// One reading of a partition.
struct Pass<'c> {
    config: &'c SpillConfig,
    hasher: Hasher,
    set: BoundedSet,
    /// Taken for the buffers of the partitions before they are needed.
    buffers: Option<Charge>,
    /// The partitions of the keys for which there is no room.
    rest: Option<Partitions>,
    /// The number of keys that were passed on.
    settled: u64,
}

/// Some of the keys of a block.
#[derive(Default)]
struct SomeKeys {
    keys: Vec<Key>,
    /// The number of each key, and where its record is.
    others: Vec<(u64, Range<usize>)>,
    answers: Vec<Answer>,
}

impl SomeKeys {
    /// Reads the next entries of a block, from its unread part `rest`. `last` is the
    /// number of the entry before them.
    fn read(
        &mut self,
        block: &[u8],
        rest: &mut &[u8],
        form: EntryForm,
        hasher: &Hasher,
        last: &mut u64,
    ) {
        self.keys.clear();
        self.others.clear();
        while self.keys.len() < BATCH
            && let Some(entry) = split_entry(rest)
        {
            let it = form.read(entry, last);
            let to = block.len() - rest.len() - it.record.len();
            self.keys.push(Key {
                hash: hasher.hash(it.key),
                from: (to - it.key.len()) as u32,
                to: to as u32,
                number: self.others.len() as u32,
                count: it.count,
            });
            self.others.push((it.number, to..to + it.record.len()));
        }
        self.answers.resize(self.keys.len(), Answer::Known);
    }

    fn memory(&self) -> usize {
        self.keys.capacity() * size_of::<Key>()
            + self.others.capacity() * size_of::<(u64, Range<usize>)>()
            + self.answers.capacity() * size_of::<Answer>()
    }
}

impl Pass<'_> {
    fn new(config: &SpillConfig, raw_bytes: u64) -> Pass<'_> {
        // A partition that is no longer than the least memory seldom has to be divided.
        let buffers = (raw_bytes > config.least() as u64).then(|| {
            let mut charge = Charge::new(&config.budget);
            charge.try_grow(config.buffers());
            charge
        });
        Pass {
            config,
            hasher: Hasher::new(),
            set: BoundedSet::new(&config.budget, config.form(), config.least()),
            buffers,
            rest: None,
            settled: 0,
        }
    }

    /// Reads a partition. Returns the partitions into which the rest was divided.
    fn run(
        mut self,
        mut reader: LogReader,
        new: LateReceiver<'_>,
    ) -> io::Result<(Vec<Log>, ControlFlow<()>)> {
        let form = self.config.form();
        let (mut keys, mut last, mut read) = (SomeKeys::default(), 0, 0);
        let mut charge = Charge::new(&self.config.budget);
        let mut flow = ControlFlow::Continue(());
        while flow.is_continue() {
            let left = reader.raw_bytes_left();
            let Some(block) = reader.next_block()? else {
                break;
            };
            read += block.len() as u64;
            let mut rest = block;
            while flow.is_continue() && !rest.is_empty() {
                keys.read(block, &mut rest, form, &self.hasher, &mut last);
                charge.set(keys.memory());
                self.ask(block, &mut keys);
                if self.set.is_full() && self.rest.is_none() {
                    self.divide(read, left.saturating_sub(block.len() as u64));
                }
                flow = self.pass_on(block, &keys, new)?;
            }
        }
        drop((reader, keys, charge));
        if self.config.counting && flow.is_continue() {
            flow = self.pass_counts_on(new)?;
        }
        self.config.counts.settle(self.settled);
        drop(self.set);
        let rest = match self.rest {
            Some(rest) => rest.finish()?,
            None => Vec::new(),
        };
        Ok((rest, flow))
    }

    /// Has the set answer the keys of a block. The record in the set is the number and then
    /// the record of the key.
    fn ask(&mut self, block: &[u8], keys: &mut SomeKeys) {
        let SomeKeys {
            keys,
            others,
            answers,
        } = keys;
        let record = |number: u32, out: &mut Vec<u8>| {
            let (number, record) = &others[number as usize];
            varint::put(*number, out);
            out.extend_from_slice(&block[record.clone()]);
        };
        self.set
            .ask(&Keys::new(block, keys).records(&record), answers);
    }

    /// Begins the partitions of the rest, after `read` bytes of entries filled the set and
    /// while `left` bytes remain. Their number is such that each is expected to fit.
    fn divide(&mut self, read: u64, left: u64) {
        let SpillConfig {
            partitions,
            file,
            budget,
            ..
        } = self.config;
        let buffers = self.buffers.take();
        let buffers = buffers.unwrap_or_else(|| Charge::new(budget));
        let most = partitions.next_power_of_two().max(2);
        let wanted = usize::try_from(left.div_ceil(read.max(1))).unwrap_or(most);
        let count = wanted.clamp(1, most);
        let form = self.config.form();
        self.rest = Some(Partitions::new(count, form, file, buffers));
    }

    /// Passes the new ones of these keys on, and writes keys for which there is no room to
    /// their partitions.
    fn pass_on(
        &mut self,
        block: &[u8],
        keys: &SomeKeys,
        new: LateReceiver<'_>,
    ) -> io::Result<ControlFlow<()>> {
        for ((key, other), answer) in keys.keys.iter().zip(&keys.others).zip(&keys.answers) {
            let bytes = &block[key.from as usize..key.to as usize];
            let (number, record) = (other.0, &block[other.1.clone()]);
            match (answer, &mut self.rest) {
                (Answer::New, _) if !self.config.counting => {
                    self.settled += 1;
                    let entry = Entry {
                        key: bytes,
                        count: 1,
                        record,
                    };
                    if new(Late { number, entry })?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                (Answer::Deferred, Some(rest)) => {
                    let occurrence = Occurrence {
                        number,
                        count: key.count,
                        key: bytes,
                        record,
                    };
                    rest.push(key.hash, occurrence)?;
                }
                _ => {}
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Passes on the entries of a set that counts.
    fn pass_counts_on(&mut self, new: LateReceiver<'_>) -> io::Result<ControlFlow<()>> {
        for mut entry in self.set.set().entries() {
            self.settled += 1;
            let number = varint::take(&mut entry.record);
            if new(Late { number, entry })?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
