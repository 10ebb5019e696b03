//! The order in which findings are reported.

use super::mode::Mode;
use std::cmp::Ordering;

/// The order in which findings are reported.
///
/// ```
/// use urisieve::{Mode, Sequence, Sieve};
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
/// # Ok::<(), urisieve::Error>(())
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
pub(in crate::engine) fn of_mode(sequence: Option<Sequence>, mode: Mode) -> Sequence {
    sequence.unwrap_or(match mode {
        Mode::Count => Sequence::Frequent,
        Mode::All | Mode::Distinct | Mode::Groups => Sequence::Seen,
    })
}

impl Sequence {
    /// Compares two classes. Their canonical forms and positions are computed only when
    /// the result depends on them.
    pub(in crate::engine) fn compare<K: Ord>(
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
