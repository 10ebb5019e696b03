//! The command line: the command and its flags, which are defined with the command.

use crate::cli::catalog::Catalog;
use crate::cli::explain::Explain;
use crate::cli::flags::{DefinedLate, privacy};
use crate::cli::formats::Formats;
use crate::cli::lists::dedup::Dedup;
use crate::cli::lists::normalize::Normalize;
use crate::cli::merge::MergeLines;
use crate::cli::resolve::Resolve;
use crate::cli::search::extract::Extract;
use crate::cli::search::links::Links;
use crate::cli::search::report::ReportCommand;
use crate::cli::seen::SeenCommand;
use crate::cli::stream::enrich::Enrich;
use crate::cli::stream::rewrite::Rewrite;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use clap_complete::Shell;
use std::ffi::{OsStr, OsString};

/// A program that is slow because it lets tests fail on purpose says so.
const VERSION: &str = match cfg!(feature = "failpoints") {
    true => concat!(env!("CARGO_PKG_VERSION"), " (failpoints)"),
    false => env!("CARGO_PKG_VERSION"),
};

/// Find every URI and URN in any text, and print each class of equal ones once.
#[derive(Debug, Parser)]
#[command(
    version = VERSION,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    override_usage = "urisieve [OPTIONS] [FILE]...\n       urisieve COMMAND [OPTIONS]...",
    after_help = "--help has every option and examples, urisieve help COMMAND those of a command.",
    after_long_help = EXAMPLES
)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Print a manual page or the completions of a shell
    ///
    /// man is the page of urisieve(1), man-dedup that of urisieve-dedup(1), and so on.
    #[arg(long, value_name = "WHAT", value_parser = GeneratedParser, hide_short_help = true)]
    pub generate: Option<String>,
    #[command(flatten)]
    extract: Box<Extract>,
}

const SHELLS: [Shell; 4] = [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell];

/// Reads the name of a page or of completions. The names are asked of the commands only where
/// they are needed, because that takes as long as the start of the program.
#[derive(Clone)]
struct GeneratedParser;

impl TypedValueParser for GeneratedParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        PossibleValuesParser::new(generated()).parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(generated().into_iter().map(PossibleValue::new)))
    }
}

/// Returns the names of pages and completions: `man`, `man-dedup`, `complete-bash` and the
/// like.
pub(super) fn generated() -> Vec<String> {
    // The commands alone: the flags of the program name this list.
    let program = Command::augment_subcommands(clap::Command::new("man"));
    let completions = SHELLS.map(|shell| format!("complete-{shell}"));
    let pages = pages(&program, "man").into_iter();
    pages.chain(completions).collect()
}

/// Returns the names of the pages of `command`, whose own is `name`, and of its commands.
fn pages(command: &clap::Command, name: &str) -> Vec<String> {
    let inner = command
        .get_subcommands()
        .filter(|inner| !inner.is_hide_set());
    let inner = inner.flat_map(|inner| pages(inner, &format!("{name}-{}", inner.get_name())));
    std::iter::once(name.to_owned()).chain(inner).collect()
}

const EXAMPLES: &str = "\
Logs and security:
  Every URI of the logs of a directory, each once, first seen first
      urisieve /var/log/nginx
  The twenty most frequent
      urisieve -c --top 20 access.log
  As lines come in
      tail -F access.log | urisieve
  A report's defanged addresses, safe to pass on, without passwords
      urisieve --refang --defang --redact report.txt
  Where a host is named
      urisieve --all --vimgrep --host evil.example src/

Crawls:
  Every occurrence with file and byte offset, as JSON Lines
      urisieve --all --json corpus/ > found.jsonl
  One line for all that the URL schemes call equal, tracking left out
      urisieve -L scheme --drop-param @tracking pages.txt
  How equal URLs are spelled
      urisieve -L scheme --groups pages.txt

Libraries:
  The URNs of a catalogue; ISBNs with and without hyphens are one
      urisieve -L scheme -s urn records.txt
  Names inside the URLs of resolvers
      urisieve --unwrap-resolvers -L scheme records.txt
  Wrapped references of an RFC, typesetter's hyphens dropped
      urisieve --hyphen drop rfc.txt

urisieve formats prints the keys of --json, the problem codes and the schemes.

Exit codes: 0 something found, 1 nothing found, 2 an error, also when only a
part of the input could not be read: everything else is still printed; 130
interrupted, 143 terminated: what was found until then is printed.";

// In the order of the help; `help::GROUPS` says where a group of it begins.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Find URIs and URNs; the default when no command is named
    #[command(after_long_help = EXAMPLES)]
    Extract(DefinedLate<Box<Extract>>),
    /// Print which page, host or domain links to which
    Links(DefinedLate<Box<Links>>),
    /// Write one page about the URIs of the inputs
    Report(DefinedLate<Box<ReportCommand>>),
    /// Print the canonical form of each line, line by line
    Normalize(DefinedLate<Normalize>),
    /// Print the first line of each class of equal URIs
    Dedup(DefinedLate<Dedup>),
    /// Merge outputs of --sort into one
    Merge(DefinedLate<MergeLines>),
    /// Add the URIs of each event of JSON Lines to it
    Enrich(DefinedLate<Box<Enrich>>),
    /// Write the input again with its URIs redacted, defanged or mapped
    Rewrite(DefinedLate<Box<Rewrite>>),
    /// Resolve references against a base URI
    Resolve(DefinedLate<Resolve>),
    /// Look into stores of --seen, and change them
    Seen(Box<SeenCommand>),
    /// List, check and repair the identifiers of library catalogues
    Catalog(Box<Catalog>),
    /// Show the parts of URIs, how they become canonical and why
    Explain(DefinedLate<Explain>),
    /// Print formats, levels, keys, problem codes, schemes, namespaces
    Formats(Formats),
    /// Print the help of a command
    #[command(hide = true)]
    Help(Help),
}

/// The argument of `help`.
#[derive(Debug, clap::Args)]
pub(super) struct Help {
    /// The command; without it, the help of the program is printed
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

/// Joins the value of `--redact` to the flag, because the value is optional: an
/// argument that cannot be a value of `--redact` is a file name.
pub(super) fn joined(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    for arg in args {
        let is_value = privacy::is_value(arg.as_encoded_bytes());
        match joined.last_mut() {
            Some(flag) if flag == "--redact" && is_value => {
                flag.push("=");
                flag.push(arg);
            }
            _ => joined.push(arg),
        }
    }
    joined
}

impl Args {
    /// Returns the command, or `extract` when none was named.
    pub(super) fn command(self) -> Command {
        let extract = Command::Extract(DefinedLate(self.extract));
        self.command.unwrap_or(extract)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_are_sound() {
        <Args as CommandFactory>::command().debug_assert();
    }
}
