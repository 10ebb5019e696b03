//! The configuration of a set that spills.

use super::budget::Budget;
use super::partitions::EntryForm;
use super::scratch::ScratchFile;
use super::spill_counts::SpillCounts;
use crate::dedup::RecordTail;
use std::sync::Arc;

/// Memory for some hundred keys.
const LEAST: usize = 64 << 10;

/// The settings and resources of a [`SpillingSet`](super::SpillingSet).
///
/// ```
/// use std::sync::Arc;
/// use urisieve::store::{Budget, ScratchFile, SpillConfig, SpillingSet};
/// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
/// let budget = Arc::new(Budget::new(64 << 20));
/// let config = SpillConfig { counting: true, ..SpillConfig::new(&file, &budget) };
/// let sets: Vec<_> = (0..16).map(|_| SpillingSet::new(&config)).collect();
/// assert_eq!(config.counts.deferred(), 0);
/// # drop(sets);
/// ```
#[derive(Clone, Debug)]
pub struct SpillConfig {
    /// The file for the deferred keys.
    pub file: Arc<ScratchFile>,
    /// The budget that the memory is taken from.
    pub budget: Arc<Budget>,
    /// Whether the number of all occurrences of a key is counted; default no.
    pub counting: bool,
    /// The end of each record, which changes when its key repeats; only of a set that counts.
    /// Default none.
    pub tail: RecordTail,
    /// Whether the record of the first occurrence of a deferred key is kept; default no.
    pub records: bool,
    /// The number of partitions, rounded up to a power of two; default 16. Each has a buffer
    /// of the length of a block, so all buffers of all sets should be a small part of the
    /// budget. Each partition should fit into memory: a partition that does not fit is
    /// written once more.
    pub partitions: usize,
    /// The counts of the deferred keys of the sets.
    pub counts: Arc<SpillCounts>,
}

impl SpillConfig {
    /// Returns the default configuration.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, ScratchFile, SpillConfig};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let config = SpillConfig::new(&file, &Arc::new(Budget::new(64 << 20)));
    /// assert!(!config.counting && !config.records);
    /// ```
    pub fn new(file: &Arc<ScratchFile>, budget: &Arc<Budget>) -> SpillConfig {
        SpillConfig {
            file: Arc::clone(file),
            budget: Arc::clone(budget),
            counting: false,
            tail: RecordTail::default(),
            records: false,
            partitions: 16,
            counts: Arc::default(),
        }
    }

    pub(super) fn form(&self) -> EntryForm {
        EntryForm {
            counting: self.counting,
            tail: self.tail,
            records: self.records || self.tail != RecordTail::default(),
        }
    }

    /// Returns the memory that the set of a pass takes even if the budget has less. With
    /// less memory than the buffers take there would be many passes, and hardly less
    /// memory in use.
    pub(super) fn least(&self) -> usize {
        self.buffers().max(LEAST)
    }

    /// The memory of the buffers of all partitions.
    pub(super) fn buffers(&self) -> usize {
        self.partitions.next_power_of_two() * self.file.block_len()
    }
}
