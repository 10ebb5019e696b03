//! `UriSet`: the URIs of many Arrow arrays, each once.

use crate::arrays::{Column, Rows, TextType};
use crate::calls::{all_searched, guarded, interruptible, run_error};
use crate::columns::{Texts, lossy, offsets};
use crate::export::answer;
use crate::gathered::{Gathered, Intake};
use crate::given::wrong_value;
use crate::options::{OF_CLASSES, OF_EXCHANGES, OF_INPUTS, Options};
use crate::packed::{Kind, LONGEST};
use arrow_array::{ArrayRef, ListArray};
use arrow_schema::Field;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use urisieve::Mode;
use urisieve::item::Finding;

/// The canonical URIs in many Arrow arrays of texts, each once: URIs with the same bytes
/// are equal.
///
/// `add_from` adds the URIs in texts, `add` adds URIs that were found before. `take` returns
/// them, and empties the set. The options are those of `extract`.
///
/// >>> import pyarrow, urisieve
/// >>> uris = urisieve.UriSet(level="scheme")
/// >>> uris.add_from(pyarrow.array(["see HTTP://A.example:80/b", None, "http://a.example/b urn:a-b:c"]))
/// >>> len(uris), uris.take().to_pylist()
/// (2, [['http://a.example/b', 'urn:a-b:c']])
#[pyclass(name = "UriSet", module = "urisieve")]
pub(crate) struct UriSet {
    options: Options,
    uris: Gathered,
    /// The type of the first array.
    texts: Option<TextType>,
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
                uris: Gathered::new(),
                texts: None,
            })
        })
    }

    /// Adds the URIs in the texts of an Arrow array. Each text is searched separately.
    fn add_from(&mut self, x: &Bound<'_, PyAny>) -> PyResult<()> {
        guarded(|| {
            let column = self.column(x)?;
            column
                .chunks
                .iter()
                .try_for_each(|rows| self.search(x.py(), rows))
        })
    }

    /// Adds the values of an Arrow array unchanged: URIs that were found before.
    fn add(&mut self, x: &Bound<'_, PyAny>) -> PyResult<()> {
        guarded(|| {
            let column = self.column(x)?;
            let strings = self.is_strings();
            self.uris.fill(|intake| {
                column
                    .rows()
                    .flatten()
                    .for_each(|uri| push(intake, uri, strings));
            });
            Ok(())
        })
    }

    /// Returns all URIs as an array of `parts` lists, and empties the set.
    ///
    /// The part of a URI depends only on its bytes: it is the same for every set of this
    /// version of the package, on any machine. Within a part the order is that in which the
    /// URIs were added.
    ///
    /// >>> import pyarrow, urisieve
    /// >>> uris = urisieve.UriSet()
    /// >>> uris.add(pyarrow.array(["urn:a-b:c", "urn:a-b:d", "urn:a-b:c"]))
    /// >>> [len(part) for part in uris.take(parts=1).to_pylist()], len(uris)
    /// ([2], 0)
    #[pyo3(signature = (parts=1))]
    fn take(&mut self, py: Python<'_>, parts: u32) -> PyResult<Py<PyAny>> {
        guarded(|| {
            let texts = self.texts.unwrap_or(TextType::String);
            let lists = py.detach(|| lists(&self.uris, parts, texts))?;
            self.uris.clear();
            answer(py, lists.data_type().clone(), vec![lists], false)
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
    /// >>> some.add(pyarrow.array(["urn:a-b:c", "urn:a-b:d"]))
    /// >>> part, packed = pyarrow.array(some.pack()).flatten()
    /// >>> all.add_packed(packed)
    /// >>> part.to_pylist(), len(some), all.take().to_pylist()
    /// ([0], 0, [['urn:a-b:c', 'urn:a-b:d']])
    #[pyo3(signature = (parts=1, longest=LONGEST))]
    fn pack(&mut self, py: Python<'_>, parts: u32, longest: usize) -> PyResult<Py<PyAny>> {
        guarded(|| {
            let kind = match self.is_strings() {
                true => Kind::Strings,
                false => Kind::Binary,
            };
            let blocks = py.detach(|| self.uris.pack(kind, parts, longest))?;
            self.uris.clear();
            answer(py, blocks.data_type().clone(), vec![blocks], false)
        })
    }

    /// Adds the URIs in an Arrow array of blocks that `pack` of another set has made.
    ///
    /// Raises `ValueError` for a value that is not such a block.
    fn add_packed(&mut self, x: &Bound<'_, PyAny>) -> PyResult<()> {
        guarded(|| {
            let UriSet { uris, texts, .. } = self;
            uris.add_packed(&Column::required(x, "x")?, |kind| {
                let known = match kind {
                    Kind::Strings => TextType::LargeString,
                    Kind::Binary => TextType::LargeBinary,
                    Kind::Links => return false,
                };
                texts.get_or_insert(known).is_strings() == known.is_strings()
            })
        })
    }

    /// The bytes of memory that the set takes.
    #[getter]
    fn memory(&self) -> usize {
        self.uris.memory()
    }

    fn __len__(&self) -> usize {
        self.uris.len()
    }

    fn __repr__(&self) -> String {
        format!("<urisieve.UriSet of {}>", self.uris.len())
    }
}

impl UriSet {
    fn column(&mut self, x: &Bound<'_, PyAny>) -> PyResult<Column> {
        let column = Column::required(x, "x")?;
        self.texts.get_or_insert(column.texts);
        Ok(column)
    }

    /// Whether URIs must be UTF-8, because the arrays are of strings.
    fn is_strings(&self) -> bool {
        self.texts.is_none_or(TextType::is_strings)
    }

    fn search(&mut self, py: Python<'_>, rows: &Rows) -> PyResult<()> {
        let cancel = Arc::<AtomicBool>::default();
        let sieve = self.options.of_texts(&cancel).mode(Mode::All).build();
        let size = rows.bytes() + 512 * rows.len();
        let strings = self.is_strings();
        let found = interruptible(py, size, &cancel, || {
            let texts = (0..rows.len()).map(|at| rows.get(at).unwrap_or_default());
            self.uris.fill(|intake| {
                let mut add = |finding: &Finding<'_>| push(intake, finding.uri, strings);
                // Several threads need a run.
                let Ok(mut search) = sieve.text_search() else {
                    return sieve.for_each_in(texts, add);
                };
                for text in texts {
                    search.search(text, &mut add)?;
                }
                Ok(*search.stats())
            })
        })?;
        let stats = found.map_err(|error| run_error(&error))?;
        all_searched(stats.failed_inputs)
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
    let (ends, keys) = uris.in_parts(parts)?;
    let mut values = Texts::with_capacity(keys.len(), uris.key_bytes());
    keys.iter().for_each(|uri| values.push(uri));
    let item = Arc::new(Field::new("item", texts.data_type(), true));
    let lists = ListArray::try_new(item, offsets::<i32>(&ends)?, values.finish(texts)?, None);
    let lists = lists.map_err(|error| wrong_value("parts", &error.to_string()))?;
    Ok(Arc::new(lists))
}
