//! `normalize`: the canonical form of a text, or of each row of an array. Text that is not
//! a URI is unchanged, as on the command line.

use crate::arrow::arrays::{Column, Rows};
use crate::arrow::columns::Texts;
use crate::arrow::export::answer;
use crate::running::{SHORT_ROWS, in_parts, interruptible};
use crate::settings::given::{self, wrong_value};
use crate::settings::options::Options;
use crate::text::Text;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use urisieve::canonicalize::{Canonicalizer, Redactor};
use urisieve::output::{archive_surt, defang, plain_surt};
use urisieve::{is_strict_uri, is_uri};

/// The number of rows after which cancellation is checked.
const ROWS: usize = 1 << 12;

/// Writes a canonical form in another way.
pub(super) type Respell = fn(&[u8], &mut Vec<u8>);

/// The treatment of texts that are not URIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoUri {
    Keep,
    Null,
    Raise,
}

/// The settings by which texts are normalized.
#[derive(Clone)]
pub(crate) struct Normalizer {
    canonicalizer: Canonicalizer,
    redactor: Option<Redactor>,
    respell: Option<Respell>,
    no_uri: NoUri,
    /// Whether only what is valid by RFC 3986 is a URI.
    strict: bool,
    /// Whether secrets are removed from the canonical form, not before it is made.
    redacts_last: bool,
    buffers: [Vec<u8>; 3],
}

impl Normalizer {
    /// `surt` is `archive`, `plain` or empty.
    ///
    /// # Errors
    /// `ValueError` for `surt` with `defanged`.
    pub(crate) fn new(
        options: &Options,
        no_uri: NoUri,
        surt: &str,
        defanged: bool,
    ) -> PyResult<Normalizer> {
        let respell: Option<Respell> = match (surt, defanged) {
            ("", false) => None,
            ("", true) => Some(defang),
            (_, true) => return Err(wrong_value("defang", "not with surt")),
            ("archive", false) => Some(archive_surt),
            (_, false) => Some(plain_surt),
        };
        Ok(Normalizer {
            canonicalizer: options.canonicalizer.clone(),
            redactor: options.redactor.clone(),
            respell,
            no_uri,
            strict: options.strict,
            redacts_last: false,
            buffers: Default::default(),
        })
    }

    /// Removes secrets from canonical forms.
    pub(crate) fn redacted_last(mut self) -> Normalizer {
        self.redacts_last = true;
        self
    }

    /// Writes canonical forms in another way.
    pub(super) fn respelled(mut self, respell: Respell) -> Normalizer {
        self.respell = Some(respell);
        self
    }

    /// Canonicalizes by other rules than those of the options.
    pub(super) fn canonicalized(mut self, canonicalizer: Canonicalizer) -> Normalizer {
        self.canonicalizer = canonicalizer;
        self
    }

    /// The treatment of texts that are not URIs.
    pub(crate) fn no_uri(&self) -> NoUri {
        self.no_uri
    }

    /// Whether `text` is a URI.
    pub(crate) fn reads(&self, text: &[u8]) -> bool {
        match self.strict {
            true => is_strict_uri(text.trim_ascii()),
            false => is_uri(text.trim_ascii()),
        }
    }

    /// Returns a text that is not a URI, without secrets.
    pub(crate) fn redacted<'t>(&'t mut self, text: &'t [u8]) -> &'t [u8] {
        match &self.redactor {
            Some(redactor) => redactor.redact(text, &mut self.buffers[0]),
            None => text,
        }
    }

    /// Returns the canonical form of `text`; `None` when it is not a URI.
    pub(crate) fn of<'t>(&'t mut self, text: &'t [u8]) -> Option<&'t [u8]> {
        if !self.reads(text) {
            return None;
        }
        let text = text.trim_ascii();
        let [redacted, canonical, respelled] = &mut self.buffers;
        let uri = match &self.redactor {
            None => self.canonicalizer.canonicalize(text, canonical),
            Some(redactor) if self.redacts_last => {
                redactor.redact(self.canonicalizer.canonicalize(text, canonical), redacted)
            }
            Some(redactor) => {
                let text = redactor.redact(text, redacted);
                self.canonicalizer.canonicalize(text, canonical)
            }
        };
        let Some(respell) = self.respell else {
            return Some(uri);
        };
        respelled.clear();
        respell(uri, respelled);
        Some(respelled)
    }
}

/// Returns the treatment that the argument `errors` names.
///
/// # Errors
/// `TypeError` for another type, `ValueError` for another text.
pub(crate) fn no_uri(errors: Option<&Bound<'_, PyAny>>) -> PyResult<NoUri> {
    Ok(
        match given::choice("errors", errors, &["keep", "null", "raise"])? {
            "null" => NoUri::Null,
            "raise" => NoUri::Raise,
            _ => NoUri::Keep,
        },
    )
}

pub(crate) fn normalize(
    x: &Bound<'_, PyAny>,
    mut normalizer: Normalizer,
    threads: usize,
) -> PyResult<Py<PyAny>> {
    let py = x.py();
    if let Some(text) = Text::of(x)? {
        let bytes = text.bytes()?;
        let no_uri = normalizer.no_uri;
        return match (normalizer.of(bytes), no_uri) {
            (Some(uri), _) => Ok(text.form.object(py, uri).unbind()),
            (None, NoUri::Keep) => Ok(text.owner.clone().unbind()),
            (None, NoUri::Null) => Ok(py.None()),
            (None, NoUri::Raise) => {
                let why = format!("{}: not a URI", text.owner.repr()?);
                Err(PyValueError::new_err(why))
            }
        };
    }
    let column = Column::or_text(x, "x")?;
    let mut before = 0;
    let mut arrays = Vec::with_capacity(column.chunks.len());
    for rows in &column.chunks {
        let work = |rows: &Rows| {
            let cancel = Arc::<AtomicBool>::default();
            let size = rows.bytes() + 64 * rows.len();
            let texts = interruptible(py, size, &cancel, || {
                normalized(rows, &normalizer, threads, &cancel)
            })?;
            let texts = texts.map_err(|row| {
                let row = before + row;
                PyValueError::new_err(format!("row {row}: not a URI"))
            })?;
            py.detach(|| texts.finish(column.texts))
        };
        arrays.push(match normalizer.no_uri {
            // The number is that of a row, not that of a text of a dictionary.
            NoUri::Raise => work(rows)?,
            _ => rows.answer(work)?,
        });
        before += rows.len();
    }
    answer(py, column.texts.data_type(), arrays, column.chunked)
}

/// Returns the canonical forms of `rows`, or the number of the row that is not a URI.
fn normalized(
    rows: &Rows,
    normalizer: &Normalizer,
    threads: usize,
    cancel: &AtomicBool,
) -> Result<Texts, usize> {
    let part = |part: Range<usize>| part_of(rows, part, normalizer.clone(), cancel);
    in_parts(rows.len(), threads, SHORT_ROWS, part).try_fold(Texts::default(), |mut all, part| {
        all.append(part?);
        Ok(all)
    })
}

fn part_of(
    rows: &Rows,
    part: Range<usize>,
    mut normalizer: Normalizer,
    cancel: &AtomicBool,
) -> Result<Texts, usize> {
    let share = rows.bytes() * part.len() / rows.len().max(1);
    let mut texts = Texts::with_capacity(part.len(), share);
    for at in part {
        if at % ROWS == 0 && cancel.load(Ordering::Relaxed) {
            return Ok(texts);
        }
        let Some(row) = rows.get(at) else {
            texts.push_null();
            continue;
        };
        let no_uri = normalizer.no_uri;
        match (normalizer.of(row), no_uri) {
            (Some(uri), _) => texts.push(uri),
            (None, NoUri::Keep) => texts.push(row),
            (None, NoUri::Null) => texts.push_null(),
            (None, NoUri::Raise) => return Err(at),
        }
    }
    Ok(texts)
}
