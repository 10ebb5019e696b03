//! The command `catalog`: what its subcommands are, and their flags.

mod fix;
mod fix_flags;
mod fix_log;
mod fix_output;
mod fix_table;
mod fix_work;
mod flags;
mod grouping;
mod private;
mod reading;
mod run;
mod sheets;
mod statuses;
mod summary;
mod tally;
mod work;

use crate::cli::flags::DefinedLate;
use clap::Subcommand;
use flags::{CatalogFlags, CheckFlags};
use std::process::ExitCode;

/// List, check and repair the identifiers and links of library catalogues
///
/// MARC 21 and UNIMARC (ISO 2709, MARCXML, MARCBreaker), PICA+, MODS, Dublin Core, and
/// tables: CSV, TSV, JSON Lines. Each is recognised by its content, compressed and in tar
/// archives, too. A record that is damaged is named, and the run continues.
#[derive(Debug, clap::Args)]
pub(super) struct Catalog {
    #[command(subcommand)]
    command: CatalogCommand,
}

#[derive(Debug, Subcommand)]
enum CatalogCommand {
    /// List every identifier and link: a row for each
    #[command(after_long_help = LIST_EXAMPLES)]
    List(DefinedLate<Box<CatalogList>>),
    /// List what is wrong, in words, and how it would be right
    #[command(after_long_help = CHECK_EXAMPLES)]
    Check(DefinedLate<Box<CatalogCheck>>),
    /// Repair what is wrong, and leave every other byte as it is
    #[command(after_long_help = FIX_EXAMPLES)]
    Fix(DefinedLate<Box<fix_flags::CatalogFix>>),
}

/// The arguments of `catalog list`.
#[derive(Debug, clap::Args)]
struct CatalogList {
    #[command(flatten)]
    flags: CatalogFlags,
}

/// The arguments of `catalog check`.
#[derive(Debug, clap::Args)]
struct CatalogCheck {
    #[command(flatten)]
    check: CheckFlags,

    #[command(flatten)]
    flags: CatalogFlags,
}

const LIST_EXAMPLES: &str = "\
Examples:
  Every identifier and link of a catalogue, for a spreadsheet
      urisieve catalog list --excel -o links.csv catalogue.mrc
  Only the links, with the library that holds the item
      urisieve catalog list --fields 856u --with 852b catalogue.mrc
  ISBNs, ISSNs and DOIs as URNs and URIs
      urisieve catalog list --make-urn catalogue.xml
  The links of a table
      urisieve catalog list --id-column id --fields link titles.csv

The columns are those of `urisieve formats`, kind row.

Exit codes: 0 something listed, 1 nothing, 2 an error, also when only a part of
the input could not be read: everything else is still listed; 130 interrupted,
143 terminated.";

const CHECK_EXAMPLES: &str = "\
Examples:
  What is wrong, for a spreadsheet
      urisieve catalog check --excel -o wrong.csv catalogue.mrc
  How often each problem occurs
      urisieve catalog check --summary catalogue.mrc
  Only links that have a blank or lack a colon
      urisieve catalog check --problem blank-inside,missing-colon catalogue.mrc

The codes are those of `urisieve formats`, kind check.

Exit codes: 0 nothing is wrong, 1 an error or a warning was found, 2 an error, also
when only a part of the input could not be read: everything else is still
checked; 130 interrupted, 143 terminated.";

const FIX_EXAMPLES: &str = "\
Examples:
  What would change, without writing anything
      urisieve catalog fix --only trailing-punct,missing-colon --dry-run a.mrc
  A repaired copy, and a table of what was changed
      urisieve catalog fix --only missing-colon --log log.csv -o b.mrc a.mrc
  The files themselves, with a.mrc.orig and so on as backups
      urisieve catalog fix --only control-char --in-place=.orig *.mrc
  What a person decided in a spreadsheet, in the column suggestion
      urisieve catalog check --excel -o wrong.csv a.mrc
      urisieve catalog fix --apply wrong.csv -o b.mrc a.mrc

The codes are those of `urisieve formats`, kind check, that may be repaired.

Exit codes: 0 done, also when nothing was to be changed, 2 an error, a refused
change or a damaged record: everything else is still written; 130 interrupted,
143 terminated.";

/// Runs the command.
pub(super) fn run(args: Catalog) -> ExitCode {
    match args.command {
        CatalogCommand::List(list) => run::run(list.0.flags, None),
        CatalogCommand::Fix(fix) => fix::run(*fix.0),
        CatalogCommand::Check(check) => {
            let CatalogCheck { check, flags } = *check.0;
            run::run(flags, Some(check))
        }
    }
}
