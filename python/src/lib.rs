//! The Python module `urisieve._urisieve`: the library behind the names that Python people
//! expect. Rooms use those before them: `settings`, `arrow`, `calls`, `sets`. `boundary` has all
//! that is `unsafe`.

#![deny(unsafe_code)]
// Docstrings have sessions of Python, which are no quotes of Markdown.
#![allow(clippy::doc_lazy_continuation)]

mod arrow;
mod boundary;
mod calls;
mod running;
mod sets;
mod settings;
mod shared;
mod text;

/// Finds every URI and URN in text of any size and keeps each equivalence class once.
#[pyo3::pymodule]
mod _urisieve {
    #[pymodule_export]
    use crate::arrow::export::{PyArray, PyChunkedArray, PyRecordBatch};
    #[pymodule_export]
    use crate::calls::extractor::{
        Extractor, equivalent, explain, extract, find, links, normalize, open, parse, resolve,
    };
    #[pymodule_export]
    use crate::calls::find::{_match, Match, Matches};
    #[pymodule_export]
    use crate::calls::indicators::{shape, unwrap};
    #[pymodule_export]
    use crate::calls::links::{_link, Link};
    #[pymodule_export]
    use crate::calls::open::Reader;
    #[pymodule_export]
    use crate::sets::link_set::LinkSet;
    #[pymodule_export]
    use crate::sets::seen::Seen;
    #[pymodule_export]
    use crate::sets::uri_set::UriSet;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
