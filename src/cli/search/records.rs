//! The report of records that earlier runs wrote, as JSON Lines, compressed or not, or as
//! Parquet. A record is a row as it is: nothing is searched, and no classes are made.

use super::select;
use crate::cli::decompressed::text_of;
use crate::cli::destination::{Destination, FileCompression, OutputNames, appear};
use crate::cli::flags::Selection;
use crate::cli::indicator_lists::IndicatorLists;
use crate::cli::report::messages::Speech;
use crate::cli::report::printable::printable;
use crate::cli::report::{messages, stderr};
use parquet::file::reader::SerializedFileReader;
use parquet::record::Field;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use urisieve::canonicalize::Redactor;
use urisieve::input::ParquetTable;
use urisieve::item::Finding;
use urisieve::output::{Form, Report, RowKind, RunReport};

/// Columns of tables that were written, and the names that their values have in JSON.
const RENAMED: [(&str, &str); 3] = [
    ("url", "uri"),
    ("first_file", "file"),
    ("first_offset", "offset"),
];
/// Bytes of a line that may be a record.
const LINE_MAX: u64 = 16 << 20;
/// Messages about lines of one file.
const NAMED: u64 = 10;

/// Returns the kind of the records in the files, if each of them has records.
///
/// # Errors
/// A message: some files have records, others are inputs of a search.
pub(super) fn kind(paths: &[PathBuf]) -> Result<Option<RowKind>, String> {
    let kinds: Vec<Option<RowKind>> = paths.iter().map(|path| kind_of(path)).collect();
    let Some(kind) = kinds.iter().flatten().next() else {
        return Ok(None);
    };
    match kinds.iter().position(|other| *other != Some(*kind)) {
        None => Ok(Some(*kind)),
        Some(at) => {
            let name = printable(paths[at].as_os_str().as_encoded_bytes());
            let records = "other inputs are records of an earlier run";
            Err(format!("{name}: {records}; write a report of each kind"))
        }
    }
}

/// Returns the kind of the first record of a file.
fn kind_of(path: &Path) -> Option<RowKind> {
    if !path.is_file() {
        return None;
    }
    let mut first = None;
    // A file that cannot be read is an input like others, and its error is reported there.
    let _ = each_record(path, &mut |_, record| {
        first = record;
        false
    });
    Report::kind_of(&first?)
}

/// Calls `add` with the number and the object of each line or row, until it returns false. A
/// line that is no object has `None`.
///
/// # Errors
/// Errors of reading the file.
fn each_record(
    path: &Path,
    add: &mut dyn FnMut(u64, Option<Map<String, Value>>) -> bool,
) -> io::Result<()> {
    if ParquetTable::is_at(path) {
        return each_row(path, add);
    }
    let mut lines = BufReader::new(text_of(Box::new(File::open(path)?))?);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = lines.by_ref().take(LINE_MAX).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        if !add(number, serde_json::from_slice(&line).ok()) {
            break;
        }
        if line.last() != Some(&b'\n') {
            // The rest of a line that is longer than any record.
            lines.skip_until(b'\n')?;
        }
    }
    Ok(())
}

/// A report of the records of earlier runs.
pub(super) struct RecordsTask {
    pub kind: RowKind,
    pub paths: Vec<PathBuf>,
    pub json: bool,
    pub output: Option<PathBuf>,
    pub compression: FileCompression,
    pub redactor: Option<Redactor>,
    pub selection: Selection,
    /// Whether messages are printed.
    pub speaks: bool,
}

/// Calls `add` with the number and the values of each row of a table, under the names that
/// records of JSON have, until it returns false. Values that are absent are left out.
///
/// # Errors
/// Errors of reading the file, which may be damaged.
fn each_row(
    path: &Path,
    add: &mut dyn FnMut(u64, Option<Map<String, Value>>) -> bool,
) -> io::Result<()> {
    let table = SerializedFileReader::new(File::open(path)?).map_err(io::Error::other)?;
    for (number, row) in (1..).zip(table) {
        let row = row.map_err(io::Error::other)?;
        let named = row.get_column_iter().filter_map(|(name, value)| {
            let renamed = RENAMED.iter().find(|(column, _)| column == name);
            let name = renamed.map_or(&**name, |(_, key)| key);
            Some((name.to_owned(), value_of(value)?))
        });
        if !add(number, Some(named.collect())) {
            break;
        }
    }
    Ok(())
}

/// Returns a cell of a table that is a text, a whole number or a flag.
fn value_of(field: &Field) -> Option<Value> {
    Some(match field {
        Field::Str(text) => Value::from(text.as_str()),
        Field::Bool(flag) => Value::from(*flag),
        Field::Int(number) => Value::from(*number),
        Field::Long(number) => Value::from(*number),
        Field::UInt(number) => Value::from(*number),
        Field::ULong(number) => Value::from(*number),
        _ => return None,
    })
}

/// Writes the report of the records; the exit code is 0 when there is one, 1 when there is
/// none, 2 when something could not be read or written.
pub(super) fn run(task: RecordsTask) -> ExitCode {
    match report(task) {
        Ok(code) => code,
        Err(message) => messages::usage(&message),
    }
}

fn report(task: RecordsTask) -> Result<ExitCode, String> {
    let RecordsTask {
        kind,
        paths,
        json,
        output,
        compression,
        redactor,
        selection,
        speaks,
    } = task;
    let problems = select::problems(&selection.problem)?;
    let speech = if speaks {
        Speech::Brief
    } else {
        Speech::Silent
    };
    let lists = IndicatorLists::open(&selection.matching, 1, speech, false)?;
    let matches = |uri: &[u8]| {
        let matcher = lists.matcher.as_ref();
        matcher.is_none_or(|matcher| matcher.matches(uri))
    };
    let select = select::selection(&selection)?;
    let mut outputs = OutputNames::new();
    let mut destination =
        Destination::named(output.as_deref(), compression, 1, true, &mut outputs)?;
    let mut report = Report::new(kind).json(json);
    let (mut failed, mut records) = (lists.bad > 0, 0_u64);
    let mut buffer = Vec::new();
    for path in &paths {
        let name = printable(path.as_os_str().as_encoded_bytes());
        let mut bad = 0_u64;
        let mut private = |uri: &[u8]| match &redactor {
            Some(redactor) => redactor.redact(uri, &mut buffer).to_vec(),
            None => uri.to_vec(),
        };
        let read = each_record(path, &mut |number, record| {
            let record = record.unwrap_or_default();
            let is_chosen = |finding: &Finding| {
                select.as_ref().is_none_or(|select| select(finding.uri))
                    && matches(finding.uri)
                    && (problems.is_empty() || problems.meets(finding.problems()))
            };
            if let Some(added) = report.add_record(&record, is_chosen, &mut private) {
                records += u64::from(added);
                return true;
            }
            bad += 1;
            if bad <= NAMED && speaks {
                let cause = "not a record of the kind of the first one; it is left out";
                stderr::say(format_args!("{name}: record {number}: {cause}"));
            }
            true
        });
        if bad > NAMED && speaks {
            let more = bad - NAMED;
            stderr::say(format_args!(
                "{name}: {more} more records are left out, {bad} in all"
            ));
        }
        if let Err(error) = &read
            && speaks
        {
            stderr::say(format_args!("{name}: {error}"));
        }
        failed |= bad > 0 || read.is_err();
    }
    report.run(RunReport::default());
    let mut page = Vec::new();
    report
        .finish(&mut page)
        .map_err(|error| error.to_string())?;
    let written = destination.write_all(&page);
    let completed = written.and_then(|()| destination.complete());
    let appeared = completed
        .and_then(|(_, file)| appear(file.into_iter().collect()).map_err(|(_, error)| error));
    match appeared {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(format!("-o: {error}")),
        _ if failed => Ok(ExitCode::from(2)),
        _ => Ok(ExitCode::from(u8::from(records == 0))),
    }
}
