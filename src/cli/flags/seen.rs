//! The flags of stores of seen URIs.

use std::path::PathBuf;
use std::time::Duration;

/// The store that remembers what is printed.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct StoreFlags {
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

    /// Commit to the store of --seen every TIME (30s, 5m, 1h), not only at the end
    ///
    /// URIs that are printed and flushed are remembered, also while the input pauses; a kill loses
    /// nothing else. For input that does not end: memory stays within its limit, and what is
    /// printed does not wait for the end. -o DIR/{}.txt writes a file for each commit, named by
    /// its number, before it. Not with -o of one file, -c, --groups, --sort and --unordered,
    /// nor beside a FILE of --against that is not a store.
    #[arg(
        long,
        value_name = "TIME",
        help_heading = "Input",
        requires = "seen",
        hide_short_help = true
    )]
    commit_every: Option<String>,
}

/// The store, and the journal of its inputs.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct SeenFlags {
    #[command(flatten)]
    pub store: StoreFlags,

    /// Note in FILE which inputs are done, and skip those that a run before noted there
    ///
    /// An input is noted after all of it was delivered: with --seen at a commit, which is made at
    /// the ends of inputs, a minute apart, or every TIME of --commit-every; with -o DIR/{} when its
    /// file appeared. One that has another size or time since is read again. A run that was killed
    /// is continued by the same command.
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Input",
        hide_short_help = true
    )]
    pub journal: Option<PathBuf>,
}

impl SeenFlags {
    /// Whether the store is committed while the run goes on.
    pub(in crate::cli) fn commits(&self) -> bool {
        self.store.commit_every.is_some() || self.store.seen.is_some() && self.journal.is_some()
    }

    /// The flag by which the store is committed while the run goes on.
    pub(in crate::cli) fn committing(&self) -> &'static str {
        match self.store.commit_every {
            Some(_) => "--commit-every",
            None => "--journal",
        }
    }

    /// Those that name a store, with the number of seconds that are waited, and a note.
    pub(in crate::cli) fn of(store: PathBuf, wait: u64, note: Option<String>) -> SeenFlags {
        SeenFlags {
            store: StoreFlags {
                seen: Some(store),
                wait: Some(wait),
                note,
                commit_every: None,
            },
            journal: None,
        }
    }
}

impl StoreFlags {
    /// Whether the store is committed every so often.
    pub(in crate::cli) fn is_paced(&self) -> bool {
        self.commit_every.is_some()
    }

    /// How often is committed, if not only at the end.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn commit_every(&self) -> Result<Option<Duration>, String> {
        let Some(text) = &self.commit_every else {
            return Ok(None);
        };
        let units = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)];
        let read = units.iter().find_map(|(unit, seconds)| {
            let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
            number.checked_mul(*seconds)
        });
        match read.or_else(|| text.parse().ok()) {
            Some(seconds @ 1..) => Ok(Some(Duration::from_secs(seconds))),
            _ => Err(format!(
                "--commit-every: {text:?} is not a time; write 30s, 5m or 1h"
            )),
        }
    }

    /// How long a run waits for another one.
    pub(in crate::cli) fn wait(&self) -> Duration {
        Duration::from_secs(self.wait.unwrap_or_default())
    }
}
