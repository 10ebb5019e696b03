//! The commands, each with its flags and what they mean on this machine. Rooms have what
//! several commands share: flags, inputs, destinations, messages. Exit codes and messages
//! are made here; the library knows no flags and never prints.

mod args;
mod catalog;
mod decompressed;
mod destination;
mod explain;
mod flags;
mod formats;
mod generate;
mod help;
mod indicator_lists;
mod inputs;
mod journal;
mod known;
mod lists;
mod merge;
mod names;
mod report;
mod resolve;
mod search;
mod seen;
mod shard;
mod signals;
mod stream;
mod suggest;

use clap::Parser;
use lists::{dedup, normalize};
use report::printable::printable;
use report::stdout::printed;
use report::{messages, panics, stderr};
use search::{extract, links, report as reports};
use std::process::ExitCode;
use stream::{enrich, rewrite};

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    panics::reported(run)
}

fn run() -> ExitCode {
    let typed = args::joined(std::env::args_os());
    let args = match args::Args::try_parse_from(&typed) {
        Ok(args) => args,
        // Help and version.
        Err(error) if !error.use_stderr() => return printed(help::print(&error)),
        Err(error) => {
            // Line breaks in an argument must differ from those of the message.
            let shown = typed.iter().map(|arg| printable(arg.as_encoded_bytes()));
            let error = args::Args::try_parse_from(shown).err().unwrap_or(error);
            return messages::refused(&error, suggest::tip(&error, &typed));
        }
    };
    if let Some(name) = &args.generate {
        return printed(generate::print(name));
    }
    match args.command() {
        args::Command::Extract(args) => find(*args.0),
        args::Command::Normalize(args) => normalize::run(args.0),
        args::Command::Dedup(args) => dedup::run(args.0),
        args::Command::Merge(args) => merge::run(args.0),
        args::Command::Explain(args) => explain::run(args.0),
        args::Command::Resolve(args) => resolve::run(args.0),
        args::Command::Enrich(args) => enrich::run(*args.0),
        args::Command::Rewrite(args) => rewrite::run(*args.0),
        args::Command::Links(args) => links::run(*args.0),
        args::Command::Report(args) => reports::run(*args.0),
        args::Command::Seen(args) => seen::run(*args),
        args::Command::Catalog(args) => catalog::run(*args),
        args::Command::Formats(args) => printed(formats::print(&args)),
        args::Command::Help(args) => help_of(args.command.as_deref()),
    }
}

/// Runs `extract`. A file name that looks like a mistyped command is reported.
fn find(args: extract::Extract) -> ExitCode {
    let meant = args.uris.search.input.files.files.iter().find_map(|word| {
        let name = suggest::command(word)?;
        Some((printable(word.as_os_str().as_encoded_bytes()), name))
    });
    if let Some((word, name)) = meant {
        let place = "a command must be the first word";
        match args.uris.search.input.files.files.len() {
            1 => {
                return messages::usage(&format!(
                    "{word}: no such file; did you mean the command '{name}'? ({place})"
                ));
            }
            _ if args.output.report.quiet || args.output.report.messages.silence.no_messages => {}
            _ => stderr::say(format_args!(
                "{word}: did you mean the command '{name}'? ({place})"
            )),
        }
    }
    extract::run(args)
}

/// Prints the help of a command, or that of the program.
fn help_of(command: Option<&str>) -> ExitCode {
    if let Some(name) = command
        && !suggest::commands().iter().any(|known| known == name)
    {
        let shown = printable(name.as_bytes());
        let meant = match suggest::command(std::path::Path::new(name)) {
            Some(meant) => format!("did you mean the command '{meant}'?"),
            None => "urisieve help lists them".to_owned(),
        };
        return messages::usage(&format!("help: there is no command '{shown}'; {meant}"));
    }
    let typed = ["urisieve"].into_iter().chain(command).chain(["--help"]);
    match args::Args::try_parse_from(typed) {
        Ok(_) => ExitCode::SUCCESS,
        Err(asked) => printed(help::print(&asked)),
    }
}
