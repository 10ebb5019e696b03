//! Restores a store from an export as JSON Lines, CSV or Parquet: its keys with their commits.

use super::export::{COLUMNS, ENCODED};
use super::settings::shown;
use crate::cli::report::messages;
use crate::cli::report::stderr;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use urisieve::input::ParquetTable;
use urisieve::item::{Timestamp, UtcOffset};
use urisieve::store::seen::{SeenCommit, SeenSettings, SeenWriter};
use urisieve::store::{Budget, ScratchFile, Sorter};

/// A row of an export: its key, and its commit with its number.
type ExportedRow = (Vec<u8>, u64, SeenCommit);

/// Returns the rows of an export one after the other; the error is what is wrong with a row.
type RestoredRows = Box<dyn FnMut() -> Result<Option<ExportedRow>, String>>;

/// Opens the export in `file`; `None` where it is not one.
///
/// # Errors
/// A message about the first row.
fn opened(file: &Path) -> Result<Option<RestoredRows>, String> {
    // What is read of standard input cannot be read once more.
    if file.as_os_str() == "-" || !file.is_file() {
        return Ok(None);
    }
    if ParquetTable::is_at(file) {
        return rows_of_table(file);
    }
    let Ok(opened) = File::open(file) else {
        return Ok(None);
    };
    let mut input = BufReader::new(opened);
    let mut line = Vec::new();
    let read = input.read_until(b'\n', &mut line);
    if read.is_err() {
        return Ok(None);
    }
    if line == format!("{}\n", COLUMNS.join(",")).as_bytes() {
        return Ok(Some(Box::new(move || next_of_csv(&mut input))));
    }
    if entry_of(&line).is_none() {
        return Ok(None);
    }
    Ok(Some(Box::new(move || {
        if line.is_empty() {
            return Ok(None);
        }
        let entry = entry_of(&line).ok_or("not a line of an export")?;
        line.clear();
        let read = input.read_until(b'\n', &mut line);
        read.map_err(|error| error.to_string())?;
        Ok(Some(entry))
    })))
}

/// Reads the next record of an export as CSV.
fn next_of_csv(input: &mut impl BufRead) -> Result<Option<ExportedRow>, String> {
    let mut record = Vec::new();
    // Within quotation marks, of which there is an odd number then, a line end is text.
    loop {
        let read = input.read_until(b'\n', &mut record);
        let is_end = read.map_err(|error| error.to_string())? == 0;
        let marks = record.iter().filter(|&&byte| byte == b'"').count();
        match (marks % 2 == 0, is_end) {
            (true, true) if record.is_empty() => return Ok(None),
            (true, _) => break,
            (false, true) => return Err("ends within quotation marks".to_owned()),
            (false, false) => {}
        }
    }
    let record = record.strip_suffix(b"\n").unwrap_or(&record);
    let fields = fields_of(record).and_then(|fields| <[Vec<u8>; 4]>::try_from(fields).ok());
    let row = fields.and_then(|[key, number, time, note]| {
        let number = str::from_utf8(&number).ok()?.parse().ok()?;
        let note = String::from_utf8(note).ok()?;
        Some((key, number, commit_of(&time, note)?))
    });
    row.map(Some)
        .ok_or_else(|| "not a record of an export".to_owned())
}

/// Splits a record of CSV.
fn fields_of(mut record: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut fields = Vec::new();
    loop {
        let mut field = Vec::new();
        if let Some(rest) = record.strip_prefix(b"\"") {
            record = rest;
            loop {
                let at = memchr::memchr(b'"', record)?;
                field.extend_from_slice(&record[..at]);
                record = &record[at + 1..];
                match record.strip_prefix(b"\"") {
                    Some(rest) => {
                        field.push(b'"');
                        record = rest;
                    }
                    None => break,
                }
            }
        } else {
            let at = memchr::memchr(b',', record).unwrap_or(record.len());
            field.extend_from_slice(&record[..at]);
            record = &record[at..];
        }
        fields.push(field);
        match record.split_first() {
            None => return Some(fields),
            Some((b',', rest)) => record = rest,
            Some(_) => return None,
        }
    }
}

/// Opens an export as a table of Parquet; `None` where the table is no export.
fn rows_of_table(file: &Path) -> Result<Option<RestoredRows>, String> {
    let opened = File::open(file).map_err(|error| error.to_string())?;
    let table = SerializedFileReader::new(opened).map_err(|error| error.to_string())?;
    let schema = table.metadata().file_metadata().schema_descr();
    let names = schema.columns().iter().map(|column| column.name());
    if !names.eq(COLUMNS.into_iter().chain([ENCODED])) {
        return Ok(None);
    }
    let mut rows = table.into_iter();
    Ok(Some(Box::new(move || {
        let Some(row) = rows.next() else {
            return Ok(None);
        };
        let row = row.map_err(|error| error.to_string())?;
        let cells: Vec<&Field> = row.get_column_iter().map(|(_, cell)| cell).collect();
        let text = |at: usize| match cells.get(at) {
            Some(Field::Str(text)) => text.as_str(),
            _ => "",
        };
        let read = (|| {
            let key = match text(4) {
                "" => text(0).as_bytes().to_vec(),
                encoded => BASE64_STANDARD.decode(encoded).ok()?,
            };
            let Some(Field::Long(number)) = cells.get(1) else {
                return None;
            };
            let number = u64::try_from(*number).ok()?;
            Some((
                key,
                number,
                commit_of(text(2).as_bytes(), text(3).to_owned())?,
            ))
        })();
        read.map(Some)
            .ok_or_else(|| "not a row of an export".to_owned())
    })))
}

/// Returns the commit of a row.
fn commit_of(time: &[u8], note: String) -> Option<SeenCommit> {
    let time = Timestamp::parse(time, UtcOffset::UTC)?;
    Some(SeenCommit {
        time: u64::try_from(time.instant().0).ok()?,
        keys: 0,
        note,
    })
}

/// Restores the export that `files` name into a new store; `None` where they are not one export.
///
/// # Errors
/// A message about the export or the store.
pub(super) fn restored(
    store: &Path,
    files: &[PathBuf],
    settings: &SeenSettings,
    wait: u64,
) -> Result<Option<ExitCode>, String> {
    let [file] = files else { return Ok(None) };
    let name = file.display();
    let opened = opened(file).map_err(|error| format!("{name}: {error}"))?;
    let Some(mut rows) = opened else {
        return Ok(None);
    };
    let scratch = Arc::new(ScratchFile::new(std::env::temp_dir()));
    let budget = Arc::new(Budget::new(256 << 20));
    let order: fn(&[u8], &[u8]) -> Ordering = |a, b| a.cmp(b);
    let mut sorter = Sorter::new(&scratch, &budget, order);
    let mut commits = BTreeMap::new();
    for number in 1_u64.. {
        let row = rows().map_err(|cause| format!("{name}: row {number}: {cause}"))?;
        let Some((key, at, commit)) = row else {
            break;
        };
        // The commit after the key: equal keys are sorted by it.
        let entry = [&key[..], &at.to_be_bytes()].concat();
        sorter.push(&entry).map_err(|error| error.to_string())?;
        commits.entry(at).or_insert(commit);
    }
    let mut writer = SeenWriter::open(store, settings, Duration::from_secs(wait))
        .map_err(|error| error.to_string())?;
    if writer.keys() > 0 {
        return Err(format!(
            "{}: an export with commits is restored into a new store only; export it as text to \
             add its URIs",
            shown(store)
        ));
    }
    let mut sorted = sorter.finish().map_err(|error| error.to_string())?;
    let added = writer.append(&scratch, &commits, &mut |key| {
        let Some((entry, commit)) = sorted.next()?.and_then(<[u8]>::split_last_chunk) else {
            return Ok(None);
        };
        key.extend_from_slice(entry);
        Ok(Some(u64::from_be_bytes(*commit)))
    });
    let added = added.map_err(|error: io::Error| error.to_string())?;
    stderr::say(format_args!(
        "{}: {} restored",
        shown(store),
        stderr::number_of(added, "URI")
    ));
    Ok(Some(messages::code(false, None, 0)))
}

/// Returns the key of a line of an export, and its commit with its number.
fn entry_of(line: &[u8]) -> Option<(Vec<u8>, u64, SeenCommit)> {
    // A key may have halves of surrogates, which are bytes that are not UTF-8.
    let head = format!("{{\"{}\":\"", COLUMNS[0]);
    let mut rest = line.strip_prefix(head.as_bytes())?;
    let mut key = Vec::new();
    loop {
        let (&byte, tail) = rest.split_first()?;
        rest = tail;
        match byte {
            b'"' => break,
            b'\\' => {
                let is_byte = rest.starts_with(b"udc");
                match (is_byte, rest.split_at_checked(5)) {
                    (true, Some((escape, tail))) => {
                        let digits = str::from_utf8(&escape[3..]).ok()?;
                        key.push(u8::from_str_radix(digits, 16).ok()?);
                        rest = tail;
                    }
                    _ => {
                        let len = if rest.starts_with(b"u") { 5 } else { 1 };
                        let (escape, tail) = rest.split_at_checked(len)?;
                        let text = [b"\"\\", escape, b"\""].concat();
                        let text: String = serde_json::from_slice(&text).ok()?;
                        key.extend_from_slice(text.as_bytes());
                        rest = tail;
                    }
                }
            }
            _ => key.push(byte),
        }
    }
    let rest = [b"{", rest.strip_prefix(b",")?].concat();
    let object: Value = serde_json::from_slice(&rest).ok()?;
    let [_, number, time, note] = COLUMNS;
    let note = object.get(note)?.as_str()?.to_owned();
    let commit = commit_of(object.get(time)?.as_str()?.as_bytes(), note)?;
    Some((key, object.get(number)?.as_u64()?, commit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::seen::export::json_of;

    #[test]
    fn keys_come_back() {
        for key in [
            &b"http://a/"[..],
            b"\"\\\n\x01\xFF\xC3\xBC\x80",
            "\u{1F600}".as_bytes(),
            b"",
        ] {
            let line = format!(
                "{{\"uri\":{},\"commit\":7,\"first_seen\":\"2026-10-05T00:00:01Z\",\"note\":\"a\"}}\n",
                json_of(key)
            );
            let (found, number, commit) = entry_of(line.as_bytes()).unwrap();
            assert_eq!((&found[..], number), (key, 7));
            assert_eq!((commit.time, &*commit.note), (1_791_158_401, "a"));
        }
        assert!(entry_of(b"http://a.example/\n").is_none());
    }
}
