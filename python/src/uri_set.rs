//! `UriSet`: the URIs of many Arrow arrays, each once, which are taken out in parts by a hash
//! that is the same everywhere.

use crate::arrays::{Column, Rows, TextType};
use crate::calls::{guarded, interruptible, run_error};
use crate::columns::{Texts, offsets};
use crate::export::answer;
use crate::given::wrong_value;
use crate::options::{OF_CLASSES, OF_INPUTS, Options};
use crate::text::type_name;
use arrow_array::{ArrayRef, ListArray};
use arrow_schema::Field;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use urisieve::Error;
use urisieve::dedup::{Hasher, Set};
use urisieve::engine::Mode;

/// The canonical URIs in many Arrow arrays of texts, each once: equal is what has the same
/// bytes.
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
    hasher: Hasher,
    uris: Set,
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
            options.reject("UriSet", &OF_CLASSES)?;
            if options.mode != Mode::Distinct {
                return Err(wrong_value("all", "not with UriSet"));
            }
            Ok(UriSet {
                options,
                hasher: Hasher::new(),
                uris: Set::new(),
                texts: None,
            })
        })
    }

    /// Adds the URIs in the texts of an Arrow array. Each text is searched alone.
    fn add_from(&mut self, x: &Bound<'_, PyAny>) -> PyResult<()> {
        guarded(|| {
            let column = self.column(x)?;
            column
                .chunks
                .iter()
                .try_for_each(|rows| self.search(x.py(), rows))
        })
    }

    /// Adds the values of an Arrow array as they are: URIs that were found before.
    fn add(&mut self, x: &Bound<'_, PyAny>) -> PyResult<()> {
        guarded(|| {
            let column = self.column(x)?;
            let mut insert = self.inserting();
            for rows in &column.chunks {
                rows.iter().flatten().for_each(&mut insert);
            }
            Ok(())
        })
    }

    /// Returns all URIs as an array of `parts` lists, and empties the set.
    ///
    /// In which part a URI is depends on nothing but its bytes: it is the same for every set
    /// of this version of the package, on any machine. Within a part the order is that in
    /// which the URIs were added.
    ///
    /// >>> import pyarrow, urisieve
    /// >>> uris = urisieve.UriSet()
    /// >>> uris.add(pyarrow.array(["urn:a-b:c", "urn:a-b:d", "urn:a-b:c"]))
    /// >>> [len(part) for part in uris.take(parts=1).to_pylist()], len(uris)
    /// ([2], 0)
    #[pyo3(signature = (parts=1))]
    fn take(&mut self, py: Python<'_>, parts: u32) -> PyResult<Py<PyAny>> {
        guarded(|| {
            if parts == 0 {
                return Err(wrong_value("parts", "at least 1"));
            }
            let uris = std::mem::take(&mut self.uris);
            let texts = self.texts.unwrap_or(TextType::String);
            let lists = py.detach(|| in_parts(&uris, parts, texts))?;
            answer(py, lists.data_type().clone(), vec![lists], false)
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
        let column = Column::of(x)?.ok_or_else(|| {
            let given = type_name(x);
            PyTypeError::new_err(format!("x: an Arrow array expected, not {given}"))
        })?;
        self.texts.get_or_insert(column.texts);
        Ok(column)
    }

    fn search(&mut self, py: Python<'_>, rows: &Rows) -> PyResult<()> {
        let cancel = Arc::<AtomicBool>::default();
        let sieve = self.options.of_texts(&cancel).mode(Mode::All).build();
        let size = rows.bytes() + 512 * rows.len();
        let mut insert = self.inserting();
        let found = interruptible(py, size, &cancel, || {
            let texts = (0..rows.len()).map(|at| rows.get(at).unwrap_or_default());
            sieve.for_each_text(texts, |finding| insert(finding.uri))?;
            Ok::<_, Error>(())
        })?;
        found.map_err(|error| run_error(&error))
    }

    /// Returns what adds a URI: as UTF-8, where the arrays are of strings.
    fn inserting(&mut self) -> impl FnMut(&[u8]) + Send {
        let strings = self.texts.is_some_and(TextType::is_strings);
        let (set, hasher) = (&mut self.uris, &self.hasher);
        move |uri| {
            let uri = match strings && simdutf8::basic::from_utf8(uri).is_err() {
                true => Cow::Owned(String::from_utf8_lossy(uri).into_owned().into_bytes()),
                false => Cow::Borrowed(uri),
            };
            set.insert(hasher.hash(&uri), &uri, 1, b"");
        }
    }
}

/// Returns the URIs of a set as lists, one for each part.
fn in_parts(uris: &Set, parts: u32, texts: TextType) -> PyResult<ArrayRef> {
    let mut keys: Vec<(u32, &[u8])> = uris
        .entries()
        .map(|entry| (part_of(entry.key, parts), entry.key))
        .collect();
    keys.sort_by_key(|&(part, _)| part);
    let mut values = Texts::with_capacity(keys.len(), uris.key_bytes());
    keys.iter().for_each(|(_, uri)| values.push(uri));
    let ends: Vec<usize> = (0..parts)
        .map(|part| keys.partition_point(|&(of, _)| of <= part))
        .collect();
    let item = Arc::new(Field::new("item", texts.data_type(), true));
    let lists = ListArray::try_new(item, offsets::<i32>(&ends)?, values.finish(texts)?, None);
    let lists = lists.map_err(|error| wrong_value("parts", &error.to_string()))?;
    Ok(Arc::new(lists))
}

/// Returns the part of a URI, by a hash without a key of its own: executors must agree.
fn part_of(uri: &[u8], parts: u32) -> u32 {
    if parts == 1 {
        return 0;
    }
    let mut hash = DefaultHasher::new();
    hash.write(uri);
    (hash.finish() % u64::from(parts)) as u32
}
