//! The flags of `catalog list` and `catalog check`, as they were typed.

use crate::cli::equivalence::Equivalence;
use crate::cli::flags::{AUTO, MessageFlags, WalkFlags, format_names, output_formats};
use crate::cli::memory::MemoryFlags;
use crate::cli::privacy::Privacy;
use std::path::PathBuf;
use urisieve::output::OutputFormat;

/// The flags of both.
#[derive(Debug, clap::Args)]
pub(super) struct CatalogFlags {
    #[command(flatten)]
    pub fields: CatalogFieldFlags,

    #[command(flatten)]
    pub output: CatalogOutput,

    #[command(flatten)]
    pub equivalence: Equivalence,

    #[command(flatten)]
    pub input: CatalogInput,
}

/// What is listed of a record.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Fields")]
pub(super) struct CatalogFieldFlags {
    /// Only these fields: 856[4_]ugzx,024a,*u
    ///
    /// A tag, with X for any digit, or * for every field; two indicators in brackets, _ for
    /// a blank and . for any; codes of subfields, none for all. An element of MODS or Dublin
    /// Core is named by its path, a column of a table by its header. Of fields that usually
    /// hold no identifiers, values are listed that are URIs as a whole. By default the
    /// fields of `urisieve formats`, kind field.
    #[arg(long, value_name = "LIST")]
    pub fields: Option<String>,

    /// Add columns with these fields of the record: 852b,035a
    ///
    /// Several values are joined by "; ".
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub with: Vec<String>,

    /// Write ISBNs, ISSNs, DOIs and Handles as urn:isbn:, urn:issn:, doi: and hdl:
    ///
    /// In the column canonical, where the number has the right shape.
    #[arg(long)]
    pub make_urn: bool,

    /// The column of tables that identifies the record: its name, or its number from 1
    ///
    /// Rows with the same identifier that follow each other are one record. A table
    /// without the column is an error.
    #[arg(long, value_name = "NAME|N")]
    pub id_column: Option<String>,
}

/// How rows are written.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(super) struct CatalogOutput {
    /// csv, tsv, jsonl or parquet [default: by the extension of -o, else csv]
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        conflicts_with = "json",
        value_parser = output_formats(),
        hide_possible_values = true
    )]
    pub format: Option<&'static OutputFormat>,

    /// Print JSON Lines; the same as -f jsonl
    #[arg(long)]
    pub json: bool,

    /// With -f csv, write a file that spreadsheets open safely
    ///
    /// It begins with a byte-order mark, its lines end with CR LF, and a ' precedes
    /// each value that a spreadsheet could take for a formula (one that begins with = +
    /// - @, tab or a line break).
    #[arg(long)]
    pub excel: bool,

    /// Write to FILE, which appears only when it is complete
    ///
    /// .csv, .tsv, .jsonl and .parquet choose the format. A final .gz or .zst compresses.
    /// On an error or interrupt FILE stays absent or unchanged. An input that cannot be
    /// read is not such an error: everything else is written, and the exit code is 2.
    /// Devices and named pipes are written directly.
    #[arg(short, long, value_name = "FILE", conflicts_with = "quiet")]
    pub output: Option<PathBuf>,

    /// Do not compare the identifiers of different records: print rows as they are found
    ///
    /// By default rows are printed when all inputs are read, with the number, the size and
    /// the reasons of their group of equal identifiers, and case-differs is found. Equal
    /// are identifiers at level scheme, with resolvers unwrapped and ISBN-10 as ISBN-13.
    /// Rows for which there is no memory wait in a temporary file.
    #[arg(long)]
    pub no_groups: bool,

    /// Print nothing; list ends at the first row, check at the first error or warning
    #[arg(short, long)]
    pub quiet: bool,

    #[command(flatten)]
    pub messages: MessageFlags,

    #[command(flatten)]
    pub privacy: Privacy,

    /// Write each row as soon as it is found; only with --no-groups
    #[arg(long, requires = "no_groups", hide_short_help = true)]
    pub line_buffered: bool,
}

/// What is read.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Input")]
pub(super) struct CatalogInput {
    /// Read every input as FORMAT: that of a catalogue, csv, tsv or jsonl
    ///
    /// auto (default): by content; what is no catalogue is a table. marc is ISO 2709.
    #[arg(short, long, value_name = "FORMAT", default_value = AUTO,
          value_parser = format_names(|format| format.records.is_some()),
          hide_default_value = true)]
    pub input_format: String,

    /// Threads (default: all cores); the output is the same for every N
    #[arg(short = 'j', long, value_name = "N")]
    pub threads: Option<usize>,

    #[command(flatten)]
    pub memory: MemoryFlags,

    /// Read compressed inputs as they are
    #[arg(long, hide_short_help = true)]
    pub no_decompress: bool,

    /// The name of standard input in rows and messages
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub label: Option<String>,

    /// Read every input as UTF-16, also without a byte-order mark
    #[arg(long, hide_short_help = true)]
    pub utf16: bool,

    #[command(flatten)]
    pub walk: WalkFlags,
}

/// What is checked.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Checks")]
pub(super) struct CheckFlags {
    /// Only rows with one of these problems, comma-separated
    ///
    /// By default rows with any problem. Information alone, such as an archived copy, is
    /// printed, too, but leaves the exit code 0.
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    pub problem: Vec<String>,

    /// Print how often each problem occurs: code, severity, count, words
    #[arg(long)]
    pub summary: bool,
}
