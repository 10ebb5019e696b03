//! What was typed.

use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Find every URI and URN in any text, and print each class of equal ones once.
#[derive(Debug, Parser)]
#[command(
    version,
    about,
    args_conflicts_with_subcommands = true,
    override_usage = "urisieve [OPTIONS] [FILE]...\n       urisieve extract [OPTIONS] [FILE]...",
    after_help = "Exit codes: 0 something found, 1 nothing found, 2 an error. --help has examples.",
    after_long_help = EXAMPLES
)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    extract: Extract,
}

const EXAMPLES: &str = "\
Examples:
  Every URI of the logs of a directory, each once, first seen first
      urisieve /var/log/nginx
  The twenty most frequent
      urisieve -c --top 20 access.log
  As lines come in
      tail -F access.log | urisieve
  Every occurrence with file and byte offset, as JSON Lines
      urisieve --all --json corpus/ > found.jsonl
  Wrapped references of an RFC, typesetter's hyphens dropped
      urisieve --hyphen drop rfc.txt

Exit codes: 0 something found, 1 nothing found, 2 an error, also when only a
part of the input could not be read: everything else is still printed.";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Find URIs and URNs; what is done when no command is named
    Extract(Extract),
}

impl Args {
    /// The command, `extract` when none was named.
    pub(super) fn command(self) -> Command {
        self.command.unwrap_or(Command::Extract(self.extract))
    }
}

/// The flags of `extract`.
#[derive(Debug, clap::Args)]
pub(super) struct Extract {
    /// Files and directories; none or - is standard input
    ///
    /// A directory is walked whole, in byte order of the paths; hidden files are
    /// passed over.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Print every occurrence, not once per class
    #[arg(long, help_heading = "Output")]
    pub all: bool,

    /// Print COUNT<TAB>URI, most frequent first
    #[arg(short, long, help_heading = "Output", conflicts_with = "all")]
    pub count: bool,

    /// With -c, print only the N most frequent
    #[arg(long, value_name = "N", requires = "count", help_heading = "Output")]
    pub top: Option<usize>,

    /// Print JSON Lines, one record per finding
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Print the byte offset before each URI
    #[arg(short, long, help_heading = "Output")]
    pub byte_offset: bool,

    /// Print the file name before each URI
    #[arg(
        short = 'H',
        long,
        overrides_with = "no_filename",
        help_heading = "Output"
    )]
    pub with_filename: bool,

    /// Print no file names (default)
    #[arg(
        short = 'I',
        long,
        overrides_with = "with_filename",
        help_heading = "Output"
    )]
    pub no_filename: bool,

    /// Which URIs are equal
    ///
    /// none: as extracted. lexical: case of scheme, host and percent-encoding
    /// (RFC 3986 6.2.2.1); of a URN the assigned-name (RFC 8141 3.1).
    #[arg(short = 'L', long, value_name = "LEVEL", default_value = "lexical",
          value_parser = ["none", "lexical"], help_heading = "Output")]
    pub level: String,

    /// Threads that do the work; the output is the same for every N [default: all cores]
    #[arg(short = 'j', long, value_name = "N", help_heading = "Input")]
    pub threads: Option<usize>,

    /// How to read the input
    ///
    /// auto: by content (today: text, UTF-16 by its byte-order mark). text: as text.
    #[arg(short, long, value_name = "FORMAT", default_value = "auto",
          value_parser = ["auto", "text"], help_heading = "Input")]
    pub input_format: String,

    /// What is joined inside <...> and "..."
    ///
    /// lines: whitespace with a line break is removed. any: plain blanks inside
    /// <...> too. off: nothing.
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "lines",
        help_heading = "Rules"
    )]
    pub wrap: Wrap,

    /// How far a wrapped URI may reach: bytes, lines
    #[arg(
        long,
        value_name = "SIZE[,LINES]",
        default_value = "8K,20",
        help_heading = "Rules"
    )]
    pub wrap_limit: String,

    /// What becomes of a hyphen before a removed line break
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "keep",
        help_heading = "Rules"
    )]
    pub hyphen: Hyphen,

    /// Report URIs inside URIs too
    #[arg(long, help_heading = "Rules")]
    pub nested: bool,

    /// Report www.host.tld and ftp.host.tld, too
    #[arg(long, help_heading = "Rules")]
    pub abbreviated: bool,

    /// End a URI at the first non-ASCII byte
    #[arg(long, help_heading = "Rules")]
    pub ascii: bool,

    /// Report only URIs valid by RFC 3986
    #[arg(long, help_heading = "Rules")]
    pub strict: bool,

    /// The longest URI; a longer one is named and skipped
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "64K",
        help_heading = "Rules"
    )]
    pub max_length: String,

    /// Further schemes that count without //, or all
    ///
    /// A comma-separated list, for example about,data. `all` means every scheme
    /// of the IANA registry and the conventional ones.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        help_heading = "Rules"
    )]
    pub opaque: Vec<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Wrap {
    Lines,
    Any,
    Off,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Hyphen {
    Keep,
    Drop,
    Both,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_are_sound() {
        <Args as CommandFactory>::command().debug_assert();
    }

    #[test]
    fn short_help_fits_a_screen() {
        let mut command = <Args as CommandFactory>::command().term_width(100);
        let help = command.render_help().to_string();
        assert!(help.lines().count() <= 50, "{help}");
    }
}
