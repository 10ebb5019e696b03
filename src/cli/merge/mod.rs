//! The command `merge`: outputs in the order of their URIs become one, without sorting them again.

mod entries;
mod in_order;
mod json;
mod span;
mod table;

use crate::cli::destination::division::{FilePattern, OutputDivision};
use crate::cli::destination::form;
use crate::cli::destination::part_files::{PartFolder, parts_of};
use crate::cli::destination::printer::CompleteOutput;
use crate::cli::destination::{Destination, OutputNames, appear, unless_closed};
use crate::cli::flags::{LineEndFlag, PathFlag};
use crate::cli::report::messages;
use entries::{EntrySum, SortedEntries, SortedForm};
use in_order::InOrder;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use table::{TableForm, TableSum};
use urisieve::input::ParquetTable;
use urisieve::output::{OUTPUT_FORMATS, OutputFormat, OutputLayout};

/// The bytes that are collected of the output before they are written.
const BUFFER: usize = 64 << 10;

/// Merge outputs of --sort into one, each URI once
///
/// Reads entry by entry, so that outputs of any size are merged. What is not in byte order ends the
/// run with its file and line. Files may be compressed with gzip or zstd, or all be tables of
/// Parquet with the same columns. A directory is an output of --split: all of its parts, or with
/// -o DIR/part-{}.txt the same part of each directory.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(in crate::cli) struct MergeLines {
    /// Outputs of --sort, or directories of --split
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Lines are COUNT<TAB>URI, by -c --sort; counts of the same URI are added
    #[arg(short, long)]
    count: bool,

    /// Lines, or rows of Parquet, are by --groups --sort; counts of the same spelling are added
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
  Tables of two days, by -c --sort
      urisieve merge mon.parquet tue.parquet -o both.parquet

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
    let are_tables = are_tables(&whole, &args)?;
    let form = match (args.count, args.groups) {
        _ if are_tables => MergedForm::Tables {
            groups: args.groups,
        },
        (true, _) => MergedForm::Lines(SortedForm::Counts),
        (_, true) => MergedForm::Lines(SortedForm::Groups),
        _ if args.json || whole.iter().all(|path| has_records(path)) => {
            MergedForm::Lines(SortedForm::Json)
        }
        _ => MergedForm::Lines(SortedForm::Lines),
    };
    let path = args.output.path();
    let layout = match form {
        MergedForm::Tables { .. } => OutputLayout::Columns,
        MergedForm::Lines(SortedForm::Json) => OutputLayout::Objects,
        MergedForm::Lines(_) => OutputLayout::Lines,
    };
    let mut formats = OUTPUT_FORMATS.iter();
    let default = formats.find(|format| format.layout == layout);
    let (format, compression) = form::by_flags(path, None, default.unwrap_or(OutputFormat::TEXT))?;
    form::check_file(format, compression, false)?;
    if format.layout != layout {
        return Err("-o: merge writes what it reads; use another extension".to_owned());
    }
    let write = |files: &[PathBuf], out: &mut Destination| match form {
        MergedForm::Tables { groups } => write_tables(files, out, groups),
        MergedForm::Lines(form) => write_lines(files, out, (form, args.line_end.byte())),
    };
    let Some((_, pattern)) = OutputDivision::of(path, None, false)? else {
        let mut outputs = OutputNames::new();
        let mut out = Destination::named(path, compression, 1, true, &mut outputs)?;
        form::check_terminal(format, out.is_terminal())?;
        let (number, is_read) = write(&whole, &mut out)?;
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
        let (number, _) = write(parts, &mut out)?;
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

/// The form of the files that are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MergedForm {
    Lines(SortedForm),
    /// Tables of Parquet; the rows of groups are spellings.
    Tables {
        groups: bool,
    },
}

/// Returns whether the files are tables of Parquet.
///
/// # Errors
/// A message: only some are, or the flags are for lines.
fn are_tables(files: &[PathBuf], args: &MergeLines) -> Result<bool, String> {
    let is_table = |path: &&PathBuf| ParquetTable::is_at(path);
    let Some(table) = files.iter().find(is_table) else {
        return Ok(false);
    };
    let table = table.display();
    if let Some(other) = files.iter().find(|path| !is_table(path)) {
        return Err(format!(
            "{}: no table of Parquet, as {table} is; merge files of one form",
            other.display()
        ));
    }
    let flags = [
        (args.count, "-c: the counts of a table are in a column"),
        (args.json, "--json: a table has no lines"),
        (args.line_end.byte() == 0, "-z: a table has no lines"),
    ];
    match flags.iter().find(|(is_set, _)| *is_set) {
        Some((_, cause)) => Err(format!("{cause}; merge {table} without it")),
        None => Ok(true),
    }
}

/// Passes what was collected to the output where it is enough, or the last. Breaks when nobody reads
/// any more.
fn give(out: &mut Destination, buffer: &mut Vec<u8>, is_last: bool) -> Result<bool, String> {
    if buffer.len() < BUFFER && !is_last {
        return Ok(true);
    }
    let given = unless_closed(out.write_all(buffer)).map_err(|error| error.to_string())?;
    buffer.clear();
    Ok(given.is_continue())
}

/// Writes each row of tables once. Returns the number of rows, and whether all were read by someone.
fn write_tables(
    files: &[PathBuf],
    out: &mut Destination,
    groups: bool,
) -> Result<(u64, bool), String> {
    let (form, tables) = TableForm::of(files, groups)?;
    let mut table = form.table()?;
    let mut rows = InOrder::new(tables)?;
    let (mut buffer, mut sum, mut number) = (Vec::new(), TableSum::default(), 0);
    table.begin(&mut buffer);
    loop {
        sum.clear();
        let next = rows.next(|row| {
            sum.add(row);
            Ok(())
        })?;
        if next.is_none() {
            break;
        }
        number += sum.write(&form, &mut table, &mut buffer);
        if !give(out, &mut buffer, false)? {
            return Ok((number, false));
        }
    }
    table
        .finish(&mut buffer)
        .map_err(|error| error.to_string())?;
    let is_read = give(out, &mut buffer, true)?;
    Ok((number, is_read))
}

/// Writes each entry once. Returns the number of entries, and whether all were read by someone.
fn write_lines(
    files: &[PathBuf],
    out: &mut Destination,
    lines: (SortedForm, u8),
) -> Result<(u64, bool), String> {
    let opened = files.iter().map(|file| SortedEntries::open(file, lines));
    let mut entries = InOrder::new(opened.collect::<Result<_, _>>()?)?;
    let (mut buffer, mut number) = (Vec::with_capacity(2 * BUFFER), 0);
    loop {
        let mut sum = EntrySum::default();
        let Some(uri) = entries.next(|entry| sum.add(entry))? else {
            return Ok((number, true));
        };
        sum.write(uri, lines, &mut buffer);
        number += 1;
        let is_last = entries.is_empty();
        if !give(out, &mut buffer, is_last)? {
            return Ok((number, false));
        }
    }
}
