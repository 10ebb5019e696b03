//! The flags of stores of seen URIs.

use std::path::PathBuf;
use std::time::Duration;

/// The store that remembers what is printed.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct SeenFlags {
    /// Leave out what is in STORE, and remember there what is printed
    ///
    /// STORE is a directory, which is made if it is missing. It is changed once, when all
    /// was printed: after an error, and when nobody reads any more, it is as before. Only
    /// runs with the same rules of equality share it. One run at a time may write to it.
    #[arg(
        long,
        value_name = "STORE",
        help_heading = "Input",
        hide_short_help = true
    )]
    pub seen: Option<PathBuf>,

    /// Wait so long for another run that writes to the store of --seen (0)
    #[arg(
        long,
        value_name = "SECONDS",
        help_heading = "Input",
        requires = "seen",
        hide_short_help = true
    )]
    wait: Option<u64>,

    /// A note in the store of --seen, beside what this run adds
    #[arg(
        long,
        value_name = "TEXT",
        help_heading = "Input",
        requires = "seen",
        hide_short_help = true
    )]
    pub note: Option<String>,
}

impl SeenFlags {
    /// Those that name a store, with the number of seconds that are waited, and a note.
    pub(in crate::cli) fn of(store: PathBuf, wait: u64, note: Option<String>) -> SeenFlags {
        SeenFlags {
            seen: Some(store),
            wait: Some(wait),
            note,
        }
    }

    /// How long a run waits for another one.
    pub(in crate::cli) fn wait(&self) -> Duration {
        Duration::from_secs(self.wait.unwrap_or_default())
    }
}
