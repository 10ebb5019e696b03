//! Options with what calls on short texts need. It is kept from call to call: by an `Extractor`,
//! and for the options of the last calls of functions.

use crate::running::SHORT;
use crate::settings::options::Options;
use ahash::RandomState;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyList, PyString, PyTuple};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};
use urisieve::canonicalize::gateway::Gateways;
use urisieve::canonicalize::{Canonicalizer, Level};
use urisieve::{Finder, TextSearch};

/// The most options of functions that are kept.
const KEPT: usize = 32;

/// The most searches that are kept for one set of options.
const SPARE: usize = 4;

/// Options whose meaning depends on more than their values: on files, or on the time.
const CHANGING: [&str; 7] = [
    "resolvers",
    "unwrap_gateways",
    "match",
    "temp_dir",
    "against",
    "since",
    "until",
];

/// Options, and the searches that they need.
pub(crate) struct Prepared {
    pub options: Options,
    finder: OnceLock<(u32, Finder)>,
    /// The canonicalizer of `unwrap`, whose table is large.
    unwrapping: OnceLock<Canonicalizer>,
    /// Searches that no call uses; `None` where the options need a run.
    spare: Mutex<Option<Vec<Spare>>>,
}

/// A search, apart from the list of them: it is large, and would be copied.
type Spare = Box<TextSearch>;

type Kept = HashMap<Vec<u8>, Arc<Prepared>, RandomState>;

impl Prepared {
    /// Checks options.
    ///
    /// # Errors
    /// Those of [`Options::new`].
    pub(crate) fn new(given: Option<&Bound<'_, PyDict>>) -> PyResult<Arc<Prepared>> {
        let options = Options::new(given)?;
        let spare = Mutex::new(is_searched(&options).then(Vec::new));
        Ok(Arc::new(Prepared {
            options,
            finder: OnceLock::new(),
            unwrapping: OnceLock::new(),
            spare,
        }))
    }

    /// Returns the options of a function, which are prepared unless those of one of its last
    /// calls were the same.
    ///
    /// # Errors
    /// Those of [`new`](Prepared::new).
    pub(crate) fn of(given: Option<&Bound<'_, PyDict>>) -> PyResult<Arc<Prepared>> {
        static PLAIN: OnceLock<Arc<Prepared>> = OnceLock::new();
        static OTHERS: LazyLock<Mutex<Kept>> = LazyLock::new(Mutex::default);
        let Some(given) = given.filter(|given| !given.is_empty()) else {
            return match PLAIN.get() {
                Some(plain) => Ok(Arc::clone(plain)),
                None => Prepared::new(None).map(|plain| Arc::clone(PLAIN.get_or_init(|| plain))),
            };
        };
        let Some(key) = key(given) else {
            return Prepared::new(Some(given));
        };
        if let Some(kept) = lock(&OTHERS).get(&key) {
            return Ok(Arc::clone(kept));
        }
        let prepared = Prepared::new(Some(given))?;
        let mut others = lock(&OTHERS);
        if others.len() >= KEPT {
            others.clear();
        }
        others.insert(key, Arc::clone(&prepared));
        Ok(prepared)
    }

    /// Returns the finder for a text of `size` bytes; one that is not short may be cancelled.
    pub(crate) fn finder(&self, size: usize, cancel: &Arc<AtomicBool>) -> Finder {
        let make = || self.options.finder(&Arc::default());
        let process = std::process::id();
        match self.finder.get_or_init(|| (process, make())) {
            // After a fork another thread may have the lock of a finder for ever.
            (of, finder) if size < SHORT && *of == process => finder.clone(),
            _ => self.options.finder(cancel),
        }
    }

    /// Returns the canonicalizer that unwraps all gateways, unless the options name some, and
    /// leaves their targets as they are spelled, unless the options have a level.
    pub(crate) fn unwrapping(&self) -> &Canonicalizer {
        self.unwrapping.get_or_init(|| {
            let options = &self.options;
            let mut canonicalizer = options.canonicalizer.clone();
            if !options.is_given("unwrap_gateways") {
                canonicalizer = canonicalizer.unwrap_gateways(Gateways::built_in());
            }
            match options.is_given("level") {
                true => canonicalizer,
                false => canonicalizer.at(Level::None),
            }
        })
    }

    /// Takes a search of short texts, which has every occurrence; `None` where the options need
    /// a run.
    pub(crate) fn search(&self) -> Option<Spare> {
        let mut spare = lock(&self.spare);
        if let Some(search) = spare.as_mut()?.pop() {
            return Some(search);
        }
        let search = self.options.of_rows(&Arc::default()).build().text_search();
        if search.is_err() {
            *spare = None;
        }
        search.ok().map(Box::new)
    }

    /// Gives a search back.
    pub(crate) fn give_back(&self, search: Spare) {
        if let Some(spare) = lock(&self.spare).as_mut()
            && spare.len() < SPARE
        {
            spare.push(search);
        }
    }
}

/// Whether the URIs of a text are what is found in it, in its order.
fn is_searched(options: &Options) -> bool {
    let is_in_order = options.part().is_none() && !options.counts() && !options.is_given("sort");
    let columns = ["csv_column", "field"];
    is_in_order && !options.reads_logs() && !columns.iter().any(|name| options.is_given(name))
}

/// Returns bytes that are the same for the same options only; `None` where options have other
/// values, or mean something else later.
fn key(given: &Bound<'_, PyDict>) -> Option<Vec<u8>> {
    let mut key = Vec::with_capacity(64);
    for (name, value) in given {
        let name = name.cast::<PyString>().ok()?.to_cow().ok()?;
        if CHANGING.contains(&&*name) {
            return None;
        }
        push(&mut key, b'n', name.as_bytes());
        push_value(&mut key, &value)?;
    }
    Some(key)
}

fn push_value(key: &mut Vec<u8>, value: &Bound<'_, PyAny>) -> Option<()> {
    if value.is_none() {
        push(key, b'0', b"");
    } else if let Ok(flag) = value.cast_exact::<PyBool>() {
        push(key, b'b', &[u8::from(flag.is_true())]);
    } else if let Ok(text) = value.cast_exact::<PyString>() {
        push(key, b's', text.to_cow().ok()?.as_bytes());
    } else if value.is_exact_instance_of::<PyInt>() {
        push(key, b'i', &value.extract::<i64>().ok()?.to_le_bytes());
    } else if let Ok(list) = value.cast_exact::<PyList>() {
        push(key, b'l', &list.len().to_le_bytes());
        list.iter().try_for_each(|item| push_value(key, &item))?;
    } else {
        let tuple = value.cast_exact::<PyTuple>().ok()?;
        push(key, b't', &tuple.len().to_le_bytes());
        tuple.iter().try_for_each(|item| push_value(key, &item))?;
    }
    Some(())
}

fn push(key: &mut Vec<u8>, kind: u8, bytes: &[u8]) {
    key.push(kind);
    key.extend_from_slice(&bytes.len().to_le_bytes());
    key.extend_from_slice(bytes);
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
