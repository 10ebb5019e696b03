//! The command `merge`: outputs in the order of their URIs become one, without sorting them again.

mod entries;
mod json;

use crate::cli::destination::division::{FilePattern, OutputDivision};
use crate::cli::destination::form;
use crate::cli::destination::part_files::{PartFolder, parts_of};
use crate::cli::destination::printer::CompleteOutput;
use crate::cli::destination::{Destination, OutputNames, appear, unless_closed};
use crate::cli::flags::{LineEndFlag, PathFlag};
use crate::cli::report::messages;
use entries::{EntrySum, SortedEntries, SortedForm};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use urisieve::output::{OutputFormat, OutputLayout};

/// The bytes that are collected of the output before they are written.
const BUFFER: usize = 64 << 10;

/// Merge outputs of --sort into one, each URI once
///
/// Reads entry by entry, so that outputs of any size are merged. What is not in byte order ends the
/// run with its file and line. Files may be compressed with gzip or zstd. A directory is an output
/// of --split: all of its parts, or with -o DIR/part-{}.txt the same part of each directory.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(in crate::cli) struct MergeLines {
    /// Outputs of --sort, or directories of --split
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Lines are COUNT<TAB>URI, by -c --sort; counts of the same URI are added
    #[arg(short, long)]
    count: bool,

    /// Lines are by --groups --sort; counts of the same spelling are added
    #[arg(long, conflicts_with = "count")]
    groups: bool,

    /// Lines are records, by --json --sort, also with -c or --groups (default: by the extension)
    ///
    /// Of records with the same URI the first is kept, in the order of the files; counts are added.
    #[arg(long, conflicts_with_all = ["count", "groups", "null_data"])]
    json: bool,

    #[command(flatten)]
    output: PathFlag,

    #[command(flatten)]
    line_end: LineEndFlag,
}

const EXAMPLES: &str = "\
Examples:
  What sixteen machines found, in the order of one
      urisieve merge part-*.txt > all.txt
  How often, in all parts
      urisieve -c --sort a.log > a.txt; urisieve -c --sort b.log > b.txt
      urisieve merge -c a.txt b.txt
  The outputs of --split 16 of each machine, part by part
      urisieve merge one/ two/ -o all/part-{}.txt.zst

Exit codes: 0 something printed, 1 nothing printed, 2 an error.";

/// Runs the command.
pub(in crate::cli) fn run(args: MergeLines) -> ExitCode {
    match merged(args) {
        Ok(number) => ExitCode::from(u8::from(number == 0)),
        Err(message) => messages::usage(&message),
    }
}

/// Returns whether the name of a file says that it has records.
fn has_records(path: &Path) -> bool {
    let named = form::by_flags(Some(path), None, OutputFormat::TEXT);
    named.is_ok_and(|(format, _)| format == OutputFormat::JSON)
}

fn merged(args: MergeLines) -> Result<u64, String> {
    let mut directories = Vec::new();
    for path in &args.files {
        directories.push(match path.is_dir() {
            true => Some(parts_of(path)?),
            false => None,
        });
    }
    let whole: Vec<PathBuf> = args
        .files
        .iter()
        .zip(&directories)
        .flat_map(|(file, parts)| parts.clone().unwrap_or_else(|| vec![file.clone()]))
        .collect();
    let form = match (args.count, args.groups) {
        (true, _) => SortedForm::Counts,
        (_, true) => SortedForm::Groups,
        _ if args.json || whole.iter().all(|path| has_records(path)) => SortedForm::Json,
        _ => SortedForm::Lines,
    };
    let path = args.output.path();
    let default = match form {
        SortedForm::Json => OutputFormat::JSON,
        _ => OutputFormat::TEXT,
    };
    let (format, compression) = form::by_flags(path, None, default)?;
    let fits = match form {
        SortedForm::Json => format.layout == OutputLayout::Objects,
        _ => format.layout == OutputLayout::Lines,
    };
    if !fits {
        return Err("-o: merge writes what it reads; use another extension".to_owned());
    }
    let lines = (form, args.line_end.byte());
    let Some((_, pattern)) = OutputDivision::of(path, None, false)? else {
        let mut outputs = OutputNames::new();
        let mut out = Destination::named(path, compression, 1, true, &mut outputs)?;
        let (number, is_read) = write(&whole, &mut out, lines)?;
        if is_read {
            out.finish().map_err(|error| error.to_string())?;
        }
        return Ok(number);
    };
    let directories: Option<Vec<Vec<PathBuf>>> = directories.into_iter().collect();
    let directories =
        directories.ok_or("-o with {}: parts are merged of directories of --split alone")?;
    by_parts(&directories, &pattern, |parts, path| {
        let failed = |error| format!("-o {}: {error}", path.display());
        let mut out = Destination::file(path, compression, 1).map_err(failed)?;
        let (number, _) = write(parts, &mut out, lines)?;
        let (_, file) = out.complete().map_err(failed)?;
        Ok((number, file))
    })
}

/// Merges the same part of each directory into one of another.
fn by_parts(
    directories: &[Vec<PathBuf>],
    pattern: &FilePattern,
    mut merge: impl FnMut(&[PathBuf], &Path) -> Result<CompleteOutput, String>,
) -> Result<u64, String> {
    let number = directories.first().map_or(0, Vec::len);
    if directories.iter().any(|parts| parts.len() != number) {
        return Err("-o with {}: the directories have different numbers of parts".to_owned());
    }
    let failed = |error| format!("-o {}: {error}", pattern.folder().display());
    let folder = PartFolder::open(pattern).map_err(failed)?;
    let (mut all, mut files) = (0, Vec::new());
    for part in 0..number {
        let parts: Vec<PathBuf> = directories
            .iter()
            .map(|parts| parts[part].clone())
            .collect();
        let name = pattern.part(folder.path(), u32::try_from(part).unwrap_or(u32::MAX));
        let (entries, file) = merge(&parts, &name)?;
        all += entries;
        files.extend(file);
    }
    let folder = folder.complete(files).map_err(failed)?;
    appear(vec![folder]).map_err(|(_, error)| failed(error))?;
    Ok(all)
}

/// Writes each entry once. Returns the number of entries, and whether all were read by someone.
fn write(
    files: &[PathBuf],
    out: &mut Destination,
    lines: (SortedForm, u8),
) -> Result<(u64, bool), String> {
    let mut entries = BinaryHeap::with_capacity(files.len());
    for (number, file) in files.iter().enumerate() {
        let mut opened = SortedEntries::open(file, number, lines)?;
        if opened.advance()? {
            entries.push(opened);
        }
    }
    let (mut buffer, mut uri, mut number) = (Vec::with_capacity(2 * BUFFER), Vec::new(), 0);
    while let Some(first) = entries.peek() {
        uri.clear();
        uri.extend_from_slice(first.uri());
        let mut sum = EntrySum::default();
        while let Some(mut same) = entries.peek_mut()
            && same.uri() == uri
        {
            sum.add(&same)?;
            if !same.advance()? {
                PeekMut::pop(same);
            }
        }
        sum.write(&uri, lines, &mut buffer);
        number += 1;
        if buffer.len() >= BUFFER || entries.is_empty() {
            let given = unless_closed(out.write_all(&buffer));
            if given.map_err(|error| error.to_string())?.is_break() {
                return Ok((number, false));
            }
            buffer.clear();
        }
    }
    Ok((number, true))
}
