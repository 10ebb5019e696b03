//! Flags, what they mean on this machine, and builders: three steps, one file
//! each, then one file per command. Exit codes and messages are made here; the
//! library has never heard of a flag and never prints.

mod args;
mod extract;
mod messages;
mod plan;
mod select;
mod signals;
mod stats;

use clap::Parser;
use std::process::ExitCode;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let args = args::Args::parse();
    let args::Command::Extract(extract_args) = args.command();
    match plan::Plan::new(extract_args) {
        Ok(plan) => extract::run(plan),
        Err(message) => {
            messages::usage(&message);
            ExitCode::from(2)
        }
    }
}
