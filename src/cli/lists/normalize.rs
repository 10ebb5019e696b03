//! The command `normalize`: reads one URI a line, prints its canonical form.

use crate::cli::destination::respell::{self, Surt};
use crate::cli::flags::{AgainstFlag, SeenFlags, SplitFlag, SurtFlag};
use crate::cli::lists::list::{ListFlags, Ran, Rows, Writing};
use crate::cli::lists::value::ValueFlags;
use crate::cli::report::messages;
use crate::cli::report::stats;
use std::process::ExitCode;
use urisieve::item::{Content, Finding};
use urisieve::{Mode, Sieve};

/// Print the canonical form of each line, line by line
///
/// The output has as many lines as the input, in the same order. A line that is not a
/// URI (no scheme, or a blank, a control character, <, > or ", or brackets in the host that
/// are not those of an IP address) is printed unchanged and reported, the first ten one by
/// one; the exit code is then 1. Other problems are counted (--stats). With --csv-column and --field only the value of each record is printed.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(in crate::cli) struct Normalize {
    #[command(flatten)]
    surt: SurtFlag,

    #[command(flatten)]
    value: ValueFlags,

    #[command(flatten)]
    list: ListFlags,
}

const EXAMPLES: &str = "\
Examples:
  Equal URLs as equal lines, tracking parameters left out
      urisieve normalize -L scheme --drop-param @tracking urls.txt
  Keys that sort by host
      urisieve normalize -L scheme --surt urls.txt | LC_ALL=C sort
  Both columns of each row, one a line
      urisieve normalize --csv-column old_url --csv-column new_url moved.csv
  URNs of a catalogue, hyphens and case as their namespaces have them
      urisieve normalize -L scheme urns.txt

Exit codes: 0 every line is a URI, 1 some are not, 2 an error.";

#[derive(Clone, Copy)]
struct CanonicalLines {
    surt: Option<Surt>,
    /// Records are lines.
    lines: bool,
    /// The byte that ends a line.
    end: u8,
}

impl Writing for CanonicalLines {
    fn again(&self) -> Box<dyn Writing> {
        Box::new(*self)
    }

    fn record(&mut self, finding: &Finding, out: &mut Vec<u8>) {
        match (finding.marks.content == Content::Uri, self.surt) {
            (false, _) if finding.marks.content == Content::Header => return,
            (false, _) if self.lines => out.extend_from_slice(finding.original),
            // The value of a record that is not a URI.
            (false, _) => out.extend_from_slice(finding.uri),
            (true, None) => out.extend_from_slice(finding.uri),
            (true, Some(form)) => respell::transform(form)(finding.uri, out),
        }
        out.push(self.end);
    }
}

/// Runs the command.
pub(in crate::cli) fn run(args: Normalize) -> ExitCode {
    let (layout, rows) = match args.value.layout(&args.list.line_end, true) {
        Ok(layout) => layout,
        Err(message) => return messages::usage(&message),
    };
    let (layout, rows, column) = match args.list.of_tables((layout, rows)) {
        Ok(layout) => layout,
        Err(message) => return messages::usage(&message),
    };
    let sieve = Sieve::builder()
        .list(layout)
        .mode(Mode::All)
        .originals(true);
    let wants_stats = args.list.stats.stats;
    let lines = CanonicalLines {
        surt: args.surt.surt,
        lines: rows == Rows::Lines,
        end: args.list.line_end.byte(),
    };
    let names = args.list.names();
    let split = SplitFlag::default();
    let known = (AgainstFlag::default(), SeenFlags::default(), split, column);
    match args
        .list
        .run(sieve, Rows::Lines, known, names, Box::new(lines))
    {
        Ok(ran) => exit_code(&ran, wants_stats, |ran| u8::from(ran.bad > 0)),
        Err(message) => messages::usage(&message),
    }
}

/// Returns the exit code of a run over lists; `good` decides that of a run without
/// errors.
pub(in crate::cli) fn exit_code(
    ran: &Ran,
    wants_stats: bool,
    good: impl Fn(&Ran) -> u8,
) -> ExitCode {
    match &ran.result {
        _ if ran.failed => ExitCode::from(2),
        Err(error) => messages::ended(error),
        // Nobody reads any more.
        Ok(stats) if stats.stopped => ExitCode::SUCCESS,
        Ok(stats) => {
            if wants_stats {
                stats::print_lists(stats, ran.inputs);
            }
            messages::code(ran.lost, ran.interrupted, good(ran))
        }
    }
}
