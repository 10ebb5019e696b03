//! `extract`: the URIs of a text as a list, each once; the URIs of an array as one list for
//! each row.

use crate::arrays::{Column, Rows, TextType};
use crate::calls::{all_searched, in_parts, interruptible, run_error};
use crate::columns::{Texts, offsets};
use crate::export::answer;
use crate::given::wrong_value;
use crate::options::{OF_CLASSES, OF_INPUTS, Options};
use crate::text::Text;
use ahash::RandomState;
use arrow_array::{ArrayRef, Int64Array, ListArray, StructArray};
use arrow_buffer::NullBufferBuilder;
use arrow_schema::{DataType, Field, Fields};
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use urisieve::Error;
use urisieve::input::Source;
use urisieve::item::{Finding, Request};
use urisieve::syntax::Kind;
use urisieve::{CountBy, Mode, Sieve};

/// Below this number of URIs in a row, each is compared with all before it.
const FEW: usize = 32;

pub(crate) fn extract(options: &Options, x: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let py = x.py();
    options.reject("extract", &OF_INPUTS)?;
    if options.part() == Some(CountBy::Input) {
        return Err(wrong_value("by", "file not with extract"));
    }
    if let Some(text) = Text::of(x)? {
        return Ok(of_text(options, &text)?.into_any().unbind());
    }
    let column = Column::or_text(x)?;
    // Without requests no line needs a host.
    let is_of_logs = |name: &&str| *name == "base" && options.reads_logs();
    let others = OF_CLASSES.into_iter().filter(|name| !is_of_logs(name));
    options.reject("extract on arrays", &others.collect::<Vec<_>>())?;
    let kind = list_type(column.texts, options.reads_logs());
    let arrays = column
        .chunks
        .iter()
        .map(|rows| rows.answer(|rows| of_rows(py, options, rows, column.texts)));
    let arrays = arrays.collect::<PyResult<Vec<_>>>()?;
    answer(py, kind, arrays, column.chunked)
}

fn of_text<'py>(options: &Options, text: &Text<'py>) -> PyResult<Bound<'py, PyList>> {
    let py = text.owner.py();
    let bytes = text.bytes()?;
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
    let list = PyList::empty(py);
    for at in 0..found.len() {
        list.append(text.form.object(py, found.get(at)))?;
        if at % (1 << 16) == 0 {
            py.check_signals()?;
        }
    }
    Ok(list)
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

/// The URIs of the rows so far.
struct FoundRows {
    uri: Texts,
    original: Texts,
    offset: Vec<i64>,
    length: Vec<i64>,
    kind: Texts,
    /// The requests of the lines that have them, where rows are read as logs.
    requests: Option<RequestRows>,
    /// The number of URIs up to the end of each row that is complete.
    ends: Vec<usize>,
    /// Each URI of a row is kept once.
    distinct: bool,
    row: RowKeys,
    /// The number of rows that could not be searched.
    failed: u64,
}

/// The requests in whose lines URIs are, with the fields of `open`.
#[derive(Default)]
struct RequestRows {
    part: Texts,
    method: Texts,
    status: Vec<Option<i64>>,
    time: Texts,
    client: Texts,
}

/// The URIs of the current row by their hashes.
#[derive(Default)]
struct RowKeys {
    hashes: Vec<u64>,
    /// The first URI with each hash, where there are many.
    many: HashMap<u64, usize>,
    hasher: RandomState,
}

fn of_rows(py: Python<'_>, options: &Options, rows: &Rows, texts: TextType) -> PyResult<ArrayRef> {
    let cancel = Arc::<AtomicBool>::default();
    // Rows are many and short: each thread has its own run, with its share of them.
    let sieve = options.of_texts(&cancel).threads(1);
    let logs = options.reads_logs();
    let sieve = sieve.exchanges(options.exchanges()).requests(logs);
    let sieve = sieve.mode(Mode::All).originals(true).build();
    let new = || FoundRows::new(options.mode != Mode::All, logs);
    // Each row has a fixed cost, however short it is.
    let size = rows.bytes() + 512 * rows.len();
    let threads = options.threads.unwrap_or(1);
    let found = interruptible(py, size, &cancel, || {
        let part = |part: Range<usize>| of_part(&sieve, rows, part, new());
        in_parts(rows.len(), threads, part).try_fold(new(), |mut all, part| {
            all.append(part?);
            Ok::<_, Error>(all)
        })
    })?;
    let found = found.map_err(|error| run_error(&error))?;
    all_searched(found.failed)?;
    let mut nulls = NullBufferBuilder::new(rows.len());
    rows.iter().for_each(|row| nulls.append(row.is_some()));
    py.detach(|| found.finish(texts, nulls))
}

/// Returns the URIs that are found in the rows of `part`.
fn of_part(
    sieve: &Sieve,
    rows: &Rows,
    part: Range<usize>,
    mut found: FoundRows,
) -> Result<FoundRows, Error> {
    let row = |at| rows.get(at).unwrap_or_default();
    if found.requests.is_some() {
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

impl FoundRows {
    fn new(distinct: bool, logs: bool) -> FoundRows {
        FoundRows {
            uri: Texts::default(),
            original: Texts::default(),
            offset: Vec::new(),
            length: Vec::new(),
            kind: Texts::default(),
            requests: logs.then(RequestRows::default),
            ends: Vec::new(),
            distinct,
            row: RowKeys::default(),
            failed: 0,
        }
    }

    fn push(&mut self, finding: &Finding) {
        if finding.input != self.ends.len() {
            self.end_rows(finding.input);
        }
        let first = self.ends.last().copied().unwrap_or(0);
        if self.distinct && !self.row.insert(finding.uri, &self.uri, first) {
            return;
        }
        self.uri.push(finding.uri);
        self.original.push(finding.original);
        self.offset.push(finding.offset.cast_signed());
        self.length.push(finding.length.cast_signed());
        self.kind.push(Kind::of(finding.uri).name().as_bytes());
        if let Some(requests) = &mut self.requests {
            requests.push(finding.context.request.as_ref());
        }
    }

    /// Ends the rows before `row`.
    fn end_rows(&mut self, row: usize) {
        self.ends.resize(row, self.uri.len());
        self.row.clear();
    }

    /// Appends the rows of `other`.
    fn append(&mut self, mut other: FoundRows) {
        if self.ends.is_empty() {
            *self = other;
            return;
        }
        self.failed += other.failed;
        let before = self.uri.len();
        self.ends.extend(other.ends.iter().map(|end| before + end));
        self.uri.append(other.uri);
        self.original.append(other.original);
        self.kind.append(other.kind);
        self.offset.append(&mut other.offset);
        self.length.append(&mut other.length);
        if let (Some(requests), Some(other)) = (&mut self.requests, other.requests) {
            requests.append(other);
        }
    }

    fn finish(self, texts: TextType, mut nulls: NullBufferBuilder) -> PyResult<ArrayRef> {
        let logs = self.requests.is_some();
        let mut columns: Vec<ArrayRef> = vec![
            self.uri.finish(texts)?,
            self.original.finish(texts)?,
            Arc::new(Int64Array::from(self.offset)),
            Arc::new(Int64Array::from(self.length)),
            self.kind.finish(TextType::String)?,
        ];
        if let Some(requests) = self.requests {
            columns.extend(requests.finish()?);
        }
        let values = StructArray::new(fields(texts, logs), columns, None);
        let item = Arc::new(item(texts, logs));
        let offsets = offsets::<i32>(&self.ends)?;
        let list = ListArray::new(item, offsets, Arc::new(values), nulls.finish());
        Ok(Arc::new(list))
    }
}

impl RequestRows {
    fn push(&mut self, request: Option<&Request<'_>>) {
        let exchange = request.map(|request| request.exchange);
        let texts = [
            (
                &mut self.part,
                request.map(|request| request.part.name().as_bytes()),
            ),
            (
                &mut self.method,
                exchange.and_then(|exchange| exchange.method),
            ),
            (
                &mut self.client,
                exchange.and_then(|exchange| exchange.client),
            ),
        ];
        for (column, text) in texts {
            match text {
                Some(text) => column.push_lossy(text),
                None => column.push_null(),
            }
        }
        let status = exchange.and_then(|exchange| exchange.status);
        self.status.push(status.map(i64::from));
        match exchange.and_then(|exchange| exchange.time) {
            Some(time) => self.time.push(time.to_string().as_bytes()),
            None => self.time.push_null(),
        }
    }

    fn append(&mut self, mut other: RequestRows) {
        self.part.append(other.part);
        self.method.append(other.method);
        self.status.append(&mut other.status);
        self.time.append(other.time);
        self.client.append(other.client);
    }

    fn finish(self) -> PyResult<[ArrayRef; 5]> {
        Ok([
            self.part.finish(TextType::String)?,
            self.method.finish(TextType::String)?,
            Arc::new(Int64Array::from(self.status)),
            self.time.finish(TextType::String)?,
            self.client.finish(TextType::String)?,
        ])
    }
}

impl RowKeys {
    fn clear(&mut self) {
        self.hashes.clear();
        self.many.clear();
    }

    /// Returns whether `uri` is new in the row whose first URI has the number `first`.
    fn insert(&mut self, uri: &[u8], uris: &Texts, first: usize) -> bool {
        let hash = self.hasher.hash_one(uri);
        let mut all = self.hashes.iter().enumerate();
        let is_known = match self.hashes.len() {
            ..FEW => all.any(|(at, &other)| other == hash && uris.get(first + at) == uri),
            _ => {
                if self.many.is_empty() {
                    let known = self.hashes.iter().enumerate().rev();
                    self.many.extend(known.map(|(at, &hash)| (hash, at)));
                }
                match self.many.get(&hash) {
                    None => false,
                    Some(&at) if uris.get(first + at) == uri => true,
                    // Two URIs have one hash.
                    Some(_) => all.any(|(at, &other)| other == hash && uris.get(first + at) == uri),
                }
            }
        };
        if !is_known {
            if self.hashes.len() >= FEW {
                self.many.entry(hash).or_insert(self.hashes.len());
            }
            self.hashes.push(hash);
        }
        !is_known
    }
}

fn fields(texts: TextType, logs: bool) -> Fields {
    let mut fields = vec![
        Field::new("uri", texts.data_type(), false),
        Field::new("original", texts.data_type(), false),
        Field::new("offset", DataType::Int64, false),
        Field::new("length", DataType::Int64, false),
        Field::new("kind", DataType::Utf8, false),
    ];
    if logs {
        fields.extend([
            Field::new("request.part", DataType::Utf8, true),
            Field::new("request.method", DataType::Utf8, true),
            Field::new("request.status", DataType::Int64, true),
            Field::new("request.time", DataType::Utf8, true),
            Field::new("request.client", DataType::Utf8, true),
        ]);
    }
    Fields::from(fields)
}

fn item(texts: TextType, logs: bool) -> Field {
    Field::new("item", DataType::Struct(fields(texts, logs)), true)
}

fn list_type(texts: TextType, logs: bool) -> DataType {
    DataType::List(Arc::new(item(texts, logs)))
}
