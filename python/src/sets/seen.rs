//! `Seen`: the URIs that earlier runs have seen, in a store on disk, which the command line may use,
//! too.

use crate::arrow::arrays::Column;
use crate::arrow::export::answer;
use crate::calls::normalize::no_uri;
use crate::running::{GLANCE, SHORT, guarded, interruptible, os_error};
use crate::sets::asking::{Asked, Asking, OpenStore};
use crate::settings::given::{self, wrong_type, wrong_value};
use crate::settings::options::{OF_CLASSES, OF_EXCHANGES, OF_INPUTS, Options};
use crate::settings::store_settings;
use crate::shared::Shared;
use crate::text::Text;
use arrow_array::{ArrayRef, BooleanArray};
use arrow_schema::DataType;
use pyo3::exceptions::{
    PyBlockingIOError, PyFileNotFoundError, PyOSError, PyRuntimeError, PyRuntimeWarning,
    PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::CString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use urisieve::Mode;
use urisieve::store::seen::{SeenError, SeenFault, SeenReader, SeenWriter};

/// The memory for the filters and lists of a store, without `max_memory`.
const MEMORY: usize = 512 << 20;

/// Options that would leave values out.
const OF_CHOICE: [&str; 11] = [
    "scheme",
    "nid",
    "host",
    "include",
    "exclude",
    "ext",
    "no_ext",
    "problem",
    "match",
    "match_entries",
    "match_column",
];

/// The URIs that were seen before, in a store on disk: exactly, over processes and crashes.
///
/// `new` says of each value whether it is new, `contains` whether it was seen, `add` notes values,
/// and `commit` remembers what was noted, at once or, after a crash, not at all. As a context
/// manager it commits at the end, unless an exception is raised. Values are compared by the
/// options; those of an existing store need not be repeated, and others are a `ValueError`. A value
/// that is not a URI is compared as it is.
///
/// The store is a directory; `urisieve seen` and `--seen` use the same. One process writes to it;
/// a second one is a `BlockingIOError`, or waits for `wait` seconds. With `read_only=True` the store
/// is only asked, beside a writer, in the state that it had when it was opened. Damage is an
/// `OSError` that names the file and the byte. `note` is kept with what is committed.
///
/// >>> import os, tempfile, urisieve
/// >>> store = os.path.join(tempfile.mkdtemp(), "seen.store")
/// >>> with urisieve.Seen(store, level="scheme") as seen:
/// ...     urls = ["http://a.example/", "HTTP://A.example:80", "urn:a-b:c", None]
/// ...     print(list(seen.new(urls)), seen.add(urls))
/// [True, False, True, None] 2
/// >>> with urisieve.Seen(store, read_only=True) as seen:
/// ...     print(len(seen), seen.contains("http://A.example"), list(seen.contains(["urn:a-b:d"])))
/// 2 True [False]
#[doc = include_str!("../doc/equality.txt")]
#[doc = include_str!("../doc/store.txt")]
#[pyclass(name = "Seen", module = "urisieve", frozen)]
pub(crate) struct Seen {
    path: PathBuf,
    options: Options,
    note: String,
    /// Empty when the store is closed.
    store: Shared<Option<OpenStore>>,
    /// The process that has the lock.
    process: u32,
}

#[pymethods]
impl Seen {
    #[new]
    #[pyo3(
        signature = (path, *, read_only=None, note=None, wait=None, **options),
        text_signature = "(path, *, read_only=False, note=None, wait=0, **options)"
    )]
    fn new(
        path: &Bound<'_, PyAny>,
        read_only: Option<&Bound<'_, PyAny>>,
        note: Option<&Bound<'_, PyAny>>,
        wait: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Seen> {
        guarded(|| {
            let py = path.py();
            let Ok(directory) = path.extract::<PathBuf>() else {
                return Err(wrong_type("path", "a path", path));
            };
            let read_only = given::flag("read_only", read_only)?;
            let note = given::text("note", note)?.unwrap_or_default();
            let wait = wait.map_or(Ok(0), |wait| given::number("wait", wait))?;
            let wait = Duration::from_secs(wait as u64);
            if read_only && !note.is_empty() {
                return Err(wrong_value("note", "not with read_only"));
            }
            let named = options.map_or_else(|| Ok(PyDict::new(py)), |given| given.copy())?;
            if !store_settings::are_named(&named)? && SeenReader::is_at(&directory) {
                // Rules that are not named are those of the store.
                let open = SeenReader::open(&directory, 0).map_err(|error| raised(&error))?;
                store_settings::set_options(open.settings(), &named)?;
            }
            let options = Options::new(Some(&named))?;
            for names in [&OF_INPUTS[..], &OF_EXCHANGES, &OF_CLASSES, &OF_CHOICE] {
                options.reject("Seen", names)?;
            }
            if options.mode != Mode::Distinct {
                return Err(wrong_value("all", "not with Seen"));
            }
            let settings = store_settings::settings(Some(&named))?;
            let memory = options.max_memory.map_or(MEMORY, |bytes| bytes / 2);
            let begun = Instant::now();
            let (writer, reader) = loop {
                let opened: Result<_, SeenError> = py.detach(|| match read_only {
                    true => {
                        let open = SeenReader::open(&directory, memory)?;
                        open.check_settings(&settings)?;
                        Ok((None, open))
                    }
                    false => {
                        let writer = SeenWriter::open(&directory, &settings, Duration::ZERO)?;
                        let open = writer.reader(memory)?;
                        Ok((Some(writer), open))
                    }
                });
                match opened {
                    Ok(opened) => break opened,
                    Err(error)
                        if matches!(error.fault(), SeenFault::Locked(_))
                            && begun.elapsed() < wait =>
                    {
                        // A signal ends the wait.
                        py.check_signals()?;
                        py.detach(|| std::thread::sleep(GLANCE));
                    }
                    Err(error) => return Err(raised(&error)),
                }
            };
            let scratch = options.temp_dir.clone().unwrap_or_else(std::env::temp_dir);
            Ok(Seen {
                path: directory,
                options,
                note,
                store: Shared::new(Some(OpenStore::new(writer, reader, scratch))),
                process: std::process::id(),
            })
        })
    }

    /// Returns whether a value is new, or a column of flags: neither in the store, nor noted, nor,
    /// in a column, in a row before. Nothing is noted: `add` does that, when a value is done with.
    ///
    /// What is not a URI is compared as it is; with `errors="null"` the answer is `None`.
    #[pyo3(signature = (x, *, errors=None), text_signature = "($self, x, *, errors='keep')")]
    #[pyo3(name = "new")]
    fn is_new<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        errors: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        guarded(|| self.flags(x, Asked::New, errors))
    }

    /// Returns whether a value is in the store, or was noted, or a column of flags.
    ///
    /// What is not a URI is compared as it is; with `errors="null"` the answer is `None`.
    #[pyo3(signature = (x, *, errors=None), text_signature = "($self, x, *, errors='keep')")]
    fn contains(
        &self,
        x: &Bound<'_, PyAny>,
        errors: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        guarded(|| self.flags(x, Asked::Contains, errors))
    }

    /// Notes a value, or those of a column, and returns how many were new. The next commit
    /// remembers them.
    ///
    /// What is not a URI is noted as it is; with `errors="null"` it is not, and with
    /// `errors="raise"` it is a `ValueError`, and rows before it may be noted.
    #[pyo3(signature = (x, *, errors=None), text_signature = "($self, x, *, errors='keep')")]
    fn add(&self, x: &Bound<'_, PyAny>, errors: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
        guarded(|| {
            self.with(x.py(), |store| match store.writes() {
                true => Ok(()),
                false => Err(wrong_value("read_only", "nothing can be added")),
            })?;
            Ok(self.asked(x, Asked::Add, errors)?.added)
        })
    }

    /// Remembers what was noted since the last commit, and returns the number of these values.
    /// After an error or a crash the store is as it was before.
    fn commit(&self, py: Python<'_>) -> PyResult<u64> {
        guarded(|| {
            let cancel = AtomicBool::new(false);
            let (keys, merged) = self.with(py, |store| {
                let commit = || store.commit(&self.note, &cancel);
                interruptible(py, SHORT, &cancel, commit)?.map_err(|error| failed(&error))
            })?;
            if let Err(error) = merged
                && !matches!(error.fault(), SeenFault::Cancelled)
            {
                let text = format!("runs are not merged: {error}").replace('\0', "\\0");
                let text = CString::new(text).unwrap_or_default();
                PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 1)?;
            }
            Ok(keys)
        })
    }

    /// Closes the store. What was noted and not committed is forgotten.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        guarded(|| {
            let open = self.store.with(py, |store| Ok(store.take()))?;
            py.detach(|| drop(open));
            Ok(())
        })
    }

    /// The number of values in the store and of those that were noted.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        guarded(|| self.with(py, |store| Ok(store.len())))
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    #[pyo3(signature = (kind=None, raised=None, traceback=None))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: Option<Bound<'_, PyAny>>,
        raised: Option<Bound<'_, PyAny>>,
        traceback: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let _ = (raised, traceback);
        let commits = kind.is_none() && self.store.lock().as_ref().is_some_and(OpenStore::writes);
        let committed = match commits {
            true => self.commit(py).map(drop),
            false => Ok(()),
        };
        self.close(py)?;
        committed
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let path = self.path.as_os_str().into_pyobject(py)?.repr()?.to_string();
        Ok(format!("<urisieve.Seen {path}>"))
    }
}

impl Seen {
    /// Runs `work` on the open store.
    fn with<R>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut OpenStore) -> PyResult<R>,
    ) -> PyResult<R> {
        if self.process != std::process::id() {
            let why = "the store belongs to the process that opened it; open it after the fork";
            return Err(PyRuntimeError::new_err(why));
        }
        self.store.with(py, |store| match store {
            Some(store) => work(store),
            None => Err(PyValueError::new_err("the store is closed")),
        })
    }

    fn flags(
        &self,
        x: &Bound<'_, PyAny>,
        asked: Asked,
        errors: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let answers = self.asked(x, asked, errors)?;
        let py = x.py();
        match answers.chunked {
            Some(chunked) => answer(py, DataType::Boolean, answers.arrays, chunked),
            None => Ok(answers.flag.into_pyobject(py)?.unbind()),
        }
    }

    fn asked(
        &self,
        x: &Bound<'_, PyAny>,
        asked: Asked,
        errors: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Answers> {
        let py = x.py();
        let mut asking = Asking::new(&self.options, asked, no_uri(errors)?)?;
        if let Some(text) = Text::of(x)? {
            let row = Some(text.bytes()?);
            let none = AtomicBool::new(false);
            let mut flags = Vec::new();
            self.with(py, |store| {
                let done =
                    py.detach(|| asking.ask(store, &mut [row].into_iter(), &none, &mut flags));
                done.map_err(|error| failed(&error))
            })?;
            return Ok(Answers {
                flag: flags.first().copied().flatten(),
                arrays: Vec::new(),
                added: asking.added,
                chunked: None,
            });
        }
        let column = Column::or_text(x, "x")?;
        let mut arrays: Vec<ArrayRef> = Vec::new();
        for rows in &column.chunks {
            let cancel = AtomicBool::new(false);
            let size = rows.bytes() + 256 * rows.len();
            let mut flags = Vec::with_capacity(rows.len());
            self.with(py, |store| {
                let work = || asking.ask(store, &mut rows.iter(), &cancel, &mut flags);
                interruptible(py, size, &cancel, work)?.map_err(|error| failed(&error))
            })?;
            arrays.push(Arc::new(BooleanArray::from(flags)));
        }
        Ok(Answers {
            flag: None,
            arrays,
            added: asking.added,
            chunked: Some(column.chunked),
        })
    }
}

/// What was asked of a store.
struct Answers {
    /// The answer of a text.
    flag: Option<bool>,
    /// The answers of a column.
    arrays: Vec<ArrayRef>,
    added: u64,
    /// Whether the column was a stream; `None` for a text.
    chunked: Option<bool>,
}

/// Returns the exception for an error of a store.
fn raised(error: &SeenError) -> PyErr {
    let text = error.to_string().replace("--wait", "wait");
    match error.fault() {
        SeenFault::Io(_, cause) => os_error(cause, error.path().to_str()),
        SeenFault::NoStore => PyFileNotFoundError::new_err(text),
        SeenFault::Locked(_) => PyBlockingIOError::new_err(text),
        SeenFault::Foreign | SeenFault::LongKey(_) | SeenFault::Settings(_) => {
            PyValueError::new_err(text)
        }
        _ => PyOSError::new_err(text),
    }
}

/// Returns the exception for an error of asking or of a commit.
fn failed(error: &io::Error) -> PyErr {
    let inner = error.get_ref();
    match inner.and_then(|inner| inner.downcast_ref::<SeenError>()) {
        Some(error) => raised(error),
        None if error.kind() == io::ErrorKind::InvalidInput => {
            PyValueError::new_err(error.to_string())
        }
        None => os_error(error, None),
    }
}
