//! Which URIs and records are reported, as the flags name them.

use crate::cli::flags::{InputFlags, Selection};
use regex::bytes::{Regex, RegexSet};
use std::borrow::Cow;
use std::fmt::Display;
use std::fs;
use std::str::FromStr;
use urisieve::decode;
use urisieve::item::Problems;
use urisieve::syntax::extension;
use urisieve::{MediaRange, RecordFilter, StatusCodes, UriSelection, is_list_comment};

/// Returns the test that a canonical form must pass; `None` when all pass.
///
/// # Errors
/// A message about a wrong value.
pub(in crate::cli) fn selection(
    args: &Selection,
) -> Result<Option<impl Fn(&[u8]) -> bool + Send + Sync + use<>>, String> {
    let include = patterns("--include", &args.include)?;
    let exclude = patterns("--exclude", &args.exclude)?;
    let mut selection = UriSelection::default();
    for name in &args.scheme {
        selection.add_scheme(name).map_err(of("--scheme"))?;
    }
    for name in &args.nid {
        selection.add_nid(name).map_err(of("--nid"))?;
    }
    let hosts = listed("--host", &args.host)?;
    for host in hosts.iter().filter(|host| !host.is_comment()) {
        let added = selection.add_host(&host.text);
        added.map_err(host.error("--host"))?;
    }
    // Files without hosts or patterns select nothing.
    let is_none = hosts.iter().all(SelectionValue::is_comment) && !args.host.is_empty()
        || include.is_none() && !args.include.is_empty();
    let ext = extensions("--ext", &args.ext)?;
    let no_ext = extensions("--no-ext", &args.no_ext)?;
    let is_among = |list: &[String], uri: &[u8]| {
        let found = extension(uri);
        found.is_some_and(|found| {
            list.iter()
                .any(|ext| found.eq_ignore_ascii_case(ext.as_bytes()))
        })
    };
    let has_ext = !ext.is_empty() || !no_ext.is_empty();
    if !has_ext && selection.is_empty() && include.is_none() && exclude.is_none() && !is_none {
        return Ok(None);
    }
    Ok(Some(move |uri: &[u8]| {
        !is_none
            && selection.holds(uri)
            && include.as_ref().is_none_or(|set| set.is_match(uri))
            && !exclude.as_ref().is_some_and(|set| set.is_match(uri))
            && (ext.is_empty() || is_among(&ext, uri))
            && !is_among(&no_ext, uri)
    }))
}

/// A value of a flag, or a line of a file that it names.
struct SelectionValue<'a> {
    text: Cow<'a, str>,
    /// The file and the number of the line.
    line: Option<(&'a str, usize)>,
}

impl SelectionValue<'_> {
    /// Whether a line of a list of hosts is empty or a comment (rule I5).
    fn is_comment(&self) -> bool {
        self.line.is_some() && is_list_comment(&self.text)
    }

    /// Returns what puts the name of a flag and the line before an error.
    fn error<E: Display>(&self, flag: &str) -> impl Fn(E) -> String {
        let place = match self.line {
            Some((path, number)) => format!("{flag}: {path}:{number}"),
            None => flag.to_owned(),
        };
        move |error| format!("{place}: {error}")
    }
}

/// Returns the values of a flag; `@FILE` means the lines of a file.
///
/// # Errors
/// A message about a file that cannot be read, or about a line that is not UTF-8.
fn listed<'a>(flag: &str, values: &'a [String]) -> Result<Vec<SelectionValue<'a>>, String> {
    let mut entries = Vec::new();
    for value in values {
        let Some(path) = value.trim().strip_prefix('@') else {
            let text = value.into();
            entries.push(SelectionValue { text, line: None });
            continue;
        };
        let bytes = fs::read(path).map_err(|error| format!("{flag}: {path}: {error}"))?;
        let text = decode::text_of(&bytes);
        let mut lines: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
        lines.pop_if(|last| last.is_empty());
        for (number, line) in lines.into_iter().enumerate() {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let line = str::from_utf8(line)
                .map_err(|error| format!("{flag}: {path}:{}: {error}", number + 1))?;
            entries.push(SelectionValue {
                text: line.to_owned().into(),
                line: Some((path, number + 1)),
            });
        }
    }
    Ok(entries)
}

/// Returns what puts the name of a flag before an error.
fn of<E: Display>(flag: &str) -> impl Fn(E) -> String {
    move |error| format!("{flag}: {error}")
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
    for StatusCodes(codes) in statuses(input)? {
        filter = filter.statuses(codes);
    }
    for media_type in &input.mime {
        let MediaRange(range) = MediaRange::from_str(media_type).map_err(of("--mime"))?;
        filter = filter.media_type(range);
    }
    Ok(filter)
}

/// Parses the status codes that a response must have one of; none when all are read.
///
/// # Errors
/// A message about a value that is not one.
pub(in crate::cli) fn statuses(input: &InputFlags) -> Result<Vec<StatusCodes>, String> {
    let codes = input
        .status
        .iter()
        .map(|status| StatusCodes::from_str(status));
    codes.collect::<Result<_, _>>().map_err(of("--status"))
}

/// Returns the extensions of a flag, without the dots before them.
///
/// # Errors
/// A message about what is not one.
fn extensions(flag: &str, values: &[String]) -> Result<Vec<String>, String> {
    let read = |value: &String| {
        let name = value.trim().trim_start_matches('.');
        match extension(format!("x:/x.{name}").as_bytes()) == Some(name.as_bytes()) {
            true => Ok(name.to_owned()),
            false => Err(format!("{flag}: {value:?}: not an extension; write php,js")),
        }
    };
    values.iter().map(read).collect()
}

/// Compiles the patterns of a flag, if there are any. Empty lines of a file are skipped.
///
/// # Errors
/// A message about a file that cannot be read, or about a wrong pattern.
fn patterns(flag: &str, values: &[String]) -> Result<Option<RegexSet>, String> {
    let mut entries = listed(flag, values)?;
    entries.retain(|entry| entry.line.is_none() || !entry.text.is_empty());
    for entry in &entries {
        Regex::new(&entry.text).map_err(entry.error(flag))?;
    }
    if entries.is_empty() {
        return Ok(None);
    }
    let set = RegexSet::new(entries.iter().map(|entry| &*entry.text));
    set.map(Some).map_err(of(flag))
}
