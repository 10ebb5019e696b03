//! `LinkSet`: the pairs of pages and targets in many Arrow arrays, each once.

use crate::arrow::arrays::Column;
use crate::arrow::columns::{Texts, lossy};
use crate::arrow::text_type::TextType;
use crate::running::guarded;
use crate::sets::gathered::Gathered;
use crate::sets::packed::{self, Kind};
use crate::settings::given::wrong_value;
use crate::shared::Shared;
use arrow_array::{ArrayRef, StructArray};
use arrow_schema::{Field, Fields};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::sync::Arc;

/// The links in many Arrow arrays of pages and targets, each pair once.
///
/// `add` adds links, `take` returns them, and empties the set. Threads may share a set.
///
/// >>> import pyarrow, urisieve
/// >>> links = urisieve.LinkSet()
/// >>> links.add(pyarrow.array(["http://a.example/"] * 2), pyarrow.array(["urn:a-b:c"] * 2))
/// >>> len(links), links.take().to_pylist()
/// (1, [{'s': 'http://a.example/', 't': 'urn:a-b:c'}])
#[pyclass(name = "LinkSet", module = "urisieve", frozen)]
pub(crate) struct LinkSet {
    links: Shared<Gathered>,
}

#[pymethods]
impl LinkSet {
    #[new]
    #[pyo3(signature = (), text_signature = "()")]
    fn new() -> LinkSet {
        LinkSet {
            links: Shared::new(Gathered::new()),
        }
    }

    /// Adds links: the pages `s`, and the targets `t`, two Arrow arrays of strings of the same
    /// length. A row in which one of both is null is not a link.
    ///
    /// Raises `ValueError` when one array is longer than the other; in this case no
    /// link is added.
    fn add(&self, s: &Bound<'_, PyAny>, t: &Bound<'_, PyAny>) -> PyResult<()> {
        guarded(|| {
            let (sources, targets) = (strings(s, "s")?, strings(t, "t")?);
            if sources.len() != targets.len() {
                let why = format!("{} targets for {} pages", targets.len(), sources.len());
                return Err(wrong_value("t", &why));
            }
            s.py().detach(|| {
                let [sources, targets] = [&sources, &targets].map(Column::rows);
                let mut key = Vec::new();
                self.links.lock().fill(|intake| {
                    for pair in sources.zip(targets) {
                        let (Some(source), Some(target)) = pair else {
                            continue;
                        };
                        if !packed::join(&lossy(source), &lossy(target), &mut key) {
                            return Err(wrong_value("t", "a link is longer than 1 GiB"));
                        }
                        intake.push(&key);
                    }
                    Ok(())
                })
            })
        })
    }

    /// Returns all links as an array of `s` and `t`, and empties the set.
    fn take(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        guarded(|| self.links.take(py, pairs))
    }

    /// Returns all links in compressed blocks, and empties the set, like `UriSet.pack`.
    ///
    /// >>> import pyarrow, urisieve
    /// >>> some, all = urisieve.LinkSet(), urisieve.LinkSet()
    /// >>> some.add(pyarrow.array(["http://a.example/"]), pyarrow.array(["urn:a-b:c"]))
    /// >>> part, packed = pyarrow.array(some.pack(parts=8)).flatten()
    /// >>> all.add_packed(packed)
    /// >>> len(some), len(all)
    /// (0, 1)
    #[pyo3(signature = (parts=None, longest=None), text_signature = "($self, parts=1, longest=1048576)")]
    fn pack(
        &self,
        py: Python<'_>,
        parts: Option<&Bound<'_, PyAny>>,
        longest: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        guarded(|| self.links.pack(py, Kind::Links, parts, longest))
    }

    /// Adds the links in an Arrow array of blocks that `pack` of another set has made.
    ///
    /// Raises `ValueError` for a value that is not such a block.
    fn add_packed(&self, x: &Bound<'_, PyAny>) -> PyResult<()> {
        guarded(|| self.links.add_packed(x, |kind| kind == Kind::Links))
    }

    /// The bytes of memory that the set takes.
    #[getter]
    fn memory(&self, py: Python<'_>) -> usize {
        self.links.memory(py)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.links.len(py)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<urisieve.LinkSet of {}>", self.__len__(py))
    }
}

fn strings(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Column> {
    let column = Column::required(object, name)?;
    match column.texts.is_strings() {
        true => Ok(column),
        false => {
            let why = format!("{name}: an array of strings expected, not of binary");
            Err(PyTypeError::new_err(why))
        }
    }
}

/// Returns links as an array of pairs.
fn pairs(links: &Gathered) -> PyResult<ArrayRef> {
    let mut columns = [(); 2].map(|()| Texts::with_capacity(links.len(), 0));
    for key in links.keys() {
        let (source, target) = packed::split(key).unwrap_or_default();
        columns[0].push(source);
        columns[1].push(target);
    }
    let texts = TextType::LargeString;
    let fields = ["s", "t"].map(|name| Field::new(name, texts.data_type(), false));
    let columns = columns.map(|column| column.finish(texts));
    let columns = columns.into_iter().collect::<PyResult<Vec<_>>>()?;
    let pairs = StructArray::try_new(Fields::from(fields.to_vec()), columns, None);
    let pairs = pairs.map_err(|error| wrong_value("take", &error.to_string()))?;
    Ok(Arc::new(pairs))
}
