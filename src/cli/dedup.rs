//! The command `dedup`: one URI a line (or a value of each record), the first of
//! each class.

use super::list::{ListFlags, Writing};
use super::messages;
use super::normalize::exit_code;
use std::path::PathBuf;
use std::process::ExitCode;
use urisieve::decode::Layout;
use urisieve::engine::{Mode, Sieve};
use urisieve::item::{Finding, Spelling};

/// Print the first line of each class of equal URIs, as written
///
/// Blanks around a line are left out. Nothing is extracted: a line that is no URI
/// is a class of its own, and is counted.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Dedup {
    /// Leave out what equals a line of FILE; may be repeated
    ///
    /// FILE is a list, one URI a line, also with --csv-column and --field.
    #[arg(long, value_name = "FILE")]
    against: Vec<PathBuf>,

    /// Print each class with its spellings and their counts
    #[arg(long)]
    groups: bool,

    /// Print canonical forms, not lines as written
    #[arg(long)]
    canonical: bool,

    /// Read CSV: the URI is in the column with this name, or this number from 1
    ///
    /// With a name the first record of each input names the columns and is passed
    /// on. The whole record is printed as it is.
    #[arg(long, value_name = "NAME|N", conflicts_with = "field")]
    csv_column: Option<String>,

    /// Read JSON Lines: the URI is the string at this JSON pointer, like /http/url
    #[arg(long, value_name = "POINTER")]
    field: Option<String>,

    #[command(flatten)]
    list: ListFlags,
}

const EXAMPLES: &str = "\
Examples:
  Each URL once, as sort -u would not see it
      urisieve dedup -L scheme urls.txt
  New URLs of today
      urisieve dedup today.txt --against yesterday.txt
  The first row of each URL
      urisieve dedup --csv-column url pages.csv

Exit codes: 0 something printed, 1 nothing printed, 2 an error.";

impl Dedup {
    /// # Errors
    /// A message for whoever typed the flags.
    fn layout(&self) -> Result<Layout, String> {
        if let Some(pointer) = &self.field {
            if !pointer.is_empty() && !pointer.starts_with('/') {
                return Err(format!("--field: {pointer:?} must begin with /"));
            }
            return Ok(Layout::Pointer(pointer.clone()));
        }
        Ok(match &self.csv_column {
            None => Layout::Lines,
            Some(column) => match column.parse::<usize>() {
                Ok(0) => return Err("--csv-column: columns are counted from 1".to_owned()),
                Ok(number) => Layout::CsvColumn(number - 1),
                Err(_) => Layout::CsvName(column.clone()),
            },
        })
    }
}

struct First {
    canonical: bool,
}

impl Writing for First {
    fn record(&mut self, finding: &Finding, is_uri: bool, out: &mut Vec<u8>) {
        let original = match is_uri {
            true => finding.original,
            false => finding.original.trim_ascii(),
        };
        out.extend_from_slice(match self.canonical {
            true => finding.uri,
            false => original,
        });
        out.push(b'\n');
    }

    fn group(&mut self, class: &Finding, spellings: &[Spelling], out: &mut Vec<u8>) {
        let mut line = |start: &str, count: u64, text: &[u8]| {
            out.extend_from_slice(format!("{start}{count}\t").as_bytes());
            out.extend_from_slice(text);
            out.push(b'\n');
        };
        line("", class.count.unwrap_or_default(), class.uri);
        for spelling in spellings {
            line("\t", spelling.count, spelling.text);
        }
    }
}

/// Runs the command.
pub(super) fn run(args: Dedup) -> ExitCode {
    let layout = match args.layout() {
        Ok(layout) => layout,
        Err(message) => return messages::usage(&message),
    };
    let sieve = Sieve::builder()
        .list(layout)
        .originals(true)
        .lines(!args.groups);
    let sieve = match args.groups {
        true => sieve.mode(Mode::Groups),
        false => sieve.mode(Mode::Distinct),
    };
    let wants_stats = args.list.stats;
    let writing = First {
        canonical: args.canonical,
    };
    match args.list.run(sieve, args.against, writing) {
        Ok(ran) => exit_code(&ran, wants_stats, |ran| {
            let printed = ran.result.as_ref().is_ok_and(|stats| stats.distinct > 0);
            u8::from(!printed)
        }),
        Err(message) => messages::usage(&message),
    }
}
