//! The command `seen`: its subcommands, and what they share.

use super::check::{self, CheckSeen};
use super::export::{self, ExportSeen};
use super::import::{self, ImportSeen};
use super::stats::{self, StatsSeen};
use super::upkeep::{self, CompactSeen, MergeSeen, RemoveSeen, VerifySeen};
use crate::cli::flags::DefinedLate;
use clap::Subcommand;
use std::process::ExitCode;

/// Look into stores of --seen, and change them
///
/// A store is a directory that remembers the URIs that runs with --seen STORE have printed.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct SeenCommand {
    #[command(subcommand)]
    command: SeenSubcommand,
}

#[derive(Debug, Subcommand)]
enum SeenSubcommand {
    /// Print the numbers and the settings of a store
    Stats(DefinedLate<StatsSeen>),
    /// Print of each line whether a store has it, and since when
    Check(DefinedLate<CheckSeen>),
    /// Print what a store has, in byte order
    Export(DefinedLate<ExportSeen>),
    /// Add lines to a store without printing them
    Import(DefinedLate<Box<ImportSeen>>),
    /// Write what several stores have into a new one
    Merge(DefinedLate<MergeSeen>),
    /// Remove URIs from a store, which are new then
    Remove(DefinedLate<RemoveSeen>),
    /// Write a store anew, in one run
    Compact(DefinedLate<CompactSeen>),
    /// Read all of a store, and report what is damaged
    Verify(DefinedLate<VerifySeen>),
}

/// Runs the command.
pub(in crate::cli) fn run(args: SeenCommand) -> ExitCode {
    match args.command {
        SeenSubcommand::Stats(args) => stats::run(args.0),
        SeenSubcommand::Check(args) => check::run(args.0),
        SeenSubcommand::Export(args) => export::run(args.0),
        SeenSubcommand::Import(args) => import::run(*args.0),
        SeenSubcommand::Merge(args) => upkeep::merge(args.0),
        SeenSubcommand::Remove(args) => upkeep::remove(args.0),
        SeenSubcommand::Compact(args) => upkeep::compact(args.0),
        SeenSubcommand::Verify(args) => upkeep::verify(args.0),
    }
}
