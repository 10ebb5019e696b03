//! The flags of what is printed of URIs, and in which form.

use super::matching::MatchWithFlag;
use super::records::ReportFlags;
use crate::cli::destination::respell::Surt;
use clap::builder::PossibleValuesParser;
use urisieve::{CountBy, CountPer, Mode};

/// The name of no part: the whole URI is counted.
const WHOLE: &str = "uri";

/// Returns the names of what may be counted.
fn part_names() -> impl Iterator<Item = &'static str> {
    let parts = CountBy::ALL.iter().map(|part| part.name());
    std::iter::once(WHOLE).chain(parts)
}

/// The records that are printed of URIs, and their form.
#[derive(Debug, clap::Args)]
#[command(
    next_help_heading = "Output",
    mut_arg("surt", |arg| arg.hide_short_help(true).conflicts_with("original"))
)]
pub(in crate::cli) struct OutputFlags {
    #[command(flatten)]
    pub counts: CountFlags,

    /// Print each class with its spellings and their counts
    #[arg(long, conflicts_with = "all", hide_short_help = true)]
    pub groups: bool,

    /// With -c, count by host, domain, suffix, scheme, nid, file, match, shape, path, dir,
    /// param, ext or port, or requests by status, method, client, hour or day
    ///
    /// Parts are counted instead of URIs. domain: the registered domain, by the ICANN
    /// section of the public suffix list. suffix: the suffix it is registered under.
    /// file: the input. Parts are those of the canonical form; URIs that lack the part
    /// are counted under -. status, method, client, hour and day count the URLs that were
    /// asked for in logs, and nothing else; hours and days are those of UTC. match: the
    /// entries of --match; a URI counts for each that matches it. shape:
    /// the URI with {int}, {uuid} and the like for values, and names of parameters without
    /// values. dir: the URI up to the last / of its path. param: the names of parameters; a
    /// URI counts for each. ext: the extension of its path. port: a port that is written.
    #[arg(
        long,
        value_name = "PART",
        default_value = WHOLE,
        value_parser = PossibleValuesParser::new(part_names()),
        requires = "count",
        hide_default_value = true,
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub by: String,

    /// With -c or --groups, count a URI once in each record or file
    ///
    /// record: a message of a mailbox, a record of an archive of the web or of a catalogue, a
    /// value of JSON Lines, a row of a table; a text without these is one. So -c --per record
    /// prints how many messages have a URI. With --groups each spelling counts once.
    #[arg(
        long,
        value_name = "UNIT",
        value_parser = PossibleValuesParser::new(CountPer::ALL.iter().map(|per| per.name())),
        conflicts_with = "all",
        hide_short_help = true
    )]
    pub per: Option<String>,

    /// With --by shape and --one-per shape, values of parameters belong to the shape
    ///
    /// Those that are numbers, dates and the like are replaced by their class.
    #[arg(long, hide_short_help = true)]
    pub shape_values: bool,

    /// Print only the first URI of each shape
    ///
    /// The shape of http://a.example/u/17?q=x is http://a.example/u/{int}?q.
    #[arg(
        long,
        value_name = "WHAT",
        value_parser = PossibleValuesParser::new(["shape"]),
        conflicts_with_all = ["count", "groups", "lines"],
        hide_short_help = true
    )]
    pub one_per: Option<String>,

    #[command(flatten)]
    pub order: OrderFlags,

    #[command(flatten)]
    pub report: ReportFlags,

    /// Print the line number before each URI
    #[arg(short = 'n', long, conflicts_with_all = ["count", "groups"])]
    pub line_number: bool,

    /// Print the column (bytes, from 1) before each URI
    #[arg(long, conflicts_with_all = ["count", "groups"], hide_short_help = true)]
    pub column: bool,

    /// Print the byte offset before each URI
    #[arg(short, long, conflicts_with_all = ["count", "groups"], hide_short_help = true)]
    pub byte_offset: bool,

    /// Print FILE:LINE:COLUMN: before each URI
    #[arg(long, conflicts_with_all = ["count", "groups", "json"], hide_short_help = true)]
    pub vimgrep: bool,

    /// Print the spelling first seen, not the canonical form
    #[arg(long, hide_short_help = true)]
    pub original: bool,

    /// Print each line that has a URI, as it is, once (grep's output)
    ///
    /// Of text, logs and JSON Lines, also compressed as gzip or Zstandard. A line is searched on
    /// its own: a URI over several lines is not joined. -s, --host, --match and the like choose
    /// the URIs that count; -n and -H print the number of the line and the file before it.
    #[arg(
        long = "lines",
        id = "lines",
        hide_short_help = true,
        conflicts_with_all = [
            "all", "count", "groups", "json", "format", "column", "byte_offset", "vimgrep",
            "original", "surt", "sort", "top", "unordered", "null", "against", "match_with",
            "files_with_matches", "max_count", "redact", "defang", "stats",
        ]
    )]
    pub print_lines: bool,

    #[command(flatten)]
    pub match_with: MatchWithFlag,

    /// With -c --by match, print the entries that matched nothing, too, with 0
    #[arg(
        long,
        requires = "match",
        conflicts_with = "top",
        hide_short_help = true
    )]
    pub match_all: bool,

    #[command(flatten)]
    pub surt: SurtFlag,

    /// Print the file name before each URI; with -c count by file
    #[arg(
        short = 'H',
        long,
        conflicts_with_all = ["groups", "json"],
        overrides_with = "no_filename",
        help_heading = "Output"
    )]
    pub with_filename: bool,

    /// Print no file names (default)
    #[arg(
        short = 'I',
        long,
        overrides_with = "with_filename",
        help_heading = "Output",
        hide_short_help = true
    )]
    pub no_filename: bool,
}

/// Whether occurrences are printed, or their number.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct CountFlags {
    /// Print every occurrence, not once per class
    ///
    /// With -c, print their number.
    #[arg(long, conflicts_with = "against")]
    pub all: bool,

    /// Print COUNT<TAB>URI, most frequent first
    ///
    /// With --all, print one number, the count of all occurrences. With -H, print
    /// COUNT<TAB>FILE, like --by file.
    #[arg(short, long)]
    pub count: bool,
}

/// How many classes are printed, and in which order.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct OrderFlags {
    /// With -c or --groups, print only the first N
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub top: Option<usize>,

    /// Print in byte order of the URIs, not in input order
    #[arg(long, conflicts_with = "unordered", hide_short_help = true)]
    pub sort: bool,
}

impl OrderFlags {
    /// Checks that a run in this `mode` has classes to choose from.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn check(&self, mode: Mode) -> Result<(), String> {
        match self.top.is_some() && !matches!(mode, Mode::Count | Mode::Groups) {
            true => Err("--top: only with -c or --groups".to_owned()),
            false => Ok(()),
        }
    }
}

/// URIs as the keys of web archives.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct SurtFlag {
    /// Print the key that web archives are indexed by: com,example)/path
    ///
    /// archive (default): the key of the indexes, for joins: in lower case, without
    /// www, sessions and fragment, parameters sorted. plain: only the host is reversed.
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true,
          default_missing_value = "archive", conflicts_with = "defang")]
    pub surt: Option<Surt>,
}
