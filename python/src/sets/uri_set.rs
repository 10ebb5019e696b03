//! `UriSet`: the URIs of many columns, each once.

use crate::arrow::arrays::{Column, Rows};
use crate::arrow::columns::{Texts, lossy};
use crate::arrow::offsets::Offsets;
use crate::arrow::text_type::TextType;
use crate::calls::normalize::{NoUri, Normalizer, no_uri};
use crate::running::{all_searched, guarded, interruptible, run_error, side_by_side};
use crate::sets::gathered::{Gathered, Intake, number_of_parts};
use crate::sets::packed::Kind;
use crate::settings::given::wrong_value;
use crate::settings::options::{OF_CLASSES, OF_EXCHANGES, OF_INPUTS, Options};
use crate::shared::Shared;
use arrow_array::{ArrayRef, ListArray};
use arrow_schema::Field;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use urisieve::{Error, Mode, problems_of};

/// The rows that are searched before their URIs are added to the set.
const PIECE: usize = 1 << 10;

/// The canonical URIs in many columns of texts, each once: URIs with the same bytes are
/// equal.
///
/// `add_from` adds the URIs in texts, `add` adds values that are URIs. `take` returns them,
/// and empties the set. The options are those of `extract`; `threads` is the number of threads
/// that search. Threads may share a set: the URIs of their calls are added piece by piece.
///
/// >>> import urisieve
/// >>> uris = urisieve.UriSet(level="scheme")
/// >>> uris.add_from(["see HTTP://A.example:80/b", None, "http://a.example/b urn:a-b:c"])
/// >>> len(uris), uris.take().to_pylist()
/// (2, [['http://a.example/b', 'urn:a-b:c']])
#[doc = include_str!("../doc/found.txt")]
#[doc = include_str!("../doc/equality.txt")]
#[doc = include_str!("../doc/values.txt")]
#[pyclass(name = "UriSet", module = "urisieve", frozen)]
pub(crate) struct UriSet {
    options: Options,
    uris: Shared<Gathered>,
    /// The type of the first column.
    texts: Mutex<Option<TextType>>,
}

#[pymethods]
impl UriSet {
    #[new]
    #[pyo3(signature = (**options), text_signature = "(**options)")]
    fn new(options: Option<&Bound<'_, PyDict>>) -> PyResult<UriSet> {
        guarded(|| {
            let options = Options::new(options)?;
            options.reject("UriSet", &OF_INPUTS)?;
            options.reject("UriSet", &OF_EXCHANGES)?;
            options.reject("UriSet", &OF_CLASSES)?;
            if options.mode != Mode::Distinct {
                return Err(wrong_value("all", "not with UriSet"));
            }
            Ok(UriSet {
                options,
                uris: Shared::new(Gathered::new()),
                texts: Mutex::default(),
            })
        })
    }

    /// Adds the URIs in the texts of a column. Each text is searched separately.
    fn add_from(&self, x: &Bound<'_, PyAny>) -> PyResult<()> {
        guarded(|| {
            let column = self.column(x)?;
            self.options.check_encoding(column.texts.is_strings())?;
            column
                .chunks
                .iter()
                .try_for_each(|rows| self.search(x.py(), rows))
        })
    }

    /// Adds the values of a column, which are URIs, in the canonical form that the options of the
    /// set give. Values that the options do not choose, such as those with another `host`, are
    /// not added.
    ///
    /// The values are not searched: `add_from` finds the URIs within texts, and finds more than
    /// one, or one without the text around it. A value that is not a URI is added as it is,
    /// unless the options choose; with `errors="null"` it is not added, and with
    /// `errors="raise"` it is a `ValueError`, and nothing is added.
    ///
    /// >>> import urisieve
    /// >>> uris = urisieve.UriSet(level="scheme")
    /// >>> uris.add(["HTTP://a.example:80", "http://a.example/", "n/a"], errors="null")
    /// >>> uris.take().to_pylist()
    /// [['http://a.example/']]
    #[pyo3(signature = (x, *, errors=None), text_signature = "($self, x, *, errors='keep')")]
    fn add(&self, x: &Bound<'_, PyAny>, errors: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        guarded(|| {
            let errors = no_uri(errors)?;
            let normalizer = Normalizer::new(&self.options, errors, "", false)?;
            let column = self.column(x)?;
            if errors == NoUri::Raise {
                let is_wrong = |row: Option<&[u8]>| row.is_some_and(|row| !normalizer.reads(row));
                if let Some(row) = x.py().detach(|| column.rows().position(is_wrong)) {
                    return Err(wrong_value("x", &format!("row {row}: not a URI")));
                }
            }
            for rows in &column.chunks {
                let cancel = AtomicBool::new(false);
                let size = rows.bytes() + 64 * rows.len();
                let work = || self.add_rows(rows, normalizer.clone(), &cancel);
                interruptible(x.py(), size, &cancel, work)?;
            }
            Ok(())
        })
    }

    /// Returns all URIs as an array of `parts` lists, and empties the set.
    ///
    /// The part of a URI depends only on its bytes: it is the same for every set of this
    /// version of the package, on any machine. Within a part the order is that in which the
    /// URIs were added.
    ///
    /// >>> import urisieve
    /// >>> uris = urisieve.UriSet()
    /// >>> uris.add(["urn:a-b:c", "urn:a-b:d", "urn:a-b:c"])
    /// >>> [len(part) for part in uris.take(parts=1)], len(uris)
    /// ([2], 0)
    #[pyo3(signature = (parts=None), text_signature = "($self, parts=1)")]
    fn take(&self, py: Python<'_>, parts: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
        guarded(|| {
            let parts = number_of_parts(parts)?;
            let texts = self.texts().unwrap_or(TextType::String);
            let lists = |uris: &Gathered| lists(uris, parts, texts);
            self.uris.take(py, lists)
        })
    }

    /// Returns all URIs in compressed blocks, and empties the set: an array of `part`, a
    /// number below `parts`, and `packed`, which `add_packed` of another set takes.
    ///
    /// The parts are those of `take`. A block has at most `longest` bytes before it is
    /// compressed, or one URI. Blocks are for other processes that have the same version of
    /// the package, not for keeping.
    ///
    /// >>> import pyarrow, urisieve
    /// >>> some, all = urisieve.UriSet(), urisieve.UriSet()
    /// >>> some.add(["urn:a-b:c", "urn:a-b:d"])
    /// >>> part, packed = pyarrow.array(some.pack()).flatten()
    /// >>> all.add_packed(packed)
    /// >>> part.to_pylist(), len(some), all.take().to_pylist()
    /// ([0], 0, [['urn:a-b:c', 'urn:a-b:d']])
    #[pyo3(signature = (parts=None, longest=None), text_signature = "($self, parts=1, longest=1048576)")]
    fn pack(
        &self,
        py: Python<'_>,
        parts: Option<&Bound<'_, PyAny>>,
        longest: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        guarded(|| {
            let kind = match self.is_strings() {
                true => Kind::Strings,
                false => Kind::Binary,
            };
            self.uris.pack(py, kind, parts, longest)
        })
    }

    /// Adds the URIs in an Arrow array of blocks that `pack` of another set has made.
    ///
    /// Raises `ValueError` for a value that is not such a block.
    fn add_packed(&self, x: &Bound<'_, PyAny>) -> PyResult<()> {
        guarded(|| {
            self.uris.add_packed(x, |kind| {
                let known = match kind {
                    Kind::Strings => TextType::LargeString,
                    Kind::Binary => TextType::LargeBinary,
                    Kind::Links => return false,
                };
                self.texts_or(known).is_strings() == known.is_strings()
            })
        })
    }

    /// The bytes of memory that the set takes.
    #[getter]
    fn memory(&self, py: Python<'_>) -> usize {
        self.uris.memory(py)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.uris.len(py)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<urisieve.UriSet of {}>", self.__len__(py))
    }
}

/// The URIs of pieces of rows, which are added in the order of the pieces.
#[derive(Default)]
struct Pieces {
    /// The piece that is added next.
    next: usize,
    found: BTreeMap<usize, Texts>,
}

impl UriSet {
    fn column(&self, x: &Bound<'_, PyAny>) -> PyResult<Column> {
        let column = Column::required(x, "x")?;
        self.texts_or(column.texts);
        Ok(column)
    }

    fn texts(&self) -> Option<TextType> {
        *self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the type of the first column, which is `texts` if there was none.
    fn texts_or(&self, texts: TextType) -> TextType {
        let mut known = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        *known.get_or_insert(texts)
    }

    /// Whether URIs must be UTF-8, because the columns are of strings.
    fn is_strings(&self) -> bool {
        self.texts().is_none_or(TextType::is_strings)
    }

    fn add_rows(&self, rows: &Rows, mut normalizer: Normalizer, cancel: &AtomicBool) {
        let strings = self.is_strings();
        let keeps = normalizer.no_uri() == NoUri::Keep && !self.options.chooses();
        self.uris.lock().fill(|intake| {
            for (at, row) in rows.iter().enumerate() {
                if at % PIECE == 0 && cancel.load(Ordering::Relaxed) {
                    return;
                }
                let Some(row) = row else {
                    continue;
                };
                let problems = || problems_of(row.trim_ascii());
                let added = match normalizer.of(row) {
                    Some(uri) => Some(uri).filter(|uri| self.options.admits(uri, problems)),
                    None => keeps.then_some(row),
                };
                if let Some(added) = added {
                    push(intake, added, strings);
                }
            }
        });
    }

    fn search(&self, py: Python<'_>, rows: &Rows) -> PyResult<()> {
        let cancel = Arc::<AtomicBool>::default();
        let sieve = self.options.of_rows(&cancel).build();
        let size = rows.bytes() + 512 * rows.len();
        let count = rows.len().div_ceil(PIECE);
        let threads = self.options.threads.unwrap_or(1).min(count).max(1);
        let (begun, pieces) = (AtomicUsize::new(0), Mutex::<Pieces>::default());
        let work = |_| -> Result<u64, Error> {
            let mut search = sieve.text_search()?;
            loop {
                let piece = begun.fetch_add(1, Ordering::Relaxed);
                if piece >= count {
                    return Ok(search.stats().failed_inputs);
                }
                let mut found = Texts::default();
                for at in piece * PIECE..((piece + 1) * PIECE).min(rows.len()) {
                    let row = rows.get(at).unwrap_or_default();
                    search.search(row, |finding| found.push(finding.uri))?;
                }
                let mut all = pieces.lock().unwrap_or_else(PoisonError::into_inner);
                all.found.insert(piece, found);
                drop(all);
                if let Some(mut uris) = self.uris.try_lock() {
                    self.add_pieces(&mut uris, &pieces);
                }
            }
        };
        let failed = interruptible(py, size, &cancel, || {
            let done = side_by_side(threads, work);
            self.add_pieces(&mut self.uris.lock(), &pieces);
            done.into_iter().sum::<Result<u64, Error>>()
        })?;
        all_searched(failed.map_err(|error| run_error(&error))?)
    }

    /// Adds the pieces that are next.
    fn add_pieces(&self, uris: &mut Gathered, pieces: &Mutex<Pieces>) {
        let strings = self.is_strings();
        uris.fill(|intake| {
            loop {
                let mut pieces = pieces.lock().unwrap_or_else(PoisonError::into_inner);
                let Pieces { next, found } = &mut *pieces;
                let Some(texts) = found.remove(next) else {
                    return;
                };
                *next += 1;
                drop(pieces);
                (0..texts.len()).for_each(|at| push(intake, texts.get(at), strings));
            }
        });
    }
}

#[inline]
fn push(intake: &mut Intake<'_>, uri: &[u8], strings: bool) {
    match strings {
        true => intake.push(&lossy(uri)),
        false => intake.push(uri),
    }
}

/// Returns the URIs of a set as lists, one for each part.
fn lists(uris: &Gathered, parts: u32, texts: TextType) -> PyResult<ArrayRef> {
    let (ends, keys) = uris.in_parts(parts);
    let mut values = Texts::with_capacity(keys.len(), uris.key_bytes());
    keys.iter().for_each(|uri| values.push(uri));
    let item = Arc::new(Field::new("item", texts.data_type(), true));
    let mut offsets = Offsets::with_capacity(ends.len());
    ends.into_iter().for_each(|end| offsets.push(end));
    let lists = ListArray::try_new(item, offsets.finish()?, values.finish(texts)?, None);
    let lists = lists.map_err(|error| wrong_value("parts", &error.to_string()))?;
    Ok(Arc::new(lists))
}
