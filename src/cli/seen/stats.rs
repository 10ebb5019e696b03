//! The command `seen stats`: the numbers and the settings of a store.

use super::settings::time_of;
use crate::cli::report::messages;
use crate::cli::report::stdout::{print_lines, printed};
use serde_json::{Map, Value};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use urisieve::store::seen::{SeenError, SeenReader};

/// Print the numbers and the settings of a store
///
/// memory is the --max-memory with which a run asks the store without reading more than it
/// must; mergeable the number of runs that `seen compact` would save.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct StatsSeen {
    /// The store
    #[arg(value_name = "STORE")]
    store: PathBuf,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(super) fn run(args: StatsSeen) -> ExitCode {
    match print(&args) {
        Ok(text) => printed(print_lines(text.as_bytes())),
        Err(error) => messages::usage(&error.to_string()),
    }
}

fn print(args: &StatsSeen) -> Result<String, SeenError> {
    let open = SeenReader::open(&args.store, 0)?;
    let stats = open.stats();
    let numbers = [
        ("keys", stats.keys),
        ("key_bytes", stats.key_bytes),
        ("commits", stats.commits),
        ("runs", stats.runs),
        ("bytes", stats.bytes),
        ("filter_bytes", stats.filter_bytes),
        ("memory", stats.limit()),
        ("mergeable", stats.mergeable),
    ];
    let last = (stats.commits > 0).then(|| time_of(stats.time));
    if args.json {
        let mut object = Map::new();
        for (name, number) in numbers {
            object.insert(name.to_owned(), Value::from(number));
        }
        object.insert("last_commit".to_owned(), Value::from(last));
        let settings = open.settings().iter();
        let settings = settings.map(|(name, value)| (name.clone(), Value::from(value.clone())));
        object.insert("settings".to_owned(), Value::Object(settings.collect()));
        return Ok(format!("{}\n", Value::Object(object)));
    }
    let mut text = String::new();
    // Writing to memory does not fail.
    for (name, number) in numbers {
        let _ = writeln!(text, "{name}\t{number}");
    }
    if let Some(last) = last {
        let _ = writeln!(text, "last_commit\t{last}");
    }
    for (name, value) in open.settings() {
        let _ = writeln!(text, "set {name}\t{value}");
    }
    Ok(text)
}
