//! `links`: the references of a page in memory, resolved against its base.

use crate::arrow::arrays::Column;
use crate::calls::found::{alias, hash_of, pickled};
use crate::calls::page_links::{self, Bases, MARK, page_sieve};
use crate::running::{all_searched, interruptible, run_error};
use crate::settings::given::{self, wrong_value};
use crate::settings::options::{OF_EXCHANGES, Options, absolute_base};
use crate::text::{Characters, Text, TextForm};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyType};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use urisieve::item::Finding;

/// Options that do not apply to a single page.
const OF_RUNS: [&str; 17] = [
    "against",
    "no_decompress",
    "warc_type",
    "mime",
    "glob",
    "hidden",
    "gitignore",
    "max_depth",
    "follow",
    "label",
    "links",
    "weights",
    "groups",
    "by",
    "max_count",
    "unordered",
    "dedup",
];

/// A link of a page.
///
/// >>> import urisieve
/// >>> [link] = urisieve.links('<a rel=nofollow href=b>', base="http://a.example/")
/// >>> link.uri, link.path, link.rel, link.nofollow
/// ('http://a.example/b', 'A@/href', 'nofollow', True)
#[pyclass(name = "Link", module = "urisieve", frozen)]
pub(crate) struct Link {
    form: TextForm,
    uri: Vec<u8>,
    source: Vec<u8>,
    original: Vec<u8>,
    /// The offset of the reference in the page.
    #[pyo3(get)]
    offset: u64,
    /// The length of the reference in the page.
    #[pyo3(get)]
    length: u64,
    path: Vec<u8>,
    rel: Vec<u8>,
    /// Whether the page asks not to follow it.
    #[pyo3(get)]
    nofollow: bool,
    /// The number of occurrences, with `count=True`.
    #[pyo3(get)]
    count: Option<u64>,
}

/// Returns the links of a page as a list, or those of a column of pages as an array.
///
/// `base` is the base of the page, or a column of those of the pages; without it, it is that of
/// the options.
pub(crate) fn links(
    options: &Options,
    html: &Bound<'_, PyAny>,
    base: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    options.reject("links", &OF_RUNS)?;
    options.reject("links", &OF_EXCHANGES)?;
    if options.is_format("text") {
        return Err(wrong_value("input_format", "text has no links"));
    }
    let one_base = |base: Option<&Bound<'_, PyAny>>| -> PyResult<Option<String>> {
        let base = absolute_base(given::text("base", base)?)?;
        Ok(base.or_else(|| options.base.clone()))
    };
    if let Some(text) = Text::of(html)? {
        options.check_encoding(text.is_str())?;
        let base = one_base(base)?;
        return Ok(of_page(options, &text, base.as_deref())?
            .into_any()
            .unbind());
    }
    let pages = Column::or_text(html, "html")?;
    options.check_encoding(pages.texts.is_strings())?;
    let bases = match base {
        Some(bases) if Text::of(bases)?.is_none() => Bases::Each(Column::or_text(bases, "base")?),
        base => Bases::All(one_base(base)?),
    };
    page_links::links(options, &pages, &bases, html.py())
}

fn of_page<'py>(
    options: &Options,
    text: &Text<'py>,
    base: Option<&str>,
) -> PyResult<Bound<'py, PyList>> {
    let py = text.owner.py();
    let bytes = text.bytes()?;
    let marked;
    // A `str` is characters, so the encoding that the page declares does not apply.
    let (bytes, before) = match text.form {
        TextForm::Str { .. } => {
            marked = [MARK, bytes].concat();
            (&marked[..], MARK.len() as u64)
        }
        TextForm::Bytes => (bytes, 0),
    };
    let cancel = Arc::<AtomicBool>::default();
    let base = base.map(str::as_bytes);
    let sieve = page_sieve(options, base, options.of_texts(&cancel)).build();
    let form = text.form;
    let found = interruptible(py, bytes.len(), &cancel, || {
        let mut found = Vec::new();
        let stats = sieve.for_each(bytes, |link| found.push(Link::new(link, before, form)))?;
        Ok::<_, urisieve::Error>((found, stats))
    })?;
    let (found, stats) = found.map_err(|error| run_error(&error))?;
    all_searched(stats.failed_inputs)?;
    let list = PyList::empty(py);
    let (bytes, mut characters) = (text.bytes()?, Characters::default());
    for mut link in found {
        link.index(bytes, &mut characters);
        list.append(Py::new(py, link)?)?;
    }
    Ok(list)
}

impl Link {
    fn new(link: &Finding, before: u64, form: TextForm) -> Link {
        let context = link.context.link.unwrap_or_default();
        Link {
            form,
            uri: link.uri.to_vec(),
            source: link.source.unwrap_or_default().to_vec(),
            original: link.original.to_vec(),
            offset: link.offset.saturating_sub(before),
            length: link.length,
            path: context.path.to_vec(),
            rel: context.rel.to_vec(),
            nofollow: context.nofollow,
            count: link.count,
        }
    }

    /// Turns offsets in UTF-8 into offsets of characters.
    fn index(&mut self, text: &[u8], characters: &mut Characters) {
        let end = self.offset + self.length;
        let start = characters.index(text, self.form, self.offset as usize) as u64;
        self.length = characters.index(text, self.form, end as usize) as u64 - start;
        self.offset = start;
    }

    /// What two equal links have in common.
    fn parts(&self) -> LinkParts<'_> {
        let texts = [
            &self.uri,
            &self.source,
            &self.original,
            &self.path,
            &self.rel,
        ];
        let place = (self.offset, self.length);
        (
            texts.map(|text| &text[..]),
            place,
            self.nofollow,
            self.count,
        )
    }

    fn text<'py>(&self, py: Python<'py>, bytes: &[u8]) -> Option<Bound<'py, PyAny>> {
        (!bytes.is_empty()).then(|| self.form.object(py, bytes))
    }
}

#[pymethods]
impl Link {
    /// The target: the canonical form.
    #[getter]
    fn uri<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.form.object(py, &self.uri)
    }

    /// The page: `base`, or the node that it belongs to.
    #[getter]
    fn source<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.text(py, &self.source)
    }

    /// The target as resolved, before it is made canonical.
    #[getter]
    fn original<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.form.object(py, &self.original)
    }

    /// The element in upper case, `@/` and the attribute.
    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.text(py, &self.path)
    }

    /// The value of `rel`.
    #[getter]
    fn rel<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.text(py, &self.rel)
    }

    /// The place of the reference in the page: characters of a `str`, bytes of `bytes`.
    #[getter]
    fn span(&self) -> (u64, u64) {
        (self.offset, self.offset + self.length)
    }

    #[classmethod]
    fn __class_getitem__<'py>(
        class: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        alias(class, item)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (LinkState,))> {
        let (texts, place, nofollow, count) = self.parts();
        let texts = texts.map(|text| PyBytes::new(py, text).unbind());
        let state = (self.form.is_bytes(), texts, place, nofollow, count);
        pickled(py, "_link", state)
    }

    fn __eq__(&self, other: &Link) -> bool {
        self.form.is_bytes() == other.form.is_bytes() && self.parts() == other.parts()
    }

    fn __hash__(&self) -> u64 {
        hash_of(self.parts())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<urisieve.Link {}>", self.uri(py).repr()?))
    }
}

/// The texts of a link, its place, whether it must not be followed, and its count.
type LinkParts<'l> = ([&'l [u8]; 5], (u64, u64), bool, Option<u64>);

/// A link as it is pickled: whether it is of bytes, its texts, its place, and whether it must
/// not be followed.
type LinkState = (bool, [Py<PyBytes>; 5], (u64, u64), bool, Option<u64>);

/// Returns the link that was pickled.
#[pyfunction]
pub(crate) fn _link(py: Python<'_>, state: LinkState) -> Link {
    let (is_bytes, texts, (offset, length), nofollow, count) = state;
    let [uri, source, original, path, rel] = texts.map(|text| text.as_bytes(py).to_vec());
    Link {
        form: TextForm::pickled(is_bytes),
        uri,
        source,
        original,
        offset,
        length,
        path,
        rel,
        nofollow,
        count,
    }
}
