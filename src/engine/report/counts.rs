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
    /// Returns the first `top` of `classes`, in their order. No more than twice as many are held
    /// at a time.
    pub(in crate::engine) fn arrange<T>(
        self,
        classes: impl Iterator<Item = T>,
        order: impl Fn(&T, &T) -> Ordering,
    ) -> Vec<T> {
        let Some(top) = self.top else {
            let mut all: Vec<T> = classes.collect();
            all.sort_unstable_by(order);
            return all;
        };
        let mut first: Vec<T> = Vec::new();
        let room = top.saturating_mul(2);
        // The last of the first, once there are more.
        let mut is_full = false;
        for class in classes {
            if top == 0 || is_full && order(&class, &first[top - 1]).is_ge() {
                continue;
            }
            first.push(class);
            if first.len() >= room {
                first.select_nth_unstable_by(top - 1, &order);
                first.truncate(top);
                is_full = true;
            }
        }
        first.sort_unstable_by(order);
        first.truncate(top);
        first
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
        let known = self.known_inputs;
        let is_reported = |entry: &Entry| known == 0 || encoded_finding::read(entry).input >= known;
        let entries = sets.iter().flat_map(|set| set.entries());
        *number = late.as_ref().map_or(0, |late| late.number);
        let entries = entries.filter(is_reported).inspect(|_| *number += 1);
        let entries = self.arrange(entries, |a, b| compare_entries(self.sequence, a, b));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_classes_are_those_of_all() {
        for top in [None, Some(0), Some(1), Some(3), Some(200)] {
            let classes = Classes {
                sequence: Sequence::default(),
                top,
                known_inputs: 0,
            };
            for step in [1, 7, 99] {
                let numbers = (0..100u32).map(|number| number * step % 100);
                let first = classes.arrange(numbers, u32::cmp);
                let mut wanted: Vec<_> = (0..100u32).map(|number| number * step % 100).collect();
                wanted.sort_unstable();
                wanted.truncate(top.unwrap_or(usize::MAX));
                assert_eq!(first, wanted, "{top:?} {step}");
            }
        }
    }
}
