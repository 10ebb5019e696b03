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
use std::hash::{DefaultHasher, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use urisieve::Error;
use urisieve::dedup::{Answer, Hasher, Key, Keys, Set};
use urisieve::engine::Mode;

/// The number of URIs that a set takes at once.
const TOGETHER: usize = 256;

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
            let mut intake = self.intake();
            for rows in &column.chunks {
                rows.iter().flatten().for_each(|uri| intake.push(uri));
            }
            intake.flush();
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
        let mut intake = self.intake();
        let found = interruptible(py, size, &cancel, || {
            let texts = (0..rows.len()).map(|at| rows.get(at).unwrap_or_default());
            sieve.for_each_text(texts, |finding| intake.push(finding.uri))?;
            intake.flush();
            Ok::<_, Error>(())
        })?;
        found.map_err(|error| run_error(&error))
    }

    fn intake(&mut self) -> Intake<'_> {
        Intake {
            strings: self.texts.is_some_and(TextType::is_strings),
            set: &mut self.uris,
            hasher: &self.hasher,
            bytes: Vec::new(),
            keys: Vec::with_capacity(TOGETHER),
            answers: [Answer::default(); TOGETHER],
        }
    }
}

/// URIs on their way into a set, which takes many at a time: its cache misses overlap then.
struct Intake<'s> {
    set: &'s mut Set,
    hasher: &'s Hasher,
    /// Whether URIs must be UTF-8, because the arrays are of strings.
    strings: bool,
    bytes: Vec<u8>,
    keys: Vec<Key>,
    answers: [Answer; TOGETHER],
}

impl Intake<'_> {
    #[inline]
    fn push(&mut self, uri: &[u8]) {
        match self.strings && simdutf8::basic::from_utf8(uri).is_err() {
            true => self.push_as_it_is(String::from_utf8_lossy(uri).as_bytes()),
            false => self.push_as_it_is(uri),
        }
    }

    #[inline]
    fn push_as_it_is(&mut self, uri: &[u8]) {
        let from = self.bytes.len();
        let (Ok(start), Ok(end)) = (u32::try_from(from), u32::try_from(from + uri.len())) else {
            // A `Key` cannot have it: it is added alone, after what comes before it.
            self.flush();
            self.set.insert(self.hasher.hash(uri), uri, 1, b"");
            return;
        };
        self.bytes.extend_from_slice(uri);
        self.keys.push(Key {
            hash: self.hasher.hash(uri),
            from: start,
            to: end,
            number: 0,
            count: 1,
        });
        if self.keys.len() == TOGETHER {
            self.flush();
        }
    }

    /// Adds the URIs that wait.
    fn flush(&mut self) {
        let answers = &mut self.answers[..self.keys.len()];
        self.set.ask(&Keys::new(&self.bytes, &self.keys), answers);
        self.keys.clear();
        self.bytes.clear();
    }
}

/// Returns the URIs of a set as lists, one for each part: they are counted, and then each
/// is put where its part goes on.
fn in_parts(uris: &Set, parts: u32, texts: TextType) -> PyResult<ArrayRef> {
    let mut ends = vec![0; parts as usize];
    let mut as_added = Vec::with_capacity(uris.len());
    for entry in uris.entries() {
        let part = part_of(entry.key, parts);
        ends[part as usize] += 1;
        as_added.push((part, entry.key));
    }
    let mut before = 0;
    for end in &mut ends {
        before += std::mem::replace(end, before);
    }
    let mut keys = vec![&[][..]; as_added.len()];
    for (part, key) in as_added {
        let at = &mut ends[part as usize];
        keys[*at] = key;
        *at += 1;
    }
    let mut values = Texts::with_capacity(keys.len(), uris.key_bytes());
    keys.iter().for_each(|uri| values.push(uri));
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
