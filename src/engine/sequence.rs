//! The order in which findings are reported, and the report of counted classes in that
//! order.

use super::end::{End, heed};
use super::mode::Mode;
use super::{Sink, encoded_finding};
use crate::dedup::{Entry, Set};
use std::cmp::Ordering;

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

    /// Sets `number` to the number of classes of counting sets, and reports them.
    pub(super) fn report_counts(
        self,
        sets: &[Set],
        sink: &mut dyn Sink,
        number: &mut u64,
    ) -> Result<(), End> {
        let mut entries: Vec<Entry> = sets.iter().flat_map(Set::entries).collect();
        if self.known_inputs > 0 {
            entries.retain(|entry| encoded_finding::read(entry).input >= self.known_inputs);
        }
        *number = entries.len() as u64;
        self.arrange(&mut entries, |a, b| {
            let positions = || {
                (
                    encoded_finding::position(a.record),
                    encoded_finding::position(b.record),
                )
            };
            self.sequence
                .compare((a.count, || a.key), (b.count, || b.key), positions)
        });
        for entry in &entries {
            heed(sink.finding(&encoded_finding::read(entry)))?;
        }
        Ok(())
    }
}
