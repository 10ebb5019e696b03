//! The stores of a run: those that are asked, and the one that remembers what is printed. Keys
//! wait sorted, beyond memory if need be, and are committed after all was delivered; with
//! `--commit-every` also before, when what was printed is flushed.

use super::pace::{Pace, PrintedKeys, WaitingRoom};
use super::settings::shown;
use crate::cli::destination::division::{FilePattern, OutputDivision};
use crate::cli::destination::outputs::{Deliver, Outputs, PartWriting};
use crate::cli::flags::SeenFlags;
use crate::cli::flags::memory::{MemoryFlags, MemoryShares};
use crate::cli::inputs::Input;
use crate::cli::journal::Journal;
use crate::cli::report::stderr;
use crate::cli::signals::Interrupt;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use urisieve::dedup::{Answer, Keys, KnownKeys};
use urisieve::item::Finding;
use urisieve::store::Budget;
use urisieve::store::seen::{
    LiveSeen, SeenError, SeenFault, SeenReader, SeenSettings, SeenStats, SeenWriter,
};
use urisieve::{Builder, Sieve};

/// How long a run sleeps that waits for another writer.
const PAUSE: Duration = Duration::from_millis(50);

/// The least number of keys that are committed where memory is used up.
const CROWD: u64 = 1 << 10;

/// The least time between two commits at the ends of inputs.
const APART: Duration = match cfg!(feature = "failpoints") {
    // Tests end runs between any two of them.
    true => Duration::ZERO,
    false => Duration::from_secs(60),
};

/// The stores that a run asks: a key that one of them has is known.
#[derive(Debug)]
struct AskedStores {
    fixed: Vec<Arc<SeenReader>>,
    /// All inputs end, so that answers may wait for their ends.
    may_wait: bool,
    /// The one that grows with the run.
    live: Option<Arc<LiveSeen>>,
}

impl KnownKeys for AskedStores {
    fn ask(&self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()> {
        let mut fixed = self.fixed.iter();
        fixed.try_for_each(|store| store.ask(keys, answers))?;
        match &self.live {
            Some(live) => live.ask(keys, answers),
            None => Ok(()),
        }
    }

    fn ask_later(&self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<bool> {
        let waits = self.may_wait && self.fixed.iter().any(|store| store.is_busy());
        if waits {
            for store in &self.fixed {
                store.sift(keys, answers)?;
            }
        }
        Ok(waits)
    }

    fn remembered(&self) -> Option<u64> {
        self.live.as_ref()?.remembered()
    }

    fn reported(&self, findings: u64) {
        if let Some(live) = &self.live {
            live.reported(findings);
        }
    }

    fn crowded(&self) {
        if let Some(live) = &self.live {
            live.crowded();
        }
    }
}

/// Opens a store for writing; waits for another writer until this time is over, or the run is to
/// end.
fn opened(
    path: &Path,
    settings: &SeenSettings,
    wait: Duration,
    interrupt: &Interrupt,
) -> Result<SeenWriter, SeenError> {
    let begun = Instant::now();
    loop {
        match SeenWriter::open(path, settings, Duration::ZERO) {
            Err(error)
                if matches!(error.fault(), SeenFault::Locked(_))
                    && begun.elapsed() < wait
                    && interrupt.code().is_none() =>
            {
                std::thread::sleep(PAUSE);
            }
            opened => return opened,
        }
    }
}

/// The stores of a run.
#[derive(Default)]
pub(in crate::cli) struct Stores {
    asked: Vec<(PathBuf, Arc<SeenReader>)>,
    live: Option<Arc<LiveSeen>>,
    pace: Option<Pace>,
    key: Vec<u8>,
    /// The number of keys since the last commit.
    waiting: u64,
    speaks: bool,
    may_wait: bool,
    /// Notes the inputs that are done.
    journal: Option<Arc<Journal>>,
    /// When the store was committed at the end of an input.
    committed: Option<Instant>,
    /// Why an input could not be noted, or its output not be completed.
    failed: Option<io::Error>,
}

/// What the output of a run is, for its stores.
pub(in crate::cli) struct SeenOutput<'o> {
    /// The unit into which it is divided.
    pub divided: Option<&'o (OutputDivision, FilePattern)>,
    /// The inputs that are named.
    pub inputs: &'o [Input],
}

impl Stores {
    /// Opens the store and the journal that `flags` name, which are locked from now on, and the
    /// stores of `--against`. A store that is made is said, if the run `speaks`.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn open(
        flags: SeenFlags,
        against: &[PathBuf],
        settings: &SeenSettings,
        (memory, shares): (&MemoryFlags, &MemoryShares),
        (speaks, interrupt): (bool, &Interrupt),
        output: SeenOutput<'_>,
    ) -> Result<Stores, String> {
        let mut stores = Stores {
            speaks,
            ..Stores::default()
        };
        let (wait, every, commits) = (
            flags.store.wait(),
            flags.store.commit_every()?,
            flags.commits(),
        );
        let journal = flags.journal.as_deref();
        if journal.is_some()
            && output
                .inputs
                .iter()
                .any(|input| matches!(input, Input::Stdin))
        {
            return Err("--journal: standard input has no name that could be noted".to_owned());
        }
        let number = against.len() + usize::from(flags.store.seen.is_some());
        // Keys that wait have as much as all that is read.
        let half = shares.other.map_or(usize::MAX, |bytes| bytes / 2);
        let each = half / number.max(1);
        for path in against {
            let opened = SeenReader::open(path, each);
            let opened = opened.and_then(|open| open.check_settings(settings).map(|()| open));
            let open = opened.map_err(|error| format!("--against {error}"))?;
            stores.asked.push((path.clone(), Arc::new(open)));
        }
        let Some(path) = flags.store.seen else {
            stores.journal = match (journal, output.divided) {
                (None, _) => None,
                (Some(journal), Some((OutputDivision::Inputs, pattern))) => {
                    let output = [b"files ", &pattern.identity()[..]].concat();
                    Some(Arc::new(Journal::open(journal, &output)?))
                }
                _ => {
                    return Err(
                        "--journal: only with --seen, or with -o DIR/{} for a file for \
                                each input: else nothing says what was delivered"
                            .to_owned(),
                    );
                }
            };
            return Ok(stores);
        };
        let failed = |error: SeenError| format!("--seen {error}");
        let scratch = memory.scratch()?;
        let writer = opened(&path, settings, wait, interrupt).map_err(failed)?;
        if writer.is_new() && speaks {
            stderr::say(format_args!("{}: a new store of seen URIs", shown(&path)));
        }
        let reader = writer.reader(each).map_err(failed)?;
        match commits {
            true => stores.live = Some(Arc::new(LiveSeen::new(reader))),
            false => stores.asked.push((path.clone(), Arc::new(reader))),
        }
        let journal = journal.map(|journal| {
            let output = format!("store {:016x}", writer.identity());
            Journal::open(journal, output.as_bytes())
        });
        stores.journal = journal.transpose()?.map(Arc::new);
        let room = WaitingRoom {
            scratch,
            budget: Arc::new(shares.other.map_or_else(Budget::unlimited, Budget::new)),
            most: half,
        };
        let note = flags.store.note.unwrap_or_default();
        let growing = (stores.live.clone(), stores.journal.clone());
        let keys = PrintedKeys::new(path, writer, room, note, growing);
        let pace = Pace::begin(keys, every).map_err(|error| format!("--commit-every: {error}"))?;
        stores.pace = Some(pace);
        Ok(stores)
    }

    /// Has `sieve` leave out what the stores have. Where all of `inputs` are files, or all is
    /// printed when they ended, answers may wait for their ends.
    pub(in crate::cli) fn configure(
        &mut self,
        sieve: Builder<Sieve>,
        (inputs, is_late): (&[Input], bool),
    ) -> Builder<Sieve> {
        let is_file = |input: &Input| match input {
            Input::Stdin => false,
            Input::Path(path) => path.is_file() || path.is_dir(),
        };
        self.may_wait = self.live.is_none() && (is_late || inputs.iter().all(is_file));
        match self.known() {
            Some(known) => sieve.known_keys(known),
            None => sieve,
        }
    }

    /// The stores that know keys, if there are some.
    pub(in crate::cli) fn known(&self) -> Option<Arc<dyn KnownKeys>> {
        if self.asked.is_empty() && self.live.is_none() {
            return None;
        }
        let fixed = self.asked.iter().map(|(_, store)| Arc::clone(store));
        Some(Arc::new(AskedStores {
            fixed: fixed.collect(),
            may_wait: self.may_wait,
            live: self.live.clone(),
        }))
    }

    /// Whether findings may wait for the end although there is memory.
    pub(in crate::cli) fn may_wait(&self) -> bool {
        self.may_wait && !self.asked.is_empty()
    }

    /// The name of the store that remembers, in messages.
    pub(in crate::cli) fn name(&self) -> String {
        let keys = self.pace.as_ref().map(|pace| pace.keys.lock());
        keys.map_or(String::new(), |keys| shown(&keys.path))
    }

    /// Whether what is printed is remembered.
    pub(in crate::cli) fn remembers(&self) -> bool {
        self.pace.is_some()
    }

    /// Notes that a finding is printed, as it is compared.
    ///
    /// # Errors
    /// Errors of the temporary file.
    pub(in crate::cli) fn add(&mut self, finding: &Finding) -> io::Result<()> {
        let Some(source) = finding.source else {
            return self.add_uri(finding.uri);
        };
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        key.extend_from_slice(source);
        key.push(b'\t');
        key.extend_from_slice(finding.uri);
        let added = self.add_uri(&key);
        self.key = key;
        added
    }

    /// Whether canonical forms are noted as they are printed.
    pub(in crate::cli) fn notes_uris(&self) -> bool {
        self.pace.is_some()
    }

    /// Notes that a canonical form is printed.
    ///
    /// # Errors
    /// Errors of the temporary file.
    pub(in crate::cli) fn add_uri(&mut self, uri: &[u8]) -> io::Result<()> {
        match &self.pace {
            Some(pace) => {
                self.waiting += 1;
                pace.keys.lock().push(uri)
            }
            None => Ok(()),
        }
    }

    /// The journal of the run.
    pub(in crate::cli) fn journal(&self) -> Option<Arc<Journal>> {
        self.journal.clone()
    }

    /// Has the file of a commit completed before it.
    pub(in crate::cli) fn deliver_by(&self, deliver: Option<Deliver>) {
        if let Some(pace) = &self.pace {
            pace.keys.lock().deliver_by(deliver);
        }
    }

    /// Passes on all that was printed. Breaks when nobody reads any more.
    ///
    /// # Errors
    /// Errors of writing, and those of the ends of inputs.
    pub(in crate::cli) fn flush<W: PartWriting>(
        &mut self,
        outputs: &mut Outputs<W>,
    ) -> io::Result<ControlFlow<()>> {
        self.check()?;
        let flow = outputs.flush()?;
        if flow.is_continue() {
            self.flushed();
        }
        Ok(flow)
    }

    /// Says that all that was noted was passed on.
    pub(in crate::cli) fn flushed(&self) {
        if let Some(pace) = &self.pace {
            pace.keys.lock().flushed();
        }
    }

    /// Returns the error of the end of an input, if there was one.
    ///
    /// # Errors
    /// That error.
    pub(in crate::cli) fn check(&mut self) -> io::Result<()> {
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Notes that an input was read to its end, or to an error if it `failed`. Its file is
    /// completed, where it has one; the store is committed, if it is time to.
    pub(in crate::cli) fn input_read<W: PartWriting>(
        &mut self,
        (input, failed): (usize, bool),
        outputs: &mut Outputs<W>,
    ) {
        if self.failed.is_none() {
            self.failed = self.end_input((input, failed), outputs).err();
        }
    }

    fn end_input<W: PartWriting>(
        &mut self,
        (input, failed): (usize, bool),
        outputs: &mut Outputs<W>,
    ) -> io::Result<()> {
        outputs.input_read(input, failed)?;
        let (Some(pace), Some(_)) = (&self.pace, &self.journal) else {
            return Ok(());
        };
        if !failed {
            pace.keys.lock().finish_input(input);
        }
        let is_due = self.committed.is_none_or(|last| last.elapsed() >= APART);
        if !is_due || outputs.flush()?.is_break() {
            return Ok(());
        }
        self.waiting = 0;
        self.committed = Some(Instant::now());
        pace.keys.commit_flushed()
    }

    /// Flushes and commits what was printed, if it is time to, or if memory is used up. Breaks
    /// when nobody reads any more.
    ///
    /// # Errors
    /// Errors of writing, and of the commit.
    pub(in crate::cli) fn keep_pace<W: PartWriting>(
        &mut self,
        outputs: &mut Outputs<W>,
    ) -> io::Result<ControlFlow<()>> {
        self.check()?;
        if !self.is_due() {
            return Ok(ControlFlow::Continue(()));
        }
        if outputs.flush()?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        self.commit_flushed()?;
        Ok(ControlFlow::Continue(()))
    }

    /// Whether the output should be flushed and committed now.
    pub(in crate::cli) fn is_due(&self) -> bool {
        let (Some(pace), Some(live)) = (&self.pace, &self.live) else {
            return false;
        };
        self.waiting >= CROWD && live.is_crowded() || pace.keys.is_due()
    }

    /// Commits what was noted, all of which was flushed.
    ///
    /// # Errors
    /// Errors of the commit.
    pub(in crate::cli) fn commit_flushed(&mut self) -> io::Result<()> {
        self.waiting = 0;
        match &self.pace {
            Some(pace) => pace.keys.commit_flushed(),
            None => Ok(()),
        }
    }

    /// Commits what was noted, all of which was delivered, and merges runs that are due.
    ///
    /// # Errors
    /// A message about the commit. The store is as before.
    pub(in crate::cli) fn commit(&mut self, cancel: &AtomicBool) -> Result<(), String> {
        let Some(mut pace) = self.pace.take() else {
            return Ok(());
        };
        pace.end();
        let mut keys = pace.keys.lock();
        if let Err(cause) = keys.commit() {
            let store = shown(&keys.path);
            return Err(format!(
                "--seen {store}: nothing more is remembered: {cause}"
            ));
        }
        match keys.merge(cancel) {
            Err(error) if !matches!(error.fault(), SeenFault::Cancelled) && self.speaks => {
                stderr::say(format_args!("--seen: runs are not merged: {error}"));
            }
            _ => {}
        }
        Ok(())
    }

    /// Says of a store whose filters have no room which limit has.
    pub(in crate::cli) fn say_unfiltered(&self) {
        let say = |path: &dyn std::fmt::Display, stats: SeenStats| {
            if stats.unfiltered > 0 {
                let limit = stats.limit().div_ceil(1 << 20);
                stderr::say(format_args!(
                    "{path}: {} lookups without a filter; --max-memory {limit}M avoids them",
                    stats.unfiltered
                ));
            }
        };
        for (path, store) in &self.asked {
            say(&shown(path), store.stats());
        }
        if let Some(live) = &self.live {
            say(&"--seen", live.reader().stats());
        }
    }
}
