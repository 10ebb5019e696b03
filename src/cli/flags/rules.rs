//! The flags of what counts as a URI, and of which URIs are reported.

use super::matching::MatchFlags;
use crate::cli::flags::memory::size;
use clap::ValueEnum;
use urisieve::delimit::{Config, Hyphen, LENGTH_MAX, WRAP_MAX, Wrap, WrapLimit};
use urisieve::item::IdentifierKinds;

/// The default limits of a URI over several lines.
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

    /// Only this host and those below it; @FILE: a list
    ///
    /// May be repeated. a.example or .a.example: the host and those below it. =a.example: it alone.
    /// *.a.example: those below it. 192.0.2.1, 2001:db8::1, 192.0.2.0/24: addresses. A
    /// name or an address may end with :PORT. Spelling and level do not count:
    /// percent-encoding, case, a dot at the end, international names, numbers such as
    /// 0x7f.1. Hosts of mailto:, sip:, xmpp: and those inside of jar:, jdbc:, blob:,
    /// feed: and view-source: count too.
    ///
    /// Each line of FILE is such a value. Empty lines and lines that begin with #, ;,
    /// // or with ! and a blank are skipped.
    #[arg(long, value_name = "SUFFIX")]
    pub host: Vec<String>,

    #[command(flatten)]
    pub matching: MatchFlags,

    /// Only URIs whose path ends with one of these extensions, comma-separated: php,js
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        hide_short_help = true
    )]
    pub ext: Vec<String>,

    /// No URIs whose path ends with one of these extensions, comma-separated
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        hide_short_help = true
    )]
    pub no_ext: Vec<String>,

    /// Only URIs whose canonical form matches; may be repeated; @FILE: a list
    ///
    /// Each line of FILE is a pattern. Empty lines are skipped. A pattern that begins
    /// with @ is written \@.
    #[arg(long, value_name = "REGEX", hide_short_help = true)]
    pub include: Vec<String>,

    /// No URIs whose canonical form matches; may be repeated; @FILE: a list
    ///
    /// Each line of FILE is a pattern. Empty lines are skipped. A pattern that begins
    /// with @ is written \@.
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
    wrap: WrapFlag,

    /// How many bytes and lines a URI over several lines may span
    #[arg(
        long,
        value_name = "SIZE[,LINES]",
        default_value = WRAP_LIMIT,
        help_heading = "Rules",
        hide_short_help = true
    )]
    wrap_limit: String,

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
    hyphen: HyphenFlag,

    /// Report URIs inside URIs, too, also percent-encoded ones
    ///
    /// At most eight, decoded at most eight times. base64: also whole values of queries and
    /// segments of paths that are URLs in Base64. nested_in and nested_by of records say where
    /// they stand.
    #[arg(
        long,
        value_name = "CODING",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "percent",
        hide_possible_values = true,
        hide_short_help = true
    )]
    nested: Option<NestedFlag>,

    /// Report www.host.tld and ftp.host.tld, too
    #[arg(long, hide_short_help = true)]
    pub abbreviated: bool,

    /// Read defanged addresses: hxxp://a[.]example, a[.]example, joe[at]a[.]example
    #[arg(long, hide_short_help = true)]
    pub refang: bool,

    /// Read every ${...} in a host as a part of it, not only ${env:NAME} and its like
    #[arg(long, hide_short_help = true)]
    templates: bool,

    /// End a URI at the first non-ASCII byte
    #[arg(long, hide_short_help = true)]
    ascii: bool,

    /// Report only URIs that are valid by RFC 3986
    #[arg(long, hide_short_help = true)]
    strict: bool,

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
    all_references: bool,

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
    max_length: String,

    /// Further schemes that need no //, or all
    ///
    /// A comma-separated list, for example about,data. `all` means every scheme
    /// of the IANA registry and the conventional ones.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    #[arg(hide_short_help = true)]
    opaque: Vec<String>,
}

/// Identifiers that count without a scheme.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct BareFlag {
    /// Report identifiers without a scheme, too: isbn, issn, doi, orcid, handle, arxiv, email,
    /// host, ip
    ///
    /// They are recognised by their shape, the word before them and their check digit, and
    /// printed as URIs: urn:isbn:, urn:issn:, doi:, https://orcid.org/, hdl:,
    /// https://arxiv.org/abs/. Hosts, and addresses of mail and IP, are printed as they are; a
    /// host ends with a top-level domain.
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

impl RuleFlags {
    /// Returns the rules of text, with URIs of at most `max_length` bytes.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn config(&self, max_length: usize) -> Result<Config, String> {
        let (bytes, lines) = match self.wrap_limit.split_once(',') {
            Some((bytes, lines)) => (bytes, lines),
            None => (&self.wrap_limit[..], "20"),
        };
        let limit = WrapLimit {
            bytes: size("--wrap-limit", bytes)?,
            lines: lines
                .parse()
                .map_err(|_| format!("--wrap-limit: {lines:?} is not a number of lines"))?,
        };
        if limit.bytes > WRAP_MAX {
            return Err(format!("--wrap-limit: at most {WRAP_MAX} bytes"));
        }
        let config = Config::default()
            .wrap(match self.wrap {
                WrapFlag::Lines => Wrap::Lines,
                WrapFlag::Any => Wrap::Any,
                WrapFlag::Off => Wrap::Off,
            })
            .wrap_limit(limit)
            .hyphen(match self.hyphen {
                HyphenFlag::Keep => Hyphen::Keep,
                HyphenFlag::Drop => Hyphen::Drop,
                HyphenFlag::Both => Hyphen::Both,
            })
            .nested(self.nested.is_some())
            .nested_base64(self.nested == Some(NestedFlag::Base64))
            .templates(self.templates)
            .ascii(self.ascii)
            .strict(self.strict);
        Ok(self.references.configure(config, max_length))
    }
}

impl ReferenceFlags {
    /// The length of the longest URI.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn max_length(&self) -> Result<usize, String> {
        let max_length = size("--max-length", &self.max_length)?;
        match max_length > LENGTH_MAX {
            true => Err(format!(
                "--max-length: at most 1M ({LENGTH_MAX} bytes); longer candidates would be \
                 scanned again with every block"
            )),
            false => Ok(max_length),
        }
    }

    /// Adds these rules to `config`, with URIs of at most `max_length` bytes.
    pub(in crate::cli) fn configure(&self, config: Config, max_length: usize) -> Config {
        let is_all = |name: &&String| *name == "all";
        config
            .all_references(self.all_references)
            .max_length(max_length)
            .opaque_all(self.opaque.iter().any(|name| is_all(&name)))
            .opaque(self.opaque.iter().filter(|name| !is_all(name)))
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum WrapFlag {
    Lines,
    Any,
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NestedFlag {
    Percent,
    Base64,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum HyphenFlag {
    Keep,
    Drop,
    Both,
}
