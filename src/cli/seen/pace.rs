//! Commits while a run goes on: a thread sees to the time, another one merges. Only what was
//! flushed is committed, so a commit waits for the one who prints where records are collected.

use crate::cli::destination::outputs::Deliver;
use crate::cli::destination::sync_stdout;
use crate::cli::journal::Journal;
use std::cmp::Ordering;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering as Memory};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use urisieve::store::seen::{LiveSeen, SeenError, SeenWriter};
use urisieve::store::{Budget, ScratchFile, Sorter};

type KeyOrder = fn(&[u8], &[u8]) -> Ordering;

/// Checks that nothing is asked for beside `flag` that is printed at the end.
///
/// # Errors
/// A message with the first of `causes` that is so.
pub(in crate::cli) fn check(flag: &str, causes: &[(bool, &str)]) -> Result<(), String> {
    match causes.iter().find(|(is_so, _)| *is_so) {
        Some((_, cause)) => Err(format!("{flag}: not with {cause}")),
        None => Ok(()),
    }
}

/// The memory and the place of keys that wait for a commit.
#[derive(Clone, Debug)]
pub(super) struct WaitingRoom {
    pub scratch: Arc<ScratchFile>,
    pub budget: Arc<Budget>,
    pub most: usize,
}

impl WaitingRoom {
    fn sorter(&self) -> Sorter<KeyOrder> {
        let order: KeyOrder = |a, b| a.cmp(b);
        Sorter::new(&self.scratch, &self.budget, order).at_most(self.most)
    }
}

/// The keys that were printed, until they are committed.
pub(super) struct PrintedKeys {
    pub path: PathBuf,
    pub writer: SeenWriter,
    keys: Sorter<KeyOrder>,
    room: WaitingRoom,
    note: String,
    /// The state that is asked, where it changes with commits.
    live: Option<Arc<LiveSeen>>,
    has_keys: bool,
    /// Keys were added since the output was flushed.
    is_unflushed: bool,
    /// Why a commit beside the run failed.
    failed: Option<io::Error>,
    /// A commit failed.
    is_broken: bool,
    /// Completes the file of a commit before it.
    deliver: Option<Deliver>,
    /// Notes the inputs whose keys are committed.
    journal: Option<Arc<Journal>>,
}

impl fmt::Debug for PrintedKeys {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("PrintedKeys")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl PrintedKeys {
    pub(super) fn new(
        path: PathBuf,
        writer: SeenWriter,
        room: WaitingRoom,
        note: String,
        (live, journal): (Option<Arc<LiveSeen>>, Option<Arc<Journal>>),
    ) -> PrintedKeys {
        PrintedKeys {
            path,
            writer,
            keys: room.sorter(),
            room,
            note,
            live,
            has_keys: false,
            is_unflushed: false,
            failed: None,
            is_broken: false,
            deliver: None,
            journal,
        }
    }

    /// Has the file of a commit completed before it.
    pub(super) fn deliver_by(&mut self, deliver: Option<Deliver>) {
        self.deliver = deliver;
    }

    /// Notes that an input was read to its end, and that all that is printed of it was added.
    pub(super) fn finish_input(&self, input: usize) {
        if let Some(journal) = &self.journal {
            journal.finish(input);
        }
    }

    pub(super) fn push(&mut self, key: &[u8]) -> io::Result<()> {
        (self.has_keys, self.is_unflushed) = (true, true);
        self.keys.push(key)
    }

    pub(super) fn flushed(&mut self) {
        self.is_unflushed = false;
    }

    /// Commits the keys, all of which were flushed. Nothing is committed after a failure: its keys
    /// are not remembered.
    pub(super) fn commit(&mut self) -> io::Result<()> {
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        if std::mem::replace(&mut self.is_broken, true) {
            return Err(io::Error::other("an earlier commit failed"));
        }
        self.commit_keys()?;
        self.is_broken = false;
        Ok(())
    }

    fn commit_keys(&mut self) -> io::Result<()> {
        // What the run reports until the commit is done is not in it.
        let reported = self.live.as_ref().map(|live| live.reported_so_far());
        if !self.has_keys {
            self.write_journal()?;
            return self.renew(reported.unwrap_or_default());
        }
        if let Some(deliver) = &mut self.deliver {
            deliver(self.writer.last_commit() + 1)?;
        }
        let mut sorted = std::mem::replace(&mut self.keys, self.room.sorter()).finish()?;
        self.has_keys = false;
        let time = SystemTime::now().duration_since(UNIX_EPOCH);
        let time = time.map_or(0, |time| time.as_secs());
        let scratch = &self.room.scratch;
        self.writer.commit(scratch, time, &self.note, &mut |key| {
            Ok(match sorted.next()? {
                Some(next) => {
                    key.extend_from_slice(next);
                    true
                }
                None => false,
            })
        })?;
        self.write_journal()?;
        self.renew(reported.unwrap_or_default())
    }

    fn write_journal(&self) -> io::Result<()> {
        self.journal
            .as_ref()
            .map_or(Ok(()), |journal| journal.write())
    }

    fn renew(&self, reported: u64) -> io::Result<()> {
        match &self.live {
            Some(live) => Ok(live.renew(&self.writer, reported)?),
            None => Ok(()),
        }
    }

    /// Merges runs that are due.
    pub(super) fn merge(&mut self, cancel: &AtomicBool) -> Result<bool, SeenError> {
        self.writer.merge(&self.room.scratch, cancel)
    }
}

/// The state that the threads share.
#[derive(Debug)]
pub(super) struct PacedKeys {
    keys: Mutex<PrintedKeys>,
    /// The one who prints is to flush, and to commit.
    is_due: AtomicBool,
    /// The run ended; merges are abandoned.
    ended: AtomicBool,
    wake: (Mutex<()>, Condvar),
}

/// Threads that commit and merge beside a run.
#[derive(Debug)]
pub(super) struct Pace {
    pub keys: Arc<PacedKeys>,
    threads: Vec<JoinHandle<()>>,
}

impl Pace {
    /// Begins to commit `every` so often, if that is set, and to merge beside a run that commits.
    ///
    /// # Errors
    /// The threads cannot be started.
    pub(super) fn begin(keys: PrintedKeys, every: Option<Duration>) -> io::Result<Pace> {
        let commits = keys.live.is_some();
        let keys = Arc::new(PacedKeys {
            keys: Mutex::new(keys),
            is_due: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            wake: Default::default(),
        });
        let mut threads = Vec::new();
        if let Some(every) = every {
            let shared = Arc::clone(&keys);
            let work = move || {
                while shared.wait(every) {
                    shared.tick();
                }
            };
            threads.push(Builder::new().name("commits".to_owned()).spawn(work)?);
        }
        if commits {
            let shared = Arc::clone(&keys);
            let often = every.map_or(MERGES, |every| every.min(MERGES));
            let work = move || {
                while shared.wait(often) {
                    shared.merge();
                }
            };
            threads.push(Builder::new().name("merges".to_owned()).spawn(work)?);
        }
        Ok(Pace { keys, threads })
    }

    /// Ends the threads.
    pub(super) fn end(&mut self) {
        self.keys.ended.store(true, Memory::Relaxed);
        drop(self.keys.wake.0.lock());
        self.keys.wake.1.notify_all();
        for thread in self.threads.drain(..) {
            // A panic was reported, and nothing was committed after it.
            let _ = thread.join();
        }
    }
}

impl Drop for Pace {
    fn drop(&mut self) {
        self.end();
    }
}

/// How often runs are looked at that may be merged, at most.
const MERGES: Duration = Duration::from_secs(5);

impl PacedKeys {
    pub(super) fn lock(&self) -> MutexGuard<'_, PrintedKeys> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the one who prints is to flush and to commit.
    pub(super) fn is_due(&self) -> bool {
        self.is_due.load(Memory::Relaxed)
    }

    /// Commits what the one who calls has flushed.
    pub(super) fn commit_flushed(&self) -> io::Result<()> {
        let mut keys = self.lock();
        keys.flushed();
        self.is_due.store(false, Memory::Relaxed);
        sync_stdout()?;
        keys.commit()
    }

    /// Waits for this time. Returns false when the run ended.
    fn wait(&self, time: Duration) -> bool {
        let is_on = |_: &mut ()| !self.ended.load(Memory::Relaxed);
        let guard = self.wake.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.wake.1.wait_timeout_while(guard, time, is_on);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
        !self.ended.load(Memory::Relaxed)
    }

    /// Commits what is flushed, or has it flushed.
    fn tick(&self) {
        let mut keys = self.lock();
        if keys.is_unflushed {
            self.is_due.store(true, Memory::Relaxed);
        } else if keys.has_keys
            && let Err(error) = sync_stdout().and_then(|()| keys.commit())
        {
            keys.failed = Some(error);
            self.is_due.store(true, Memory::Relaxed);
        }
    }

    /// Merges runs that are due, without keeping others from committing.
    fn merge(&self) {
        loop {
            let begun = self.lock().writer.begin_merge();
            let Some(merging) = begun else { return };
            let scratch = Arc::clone(&self.lock().room.scratch);
            let merged = merging.write(&scratch, &self.ended);
            let mut keys = self.lock();
            let ended = keys.writer.end_merge(merged);
            let renewed = ended.map_err(io::Error::from).and_then(|()| keys.renew(0));
            // The keys are the same. A disk that is full is said by the next commit.
            if renewed.is_err() {
                return;
            }
        }
    }
}
