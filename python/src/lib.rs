//! The Python module `urisieve._urisieve`: the library behind the names that Python people
//! expect. Each file is one call or one kind of value; `boundary` has all that is `unsafe`.

#![deny(unsafe_code)]
// Docstrings have sessions of Python, which are no quotes of Markdown.
#![allow(clippy::doc_lazy_continuation)]

mod arrays;
mod batches;
mod boundary;
mod calls;
mod columns;
mod export;
mod extract;
mod extractor;
mod filling;
mod find;
mod gathered;
mod given;
mod items;
mod link_set;
mod links;
mod normalize;
mod open;
mod options;
mod packed;
mod page_links;
mod pairs;
mod parse;
mod prepared;
mod rows;
mod select;
mod shared;
mod text;
mod uri_set;
mod values;

/// Finds every URI and URN in text of any size and keeps each equivalence class once.
#[pyo3::pymodule]
mod _urisieve {
    #[pymodule_export]
    use crate::export::{PyArray, PyChunkedArray, PyRecordBatch};
    #[pymodule_export]
    use crate::extractor::{
        Extractor, equivalent, explain, extract, find, links, normalize, open, parse, resolve,
    };
    #[pymodule_export]
    use crate::find::{_match, Match, Matches};
    #[pymodule_export]
    use crate::link_set::LinkSet;
    #[pymodule_export]
    use crate::links::{_link, Link};
    #[pymodule_export]
    use crate::open::Reader;
    #[pymodule_export]
    use crate::uri_set::UriSet;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
