//! The flags of `catalog fix`, as they were typed.

use super::flags::{CatalogInput, FieldFlag, IdColumnFlag, StatusesFlag};
use crate::cli::flags::{MessageFlags, PathFlag, worded, worded_first};
use std::path::PathBuf;

/// The arguments of `catalog fix`.
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("fields", |arg| worded(arg, FIELDS, FIELDS_DEFAULT)),
    mut_arg("statuses", |arg| worded(arg, STATUSES, "").requires("only")),
    mut_arg("id_column", |arg| worded(arg, ID_COLUMN, "")),
    mut_arg("output", |arg| worded_first(arg, REFUSED)),
    mut_arg("stats", |arg| worded(arg, "Print statistics to standard error", ""))
)]
pub(super) struct CatalogFix {
    /// Repair only these problems, comma-separated
    ///
    /// The codes are those of `urisieve formats`, kind check, that may be repaired without a
    /// person.
    #[arg(long, value_name = "CODES", help_heading = "Repairs")]
    pub only: Option<String>,

    /// Change what TABLE says: a table of list or check, with its column suggestion edited
    ///
    /// CSV, TSV or JSON Lines, also as a spreadsheet saved it: zeros that it took from tags
    /// and numbers, and dates that it made of numbers, are known where one value fits. A
    /// single input may have another name. A value is changed where the suggestion is not
    /// empty and differs from the original. Needed are the columns file, record_no, tag,
    /// subfield, occurrence, original and suggestion, in any order. A row whose original is
    /// not in the record any more is refused, and so are two rows for one value.
    #[arg(long, value_name = "TABLE", help_heading = "Repairs", conflicts_with_all = ["only", "fields"])]
    pub apply: Option<PathBuf>,

    #[command(flatten, next_help_heading = "Repairs")]
    pub statuses: StatusesFlag,

    #[command(flatten, next_help_heading = "Repairs")]
    pub fields: FieldFlag,

    #[command(flatten)]
    pub id_column: IdColumnFlag,

    #[command(flatten, next_help_heading = "Output")]
    pub output: PathFlag,

    /// Change the files themselves, and keep each old one as FILE.bak, or with SUFFIX
    ///
    /// A * in SUFFIX is the name of the file. An older backup is kept: the next one is
    /// FILE.bak.1. A file is replaced when its new content is complete; one in which nothing
    /// changes is left alone. Files with gzip or zstd are compressed again; other compressions
    /// and archives are left as they are, and so are files that could not be read to their
    /// end.
    #[arg(long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true,
          default_missing_value = ".bak", conflicts_with = "output", help_heading = "Output")]
    pub in_place: Option<String>,

    /// Print what would change, and write nothing
    #[arg(long, conflicts_with_all = ["output", "in_place"], help_heading = "Output")]
    pub dry_run: bool,

    /// Write each change and refusal to FILE, as CSV
    ///
    /// Columns: file, record_no, record_id, tag, occurrence, subfield, before, after, code,
    /// refused. FILE appears together with that of -o.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub log: Option<PathBuf>,

    /// Do not say how much was changed; what could not be changed is said
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,

    #[command(flatten)]
    pub messages: MessageFlags,

    #[command(flatten)]
    pub input: CatalogInput,
}

const FIELDS: &str = "Repair only these fields: 856[4_]ugzx,024a,*u";
const FIELDS_DEFAULT: &str = "By default the fields of `urisieve formats`, kind field.";
const STATUSES: &str =
    "With --only moved, the new addresses of links: a table with url, status and location";
const ID_COLUMN: &str =
    "The column of tables that identifies the record: its name, or its number from 1";
const REFUSED: &str = "\
A record that is refused or damaged is written as it is. Several inputs need --in-place.";
