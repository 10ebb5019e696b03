//! The flags of `extract` in groups, as they were typed, and their values. `plan`
//! decides what they mean.

use super::memory::{DedupFlags, MemoryFlags};
use super::privacy::Privacy;
use super::respell::Surt;
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;
use urisieve::decode::{FORMATS, InputFormat};
use urisieve::engine::CountBy;
use urisieve::input::Walk;
use urisieve::output::{OUTPUT_FORMATS, OutputFormat};

/// How far a URI over several lines reaches by default.
const WRAP_LIMIT: &str = "8K,20";
/// The longest URI by default.
const LENGTH_LIMIT: &str = "64K";

/// The name of no format: the input decides.
pub(super) const AUTO: &str = "auto";

/// The name of no part: the whole URI is counted.
pub(super) const WHOLE: &str = "uri";

/// Returns the names of what may be counted.
fn part_names() -> impl Iterator<Item = &'static str> {
    let parts = CountBy::ALL.iter().map(|part| part.name());
    std::iter::once(WHOLE).chain(parts)
}

/// Returns the parser of the names of formats that are `offered`.
pub(super) fn format_names(offered: fn(&InputFormat) -> bool) -> PossibleValuesParser {
    let formats = FORMATS.iter().filter(move |format| offered(format));
    let names = formats.map(|format| format.name);
    PossibleValuesParser::new(std::iter::once(AUTO).chain(names))
}

/// Returns the parser of the names of formats that are written.
pub(super) fn output_formats() -> impl TypedValueParser<Value = &'static OutputFormat> {
    let value = |format: &'static OutputFormat| {
        PossibleValue::new(format.name).aliases(format.aliases.iter().copied())
    };
    PossibleValuesParser::new(OUTPUT_FORMATS.iter().map(value))
        .try_map(|name| OutputFormat::named(&name).ok_or("no format has this name"))
}

/// What is printed, and in which form.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub(super) struct OutputFlags {
    /// Print every occurrence, not once per class; with -c, print their number
    #[arg(long)]
    pub all: bool,

    /// Print COUNT<TAB>URI, most frequent first
    ///
    /// With --all, print one number, the count of all occurrences. With -H, print
    /// COUNT<TAB>FILE, like --by file.
    #[arg(short, long)]
    pub count: bool,

    /// Print each class with its spellings and their counts
    #[arg(long, conflicts_with = "all", hide_short_help = true)]
    pub groups: bool,

    /// With -c, count by host, domain, suffix, scheme, nid or file
    ///
    /// Parts are counted instead of URIs. domain: the registered domain, by the ICANN
    /// section of the public suffix list. suffix: the suffix it is registered under.
    /// file: the input. Parts are those of the canonical form; URIs that lack the part
    /// are counted under -.
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

    /// With -c or --groups, print only the first N
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub top: Option<usize>,

    /// Print in byte order of the URIs, not in input order
    #[arg(long, conflicts_with = "unordered", hide_short_help = true)]
    pub sort: bool,

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

    /// Print the key that web archives are indexed by: com,example)/path
    ///
    /// archive (default): the key of the indexes, for joins: in lower case, without
    /// www, sessions and fragment, parameters sorted. plain: only the host is reversed.
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true,
          default_missing_value = "archive", conflicts_with_all = ["defang", "original"],
          hide_short_help = true)]
    pub surt: Option<Surt>,

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

/// How records are written, of URIs or of links, and what is reported beside them.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub(super) struct ReportFlags {
    /// Print as found: order and first occurrence may differ from run to run
    #[arg(long, hide_short_help = true)]
    pub unordered: bool,

    /// Print JSON Lines, one record per finding; the same as -f jsonl
    #[arg(long)]
    pub json: bool,

    /// text, jsonl, csv, tsv, parquet or ecs [default: by the extension of -o]
    ///
    /// Without an extension, text. csv and tsv have the keys of the JSON records as
    /// columns. So has parquet, after the columns of Common Crawl's index, which keep
    /// their names. ecs is JSON Lines in the Elastic Common Schema.
    #[arg(
        short,
        long,
        value_name = "FORMAT",
        conflicts_with = "json",
        value_parser = output_formats(),
        hide_possible_values = true
    )]
    pub format: Option<&'static OutputFormat>,

    /// With -f csv, write a file that spreadsheets open safely
    ///
    /// It begins with a byte-order mark, its lines end with CR LF, and a ' precedes
    /// each value that a spreadsheet could take for a formula (one that begins with = +
    /// - @, tab or a line break). Without this flag such values are written unchanged.
    #[arg(long, hide_short_help = true)]
    pub excel: bool,

    /// Write to FILE, which appears only when it is complete
    ///
    /// .jsonl, .csv, .tsv and .parquet choose the format; .txt, .log and the like are
    /// text; any other extension needs -f. A final .gz or .zst compresses. On an error
    /// or interrupt FILE stays absent or unchanged, also when no input is named and
    /// standard input is a terminal or empty. An input that cannot be read is not such
    /// an error: everything else is written, and the exit code is 2. Devices and named
    /// pipes are written directly.
    #[arg(short, long, value_name = "FILE", conflicts_with = "quiet")]
    pub output: Option<PathBuf>,

    /// End each record with NUL instead of a line feed
    #[arg(short = '0', long, conflicts_with = "json", hide_short_help = true)]
    pub null: bool,

    /// Print nothing; exit with 0 at the first finding
    #[arg(short, long)]
    pub quiet: bool,

    #[command(flatten)]
    pub messages: MessageFlags,

    #[command(flatten)]
    pub privacy: Privacy,

    /// When to color names, numbers and hosts
    ///
    /// auto: on a terminal, unless NO_COLOR is set or TERM is dumb.
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_short_help = true
    )]
    pub color: Color,

    /// Write each record as soon as it is found
    #[arg(long, hide_short_help = true)]
    pub line_buffered: bool,
}

/// What is said on standard error beside the output.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub(super) struct MessageFlags {
    /// Print statistics to standard error (as JSON with --json)
    #[arg(long)]
    pub stats: bool,

    /// Print no messages to standard error
    #[arg(long, hide_short_help = true)]
    pub no_messages: bool,

    /// Report the format of every input, and every loss, not only ten
    #[arg(short, long, hide_short_help = true)]
    pub verbose: bool,

    /// Write every loss and unreadable input to FILE as JSON Lines
    ///
    /// Keys: file, offset (in bytes from the start; absent when the input could not be
    /// opened), kind, cause. Containers that are not unpacked, such as ZIP, have the
    /// kind unseen, which does not change the exit code. FILE appears together with that
    /// of -o, after an interrupt on its own.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub errors: Option<PathBuf>,

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
    pub progress: ProgressWhen,
}

/// Which URIs are reported.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Selection")]
pub(super) struct Selection {
    /// Only these schemes, comma-separated
    #[arg(short, long, value_name = "LIST", value_delimiter = ',')]
    pub scheme: Vec<String>,

    /// Only URNs of these namespaces, comma-separated
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    #[arg(hide_short_help = true)]
    pub nid: Vec<String>,

    /// Only this host and its subdomains; may be repeated; @FILE: a list
    ///
    /// Each line of FILE is a host. Empty lines and lines that begin with # are
    /// skipped.
    #[arg(long, value_name = "SUFFIX")]
    pub host: Vec<String>,

    /// Only URIs whose canonical form matches; may be repeated
    #[arg(long, value_name = "REGEX", hide_short_help = true)]
    pub include: Vec<String>,

    /// No URIs whose canonical form matches; may be repeated
    #[arg(long, value_name = "REGEX", hide_short_help = true)]
    pub exclude: Vec<String>,

    /// Only findings with one of these problems, comma-separated
    ///
    /// The codes are those of `urisieve formats`, for example bad-percent,isbn-check.
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    #[arg(hide_short_help = true)]
    pub problem: Vec<String>,
}

/// What is read.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Input")]
pub(super) struct InputFlags {
    /// Threads (default: all cores); the output is the same for every N
    #[arg(short = 'j', long, value_name = "N")]
    pub threads: Option<usize>,

    #[command(flatten)]
    pub memory: MemoryFlags,

    #[command(flatten)]
    pub dedup: DedupFlags,

    /// How to read the input
    ///
    /// auto: by content (HTML and XML by their first tags, catalogues by their first record,
    /// WARC, ARC and tar, UTF-16 by its byte-order mark or its NULs, else text). text:
    /// everything is text, also markup and archives. With another name every input but archives
    /// is read in that format; `urisieve formats` says what each is. Decompression comes first
    /// in any case.
    #[arg(short, long, value_name = "FORMAT", default_value = AUTO,
          value_parser = format_names(InputFormat::is_searched), hide_short_help = true)]
    pub input_format: String,

    /// Read compressed inputs as they are
    ///
    /// By default gzip, zstd, xz, bzip2 and lz4 are decompressed. They are detected by
    /// the first bytes of an input or of a tar member, also on a pipe, and also one
    /// inside another.
    #[arg(long, hide_short_help = true)]
    pub no_decompress: bool,

    /// Leave out the URIs that are in FILE; may be repeated
    ///
    /// FILE is read like every input; a directory is walked. Of a Parquet table that -o
    /// wrote, the column url is read. When FILE is damaged or cannot be read, nothing
    /// is printed.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "all",
        hide_short_help = true
    )]
    pub against: Vec<PathBuf>,

    /// Only records of web archives of these types, comma-separated
    ///
    /// For example response,revisit. Records of ARC are responses. --stats counts the
    /// records that are not read. Other inputs are always read.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    #[arg(hide_short_help = true)]
    pub warc_type: Vec<String>,

    /// Only HTTP responses in web archives with these status codes: 2xx,404
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    #[arg(hide_short_help = true)]
    pub status: Vec<String>,

    /// Only records of web archives of these media types: text/html,image/*
    ///
    /// The type is WARC-Identified-Payload-Type, otherwise the Content-Type of the
    /// content.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    #[arg(hide_short_help = true)]
    pub mime: Vec<String>,

    /// The name of standard input in records and messages
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub label: Option<String>,

    /// Read every text as UTF-16, also without a byte-order mark
    ///
    /// By default text is UTF-16 when it begins with a byte-order mark, or when 90 % of
    /// every second byte of the first 4 KiB are NUL.
    #[arg(long, hide_short_help = true)]
    pub utf16: bool,

    #[command(flatten)]
    pub walk: WalkFlags,
}

/// Which files of directories are read.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Input")]
pub(super) struct WalkFlags {
    /// Only files of directories that match GLOB; ! excludes
    #[arg(short, long, value_name = "GLOB")]
    pub glob: Vec<String>,

    /// Walk hidden files of directories, too
    #[arg(long, hide_short_help = true)]
    pub hidden: bool,

    /// Respect .gitignore and .ignore in directories
    #[arg(long, hide_short_help = true)]
    pub gitignore: bool,

    /// Walk directories N levels deep; 1 is the files in them
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub max_depth: Option<usize>,

    /// Follow symbolic links in directories
    #[arg(long, hide_short_help = true)]
    pub follow: bool,

    /// Read names of inputs from F, one a line or each ended by NUL; - is standard
    /// input
    #[arg(long, value_name = "F", hide_short_help = true)]
    pub files_from: Option<PathBuf>,
}

impl WalkFlags {
    /// Returns how directories are walked.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(super) fn walk(&self) -> Result<Walk, String> {
        Walk::default()
            .hidden(self.hidden)
            .ignore_files(self.gitignore)
            .follow(self.follow)
            .max_depth(self.max_depth)
            .globs(self.glob.iter().cloned())
            .map_err(|error| format!("-g: {error}"))
    }
}

/// What counts as a URI.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Rules")]
pub(super) struct RuleFlags {
    /// What is joined inside <...> and "...": lines (default), any, off
    ///
    /// lines: whitespace with a line break is removed. any: plain blanks inside <...>
    /// are removed, too. off: nothing is joined.
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "lines",
        hide_default_value = true,
        hide_possible_values = true,
        help_heading = "Rules"
    )]
    pub wrap: WrapFlag,

    /// How many bytes and lines a URI over several lines may span
    #[arg(
        long,
        value_name = "SIZE[,LINES]",
        default_value = WRAP_LIMIT,
        help_heading = "Rules",
        hide_short_help = true
    )]
    pub wrap_limit: String,

    /// A hyphen before a removed line break: keep (default), drop, both
    ///
    /// keep: it is part of the URI. drop: it was added by hyphenation. both: report one
    /// URI with the hyphen and one without.
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "keep",
        hide_default_value = true,
        hide_possible_values = true,
        hide_short_help = true,
        help_heading = "Rules"
    )]
    pub hyphen: HyphenFlag,

    /// Report URIs inside URIs, too
    #[arg(long, hide_short_help = true)]
    pub nested: bool,

    /// Report www.host.tld and ftp.host.tld, too
    #[arg(long, hide_short_help = true)]
    pub abbreviated: bool,

    /// Read hxxp, [.], (.), [dot], [:] and [://] as http, dot, colon and ://
    #[arg(long, hide_short_help = true)]
    pub refang: bool,

    /// End a URI at the first non-ASCII byte
    #[arg(long, hide_short_help = true)]
    pub ascii: bool,

    /// Report only URIs that are valid by RFC 3986
    #[arg(long, hide_short_help = true)]
    pub strict: bool,

    #[command(flatten)]
    pub references: ReferenceFlags,
}

/// What counts as a URI, in text and in references.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Rules")]
pub(super) struct ReferenceFlags {
    /// Report identifiers without a scheme, too: isbn, issn, doi, orcid, handle, arxiv
    ///
    /// They are recognised by their shape, the word before them and their check digit, and
    /// printed as URIs: urn:isbn:, urn:issn:, doi:, https://orcid.org/, hdl:,
    /// https://arxiv.org/abs/.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        hide_short_help = true
    )]
    pub bare: Vec<String>,

    /// Report references to javascript:, data:, about: and fragments, too
    ///
    /// References are what a format delimits, such as the Location of an HTTP header in
    /// a web archive. By default those that lead to no other document are left out, and
    /// --stats counts them; --opaque javascript keeps one scheme.
    #[arg(long, hide_short_help = true)]
    pub all_references: bool,

    /// The longest URI, at most 1M; longer ones are reported and skipped
    ///
    /// A candidate is held until its end is found, and scanned again with each further
    /// block. The limit keeps that from taking quadratic time.
    #[arg(
        long,
        value_name = "SIZE",
        default_value = LENGTH_LIMIT,
        hide_short_help = true
    )]
    pub max_length: String,

    /// Further schemes that need no //, or all
    ///
    /// A comma-separated list, for example about,data. `all` means every scheme
    /// of the IANA registry and the conventional ones.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    #[arg(hide_short_help = true)]
    pub opaque: Vec<String>,
}

impl Default for RuleFlags {
    fn default() -> RuleFlags {
        RuleFlags {
            wrap: WrapFlag::Lines,
            wrap_limit: WRAP_LIMIT.to_owned(),
            hyphen: HyphenFlag::Keep,
            nested: false,
            abbreviated: false,
            refang: false,
            ascii: false,
            strict: false,
            references: ReferenceFlags {
                bare: Vec::new(),
                all_references: false,
                max_length: LENGTH_LIMIT.to_owned(),
                opaque: Vec::new(),
            },
        }
    }
}

/// When to show progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ProgressWhen {
    #[default]
    Auto,
    Always,
    Never,
}

/// When to use colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum WrapFlag {
    Lines,
    Any,
    Off,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum HyphenFlag {
    Keep,
    Drop,
    Both,
}
