//! What a run saw, as values that add.

use crate::dedup::Set;
use crate::item::{Problem, Problems};
use std::ops::AddAssign;

/// Counts of a run or of a part of it.
///
/// ```
/// use urisieve::engine::Sieve;
/// let sieve = Sieve::builder().build();
/// let mut stats = sieve.for_each(b"urn:isbn:1 URN:ISBN:1", |_| {})?;
/// assert_eq!((stats.bytes, stats.occurrences, stats.distinct), (21, 2, 1));
/// stats += stats;
/// assert_eq!(stats.occurrences, 4);
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Raw bytes that were searched.
    pub bytes: u64,
    /// Occurrences of URIs.
    pub occurrences: u64,
    /// Classes of equal URIs, where they were distinguished, or parts, where these were
    /// counted; else occurrences.
    pub distinct: u64,
    /// Occurrences that were not selected; they are counted nowhere else.
    pub deselected: u64,
    /// Records of lists whose value is no URI.
    pub not_uris: u64,
    /// References that their format delimits and that are left out, which is no
    /// loss: `javascript:` and the like, those that are empty or only a fragment, and
    /// those that are no URI (F1).
    pub references_dropped: u64,
    /// Relative references without a base, or with one that has no hierarchy.
    pub references_without_base: u64,
    /// Candidates longer than allowed, not reported (B7).
    pub too_long: u64,
    /// Damaged places in containers, and parts that are not read.
    pub damaged: u64,
    /// Those of them where a part was read whole, but its checksum or its length
    /// is wrong.
    pub suspect: u64,
    /// Inputs that are containers which are not unpacked, such as ZIP; they are not
    /// counted as damaged.
    pub unseen: u64,
    /// The sink ended the run with [`Break`](std::ops::ControlFlow::Break). All other
    /// numbers are then those of the blocks that were reported so far, wholly or in part.
    pub stopped: bool,
    /// Keys that were held in memory to the end, to know which come again; not said of
    /// one input.
    pub set_keys: u64,
    /// Bytes of these keys.
    pub set_key_bytes: u64,
    /// Bytes of memory that they took in all, with what is kept beside them. This depends
    /// on the keys of the hash, which differ from run to run.
    pub set_bytes: u64,
    problems: [u64; Problem::ALL.len()],
}

/// Two are equal when they count the same, whatever [`set_bytes`](Stats::set_bytes) are.
impl PartialEq for Stats {
    fn eq(&self, other: &Stats) -> bool {
        let counts = |stats: &Stats| {
            // By name, so that no new field is forgotten.
            let &Stats {
                bytes,
                occurrences,
                distinct,
                deselected,
                not_uris,
                references_dropped,
                references_without_base,
                too_long,
                damaged,
                suspect,
                unseen,
                stopped,
                set_keys,
                set_key_bytes,
                set_bytes: _,
                problems,
            } = stats;
            let found = [bytes, occurrences, distinct, deselected, not_uris];
            let left_out = [references_dropped, references_without_base, too_long];
            let lost = [damaged, suspect, unseen, u64::from(stopped)];
            (found, left_out, lost, [set_keys, set_key_bytes], problems)
        };
        counts(self) == counts(other)
    }
}

impl Eq for Stats {}

impl Stats {
    /// Occurrences with this problem.
    ///
    /// ```
    /// use urisieve::{engine::Sieve, item::Problem};
    /// let sieve = Sieve::builder().build();
    /// let stats = sieve.for_each(b"a http://a.example/100% b", |_| {})?;
    /// assert_eq!(stats.problem(Problem::BadPercent), 1);
    /// # Ok::<(), urisieve::engine::Error>(())
    /// ```
    pub fn problem(&self, problem: Problem) -> u64 {
        self.problems[problem as usize]
    }

    /// Adds the keys of a set.
    pub(super) fn add_set(&mut self, set: &Set) {
        self.set_keys += set.len() as u64;
        self.set_key_bytes += set.key_bytes() as u64;
        self.set_bytes += set.memory() as u64;
    }

    pub(super) fn add_problems(&mut self, problems: Problems) {
        for problem in problems.iter() {
            self.problems[problem as usize] += 1;
        }
    }
}

impl AddAssign for Stats {
    fn add_assign(&mut self, other: Stats) {
        self.bytes += other.bytes;
        self.occurrences += other.occurrences;
        self.distinct += other.distinct;
        self.deselected += other.deselected;
        self.not_uris += other.not_uris;
        self.references_dropped += other.references_dropped;
        self.references_without_base += other.references_without_base;
        self.too_long += other.too_long;
        self.damaged += other.damaged;
        self.suspect += other.suspect;
        self.unseen += other.unseen;
        self.stopped |= other.stopped;
        self.set_keys += other.set_keys;
        self.set_key_bytes += other.set_key_bytes;
        self.set_bytes += other.set_bytes;
        for (sum, more) in self.problems.iter_mut().zip(other.problems) {
            *sum += more;
        }
    }
}
