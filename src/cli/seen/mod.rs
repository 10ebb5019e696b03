//! Stores of seen URIs on the command line: what a run leaves out and remembers, by `--seen` and
//! `--against`, and the command `seen`.

mod check;
mod commands;
mod export;
mod import;
pub(super) mod pace;
pub(super) mod remembered;
mod restore;
pub(super) mod settings;
mod stats;
mod upkeep;

pub(super) use commands::{SeenCommand, run};
