//! All that `extract` takes: its own groups of flags and those that it shares.

use super::equivalence::Equivalence;
use super::flags::{Input, Output, Rules, Selection};
use super::habits::Habits;
use std::path::PathBuf;

/// The flags of `extract`.
#[derive(Debug, clap::Args)]
pub(super) struct Extract {
    /// Files and directories; none or - is standard input
    ///
    /// A directory is walked whole, in byte order of the paths; hidden files are
    /// passed over.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub output: Output,

    #[command(flatten)]
    pub habits: Habits,

    #[command(flatten)]
    pub equivalence: Equivalence,

    #[command(flatten)]
    pub selection: Selection,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub rules: Rules,
}
