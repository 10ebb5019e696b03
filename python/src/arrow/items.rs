//! Columns of Python objects: lists, tuples, sets, generators, arrays of NumPy, series of
//! pandas.

use crate::arrow::columns::Texts;
use crate::arrow::text_type::TextType;
use crate::arrow::values::glance;
use crate::boundary;
use crate::text::type_name;
use arrow_array::ArrayRef;
use pyo3::exceptions::{PyImportError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyMapping, PyString};

/// The types of pandas for what is missing.
const MISSING: [&str; 2] = ["NAType", "NaTType"];

/// The items of a sequence.
pub(super) enum Items<'py> {
    /// The array of pyarrow that a series of pandas has or makes.
    Array(Bound<'py, PyAny>),
    Texts(ArrayRef, TextType),
}

/// Returns the items of `object`; `None` when it is not a sequence. A missing value is `None`, NaN,
/// or that of pandas.
///
/// # Errors
/// `TypeError` for an item that is neither `str` nor `bytes`, or not of the type of the items
/// before it, and the errors of iterating.
pub(super) fn read<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Items<'py>>> {
    let is_other = object.is_instance_of::<PyString>()
        || object.is_instance_of::<PyBytes>()
        || object.cast::<PyMapping>().is_ok()
        || object.hasattr("read")?;
    if is_other {
        return Ok(None);
    }
    if object.hasattr("iloc")? && object.hasattr("columns")? {
        let given = type_name(object);
        let why = format!("{given} is a table; pass one of its columns");
        return Err(PyTypeError::new_err(why));
    }
    if let Some(array) = of_pandas(object)? {
        return Ok(Some(Items::Array(array)));
    }
    let Ok(items) = object.try_iter() else {
        return Ok(None);
    };
    let py = object.py();
    let (mut texts, mut kind) = (Texts::default(), None);
    for (at, item) in items.enumerate() {
        glance(py, at)?;
        let item = item?;
        let is_text = item.is_instance_of::<PyString>();
        if !is_text && !item.is_instance_of::<PyBytes>() {
            if is_missing(&item)? {
                texts.push_null();
                continue;
            }
            let given = type_name(&item);
            let why = format!("item {at}: str, bytes or None expected, not {given}");
            return Err(PyTypeError::new_err(why));
        }
        if *kind.get_or_insert(is_text) != is_text {
            let [first, this] = [!is_text, is_text].map(|text| if text { "str" } else { "bytes" });
            let why = format!("item {at}: {first} expected like before it, not {this}");
            return Err(PyTypeError::new_err(why));
        }
        match item.cast::<PyString>() {
            Ok(text) => texts.push(boundary::utf8(text)?),
            Err(_) => texts.push(item.cast::<PyBytes>()?.as_bytes()),
        }
    }
    let kind = match (kind.unwrap_or(true), texts.is_small()) {
        (true, true) => TextType::String,
        (true, false) => TextType::LargeString,
        (false, true) => TextType::Binary,
        (false, false) => TextType::LargeBinary,
    };
    Ok(Some(Items::Texts(texts.finish(kind)?, kind)))
}

/// Returns the array of pyarrow that a series of pandas has or makes.
fn of_pandas<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let of = |object: &Bound<'py, PyAny>| match object.hasattr("__arrow_array__") {
        Ok(true) => match object.call_method0("__arrow_array__") {
            Err(raised) if raised.is_instance_of::<PyImportError>(object.py()) => Ok(None),
            array => array.map(Some),
        },
        has => has.map(|_| None),
    };
    match object.getattr("array") {
        Ok(array) => of(&array),
        Err(_) => of(object),
    }
}

fn is_missing(item: &Bound<'_, PyAny>) -> PyResult<bool> {
    if item.is_none() {
        return Ok(true);
    }
    if let Ok(number) = item.cast::<PyFloat>() {
        return Ok(number.value().is_nan());
    }
    let name = item.get_type().name()?;
    Ok(MISSING.iter().any(|missing| name == *missing))
}
