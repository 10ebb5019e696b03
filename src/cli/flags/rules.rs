//! The flags of what counts as a URI, and of which URIs are reported.

use clap::ValueEnum;
use urisieve::item::IdentifierKinds;

/// How far a URI over several lines reaches by default.
const WRAP_LIMIT: &str = "8K,20";
/// The longest URI by default.
const LENGTH_LIMIT: &str = "64K";

/// Which URIs are reported.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Selection")]
pub(in crate::cli) struct Selection {
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

/// The rules for what counts as a URI.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Rules")]
pub(in crate::cli) struct RuleFlags {
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

/// The rules that hold in text and in references.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Rules")]
pub(in crate::cli) struct ReferenceFlags {
    #[command(flatten)]
    pub bare: BareFlag,

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

/// Identifiers that count without a scheme.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct BareFlag {
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
    bare: Vec<String>,
}

impl BareFlag {
    /// # Errors
    /// A message about a name that is not a kind.
    pub(in crate::cli) fn kinds(&self) -> Result<IdentifierKinds, String> {
        IdentifierKinds::named(&self.bare).map_err(|error| format!("--bare: {error}"))
    }
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
                bare: BareFlag { bare: Vec::new() },
                all_references: false,
                max_length: LENGTH_LIMIT.to_owned(),
                opaque: Vec::new(),
            },
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(in crate::cli) enum WrapFlag {
    Lines,
    Any,
    Off,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(in crate::cli) enum HyphenFlag {
    Keep,
    Drop,
    Both,
}
