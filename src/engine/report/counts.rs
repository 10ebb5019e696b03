//! The report of counted classes in their order, also of those that were deferred.

use crate::dedup::{Entry, Set};
use crate::engine::Sink;
use crate::engine::ask::memory::RunMemory;
use crate::engine::ask::sequence::Sequence;
use crate::engine::batches::encoded_finding;
use crate::engine::batches::encoded_finding::{put, put_sorted, take, take_text};
use crate::engine::end::{End, check_flow};
use crate::item::Finding;
use crate::store::{Sorted, Sorter};
use std::cmp::Ordering;
use std::io;

/// Which counted classes are reported, and in which order.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Classes {
    pub sequence: Sequence,
    /// The number of classes that are reported at most.
    pub top: Option<usize>,
    /// The number of known inputs, which come first: their classes are not reported.
    pub known_inputs: usize,
}

impl Classes {
    /// Sorts `classes` and keeps the first `top`.
    pub(in crate::engine) fn arrange<T>(
        self,
        classes: &mut Vec<T>,
        order: impl Fn(&T, &T) -> Ordering,
    ) {
        if let Some(top) = self.top.filter(|&top| top < classes.len()) {
            if top > 0 {
                classes.select_nth_unstable_by(top - 1, &order);
            }
            classes.truncate(top);
        }
        classes.sort_unstable_by(order);
    }

    /// Sets `number` to the number of classes of counting sets and of `late`, and reports
    /// them.
    pub(in crate::engine) fn report_counts(
        self,
        sets: &[&Set],
        late: Option<CountedClasses>,
        sink: &mut dyn Sink,
        number: &mut u64,
    ) -> Result<(), End> {
        let mut entries: Vec<Entry> = sets.iter().flat_map(|set| set.entries()).collect();
        if self.known_inputs > 0 {
            entries.retain(|entry| encoded_finding::read(entry).input >= self.known_inputs);
        }
        *number = entries.len() as u64 + late.as_ref().map_or(0, |late| late.number);
        self.arrange(&mut entries, |a, b| compare_entries(self.sequence, a, b));
        let mut late = late.map(CountedClasses::into_reader).transpose()?;
        let mut left = self.top.unwrap_or(usize::MAX);
        let mut entries = entries.iter().peekable();
        while left > 0 {
            let next = late.as_ref().and_then(CountedReader::entry);
            let is_late = match (&next, entries.peek()) {
                (Some(late), Some(entry)) => compare_entries(self.sequence, late, entry).is_lt(),
                (next, _) => next.is_some(),
            };
            let entry = match is_late {
                true => next,
                false => entries.next().copied(),
            };
            let Some(entry) = entry else { break };
            check_flow(sink.finding(&encoded_finding::read(&entry)))?;
            left -= 1;
            if is_late && let Some(late) = &mut late {
                late.advance()?;
            }
        }
        Ok(())
    }
}

/// Compares two counted classes.
fn compare_entries(sequence: Sequence, a: &Entry, b: &Entry) -> Ordering {
    let position = |entry: &Entry| encoded_finding::position(entry.record);
    let positions = || (position(a), position(b));
    sequence.compare((a.count, || a.key), (b.count, || b.key), positions)
}

type ClassOrder = Box<dyn Fn(&[u8], &[u8]) -> Ordering>;

/// Counted classes that were deferred. They are sorted beyond memory.
pub(in crate::engine) struct CountedClasses {
    sorter: Sorter<ClassOrder>,
    number: u64,
    entry: Vec<u8>,
    buffer: Vec<u8>,
}

impl CountedClasses {
    pub(in crate::engine) fn new(sequence: Sequence, memory: &RunMemory) -> CountedClasses {
        let order = move |a: &[u8], b: &[u8]| {
            let (a, b) = (take_class(a), take_class(b));
            compare_entries(sequence, &a, &b)
        };
        CountedClasses {
            sorter: memory.sorter(Box::new(order)),
            number: 0,
            entry: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// Adds a class, whose first occurrence is `finding` at `position`.
    pub(in crate::engine) fn add(&mut self, position: u64, finding: &Finding) -> io::Result<()> {
        self.entry.clear();
        put(finding.count.unwrap_or_default(), &mut self.entry);
        put_sorted(position, finding, &mut self.entry, &mut self.buffer);
        self.number += 1;
        self.sorter.push(&self.entry)
    }

    fn into_reader(self) -> io::Result<CountedReader> {
        let mut reader = CountedReader {
            sorted: self.sorter.finish()?,
            entry: None,
        };
        reader.advance()?;
        Ok(reader)
    }
}

/// Reads the classes, one at a time.
struct CountedReader {
    sorted: Sorted<ClassOrder>,
    /// The class that is read, encoded.
    entry: Option<Vec<u8>>,
}

impl CountedReader {
    fn entry(&self) -> Option<Entry<'_>> {
        self.entry.as_deref().map(take_class)
    }

    fn advance(&mut self) -> io::Result<()> {
        let mut last = self.entry.take().unwrap_or_default();
        if let Some(entry) = self.sorted.next()? {
            last.clear();
            last.extend_from_slice(entry);
            self.entry = Some(last);
        }
        Ok(())
    }
}

/// Decodes a class that [`CountedClasses::add`] encoded.
fn take_class(mut entry: &[u8]) -> Entry<'_> {
    let count = take(&mut entry);
    let key = take_text(&mut entry);
    Entry {
        key,
        count,
        record: entry,
    }
}
