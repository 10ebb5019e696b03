//! The flags of `catalog list` and `catalog check`, as they were typed.

use crate::cli::flags::equivalence::Equivalence;
use crate::cli::flags::memory::ResourceFlags;
use crate::cli::flags::privacy::Privacy;
use crate::cli::flags::{
    AUTO, DecompressFlag, FileFlags, FormatFlags, LineBufferedFlag, MessageFlags, PathFlag,
    TextFlags, format_names, worded, worded_first,
};
use std::path::PathBuf;
use urisieve::catalog::FieldChoice;
use urisieve::decode::TableColumn;

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

/// The fields and columns that are listed of a record.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Fields")]
pub(super) struct CatalogFieldFlags {
    #[command(flatten)]
    pub fields: FieldFlag,

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

    #[command(flatten)]
    pub id_column: IdColumnFlag,
}

/// How rows are written.
#[derive(Debug, clap::Args)]
#[command(
    next_help_heading = "Output",
    mut_arg("json", |arg| worded(arg, "Print JSON Lines; the same as -f jsonl", "")),
    mut_arg("format", |arg| worded(arg, FORMATS, "")),
    mut_arg("output", |arg| worded_first(arg, EXTENSIONS)),
    mut_arg("line_buffered", |arg| worded(arg, PACE, "").requires("no_groups"))
)]
pub(super) struct CatalogOutput {
    #[command(flatten)]
    pub format: FormatFlags,

    #[command(flatten)]
    pub output: PathFlag,

    /// Write a workbook whose cells are texts, which spreadsheets leave as they are
    ///
    /// The same as -o NAME.xlsx. `catalog fix --apply` reads the table that is saved from it as
    /// CSV.
    #[arg(long)]
    xlsx: bool,

    /// Do not compare the identifiers of different records: print rows as they are found
    ///
    /// By default rows are printed when all inputs are read, with the number, the size and
    /// the reasons of their group of equal identifiers, and case-differs is found. Equal
    /// are identifiers at level scheme, with resolvers unwrapped and ISBN-10 as ISBN-13.
    /// Rows for which there is no memory wait in a temporary file.
    #[arg(long)]
    pub no_groups: bool,

    /// Print nothing; list ends at the first row, check at the first error or warning
    #[arg(short, long, conflicts_with = "output")]
    pub quiet: bool,

    #[command(flatten)]
    pub messages: MessageFlags,

    #[command(flatten)]
    pub privacy: Privacy,

    #[command(flatten)]
    pub pace: LineBufferedFlag,
}

impl CatalogOutput {
    /// Whether a workbook is written.
    pub(super) fn is_workbook(&self) -> bool {
        let extension = self.output.path().and_then(|path| path.extension());
        self.xlsx || extension.is_some_and(|extension| extension.eq_ignore_ascii_case("xlsx"))
    }
}

const FORMATS: &str = "csv, tsv, jsonl or parquet [default: by the extension of -o, else csv]";
const EXTENSIONS: &str = ".csv, .tsv, .jsonl, .parquet and .xlsx choose the format.";
const PACE: &str = "Write each row as soon as it is found; only with --no-groups";

/// The inputs, and how they are read.
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

    #[command(flatten)]
    pub resources: ResourceFlags,

    #[command(flatten)]
    pub decompress: DecompressFlag,

    #[command(flatten)]
    pub text: TextFlags,

    #[command(flatten)]
    pub files: FileFlags,
}

/// Which fields of a record count.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct FieldFlag {
    /// Only these fields: 856[4_]ugzx,024a,*u
    ///
    /// A tag, with X for any digit, or * for every field; two indicators in brackets, _ for
    /// a blank and . for any; codes of subfields, none for all. An element of MODS or Dublin
    /// Core is named by its path, a column of a table by its header. Of fields that usually
    /// hold no identifiers, values are listed that are URIs as a whole; NAME=KIND says what
    /// all values should be: uri, urn, doi, isbn, issn, handle, number (ISBN or ISSN). By
    /// default the fields of `urisieve formats`, kind field.
    #[arg(long, value_name = "LIST")]
    fields: Option<String>,
}

/// The column that identifies the records of tables.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct IdColumnFlag {
    /// The column of tables that identifies the record: its name, or its number from 1
    ///
    /// Rows with the same identifier that follow each other are one record. A table
    /// without the column is an error.
    #[arg(long, value_name = "NAME|N")]
    id_column: Option<String>,
}

/// The answers of servers for links.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct StatusesFlag {
    /// Find dead-link and moved by TABLE, which another program made: url, status, location
    ///
    /// CSV, TSV or JSON Lines, with a row for each link. 404, 410 and `no such host` are dead; 301
    /// and 308 have moved to location. No server is asked.
    #[arg(long, value_name = "TABLE")]
    pub statuses: Option<PathBuf>,
}

impl FieldFlag {
    /// # Errors
    /// A message that names the flag.
    pub(super) fn choice(&self) -> Result<FieldChoice, String> {
        let fields = self.fields.as_deref().unwrap_or_default();
        FieldChoice::parse(fields).map_err(|error| format!("--fields: {error}"))
    }
}

impl IdColumnFlag {
    /// Returns the column, if it is named.
    pub(super) fn column(&self) -> Option<TableColumn> {
        self.id_column.as_deref().map(TableColumn::parse)
    }
}

/// The checks, and whether they are only counted.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Checks")]
pub(super) struct CheckFlags {
    /// Only rows with one of these problems, comma-separated
    ///
    /// By default rows with any problem. Information alone, such as an archived copy, is
    /// printed, too, but leaves the exit code 0.
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    pub problem: Vec<String>,

    #[command(flatten)]
    pub statuses: StatusesFlag,

    /// Print how often each problem occurs: code, severity, count, words
    #[arg(long)]
    pub summary: bool,

    /// Print how often each problem occurs for each host, tag or field: host, tag, 852b
    ///
    /// Of a field, such as that of the library which holds the item (852b, 952a), all values
    /// of the record are one. Identifiers of different records are not compared.
    #[arg(long, value_name = "KEY", requires = "summary")]
    pub by: Option<String>,
}
