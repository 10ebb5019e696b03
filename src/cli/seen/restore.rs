//! Restores a store from an export as JSON Lines: its keys with their commits.

use super::export::COLUMNS;
use super::settings::shown;
use crate::cli::report::messages;
use crate::cli::report::stderr;
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use urisieve::item::{Timestamp, UtcOffset};
use urisieve::store::seen::{SeenCommit, SeenSettings, SeenWriter};
use urisieve::store::{Budget, ScratchFile, Sorter};

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
    let opened = match file.as_os_str() == "-" {
        // What is read of standard input cannot be read once more.
        true => return Ok(None),
        false => File::open(file),
    };
    let Ok(opened) = opened else { return Ok(None) };
    let mut input = BufReader::new(opened);
    let mut line = Vec::new();
    let read = input.read_until(b'\n', &mut line);
    if read.is_err() || entry_of(&line).is_none() {
        return Ok(None);
    }
    let name = file.display();
    let scratch = Arc::new(ScratchFile::new(std::env::temp_dir()));
    let budget = Arc::new(Budget::new(256 << 20));
    let order: fn(&[u8], &[u8]) -> Ordering = |a, b| a.cmp(b);
    let mut sorter = Sorter::new(&scratch, &budget, order);
    let mut commits = BTreeMap::new();
    let mut number = 0_u64;
    loop {
        number += 1;
        let (key, at, commit) = entry_of(&line)
            .ok_or_else(|| format!("{name}: line {number}: not a line of an export"))?;
        // The commit after the key: equal keys are sorted by it.
        let entry = [&key[..], &at.to_be_bytes()].concat();
        sorter.push(&entry).map_err(|error| error.to_string())?;
        commits.entry(at).or_insert(commit);
        line.clear();
        let read = input.read_until(b'\n', &mut line);
        if read.map_err(|error| format!("{name}: {error}"))? == 0 {
            break;
        }
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
    let time = object.get(time)?.as_str()?;
    let time = Timestamp::parse(time.as_bytes(), UtcOffset::UTC)?;
    let commit = SeenCommit {
        time: u64::try_from(time.instant().0).ok()?,
        keys: 0,
        note: object.get(note)?.as_str()?.to_owned(),
    };
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
