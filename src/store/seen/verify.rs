//! Reads all of a store and compares it with itself: every byte belongs to something whose
//! checksum is right; keys are in order, each in one run; indexes and filters find them.

use super::cache::FrameCache;
use super::commits::CommitTable;
use super::fault::{SeenError, SeenFault};
use super::frame::FramePlace;
use super::reader::SeenReader;
use super::run::{SeenRun, bad};
use super::scan::{LostKeys, RunMerge, RunScan};
use std::collections::BTreeSet;

impl SeenReader {
    /// Reads the whole store and passes all damage to `report`. Returns the number of keys that
    /// are sound.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn verify(&self, report: &mut dyn FnMut(LostKeys)) -> Result<u64, SeenError> {
        let (mut keys, mut is_sound) = (0, true);
        for run in &self.runs {
            let (found, lost) = self.verify_run(run)?;
            keys += found;
            is_sound &= lost.is_empty();
            lost.into_iter().for_each(&mut *report);
        }
        if is_sound {
            // A key is in one run only.
            let scans = self.runs.iter().map(|run| (RunScan::new(run), None));
            let mut merge = RunMerge::new(scans.collect())?;
            let mut distinct = 0;
            while merge.advance()? {
                distinct += 1;
            }
            if distinct != keys
                && let Some(run) = self.runs.first()
            {
                let error = run.file.damaged(0, "keys are in two runs");
                report(LostKeys::of(error));
            }
        }
        Ok(keys)
    }

    /// Returns the number of keys of a run that are sound, and the damage.
    fn verify_run(&self, run: &SeenRun) -> Result<(u64, Vec<LostKeys>), SeenError> {
        let mut lost = Damages::default();
        let mut scan = RunScan::new(run).skipping();
        let (mut keys, mut key_bytes, mut digest, mut blocks) = (0, 0, 0_u64, 0);
        let (mut place, mut last) = (FramePlace::default(), Vec::new());
        let mut commits = CommitTable::new();
        let cache = FrameCache::new(1 << 20);
        while scan.advance()? {
            let key = scan.key();
            let hash = self.hasher().hash(key);
            keys += 1;
            key_bytes += key.len() as u64;
            digest = digest.wrapping_add(hash);
            commits.entry(scan.commit()).or_default().keys += 1;
            if !lost.unless(run.may_have(hash))?.unwrap_or(true) {
                let offset = scan.block().offset;
                lost.add(run.file.damaged(offset, "a key that the filter denies"))?;
            }
            if scan.block() != place {
                // The first key of a block, and the last one of the block before.
                for (key, at) in [(&last[..], place), (key, scan.block())] {
                    if at.len == 0 {
                        continue;
                    }
                    let found = lost.unless(run.block_of(key, &cache))?;
                    if found.is_some_and(|found| found != Some(at)) {
                        lost.add(run.file.damaged(at.offset, "a block that the index lacks"))?;
                    }
                }
                place = scan.block();
                blocks += 1;
            }
            last.clear();
            last.extend_from_slice(key);
        }
        for skipped in std::mem::take(&mut scan.skipped) {
            lost.add_keys(skipped);
        }
        let counts = |table: &CommitTable| -> Vec<(u64, u64)> {
            let counts = table.iter();
            counts
                .map(|(&number, commit)| (number, commit.keys))
                .collect()
        };
        let listed = lost.unless(run.commits())?;
        lost.unless(run.check_rest())?;
        let footer = &run.footer;
        let is_whole = (keys, key_bytes, digest, blocks)
            == (footer.keys, footer.key_bytes, footer.digest, footer.blocks)
            && listed.is_none_or(|listed| counts(&listed) == counts(&commits));
        if lost.all.is_empty() && !is_whole {
            lost.add(bad(&run.file, footer.commits))?;
        }
        Ok((keys, lost.all))
    }
}

/// The damage of a run, each place once.
#[derive(Debug, Default)]
struct Damages {
    all: Vec<LostKeys>,
    offsets: BTreeSet<u64>,
}

impl Damages {
    fn add_keys(&mut self, lost: LostKeys) {
        if let SeenFault::Damaged(offset, _) = lost.error.fault()
            && self.offsets.insert(*offset)
        {
            self.all.push(lost);
        }
    }

    /// Adds damage; another failure is returned.
    fn add(&mut self, error: SeenError) -> Result<(), SeenError> {
        match error.fault() {
            SeenFault::Damaged(..) => {
                self.add_keys(LostKeys::of(error));
                Ok(())
            }
            _ => Err(error),
        }
    }

    /// Returns the result, or `None` after damage.
    fn unless<T>(&mut self, result: Result<T, SeenError>) -> Result<Option<T>, SeenError> {
        match result {
            Ok(result) => Ok(Some(result)),
            Err(error) => self.add(error).map(|()| None),
        }
    }
}
