//! The functions of the module, and `Extractor`, which keeps their options.

use crate::calls::extract as extracting;
use crate::calls::find::Matches;
use crate::calls::indicators::{shaped, unwrapped};
use crate::calls::links as linking;
use crate::calls::normalize::{self as normalizing, NoUri, Normalizer, no_uri};
use crate::calls::open::{self as opening, Reader};
use crate::calls::pairs;
use crate::calls::parse as parsing;
use crate::running::{guarded, interruptible};
use crate::settings::given::{self, wrong_type, wrong_value};
use crate::settings::options::Options;
use crate::settings::prepared::Prepared;
use crate::text::Text;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyString, PyTuple};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use urisieve::canonicalize::Level;
use urisieve::explain::Explanation;
use urisieve::syntax::resolve::Rules;

/// Returns the URIs and URNs in a text, from left to right.
///
/// The text is `str` or `bytes`, and is searched as matches are asked for. Spans are indices
/// of the text: characters of `str`, bytes of `bytes`.
///
/// >>> import urisieve
/// >>> text = "siehe Übung 😀 <HTTP://A.example/ö>"
/// >>> [(match.span, match.uri) for match in urisieve.find(text)]
/// [((15, 33), 'http://a.example/ö')]
#[doc = include_str!("../doc/found.txt")]
#[doc = include_str!("../doc/equality.txt")]
#[pyfunction]
#[pyo3(signature = (text, **options), text_signature = "(text, **options)")]
pub(crate) fn find(
    text: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Matches> {
    guarded(|| Matches::new(&*Prepared::of(options)?, text))
}

/// Returns the canonical URIs in a text, each once, in the order of their first
/// occurrences.
///
/// For a column, returns an array of lists, one for each row: structs with `uri`, `original`,
/// `offset`, `length` (in bytes of the value) and `kind`, or with the `fields` that are named:
/// `host`, `port`, `path`, `query`, `scheme`, `problems` and others, as `open` has them. A
/// column is an Arrow array, a series of Polars or pandas, or another sequence of `str` or
/// `bytes`. With an option about the requests in logs, such as `requests="also"`, the lines of rows are read as those of logs, with
/// `base` where they state no host, and the structs have the fields `request.part`,
/// `request.method`, `request.status`, `request.time` and `request.client`, too.
///
/// >>> import urisieve
/// >>> urisieve.extract("see HTTP://A.example/b, http://a.example/b and urn:isbn:0395363411.")
/// ['http://a.example/b', 'urn:isbn:0395363411']
/// >>> import pyarrow
/// >>> urisieve.extract(pyarrow.array(["to <urn:A-b:c>", None])).to_pylist()
/// [[{'uri': 'urn:a-b:c', 'original': 'urn:A-b:c', 'offset': 4, 'length': 9, 'kind': 'urn'}], None]
/// >>> urisieve.extract(["to http://a.example:80/b%"], fields=["host", "port", "problems"])[0]
/// [{'host': 'a.example', 'port': '80', 'problems': ['bad-percent']}]
#[doc = include_str!("../doc/found.txt")]
#[doc = include_str!("../doc/equality.txt")]
#[doc = include_str!("../doc/texts.txt")]
#[pyfunction]
#[pyo3(
    signature = (x, *, fields=None, **options),
    text_signature = "(x, *, fields=None, threads=1, **options)"
)]
pub(crate) fn extract(
    x: &Bound<'_, PyAny>,
    fields: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    guarded(|| extracted(&*Prepared::of(options)?, x, fields))
}

fn extracted(
    prepared: &Prepared,
    x: &Bound<'_, PyAny>,
    fields: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    let fields = given::list("fields", fields)?;
    extracting::extract(prepared, x, fields.as_deref())
}

/// Returns the canonical form of a URI, or of each URI of an Arrow array.
///
/// A text that is not a URI is returned unchanged; with `errors="null"` it becomes `None`, and
/// with `errors="raise"` a `ValueError`. `surt="archive"` or `"plain"` returns the key by which
/// web archives are indexed, `defang=True` a form that is not opened by mistake.
///
/// >>> import urisieve
/// >>> urisieve.normalize("HTTP://a.example:80/%7ejoe", level="scheme")
/// 'http://a.example/~joe'
/// >>> urisieve.normalize("https://www.a.example/b", surt="archive")
/// 'example,a)/b'
/// >>> urisieve.normalize("no URI", errors="raise")
/// Traceback (most recent call last):
///     ...
/// ValueError: 'no URI': not a URI
#[doc = include_str!("../doc/equality.txt")]
#[doc = include_str!("../doc/values.txt")]
#[pyfunction]
#[pyo3(
    signature = (x, *, errors=None, surt=None, defang=None, **options),
    text_signature = "(x, *, level='lexical', errors='keep', surt=None, defang=False, threads=1, **options)"
)]
pub(crate) fn normalize(
    x: &Bound<'_, PyAny>,
    errors: Option<&Bound<'_, PyAny>>,
    surt: Option<&Bound<'_, PyAny>>,
    defang: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    guarded(|| normalized(&Prepared::of(options)?.options, x, (errors, surt, defang)))
}

type Argument<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

fn normalized<'py>(
    options: &Options,
    x: &Bound<'py, PyAny>,
    (errors, surt, defang): (Argument<'_, 'py>, Argument<'_, 'py>, Argument<'_, 'py>),
) -> PyResult<Py<PyAny>> {
    let surt = given::choice("surt", surt, &["", "archive", "plain"])?;
    let defang = given::flag("defang", defang)?;
    let normalizer = Normalizer::new(options, no_uri(errors)?, surt, defang)?;
    normalizing::normalize(x, normalizer, options.threads.unwrap_or(1))
}

/// Returns whether two URIs are equal.
///
/// Columns are compared row by row: the answer is an array of flags, null where one of both is.
/// A text is compared with each row of a column.
///
/// >>> import urisieve
/// >>> urisieve.equivalent("HTTP://A.example/", "http://a.example/")
/// True
/// >>> urisieve.equivalent("http://a.example:80", "http://a.example/")
/// False
/// >>> urisieve.equivalent("http://a.example:80", "http://a.example/", level="scheme")
/// True
/// >>> urisieve.equivalent(["HTTP://A.example/", None], ["http://a.example/", "urn:a-b:c"]).to_pylist()
/// [True, None]
#[doc = include_str!("../doc/equality.txt")]
#[doc = include_str!("../doc/values.txt")]
#[pyfunction]
#[pyo3(signature = (a, b, **options), text_signature = "(a, b, *, level='lexical', **options)")]
pub(crate) fn equivalent<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| are_equivalent(&Prepared::of(options)?.options, a, b))
}

fn are_equivalent<'py>(
    options: &Options,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let of_a = Normalizer::new(options, NoUri::Keep, "", false)?;
    pairs::equivalent([of_a.clone(), of_a], a, b)
}

/// Returns the URI that a reference means, relative to a base.
///
/// `rfc` is 3986 (the default), 2396, 1993 or `"whatwg"`, the rules of HTML. For columns,
/// returns an array; a base or a reference that is a text is that of each row, and a null gives
/// null. What cannot be resolved is a `ValueError` that names the row; with `errors="null"`
/// the answer is `None`.
///
/// >>> import urisieve
/// >>> urisieve.resolve("http://a.example/b/c", "../d?e")
/// 'http://a.example/d?e'
/// >>> urisieve.resolve("http://a.example/b/", ["c", None, "//d.example/"]).to_pylist()
/// ['http://a.example/b/c', None, 'http://d.example/']
/// >>> urisieve.resolve("a/b", "c")
/// Traceback (most recent call last):
///     ...
/// ValueError: the base has no scheme; a base must be an absolute URI
#[pyfunction]
#[pyo3(
    signature = (base, r#ref, rfc=None, *, errors=None),
    text_signature = "(base, ref, rfc=3986, *, errors='raise')"
)]
pub(crate) fn resolve<'py>(
    base: &Bound<'py, PyAny>,
    r#ref: &Bound<'py, PyAny>,
    rfc: Option<&Bound<'py, PyAny>>,
    errors: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        let name = match rfc {
            None => "3986".to_owned(),
            Some(rfc) if rfc.is_instance_of::<PyInt>() || rfc.is_instance_of::<PyString>() => {
                rfc.str()?.to_cow()?.into_owned()
            }
            Some(rfc) => return Err(wrong_type("rfc", "an int or a str", rfc)),
        };
        let rules: Result<Rules, _> = name.parse();
        let rules = rules.map_err(|error| wrong_value("rfc", &error.to_string()))?;
        let nulls = given::choice("errors", errors, &["raise", "null"])? == "null";
        pairs::resolve(rules, base, r#ref, nulls)
    })
}

/// Returns the components of a URI, and the codes of its problems, as a dictionary.
///
/// For a column, returns an array of structs with the same fields: `uri`, which is the canonical
/// form, `kind`, `scheme`, `nid`, `host`, `port`, `path`, `query`, `fragment`, `problems`, or
/// those that are named, also `original`. Components are those of the canonical form. What is not
/// a URI only has problems, and a null is null.
///
/// >>> import urisieve
/// >>> urisieve.parse("HTTP://A.example:8080/b?c", fields=["uri", "host", "port", "problems"])
/// {'uri': 'http://a.example:8080/b?c', 'host': 'a.example', 'port': '8080', 'problems': None}
/// >>> urisieve.parse(["urn:isbn:0395363412", "n/a", None], fields=["nid", "problems"]).to_pylist()
/// [{'nid': 'isbn', 'problems': ['isbn-check']}, {'nid': None, 'problems': ['no-scheme']}, None]
#[doc = include_str!("../doc/equality.txt")]
#[doc = include_str!("../doc/values.txt")]
#[pyfunction]
#[pyo3(
    signature = (x, *, fields=None, **options),
    text_signature = "(x, *, fields=None, level='lexical', threads=1, **options)"
)]
pub(crate) fn parse(
    x: &Bound<'_, PyAny>,
    fields: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    guarded(|| parsed(&Prepared::of(options)?.options, x, fields))
}

fn parsed(
    options: &Options,
    x: &Bound<'_, PyAny>,
    fields: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    let fields = given::list("fields", fields)?;
    parsing::parse(options, x, fields.as_deref())
}

/// Returns all that is known about a URI, as a dictionary with the keys of
/// `urisieve explain --json`.
///
/// >>> import urisieve
/// >>> about = urisieve.explain("urn:ISBN:0-395-36341-X")
/// >>> about["canonical"], about["problems"]
/// ('urn:isbn:039536341X', ['isbn-check'])
#[doc = include_str!("../doc/equality.txt")]
#[pyfunction]
#[pyo3(signature = (uri, **options), text_signature = "(uri, *, level='scheme', **options)")]
pub(crate) fn explain(
    uri: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    guarded(|| explained(&Prepared::of(options)?.options, uri))
}

fn explained(options: &Options, uri: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let py = uri.py();
    let text = Text::required(uri, "uri")?;
    let bytes = text.bytes()?;
    // All that is known, unless a level is named.
    let canonicalizer = match options.is_given("level") {
        true => options.canonicalizer.clone(),
        false => options.canonicalizer.clone().at(Level::Scheme),
    };
    let json = interruptible(py, bytes.len(), &AtomicBool::new(false), || {
        Explanation::of(bytes, &canonicalizer).to_json(canonicalizer.level().name())
    })?;
    Ok(py.import("json")?.call_method1("loads", (json,))?.unbind())
}

/// Returns the links of a page, each target once, resolved against its base.
///
/// For a column of pages, returns an array of lists of structs: `uri`, `original`, `path`, `rel`,
/// `nofollow`, `offset`, `length`, the last two in bytes. `base` is then that of all pages, or a
/// column, whose nulls are pages without one.
///
/// >>> import urisieve
/// >>> page = '<base href="/dir/"><a href="b#c">b</a><img src=d.png>'
/// >>> [(link.uri, link.path) for link in urisieve.links(page, base="http://a.example/")]
/// [('http://a.example/dir/b#c', 'A@/href'), ('http://a.example/dir/d.png', 'IMG@/src')]
/// >>> found = urisieve.links([page, "<a href=e>e</a>"], base=["http://a.example/", "http://b.example/"])
/// >>> [[link["uri"] for link in links] for links in found]
/// [['http://a.example/dir/b#c', 'http://a.example/dir/d.png'], ['http://b.example/e']]
#[doc = include_str!("../doc/links.txt")]
#[doc = include_str!("../doc/found.txt")]
#[doc = include_str!("../doc/equality.txt")]
#[pyfunction]
#[pyo3(signature = (html, base=None, **options), text_signature = "(html, base=None, **options)")]
pub(crate) fn links(
    html: &Bound<'_, PyAny>,
    base: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    guarded(|| linking::links(&Prepared::of(options)?.options, html, base))
}

/// Opens inputs of any format: text, compressed files, archives, markup, directories.
///
/// `source` is a path, an object with `read`, or a list of them. Returns an iterator of Arrow
/// record batches with the columns of `urisieve --json`. Damage does not raise; it is listed
/// in `.losses`. `threads` is by default the number of cores. `fields` are the columns to
/// return; values that they do not need are not computed.
///
/// `byte_range` is the start and the end of the part of one file that is read, in bytes as it is
/// stored; the end may be `None`. Ranges that follow each other have together what the file has,
/// and nothing twice, so that several processes can read it: a part of plain text begins and ends
/// where no URI is divided, and anything else (compressed, an archive, markup, an object
/// without `seek`) is the part at 0. Lines are counted from the start of the part. The lines of a log are read with the columns that its
/// first MiB names; others are a loss, `unsupported`.
///
/// >>> import gzip, io, urisieve
/// >>> packed = gzip.compress(b"see http://a.example/b")
/// >>> reader = urisieve.open(io.BytesIO(packed[:-4]))
/// >>> [row["uri"] for batch in reader for row in batch.to_pylist()]
/// ['http://a.example/b']
/// >>> reader.losses[0]["kind"]
/// 'truncated'
/// >>> urisieve.open(io.BytesIO(packed), fields=["uri", "line"]).column_names
/// ['uri', 'line']
#[doc = include_str!("../doc/inputs.txt")]
#[doc = include_str!("../doc/found.txt")]
#[doc = include_str!("../doc/equality.txt")]
#[doc = include_str!("../doc/links.txt")]
#[doc = include_str!("../doc/edges.txt")]
#[pyfunction]
#[pyo3(
    signature = (source, *, fields=None, byte_range=None, **options),
    text_signature = "(source, *, fields=None, byte_range=None, **options)"
)]
pub(crate) fn open(
    source: &Bound<'_, PyAny>,
    fields: Option<&Bound<'_, PyAny>>,
    byte_range: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Reader> {
    let places = (fields, byte_range);
    guarded(|| opened(&Prepared::of(options)?.options, source, places))
}

fn opened<'py>(
    options: &Options,
    source: &Bound<'py, PyAny>,
    (fields, byte_range): (Argument<'_, 'py>, Argument<'_, 'py>),
) -> PyResult<Reader> {
    let fields = given::list("fields", fields)?;
    let bytes = given::byte_range(byte_range)?;
    opening::open(options, (source, bytes), fields.as_deref())
}

/// Options that are checked once, for many calls. They have the names of the command line.
///
/// An extractor can be pickled, so that other processes have it, too, and threads may share
/// it.
///
/// >>> import urisieve
/// >>> extractor = urisieve.Extractor(level="scheme", host="a.example", nested=True)
/// >>> extractor
/// urisieve.Extractor(level='scheme', host='a.example', nested=True)
/// >>> extractor.extract("http://b.example/?u=http://a.example:80/c")
/// ['http://a.example/c']
#[doc = include_str!("../doc/found.txt")]
#[doc = include_str!("../doc/equality.txt")]
#[doc = include_str!("../doc/inputs.txt")]
#[doc = include_str!("../doc/links.txt")]
#[doc = include_str!("../doc/edges.txt")]
#[pyclass(name = "Extractor", module = "urisieve", frozen)]
pub(crate) struct Extractor {
    prepared: Arc<Prepared>,
    given: Py<PyDict>,
}

#[pymethods]
impl Extractor {
    #[new]
    #[pyo3(signature = (**options), text_signature = "(**options)")]
    fn new(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Extractor> {
        guarded(|| {
            let prepared = Prepared::new(options)?;
            let given = options.map_or_else(|| Ok(PyDict::new(py)), |given| given.copy())?;
            let given = given.unbind();
            Ok(Extractor { prepared, given })
        })
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        Ok((PyTuple::empty(py), self.given.bind(py).copy()?))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let given = self.given.bind(py).iter();
        let shown = given.map(|(name, value)| Ok(format!("{}={}", name.str()?, value.repr()?)));
        let shown = shown.collect::<PyResult<Vec<_>>>()?.join(", ");
        Ok(format!("urisieve.Extractor({shown})"))
    }

    /// Like the function `find`.
    fn find(&self, text: &Bound<'_, PyAny>) -> PyResult<Matches> {
        guarded(|| Matches::new(&self.prepared, text))
    }

    /// Like the function `extract`.
    #[pyo3(signature = (x, *, fields=None))]
    fn extract(
        &self,
        x: &Bound<'_, PyAny>,
        fields: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        guarded(|| extracted(&self.prepared, x, fields))
    }

    /// Like the function `parse`.
    #[pyo3(signature = (x, *, fields=None))]
    fn parse(
        &self,
        x: &Bound<'_, PyAny>,
        fields: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        guarded(|| parsed(&self.prepared.options, x, fields))
    }

    /// Like the function `normalize`.
    #[pyo3(
        signature = (x, *, errors=None, surt=None, defang=None),
        text_signature = "(x, *, errors='keep', surt=None, defang=False)"
    )]
    fn normalize(
        &self,
        x: &Bound<'_, PyAny>,
        errors: Option<&Bound<'_, PyAny>>,
        surt: Option<&Bound<'_, PyAny>>,
        defang: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        guarded(|| normalized(&self.prepared.options, x, (errors, surt, defang)))
    }

    /// Like the function `shape`.
    #[pyo3(
        signature = (x, *, values=None, errors=None),
        text_signature = "(x, *, values=False, errors='keep')"
    )]
    fn shape(
        &self,
        x: &Bound<'_, PyAny>,
        values: Option<&Bound<'_, PyAny>>,
        errors: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        guarded(|| shaped(&self.prepared.options, x, (values, errors)))
    }

    /// Like the function `unwrap`.
    #[pyo3(
        signature = (x, gateways=None, *, errors=None),
        text_signature = "(x, gateways=None, *, errors='keep')"
    )]
    fn unwrap(
        &self,
        x: &Bound<'_, PyAny>,
        gateways: Option<&Bound<'_, PyAny>>,
        errors: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        guarded(|| unwrapped(&self.prepared, x, (gateways, errors)))
    }

    /// Like the function `equivalent`.
    fn equivalent<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| are_equivalent(&self.prepared.options, a, b))
    }

    /// Like the function `explain`.
    fn explain(&self, uri: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        guarded(|| explained(&self.prepared.options, uri))
    }

    /// Like the function `links`.
    #[pyo3(signature = (html, base=None))]
    fn links(
        &self,
        html: &Bound<'_, PyAny>,
        base: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        guarded(|| linking::links(&self.prepared.options, html, base))
    }

    /// Like the function `open`.
    #[pyo3(signature = (source, *, fields=None, byte_range=None))]
    fn open(
        &self,
        source: &Bound<'_, PyAny>,
        fields: Option<&Bound<'_, PyAny>>,
        byte_range: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Reader> {
        guarded(|| opened(&self.prepared.options, source, (fields, byte_range)))
    }
}
