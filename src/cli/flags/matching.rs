//! The flags of lists of indicators.

use std::path::PathBuf;
use urisieve::output::OutputFormat;

/// The lists of which an entry must match.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct MatchFlags {
    /// Only URIs that an entry of the file LIST matches; may be repeated
    ///
    /// A line is an entry: evil.example (the host and those below it), =evil.example (it
    /// alone), *.evil.example (those below it), 192.0.2.0/24, each also with :PORT;
    /// http://evil.example/x (this URI, in any spelling), http://evil.example/x* (those that
    /// begin with it), evil.example/x (with http or https), /REGEX/, sha256:DIGEST. !ENTRY or
    /// @@ENTRY is an exception. Lines of hosts files, of filter lists (||evil.example^) and of
    /// response policy zones are read, and disguised entries: hxxp://evil[.]example.
    /// Lists in CSV, events of MISP and bundles of STIX are recognized by their content.
    ///
    /// URIs are compared at level scheme, without fragment, whatever -L. A line that is not an
    /// entry is named, the others are used, and the exit code is 2.
    #[arg(long = "match", id = "match", value_name = "LIST")]
    pub lists: Vec<PathBuf>,

    /// With --match, read lists as CSV: the entries are in the column with this name
    ///
    /// By default the first of ioc_value, indicator, ioc, url, uri, domain, hostname, host, ip
    /// that the header has.
    #[arg(long, value_name = "NAME", requires = "match", hide_short_help = true)]
    pub match_column: Option<String>,
}

/// Whether entries are printed.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct MatchWithFlag {
    /// With --match, print ENTRY<TAB> before each URI: the first entry that matches it
    ///
    /// Records of JSON have all of them, as match, and their lists and lines, as match_list.
    #[arg(
        long,
        requires = "match",
        help_heading = "Output",
        hide_short_help = true
    )]
    pub match_with: bool,
}

impl MatchWithFlag {
    /// Whether entries are printed, in `format`.
    ///
    /// # Errors
    /// A message: the format has them as a key.
    pub(in crate::cli) fn is_for(self, format: &OutputFormat) -> Result<bool, String> {
        match self.match_with && format != OutputFormat::TEXT {
            true => Err("--match-with: only with -f text; others have the key match".to_owned()),
            false => Ok(self.match_with),
        }
    }
}
