//! `shape` and `unwrap`: what URIs have in common, and where the URLs of gateways lead.

use crate::calls::normalize::{self, Normalizer, Respell, no_uri};
use crate::running::guarded;
use crate::settings::equality::gateways;
use crate::settings::given;
use crate::settings::options::Options;
use crate::settings::prepared::Prepared;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use urisieve::syntax;

/// Returns the shape of a URI, or of each URI of a column: its canonical form with classes in the
/// place of what differs from page to page.
///
/// Segments of the path become `{int}`, `{uuid}`, `{date}`, `{hex}`, `{token}` or `{slug}`, and of
/// the query the names are left, sorted, each once; with `values=True` they have their values or
/// the classes of these. What is not a URI is returned as it is, or as `errors` says.
///
/// >>> import urisieve
/// >>> urisieve.shape("http://a.example/u/17/my-post-12.html?q=x&id=7#top")
/// 'http://a.example/u/{int}/{slug}.html?id&q'
/// >>> urisieve.shape(["http://a.example/?q=x&id=7", None], values=True).to_pylist()
/// ['http://a.example/?id={int}&q=x', None]
#[doc = include_str!("../doc/equality.txt")]
#[doc = include_str!("../doc/values.txt")]
#[pyfunction]
#[pyo3(
    signature = (x, *, values=None, errors=None, **options),
    text_signature = "(x, *, values=False, errors='keep', **options)"
)]
pub(crate) fn shape(
    x: &Bound<'_, PyAny>,
    values: Option<&Bound<'_, PyAny>>,
    errors: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    guarded(|| shaped(&Prepared::of(options)?.options, x, (values, errors)))
}

/// The arguments of a call beside its column, which may be missing.
pub(super) type Two<'a, 'py> = (Option<&'a Bound<'py, PyAny>>, Option<&'a Bound<'py, PyAny>>);

pub(super) fn shaped(
    options: &Options,
    x: &Bound<'_, PyAny>,
    (values, errors): Two<'_, '_>,
) -> PyResult<Py<PyAny>> {
    let respell: Respell = match given::flag("values", values)? {
        true => |uri, out| syntax::shape(uri, true, out),
        false => |uri, out| syntax::shape(uri, false, out),
    };
    let normalizer = Normalizer::new(options, no_uri(errors)?, "", false)?.respelled(respell);
    normalize::normalize(x, normalizer, options.threads.unwrap_or(1))
}

/// Returns the URL that a URL of a gateway leads to, such as a safe link of mail or the redirect of
/// a site; of a column, that of each row. Others are returned as they are.
///
/// `gateways` are their names, which `urisieve formats` prints, and `"@FILE"` for a table of one's
/// own; by default all that are known. Without a `level` the URL is spelled as the gateway has it.
///
/// >>> import urisieve
/// >>> urisieve.unwrap("https://www.google.com/url?q=http%3A%2F%2FA.example%2Fb&sa=D")
/// 'http://A.example/b'
/// >>> urisieve.unwrap(["https://www.google.com/url?q=http%3A%2F%2FA.example%2F", "n/a"], level="lexical").to_pylist()
/// ['http://a.example/', 'n/a']
#[doc = include_str!("../doc/equality.txt")]
#[doc = include_str!("../doc/values.txt")]
#[pyfunction]
#[pyo3(
    signature = (x, gateways=None, *, errors=None, **options),
    text_signature = "(x, gateways=None, *, level='none', errors='keep', **options)"
)]
pub(crate) fn unwrap(
    x: &Bound<'_, PyAny>,
    gateways: Option<&Bound<'_, PyAny>>,
    errors: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    guarded(|| unwrapped(&*Prepared::of(options)?, x, (gateways, errors)))
}

pub(super) fn unwrapped(
    prepared: &Prepared,
    x: &Bound<'_, PyAny>,
    (named, errors): Two<'_, '_>,
) -> PyResult<Py<PyAny>> {
    let options = &prepared.options;
    let mut canonicalizer = prepared.unwrapping().clone();
    if let Some(named) = named {
        let named = given::split_texts("gateways", named)?;
        canonicalizer = canonicalizer.unwrap_gateways(gateways("gateways", &named)?);
    }
    let normalizer = Normalizer::new(options, no_uri(errors)?, "", false)?;
    let normalizer = normalizer.canonicalized(canonicalizer);
    normalize::normalize(x, normalizer, options.threads.unwrap_or(1))
}
