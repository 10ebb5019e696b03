//! The flags of how records are written, of any kind, and where.

use super::messages::MessageFlags;
use super::wording::worded_first;
use crate::cli::flags::privacy::Privacy;
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::path::{Path, PathBuf};
use urisieve::output::{OUTPUT_FORMATS, OutputFormat};

/// Returns the parser of the names of formats that are written.
fn output_formats() -> impl TypedValueParser<Value = &'static OutputFormat> {
    let value = |format: &'static OutputFormat| {
        PossibleValue::new(format.name).aliases(format.aliases.iter().copied())
    };
    PossibleValuesParser::new(OUTPUT_FORMATS.iter().map(value))
        .try_map(|name| OutputFormat::named(&name).ok_or("no format has this name"))
}

/// How records are written, of URIs or of links, and what is reported beside them.
#[derive(Debug, clap::Args)]
#[command(
    next_help_heading = "Output",
    mut_arg("excel", |arg| arg.hide_short_help(true)),
    mut_arg("output", |arg| worded_first(arg, EXTENSIONS))
)]
pub(in crate::cli) struct ReportFlags {
    /// Print as found: order and first occurrence may differ from run to run
    #[arg(long, hide_short_help = true)]
    pub unordered: bool,

    #[command(flatten)]
    pub format: FormatFlags,

    #[command(flatten)]
    pub output: PathFlag,

    #[command(flatten)]
    pub split: SplitFlag,

    /// End each record with NUL instead of a line feed
    #[arg(short = '0', long, conflicts_with = "json", hide_short_help = true)]
    pub null: bool,

    /// Print nothing; exit with 0 at the first finding
    #[arg(short, long, conflicts_with = "output")]
    pub quiet: bool,

    #[command(flatten)]
    pub messages: MessageFlags,

    #[command(flatten)]
    pub privacy: Privacy,

    /// When to color names, numbers and hosts
    ///
    /// auto: on a terminal, unless NO_COLOR is set or TERM is dumb.
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_short_help = true
    )]
    pub color: Color,

    #[command(flatten)]
    pub pace: LineBufferedFlag,
}

const EXTENSIONS: &str = "\
.jsonl, .csv, .tsv, .parquet and .html choose the format; .txt, .log and the like are text; any \
other extension needs -f.";

/// The format of the records.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct FormatFlags {
    /// Print JSON Lines, one record per finding
    ///
    /// The same as -f jsonl.
    #[arg(long)]
    json: bool,

    /// text, jsonl, csv, tsv, parquet, ecs or html [default: by the extension of -o]
    ///
    /// Without an extension, text. csv and tsv have the keys of the JSON records as
    /// columns. So has parquet, after the columns of Common Crawl's index, which keep
    /// their names. ecs is JSON Lines in the Elastic Common Schema. html is
    /// the page of urisieve report, of the URIs that would be printed.
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        conflicts_with = "json",
        value_parser = output_formats(),
        hide_possible_values = true
    )]
    format: Option<&'static OutputFormat>,

    /// With -f csv, write a file that spreadsheets open safely
    ///
    /// It begins with a byte-order mark, its lines end with CR LF, and a ' precedes
    /// each value that a spreadsheet could take for a formula (one that begins with = +
    /// - @, tab or a line break). Without this flag such values are written unchanged.
    #[arg(long)]
    pub excel: bool,
}

impl FormatFlags {
    /// The format of a report.
    pub(in crate::cli) fn report() -> FormatFlags {
        FormatFlags {
            format: Some(OutputFormat::HTML),
            ..FormatFlags::default()
        }
    }

    /// Returns the format that was named.
    pub(in crate::cli) fn chosen(&self) -> Option<&'static OutputFormat> {
        match self.json {
            true => Some(OutputFormat::JSON),
            false => self.format,
        }
    }
}

/// The file of the records.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct PathFlag {
    /// Write to FILE, which appears only when it is complete
    ///
    /// A final .gz or .zst compresses. On an error or interrupt FILE stays absent or
    /// unchanged, also when no input is named and standard input is a terminal or empty.
    /// An input that cannot be read is not such an error: everything else is written, and
    /// the exit code is 2. Devices and named pipes are written directly.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl PathFlag {
    /// Returns what was typed; `-` is standard output.
    pub(in crate::cli) fn path(&self) -> Option<&Path> {
        self.output.as_deref()
    }
}

/// The number of files of the records.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct SplitFlag {
    /// Divide the output into N files by their URIs: -o DIR/part-{}.txt
    ///
    /// {} is 00000 to N-1: CRC-32 of the canonical form (of links: SOURCE<TAB>TARGET), mod N, so
    /// that a URI is in the same part on each machine. N is at most 1024. DIR, which is absent or
    /// empty, appears whole, with a file _SUCCESS. Without --split, {} is the number of the commit
    /// of --commit-every, or else the name of the input, with %2F for /: a file for each.
    #[arg(long, value_name = "N", requires = "output", hide_short_help = true)]
    pub split: Option<u32>,
}

/// Whether records are collected before they are written.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct LineBufferedFlag {
    /// Write each record as soon as it is found
    #[arg(long, hide_short_help = true)]
    pub line_buffered: bool,
}

/// When to use colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}
