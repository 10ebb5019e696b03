//! The behaviour that matches and links share as values of Python: the type of their texts,
//! pickling and hashing.

use pyo3::prelude::*;
use pyo3::types::PyType;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Returns the type of a class whose values are `item`, such as `Match[str]`.
///
/// # Errors
/// Errors of the module `types`.
pub(super) fn alias<'py>(
    class: &Bound<'py, PyType>,
    item: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let types = class.py().import("types")?;
    types.call_method1("GenericAlias", (class, item))
}

/// Returns what `pickle` keeps of a value: the function of the module that makes it again, and its
/// argument.
///
/// # Errors
/// There is no function of this name.
pub(super) fn pickled<'py, S>(
    py: Python<'py>,
    makes: &str,
    state: S,
) -> PyResult<(Bound<'py, PyAny>, (S,))> {
    let makes = py.import("urisieve._urisieve")?.getattr(makes)?;
    Ok((makes, (state,)))
}

/// Returns the hash of the parts by which values are equal.
pub(super) fn hash_of(parts: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish()
}
