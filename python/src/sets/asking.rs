//! Asking a store for the keys of rows, batch by batch, and the keys that wait for a commit.

use crate::calls::normalize::{NoUri, Normalizer};
use crate::settings::options::Options;
use pyo3::PyResult;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use urisieve::dedup::{Answer, Hasher, Key, Keys, KnownKeys, Set};
use urisieve::store::ScratchFile;
use urisieve::store::seen::{KEY_MAX, SeenError, SeenReader, SeenWriter};

/// The most rows that a store is asked for at a time.
const ROWS: usize = 1 << 14;

/// The bytes of keys after which it is asked.
const BYTES: usize = 16 << 20;

/// A store that is open, and the keys that wait for a commit.
pub(super) struct OpenStore {
    /// `None` where the store is only asked.
    writer: Option<SeenWriter>,
    reader: SeenReader,
    /// None of them is in the store.
    waiting: Set,
    hasher: Hasher,
    scratch: Arc<ScratchFile>,
}

impl OpenStore {
    pub(super) fn new(
        writer: Option<SeenWriter>,
        reader: SeenReader,
        temp_dir: PathBuf,
    ) -> OpenStore {
        OpenStore {
            writer,
            reader,
            waiting: Set::new(),
            hasher: Hasher::new(),
            scratch: Arc::new(ScratchFile::new(temp_dir)),
        }
    }

    pub(super) fn writes(&self) -> bool {
        self.writer.is_some()
    }

    /// The number of keys, also of those that wait.
    pub(super) fn len(&self) -> usize {
        self.reader.stats().keys as usize + self.waiting.len()
    }

    /// Commits the keys that wait, and merges runs that are due. Returns the number of keys, and
    /// how the merging ended.
    ///
    /// # Errors
    /// Errors of the commit; the keys still wait.
    pub(super) fn commit(
        &mut self,
        note: &str,
        cancel: &AtomicBool,
    ) -> io::Result<(u64, Result<(), SeenError>)> {
        let Some(writer) = &mut self.writer else {
            return Ok((0, Ok(())));
        };
        let mut keys: Vec<&[u8]> = self.waiting.entries().map(|entry| entry.key).collect();
        keys.sort_unstable();
        let mut keys = keys.into_iter();
        let time = SystemTime::now().duration_since(UNIX_EPOCH);
        let time = time.map_or(0, |time| time.as_secs());
        let added = writer.commit(&self.scratch, time, note, &mut |key| {
            let next = keys.next();
            key.extend_from_slice(next.unwrap_or_default());
            Ok(next.is_some())
        })?;
        // They must not be committed again, whatever fails from now on.
        self.waiting = Set::new();
        let merged = match added {
            0 => Ok(()),
            _ => writer.merge(&self.scratch, cancel).map(drop),
        };
        self.reader = writer.renewed(&self.reader)?;
        Ok((added, merged))
    }
}

/// What is asked of each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Contains,
    /// Whether neither the store nor a row before has it.
    New,
    /// Its key is to wait for a commit.
    Add,
}

/// A question about many rows.
pub(super) struct Asking {
    asked: Asked,
    normalizer: Normalizer,
    /// The keys of rows before, where they count.
    before: Set,
    /// The number of keys that wait, and did not before.
    pub added: u64,
    /// The number of rows before the current batch.
    rows: usize,
    batch: Batch,
}

/// Keys that are asked for together.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    keys: Vec<Key>,
    /// Of each row, whether it has a key.
    has_key: Vec<bool>,
    answers: Vec<Answer>,
}

impl Asking {
    /// # Errors
    /// Those of [`Normalizer::new`].
    pub(super) fn new(options: &Options, asked: Asked, no_uri: NoUri) -> PyResult<Asking> {
        Ok(Asking {
            asked,
            // Secrets are removed from canonical forms, as in the stores of the command line.
            normalizer: Normalizer::new(options, no_uri, "", false)?.redacted_last(),
            before: Set::new(),
            added: 0,
            rows: 0,
            batch: Batch::default(),
        })
    }

    /// Asks for all `rows`, and appends an answer for each to `flags`; `None` for one without a
    /// key.
    ///
    /// # Errors
    /// Errors of the store; a key is too long, or a row is not a URI and that is an error.
    pub(super) fn ask(
        &mut self,
        store: &mut OpenStore,
        rows: &mut (dyn Iterator<Item = Option<&[u8]>> + Send),
        cancel: &AtomicBool,
        flags: &mut Vec<Option<bool>>,
    ) -> io::Result<()> {
        for row in rows {
            self.push(row, &store.hasher)?;
            if self.batch.has_key.len() >= ROWS || self.batch.bytes.len() >= BYTES {
                self.flush(store, flags)?;
                if cancel.load(Ordering::Relaxed) {
                    return Ok(());
                }
            }
        }
        self.flush(store, flags)
    }

    fn push(&mut self, row: Option<&[u8]>, hasher: &Hasher) -> io::Result<()> {
        let wrong = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
        let at = self.rows + self.batch.has_key.len();
        let no_uri = self.normalizer.no_uri();
        let key = match row {
            None => None,
            Some(row) if self.normalizer.reads(row) => self.normalizer.of(row),
            Some(row) => match no_uri {
                NoUri::Keep => Some(self.normalizer.redacted(row.trim_ascii())),
                NoUri::Null => None,
                NoUri::Raise => return Err(wrong(format!("row {at}: not a URI"))),
            },
        };
        let Batch {
            bytes,
            keys,
            has_key,
            ..
        } = &mut self.batch;
        has_key.push(key.is_some());
        let Some(key) = key else {
            return Ok(());
        };
        if key.len() > KEY_MAX {
            let len = key.len();
            return Err(wrong(format!(
                "row {at}: {len} bytes; the longest that a store takes has {KEY_MAX}"
            )));
        }
        // A batch has at most its bytes and one key more.
        let from = bytes.len() as u32;
        bytes.extend_from_slice(key);
        keys.push(Key {
            hash: hasher.hash(key),
            from,
            to: bytes.len() as u32,
            number: keys.len() as u32,
            count: 1,
        });
        Ok(())
    }

    /// Asks for the keys of the batch, and begins the next one.
    fn flush(&mut self, store: &mut OpenStore, flags: &mut Vec<Option<bool>>) -> io::Result<()> {
        let Batch {
            bytes,
            keys,
            has_key,
            answers,
        } = &mut self.batch;
        answers.clear();
        answers.resize(keys.len(), Answer::New);
        store.reader.ask(&Keys::new(bytes, keys), answers)?;
        let mut asked = keys.iter().zip(&*answers);
        for &has_key in has_key.iter() {
            let next = if has_key { asked.next() } else { None };
            let Some((key, answer)) = next else {
                flags.push(None);
                continue;
            };
            let text = &bytes[key.from as usize..key.to as usize];
            let is_known = *answer == Answer::Known || store.waiting.contains(key.hash, text);
            flags.push(Some(match self.asked {
                Asked::Contains => is_known,
                Asked::New => !is_known && self.before.insert(key.hash, text, 1, b""),
                Asked::Add => {
                    let is_new = !is_known && store.waiting.insert(key.hash, text, 1, b"");
                    self.added += u64::from(is_new);
                    is_new
                }
            }));
        }
        self.rows += has_key.len();
        bytes.clear();
        keys.clear();
        has_key.clear();
        Ok(())
    }
}
