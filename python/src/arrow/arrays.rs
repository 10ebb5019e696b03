//! Columns of texts: Arrow arrays, from any object with `__arrow_c_array__` or
//! `__arrow_c_stream__`, and what `items` makes of other sequences. All of their types are read
//! as rows of bytes or null.

use crate::arrow::items::{self, Items};
use crate::arrow::text_type::TextType;
use crate::arrow::values;
use crate::boundary;
use crate::settings::given::wrong_type;
use crate::text::type_name;
use arrow_array::cast::AsArray;
use arrow_array::types::{BinaryType, ByteArrayType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::{Array, ArrayRef, BinaryViewArray, GenericByteArray};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PyTuple};

/// A column of texts that a call takes.
pub(crate) struct Column {
    pub texts: TextType,
    pub chunks: Vec<Rows>,
    /// Whether the object was a stream. If so, the answer is also a stream.
    pub chunked: bool,
}

/// The rows of an array.
pub(crate) enum Rows {
    Small(GenericByteArray<BinaryType>),
    Large(GenericByteArray<LargeBinaryType>),
    View(BinaryViewArray),
    /// The numbers of rows of a dictionary; the flags say which are not null.
    Dictionary(Vec<usize>, Option<NullBuffer>, Box<Rows>),
    /// Only nulls.
    Nulls(usize),
}

/// The objects that are columns.
pub(crate) const COLUMN: &str = "an Arrow array or another sequence of str or bytes";

const HINT: &str = "convert it to strings first, for example pyarrow.array(x, pyarrow.string())";

impl Column {
    /// Returns the column that `object` is; `None` when it is neither an Arrow array nor
    /// another sequence.
    ///
    /// # Errors
    /// `TypeError` for values of another type, and exceptions of the producer of an array.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Column>> {
        if object.hasattr("__arrow_c_array__")? {
            let capsules = object.call_method0("__arrow_c_array__")?;
            let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
                capsules.cast::<PyTuple>()?.extract()?;
            let array =
                boundary::import_array(schema.cast::<PyCapsule>()?, array.cast::<PyCapsule>()?)?;
            return Column::new(
                array.data_type(),
                std::slice::from_ref(&array),
                false,
                object,
            )
            .map(Some);
        }
        if object.hasattr("__arrow_c_stream__")? {
            // Some old versions of producers need the argument.
            let stream = object.call_method1("__arrow_c_stream__", (object.py().None(),))?;
            let (kind, arrays) = boundary::import_stream(stream.cast::<PyCapsule>()?)?;
            return Column::new(&kind, &arrays, true, object).map(Some);
        }
        if object.hasattr("chunks")? && object.hasattr("num_chunks")? {
            return Column::of_chunks(object).map(Some);
        }
        match items::read(object)? {
            Some(Items::Array(array)) => Column::of(&array),
            Some(Items::Texts(array, kind)) => Ok(Some(Column::of_array(&array, kind))),
            None => Ok(None),
        }
    }

    /// Returns the column that a chunked array of pyarrow is, before it had streams.
    fn of_chunks(object: &Bound<'_, PyAny>) -> PyResult<Column> {
        let empty = object.getattr("type")?;
        let empty = object
            .py()
            .import("pyarrow")?
            .call_method1("array", (PyList::empty(object.py()), empty))?;
        let mut column = Column::required(&empty, "x")?;
        column.chunks.clear();
        column.chunked = true;
        for chunk in object.getattr("chunks")?.try_iter()? {
            column.chunks.extend(Column::required(&chunk?, "x")?.chunks);
        }
        Ok(column)
    }

    /// Returns the column that the argument `name` is.
    ///
    /// # Errors
    /// The errors of `of`, and `TypeError` when the object is not a column.
    pub(crate) fn required(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Column> {
        Column::of(object)?.ok_or_else(|| wrong_type(name, COLUMN, object))
    }

    /// Returns the column that the argument `name` is, which may also be a text.
    ///
    /// # Errors
    /// The errors of `of`, and `TypeError` for other objects.
    pub(crate) fn or_text(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Column> {
        let wanted = || wrong_type(name, &format!("str, bytes, {COLUMN}"), object);
        Column::of(object)?.ok_or_else(wanted)
    }

    /// Returns the column of the values of `array`.
    fn of_array(array: &ArrayRef, texts: TextType) -> Column {
        Column {
            texts,
            chunks: vec![Rows::new(array)],
            chunked: false,
        }
    }

    /// Returns the rows of all chunks; `None` for a null.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Option<&[u8]>> + Send {
        self.chunks.iter().flat_map(Rows::iter)
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.chunks.iter().map(Rows::len).sum()
    }

    fn new(
        kind: &DataType,
        arrays: &[ArrayRef],
        chunked: bool,
        object: &Bound<'_, PyAny>,
    ) -> PyResult<Column> {
        let Some(texts) = TextType::of(kind) else {
            let given = type_name(object);
            return Err(PyTypeError::new_err(match kind {
                DataType::Struct(_) => format!("{given} is a table; pass one of its columns"),
                _ => format!("{given} has values of the type {kind}; {HINT}"),
            }));
        };
        Ok(Column {
            texts,
            chunks: arrays.iter().map(Rows::new).collect(),
            chunked,
        })
    }
}

/// Returns the array with the same buffers as bytes, so that no code relies on a producer's
/// promise of UTF-8.
fn binary<S: ByteArrayType, B: ByteArrayType<Offset = S::Offset>>(
    array: &GenericByteArray<S>,
) -> GenericByteArray<B>
where
    GenericByteArray<B>: From<arrow_data::ArrayData>,
{
    let data = array.to_data().into_builder().data_type(B::DATA_TYPE);
    match data.build() {
        Ok(data) => data.into(),
        // An array whose offsets do not fit its buffer has no readable rows.
        Err(_) => GenericByteArray::new_null(array.len()),
    }
}

impl Rows {
    fn new(array: &ArrayRef) -> Rows {
        match array.data_type() {
            DataType::Utf8 => Rows::Small(binary(array.as_bytes::<Utf8Type>())),
            DataType::Binary => Rows::Small(array.as_bytes::<BinaryType>().clone()),
            DataType::LargeUtf8 => Rows::Large(binary(array.as_bytes::<LargeUtf8Type>())),
            DataType::LargeBinary => Rows::Large(array.as_bytes::<LargeBinaryType>().clone()),
            DataType::Utf8View => Rows::View(array.as_string_view().clone().to_binary_view()),
            DataType::BinaryView => Rows::View(array.as_binary_view().clone()),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                if dictionary.values().is_empty() {
                    return Rows::Nulls(array.len());
                }
                let values = Box::new(Rows::new(dictionary.values()));
                // A key beyond the dictionary becomes its last one.
                let keys = dictionary.normalized_keys();
                Rows::Dictionary(keys, dictionary.keys().nulls().cloned(), values)
            }
            _ => Rows::Nulls(array.len()),
        }
    }

    /// Returns the answer of `work` for these rows. The texts of a dictionary are worked on
    /// once, unless they are more than the rows.
    ///
    /// # Errors
    /// The errors of `work`, and `ValueError` for an answer that is too large.
    pub(crate) fn answer(
        &self,
        work: impl FnOnce(&Rows) -> PyResult<ArrayRef>,
    ) -> PyResult<ArrayRef> {
        match self {
            Rows::Dictionary(keys, nulls, texts) if texts.len() <= keys.len() => {
                let answers = work(texts)?;
                let is_valid = |at| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(at));
                let keys = keys.iter().enumerate();
                values::taken(&answers, keys.map(|(at, &key)| is_valid(at).then_some(key)))
            }
            rows => work(rows),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Rows::Small(array) => array.len(),
            Rows::Large(array) => array.len(),
            Rows::View(array) => array.len(),
            Rows::Dictionary(keys, ..) => keys.len(),
            Rows::Nulls(len) => *len,
        }
    }

    /// Returns the row `at`; `None` for a null.
    pub(crate) fn get(&self, at: usize) -> Option<&[u8]> {
        match self {
            Rows::Small(array) => array.is_valid(at).then(|| array.value(at)),
            Rows::Large(array) => array.is_valid(at).then(|| array.value(at)),
            Rows::View(array) => array.is_valid(at).then(|| array.value(at)),
            Rows::Dictionary(keys, nulls, texts) => {
                let is_valid = nulls.as_ref().is_none_or(|nulls| nulls.is_valid(at));
                is_valid.then(|| texts.get(keys[at])).flatten()
            }
            Rows::Nulls(_) => None,
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Option<&[u8]>> + Send {
        (0..self.len()).map(|at| self.get(at))
    }

    /// Returns the number of bytes in all rows, about.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Rows::Small(array) => span(array.value_offsets()),
            Rows::Large(array) => span(array.value_offsets()),
            Rows::View(array) => array.lengths().map(|length| length as usize).sum(),
            Rows::Dictionary(keys, _, texts) => texts.bytes() / texts.len() * keys.len(),
            Rows::Nulls(_) => 0,
        }
    }
}

/// Returns the distance of the last offset from the first one.
fn span<O: Copy + TryInto<usize>>(offsets: &[O]) -> usize {
    let at = |offset: Option<&O>| offset.and_then(|&offset| offset.try_into().ok());
    let (first, last): (Option<usize>, Option<usize>) = (at(offsets.first()), at(offsets.last()));
    last.unwrap_or(0).saturating_sub(first.unwrap_or(0))
}
