//! Reads a run: whether it has a key, and of which commit.

use super::cache::{CachedFrame, FrameCache};
use super::commits::{self, CommitTable};
use super::disk::Disk;
use super::fault::{SeenError, SeenFault};
use super::filter::{FuseFilter, part_of};
use super::footer::{FOOTER, HEADER, RunFooter};
use super::frame::{FrameFile, FrameKind, FramePlace};
use super::index::FrameList;
use super::key_block::{BadBlock, KeyCursor};
use super::manifest::{RunEntry, run_name};
use crate::store::budget::{Budget, Charge};
use crate::store::varint;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// A run that is open.
#[derive(Debug)]
pub(super) struct SeenRun {
    pub entry: RunEntry,
    pub file: FrameFile,
    pub footer: RunFooter,
    pub root: FrameList,
    parts: Vec<FilterPart>,
    budget: Arc<Budget>,
    /// The memory of the lists.
    _charge: Charge,
    /// The number of times that a part of the filter had no room.
    pub unfiltered: AtomicU64,
    /// The number of blocks that were read to look up keys.
    pub read: AtomicU64,
}

/// A part of the filter: read when it is first asked for, if there is memory for it.
#[derive(Debug)]
struct FilterPart {
    place: FramePlace,
    filter: OnceLock<(FuseFilter, Charge)>,
}

/// The block in which keys are looked up, as long as they are in it.
#[derive(Debug, Default)]
pub(super) struct RunCursor {
    place: Option<FramePlace>,
    raw: Arc<Vec<u8>>,
    cursor: KeyCursor,
    /// Whether the cursor is at a key.
    is_at_key: bool,
}

impl SeenRun {
    /// Opens a run. Its lists, and parts of its filter, are taken from `budget`.
    pub(super) fn open(
        disk: &dyn Disk,
        entry: RunEntry,
        budget: &Arc<Budget>,
    ) -> Result<SeenRun, SeenError> {
        let file = FrameFile::open(disk, &run_name(entry.run), entry.run)?;
        let footer = RunFooter::read(&file)?;
        let is_named = footer.checksum() == entry.checksum
            && footer.keys == entry.keys
            && footer.key_bytes == entry.key_bytes
            && file.len == entry.bytes;
        if !is_named {
            let offset = file.len.min(entry.bytes).saturating_sub(FOOTER as u64);
            return Err(file.damaged(offset, "the manifest names another run"));
        }
        let mut raw = Vec::new();
        file.read(FrameKind::Root, footer.root, &mut raw)?;
        let root = FrameList::read(&raw).map_err(|_| bad(&file, footer.root))?;
        file.read(FrameKind::Parts, footer.parts, &mut raw)?;
        let parts = read_parts(&raw, footer.bits).map_err(|_| bad(&file, footer.parts))?;
        Ok(SeenRun::of(entry, file, footer, (root, parts), budget))
    }

    /// Opens a run of which everything may be damaged but its blocks: to save them.
    pub(super) fn open_rest(
        disk: &dyn Disk,
        entry: RunEntry,
        budget: &Arc<Budget>,
    ) -> Result<SeenRun, SeenError> {
        let error = match SeenRun::open(disk, entry, budget) {
            Ok(run) => return Ok(run),
            Err(error) => error,
        };
        if !matches!(error.fault(), SeenFault::Damaged(..)) {
            return Err(error);
        }
        let file = FrameFile::open(disk, &run_name(entry.run), entry.run)?;
        // The blocks end before the upper list of the index.
        let root = FramePlace {
            offset: file.len,
            len: 0,
        };
        let footer = RunFooter {
            run: entry.run,
            root,
            ..RunFooter::default()
        };
        let none = (FrameList::default(), Vec::new());
        Ok(SeenRun::of(entry, file, footer, none, budget))
    }

    /// Returns the entry of a run that no manifest names, and its commits, as far as they can be
    /// read.
    pub(super) fn unnamed(disk: &dyn Disk, run: u64) -> Result<(RunEntry, CommitTable), SeenError> {
        let file = FrameFile::open(disk, &run_name(run), run)?;
        let mut entry = RunEntry {
            run,
            bytes: file.len,
            keys: 0,
            key_bytes: 0,
            checksum: 0,
        };
        match RunFooter::read(&file) {
            Ok(footer) => {
                (entry.keys, entry.key_bytes) = (footer.keys, footer.key_bytes);
                entry.checksum = footer.checksum();
            }
            Err(error) if matches!(error.fault(), SeenFault::Damaged(..)) => {}
            Err(error) => return Err(error),
        }
        let open = SeenRun::open_rest(disk, entry, &Arc::new(Budget::unlimited()))?;
        Ok((entry, open.commits().unwrap_or_default()))
    }

    fn of(
        entry: RunEntry,
        file: FrameFile,
        footer: RunFooter,
        (root, parts): (FrameList, Vec<FilterPart>),
        budget: &Arc<Budget>,
    ) -> SeenRun {
        let mut charge = Charge::new(budget);
        charge.set(root.memory() + parts.capacity() * size_of::<FilterPart>());
        SeenRun {
            entry,
            file,
            footer,
            root,
            parts,
            budget: Arc::clone(budget),
            _charge: charge,
            unfiltered: AtomicU64::new(0),
            read: AtomicU64::new(0),
        }
    }

    /// Whether the run may have a key with this hash.
    pub(super) fn may_have(&self, hash: u64) -> Result<bool, SeenError> {
        let part = self.parts.get(part_of(hash, self.footer.bits as u32));
        let Some(part) = part.filter(|part| part.place.len > 0) else {
            return Ok(true);
        };
        if let Some((filter, _)) = part.filter.get() {
            return Ok(filter.may_have(hash));
        }
        let mut charge = Charge::new(&self.budget);
        if !charge.try_grow(part.place.len as usize) {
            self.unfiltered.fetch_add(1, Relaxed);
            return Ok(true);
        }
        let mut raw = Vec::new();
        self.file.read(FrameKind::Filter, part.place, &mut raw)?;
        let filter = FuseFilter::read(&raw).ok_or_else(|| bad(&self.file, part.place))?;
        let (filter, _) = part.filter.get_or_init(|| (filter, charge));
        Ok(filter.may_have(hash))
    }

    /// Reads what is not keys: the filter, and that all parts of the file follow each other.
    pub(super) fn check_rest(&self) -> Result<(), SeenError> {
        let mut raw = Vec::new();
        let mut end = self.footer.root.end();
        let filters = self.parts.iter().map(|part| part.place);
        for place in filters.clone().filter(|place| place.len > 0) {
            self.file.read(FrameKind::Filter, place, &mut raw)?;
            FuseFilter::read(&raw).ok_or_else(|| bad(&self.file, place))?;
        }
        for place in filters.chain([self.footer.parts, self.footer.commits]) {
            if place.offset != end {
                return Err(self.file.damaged(end, "bytes that belong to nothing"));
            }
            end = place.end();
        }
        let commits = self.commits()?;
        let keys: u64 = commits.values().map(|commit| commit.keys).sum();
        match end + FOOTER as u64 == self.file.len && keys == self.entry.keys {
            true => Ok(()),
            false => Err(bad(&self.file, self.footer.commits)),
        }
    }

    /// The bytes of the whole filter.
    pub(super) fn filter_bytes(&self) -> u64 {
        self.parts
            .iter()
            .map(|part| u64::from(part.place.len))
            .sum()
    }

    /// The list of the lower level at `place`.
    pub(super) fn list(
        &self,
        place: FramePlace,
        cache: &FrameCache,
    ) -> Result<Arc<FrameList>, SeenError> {
        let key = (self.entry.run, place.offset);
        if let Some(CachedFrame::List(list)) = cache.get(key) {
            return Ok(list);
        }
        let mut raw = Vec::new();
        self.file.read(FrameKind::Index, place, &mut raw)?;
        let list = FrameList::read(&raw).map_err(|_| bad(&self.file, place))?;
        let list = Arc::new(list);
        cache.put(key, CachedFrame::List(Arc::clone(&list)));
        Ok(list)
    }

    /// The place of the block that alone may have `key`, if any has.
    pub(super) fn block_of(
        &self,
        key: &[u8],
        cache: &FrameCache,
    ) -> Result<Option<FramePlace>, SeenError> {
        let Some(at) = self.root.find(key) else {
            return Ok(None);
        };
        let place = self.root.places()[at];
        let list = self.list(place, cache)?;
        // The first separator of a list is that of the list.
        let at = list.find(key).ok_or_else(|| bad(&self.file, place))?;
        Ok(Some(list.places()[at]))
    }

    fn block(&self, place: FramePlace, cache: &FrameCache) -> Result<Arc<Vec<u8>>, SeenError> {
        let key = (self.entry.run, place.offset);
        if let Some(CachedFrame::Keys(raw)) = cache.get(key) {
            return Ok(raw);
        }
        let mut raw = Vec::new();
        self.read.fetch_add(1, Relaxed);
        self.file.read(FrameKind::Keys, place, &mut raw)?;
        let raw = Arc::new(raw);
        cache.put(key, CachedFrame::Keys(Arc::clone(&raw)));
        Ok(raw)
    }

    /// Returns the commit of `key`, if the run has it. `at` is where the last key was looked up;
    /// one that is not less is found fastest.
    pub(super) fn find(
        &self,
        key: &[u8],
        at: &mut RunCursor,
        cache: &FrameCache,
    ) -> Result<Option<u64>, SeenError> {
        // The index is not asked for a key that the current block has, or would have.
        let is_behind = at.is_at_key && at.cursor.key() <= key;
        if let Some(place) = at.place.filter(|_| is_behind)
            && let Some(found) = self.seek(key, place, at)?
        {
            return Ok(found);
        }
        let Some(place) = self.block_of(key, cache)? else {
            return Ok(None);
        };
        if at.place == Some(place) && is_behind {
            return Ok(None);
        }
        (at.place, at.is_at_key) = (None, false);
        at.raw = self.block(place, cache)?;
        let begun = at.cursor.begin(&at.raw);
        let begun = begun.and_then(|()| at.cursor.advance(&at.raw));
        at.is_at_key = begun.map_err(|_| bad(&self.file, place))?;
        at.place = Some(place);
        match at.is_at_key {
            true => Ok(self.seek(key, place, at)?.flatten()),
            false => Ok(None),
        }
    }

    /// Looks for `key` from the current key of the block at `place` on. Returns nothing if the
    /// block ends before it.
    fn seek(
        &self,
        key: &[u8],
        place: FramePlace,
        at: &mut RunCursor,
    ) -> Result<Option<Option<u64>>, SeenError> {
        let found = at.cursor.seek(&at.raw, key);
        let found = found.map_err(|_| bad(&self.file, place))?;
        at.is_at_key = found.is_some();
        Ok(found.map(|is_equal| is_equal.then(|| at.cursor.commit(&at.raw))))
    }

    /// Reads the commits of the run.
    pub(super) fn commits(&self) -> Result<CommitTable, SeenError> {
        let mut raw = Vec::new();
        let place = self.footer.commits;
        self.file.read(FrameKind::Commits, place, &mut raw)?;
        commits::read(&raw).map_err(|_| bad(&self.file, place))
    }

    /// The range of the file that has blocks of keys and lists.
    pub(super) fn blocks(&self) -> std::ops::Range<u64> {
        HEADER as u64..self.footer.root.offset
    }
}

/// The damage of a frame whose content is not what was written.
pub(super) fn bad(file: &FrameFile, place: FramePlace) -> SeenError {
    file.damaged(place.offset, "the content of a frame")
}

/// Reads the list of parts: the offset of the first, and their lengths.
fn read_parts(raw: &[u8], bits: u64) -> Result<Vec<FilterPart>, BadBlock> {
    let mut rest = raw;
    let mut offset = varint::take(&mut rest);
    let count = 1_usize << bits;
    if count > rest.len() {
        return Err(BadBlock);
    }
    let mut parts = Vec::with_capacity(count);
    for _ in 0..count {
        let len = u32::try_from(varint::take(&mut rest)).map_err(|_| BadBlock)?;
        let place = FramePlace { offset, len };
        offset = offset.checked_add(u64::from(len)).ok_or(BadBlock)?;
        parts.push(FilterPart {
            place,
            filter: OnceLock::new(),
        });
    }
    match rest.is_empty() {
        true => Ok(parts),
        false => Err(BadBlock),
    }
}
