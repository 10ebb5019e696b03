//! All arguments of `extract`: its own groups of flags and those that commands share.

use super::equivalence::Equivalence;
use super::flags::{InputFlags, OutputFlags, RuleFlags, Selection};
use super::habits::Habits;

/// The flags of `extract`.
#[derive(Debug, clap::Args)]
pub(super) struct Extract {
    #[command(flatten)]
    pub output: OutputFlags,

    #[command(flatten)]
    pub habits: Habits,

    #[command(flatten)]
    pub equivalence: Equivalence,

    #[command(flatten)]
    pub selection: Selection,

    #[command(flatten)]
    pub input: InputFlags,

    #[command(flatten)]
    pub rules: RuleFlags,
}
