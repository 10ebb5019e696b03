//! The memory of a run: what its sets and sorters may take together, the temporary file
//! for what exceeds that, and what batches on their way to the sink and decoders may take.

use super::mode::Mode;
use crate::dedup::{Membership, RecordTail, Set};
use crate::store::{
    Budget, Log, Merge, ScratchFile, Sorter, SpillConfig, SpillCounts, SpillingSet,
};
use crate::unpack::{Unpack, WINDOW_MAX, WindowBound, Windows};
use std::cmp::Ordering;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The memory, for each thread, that batches may take from the end of their scan until
/// they are written.
const QUEUE: usize = 16 << 20;

/// The memory, for each thread, that blocks and batches need at most, as a part of a limit.
const OTHERS: usize = 16 << 20;

/// The text, for each stretch, that is decoded ahead at most.
const AHEAD: usize = 16 << 20;

/// The part of a limit that the window of a decoder may take. Together, these parts and
/// those below are at most a third of the limit: the compressions inside the outermost one
/// take half of this again.
const WINDOW_PART: usize = 8;
/// The part that batches may take.
const QUEUE_PART: usize = 12;
/// The part that content codings, text that is decoded ahead, and inputs other than the
/// first may take, each of the three.
const SMALL_PART: usize = 48;

/// The window that a content coding may always have. A smaller one would make most bodies
/// in brotli unreadable.
const CODING_LEAST: u64 = 4 << 20;

/// The most that an input other than the first may take for the window of its outermost
/// compression and for text that is held back, each. Most files need no larger window.
const SHARE_MAX: usize = 8 << 20;
/// The memory that such an input takes in all, in halves of its share: two shares, and half of one for
/// compressions inside the outermost one.
const SHARE_HALVES: usize = 5;

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
pub(in crate::engine) type EntryOrder = fn(&[u8], &[u8]) -> Ordering;

/// The memory of a run.
#[derive(Clone, Debug)]
pub(in crate::engine) struct RunMemory {
    pub budget: Arc<Budget>,
    pub file: Arc<ScratchFile>,
    pub spilled: Arc<SpillCounts>,
    /// The bytes that batches may take from the end of their scan until they are written.
    pub queue: usize,
    /// The bytes that text decoded ahead may take.
    pub ahead: usize,
    pub windows: Windows,
    /// Whether it is limited.
    pub is_limited: bool,
}

/// Returns how many of `threads` do the work: fewer where a third of the `limit` is little
/// for their blocks.
pub(in crate::engine) fn threads_within(limit: Option<usize>, threads: usize) -> usize {
    match limit {
        Some(limit) => ((limit / 3 + BESIDE) / WORKER).clamp(1, threads),
        None => threads,
    }
}

impl RunMemory {
    /// Returns the memory of a run with this many `threads`, which may have `inputs` open,
    /// and this `limit`, in bytes. What exceeds it is written to a file in `directory`.
    pub(in crate::engine) fn new(
        limit: Option<usize>,
        directory: &Path,
        (threads, inputs): (usize, usize),
        (mode, unpack): (Mode, Unpack),
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
                ahead: usize::MAX,
                windows: Windows::UNLIMITED,
                is_limited: false,
            };
        };
        let queue = queue.min(limit / QUEUE_PART);
        let ahead = (AHEAD * (threads + 2)).min(limit / SMALL_PART);
        // Memory beyond the share of inputs other than the first is taken when they are
        // the first: so one input at a time does, and none waits for a later one.
        let others = inputs.saturating_sub(1);
        let share = limit / SMALL_PART * 2 / SHARE_HALVES / others.max(1);
        let windows = Windows {
            outermost: WindowBound::new(limit, WINDOW_PART, 0),
            share: match others {
                0 => u64::MAX,
                _ => share.min(SHARE_MAX) as u64,
            },
            coding: WindowBound::new(limit, SMALL_PART * threads, CODING_LEAST),
        };
        let decoders = match unpack.decompress || unpack.containers {
            true => {
                let window = (limit / WINDOW_PART).min(WINDOW_MAX as usize);
                let shares = (share.min(SHARE_MAX) * others / 2).saturating_mul(SHARE_HALVES);
                window / 2 * 3 + shares + limit / SMALL_PART + ahead
            }
            false => 0,
        };
        let sets = limit - (queue + decoders).max((limit / 3).min(OTHERS * threads));
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
            queue,
            ahead,
            windows,
            is_limited: true,
        }
    }

    /// Returns one of `shards` sets. With `records` it keeps those of deferred keys.
    pub(in crate::engine) fn set(
        &self,
        shards: usize,
        (counting, tail): (bool, RecordTail),
        records: bool,
    ) -> Box<dyn Membership> {
        if !self.is_limited {
            return Box::new(match counting {
                true => Set::counting().with_tail(tail),
                false => Set::new(),
            });
        }
        Box::new(SpillingSet::new(&SpillConfig {
            counting,
            tail: if counting {
                tail
            } else {
                RecordTail::default()
            },
            counts: Arc::clone(&self.spilled),
            records,
            partitions: (PARTITIONS / shards).clamp(PARTITIONS_LEAST, PARTITIONS_MOST),
            ..SpillConfig::new(&self.file, &self.budget)
        }))
    }

    /// Returns a sorter of encoded entries.
    pub(in crate::engine) fn sorter<C: Fn(&[u8], &[u8]) -> Ordering>(&self, order: C) -> Sorter<C> {
        Sorter::new(&self.file, &self.budget, order)
    }

    /// Merges `runs`, each of which is sorted by these numbers. No two entries have the same.
    pub(in crate::engine) fn merge_by(
        &self,
        number: fn(&[u8]) -> u64,
        runs: Vec<Log>,
    ) -> io::Result<Merge<EntryOrder>> {
        let equal: EntryOrder = |_, _| Ordering::Equal;
        Merge::by_heads(runs, &self.file, &self.budget, number, equal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(limit: usize, threads: usize, inputs: usize) -> RunMemory {
        let directory = std::env::temp_dir();
        let modes = (Mode::Distinct, Unpack::default());
        RunMemory::new(Some(limit), &directory, (threads, inputs), modes)
    }

    #[test]
    fn what_is_no_set_takes_at_most_a_third() {
        for limit in [0, 1, 1000, 64 << 20, 1 << 30, 1 << 34] {
            for (threads, inputs) in [(1, 1), (2, 4), (8, 16), (64, 128), (256, 1)] {
                let memory = memory(limit, threads, inputs);
                let sets = memory.budget.limit();
                assert!(sets + limit / 3 + 1 >= limit, "{limit} {threads}");
                let window = memory.windows.outermost.most() as usize;
                let others = (inputs - 1) * 5 * memory.windows.share.min(1 << 30) as usize / 2;
                let rest = memory.queue + memory.ahead + others + window / 2 * 3;
                assert!(sets + rest <= limit, "{limit} {threads}");
            }
        }
    }

    #[test]
    fn usual_files_are_read_with_the_least_limit_and_all_with_a_gibibyte() {
        let least = memory(64 << 20, 8, 16).windows;
        assert_eq!(least.outermost.most(), 8 << 20);
        assert_eq!(least.coding.most(), CODING_LEAST);
        assert_eq!(memory(1 << 30, 8, 16).windows.outermost.most(), WINDOW_MAX);
    }
}
