//! The memory of a run: what its sets and sorters may take together, the temporary file
//! for what exceeds that, and what batches on their way to the sink may take.

use super::mode::Mode;
use crate::dedup::{Membership, Set};
use crate::store::{
    Budget, Log, Merge, ScratchFile, Sorter, SpillConfig, SpillCounts, SpillingSet,
};
use std::cmp::Ordering;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The memory, for each thread, that batches may take from the end of their scan until
/// they are written.
const QUEUE: usize = 16 << 20;

/// The memory, for each thread, that blocks, batches and decoders need at most, as a part
/// of a limit.
const OTHERS: usize = 16 << 20;

/// The memory of one thread: its block, its batch and what the allocator keeps for it.
const WORKER: usize = 8 << 20;

/// The memory beside a limit that threads may take.
const BESIDE: usize = 16 << 20;

/// The number of partitions of all sets together, and the bounds of those of one set. Each
/// has a buffer, and more buffers than the cache holds are slow.
const PARTITIONS: usize = 64;
const PARTITIONS_LEAST: usize = 4;
const PARTITIONS_MOST: usize = 64;

/// The order of encoded entries.
pub(super) type EntryOrder = fn(&[u8], &[u8]) -> Ordering;

/// The memory of a run.
#[derive(Clone, Debug)]
pub(super) struct RunMemory {
    pub budget: Arc<Budget>,
    pub file: Arc<ScratchFile>,
    pub spilled: Arc<SpillCounts>,
    /// What batches may take from the end of their scan until they are written.
    pub queue: usize,
    /// Whether it is limited.
    pub is_limited: bool,
    /// How many threads do the work: fewer than are set where the memory for their blocks
    /// is little.
    pub threads: usize,
}

impl RunMemory {
    /// Returns the memory of a run with this many threads and this `limit`, in bytes. What
    /// exceeds it is written to a file in `directory`.
    pub(super) fn new(
        limit: Option<usize>,
        directory: &Path,
        threads: usize,
        mode: Mode,
    ) -> RunMemory {
        let queue = QUEUE * threads;
        let file = Arc::new(ScratchFile::new(directory));
        let spilled = Arc::default();
        let Some(limit) = limit else {
            return RunMemory {
                budget: Arc::new(Budget::unlimited()),
                file,
                spilled,
                queue,
                is_limited: false,
                threads,
            };
        };
        // Blocks, batches and decoders share at most a third.
        let others = (limit / 3).min(OTHERS * threads);
        let sets = limit - others;
        // At the end the classes that are in memory are listed: 16 bytes for each that is
        // counted, and about as many as a set takes for each that has its spellings.
        let sets = match mode {
            Mode::All | Mode::Distinct => sets,
            Mode::Count => sets / 8 * 7,
            Mode::Groups => sets / 5 * 2,
        };
        RunMemory {
            budget: Arc::new(Budget::new(sets)),
            file,
            spilled,
            queue: queue.min(others / 2),
            is_limited: true,
            threads: ((others + BESIDE) / WORKER).clamp(1, threads),
        }
    }

    /// Returns one of `shards` sets. With `records` it keeps those of deferred keys.
    pub(super) fn set(&self, shards: usize, counting: bool, records: bool) -> Box<dyn Membership> {
        if !self.is_limited {
            return Box::new(match counting {
                true => Set::counting(),
                false => Set::new(),
            });
        }
        Box::new(SpillingSet::new(&SpillConfig {
            counting,
            counts: Arc::clone(&self.spilled),
            records,
            partitions: (PARTITIONS / shards).clamp(PARTITIONS_LEAST, PARTITIONS_MOST),
            ..SpillConfig::new(&self.file, &self.budget)
        }))
    }

    /// Returns a sorter of encoded entries.
    pub(super) fn sorter<C: Fn(&[u8], &[u8]) -> Ordering>(&self, order: C) -> Sorter<C> {
        Sorter::new(&self.file, &self.budget, order)
    }

    /// Merges `runs`, each of which is sorted.
    pub(super) fn merge<C: Fn(&[u8], &[u8]) -> Ordering>(
        &self,
        runs: Vec<Log>,
        order: C,
    ) -> io::Result<Merge<C>> {
        Merge::new(runs, &self.file, &self.budget, order)
    }
}
