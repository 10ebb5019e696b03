//! The results of calls on Arrow arrays: objects that any library with the PyCapsule
//! interface takes without a copy.

use crate::arrow::values::{self, Values};
use crate::boundary;
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, FieldRef};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use std::sync::Arc;

/// An Arrow array: the answer for an object with `__arrow_c_array__`.
///
/// `pyarrow.array(x)`, `polars.Series(x)` and similar functions take the array without
/// a copy. It is also a sequence: `len(x)`, `x[0]`, `x[1:3]`, `for value in x`.
///
/// >>> import pyarrow, urisieve
/// >>> array = urisieve.normalize(pyarrow.array(["HTTP://A.example/", None]))
/// >>> array
/// <urisieve.Array of 2 Utf8: ['http://a.example/', None]>
/// >>> array[0], array[1:].to_pylist(), list(array)
/// ('http://a.example/', [None], ['http://a.example/', None])
/// >>> pyarrow.array(array).type
/// DataType(string)
#[pyclass(name = "Array", module = "urisieve", frozen)]
pub(crate) struct PyArray {
    field: FieldRef,
    array: ArrayRef,
}

/// Arrow arrays of one type: the answer for an object with `__arrow_c_stream__`.
///
/// `pyarrow.array(x)`, `polars.Series(x)` and similar functions take the array without a
/// copy; `pyarrow.array(x)` is a `pyarrow.ChunkedArray`. It is also a sequence, like
/// `Array`.
///
/// >>> import pyarrow, urisieve
/// >>> chunks = pyarrow.chunked_array([["HTTP://A.example/"], ["urn:a-b:C"]])
/// >>> urisieve.normalize(chunks)
/// <urisieve.ChunkedArray of 2 Utf8 in 2 chunks: ['http://a.example/', 'urn:a-b:C']>
/// >>> pyarrow.array(urisieve.normalize(chunks)).num_chunks
/// 2
#[pyclass(name = "ChunkedArray", module = "urisieve", frozen)]
pub(crate) struct PyChunkedArray {
    field: FieldRef,
    chunks: Vec<ArrayRef>,
}

/// Rows of a table, as `open` yields them.
///
/// `pyarrow.record_batch(x)`, `polars.DataFrame(x)` and similar functions take the rows
/// without a copy.
///
/// >>> import io, urisieve
/// >>> batch = next(urisieve.open(io.BytesIO(b"see http://a.example/")))
/// >>> batch.num_rows, batch.to_pylist()[0]["uri"]
/// (1, 'http://a.example/')
#[pyclass(name = "RecordBatch", module = "urisieve", frozen)]
pub(crate) struct PyRecordBatch(pub RecordBatch);

/// Returns the result of a call on a column: an array, or a stream of arrays.
pub(crate) fn answer(
    py: Python<'_>,
    kind: DataType,
    mut chunks: Vec<ArrayRef>,
    chunked: bool,
) -> PyResult<Py<PyAny>> {
    let field = Arc::new(Field::new("", kind, true));
    match (chunked, chunks.pop()) {
        (false, Some(array)) => Ok(Py::new(py, PyArray { field, array })?.into_any()),
        (_, last) => {
            chunks.extend(last);
            Ok(Py::new(py, PyChunkedArray { field, chunks })?.into_any())
        }
    }
}

#[pymethods]
impl PyArray {
    /// The array, in capsules; types that are asked for are not heeded.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        boundary::export_array(py, &self.field, &self.array)
    }

    /// The type, in a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        boundary::export_schema(py, &self.field)
    }

    /// The array as a `pyarrow.Array`, of `type` if it is given.
    #[pyo3(signature = (r#type=None))]
    fn __arrow_array__<'py>(
        &self,
        py: Python<'py>,
        r#type: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let capsules = boundary::export_array(py, &self.field, &self.array)?;
        let arrays = py.import("pyarrow")?.getattr("Array")?;
        let array = arrays.call_method1("_import_from_c_capsule", capsules)?;
        values::cast(array, r#type)
    }

    fn __len__(&self) -> usize {
        self.array.len()
    }

    /// The value at an index, or the array of a slice.
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        at: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match values::place(at, self.array.len())? {
            values::Place::Index(at) => values::value(py, &self.array, at),
            values::Place::Slice(slice) => {
                let field = self.field.clone();
                let array = slice.of(&self.array)?;
                Ok(Bound::new(py, PyArray { field, array })?.into_any())
            }
        }
    }

    fn __iter__(&self) -> Values {
        Values::new(vec![self.array.clone()])
    }

    /// The values as Python objects.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        values::list(py, std::slice::from_ref(&self.array))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let shown = values::shown(py, std::slice::from_ref(&self.array))?;
        let (len, kind) = (self.array.len(), self.field.data_type());
        Ok(format!("<urisieve.Array of {len} {kind}: {shown}>"))
    }

    /// The first values as a table, for notebooks.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        values::html(py, std::slice::from_ref(&self.array))
    }
}

#[pymethods]
impl PyChunkedArray {
    /// The arrays, in a capsule; types that are asked for are not heeded.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let chunks = self.chunks.clone().into_iter().map(Ok);
        boundary::export_stream(py, self.field.clone(), Box::new(chunks))
    }

    /// The type, in a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        boundary::export_schema(py, &self.field)
    }

    /// The arrays as a `pyarrow.ChunkedArray`, of `type` if it is given.
    #[pyo3(signature = (r#type=None))]
    fn __arrow_array__<'py>(
        &self,
        py: Python<'py>,
        r#type: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let pyarrow = py.import("pyarrow")?;
        let import = pyarrow
            .getattr("Array")?
            .getattr("_import_from_c_capsule")?;
        let chunks = PyList::empty(py);
        for chunk in &self.chunks {
            chunks.append(import.call1(boundary::export_array(py, &self.field, chunk)?)?)?;
        }
        if self.chunks.is_empty() {
            let empty = arrow_array::new_empty_array(self.field.data_type());
            chunks.append(import.call1(boundary::export_array(py, &self.field, &empty)?)?)?;
        }
        let array = pyarrow.call_method1("chunked_array", (chunks,))?;
        values::cast(array, r#type)
    }

    fn __len__(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    /// The value at an index, or the arrays of a slice.
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        at: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match values::place(at, self.__len__())? {
            values::Place::Index(mut at) => {
                for chunk in &self.chunks {
                    if at < chunk.len() {
                        return values::value(py, chunk, at);
                    }
                    at -= chunk.len();
                }
                Ok(py.None().into_bound(py))
            }
            values::Place::Slice(slice) => {
                let field = self.field.clone();
                let chunks = slice.of_chunks(&self.chunks)?;
                Ok(Bound::new(py, PyChunkedArray { field, chunks })?.into_any())
            }
        }
    }

    fn __iter__(&self) -> Values {
        Values::new(self.chunks.clone())
    }

    /// The number of arrays.
    #[getter]
    fn num_chunks(&self) -> usize {
        self.chunks.len()
    }

    /// The values as Python objects.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        values::list(py, &self.chunks)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let shown = values::shown(py, &self.chunks)?;
        let (len, kind) = (self.__len__(), self.field.data_type());
        let chunks = self.chunks.len();
        Ok(format!(
            "<urisieve.ChunkedArray of {len} {kind} in {chunks} chunks: {shown}>"
        ))
    }

    /// The first values as a table, for notebooks.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        values::html(py, &self.chunks)
    }
}

#[pymethods]
impl PyRecordBatch {
    /// The rows, in capsules; types that are asked for are not heeded.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        boundary::export_array(py, &self.field(), &self.array())
    }

    /// The columns and their types, in a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        boundary::export_schema(py, &self.field())
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    /// The number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let schema = self.0.schema();
        schema
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect()
    }

    /// The rows as dictionaries; keys whose value is null are absent, as in `--json`.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = PyList::empty(py);
        for at in 0..self.0.num_rows() {
            let row = PyDict::new(py);
            let schema = self.0.schema();
            for (field, column) in schema.fields().iter().zip(self.0.columns()) {
                let value = values::value(py, column, at)?;
                if !value.is_none() {
                    row.set_item(field.name(), value)?;
                }
            }
            rows.append(row)?;
            values::glance(py, at)?;
        }
        Ok(rows)
    }

    fn __repr__(&self) -> String {
        format!("<urisieve.RecordBatch of {} rows>", self.0.num_rows())
    }
}

impl PyRecordBatch {
    fn array(&self) -> ArrayRef {
        Arc::new(StructArray::from(self.0.clone()))
    }

    fn field(&self) -> FieldRef {
        table_field(&self.0.schema())
    }
}

/// Returns the type of the rows of a table.
pub(crate) fn table_field(schema: &arrow_schema::Schema) -> FieldRef {
    let kind = DataType::Struct(schema.fields().clone());
    Arc::new(Field::new("", kind, false))
}
