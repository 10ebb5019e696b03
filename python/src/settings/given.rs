//! Keyword arguments by name: each is taken once, with its required type; remaining names are
//! unknown. Arguments that a call names itself are read in the same way.

use crate::text::type_name;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString, PyTuple};
use std::ops::Range;
use std::path::PathBuf;
use urisieve::ByteSize;

/// The keyword arguments of a call.
pub(crate) struct Given<'py> {
    left: Option<Bound<'py, PyDict>>,
    /// The names of all that are not `None` or `False`.
    pub names: Vec<String>,
}

impl<'py> Given<'py> {
    pub(crate) fn new(given: Option<&Bound<'py, PyDict>>) -> PyResult<Given<'py>> {
        let mut names = Vec::new();
        for (name, value) in given.into_iter().flatten() {
            let is_off = value.is_none() || value.cast::<PyBool>().is_ok_and(|b| !b.is_true());
            if !is_off {
                names.push(name.extract()?);
            }
        }
        let left = given.map(|given| given.copy()).transpose()?;
        Ok(Given { left, names })
    }

    fn take(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(left) = &self.left else {
            return Ok(None);
        };
        let value = left.get_item(name)?;
        if value.is_some() {
            left.del_item(name)?;
        }
        Ok(value.filter(|value| !value.is_none()))
    }

    pub(crate) fn flag(&self, name: &str) -> PyResult<bool> {
        flag(name, self.take(name)?.as_ref())
    }

    /// A flag that may also be off: without a value, none of both.
    pub(crate) fn switch(&self, name: &str) -> PyResult<Option<bool>> {
        let value = self.take(name)?;
        value.map(|value| flag(name, Some(&value))).transpose()
    }

    /// Whether the value is a bool, which is not taken.
    pub(crate) fn is_flag(&self, name: &str) -> PyResult<bool> {
        let value = self
            .left
            .as_ref()
            .map(|left| left.get_item(name))
            .transpose()?;
        Ok(value
            .flatten()
            .is_some_and(|value| value.is_instance_of::<PyBool>()))
    }

    pub(crate) fn text(&self, name: &str) -> PyResult<Option<String>> {
        let value = self.take(name)?;
        value.map(|value| one_text(name, &value)).transpose()
    }

    /// One of `choices`; the first one by default.
    pub(crate) fn choice(&self, name: &str, choices: &[&'static str]) -> PyResult<&'static str> {
        choice(name, self.take(name)?.as_ref(), choices)
    }

    /// A text, or a list or tuple of texts.
    pub(crate) fn texts(&self, name: &str) -> PyResult<Vec<String>> {
        let value = self.take(name)?;
        value.map_or(Ok(Vec::new()), |value| texts(name, &value))
    }

    /// Takes the same names, each split at commas, like the command line.
    pub(crate) fn names(&self, name: &str) -> PyResult<Vec<String>> {
        let value = self.take(name)?;
        value.map_or(Ok(Vec::new()), |value| split_texts(name, &value))
    }

    /// The same names, or a bool: `None` for false, and no names for true.
    pub(crate) fn flag_or_names(&self, name: &str) -> PyResult<Option<Vec<String>>> {
        if self.is_flag(name)? {
            return Ok(self.flag(name)?.then(Vec::new));
        }
        let names = self.names(name)?;
        Ok((!names.is_empty()).then_some(names))
    }

    /// One of `choices`, or a bool: `None` for false, and the first one for true.
    pub(crate) fn flag_or_choice(
        &self,
        name: &str,
        choices: &[&'static str],
    ) -> PyResult<Option<&'static str>> {
        if self.is_flag(name)? {
            return Ok(self.flag(name)?.then_some(choices[0]));
        }
        let value = self.take(name)?;
        value
            .map(|value| choice(name, Some(&value), choices))
            .transpose()
    }

    pub(crate) fn number(&self, name: &str) -> PyResult<Option<usize>> {
        let Some(value) = self.take(name)? else {
            return Ok(None);
        };
        number(name, &value).map(Some)
    }

    /// A number of bytes: an int, or a text such as `"2G"`.
    pub(crate) fn size(&self, name: &str) -> PyResult<Option<usize>> {
        let text = match &self.left {
            Some(left) => left
                .get_item(name)?
                .filter(|v| v.is_instance_of::<PyString>()),
            None => None,
        };
        if text.is_none() {
            return self.number(name);
        }
        let text = self.text(name)?.unwrap_or_default();
        let size = text.parse().map(|ByteSize(size)| Some(size));
        size.map_err(|error| wrong_value(name, &error.to_string()))
    }

    /// A size as [`size`](Given::size), and after a comma a number: `"8K,20"`.
    pub(crate) fn size_and_number(&self, name: &str) -> PyResult<Option<(usize, Option<usize>)>> {
        let value = self
            .left
            .as_ref()
            .map(|left| left.get_item(name))
            .transpose()?;
        let text = match value.flatten() {
            Some(value) if value.is_instance_of::<PyString>() => one_text(name, &value)?,
            _ => return Ok(self.size(name)?.map(|size| (size, None))),
        };
        let Some((size, number)) = text.split_once(',') else {
            return Ok(self.size(name)?.map(|size| (size, None)));
        };
        self.text(name)?;
        match (size.parse(), number.parse()) {
            (Ok(ByteSize(size)), Ok(number)) => Ok(Some((size, Some(number)))),
            _ => Err(wrong_value(
                name,
                &format!("{text:?} is not of the form \"8K,20\""),
            )),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PyResult<Option<PathBuf>> {
        let Some(value) = self.take(name)? else {
            return Ok(None);
        };
        let path = value.extract();
        path.map(Some)
            .map_err(|_| wrong_type(name, "a path", &value))
    }

    /// A path, or a list or tuple of paths.
    pub(crate) fn paths(&self, name: &str) -> PyResult<Vec<PathBuf>> {
        let Some(value) = self.take(name)? else {
            return Ok(Vec::new());
        };
        let one = |value: &Bound<'_, PyAny>| {
            let path = value.extract();
            path.map_err(|_| wrong_type(name, "a path or a list of them", value))
        };
        if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            return value.try_iter()?.map(|item| one(&item?)).collect();
        }
        Ok(vec![one(&value)?])
    }

    /// # Errors
    /// `TypeError`, when a name remains that no call takes.
    pub(crate) fn finish(self) -> PyResult<Vec<String>> {
        if let Some((name, _)) = self.left.iter().flat_map(|left| left.iter()).next() {
            return Err(PyTypeError::new_err(format!("there is no option {name}")));
        }
        Ok(self.names)
    }
}

/// Returns the argument `name` of a call, which is a bool; without it, false.
///
/// # Errors
/// `TypeError` for another type.
pub(crate) fn flag(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
    match value.map(|value| (value, value.cast::<PyBool>())) {
        None => Ok(false),
        Some((_, Ok(flag))) => Ok(flag.is_true()),
        Some((value, Err(_))) => Err(wrong_type(name, "a bool", value)),
    }
}

/// Returns the argument `name`, which is a text, or a list or tuple of texts.
///
/// # Errors
/// `TypeError` for another type.
fn texts(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if value.is_instance_of::<PyString>() {
        return Ok(vec![one_text(name, value)?]);
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?;
        return items.map(|item| one_text(name, &item?)).collect();
    }
    Err(wrong_type(name, "a str or a list of them", value))
}

/// Returns the argument `name`, whose texts are each split at commas, like the command line.
///
/// # Errors
/// `TypeError` for another type.
pub(crate) fn split_texts(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let texts = texts(name, value)?;
    let names = texts.iter().flat_map(|text| text.split(','));
    Ok(names.map(|name| name.trim().to_owned()).collect())
}

/// Returns the argument `name` of a call, which is a text.
///
/// # Errors
/// `TypeError` for another type.
pub(crate) fn text(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<String>> {
    value.map(|value| one_text(name, value)).transpose()
}

/// Returns the argument `name` of a call, which is one of `choices`; without it, the first
/// one.
///
/// # Errors
/// `TypeError` for another type, `ValueError` for another text.
pub(crate) fn choice(
    name: &str,
    value: Option<&Bound<'_, PyAny>>,
    choices: &[&'static str],
) -> PyResult<&'static str> {
    let Some(text) = text(name, value)? else {
        return Ok(choices[0]);
    };
    match choices.iter().find(|choice| **choice == text) {
        Some(choice) => Ok(choice),
        None => {
            let known = choices.iter().filter(|choice| !choice.is_empty());
            let known = known.copied().collect::<Vec<_>>().join(", ");
            Err(wrong_value(
                name,
                &format!("{text:?} is not one of {known}"),
            ))
        }
    }
}

/// Returns the argument `name` of a call, which is a list or tuple of texts.
///
/// # Errors
/// `TypeError` for other types.
pub(crate) fn list(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec<String>>> {
    let Some(value) = value else {
        return Ok(None);
    };
    if !value.is_instance_of::<PyList>() && !value.is_instance_of::<PyTuple>() {
        return Err(wrong_type(name, "a list of str", value));
    }
    let items = value.try_iter()?;
    items
        .map(|item| one_text(name, &item?))
        .collect::<PyResult<_>>()
        .map(Some)
}

/// Returns the argument `name` of a call, which is a number, not negative.
///
/// # Errors
/// `TypeError` for another type, `ValueError` for a number that is out of range.
pub(crate) fn number(name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    if value.is_instance_of::<PyBool>() {
        return Err(wrong_type(name, "an int", value));
    }
    let Ok(index) = value.call_method0("__index__") else {
        return Err(wrong_type(name, "an int", value));
    };
    let number = index.extract::<usize>();
    number.map_err(|_| wrong_value(name, &format!("{index} is out of range")))
}

fn one_text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.cast::<PyString>() {
        Ok(text) => Ok(text.to_cow()?.into_owned()),
        Err(_) => Err(wrong_type(name, "a str", value)),
    }
}

/// Returns the exception for an argument of a wrong type.
pub(crate) fn wrong_type(name: &str, wanted: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let given = type_name(value);
    PyTypeError::new_err(format!("{name}: {wanted} expected, not {given}"))
}

/// Returns the exception for a value that an option cannot have.
pub(crate) fn wrong_value(name: &str, why: &str) -> PyErr {
    PyValueError::new_err(format!("{name}: {why}"))
}

/// Returns a range of bytes: a tuple of a start and an end, which may be `None`.
pub(crate) fn byte_range(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Range<u64>>> {
    let Some(value) = value else {
        return Ok(None);
    };
    let wrong = || wrong_type("byte_range", "a start and an end, or None,", value);
    let (start, end): (u64, Option<u64>) = value.extract().map_err(|_| wrong())?;
    let end = end.unwrap_or(u64::MAX);
    if start > end {
        return Err(wrong_value("byte_range", "it ends before its start"));
    }
    Ok(Some(start..end))
}
