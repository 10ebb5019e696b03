//! The writer of a store: commits, and merges of runs. Files do not change: a run is written and
//! synced, then named by a new manifest, whose name was never used before. What no manifest
//! names is removed by the next writer.

use super::commits::{CommitTable, SeenCommit, unite};
use super::disk::{Directory, Disk, failed, sync_folder};
use super::fault::{SeenError, SeenFault};
use super::filter::KeyHasher;
use super::lock::StoreLock;
use super::manifest::{
    Manifest, RunEntry, SeenSettings, StoreFile, UNFINISHED, manifest_name, run_name,
};
use super::reader::{SeenReader, check_settings};
use super::run::SeenRun;
use super::run_writer::SeenRunWriter;
use super::scan::{LostKeys, RunMerge, RunScan};
use crate::store::budget::Budget;
use crate::store::scratch::ScratchFile;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The number of runs of a size class that become one.
const FACTOR: usize = 4;

/// A merge reads at most this multiple of what was written, plus this number of bytes.
const MERGE_TIMES: u64 = 16;
const MERGE_PLUS: u64 = 1 << 30;

/// How often a rewriting looks whether it is cancelled, in keys.
const CHECKED: u64 = 1 << 10;

/// The one writer of a store.
///
/// ```
/// use std::time::Duration;
/// use std::sync::Arc;
/// use urisieve::store::ScratchFile;
/// use urisieve::store::seen::{SeenReader, SeenSettings, SeenWriter};
/// let root = tempfile::tempdir()?;
/// let store = root.path().join("store");
/// let mut writer = SeenWriter::open(&store, &SeenSettings::new(), Duration::ZERO)?;
/// let scratch = Arc::new(ScratchFile::new(std::env::temp_dir()));
/// let mut keys = [&b"urn:a:b"[..], b"urn:a:c"].into_iter();
/// let committed = writer.commit(&scratch, 1_700_000_000, "a note", &mut |key| {
///     key.extend_from_slice(keys.next().unwrap_or_default());
///     Ok(!key.is_empty())
/// })?;
/// assert_eq!(committed, 2);
/// let reader = SeenReader::open(&store, usize::MAX)?;
/// assert_eq!(reader.find(b"urn:a:b")?, Some(1));
/// assert_eq!(reader.find(b"urn:a:d")?, None);
/// assert_eq!(reader.commits()?[&1].note, "a note");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SeenWriter {
    disk: Arc<dyn Disk>,
    _lock: Option<StoreLock>,
    manifest: Manifest,
    /// The number of the manifest.
    number: u64,
    is_new: bool,
    /// The bytes that commits wrote since the writer was opened.
    written: u64,
    /// The bytes that merges wrote.
    merged: u64,
}

/// Fills the buffer with the next key; returns false after the last one.
pub type NextKey<'n> = &'n mut dyn FnMut(&mut Vec<u8>) -> io::Result<bool>;

/// Fills the buffer with the next key, and returns the number of its commit.
pub type NextEntry<'n> = &'n mut dyn FnMut(&mut Vec<u8>) -> io::Result<Option<u64>>;

/// Returns whether a key, with the number of its commit, is kept.
pub type KeepKey<'k> = &'k mut dyn FnMut(&[u8], u64) -> io::Result<bool>;

/// What a rewriting of runs did.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct SeenRewriting {
    /// The number of keys that were left out.
    pub removed: u64,
    /// What was lost to damage.
    pub lost: Vec<LostKeys>,
}

impl SeenWriter {
    /// Opens the store in `directory`, and makes it if it is missing. Waits for another writer
    /// no longer than `wait`.
    ///
    /// # Errors
    /// Another process writes to it; it has other settings, or files of others; it is damaged,
    /// or cannot be written.
    pub fn open(
        directory: &Path,
        settings: &SeenSettings,
        wait: Duration,
    ) -> Result<SeenWriter, SeenError> {
        let disk = Directory(directory.to_owned());
        match fs::create_dir(directory) {
            Ok(()) => {
                let parent = directory.parent().filter(|parent| *parent != Path::new(""));
                let synced = sync_folder(parent.unwrap_or(Path::new(".")));
                synced.map_err(failed(&disk, "", "create it"))?;
            }
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
                // No lock is left in a directory of others.
                if Manifest::highest(&disk)?.is_none() {
                    check_own(&disk)?;
                }
            }
            Err(cause) => return Err(failed(&disk, "", "create it")(cause)),
        }
        let lock = StoreLock::take(directory, wait)?;
        let mut writer = SeenWriter::on(Arc::new(disk), settings)?;
        writer._lock = Some(lock);
        Ok(writer)
    }

    /// Opens the store that is there, whatever its settings are.
    ///
    /// # Errors
    /// As [`open`](SeenWriter::open), and where there is no store.
    pub fn open_existing(directory: &Path, wait: Duration) -> Result<SeenWriter, SeenError> {
        let disk = Directory(directory.to_owned());
        match Manifest::highest(&disk)? {
            Some((_, manifest)) => SeenWriter::open(directory, &manifest.settings, wait),
            None => Err(SeenError::new(directory, SeenFault::NoStore)),
        }
    }

    /// Opens a store whose manifest is damaged, to [`compact`](SeenWriter::compact) what is left of
    /// it: the settings and the numbers that can be read, and all runs that are there. Nothing is
    /// written before that. Runs that were removed while a program was killed are there, too.
    ///
    /// # Errors
    /// Another process writes to it; nothing of the manifest can be read, or a run not at all.
    pub fn open_damaged(directory: &Path, wait: Duration) -> Result<SeenWriter, SeenError> {
        let lock = StoreLock::take(directory, wait)?;
        let mut writer = SeenWriter::on_damaged(Arc::new(Directory(directory.to_owned())))?;
        writer._lock = Some(lock);
        Ok(writer)
    }

    /// Opens the store on `disk`, which is locked and whose manifest is damaged.
    pub(super) fn on_damaged(disk: Arc<dyn Disk>) -> Result<SeenWriter, SeenError> {
        let (number, mut manifest) = Manifest::damaged(&*disk)?;
        let names = disk.list().map_err(failed(&*disk, "", "list it"))?;
        for name in names {
            let StoreFile::Run(run) = StoreFile::named(&name) else {
                continue;
            };
            let (entry, commits) = SeenRun::unnamed(&*disk, run)?;
            manifest.next = manifest.next.max(run + 1);
            for (commit, about) in commits {
                manifest.commits = manifest.commits.max(commit);
                manifest.time = manifest.time.max(about.time);
            }
            manifest.add_run(entry);
        }
        Ok(SeenWriter {
            disk,
            _lock: None,
            manifest,
            number,
            is_new: false,
            written: 0,
            merged: 0,
        })
    }

    /// Opens the store on `disk`, which is locked.
    pub(super) fn on(
        disk: Arc<dyn Disk>,
        settings: &SeenSettings,
    ) -> Result<SeenWriter, SeenError> {
        let found = Manifest::highest(&*disk)?;
        let is_new = found.is_none();
        let (number, manifest) = match found {
            Some(found) => found,
            None => {
                check_own(&*disk)?;
                let manifest = Manifest {
                    hasher: KeyHasher::random(),
                    settings: settings.clone(),
                    commits: 0,
                    time: 0,
                    next: 1,
                    runs: Vec::new(),
                };
                (0, manifest)
            }
        };
        check_settings(&*disk, &manifest, settings)?;
        let mut writer = SeenWriter {
            disk,
            _lock: None,
            manifest,
            number,
            is_new,
            written: 0,
            merged: 0,
        };
        writer.clean()?;
        if is_new {
            writer.publish(writer.manifest.clone())?;
        }
        Ok(writer)
    }

    /// Whether the store was made by this writer.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// The number of keys.
    pub fn keys(&self) -> u64 {
        self.manifest.keys()
    }

    /// The bytes that commits and merges wrote so far.
    pub fn bytes_written(&self) -> u64 {
        self.written + self.merged
    }

    /// The settings that decide what the keys are.
    pub fn settings(&self) -> &SeenSettings {
        &self.manifest.settings
    }

    /// Returns a reader of the state as it is now; see [`SeenReader::open`].
    ///
    /// # Errors
    /// The store is damaged or cannot be read.
    pub fn reader(&self, memory: usize) -> Result<SeenReader, SeenError> {
        SeenReader::on(Arc::clone(&self.disk), memory)
    }

    /// Returns a reader of the state as it is now, which keeps what `before` has open and in
    /// memory.
    ///
    /// # Errors
    /// A new run is damaged or cannot be read.
    pub fn renewed(&self, before: &SeenReader) -> Result<SeenReader, SeenError> {
        before.renewed(&self.manifest)
    }

    /// Removes what the manifest does not name: a writer before did not get to it.
    fn clean(&mut self) -> Result<(), SeenError> {
        let disk = &*self.disk;
        let names = disk.list().map_err(failed(disk, "", "list it"))?;
        for name in names {
            let is_left = match StoreFile::named(&name) {
                StoreFile::Manifest(number) => number < self.number,
                StoreFile::Run(run) => {
                    // The number is not used again, whatever became of the file.
                    self.manifest.next = self.manifest.next.max(run + 1);
                    !self.manifest.runs.iter().any(|entry| entry.run == run)
                }
                StoreFile::Unfinished => true,
                StoreFile::Lock | StoreFile::Other => false,
            };
            if is_left {
                // A reader on Windows may have it open: a later writer removes it.
                let _ = disk.remove(&name);
            }
        }
        Ok(())
    }

    /// Makes `manifest` the state, and removes the files that only the last state had.
    fn publish(&mut self, manifest: Manifest) -> Result<(), SeenError> {
        let disk = &*self.disk;
        let name = manifest_name(self.number + 1);
        let unfinished = format!("{name}{UNFINISHED}");
        let text = manifest.text();
        let written = (|| {
            let file = match disk.create(&unfinished) {
                // Left by a failure.
                Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
                    disk.remove(&unfinished)?;
                    disk.create(&unfinished)
                }
                created => created,
            }?;
            let mut rest = text.as_bytes();
            let mut at = 0;
            while !rest.is_empty() {
                match file.write_at(rest, at) {
                    Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                    Ok(len) => {
                        rest = &rest[len..];
                        at += len as u64;
                    }
                    Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                    Err(cause) => return Err(cause),
                }
            }
            file.sync()?;
            // The names of runs last before the manifest does.
            disk.sync()
        })();
        let written = written.map_err(failed(disk, &name, "write it"));
        let named = written.and_then(|()| {
            let renamed = disk.rename(&unfinished, &name);
            renamed.map_err(failed(disk, &name, "name it"))
        });
        if named.is_err() {
            let _ = disk.remove(&unfinished);
        }
        named?;
        let synced = disk.sync();
        let before = std::mem::replace(&mut self.manifest, manifest);
        let last = self.number;
        self.number += 1;
        // The state is read from now on, but is not certain to last: nothing is removed.
        synced.map_err(failed(disk, &name, "sync its name"))?;
        if last > 0 {
            let _ = disk.remove(&manifest_name(last));
        }
        for entry in before.runs {
            if !self.manifest.runs.contains(&entry) {
                let _ = disk.remove(&run_name(entry.run));
            }
        }
        Ok(())
    }

    /// Commits keys, in byte order; equal ones are one. None of them is in the store. Returns
    /// their number; without keys nothing changes. The time is that of the last commit, if that
    /// is later.
    ///
    /// # Errors
    /// Errors of `next`, and of writing. The store is as before, unless its directory could not
    /// be synced: then it may be so after a loss of power.
    pub fn commit(
        &mut self,
        scratch: &Arc<ScratchFile>,
        time: u64,
        note: &str,
        next: NextKey<'_>,
    ) -> io::Result<u64> {
        let number = self.manifest.commits + 1;
        let commit = SeenCommit {
            time: time.max(self.manifest.time),
            keys: 0,
            note: note.replace(['\n', '\r'], " "),
        };
        let table = CommitTable::from([(number, commit)]);
        self.append(scratch, &table, &mut |key| Ok(next(key)?.then_some(number)))
    }

    /// A number that other stores do not have.
    pub fn identity(&self) -> u64 {
        self.manifest.hasher.hash(b"")
    }

    /// The number of the last commit.
    pub fn last_commit(&self) -> u64 {
        self.manifest.commits
    }

    /// Adds keys, in byte order, each with the number of its commit in `commits`; of equal keys
    /// the first counts. Returns the number of keys.
    ///
    /// # Errors
    /// As of [`commit`](SeenWriter::commit).
    pub fn append(
        &mut self,
        scratch: &Arc<ScratchFile>,
        commits: &CommitTable,
        next: NextEntry<'_>,
    ) -> io::Result<u64> {
        let run = self.manifest.next;
        let (mut key, mut last) = (Vec::new(), Vec::new());
        let mut writer: Option<SeenRunWriter> = None;
        let disk = Arc::clone(&self.disk);
        self.manifest.next += 1;
        let written = (|| {
            while let Some(commit) = {
                key.clear();
                next(&mut key)?
            } {
                let writer = match &mut writer {
                    Some(_) if key == last => continue,
                    Some(writer) => writer,
                    None => {
                        let hasher = self.manifest.hasher;
                        writer.insert(SeenRunWriter::new(&*disk, run, hasher, scratch)?)
                    }
                };
                writer.push(&key, commit)?;
                std::mem::swap(&mut key, &mut last);
            }
            Ok::<_, io::Error>(())
        })();
        let Some(writer) = writer else {
            written?;
            return Ok(0);
        };
        let entry = written.and_then(|()| Ok(writer.finish(commits)?));
        let added = entry.and_then(|entry| {
            let mut manifest = self.manifest.clone();
            manifest.add_run(entry);
            if let Some((&number, commit)) = commits.last_key_value() {
                manifest.commits = manifest.commits.max(number);
                manifest.time = manifest.time.max(commit.time);
            }
            self.publish(manifest)?;
            self.written += entry.bytes;
            Ok(entry.keys)
        });
        if added.is_err() && self.manifest.runs.iter().all(|entry| entry.run != run) {
            let _ = disk.remove(&run_name(run));
        }
        added
    }

    /// Returns the runs that are due to become one: four of a size class.
    fn due(&self) -> Option<Vec<u64>> {
        let class = |entry: &RunEntry| class_of(entry.keys);
        let mut runs: Vec<&RunEntry> = self.manifest.runs.iter().collect();
        runs.sort_by_key(|entry| (class(entry), entry.run));
        let due = runs
            .windows(FACTOR)
            .find(|four| class(four[0]) == class(four[FACTOR - 1]))?;
        Some(due.iter().map(|entry| entry.run).collect())
    }

    /// Adds to the runs that are due those of the next class, where the run that these become would
    /// be the fourth of them: so its keys are written once, not twice. All have `most` bytes or less.
    fn with_next_class(&self, mut due: Vec<u64>, most: u64) -> Vec<u64> {
        loop {
            let (taken, others): (Vec<&RunEntry>, Vec<_>) = self
                .manifest
                .runs
                .iter()
                .partition(|entry| due.contains(&entry.run));
            let class = class_of(taken.iter().map(|entry| entry.keys).sum());
            let is_next = |entry: &&&RunEntry| class_of(entry.keys) == class;
            let next: Vec<&RunEntry> = others.iter().filter(is_next).copied().collect();
            let bytes = |runs: &[&RunEntry]| runs.iter().map(|entry| entry.bytes).sum::<u64>();
            if next.len() + 1 < FACTOR || bytes(&taken) + bytes(&next) > most {
                return due;
            }
            due.extend(next.iter().map(|entry| entry.run));
        }
    }

    /// Merges runs until none are due. A merge that is long beside what was committed is left to
    /// [`compact`](SeenWriter::compact), and returned as true.
    ///
    /// # Errors
    /// Errors of reading and writing; cancelled. The store has the same keys in any case.
    pub fn merge(
        &mut self,
        scratch: &Arc<ScratchFile>,
        cancel: &AtomicBool,
    ) -> Result<bool, SeenError> {
        while let Some(merging) = self.begin_merge() {
            let merged = merging.write(scratch, cancel);
            self.end_merge(merged)?;
        }
        Ok(self.due().is_some())
    }

    /// Returns the merge that is due, which may be written while others commit; `None` if there is
    /// none, or if it is long beside what was committed.
    pub fn begin_merge(&mut self) -> Option<SeenMerging> {
        let most = self.written.saturating_mul(MERGE_TIMES);
        let due = self.due()?;
        let entries = self.manifest.runs.iter();
        let bytes: u64 = entries
            .filter(|entry| due.contains(&entry.run))
            .map(|entry| entry.bytes)
            .sum();
        let most = most.saturating_add(MERGE_PLUS);
        if bytes > most {
            return None;
        }
        let due = self.with_next_class(due, most);
        let run = self.manifest.next;
        self.manifest.next += 1;
        Some(SeenMerging {
            disk: Arc::clone(&self.disk),
            manifest: self.manifest.clone(),
            run,
            replaced: due,
        })
    }

    /// Puts a run that was merged in the place of the others.
    ///
    /// # Errors
    /// The error of the merge, or of writing the manifest. The store has the same keys in any
    /// case.
    pub fn end_merge(&mut self, merged: Result<SeenMerged, SeenError>) -> Result<(), SeenError> {
        let SeenMerged { entry, replaced } = merged?;
        self.replace(entry, &replaced)
    }

    /// Adds the keys of other stores to this one, which is empty. Their commits have new numbers,
    /// by their times; of a key in several stores the earliest commit counts. Returns the number
    /// of keys.
    ///
    /// # Errors
    /// Errors of reading and writing; cancelled.
    pub fn unite(
        &mut self,
        scratch: &Arc<ScratchFile>,
        stores: &[SeenReader],
        cancel: &AtomicBool,
    ) -> io::Result<u64> {
        let mut all = Vec::new();
        for (store, open) in stores.iter().enumerate() {
            for (number, commit) in open.commits()? {
                all.push((commit.time, store, number, commit.note));
            }
        }
        all.sort();
        let mut table = CommitTable::new();
        let mut numbers = vec![Vec::new(); stores.len()];
        for (new, (time, store, number, note)) in (1..).zip(all) {
            let commit = SeenCommit {
                time,
                keys: 0,
                note,
            };
            table.insert(new, commit);
            // Later commits of a store have later times.
            numbers[store].push((number, new));
        }
        let scans = stores.iter().zip(&numbers).flat_map(|(open, numbers)| {
            let runs = open.runs.iter();
            runs.map(|run| (RunScan::new(run), Some(&numbers[..])))
        });
        let mut merge = RunMerge::new(scans.collect())?;
        let mut count = 0;
        let path = self.disk.path("");
        self.append(scratch, &table, &mut |key| {
            if count % CHECKED == 0 && cancel.load(Ordering::Relaxed) {
                return Err(SeenError::new(&path, SeenFault::Cancelled).into());
            }
            count += 1;
            if !merge.advance()? {
                return Ok(None);
            }
            key.extend_from_slice(merge.key());
            Ok(Some(merge.commit()))
        })
    }

    /// Makes all runs one. With `skip_damaged` what is damaged is left out; otherwise it is an
    /// error.
    ///
    /// # Errors
    /// Errors of reading and writing; cancelled.
    pub fn compact(
        &mut self,
        scratch: &Arc<ScratchFile>,
        skip_damaged: bool,
        cancel: &AtomicBool,
    ) -> Result<SeenRewriting, SeenError> {
        let all: Vec<u64> = self.manifest.runs.iter().map(|entry| entry.run).collect();
        if let Some(free) = self.disk.free()
            && all.len() > 1
            && free < self.manifest.bytes()
        {
            let fault = SeenFault::Space(self.manifest.bytes(), free);
            return Err(SeenError::new(&self.disk.path(""), fault));
        }
        match all.len() {
            0 if skip_damaged => {
                self.publish(self.manifest.clone())?;
                Ok(SeenRewriting::default())
            }
            0 => Ok(SeenRewriting::default()),
            1 if !skip_damaged => Ok(SeenRewriting::default()),
            _ => self.rewrite(scratch, &all, (cancel, skip_damaged), &mut |_, _| Ok(true)),
        }
    }

    /// Removes the keys that `keep`, given each with the number of its commit, does not want.
    ///
    /// # Errors
    /// Errors of reading and writing, and of `keep`; cancelled.
    pub fn retain(
        &mut self,
        scratch: &Arc<ScratchFile>,
        cancel: &AtomicBool,
        keep: KeepKey<'_>,
    ) -> Result<SeenRewriting, SeenError> {
        let all: Vec<u64> = self.manifest.runs.iter().map(|entry| entry.run).collect();
        match all.is_empty() {
            true => Ok(SeenRewriting::default()),
            false => self.rewrite(scratch, &all, (cancel, false), keep),
        }
    }

    /// The bytes of all runs.
    pub fn bytes(&self) -> u64 {
        self.manifest.bytes()
    }

    /// Writes one run in the place of others, with the keys that `keep` wants.
    fn rewrite(
        &mut self,
        scratch: &Arc<ScratchFile>,
        replaced: &[u64],
        (cancel, skips): (&AtomicBool, bool),
        keep: KeepKey<'_>,
    ) -> Result<SeenRewriting, SeenError> {
        let disk = Arc::clone(&self.disk);
        let run = self.manifest.next;
        self.manifest.next += 1;
        let runs = (run, replaced);
        let written = write_merged(&*disk, &self.manifest, runs, (scratch, cancel, skips), keep);
        let (entry, rewriting) = written?;
        self.replace(entry, replaced)?;
        Ok(rewriting)
    }

    /// Names a run in the place of others, unless it has no keys.
    fn replace(&mut self, entry: RunEntry, replaced: &[u64]) -> Result<(), SeenError> {
        let mut manifest = self.manifest.clone();
        manifest.runs.retain(|entry| !replaced.contains(&entry.run));
        if entry.keys > 0 {
            manifest.add_run(entry);
        }
        let published = self.publish(manifest);
        if self.manifest.runs.contains(&entry) {
            self.merged += entry.bytes;
        } else {
            let _ = self.disk.remove(&run_name(entry.run));
        }
        published
    }
}

/// The size class of a run with so many keys.
fn class_of(keys: u64) -> u32 {
    keys.max(1).ilog(FACTOR as u64)
}

/// A merge that is due: runs that become one. Nothing else replaces them until it has ended.
#[derive(Debug)]
pub struct SeenMerging {
    disk: Arc<dyn Disk>,
    manifest: Manifest,
    run: u64,
    replaced: Vec<u64>,
}

/// A run that was merged, and is not named yet.
#[derive(Debug)]
pub struct SeenMerged {
    entry: RunEntry,
    replaced: Vec<u64>,
}

impl SeenMerging {
    /// Writes the run.
    ///
    /// # Errors
    /// Errors of reading and writing; cancelled.
    pub fn write(
        self,
        scratch: &Arc<ScratchFile>,
        cancel: &AtomicBool,
    ) -> Result<SeenMerged, SeenError> {
        let runs = (self.run, &self.replaced[..]);
        let how = (scratch, cancel, false);
        let written = write_merged(&*self.disk, &self.manifest, runs, how, &mut |_, _| Ok(true));
        Ok(SeenMerged {
            entry: written?.0,
            replaced: self.replaced,
        })
    }
}

/// Writes the run with this number: the keys of those in `replaced` that `keep`, given each with
/// its commit, wants. If that fails, no file is left.
fn write_merged(
    disk: &dyn Disk,
    manifest: &Manifest,
    (run, replaced): (u64, &[u64]),
    (scratch, cancel, skips): (&Arc<ScratchFile>, &AtomicBool, bool),
    keep: KeepKey<'_>,
) -> Result<(RunEntry, SeenRewriting), SeenError> {
    let mut number = 0_u64;
    let keep = |key: &[u8], commit| {
        number += 1;
        match number % CHECKED == 1 && cancel.load(Ordering::Relaxed) {
            true => Err(SeenError::new(&disk.path(""), SeenFault::Cancelled)),
            false => keep(key, commit).map_err(failed(disk, "", "read what is removed")),
        }
    };
    let written = write_kept(disk, manifest, (run, replaced), (scratch, skips), keep);
    if written.is_err() {
        let _ = disk.remove(&run_name(run));
    }
    written
}

fn write_kept(
    disk: &dyn Disk,
    manifest: &Manifest,
    (run, replaced): (u64, &[u64]),
    (scratch, skips): (&Arc<ScratchFile>, bool),
    mut keep: impl FnMut(&[u8], u64) -> Result<bool, SeenError>,
) -> Result<(RunEntry, SeenRewriting), SeenError> {
    let budget = Arc::new(Budget::unlimited());
    let entries = manifest.runs.iter();
    let entries = entries.filter(|entry| replaced.contains(&entry.run));
    let open = |&entry| match skips {
        true => SeenRun::open_rest(disk, entry, &budget),
        false => SeenRun::open(disk, entry, &budget),
    };
    let runs: Vec<SeenRun> = entries.map(open).collect::<Result<_, _>>()?;
    let mut table = CommitTable::new();
    let mut scans = Vec::new();
    for open in &runs {
        // Without its times a commit is still one.
        match open.commits() {
            Err(_) if skips => {}
            commits => unite(&mut table, commits?),
        }
        let scan = RunScan::new(open);
        scans.push((if skips { scan.skipping() } else { scan }, None));
    }
    let mut merge = RunMerge::new(scans)?;
    let mut writer = SeenRunWriter::new(disk, run, manifest.hasher, scratch)?;
    let mut rewriting = SeenRewriting::default();
    while merge.advance()? {
        match keep(merge.key(), merge.commit())? {
            true => writer.push(merge.key(), merge.commit())?,
            false => rewriting.removed += 1,
        }
    }
    rewriting.lost = merge.into_skipped();
    Ok((writer.finish(&table)?, rewriting))
}

/// Checks that a directory without a manifest has nothing but what a writer left.
fn check_own(disk: &dyn Disk) -> Result<(), SeenError> {
    let names = disk.list().map_err(failed(disk, "", "list it"))?;
    let is_foreign = |name: &String| StoreFile::named(name) == StoreFile::Other;
    match names.iter().any(is_foreign) {
        true => Err(SeenError::new(&disk.path(""), SeenFault::Foreign)),
        false => Ok(()),
    }
}
