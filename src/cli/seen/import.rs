//! The command `seen import`: adds lines to a store without printing them. It reads what `dedup`
//! reads; an export with its columns restores its commits.

use super::restore;
use super::settings::{StoredKeys, flags_of, shown};
use crate::cli::flags::{AgainstFlag, SeenFlags, SplitFlag};
use crate::cli::lists::list::{ListFlags, Rows, Writing};
use crate::cli::lists::normalize::exit_code;
use crate::cli::lists::value::ValueFlags;
use crate::cli::report::messages;
use std::path::PathBuf;
use std::process::ExitCode;
use urisieve::item::{Finding, Spelling};
use urisieve::store::seen::SeenReader;
use urisieve::{Mode, Sieve};

/// Add lines to a store without printing them
///
/// Reads what `dedup` reads. A new store has the rules of equality that are named; one that
/// is there keeps its own. What an export with -f jsonl printed keeps its commits in a new
/// store.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES, mut_arg("output", |arg| arg.hide(true)))]
pub(in crate::cli) struct ImportSeen {
    /// The store, which is made if it is missing
    #[arg(value_name = "STORE")]
    store: PathBuf,

    #[command(flatten)]
    value: ValueFlags,

    /// Wait so long for a run that writes to the store (0)
    #[arg(long, value_name = "SECONDS")]
    wait: Option<u64>,

    /// A note in the store, beside what is added
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,

    #[command(flatten)]
    list: ListFlags,
}

const EXAMPLES: &str = "\
Examples:
  A store of all that was ever fetched
      urisieve seen import -L scheme seen.store fetched-*.txt.gz
  The same URIs by other rules
      urisieve seen export seen.store | urisieve seen import -L scheme new.store
  A copy with its times
      urisieve seen export -f jsonl -o seen.jsonl seen.store
      urisieve seen import copy.store seen.jsonl

Exit codes: 0 something added, 1 nothing added, 2 an error.";

/// Prints nothing.
struct Nothing;

impl Writing for Nothing {
    fn again(&self) -> Box<dyn Writing> {
        Box::new(Nothing)
    }

    fn record(&mut self, _: &Finding, _: &mut Vec<u8>) {}

    fn group(&mut self, _: &Finding, _: &[Spelling], _: &mut Vec<u8>) {}

    /// Nobody waits for a line.
    fn is_late(&self) -> bool {
        true
    }
}

/// Runs the command.
pub(super) fn run(mut args: ImportSeen) -> ExitCode {
    if args.list.names_output() {
        return messages::usage("-o: seen import prints nothing; seen export does");
    }
    let wait = args.wait.unwrap_or_default();
    let typed = match args.list.key_settings(&StoredKeys::Uri) {
        Ok(typed) => typed,
        Err(message) => return messages::usage(&message),
    };
    if SeenReader::is_at(&args.store) {
        let open = match SeenReader::open(&args.store, 0) {
            Ok(open) => open,
            Err(error) => return messages::usage(&error.to_string()),
        };
        // Rules that are not named are those of the store.
        if args.list.names_no_rules() {
            let resolvers = args.list.resolvers();
            args.list.set_rules(flags_of(open.settings(), &resolvers));
        }
    }
    let (layout, rows) = match args.value.layout(&args.list.line_end, false) {
        Ok(layout) => layout,
        Err(message) => return messages::usage(&message),
    };
    // Columns and members that are named are those of a list.
    let is_lines = rows == Rows::Lines;
    let restored = is_lines
        .then(|| restore::restored(&args.store, args.list.files(), &typed, wait))
        .transpose();
    match restored.map(Option::flatten) {
        Ok(None) => {}
        Ok(Some(code)) => return code,
        Err(message) => return messages::usage(&message),
    }
    let (layout, rows, column) = match args.list.of_tables((layout, rows)) {
        Ok(read_as) => read_as,
        Err(message) => return messages::usage(&message),
    };
    let names = args.list.names();
    let sieve = Sieve::builder().list(layout).mode(Mode::Distinct);
    let seen = SeenFlags::of(args.store.clone(), wait, args.note);
    let (wants_stats, known) = (args.list.stats.stats, AgainstFlag::default());
    let ran = args.list.run(
        sieve,
        rows,
        (known, seen, SplitFlag::default(), column),
        names,
        Box::new(Nothing),
    );
    match ran {
        Ok(ran) => exit_code(&ran, wants_stats, |ran| {
            let added = ran.result.as_ref().is_ok_and(|stats| stats.distinct > 0);
            u8::from(!added)
        }),
        Err(message) => {
            messages::usage(&message.replace("--seen ", &format!("{}: ", shown(&args.store))))
        }
    }
}
