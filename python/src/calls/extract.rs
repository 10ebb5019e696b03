//! `extract`: the URIs of a text as a list, each once; the URIs of a column as one list for
//! each row.

use crate::arrow::arrays::{Column, Rows};
use crate::arrow::columns::Texts;
use crate::arrow::export::answer;
use crate::arrow::part::Part;
use crate::arrow::rows::{FoundRows, RowFields, RowKeys};
use crate::running::{SHORT, SHORT_ROWS, all_searched, in_parts, interruptible, run_error};
use crate::settings::given::wrong_value;
use crate::settings::options::{OF_CLASSES, OF_INPUTS, Options};
use crate::settings::prepared::Prepared;
use crate::text::Text;
use arrow_array::ArrayRef;
use arrow_buffer::NullBufferBuilder;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use urisieve::Error;
use urisieve::input::Source;
use urisieve::item::Finding;
use urisieve::{CountBy, Mode, Sieve};

/// One in so many rows is searched before memory is reserved for the URIs of all.
const SAMPLE: usize = 16;

/// A text with fewer bytes is searched in less time than the interpreter's lock takes to be
/// released and to be had again.
const TINY: usize = 1 << 11;

pub(crate) fn extract(
    prepared: &Prepared,
    x: &Bound<'_, PyAny>,
    fields: Option<&[String]>,
) -> PyResult<Py<PyAny>> {
    let py = x.py();
    let options = &prepared.options;
    options.reject("extract", &OF_INPUTS)?;
    if options.part() == Some(CountBy::Input) {
        return Err(wrong_value("by", "file not with extract"));
    }
    if let Some(text) = Text::of(x)? {
        options.check_encoding(text.is_str())?;
        if fields.is_some() {
            return Err(wrong_value("fields", "only with columns"));
        }
        return Ok(of_text(prepared, &text)?.into_any().unbind());
    }
    let column = Column::or_text(x, "x")?;
    options.check_encoding(column.texts.is_strings())?;
    let fields = RowFields::new(fields, column.texts, options.reads_logs())?;
    let logs = options.reads_logs() || fields.has_requests();
    // Without requests no line needs a host.
    let is_of_logs = |name: &&str| *name == "base" && logs;
    let others = OF_CLASSES.into_iter().filter(|name| !is_of_logs(name));
    options.reject("extract on arrays", &others.collect::<Vec<_>>())?;
    let arrays = column
        .chunks
        .iter()
        .map(|rows| rows.answer(|rows| of_rows(py, options, rows, (&fields, logs))));
    let arrays = arrays.collect::<PyResult<Vec<_>>>()?;
    answer(py, fields.list_type(), arrays, column.chunked)
}

fn of_text<'py>(prepared: &Prepared, text: &Text<'py>) -> PyResult<Bound<'py, PyList>> {
    let py = text.owner.py();
    let bytes = text.bytes()?;
    let found = match of_short(py, prepared, bytes)? {
        Some(found) => found,
        None => of_run(py, &prepared.options, bytes)?,
    };
    let list = PyList::empty(py);
    for at in 0..found.len() {
        list.append(text.form.object(py, found.get(at)))?;
        if at % (1 << 16) == (1 << 16) - 1 {
            py.check_signals()?;
        }
    }
    Ok(list)
}

/// Returns the URIs of a short text, without a run of its own; `None` where there must be one.
fn of_short(py: Python<'_>, prepared: &Prepared, bytes: &[u8]) -> PyResult<Option<Texts>> {
    if bytes.len() >= SHORT {
        return Ok(None);
    }
    let Some(mut search) = prepared.search() else {
        return Ok(None);
    };
    let distinct = prepared.options.mode != Mode::All;
    let (mut found, mut keys) = (Texts::default(), RowKeys::default());
    let before = search.stats().failed_inputs;
    let mut work = || {
        search.search(bytes, |finding| {
            if !distinct || keys.insert(finding.uri, &found, 0) {
                found.push(finding.uri);
            }
        })
    };
    let searched = match bytes.len() < TINY {
        true => work(),
        false => py.detach(work),
    };
    let failed = search.stats().failed_inputs - before;
    prepared.give_back(search);
    searched.map_err(|error| run_error(&error))?;
    all_searched(failed)?;
    Ok(Some(found))
}

fn of_run(py: Python<'_>, options: &Options, bytes: &[u8]) -> PyResult<Texts> {
    let cancel = Arc::<AtomicBool>::default();
    let sieve = options.of_texts(&cancel).exchanges(options.exchanges());
    let sieve = sieve.build();
    let found = interruptible(py, bytes.len(), &cancel, || {
        let mut found = Texts::default();
        let add = |finding: &Finding<'_>| found.push(finding.uri);
        // Only an input may be a log, a text is not.
        let stats = match options.reads_logs() {
            true => sieve.for_each_in([Source::Slice(bytes)], add)?,
            false => sieve.for_each(bytes, add)?,
        };
        Ok::<_, Error>((found, stats))
    })?;
    let (found, stats) = found.map_err(|error| run_error(&error))?;
    searched(options, stats.failed_inputs)?;
    Ok(found)
}

/// # Errors
/// `ValueError`, if `failed` texts are tables without a column that was given, `RuntimeError` if
/// one could not be searched for another reason.
fn searched(options: &Options, failed: u64) -> PyResult<()> {
    let given = ["csv_column", "field"];
    match given.into_iter().find(|name| options.is_given(name)) {
        Some(name) if failed > 0 => {
            let why = format!("{failed} texts lack a column that was given");
            Err(wrong_value(name, &why))
        }
        _ => all_searched(failed),
    }
}

fn of_rows(
    py: Python<'_>,
    options: &Options,
    rows: &Rows,
    (fields, logs): (&RowFields, bool),
) -> PyResult<ArrayRef> {
    let cancel = Arc::<AtomicBool>::default();
    // Rows are many and short: each thread has its own run, with its share of them.
    let sieve = options.of_rows(&cancel).exchanges(options.exchanges());
    let sieve = sieve.requests(logs).originals(fields.has_originals());
    let sieve = sieve.matched(fields.has_matches());
    let sieve = sieve.build();
    let new = || FoundRows::new(fields, options.mode != Mode::All);
    // Each row has a fixed cost, however short it is.
    let size = rows.bytes() + 512 * rows.len();
    let threads = options.threads.unwrap_or(1);
    let found = interruptible(py, size, &cancel, || {
        let part = |part: Range<usize>| of_part(&sieve, rows, (part, logs), new());
        in_parts(rows.len(), threads, SHORT_ROWS, part).try_fold(new(), |mut all, part| {
            all.append(part?);
            Ok::<_, Error>(all)
        })
    })?;
    let found = found.map_err(|error| run_error(&error))?;
    all_searched(found.failed)?;
    let mut nulls = NullBufferBuilder::new(rows.len());
    rows.iter().for_each(|row| nulls.append(row.is_some()));
    py.detach(|| found.finish(nulls))
}

/// Returns the URIs that are found in the rows of `part`.
fn of_part(
    sieve: &Sieve,
    rows: &Rows,
    (part, logs): (Range<usize>, bool),
    mut found: FoundRows,
) -> Result<FoundRows, Error> {
    let row = |at| rows.get(at).unwrap_or_default();
    let bytes = |rows: Range<usize>| rows.map(|at| row(at).len()).sum();
    let sample = part.len() / SAMPLE;
    // The other parts are appended to the first.
    let until = match part.start {
        0 => rows.len(),
        _ => part.end,
    };
    let done = bytes(part.start..part.start + sample);
    let all = bytes(part.start..until);
    found.reserve_after(sample, Part { done, all });
    if logs {
        // Only an input may be a log, a text is not.
        let inputs = part.clone().map(|at| Source::Slice(row(at)));
        found.failed = sieve
            .for_each_in(inputs, |finding| found.push(finding))?
            .failed_inputs;
        found.end_rows(part.len());
        return Ok(found);
    }
    let mut search = sieve.text_search()?;
    for at in part.clone() {
        search.search(row(at), |finding| found.push(finding))?;
    }
    found.failed = search.stats().failed_inputs;
    found.end_rows(part.len());
    Ok(found)
}
