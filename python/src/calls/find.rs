//! `find`: the matches in a text, from left to right, searched on demand.

use crate::boundary::HeldMatches;
use crate::calls::found::{alias, hash_of, pickled};
use crate::running::{SHORT, guarded, interruptible};
use crate::settings::given::wrong_value;
use crate::settings::options::{OF_CLASSES, OF_EXCHANGES, OF_INPUTS};
use crate::settings::prepared::Prepared;
use crate::settings::select::Choice;
use crate::shared::Shared;
use crate::text::{Characters, Text, TextForm};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use urisieve::canonicalize::{Canonicalizer, Redactor};
use urisieve::item::{Marks, Problems};
use urisieve::syntax::{Components, Kind, urn};

/// The most matches that are searched for at a time.
const BATCH: usize = 1024;

/// A URI or URN in a text.
///
/// Values are `str` where the text is a `str`, and `bytes` where it is `bytes`.
///
/// >>> import urisieve
/// >>> text = "see (HTTP://A.example/b)."
/// >>> match = next(urisieve.find(text))
/// >>> match
/// <urisieve.Match 'http://a.example/b' at 5..23>
/// >>> text[match.start:match.end], match.uri, match.host
/// ('HTTP://A.example/b', 'http://a.example/b', 'a.example')
#[pyclass(name = "Match", module = "urisieve", frozen)]
pub(crate) struct Match {
    form: TextForm,
    start: usize,
    end: usize,
    uri: Box<[u8]>,
    /// The URI as written, where that differs.
    original: Option<Box<[u8]>>,
    marks: ShownMarks,
}

/// What a match says about the place of its URI.
struct ShownMarks {
    wrapper: Cow<'static, str>,
    wrapped: u8,
    url_prefix: bool,
    hyphen_break: bool,
    problems: Problems,
}

impl From<Marks> for ShownMarks {
    fn from(marks: Marks) -> ShownMarks {
        ShownMarks {
            wrapper: Cow::Borrowed(marks.wrapper.name()),
            wrapped: marks.wrapped,
            url_prefix: marks.url_prefix,
            hyphen_break: marks.hyphen_break,
            problems: marks.problems,
        }
    }
}

/// The matches in a text, searched on demand.
///
/// >>> import urisieve
/// >>> matches = urisieve.find(b"http://a.example/ urn:isbn:0395363411")
/// >>> [(match.uri, match.kind) for match in matches]
/// [(b'http://a.example/', 'url'), (b'urn:isbn:0395363411', 'urn')]
///
/// Threads may share them: each match is given once.
#[pyclass(name = "Matches", module = "urisieve", frozen)]
pub(crate) struct Matches {
    search: Shared<Search>,
}

/// A search of a text.
struct Search {
    written: Written,
    form: TextForm,
    /// The bytes of the text.
    size: usize,
    /// The number of matches that are searched for next.
    batch: usize,
    cancel: Arc<AtomicBool>,
    ready: VecDeque<Match>,
    ended: bool,
}

/// The URIs as written, and what is made of them.
struct Written {
    matches: HeldMatches,
    owner: Py<PyAny>,
    characters: Characters,
    canonicalizer: Canonicalizer,
    redactor: Option<Redactor>,
    choice: Option<Choice>,
    problems: Problems,
    buffers: (Vec<u8>, Vec<u8>),
}

/// A match, its places as bytes.
struct Found {
    start: usize,
    end: usize,
    uri: Box<[u8]>,
    original: Option<Box<[u8]>>,
    marks: Marks,
}

impl Matches {
    pub(crate) fn new(prepared: &Prepared, text: &Bound<'_, PyAny>) -> PyResult<Matches> {
        let options = &prepared.options;
        options.reject("find", &OF_INPUTS)?;
        options.reject("find", &OF_EXCHANGES)?;
        options.reject("find", &OF_CLASSES)?;
        options.reject("find", &["input_format", "all"])?;
        let text = Text::required(text, "text")?;
        options.check_encoding(text.is_str())?;
        let cancel = Arc::<AtomicBool>::default();
        let bytes = text.bytes()?;
        let owner = text.owner.clone().unbind();
        let finder = prepared.finder(bytes.len(), &cancel);
        Ok(Matches {
            search: Shared::new(Search {
                form: text.form,
                size: bytes.len(),
                written: Written {
                    matches: HeldMatches::new(&finder, bytes, owner.clone_ref(text.owner.py())),
                    owner,
                    characters: Characters::default(),
                    canonicalizer: options.canonicalizer.clone(),
                    redactor: options.redactor.clone(),
                    choice: options.choice.clone(),
                    problems: options.problems,
                    buffers: Default::default(),
                },
                batch: 1,
                cancel,
                ready: VecDeque::new(),
                ended: false,
            }),
        })
    }
}

impl Search {
    /// Returns the next match.
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Match>> {
        while self.ready.is_empty() && !self.ended {
            if let Err(raised) = self.refill(py) {
                self.ended = true;
                return Err(raised);
            }
            if self.size >= SHORT {
                py.check_signals()?;
            }
        }
        Ok(self.ready.pop_front())
    }

    /// Searches for the next matches.
    fn refill(&mut self, py: Python<'_>) -> PyResult<()> {
        let batch = self.batch;
        self.batch = (batch * 2).min(BATCH);
        let search = &mut self.written;
        let more = |search: &mut Written| -> (Vec<Found>, bool) {
            let mut found = Vec::new();
            while found.len() < batch {
                match search.next() {
                    Some(next) => found.push(next),
                    None => return (found, true),
                }
            }
            (found, false)
        };
        let (found, ended) = interruptible(py, self.size, &self.cancel, || more(search))?;
        self.ended = ended;
        let search = &mut self.written;
        let owner = search.owner.bind(py).clone();
        let text = Text {
            owner,
            form: self.form,
        };
        let bytes = text.bytes()?;
        for Found {
            start,
            end,
            uri,
            original,
            marks,
        } in found
        {
            let form = self.form;
            self.ready.push_back(Match {
                start: search.characters.index(bytes, form, start),
                end: search.characters.index(bytes, form, end),
                form,
                uri,
                original,
                marks: marks.into(),
            });
        }
        Ok(())
    }
}

impl Written {
    fn next(&mut self) -> Option<Found> {
        let Written {
            matches,
            canonicalizer,
            redactor,
            choice,
            problems,
            buffers: (redacted, canonical),
            ..
        } = self;
        loop {
            let found = matches.next()?;
            if !problems.is_empty() && !found.problems().meets(*problems) {
                continue;
            }
            let written = match redactor {
                Some(redactor) => redactor.redact(found.uri(), redacted),
                None => found.uri(),
            };
            let uri = canonicalizer.canonicalize(written, canonical);
            if choice.as_ref().is_some_and(|choice| !choice(uri)) {
                continue;
            }
            return Some(Found {
                start: found.start(),
                end: found.end(),
                original: (uri != written).then(|| written.into()),
                uri: uri.into(),
                marks: found.marks(),
            });
        }
    }
}

#[pymethods]
impl Matches {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Match>> {
        guarded(|| self.search.with(py, |search| search.next(py)))
    }

    #[classmethod]
    fn __class_getitem__<'py>(
        class: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        alias(class, item)
    }
}

impl Match {
    fn parts(&self) -> Components {
        Components::parse(&self.uri)
    }

    fn object<'py>(&self, py: Python<'py>, part: Option<&[u8]>) -> Option<Bound<'py, PyAny>> {
        part.map(|part| self.form.object(py, part))
    }
}

#[pymethods]
impl Match {
    /// The canonical form.
    #[getter]
    fn uri<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.form.object(py, &self.uri)
    }

    /// The URI as written, without line breaks and escapes.
    #[getter]
    fn original<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        let original = self.original.as_deref();
        self.form.object(py, original.unwrap_or(&self.uri))
    }

    /// The place in the text: characters of a `str`, bytes of `bytes`.
    #[getter]
    fn span(&self) -> (usize, usize) {
        (self.start, self.end)
    }

    /// The index in the text at which the URI begins.
    #[getter]
    fn start(&self) -> usize {
        self.start
    }

    /// The index in the text at which the URI ends.
    #[getter]
    fn end(&self) -> usize {
        self.end
    }

    /// `"url"` (has an authority), `"urn"` (has a namespace) or `"uri"`.
    #[getter]
    fn kind(&self) -> &'static str {
        Kind::of(&self.uri).name()
    }

    /// The scheme.
    #[getter]
    fn scheme<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.object(py, self.parts().scheme(&self.uri))
    }

    /// The namespace identifier of a URN.
    #[getter]
    fn nid<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.object(py, urn::nid(&self.uri))
    }

    /// The host.
    #[getter]
    fn host<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.object(py, self.parts().host(&self.uri))
    }

    /// The port, as written.
    #[getter]
    fn port<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.object(py, self.parts().port(&self.uri))
    }

    /// The path, which may be empty.
    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.form.object(py, self.parts().path(&self.uri))
    }

    /// The query.
    #[getter]
    fn query<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.object(py, self.parts().query(&self.uri))
    }

    /// The fragment.
    #[getter]
    fn fragment<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.object(py, self.parts().fragment(&self.uri))
    }

    /// The delimiters around the URI: `"angle"`, `"dquote"`, `"none"` ...
    #[getter]
    fn wrapper(&self) -> &str {
        &self.marks.wrapper
    }

    /// The number of line breaks that were removed from it.
    #[getter]
    fn wrapped(&self) -> u8 {
        self.marks.wrapped
    }

    /// Whether `URL:` or `URI:` is before it.
    #[getter]
    fn url_prefix(&self) -> bool {
        self.marks.url_prefix
    }

    /// Whether a hyphen is before one of the removed line breaks.
    #[getter]
    fn hyphen_break(&self) -> bool {
        self.marks.hyphen_break
    }

    /// The codes of its problems.
    #[getter]
    fn problems<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let codes: Vec<&str> = self.marks.problems.iter().map(|p| p.code()).collect();
        PyTuple::new(py, codes)
    }

    #[classmethod]
    fn __class_getitem__<'py>(
        class: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        alias(class, item)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (MatchState<'_>,))> {
        let marks = &self.marks;
        let codes = marks.problems.iter();
        let state = (
            self.form.is_bytes(),
            (self.start, self.end),
            Cow::Borrowed(&*self.uri),
            self.original.as_deref().map(Cow::Borrowed),
            (marks.wrapper.clone().into_owned(), marks.wrapped),
            (marks.url_prefix, marks.hyphen_break),
            codes.map(|problem| problem.code().to_owned()).collect(),
        );
        pickled(py, "_match", state)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let uri = self.uri(py).repr()?;
        Ok(format!(
            "<urisieve.Match {uri} at {}..{}>",
            self.start, self.end
        ))
    }

    fn __eq__(&self, other: &Match) -> bool {
        let key = |m: &Match| (m.start, m.end, m.form.is_bytes());
        key(self) == key(other) && self.uri == other.uri && self.original == other.original
    }

    fn __hash__(&self) -> u64 {
        hash_of((self.start, self.end, &self.uri))
    }
}

/// A match as it is pickled: whether it is of bytes, its span, the URI and the original, the
/// wrapper and the number of line breaks, the flags, and the codes of its problems.
type MatchState<'m> = (
    bool,
    (usize, usize),
    Cow<'m, [u8]>,
    Option<Cow<'m, [u8]>>,
    (String, u8),
    (bool, bool),
    Vec<String>,
);

/// Returns the match that was pickled.
#[pyfunction]
pub(crate) fn _match(state: MatchState<'_>) -> PyResult<Match> {
    let (is_bytes, (start, end), uri, original, (wrapper, wrapped), flags, codes) = state;
    let problems = Problems::with_codes(codes);
    Ok(Match {
        form: TextForm::pickled(is_bytes),
        start,
        end,
        uri: uri.into(),
        original: original.map(Box::from),
        marks: ShownMarks {
            wrapper: Cow::Owned(wrapper),
            wrapped,
            url_prefix: flags.0,
            hyphen_break: flags.1,
            problems: problems.map_err(|error| wrong_value("problems", &error.to_string()))?,
        },
    })
}
