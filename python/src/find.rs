//! `find`: the matches in a text, from left to right, searched on demand.

use crate::boundary::HeldMatches;
use crate::calls::{SHORT, guarded, interruptible};
use crate::options::{OF_CLASSES, OF_EXCHANGES, OF_INPUTS, Options};
use crate::select::Choice;
use crate::text::{Characters, Text, TextForm};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
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
    marks: Marks,
}

/// The matches in a text, searched on demand.
///
/// >>> import urisieve
/// >>> matches = urisieve.find(b"http://a.example/ urn:isbn:0395363411")
/// >>> [(match.uri, match.kind) for match in matches]
/// [(b'http://a.example/', 'url'), (b'urn:isbn:0395363411', 'urn')]
#[pyclass(name = "Matches", module = "urisieve")]
pub(crate) struct Matches {
    search: Mutex<Search>,
    form: TextForm,
    /// The bytes of the text.
    size: usize,
    /// The number of matches that are searched for next.
    batch: usize,
    cancel: Arc<AtomicBool>,
    ready: VecDeque<Match>,
    ended: bool,
}

/// A search, and the data for its matches.
struct Search {
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
    pub(crate) fn new(options: &Options, text: &Bound<'_, PyAny>) -> PyResult<Matches> {
        options.reject("find", &OF_INPUTS)?;
        options.reject("find", &OF_EXCHANGES)?;
        options.reject("find", &OF_CLASSES)?;
        options.reject("find", &["input_format", "all"])?;
        let text = Text::required(text, "text")?;
        let cancel = Arc::<AtomicBool>::default();
        let bytes = text.bytes()?;
        let owner = text.owner.clone().unbind();
        let finder = options.finder(&cancel);
        Ok(Matches {
            form: text.form,
            size: bytes.len(),
            search: Mutex::new(Search {
                matches: HeldMatches::new(&finder, bytes, owner.clone_ref(text.owner.py())),
                owner,
                characters: Characters::default(),
                canonicalizer: options.canonicalizer.clone(),
                redactor: options.redactor.clone(),
                choice: options.choice.clone(),
                problems: options.problems,
                buffers: Default::default(),
            }),
            batch: 1,
            cancel,
            ready: VecDeque::new(),
            ended: false,
        })
    }

    /// Searches for the next matches.
    fn refill(&mut self, py: Python<'_>) -> PyResult<()> {
        let batch = self.batch;
        self.batch = (batch * 2).min(BATCH);
        let search = self
            .search
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        let more = |search: &mut Search| -> (Vec<Found>, bool) {
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
        let search = self
            .search
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
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
                marks,
            });
        }
        Ok(())
    }
}

impl Search {
    fn next(&mut self) -> Option<Found> {
        let Search {
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

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Match>> {
        guarded(|| {
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
        })
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
    fn wrapper(&self) -> &'static str {
        self.marks.wrapper.name()
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

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let uri = self.uri(py).repr()?;
        Ok(format!(
            "<urisieve.Match {uri} at {}..{}>",
            self.start, self.end
        ))
    }

    fn __eq__(&self, other: &Match) -> bool {
        let key = |m: &Match| (m.start, m.end, m.form == TextForm::Bytes);
        key(self) == key(other) && self.uri == other.uri && self.original == other.original
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        (self.start, self.end, &self.uri).hash(&mut hasher);
        hasher.finish()
    }
}
