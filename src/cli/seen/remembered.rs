//! The stores of a run: those that are asked, and the one that remembers what is printed. Keys
//! wait sorted, beyond memory if need be, and are committed once, after all was delivered.

use super::settings::shown;
use crate::cli::flags::SeenFlags;
use crate::cli::flags::memory::{MemoryFlags, MemoryShares};
use crate::cli::report::stderr;
use std::cmp::Ordering;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};
use urisieve::dedup::{Answer, Keys, KnownKeys};
use urisieve::item::Finding;
use urisieve::store::seen::{SeenError, SeenFault, SeenReader, SeenSettings, SeenWriter};
use urisieve::store::{Budget, ScratchFile, Sorter};
use urisieve::{Builder, Sieve};

type KeyOrder = fn(&[u8], &[u8]) -> Ordering;

/// The stores that a run asks: a key that one of them has is known.
#[derive(Debug)]
struct AskedStores(Vec<Arc<SeenReader>>);

impl KnownKeys for AskedStores {
    fn ask(&self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()> {
        self.0.iter().try_for_each(|store| store.ask(keys, answers))
    }
}

/// The stores of a run.
#[derive(Default)]
pub(in crate::cli) struct Stores {
    asked: Vec<(PathBuf, Arc<SeenReader>)>,
    remembered: Option<RememberedStore>,
}

/// The store that remembers what is printed.
struct RememberedStore {
    path: PathBuf,
    writer: SeenWriter,
    keys: Sorter<KeyOrder>,
    scratch: Arc<ScratchFile>,
    note: String,
    key: Vec<u8>,
    speaks: bool,
}

impl Stores {
    /// Opens the store that `flags` name, which is locked from now on, and those of
    /// `--against`. A store that is made is said, if the run `speaks`.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn open(
        flags: SeenFlags,
        against: &[PathBuf],
        settings: &SeenSettings,
        (memory, shares): (&MemoryFlags, &MemoryShares),
        speaks: bool,
    ) -> Result<Stores, String> {
        let mut stores = Stores::default();
        let wait = flags.wait();
        let number = against.len() + usize::from(flags.seen.is_some());
        // Keys that wait have as much as all that is read.
        let half = shares.other.map_or(usize::MAX, |bytes| bytes / 2);
        let each = half / number.max(1);
        for path in against {
            let opened = SeenReader::open(path, each);
            let opened = opened.and_then(|open| open.check_settings(settings).map(|()| open));
            let open = opened.map_err(|error| format!("--against {error}"))?;
            stores.asked.push((path.clone(), Arc::new(open)));
        }
        let Some(path) = flags.seen else {
            return Ok(stores);
        };
        let failed = |error: SeenError| format!("--seen {error}");
        let writer = SeenWriter::open(&path, settings, wait).map_err(failed)?;
        if writer.is_new() && speaks {
            stderr::say(format_args!("{}: a new store of seen URIs", shown(&path)));
        }
        let reader = writer.reader(each).map_err(failed)?;
        stores.asked.push((path.clone(), Arc::new(reader)));
        let scratch = memory.scratch()?;
        let budget = Arc::new(shares.other.map_or_else(Budget::unlimited, Budget::new));
        let order: KeyOrder = |a, b| a.cmp(b);
        stores.remembered = Some(RememberedStore {
            path,
            writer,
            keys: Sorter::new(&scratch, &budget, order).at_most(half),
            scratch,
            note: flags.note.unwrap_or_default(),
            key: Vec::new(),
            speaks,
        });
        Ok(stores)
    }

    /// Has `sieve` leave out what the stores have.
    pub(in crate::cli) fn configure(&self, sieve: Builder<Sieve>) -> Builder<Sieve> {
        if self.asked.is_empty() {
            return sieve;
        }
        let stores = self.asked.iter().map(|(_, store)| Arc::clone(store));
        sieve.known_keys(Arc::new(AskedStores(stores.collect())))
    }

    /// Whether what is printed is remembered.
    pub(in crate::cli) fn remembers(&self) -> bool {
        self.remembered.is_some()
    }

    /// Notes that a finding is printed, as it is compared.
    ///
    /// # Errors
    /// Errors of the temporary file.
    pub(in crate::cli) fn add(&mut self, finding: &Finding) -> io::Result<()> {
        let Some(remembered) = &mut self.remembered else {
            return Ok(());
        };
        let Some(source) = finding.source else {
            return remembered.keys.push(finding.uri);
        };
        let key = &mut remembered.key;
        key.clear();
        key.extend_from_slice(source);
        key.push(b'\t');
        key.extend_from_slice(finding.uri);
        remembered.keys.push(key)
    }

    /// Notes that a canonical form is printed.
    ///
    /// # Errors
    /// Errors of the temporary file.
    pub(in crate::cli) fn add_uri(&mut self, uri: &[u8]) -> io::Result<()> {
        match &mut self.remembered {
            Some(remembered) => remembered.keys.push(uri),
            None => Ok(()),
        }
    }

    /// Commits what was noted, all of which was delivered, and merges runs that are due.
    ///
    /// # Errors
    /// A message about the commit. The store is as before.
    pub(in crate::cli) fn commit(&mut self, cancel: &AtomicBool) -> Result<(), String> {
        let Some(remembered) = self.remembered.take() else {
            return Ok(());
        };
        let RememberedStore {
            path,
            mut writer,
            keys,
            scratch,
            note,
            speaks,
            ..
        } = remembered;
        let time = SystemTime::now().duration_since(UNIX_EPOCH);
        let time = time.map_or(0, |time| time.as_secs());
        let committed = keys.finish().and_then(|mut sorted| {
            writer.commit(&scratch, time, &note, &mut |key| {
                Ok(match sorted.next()? {
                    Some(next) => {
                        key.extend_from_slice(next);
                        true
                    }
                    None => false,
                })
            })
        });
        if let Err(cause) = committed {
            return Err(format!(
                "--seen {}: nothing is remembered: {cause}",
                shown(&path)
            ));
        }
        match writer.merge(&scratch, cancel) {
            Err(error) if !matches!(error.fault(), SeenFault::Cancelled) && speaks => {
                stderr::say(format_args!("--seen: runs are not merged: {error}"));
            }
            _ => {}
        }
        Ok(())
    }

    /// Says of a store whose filters have no room which limit has.
    pub(in crate::cli) fn say_unfiltered(&self) {
        for (path, store) in &self.asked {
            let stats = store.stats();
            if stats.unfiltered > 0 {
                let limit = stats.limit().div_ceil(1 << 20);
                stderr::say(format_args!(
                    "{}: {} lookups without a filter; --max-memory {limit}M avoids them",
                    shown(path),
                    stats.unfiltered
                ));
            }
        }
    }
}
