//! Which URIs and records are reported, as the flags name them.

use crate::cli::flags::{InputFlags, Selection};
use regex::bytes::{Regex, RegexSet};
use std::fmt::Display;
use std::fs;
use std::str::FromStr;
use urisieve::decode;
use urisieve::item::Problems;
use urisieve::{MediaRange, RecordFilter, StatusCodes, UriSelection};

/// Returns the test that a canonical form must pass; `None` when all pass.
///
/// # Errors
/// A message about a wrong value.
pub(in crate::cli) fn selection(
    args: Selection,
) -> Result<Option<impl Fn(&[u8]) -> bool + Send + Sync + 'static>, String> {
    let include = patterns("--include", &args.include)?;
    let exclude = patterns("--exclude", &args.exclude)?;
    let mut selection = UriSelection::default();
    for name in &args.scheme {
        selection.add_scheme(name).map_err(of("--scheme"))?;
    }
    for name in &args.nid {
        selection.add_nid(name).map_err(of("--nid"))?;
    }
    let mut hosts = 0;
    for name in &args.host {
        hosts += match name.trim().strip_prefix('@') {
            Some(path) => add_hosts(&mut selection, path)?,
            None => selection.add_host(name).map(|()| 1).map_err(of("--host"))?,
        };
    }
    // Files without hosts select nothing.
    let is_none = hosts == 0 && !args.host.is_empty();
    if selection.is_empty() && include.is_empty() && exclude.is_empty() && !is_none {
        return Ok(None);
    }
    Ok(Some(move |uri: &[u8]| {
        !is_none
            && selection.holds(uri)
            && (include.is_empty() || include.is_match(uri))
            && !exclude.is_match(uri)
    }))
}

/// Returns what puts the name of a flag before an error.
fn of<E: Display>(flag: &str) -> impl Fn(E) -> String {
    move |error| format!("{flag}: {error}")
}

/// Adds the lines of a file and returns their number. Empty lines and those that begin with
/// `#` are skipped.
///
/// # Errors
/// A message about a file that cannot be read, or about a line that is not a host.
fn add_hosts(selection: &mut UriSelection, path: &str) -> Result<usize, String> {
    let mut count = 0;
    let bytes = fs::read(path).map_err(|error| format!("--host @{path}: {error}"))?;
    let text = decode::text_of(&bytes);
    for (number, line) in text.split(|&b| b == b'\n').enumerate() {
        let line = String::from_utf8_lossy(line);
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let added = selection.add_host(line);
        added.map_err(|error| format!("--host @{path}: line {}: {error}", number + 1))?;
        count += 1;
    }
    Ok(count)
}

/// Parses the problems of which a finding must have one; empty when no problem is
/// required.
///
/// # Errors
/// A message about an unknown code.
pub(in crate::cli) fn problems(codes: &[String]) -> Result<Problems, String> {
    Problems::with_codes(codes).map_err(of("--problem"))
}

/// Parses which records of web archives are read.
///
/// # Errors
/// A message about a value that can match nothing.
pub(in crate::cli) fn records(input: &InputFlags) -> Result<RecordFilter, String> {
    let mut filter = RecordFilter::new();
    for kind in &input.warc_type {
        match kind.trim() {
            "" => {
                let why = "not a type of records; write a name like response";
                return Err(format!("--warc-type: {kind:?}: {why}"));
            }
            kind => filter = filter.kind(kind),
        }
    }
    for status in &input.status {
        let StatusCodes(codes) = StatusCodes::from_str(status).map_err(of("--status"))?;
        filter = filter.statuses(codes);
    }
    for media_type in &input.mime {
        let MediaRange(range) = MediaRange::from_str(media_type).map_err(of("--mime"))?;
        filter = filter.media_type(range);
    }
    Ok(filter)
}

fn patterns(flag: &str, list: &[String]) -> Result<RegexSet, String> {
    for pattern in list {
        Regex::new(pattern).map_err(of(flag))?;
    }
    RegexSet::new(list).map_err(of(flag))
}
