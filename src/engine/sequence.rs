//! The order in which findings are told, and counted classes in that order.

use super::end::{End, heed};
use super::mode::Mode;
use super::{Sink, record};
use crate::dedup::{Entry, Set};
use std::cmp::Ordering;

/// In which order findings are told.
///
/// ```
/// use urisieve::engine::{Mode, Sequence, Sieve};
/// let text = b"http://b.example/ http://a.example/ http://a.example/";
/// for (sequence, first) in [
///     (Sequence::Seen, b"http://b.example/"),
///     (Sequence::Sorted, b"http://a.example/"),
///     (Sequence::Frequent, b"http://a.example/"),
/// ] {
///     let mut told = Vec::new();
///     let sieve = Sieve::builder().mode(Mode::Count).sequence(sequence).build();
///     sieve.for_each(text, |f| told.push(f.uri.to_vec()))?;
///     assert_eq!(told[0], first);
/// }
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sequence {
    /// By place: input, record of a container, what comes first in it.
    #[default]
    Seen,
    /// The most frequent class first, those of equal count in byte order; where
    /// nothing is counted the same as `Seen`.
    Frequent,
    /// By the bytes of the canonical form, then by place. Findings are kept in
    /// memory until the input ends.
    Sorted,
    /// As they come: it may differ from run to run which occurrence of a class is
    /// told, and when. No worker waits for another. The same as `Seen` where
    /// lines are counted or classes are told at the end.
    Unordered,
}

/// The sequence that was asked for, or that of a mode.
pub(super) fn of_mode(sequence: Option<Sequence>, mode: Mode) -> Sequence {
    sequence.unwrap_or(match mode {
        Mode::Count => Sequence::Frequent,
        Mode::All | Mode::Distinct | Mode::Groups => Sequence::Seen,
    })
}

impl Sequence {
    /// How two classes follow each other, told by count and, only when they matter,
    /// canonical form and position.
    pub(super) fn compare<'u>(
        self,
        (count_a, uri_a): (u64, impl FnOnce() -> &'u [u8]),
        (count_b, uri_b): (u64, impl FnOnce() -> &'u [u8]),
        positions: impl FnOnce() -> (u64, u64),
    ) -> Ordering {
        let by_uri = || uri_a().cmp(uri_b());
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

/// Which counted classes are told, and in which order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Classes {
    pub sequence: Sequence,
    /// Only the first so many.
    pub top: Option<usize>,
    /// Not those that are first seen in one of so many inputs at the beginning.
    pub known: usize,
}

impl Classes {
    /// Leaves the first `top` of `classes`, in order.
    pub(super) fn arrange<T>(self, classes: &mut Vec<T>, order: impl Fn(&T, &T) -> Ordering) {
        if let Some(top) = self.top.filter(|&top| top < classes.len()) {
            if top > 0 {
                classes.select_nth_unstable_by(top - 1, &order);
            }
            classes.truncate(top);
        }
        classes.sort_unstable_by(order);
    }

    /// Reports the classes of counting sets, after their `number`.
    pub(super) fn tell_counts(
        self,
        sets: &[Set],
        sink: &mut dyn Sink,
        number: &mut u64,
    ) -> Result<(), End> {
        let mut entries: Vec<Entry> = sets.iter().flat_map(Set::entries).collect();
        if self.known > 0 {
            entries.retain(|entry| record::read(entry).input >= self.known);
        }
        *number = entries.len() as u64;
        self.arrange(&mut entries, |a, b| {
            let positions = || (record::position(a.record), record::position(b.record));
            self.sequence
                .compare((a.count, || a.key), (b.count, || b.key), positions)
        });
        for entry in &entries {
            heed(sink.finding(&record::read(entry)))?;
        }
        Ok(())
    }
}
