//! The progress of a run, which other threads may read while it continues.

use crate::engine::Stats;
use std::sync::atomic::{AtomicU64, Ordering};

/// The counts of a run in progress: what the sink was given so far.
///
/// ```
/// use std::sync::Arc;
/// use urisieve::{Progress, Sieve};
/// let progress = Arc::new(Progress::default());
/// let sieve = Sieve::builder().progress(Arc::clone(&progress)).build();
/// sieve.for_each(b"urn:a-b:c urn:a-b:c", |_| {})?;
/// assert_eq!((progress.bytes(), progress.occurrences(), progress.distinct()), (19, 2, 1));
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Progress {
    bytes: AtomicU64,
    stored: AtomicU64,
    occurrences: AtomicU64,
    distinct: AtomicU64,
}

impl Progress {
    /// Raw bytes that were searched.
    ///
    /// ```
    /// assert_eq!(urisieve::Progress::default().bytes(), 0);
    /// ```
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Bytes of the inputs as they are stored, compressed or not, that were read for
    /// it.
    ///
    /// ```
    /// assert_eq!(urisieve::Progress::default().stored(), 0);
    /// ```
    pub fn stored(&self) -> u64 {
        self.stored.load(Ordering::Relaxed)
    }

    /// Occurrences of URIs.
    ///
    /// ```
    /// assert_eq!(urisieve::Progress::default().occurrences(), 0);
    /// ```
    pub fn occurrences(&self) -> u64 {
        self.occurrences.load(Ordering::Relaxed)
    }

    /// The number of those that are reported once: classes, their spellings with
    /// [`Mode::Groups`](crate::engine::Mode::Groups), parts where these are counted.
    ///
    /// ```
    /// assert_eq!(urisieve::Progress::default().distinct(), 0);
    /// ```
    pub fn distinct(&self) -> u64 {
        self.distinct.load(Ordering::Relaxed)
    }

    /// Adds a block that was reported, for which `stored` bytes were read, with `new` keys.
    pub(in crate::engine) fn add(&self, stats: &Stats, stored: u64, new: u64) {
        self.stored.fetch_add(stored, Ordering::Relaxed);
        self.bytes.fetch_add(stats.bytes, Ordering::Relaxed);
        self.occurrences
            .fetch_add(stats.occurrences, Ordering::Relaxed);
        self.distinct.fetch_add(new, Ordering::Relaxed);
    }
}
