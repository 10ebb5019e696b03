//! A state of a store: asked whether it has keys, and read in order. A writer may replace the
//! state; the one that was opened stays.

use super::cache::FrameCache;
use super::commits::{CommitTable, SeenCommit, unite};
use super::disk::{Directory, Disk};
use super::fault::{SeenError, SeenFault};
use super::filter::KeyHasher;
use super::manifest::{Manifest, SeenSettings};
use super::run::{RunCursor, SeenRun};
use super::scan::{RunMerge, RunScan};
use crate::dedup::{Answer, Keys, KnownKeys};
use crate::store::budget::Budget;
use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// The part of the memory that frames take, and the most that they do.
const CACHE_PART: usize = 4;
const CACHE_MAX: usize = 64 << 20;

/// The least number of blocks that are read before asking takes long; tests read fewer.
const BUSY: u64 = match cfg!(feature = "failpoints") {
    true => 4,
    false => 1 << 12,
};

/// A state of a store.
///
/// ```
/// use std::path::Path;
/// use std::time::Duration;
/// use urisieve::store::seen::{SeenReader, SeenSettings, SeenWriter};
/// let root = tempfile::tempdir()?;
/// let store = root.path().join("store");
/// let writer = SeenWriter::open(&store, &SeenSettings::new(), Duration::ZERO)?;
/// let reader = SeenReader::open(&store, usize::MAX)?;
/// assert_eq!(reader.stats().keys, 0);
/// # drop(writer);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SeenReader {
    disk: Arc<dyn Disk>,
    pub(super) manifest: Manifest,
    /// The largest first.
    pub(super) runs: Vec<Arc<SeenRun>>,
    pub(super) cache: Arc<FrameCache>,
    budget: Arc<Budget>,
}

/// Takes a key and the number of its commit; `Break` ends the reading.
pub type GiveKey<'g> = &'g mut dyn FnMut(&[u8], u64) -> io::Result<ControlFlow<()>>;

/// The numbers of a store.
///
/// ```
/// use urisieve::store::seen::SeenStats;
/// assert_eq!(SeenStats::default().keys, 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SeenStats {
    /// The number of keys.
    pub keys: u64,
    /// The bytes of all keys.
    pub key_bytes: u64,
    /// The number of the last commit.
    pub commits: u64,
    /// The time of the last commit, in seconds from 1970 on; 0 before the first.
    pub time: u64,
    /// The number of runs.
    pub runs: u64,
    /// The bytes of the runs.
    pub bytes: u64,
    /// The bytes of their filters.
    pub filter_bytes: u64,
    /// The memory in which all filters and lists fit.
    pub memory: u64,
    /// The number of times that a key was looked up without a filter, because there was no
    /// memory for it.
    pub unfiltered: u64,
    /// The number of runs that one merge of all would save.
    pub mergeable: u64,
}

impl SeenStats {
    /// The limit of memory of a run that asks this store alone, with which all filters and lists
    /// fit: a third of it is for the filters and lists.
    pub fn limit(&self) -> u64 {
        self.memory.saturating_mul(6)
    }
}

/// A key that may be in a run.
struct KeyProbe {
    run: usize,
    /// Its number in the batch.
    number: usize,
}

impl SeenReader {
    /// Opens the state of the store in `directory`. Filters, lists and frames take this number
    /// of bytes of memory, about.
    ///
    /// # Errors
    /// There is no store; it is damaged; it cannot be read.
    pub fn open(directory: &Path, memory: usize) -> Result<SeenReader, SeenError> {
        SeenReader::on(Arc::new(Directory(directory.to_owned())), memory)
    }

    /// Whether there is a store in `directory`: it has a manifest.
    ///
    /// ```
    /// use urisieve::store::seen::SeenReader;
    /// assert!(!SeenReader::is_at("no/such/store".as_ref()));
    /// ```
    pub fn is_at(directory: &Path) -> bool {
        let disk = Directory(directory.to_owned());
        // A damaged manifest is also one.
        let highest = Manifest::highest(&disk);
        match highest {
            Ok(manifest) => manifest.is_some(),
            Err(error) => !matches!(error.fault(), SeenFault::NoStore | SeenFault::Io(..)),
        }
    }

    pub(super) fn on(disk: Arc<dyn Disk>, memory: usize) -> Result<SeenReader, SeenError> {
        let cache = (memory / CACHE_PART).min(CACHE_MAX);
        let budget = Arc::new(Budget::new(memory - cache));
        let mut before = None;
        loop {
            let Some((number, manifest)) = Manifest::highest(&*disk)? else {
                return Err(SeenError::new(&disk.path(""), SeenFault::NoStore));
            };
            match open_runs(&*disk, &manifest, &[], &budget) {
                // A writer replaced the state after its manifest was read.
                Err(error)
                    if matches!(error.fault(), SeenFault::Gone) && before != Some(number) =>
                {
                    before = Some(number);
                }
                Err(error) => return Err(error),
                Ok(runs) => {
                    return Ok(SeenReader {
                        disk,
                        manifest,
                        runs,
                        cache: Arc::new(FrameCache::new(cache)),
                        budget,
                    });
                }
            }
        }
    }

    /// The state that `manifest` names, with the runs that are open already.
    pub(super) fn renewed(&self, manifest: &Manifest) -> Result<SeenReader, SeenError> {
        Ok(SeenReader {
            disk: Arc::clone(&self.disk),
            runs: open_runs(&*self.disk, manifest, &self.runs, &self.budget)?,
            manifest: manifest.clone(),
            cache: Arc::clone(&self.cache),
            budget: Arc::clone(&self.budget),
        })
    }

    /// The settings that decide what the keys are.
    pub fn settings(&self) -> &SeenSettings {
        &self.manifest.settings
    }

    /// Checks that the keys of the store are those that `asked` makes.
    ///
    /// # Errors
    /// The settings that differ.
    pub fn check_settings(&self, asked: &SeenSettings) -> Result<(), SeenError> {
        check_settings(&*self.disk, &self.manifest, asked)
    }

    /// The numbers of the store.
    pub fn stats(&self) -> SeenStats {
        let sum = |of: fn(&SeenRun) -> u64| self.runs.iter().map(|run| of(run)).sum();
        let filter_bytes = sum(SeenRun::filter_bytes);
        let lists: u64 = sum(|run| run.root.memory() as u64);
        let needed = (filter_bytes + lists).saturating_mul(CACHE_PART as u64);
        SeenStats {
            keys: sum(|run| run.entry.keys),
            key_bytes: sum(|run| run.entry.key_bytes),
            commits: self.manifest.commits,
            time: self.manifest.time,
            runs: self.runs.len() as u64,
            bytes: sum(|run| run.entry.bytes),
            filter_bytes,
            memory: needed.div_ceil(CACHE_PART as u64 - 1),
            unfiltered: sum(|run| run.unfiltered.load(Relaxed)),
            mergeable: (self.runs.len() as u64).saturating_sub(1),
        }
    }

    /// The commits that still have keys, by their numbers.
    ///
    /// # Errors
    /// A run is damaged or cannot be read.
    pub fn commits(&self) -> Result<BTreeMap<u64, SeenCommit>, SeenError> {
        let mut table = CommitTable::new();
        for run in &self.runs {
            unite(&mut table, run.commits()?);
        }
        Ok(table)
    }

    /// Returns the number of the commit of `key`, if the store has it.
    ///
    /// # Errors
    /// A run is damaged or cannot be read.
    pub fn find(&self, key: &[u8]) -> Result<Option<u64>, SeenError> {
        let hash = self.hasher().hash(key);
        for run in &self.runs {
            if run.may_have(hash)?
                && let Some(commit) = run.find(key, &mut RunCursor::default(), &self.cache)?
            {
                return Ok(Some(commit));
            }
        }
        Ok(None)
    }

    pub(super) fn hasher(&self) -> &KeyHasher {
        &self.manifest.hasher
    }

    /// Passes all keys that begin with `prefix` to `give`, in byte order, each with the number
    /// of its commit.
    ///
    /// # Errors
    /// A run is damaged or cannot be read; errors of `give`.
    pub fn each(&self, prefix: &[u8], give: GiveKey<'_>) -> io::Result<()> {
        let scans: Result<Vec<_>, SeenError> = self
            .runs
            .iter()
            .map(|run| Ok((RunScan::from(run, prefix, &self.cache)?, None)))
            .collect();
        let mut merge = RunMerge::new(scans?)?;
        while merge.advance()? {
            if merge.key() < prefix {
                continue;
            }
            if !merge.key().starts_with(prefix) || give(merge.key(), merge.commit())?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Whether more blocks were read so far than a quarter of all: then it takes less time to ask
    /// for all keys at once, in byte order.
    pub fn is_busy(&self) -> bool {
        let read: u64 = self.runs.iter().map(|run| run.read.load(Relaxed)).sum();
        let blocks: u64 = self.runs.iter().map(|run| run.footer.blocks).sum();
        read > (blocks / 4).max(BUSY)
    }

    /// Sets the answer of each key that was [`Answer::New`], and passes a filter, to
    /// [`Answer::Deferred`]: only these may be known.
    ///
    /// # Errors
    /// A filter is damaged or cannot be read.
    pub fn sift(&self, keys: &Keys<'_>, answers: &mut [Answer]) -> Result<(), SeenError> {
        for (key, answer) in keys.iter().zip(answers) {
            if *answer != Answer::New {
                continue;
            }
            let hash = self.hasher().hash(keys.class(key));
            for run in &self.runs {
                if run.may_have(hash)? {
                    *answer = Answer::Deferred;
                    break;
                }
            }
        }
        Ok(())
    }

    /// Asks for the keys of a batch that are not known, sorted, so that each block is read once.
    /// Those whose answer is [`Answer::Deferred`] passed a filter before: they are looked up in
    /// every run, the largest first.
    fn ask_sorted(&self, keys: &Keys<'_>, answers: &mut [Answer]) -> Result<(), SeenError> {
        let list = keys.iter().as_slice();
        let mut probes = Vec::new();
        for (number, key) in list.iter().enumerate() {
            let hash = match answers[number] {
                Answer::Known => continue,
                Answer::New => Some(self.hasher().hash(keys.class(key))),
                Answer::Deferred => None,
            };
            for (run, open) in self.runs.iter().enumerate() {
                if hash.map_or(Ok(true), |hash| open.may_have(hash))? {
                    probes.push(KeyProbe { run, number });
                }
            }
        }
        let class = |probe: &KeyProbe| keys.class(&list[probe.number]);
        probes.sort_unstable_by(|a, b| (a.run, class(a)).cmp(&(b.run, class(b))));
        let (mut cursor, mut last) = (RunCursor::default(), None);
        for probe in &probes {
            if last.replace(probe.run) != Some(probe.run) {
                cursor = RunCursor::default();
            }
            if answers[probe.number] != Answer::Known
                && self.runs[probe.run]
                    .find(class(probe), &mut cursor, &self.cache)?
                    .is_some()
            {
                answers[probe.number] = Answer::Known;
            }
        }
        Ok(())
    }
}

/// Opens the runs that a manifest names, the largest first, but for those that are open.
fn open_runs(
    disk: &dyn Disk,
    manifest: &Manifest,
    open: &[Arc<SeenRun>],
    budget: &Arc<Budget>,
) -> Result<Vec<Arc<SeenRun>>, SeenError> {
    let entries = manifest.runs.iter();
    let runs = entries.map(|entry| match open.iter().find(|run| run.entry == *entry) {
        Some(run) => Ok(Arc::clone(run)),
        None => Ok(Arc::new(SeenRun::open(disk, *entry, budget)?)),
    });
    let mut runs: Vec<Arc<SeenRun>> = runs.collect::<Result<_, SeenError>>()?;
    runs.sort_by_key(|run| std::cmp::Reverse(run.entry.keys));
    Ok(runs)
}

impl KnownKeys for SeenReader {
    fn ask(&self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()> {
        match self.runs.is_empty() {
            true => Ok(()),
            false => Ok(self.ask_sorted(keys, answers)?),
        }
    }
}

/// Checks that the keys of a store are those that `asked` makes.
pub(super) fn check_settings(
    disk: &dyn Disk,
    manifest: &Manifest,
    asked: &SeenSettings,
) -> Result<(), SeenError> {
    let differences = manifest.differences(asked);
    match differences.is_empty() {
        true => Ok(()),
        false => Err(SeenError::new(
            &disk.path(""),
            SeenFault::Settings(differences),
        )),
    }
}
