//! The results of calls on Arrow arrays: objects that any library with the PyCapsule
//! interface takes without a copy.

use crate::boundary;
use crate::text::TextForm;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, FieldRef};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use std::sync::Arc;

/// An Arrow array: the answer for an object with `__arrow_c_array__`.
///
/// `pyarrow.array(x)`, `polars.Series(x)` and similar functions take the array without
/// a copy.
///
/// >>> import pyarrow, urisieve
/// >>> array = urisieve.normalize(pyarrow.array(["HTTP://A.example/", None]))
/// >>> len(array), array.to_pylist()
/// (2, ['http://a.example/', None])
/// >>> pyarrow.array(array).type
/// DataType(string)
#[pyclass(name = "Array", module = "urisieve", frozen)]
pub(crate) struct PyArray {
    field: FieldRef,
    array: ArrayRef,
}

/// Arrow arrays of one type: the answer for an object with `__arrow_c_stream__`.
///
/// `pyarrow.chunked_array(x)`, `polars.Series(x)` and similar functions take the array
/// without a copy.
///
/// >>> import pyarrow, urisieve
/// >>> chunks = pyarrow.chunked_array([["HTTP://A.example/"], ["urn:a-b:C"]])
/// >>> urisieve.normalize(chunks).to_pylist()
/// ['http://a.example/', 'urn:a-b:C']
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

    fn __len__(&self) -> usize {
        self.array.len()
    }

    /// The values as Python objects.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        push_values(&list, &self.array)?;
        Ok(list)
    }

    fn __repr__(&self) -> String {
        format!(
            "<urisieve.Array of {} {}>",
            self.array.len(),
            self.field.data_type()
        )
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

    fn __len__(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    /// The number of arrays.
    #[getter]
    fn num_chunks(&self) -> usize {
        self.chunks.len()
    }

    /// The values as Python objects.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for chunk in &self.chunks {
            push_values(&list, chunk)?;
        }
        Ok(list)
    }

    fn __repr__(&self) -> String {
        let kind = self.field.data_type();
        format!("<urisieve.ChunkedArray of {} {kind}>", self.__len__())
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
                let value = value(py, column, at)?;
                if !value.is_none() {
                    row.set_item(field.name(), value)?;
                }
            }
            rows.append(row)?;
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

fn push_values(list: &Bound<'_, PyList>, array: &ArrayRef) -> PyResult<()> {
    (0..array.len()).try_for_each(|at| list.append(value(list.py(), array, at)?))
}

/// Returns a value as a Python object.
fn value<'py>(py: Python<'py>, array: &ArrayRef, at: usize) -> PyResult<Bound<'py, PyAny>> {
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
        DataType::Boolean => {
            let flag = array.as_boolean().value(at);
            flag.into_pyobject(py)?.to_owned().into_any()
        }
        DataType::List(_) => {
            let list = PyList::empty(py);
            push_values(&list, &array.as_list::<i32>().value(at))?;
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
