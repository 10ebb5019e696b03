//! The order in which findings are told, and counted classes in that order.

use super::worker::Mode;
use super::{Sink, record};
use crate::dedup::{Entry, Set};
use crate::item::Finding;
use std::cmp::Ordering;
use std::io;

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
///     sieve.slice(text, &mut |f: &urisieve::item::Finding<'_>| told.push(f.uri.to_vec()))?;
///     assert_eq!(told[0], first);
/// }
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sequence {
    /// By place: input, offset.
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
    /// How two classes follow each other.
    pub(super) fn compare(self, a: &Finding, b: &Finding) -> Ordering {
        let by_bytes = || a.uri.cmp(b.uri);
        match self {
            Sequence::Sorted => by_bytes(),
            Sequence::Frequent => b.count.cmp(&a.count).then_with(by_bytes),
            Sequence::Seen | Sequence::Unordered => {
                let number = |f: &Finding| f.warc.map_or(0, |warc| warc.number);
                let place = |f: &Finding| (f.input, number(f), f.offset);
                place(a).cmp(&place(b)).then_with(by_bytes)
            }
        }
    }

    /// Leaves the first `top` of `classes`, in order.
    pub(super) fn arrange<T>(
        self,
        classes: &mut Vec<T>,
        top: Option<usize>,
        finding: impl for<'a> Fn(&'a T) -> Finding<'a>,
    ) {
        let order = |a: &T, b: &T| self.compare(&finding(a), &finding(b));
        if let Some(top) = top.filter(|&top| top < classes.len()) {
            if top > 0 {
                classes.select_nth_unstable_by(top - 1, order);
            }
            classes.truncate(top);
        }
        classes.sort_unstable_by(order);
    }
}

/// Tells the classes of counting sets.
pub(super) fn tell_counts(
    sets: &[Set],
    sequence: Sequence,
    top: Option<usize>,
    sink: &mut dyn Sink,
) -> io::Result<()> {
    let mut entries: Vec<Entry> = sets.iter().flat_map(Set::entries).collect();
    sequence.arrange(&mut entries, top, |entry| record::read(entry));
    entries
        .iter()
        .try_for_each(|entry| sink.finding(&record::read(entry)))
}
