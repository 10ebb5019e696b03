//! The order in which findings are reported, and the report of counted classes in that
//! order.

use super::encoded_finding::{put, put_sorted, take, take_text};
use super::end::{End, check_flow};
use super::memory::RunMemory;
use super::mode::Mode;
use super::{Sink, encoded_finding};
use crate::dedup::{Entry, Set};
use crate::item::Finding;
use crate::store::{Sorted, Sorter};
use std::cmp::Ordering;
use std::io;

/// The order in which findings are reported.
///
/// ```
/// use urisieve::engine::{Mode, Sequence, Sieve};
/// let text = b"http://b.example/ http://a.example/ http://a.example/";
/// for (sequence, first) in [
///     (Sequence::Seen, b"http://b.example/"),
///     (Sequence::Sorted, b"http://a.example/"),
///     (Sequence::Frequent, b"http://a.example/"),
/// ] {
///     let mut found = Vec::new();
///     let sieve = Sieve::builder().mode(Mode::Count).sequence(sequence).build();
///     sieve.for_each(text, |f| found.push(f.uri.to_vec()))?;
///     assert_eq!(found[0], first);
/// }
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sequence {
    /// By place: by input, by record of a container, and by position in the record.
    #[default]
    Seen,
    /// The most frequent class first, and classes of equal count in byte order. The same
    /// as `Seen` where nothing is counted.
    Frequent,
    /// By the bytes of the canonical form, then by place. Findings are kept in memory
    /// until the end of the run.
    Sorted,
    /// As they are found. It may differ from run to run which occurrence of a class is
    /// reported, and when. No worker waits for another. The same as `Seen` where lines
    /// are counted or classes are reported at the end.
    Unordered,
}

/// Returns the sequence that was set, or the default of a mode.
pub(super) fn of_mode(sequence: Option<Sequence>, mode: Mode) -> Sequence {
    sequence.unwrap_or(match mode {
        Mode::Count => Sequence::Frequent,
        Mode::All | Mode::Distinct | Mode::Groups => Sequence::Seen,
    })
}

impl Sequence {
    /// Compares two classes. Their canonical forms and positions are computed only when
    /// the result depends on them.
    pub(super) fn compare<K: Ord>(
        self,
        (count_a, uri_a): (u64, impl FnOnce() -> K),
        (count_b, uri_b): (u64, impl FnOnce() -> K),
        positions: impl FnOnce() -> (u64, u64),
    ) -> Ordering {
        let by_uri = || uri_a().cmp(&uri_b());
        match self {
            Sequence::Sorted => by_uri(),
            Sequence::Frequent => count_b.cmp(&count_a).then_with(by_uri),
            Sequence::Seen | Sequence::Unordered => {
                let (position_a, position_b) = positions();
                position_a.cmp(&position_b)
            }
        }
    }
}

/// Which counted classes are reported, and in which order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Classes {
    pub sequence: Sequence,
    /// The number of classes that are reported at most.
    pub top: Option<usize>,
    /// The number of known inputs, which come first: their classes are not reported.
    pub known_inputs: usize,
}

impl Classes {
    /// Sorts `classes` and keeps the first `top`.
    pub(super) fn arrange<T>(self, classes: &mut Vec<T>, order: impl Fn(&T, &T) -> Ordering) {
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
    pub(super) fn report_counts(
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
        self.arrange(&mut entries, |a, b| self.sequence.compare_entries(a, b));
        let mut late = late.map(CountedClasses::into_reader).transpose()?;
        let mut left = self.top.unwrap_or(usize::MAX);
        let mut entries = entries.iter().peekable();
        while left > 0 {
            let next = late.as_ref().and_then(CountedReader::entry);
            let is_late = match (&next, entries.peek()) {
                (Some(late), Some(entry)) => self.sequence.compare_entries(late, entry).is_lt(),
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

impl Sequence {
    /// Compares two counted classes.
    fn compare_entries(self, a: &Entry, b: &Entry) -> Ordering {
        let position = |entry: &Entry| encoded_finding::position(entry.record);
        let positions = || (position(a), position(b));
        self.compare((a.count, || a.key), (b.count, || b.key), positions)
    }
}

type ClassOrder = Box<dyn Fn(&[u8], &[u8]) -> Ordering>;

/// Counted classes that were deferred. They are sorted beyond memory.
pub(super) struct CountedClasses {
    sorter: Sorter<ClassOrder>,
    number: u64,
    entry: Vec<u8>,
    buffer: Vec<u8>,
}

impl CountedClasses {
    pub(super) fn new(sequence: Sequence, memory: &RunMemory) -> CountedClasses {
        let order = move |a: &[u8], b: &[u8]| {
            let (a, b) = (take_class(a), take_class(b));
            sequence.compare_entries(&a, &b)
        };
        CountedClasses {
            sorter: memory.sorter(Box::new(order)),
            number: 0,
            entry: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// Adds a class, whose first occurrence is `finding` at `position`.
    pub(super) fn add(&mut self, position: u64, finding: &Finding) -> io::Result<()> {
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
