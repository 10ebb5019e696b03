//! Findings that wait for the end of the run. Where findings are sorted, all of them wait.
//! Otherwise a finding waits when its key is deferred, because only at the end it is known
//! whether the key is new; everything after the first such finding waits as well. Deferred
//! findings have no key here: the set has it, and gives it back with their positions.

use super::late::{InputStarts, LateReader};
use crate::dedup::{Answer, RecordTail};
use crate::engine::ask::memory::{EntryOrder, RunMemory};
use crate::engine::ask::sequence::Sequence;
use crate::engine::batches::encoded_finding::{
    self as code, put, put_key, put_sorted, take, take_text,
};
use crate::engine::batches::tail_parts::TailParts;
use crate::engine::end::End;
use crate::item::{Context, Finding};
use crate::store::{LogReader, LogWriter, Sorter};
use std::cmp::Ordering;
use std::io;

/// Sorts encoded findings.
pub(in crate::engine) type FindingSorter = Sorter<EntryOrder>;

/// Findings that wait.
#[derive(Debug)]
pub(in crate::engine) struct Kept {
    sequence: Sequence,
    /// Classes are counted: only what is deferred waits here.
    counting: bool,
    /// The data that the set keeps of all occurrences of a key that it defers.
    tail: RecordTail,
    log: LogWriter,
    /// The sink needs only the URIs of findings, which the set has.
    only_uris: bool,
    /// Something is deferred.
    defers: bool,
    /// The context of the last finding of the log, encoded. Most findings have the same
    /// one as the finding before.
    context: Vec<u8>,
    /// The findings that are known to be new, where findings are sorted.
    sorter: Option<FindingSorter>,
    entry: Vec<u8>,
    buffer: Vec<u8>,
}

/// In the place of the length of a context: the same as before, and none.
const SAME: u64 = 0;
const NONE: u64 = 1;

impl Kept {
    pub(in crate::engine) fn new(
        sequence: Sequence,
        (counting, only_uris): (bool, bool),
        memory: &RunMemory,
    ) -> Kept {
        let is_sorted = sequence == Sequence::Sorted && !counting;
        Kept {
            sequence,
            counting,
            tail: RecordTail::default(),
            log: LogWriter::new(&memory.file, &memory.budget),
            only_uris: only_uris && !counting,
            defers: false,
            context: Vec::new(),
            sorter: is_sorted.then(|| memory.sorter(by_key as EntryOrder)),
            entry: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// Sets what the set keeps of all occurrences of a key that it defers.
    pub(in crate::engine) fn with_tail(self, tail: RecordTail) -> Kept {
        Kept { tail, ..self }
    }

    /// Returns whether a finding whose key got this answer waits.
    pub(in crate::engine) fn takes(&self, answer: Answer) -> bool {
        match self.sequence {
            _ if self.counting => answer == Answer::Deferred,
            Sequence::Sorted => answer == Answer::New || !self.only_uris,
            // The set has the whole finding.
            Sequence::Unordered => false,
            Sequence::Seen | Sequence::Frequent => match answer {
                Answer::Deferred => !self.only_uris,
                _ => self.defers,
            },
        }
    }

    /// Says that a finding is deferred.
    pub(in crate::engine) fn defer(&mut self) {
        self.defers = true;
    }

    /// Adds the finding at this position, which is after those of all others.
    pub(in crate::engine) fn add(
        &mut self,
        position: u64,
        finding: &Finding,
        answer: Answer,
    ) -> io::Result<()> {
        self.entry.clear();
        if answer == Answer::New
            && let Some(sorter) = &mut self.sorter
        {
            put_sorted(position, finding, &mut self.entry, &mut self.buffer);
            return sorter.push(&self.entry);
        }
        let Kept {
            log,
            context,
            entry,
            buffer,
            ..
        } = self;
        put(position, entry);
        buffer.clear();
        if !finding.context.is_empty() {
            code::put_context(&finding.context, buffer);
        }
        if buffer == context {
            put(SAME, entry);
        } else {
            put(NONE + buffer.len() as u64, entry);
            entry.extend_from_slice(buffer);
            std::mem::swap(context, buffer);
        }
        if answer == Answer::New {
            put_key(finding, buffer);
            put(buffer.len() as u64 + 1, entry);
            entry.extend_from_slice(buffer);
        } else {
            put(0, entry);
        }
        let without = Finding {
            context: Context::default(),
            ..*finding
        };
        code::put_finding(&without, entry);
        log.push(entry)
    }

    /// Takes everything out.
    pub(in crate::engine) fn take(&mut self, memory: &RunMemory) -> Kept {
        std::mem::replace(self, Kept::new(self.sequence, (true, false), memory))
    }

    /// Ends the log, and returns how it is read.
    pub(in crate::engine) fn into_reader(self) -> io::Result<KeptReader> {
        Ok(self.into_parts()?.0)
    }

    /// Does the same, and also returns the sorter.
    pub(in crate::engine) fn into_parts(self) -> io::Result<(KeptReader, Option<FindingSorter>)> {
        let reader = KeptReader {
            log: self.log.finish()?.read(),
            context: Vec::new(),
            tail: self.tail,
        };
        Ok((reader, self.sorter))
    }
}

/// Reads the findings that wait, in the order of their positions.
pub(in crate::engine) struct KeptReader {
    log: LogReader,
    /// The context of the last finding, encoded.
    context: Vec<u8>,
    tail: RecordTail,
}

impl KeptReader {
    /// Passes to `report` each finding that is new, with its position: those that were
    /// known to be new, and those of `late`, which have the numbers of their occurrences.
    /// Of those that do not wait here, only the URI is known, and by `starts` the input.
    pub(in crate::engine) fn each(
        mut self,
        late: &mut LateReader,
        starts: &InputStarts,
        mut report: impl FnMut(u64, &Finding) -> Result<(), End>,
    ) -> Result<(), End> {
        let mut is_next = late.advance()?;
        while let Some(mut rest) = self.log.next()? {
            let position = take(&mut rest);
            while is_next && late.number() < position {
                report(late.number(), &late.only_uri(starts))?;
                is_next = late.advance()?;
            }
            match take(&mut rest) {
                SAME => {}
                len => {
                    let (context, tail) = rest.split_at(((len - NONE) as usize).min(rest.len()));
                    self.context.clear();
                    self.context.extend_from_slice(context);
                    rest = tail;
                }
            }
            let key_len = take(&mut rest);
            let (key, count) = match key_len.checked_sub(1) {
                Some(len) => {
                    let (key, tail) = rest.split_at((len as usize).min(rest.len()));
                    rest = tail;
                    (key, None)
                }
                None if is_next && late.number() == position => (late.key(), Some(late.count())),
                None => continue,
            };
            let context = match self.context.is_empty() {
                true => Context::default(),
                false => code::take_context(&mut &self.context[..]),
            };
            let mut finding = Finding {
                context,
                count,
                ..code::take_finding(key, rest)
            };
            if count.is_some() {
                TailParts::take(&mut late.record(), self.tail).set(&mut finding);
            }
            report(position, &finding)?;
            if count.is_some() {
                is_next = late.advance()?;
            }
        }
        while is_next {
            report(late.number(), &late.only_uri(starts))?;
            is_next = late.advance()?;
        }
        Ok(())
    }
}

/// Compares encoded findings by their keys, then by their positions.
fn by_key(mut a: &[u8], mut b: &[u8]) -> Ordering {
    let keys = take_text(&mut a).cmp(take_text(&mut b));
    keys.then_with(|| code::position(a).cmp(&code::position(b)))
}
