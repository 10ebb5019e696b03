//! Classes with their spellings beyond memory, where some spellings were deferred:
//! `groups` does the same in memory. All spellings are sorted by their class, and the
//! classes that this gives are sorted as they are reported.

use super::counts::Classes;
use super::groups::{report_group, spelling_of};
use crate::dedup::Entry;
use crate::engine::Sink;
use crate::engine::ask::memory::{EntryOrder, RunMemory};
use crate::engine::batches::encoded_finding::{
    self, put, put_key, put_sorted, put_text, take, take_sorted, take_text,
};
use crate::engine::end::End;
use crate::engine::read::reasons::Reasons;
use crate::item::Finding;
use crate::store::Sorter;
use std::cmp::Ordering;
use std::io;

/// Spellings on their way to their classes.
pub(in crate::engine) struct SortedSpellings {
    sorter: Sorter<EntryOrder>,
    entry: Vec<u8>,
    buffer: Vec<u8>,
}

/// A spelling: the number of its occurrences, and the first one with its position.
struct SpellingEntry<'e> {
    count: u64,
    position: u64,
    first: Finding<'e>,
}

/// The spellings of one class, encoded one after the other, each with its length.
#[derive(Default)]
struct OpenClass {
    spellings: Vec<u8>,
    /// The one that is seen first.
    first: Vec<u8>,
    position: u64,
    count: u64,
    number: u64,
}

impl SortedSpellings {
    pub(in crate::engine) fn new(memory: &RunMemory) -> SortedSpellings {
        SortedSpellings {
            sorter: memory.sorter(by_class as EntryOrder),
            entry: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// Adds a spelling that was counted in memory.
    pub(in crate::engine) fn add_entry(&mut self, entry: &Entry) -> io::Result<()> {
        let position = encoded_finding::position(entry.record);
        self.add(position, &encoded_finding::read(entry))
    }

    /// Adds a spelling whose first occurrence is `spelled` at `position`.
    pub(in crate::engine) fn add(&mut self, position: u64, spelled: &Finding) -> io::Result<()> {
        self.entry.clear();
        put_key(&spelling_of(*spelled), &mut self.buffer);
        put_text(&self.buffer, &mut self.entry);
        put(spelled.count.unwrap_or_default(), &mut self.entry);
        put(position, &mut self.entry);
        put_sorted(position, spelled, &mut self.entry, &mut self.buffer);
        self.sorter.push(&self.entry)
    }

    /// Sets `number` to the number of the classes, and reports them.
    pub(in crate::engine) fn report(
        self,
        classes: Classes,
        memory: &RunMemory,
        reasons: Option<&Reasons>,
        sink: &mut dyn Sink,
        number: &mut u64,
    ) -> Result<(), End> {
        let order = move |a: &[u8], b: &[u8]| {
            let (a, b) = (take_group(a), take_group(b));
            let (class_a, class_b) = (|| class_of(a.first), || class_of(b.first));
            let positions = || (a.position, b.position);
            let sequence = classes.sequence;
            sequence.compare((a.count, class_a), (b.count, class_b), positions)
        };
        let mut groups = memory.sorter(order);
        let mut spelled = self.sorter.finish()?;
        let mut open = OpenClass::default();
        *number = 0;
        let mut add = |open: &mut OpenClass, buffer: &mut Vec<u8>| -> io::Result<()> {
            let is_known =
                open.number == 0 || take_spelled(&open.first).first.input < classes.known_inputs;
            if !is_known {
                *number += 1;
                buffer.clear();
                open.close(buffer);
                groups.push(buffer)?;
            }
            open.begin();
            Ok(())
        };
        let mut buffer = Vec::new();
        while let Some(entry) = spelled.next()? {
            if open.number > 0 && by_class(&open.first, entry).is_ne() {
                add(&mut open, &mut buffer)?;
            }
            open.add(entry);
        }
        add(&mut open, &mut buffer)?;
        drop(spelled);
        let mut groups = groups.finish()?;
        let mut left = classes.top.unwrap_or(usize::MAX);
        while left > 0
            && let Some(group) = groups.next()?
        {
            left -= 1;
            let group = take_group(group);
            let class = Finding {
                count: Some(group.count),
                ..take_spelled(group.first).first
            };
            report_group(&class, SpelledIn(group.spellings), reasons, sink)?;
        }
        Ok(())
    }
}

impl OpenClass {
    fn begin(&mut self) {
        self.spellings.clear();
        self.first.clear();
        (self.position, self.count, self.number) = (0, 0, 0);
    }

    fn add(&mut self, entry: &[u8]) {
        let spelled = take_spelled(entry);
        if self.number == 0 || spelled.position < self.position {
            self.position = spelled.position;
            self.first.clear();
            self.first.extend_from_slice(entry);
        }
        self.number += 1;
        self.count += spelled.count;
        put_text(entry, &mut self.spellings);
    }

    fn close(&self, out: &mut Vec<u8>) {
        put(self.count, out);
        put(self.position, out);
        put_text(&self.first, out);
        out.extend_from_slice(&self.spellings);
    }
}

/// A class that is complete.
struct ClosedClass<'e> {
    count: u64,
    position: u64,
    /// The spelling that is seen first, encoded.
    first: &'e [u8],
    spellings: &'e [u8],
}

fn take_group(mut entry: &[u8]) -> ClosedClass<'_> {
    ClosedClass {
        count: take(&mut entry),
        position: take(&mut entry),
        first: take_text(&mut entry),
        spellings: entry,
    }
}

fn take_spelled(mut entry: &[u8]) -> SpellingEntry<'_> {
    take_text(&mut entry);
    SpellingEntry {
        count: take(&mut entry),
        position: take(&mut entry),
        first: spelling_of(take_sorted(entry)),
    }
}

/// Returns the class of an encoded spelling: the source, where links are reported, and the
/// canonical form.
fn class_of(mut entry: &[u8]) -> &[u8] {
    take_text(&mut entry)
}

/// Compares spellings by their classes.
fn by_class(a: &[u8], b: &[u8]) -> Ordering {
    class_of(a).cmp(class_of(b))
}

/// The spellings of a class.
#[derive(Clone)]
struct SpelledIn<'e>(&'e [u8]);

impl<'e> Iterator for SpelledIn<'e> {
    type Item = (Finding<'e>, u64);

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let spelled = take_spelled(take_text(&mut self.0));
        Some((spelled.first, spelled.count))
    }
}
