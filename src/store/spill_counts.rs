//! Counts of the keys that sets deferred, for the statistics of a run.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts that several sets add to.
///
/// ```
/// use urisieve::store::SpillCounts;
/// let counts = SpillCounts::default();
/// assert_eq!((counts.deferred(), counts.settled()), (0, 0));
/// assert_eq!((counts.passes(), counts.depth()), (0, 0));
/// ```
#[derive(Debug, Default)]
pub struct SpillCounts {
    deferred: AtomicU64,
    settled: AtomicU64,
    passes: AtomicU64,
    depth: AtomicU64,
}

impl SpillCounts {
    /// Returns the number of occurrences whose keys were deferred.
    pub fn deferred(&self) -> u64 {
        self.deferred.load(Ordering::Relaxed)
    }

    /// Returns the number of deferred keys that were reported as new.
    pub fn settled(&self) -> u64 {
        self.settled.load(Ordering::Relaxed)
    }

    /// Returns the number of partitions, at all depths, that were read.
    pub fn passes(&self) -> u64 {
        self.passes.load(Ordering::Relaxed)
    }

    /// Returns the greatest depth: 1 where each partition fitted into memory, 2 where one of
    /// them had to be divided once more.
    pub fn depth(&self) -> u64 {
        self.depth.load(Ordering::Relaxed)
    }

    pub(super) fn defer(&self, occurrences: u64) {
        self.deferred.fetch_add(occurrences, Ordering::Relaxed);
    }

    pub(super) fn settle(&self, keys: u64) {
        self.settled.fetch_add(keys, Ordering::Relaxed);
    }

    pub(super) fn pass(&self, depth: u64) {
        self.passes.fetch_add(1, Ordering::Relaxed);
        self.depth.fetch_max(depth, Ordering::Relaxed);
    }
}
