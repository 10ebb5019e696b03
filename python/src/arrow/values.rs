//! The values of Arrow arrays as Python objects: one, all, some, and the first ones for
//! people to look at.

use crate::settings::given::wrong_type;
use crate::text::TextForm;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, make_array};
use arrow_data::transform::MutableArrayData;
use arrow_schema::DataType;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySlice};
use std::sync::{Mutex, PoisonError};

/// The number of values after which signals are handled, such as that of Ctrl-C.
const GLANCE: usize = 1 << 14;

/// The most values that are shown to people.
const SHOWN: usize = 10;

/// A place in a sequence.
pub(crate) enum Place {
    Index(usize),
    Slice(Slice),
}

/// The indices of a slice.
pub(crate) struct Slice {
    start: isize,
    step: isize,
    len: usize,
}

/// Returns the place that `at` means in a sequence of `len` values.
///
/// # Errors
/// `IndexError` beyond its end, `TypeError` for what is neither an index nor a slice.
pub(crate) fn place(at: &Bound<'_, PyAny>, len: usize) -> PyResult<Place> {
    if let Ok(slice) = at.cast::<PySlice>() {
        let len = isize::try_from(len).unwrap_or(isize::MAX);
        let indices = slice.indices(len)?;
        return Ok(Place::Slice(Slice {
            start: indices.start,
            step: indices.step,
            len: indices.slicelength,
        }));
    }
    let Ok(index) = at.call_method0("__index__") else {
        return Err(wrong_type("index", "an int or a slice", at));
    };
    let out = || PyIndexError::new_err(format!("index {at} of {len} values"));
    let index: i64 = index.extract().map_err(|_| out())?;
    let index = match index < 0 {
        true => index + len as i64,
        false => index,
    };
    let index = usize::try_from(index).map_err(|_| out())?;
    match index < len {
        true => Ok(Place::Index(index)),
        false => Err(out()),
    }
}

impl Slice {
    /// Returns the values of `array` at these indices.
    pub(crate) fn of(&self, array: &ArrayRef) -> PyResult<ArrayRef> {
        match self.step {
            1 => Ok(array.slice(self.start.unsigned_abs(), self.len)),
            _ => taken(array, self.indices().map(Some)),
        }
    }

    /// Does the same with several arrays that are one sequence.
    pub(crate) fn of_chunks(&self, chunks: &[ArrayRef]) -> PyResult<Vec<ArrayRef>> {
        if self.step != 1 {
            let mut starts = Vec::with_capacity(chunks.len());
            chunks.iter().fold(0, |from, chunk| {
                starts.push(from);
                from + chunk.len()
            });
            let places = self.indices().map(|at| {
                let chunk = starts.partition_point(|&start| start <= at) - 1;
                Some((chunk, at - starts[chunk]))
            });
            return match chunks.is_empty() {
                true => Ok(Vec::new()),
                false => Ok(vec![taken_of(chunks, places)?]),
            };
        }
        let (mut skip, mut left) = (self.start.unsigned_abs(), self.len);
        let mut parts = Vec::new();
        for chunk in chunks {
            let from = skip.min(chunk.len());
            let len = left.min(chunk.len() - from);
            if len > 0 {
                parts.push(chunk.slice(from, len));
            }
            skip -= from;
            left -= len;
        }
        Ok(parts)
    }

    fn indices(&self) -> impl ExactSizeIterator<Item = usize> {
        let (start, step) = (self.start, self.step);
        (0..self.len).map(move |at| (start + at.cast_signed() * step).unsigned_abs())
    }
}

/// Returns the values of `array` at `indices`, and null where there is no index.
///
/// # Errors
/// `ValueError`, when they are more than such an array can have.
pub(crate) fn taken(
    array: &ArrayRef,
    indices: impl ExactSizeIterator<Item = Option<usize>>,
) -> PyResult<ArrayRef> {
    let places = indices.map(|at| at.map(|at| (0, at)));
    taken_of(std::slice::from_ref(array), places)
}

/// Does the same with places in several arrays of one type.
fn taken_of(
    arrays: &[ArrayRef],
    places: impl ExactSizeIterator<Item = Option<(usize, usize)>>,
) -> PyResult<ArrayRef> {
    let data: Vec<_> = arrays.iter().map(|array| array.to_data()).collect();
    let mut taken = MutableArrayData::new(data.iter().collect(), true, places.len());
    for place in places {
        let done = match place {
            Some((array, at)) => taken.try_extend(array, at, at + 1),
            None => taken.try_extend_nulls(1),
        };
        done.map_err(|error| PyValueError::new_err(error.to_string()))?;
    }
    Ok(make_array(taken.freeze()))
}

/// The values of arrays, one after the other.
#[pyclass(name = "Values", module = "urisieve", frozen)]
pub(crate) struct Values {
    chunks: Vec<ArrayRef>,
    /// The chunk of the next value, and its number there.
    next: Mutex<(usize, usize)>,
}

impl Values {
    pub(crate) fn new(chunks: Vec<ArrayRef>) -> Values {
        Values {
            chunks,
            next: Mutex::default(),
        }
    }

    /// Returns the place of the next value.
    fn next(&self) -> Option<(&ArrayRef, usize)> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(chunk) = self.chunks.get(next.0) {
            if next.1 < chunk.len() {
                next.1 += 1;
                return Some((chunk, next.1 - 1));
            }
            *next = (next.0 + 1, 0);
        }
        None
    }
}

#[pymethods]
impl Values {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let next = self.next();
        next.map(|(chunk, at)| value(py, chunk, at)).transpose()
    }
}

/// Handles signals at some numbers of values.
///
/// # Errors
/// The exception that a signal raises.
pub(crate) fn glance(py: Python<'_>, at: usize) -> PyResult<()> {
    match at % GLANCE {
        0 => py.check_signals(),
        _ => Ok(()),
    }
}

/// Returns all values of `chunks`.
pub(crate) fn list<'py>(py: Python<'py>, chunks: &[ArrayRef]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for chunk in chunks {
        push(&list, chunk)?;
    }
    Ok(list)
}

fn push(list: &Bound<'_, PyList>, array: &ArrayRef) -> PyResult<()> {
    let py = list.py();
    for at in 0..array.len() {
        list.append(value(py, array, at)?)?;
        glance(py, at)?;
    }
    Ok(())
}

/// Returns an array of pyarrow as one of `kind`, if that is given and differs.
pub(crate) fn cast<'py>(
    array: Bound<'py, PyAny>,
    kind: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    match kind {
        Some(kind) if !array.getattr("type")?.eq(&kind)? => array.call_method1("cast", (kind,)),
        _ => Ok(array),
    }
}

/// Returns the first values, and how many there are.
fn first<'py>(py: Python<'py>, chunks: &[ArrayRef]) -> PyResult<(Bound<'py, PyList>, usize)> {
    let list = PyList::empty(py);
    for chunk in chunks {
        let left = SHOWN - list.len();
        push(&list, &chunk.slice(0, chunk.len().min(left)))?;
    }
    Ok((list, chunks.iter().map(|chunk| chunk.len()).sum()))
}

/// Returns the first values as text.
pub(crate) fn shown(py: Python<'_>, chunks: &[ArrayRef]) -> PyResult<String> {
    let (list, len) = first(py, chunks)?;
    let mut text = list.repr()?.to_string();
    if len > list.len() {
        text.truncate(text.len() - 1);
        text.push_str(", ...]");
    }
    Ok(text)
}

/// Returns the first values as a table of HTML.
pub(crate) fn html(py: Python<'_>, chunks: &[ArrayRef]) -> PyResult<String> {
    let escape = py.import("html")?.getattr("escape")?;
    let (list, len) = first(py, chunks)?;
    let mut table = String::from("<table>");
    for (at, value) in list.iter().enumerate() {
        let shown: String = escape.call1((value.repr()?,))?.extract()?;
        table.push_str(&format!(
            "<tr><th>{at}</th><td style=\"text-align:left\">{shown}</td></tr>"
        ));
    }
    table.push_str(&format!("</table><p>{} of {len}</p>", list.len()));
    Ok(table)
}

/// Returns a value as a Python object.
pub(crate) fn value<'py>(
    py: Python<'py>,
    array: &ArrayRef,
    at: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let text = TextForm::Str { ascii: false };
    if array.is_null(at) {
        return Ok(py.None().into_bound(py));
    }
    Ok(match array.data_type() {
        DataType::Utf8 => text.object(py, array.as_string::<i32>().value(at).as_bytes()),
        DataType::LargeUtf8 => text.object(py, array.as_string::<i64>().value(at).as_bytes()),
        DataType::Utf8View => text.object(py, array.as_string_view().value(at).as_bytes()),
        DataType::Binary => TextForm::Bytes.object(py, array.as_binary::<i32>().value(at)),
        DataType::LargeBinary => TextForm::Bytes.object(py, array.as_binary::<i64>().value(at)),
        DataType::BinaryView => TextForm::Bytes.object(py, array.as_binary_view().value(at)),
        DataType::Int64 => {
            let number = array.as_primitive::<Int64Type>().value(at);
            number.into_pyobject(py)?.into_any()
        }
        DataType::Int32 => {
            let number = array.as_primitive::<Int32Type>().value(at);
            number.into_pyobject(py)?.into_any()
        }
        DataType::Boolean => {
            let flag = array.as_boolean().value(at);
            flag.into_pyobject(py)?.to_owned().into_any()
        }
        DataType::List(_) => {
            let list = PyList::empty(py);
            push(&list, &array.as_list::<i32>().value(at))?;
            list.into_any()
        }
        DataType::Struct(fields) => {
            let row = PyDict::new(py);
            for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                row.set_item(field.name(), value(py, column, at)?)?;
            }
            row.into_any()
        }
        other => {
            return Err(PyTypeError::new_err(format!(
                "no Python object for {other}"
            )));
        }
    })
}
