//! The flags of what is said beside the output, on standard error and in a file.

use crate::cli::destination::OutputNames;
use crate::cli::inputs::Input;
use crate::cli::report::errors_file::ErrorsFile;
use crate::cli::report::messages::Speech;
use crate::cli::report::progress::{self, Manner, ProgressWhen};
use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// The messages on standard error beside the output.
#[derive(Debug, clap::Args)]
#[command(
    next_help_heading = "Output",
    mut_arg("no_messages", |arg| arg.hide_short_help(true)),
    mut_arg("errors", |arg| arg.hide_short_help(true))
)]
pub(in crate::cli) struct MessageFlags {
    #[command(flatten)]
    pub stats: StatsFlag,

    #[command(flatten)]
    pub silence: SilenceFlag,

    /// Report the format of every input, and every loss, not only ten
    #[arg(short, long, hide_short_help = true)]
    verbose: bool,

    #[command(flatten)]
    pub errors: ErrorsFlag,

    /// Show progress on standard error: bytes, rate, what was found, time left
    ///
    /// auto: after a second, when standard error is a terminal and the output is not
    /// written to one. always: also without a terminal, one line a second.
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_short_help = true
    )]
    progress: ProgressWhen,
}

/// Whether numbers are printed at the end.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct StatsFlag {
    /// Print statistics to standard error (as JSON with --json)
    #[arg(long)]
    pub stats: bool,
}

/// Whether nothing is said.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct SilenceFlag {
    /// Print no messages to standard error
    #[arg(long)]
    pub no_messages: bool,
}

impl SilenceFlag {
    /// Returns how many messages are printed.
    pub(in crate::cli) fn speech(&self) -> Speech {
        Speech::new(self.no_messages, false)
    }
}

/// The file of losses.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct ErrorsFlag {
    /// Write every loss and unreadable input to FILE as JSON Lines
    ///
    /// Keys: file, offset (in bytes from the start; absent when the input could not be
    /// opened), kind, cause. Containers that are not unpacked, such as ZIP, have the
    /// kind unseen, which does not change the exit code. FILE appears together with that
    /// of -o, after an interrupt on its own.
    #[arg(long, value_name = "FILE")]
    errors: Option<PathBuf>,
}

impl ErrorsFlag {
    /// Whether the file is named.
    pub(in crate::cli) fn is_named(&self) -> bool {
        self.errors.is_some()
    }

    /// Opens the file, if it is named. The other outputs of the run are `outputs`.
    ///
    /// # Errors
    /// A message that names the flag, when the file is one of `inputs` or another output.
    pub(in crate::cli) fn open(
        &self,
        inputs: impl Iterator<Item = Input>,
        outputs: &mut OutputNames,
    ) -> Result<Option<ErrorsFile>, String> {
        let Some(path) = &self.errors else {
            return Ok(None);
        };
        let place = outputs.take_apart("--errors", path, inputs)?;
        match ErrorsFile::open(place) {
            Ok(file) => Ok(Some(file)),
            Err(error) => Err(format!("--errors {}: {error}", path.display())),
        }
    }
}

impl MessageFlags {
    /// Returns how many messages are printed.
    pub(in crate::cli) fn speech(&self) -> Speech {
        Speech::new(self.silence.no_messages, self.verbose)
    }

    /// Whether hints are given: to a person at a terminal, with `-v` and with `--stats`.
    pub(in crate::cli) fn hints(&self, is_mute: bool) -> bool {
        let is_asked = self.verbose || self.stats.stats;
        let speaks = !is_mute && !self.silence.no_messages;
        speaks && (is_asked || io::stderr().is_terminal())
    }

    /// Returns how progress is shown, if it is: not where the run `is_mute`; `to_terminal`
    /// is whether records are written to a terminal.
    pub(in crate::cli) fn manner(&self, is_mute: bool, to_terminal: bool) -> Option<Manner> {
        match is_mute || self.silence.no_messages {
            true => None,
            false => progress::manner(self.progress, to_terminal),
        }
    }
}
