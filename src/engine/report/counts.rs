//! The report of counted classes in their order, also of those that were deferred.

use super::known_classes::{NewEntries, numbered};
use crate::dedup::{Entry, Set};
use crate::engine::ask::memory::RunMemory;
use crate::engine::ask::sequence::Sequence;
use crate::engine::batches::encoded_finding;
use crate::engine::batches::encoded_finding::{put, put_sorted, take, take_text};
use crate::engine::end::{End, check_flow};
use crate::engine::fault;
use crate::engine::lock::lock;
use crate::engine::threads::call_on;
use crate::engine::{Error, Sink};
use crate::item::Finding;
use crate::store::{Sorted, Sorter};
use std::cmp::Ordering;
use std::io;
use std::sync::{Mutex, PoisonError};

/// The fewest classes that several threads choose from; fewer take less time than threads.
const SHARED_LEAST: usize = 1 << 16;

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

    /// Returns the first `top` classes of `sets`, in their order, and the number of all. Where
    /// not all are reported, several threads choose them.
    fn first_entries<'s>(
        self,
        (sets, new): (&[&'s Set], Option<&NewEntries>),
        threads: usize,
    ) -> Result<(Vec<Entry<'s>>, u64), Error> {
        let order = |a: &Entry, b: &Entry| compare_entries(self.sequence, a, b);
        let first_of = |sets: &[(&'s Set, usize)]| {
            let (known, mut number) = (self.known_inputs, 0);
            let is_reported =
                |entry: &Entry| known == 0 || encoded_finding::read(entry).input >= known;
            let is_new = |number: usize| new.is_none_or(|new| new.has(number));
            let entries = sets
                .iter()
                .flat_map(|(set, first)| set.entries().zip(*first..));
            let entries = entries.filter(|(entry, at)| is_new(*at) && is_reported(entry));
            let entries = entries.map(|(entry, _)| entry).inspect(|_| number += 1);
            (self.arrange(entries, order), number)
        };
        let sets = &numbered(sets)[..];
        let classes: usize = sets.iter().map(|(set, _)| set.len()).sum();
        let threads = threads.min(sets.len());
        if self.top.is_none() || threads <= 1 || classes < SHARED_LEAST {
            return Ok(first_of(sets));
        }
        // Sets are taken one by one, so that no thread has all the long ones.
        let left = Mutex::new(sets.chunks(1));
        let done = Mutex::new(Ok((Vec::new(), 0)));
        call_on(threads, &|| {
            let next = || lock(&left).next();
            while let Some(sets) = next() {
                let found = fault::catch(|| first_of(sets));
                let mut done = lock(&done);
                match (&mut *done, found) {
                    (Ok((first, number)), Ok((more, of_more))) => {
                        first.extend(more);
                        *number += of_more;
                    }
                    (Ok(_), Err(panic)) => {
                        *done = Err(panic.error(0, "while classes were compared"))
                    }
                    (Err(_), _) => {}
                }
            }
        })?;
        let (first, number) = done.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        Ok((self.arrange(first.into_iter(), order), number))
    }

    /// Sets `number` to the number of classes of counting sets and of `late`, and reports
    /// them.
    pub(in crate::engine) fn report_counts(
        self,
        (sets, new, threads): (&[&Set], Option<&NewEntries>, usize),
        late: Option<CountedClasses>,
        sink: &mut dyn Sink,
        number: &mut u64,
    ) -> Result<(), End> {
        let first = self.first_entries((sets, new), threads);
        let (entries, in_memory) = first.map_err(End::Failed)?;
        *number = in_memory + late.as_ref().map_or(0, |late| late.number);
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
    use crate::dedup::Hasher;

    #[test]
    fn several_threads_choose_the_same_classes() {
        let (hasher, mut sets) = (Hasher::new(), [(); 5].map(|()| Set::counting()));
        for number in 0..SHARED_LEAST as u64 + 5 {
            let (key, count) = (number.to_be_bytes(), number * 7 % 1009);
            let set = &mut sets[number as usize % 5];
            set.insert(hasher.hash(&key), &key, count, &[0]);
        }
        let sets: Vec<_> = sets.iter().collect();
        let classes = Classes {
            sequence: Sequence::Frequent,
            top: Some(100),
            known_inputs: 0,
        };
        let alone = classes.first_entries((&sets, None), 1).unwrap();
        assert_eq!((alone.0.len(), alone.1), (100, SHARED_LEAST as u64 + 5));
        for threads in [2, 9] {
            assert_eq!(
                classes.first_entries((&sets, None), threads).unwrap(),
                alone
            );
        }
    }

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
