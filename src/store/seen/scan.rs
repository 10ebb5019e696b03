//! Reads the keys of runs in byte order: of one run, from any key on, and of several at once.

use super::cache::FrameCache;
use super::fault::{SeenError, SeenFault};
use super::frame::{FrameKind, FramePlace};
use super::key_block::KeyCursor;
use super::run::{SeenRun, bad};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// The keys of a run, from a block on.
#[derive(Debug)]
pub(super) struct RunScan<'r> {
    run: &'r SeenRun,
    /// Where the next frame is.
    next: u64,
    end: u64,
    place: FramePlace,
    raw: Vec<u8>,
    cursor: KeyCursor,
    in_block: bool,
    /// The last key of the block before, which is less than those of the next one.
    before: Option<Vec<u8>>,
    /// Damaged blocks are left out, and noted.
    skips: bool,
    pub skipped: Vec<LostKeys>,
    /// The end of the last keys that were lost is not known yet.
    is_open: bool,
}

/// Keys that were lost to damage.
///
/// ```
/// use urisieve::store::seen::LostKeys;
/// fn is_at_the_start(lost: &LostKeys) -> bool {
///     lost.after.is_none()
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct LostKeys {
    /// The damage.
    pub error: SeenError,
    /// Whether keys are lost: not where an index or a filter is damaged.
    pub has_keys: bool,
    /// The last key before the damage, if any.
    pub after: Option<Vec<u8>>,
    /// The first key after the damage, if any.
    pub until: Option<Vec<u8>>,
}

impl LostKeys {
    /// Damage of something that is not a block of keys.
    pub(super) fn of(error: SeenError) -> LostKeys {
        LostKeys {
            error,
            has_keys: false,
            after: None,
            until: None,
        }
    }
}

impl<'r> RunScan<'r> {
    /// All keys.
    pub(super) fn new(run: &'r SeenRun) -> RunScan<'r> {
        let blocks = run.blocks();
        RunScan {
            run,
            next: blocks.start,
            end: blocks.end,
            place: FramePlace::default(),
            raw: Vec::new(),
            cursor: KeyCursor::default(),
            in_block: false,
            before: None,
            skips: false,
            skipped: Vec::new(),
            is_open: false,
        }
    }

    /// The keys from the block on that may have `key`.
    pub(super) fn from(
        run: &'r SeenRun,
        key: &[u8],
        cache: &FrameCache,
    ) -> Result<RunScan<'r>, SeenError> {
        let mut scan = RunScan::new(run);
        if let Some(place) = run.block_of(key, cache)? {
            scan.next = place.offset;
        }
        Ok(scan)
    }

    /// Leaves out what is damaged.
    pub(super) fn skipping(mut self) -> RunScan<'r> {
        self.skips = true;
        self
    }

    /// Goes to the next key. Returns false after the last one.
    pub(super) fn advance(&mut self) -> Result<bool, SeenError> {
        loop {
            let error = match self.step() {
                Ok(is_at_key) => {
                    if let Some(lost) = self.skipped.last_mut().filter(|_| self.is_open) {
                        lost.until = is_at_key.then(|| self.cursor.key().to_vec());
                        self.is_open = false;
                    }
                    return Ok(is_at_key);
                }
                Err(error) => error,
            };
            if !self.skips || !matches!(error.fault(), SeenFault::Damaged(..)) {
                return Err(error);
            }
            let last = match self.in_block && self.cursor.has_key() {
                true => Some(self.cursor.key().to_vec()),
                false => self.before.clone(),
            };
            self.skipped.push(LostKeys {
                error,
                has_keys: true,
                after: last.clone(),
                until: None,
            });
            (self.is_open, self.before, self.in_block) = (true, last, false);
            self.recover();
        }
    }

    /// Goes to the frame behind the damaged one, as the index says, or as the frame does.
    fn recover(&mut self) {
        let damaged = self.place.offset;
        if self.next > damaged {
            return;
        }
        let mut lists = self.run.root.places().iter();
        let list = lists.find(|list| list.offset >= damaged);
        let list = list.copied().unwrap_or(FramePlace {
            offset: self.end,
            len: 0,
        });
        if list.offset == damaged {
            self.next = list.end();
            return;
        }
        // The frames before a list are those that it names.
        self.next = match self.run.list(list, &FrameCache::new(0)) {
            Ok(named) => {
                let after = named.places().iter().find(|block| block.offset > damaged);
                after.map_or(list.offset, |block| block.offset)
            }
            Err(_) => match self.run.file.head(damaged, self.end) {
                Ok((_, frame)) if frame.end() < list.offset => frame.end(),
                _ => list.end(),
            },
        };
    }

    fn step(&mut self) -> Result<bool, SeenError> {
        loop {
            if self.in_block {
                let is_at_key = self.cursor.advance(&self.raw);
                let is_at_key = is_at_key.map_err(|_| bad(&self.run.file, self.place))?;
                if is_at_key {
                    if let Some(before) = self.before.take()
                        && before[..] >= *self.cursor.key()
                    {
                        return Err(bad(&self.run.file, self.place));
                    }
                    return Ok(true);
                }
                if self.cursor.has_key() {
                    self.before = Some(self.cursor.key().to_vec());
                }
                self.in_block = false;
            }
            if self.next >= self.end {
                return Ok(false);
            }
            self.place = FramePlace {
                offset: self.next,
                len: 0,
            };
            let (kind, place) = self.run.file.head(self.next, self.end)?;
            self.place = place;
            if kind == FrameKind::Root as u8 {
                // The index of a run whose end is damaged.
                return Ok(false);
            }
            if kind == FrameKind::Index as u8 {
                self.run.file.read(FrameKind::Index, place, &mut self.raw)?;
                self.next = place.end();
                continue;
            }
            self.run.file.read(FrameKind::Keys, place, &mut self.raw)?;
            let begun = self.cursor.begin(&self.raw);
            begun.map_err(|_| bad(&self.run.file, place))?;
            self.next = place.end();
            self.in_block = true;
        }
    }

    pub(super) fn key(&self) -> &[u8] {
        self.cursor.key()
    }

    /// The block of the current key.
    pub(super) fn block(&self) -> FramePlace {
        self.place
    }

    pub(super) fn commit(&self) -> u64 {
        self.cursor.commit(&self.raw)
    }
}

/// The new numbers of commits, each beside its old one; `None` where they stay.
type Renumbered<'r> = Option<&'r [(u64, u64)]>;

/// The keys of several runs in byte order, each once, with its earliest commit.
#[derive(Debug)]
pub(super) struct RunMerge<'r> {
    heap: BinaryHeap<ScanHead<'r>>,
    /// Scans at their ends, for what they skipped.
    ended: Vec<RunScan<'r>>,
    key: Vec<u8>,
    commit: u64,
}

/// A scan at a key. The greatest of a heap is the one with the least key.
#[derive(Debug)]
struct ScanHead<'r> {
    scan: RunScan<'r>,
    commits: Renumbered<'r>,
}

impl ScanHead<'_> {
    fn commit(&self) -> u64 {
        let commit = self.scan.commit();
        let Some(numbers) = self.commits else {
            return commit;
        };
        let at = numbers.binary_search_by_key(&commit, |pair| pair.0);
        at.map_or(commit, |at| numbers[at].1)
    }
}

impl Ord for ScanHead<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.scan.key().cmp(self.scan.key())
    }
}

impl PartialOrd for ScanHead<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ScanHead<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for ScanHead<'_> {}

impl<'r> RunMerge<'r> {
    /// Merges scans. Each may have new numbers for its commits, in the order of the old ones.
    pub(super) fn new(
        scans: Vec<(RunScan<'r>, Renumbered<'r>)>,
    ) -> Result<RunMerge<'r>, SeenError> {
        let mut merge = RunMerge {
            heap: BinaryHeap::with_capacity(scans.len()),
            ended: Vec::new(),
            key: Vec::new(),
            commit: 0,
        };
        for (mut scan, commits) in scans {
            match scan.advance()? {
                true => merge.heap.push(ScanHead { scan, commits }),
                false => merge.ended.push(scan),
            }
        }
        Ok(merge)
    }

    /// Goes to the next key. Returns false after the last one.
    pub(super) fn advance(&mut self) -> Result<bool, SeenError> {
        let Some(top) = self.heap.peek() else {
            return Ok(false);
        };
        self.key.clear();
        self.key.extend_from_slice(top.scan.key());
        self.commit = u64::MAX;
        while let Some(mut top) = self.heap.peek_mut()
            && top.scan.key() == self.key
        {
            self.commit = self.commit.min(top.commit());
            if !top.scan.advance()? {
                self.ended.push(PeekMut::pop(top).scan);
            }
        }
        Ok(true)
    }

    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }

    pub(super) fn commit(&self) -> u64 {
        self.commit
    }

    /// The damage that was left out, after the last key.
    pub(super) fn into_skipped(self) -> Vec<LostKeys> {
        self.ended
            .into_iter()
            .flat_map(|scan| scan.skipped)
            .collect()
    }
}
