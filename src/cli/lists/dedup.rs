//! The command `dedup`: one URI a line (or a value of each record), the first of
//! each class.

use crate::cli::flags::memory::DedupFlags;
use crate::cli::flags::{AgainstFlag, MatchFlags, MatchWithFlag, SeenFlags, SplitFlag, worded};
use crate::cli::indicator_lists::IndicatorLists;
use crate::cli::inputs::InputNames;
use crate::cli::lists::list::{ListFlags, Rows, Writing};
use crate::cli::lists::normalize::exit_code;
use crate::cli::lists::value::ValueFlags;
use crate::cli::names;
use crate::cli::report::messages;
use crate::cli::report::stderr;
use std::io;
use std::process::ExitCode;
use urisieve::decode::{CsvColumn, Layout};
use urisieve::input::RowCopy;
use urisieve::item::{Content, Finding, Spelling};
use urisieve::{Mode, Sieve};

/// Print the first line of each class of equal URIs, as written
///
/// Blanks around a line are removed. Nothing is extracted: lines that are not URIs are
/// equal only byte for byte, and are counted. With --csv-column and --field whole
/// records are printed, byte for byte; records without a URI are never merged.
#[derive(Debug, clap::Args)]
#[command(
    after_long_help = EXAMPLES,
    mut_arg("against", |arg| worded(arg, AGAINST, AGAINST_READ)),
    mut_arg("csv_column", |arg| worded(arg, COLUMN, COLUMN_HEADER))
)]
pub(in crate::cli) struct Dedup {
    #[command(flatten)]
    against: AgainstFlag,

    #[command(flatten)]
    seen: SeenFlags,

    #[command(flatten)]
    split: SplitFlag,

    /// Print each class with its spellings and their counts
    ///
    /// Records without a URI are in no class; they are counted.
    #[arg(long)]
    groups: bool,

    /// Print canonical forms, not lines as written
    ///
    /// With --csv-column and --field only the values are printed, without the rest of
    /// the record and without a header. A value that is not a URI is printed as it is.
    #[arg(long)]
    canonical: bool,

    #[command(flatten)]
    matching: MatchFlags,

    #[command(flatten)]
    match_with: MatchWithFlag,

    #[command(flatten)]
    value: ValueFlags,

    #[command(flatten)]
    dedup: DedupFlags,

    #[command(flatten)]
    list: ListFlags,
}

const COLUMN: &str = "Read CSV: the URI is in the column with this name, or this number from 1";
const COLUMN_HEADER: &str = "\
With a name, the first record of each input is its header. It is printed, too, once when \
several inputs have the same. A table without the column is an error.";
const AGAINST: &str = "Leave out what equals a line (or value) of FILE; may be repeated";
const AGAINST_READ: &str = "\
FILE is read like every input, also with --csv-column and --field. Of a Parquet \
table the column url or uri is read, or the only one of strings. When FILE cannot \
be read, nothing is printed.";

const EXAMPLES: &str = "\
Examples:
  Each URL once, as sort -u would not see it
      urisieve dedup -L scheme urls.txt
  New URLs of today
      urisieve dedup today.txt --against yesterday.txt
  The first row of each URL, all columns
      urisieve dedup --csv-column url pages.csv
      urisieve dedup pages.parquet -o once.parquet

Exit codes: 0 something printed, 1 nothing printed, 2 an error.";

/// Prints the first record of a class.
#[derive(Clone)]
struct First {
    canonical: bool,
    /// Records are lines.
    lines: bool,
    /// The byte that ends a line.
    end: u8,
    /// Headers that were printed, without their line ends.
    headers: Vec<Vec<u8>>,
    /// The last record lacks the end of its line.
    open: bool,
    /// Classes are printed, after all inputs.
    groups: bool,
    /// Rows of tables, which are copied after all inputs.
    copied: Option<(RowCopy, InputNames)>,
    /// The first entry that matches a line is printed before it.
    entries: bool,
}

impl Writing for First {
    fn again(&self) -> Box<dyn Writing> {
        Box::new(self.clone())
    }

    fn is_late(&self) -> bool {
        self.groups || self.copied.is_some()
    }

    fn finish(&self, give: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        match &self.copied {
            Some((copied, _)) => copied.write(give),
            None => Ok(()),
        }
    }

    fn record(&mut self, finding: &Finding, out: &mut Vec<u8>) {
        if let Some((copied, names)) = &mut self.copied {
            // Each row is a line.
            let row = finding.place.map_or(0, |place| place.line - 1);
            let path = || names::path(&names.get(finding.input));
            copied.keep(finding.input, path, row);
            return;
        }
        let record = finding.original;
        if finding.marks.content == Content::Header {
            let header = record.trim_ascii_end();
            if self.canonical || self.headers.iter().any(|seen| seen == header) {
                return;
            }
            self.headers.push(header.to_owned());
        }
        if self.canonical || self.lines {
            if self.entries {
                let mut matched = finding.context.matched.unwrap_or_default().entries();
                out.extend_from_slice(matched.next().map_or(&b""[..], |first| first.entry));
                out.push(b'\t');
            }
            out.extend_from_slice(match (self.canonical, finding.marks.content) {
                (true, Content::Uri) => finding.uri,
                (true, _) => finding.uri.trim_ascii(),
                (false, _) => record.trim_ascii(),
            });
            out.push(self.end);
            return;
        }
        if std::mem::replace(&mut self.open, !record.ends_with(b"\n")) {
            out.push(b'\n');
        }
        out.extend_from_slice(record);
    }

    fn group(&mut self, class: &Finding, spellings: &[Spelling], out: &mut Vec<u8>) {
        let end = self.end;
        let mut line = |start: &str, count: u64, text: &[u8]| {
            out.extend_from_slice(format!("{start}{count}\t").as_bytes());
            out.extend_from_slice(text);
            out.push(end);
        };
        line("", class.count.unwrap_or_default(), class.uri);
        for spelling in spellings {
            line("\t", spelling.count, spelling.text);
        }
    }
}

/// Returns how the rows of a table are read: as records of CSV with one column.
fn rows_of_table() -> Layout {
    Layout::Csv(CsvColumn::numbered(0).delimiter(Some(b',')))
}

/// Runs the command.
pub(in crate::cli) fn run(args: Dedup) -> ExitCode {
    let (layout, rows) = match args.value.layout(&args.list.line_end, false) {
        Ok(layout) => layout,
        Err(message) => return messages::usage(&message),
    };
    let names = args.list.names();
    let column = layout.column_name().map(str::to_owned);
    let copied = match args.list.copied_rows(column.as_deref()) {
        Ok(Some(_)) if args.groups || args.canonical => {
            return messages::usage("-o: --groups and --canonical print no rows of a table");
        }
        Ok(copied) => copied,
        Err(message) => return messages::usage(&message),
    };
    let read_as = match copied {
        Some(_) => Ok((rows_of_table(), Rows::Table, column)),
        None => args.list.of_tables((layout, rows)),
    };
    let (layout, rows, column) = match read_as {
        Ok(read_as) => read_as,
        Err(message) => return messages::usage(&message),
    };
    let speech = args.list.silence.speech();
    let lists = args.list.resources.threads();
    let lists =
        lists.and_then(|threads| IndicatorLists::open(&args.matching, threads, speech, false));
    let lists = match lists {
        Ok(lists) => lists,
        Err(message) => return messages::usage(&message),
    };
    let entries = args.match_with.match_with;
    if entries && (rows != Rows::Lines || args.groups) {
        return messages::usage("--match-with: only where lines are printed");
    }
    let sieve = lists
        .configure(Sieve::builder())
        .matched(entries)
        .list(layout)
        .originals(true)
        .lines(!args.groups);
    let mode = match args.groups {
        true => Mode::Groups,
        false => Mode::Distinct,
    };
    let sieve = match args.dedup.configure(sieve.mode(mode), mode) {
        Ok(sieve) => sieve,
        Err(message) => return messages::usage(&message),
    };
    if args.seen.store.seen.is_some() && args.dedup.is_hashed() {
        return messages::usage("--seen: not with --dedup hash128, which is not exact");
    }
    let (wants_stats, speaks) = (args.list.stats.stats, !args.list.silence.no_messages);
    let writing = First {
        canonical: args.canonical,
        lines: rows == Rows::Lines,
        end: args.list.line_end.byte(),
        headers: Vec::new(),
        open: false,
        groups: args.groups,
        copied: copied.map(|copied| (copied, names.clone())),
        entries,
    };
    match args.list.run(
        sieve,
        rows,
        (args.against, args.seen, args.split, column),
        names,
        Box::new(writing),
    ) {
        Ok(mut ran) => {
            ran.lost |= lists.bad > 0;
            if let Ok(stats) = &ran.result
                && args.groups
                && rows != Rows::Lines
                && stats.not_uris > 0
                && speaks
            {
                let records = stderr::number_of(stats.not_uris, "record");
                stderr::say(format_args!(
                    "left out of all groups: {records} without a URI"
                ));
            }
            exit_code(&ran, wants_stats, |ran| {
                let printed = ran.result.as_ref().is_ok_and(|stats| stats.distinct > 0);
                u8::from(!printed)
            })
        }
        Err(message) => messages::usage(&message),
    }
}
