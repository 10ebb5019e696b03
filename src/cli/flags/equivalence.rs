//! The flags that define which URIs are equal, for every command that compares URIs.

use std::fs;
use std::path::{Path, PathBuf};
use urisieve::canonicalize::gateway::Gateways;
use urisieve::canonicalize::params::ParamRules;
use urisieve::canonicalize::resolver::Resolvers;
use urisieve::canonicalize::{Canonicalizer, Level};
use urisieve::decode;

/// Which URIs are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
#[command(next_help_heading = "Equality")]
pub(in crate::cli) struct Equivalence {
    /// Which are equal: none, lexical (default), syntax, scheme
    ///
    /// none: compared byte for byte. lexical: case of scheme, host and percent-encoding (RFC
    /// 3986 6.2.2.1); of a URN the assigned-name (RFC 8141 3.1). syntax: also
    /// unreserved characters decoded, dot segments removed (6.2.2), characters of IRIs
    /// outside the host percent-encoded (RFC 3987 3.1). scheme: also default ports, empty
    /// paths, IPv6 and internationalized hosts, mail domains, telephone numbers (6.2.3),
    /// and the rules of URN namespaces.
    #[arg(short = 'L', long, value_name = "LEVEL",
          value_parser = ["none", "lexical", "syntax", "scheme"], hide_possible_values = true)]
    pub level: Option<String>,

    /// Distinguish URNs by their r-, q- and f-components, too
    #[arg(long, hide_short_help = true)]
    pub keep_components: bool,

    /// Leave fragments of URLs out of equality and output
    #[arg(long, hide_short_help = true)]
    pub strip_fragment: bool,

    /// Leave out query parameters with this name; a glob, @tracking or @FILE
    ///
    /// @tracking is a list of well-known tracking parameters, which `urisieve formats`
    /// prints: utm_*, gclid, fbclid and others. FILE has the rules of ClearURLs (JSON), or
    /// those of AdGuard, one a line: $removeparam=NAME, also after ||host^, and @@ before it for
    /// an exception. Rules that depend on more than the URL, and expressions that look around,
    /// are skipped. May be repeated. Other parameters are not changed.
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub drop_param: Vec<String>,

    /// Sort query parameters by name; equal names keep their order
    #[arg(long, hide_short_help = true)]
    pub sort_query: bool,

    /// Make https and http equal; both are printed as http
    #[arg(long, hide_short_help = true)]
    pub fold_https: bool,

    /// Remove www. from the start of hosts
    #[arg(long, hide_short_help = true)]
    pub strip_www: bool,

    /// Make the ISBN-10 of a URN equal to its ISBN-13, which is printed
    #[arg(long, hide_short_help = true)]
    pub isbn13: bool,

    /// Replace URLs of resolvers by the URN, DOI, Handle or ARK in them
    #[arg(long, hide_short_help = true)]
    pub unwrap_resolvers: bool,

    /// Replace URLs of gateways, such as safe links of mail, by the URL that they lead to
    ///
    /// NAMES are gateways that `urisieve formats` prints, and @FILE: a table with a gateway a
    /// line: name, host, path, parameters, percent or base64, with tabs between them. The
    /// original is the URL of the gateway.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', num_args = 0..=1,
          require_equals = true, default_missing_value = "", hide_short_help = true)]
    pub unwrap_gateways: Option<Vec<String>>,

    /// Read further resolvers from FILE, one a line; implies --unwrap-resolvers
    ///
    /// A line is HOST/PATH/ KIND or HOST/PATH?PARAM= KIND.
    /// KIND is urn, doi, hdl or ark. Empty lines and lines that begin with # are
    /// skipped.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub resolvers: Vec<PathBuf>,
}

impl Equivalence {
    /// # Errors
    /// A message about an unknown list, or about the file of resolvers.
    pub(in crate::cli) fn canonicalizer(&self) -> Result<Canonicalizer, String> {
        self.canonicalizer_or(Level::default())
    }

    /// Does the same where another level holds without `-L`.
    ///
    /// # Errors
    /// Those of [`canonicalizer`](Equivalence::canonicalizer).
    pub(in crate::cli) fn canonicalizer_or(&self, level: Level) -> Result<Canonicalizer, String> {
        let level: Level = match &self.level {
            Some(name) => name.parse().map_err(|error| format!("-L: {error}"))?,
            None => level,
        };
        let names = self.drop_param.iter();
        let names = names.filter(|name| ParamRules::file_of(name).is_none());
        let canonicalizer = Canonicalizer::new(level)
            .keep_components(self.keep_components)
            .strip_fragment(self.strip_fragment)
            .drop_params(names)
            .map_err(|error| format!("--drop-param: {error}"))?
            .sort_query(self.sort_query)
            .fold_https(self.fold_https)
            .strip_www(self.strip_www)
            .isbn13(self.isbn13)
            .drop_listed_params(Equivalence::param_rules(&self.drop_param)?);
        let canonicalizer = match &self.unwrap_gateways {
            None => canonicalizer,
            Some(names) => canonicalizer.unwrap_gateways(Equivalence::all_gateways(names)?),
        };
        if !self.unwrap_resolvers && self.resolvers.is_empty() {
            return Ok(canonicalizer);
        }
        Ok(canonicalizer.unwrap_resolvers(self.all_resolvers()?))
    }

    /// Returns the rules of the files among the names of parameters.
    ///
    /// # Errors
    /// A message about a file.
    pub(in crate::cli) fn param_rules(names: &[String]) -> Result<ParamRules, String> {
        let mut rules = ParamRules::default();
        for path in names.iter().filter_map(|name| ParamRules::file_of(name)) {
            let text = list_text(Path::new(path));
            let added = text.and_then(|text| rules.add_list(&text).map_err(|e| e.to_string()));
            added.map_err(|error| {
                format!("--drop-param @{path}: {error}; the built-in list is @tracking")
            })?;
        }
        Ok(rules)
    }

    /// Returns the gateways with these names.
    ///
    /// # Errors
    /// A message about a name or a file.
    pub(in crate::cli) fn all_gateways(names: &[String]) -> Result<Gateways, String> {
        gateways(names).map_err(|error| format!("--unwrap-gateways: {error}"))
    }

    /// Returns the resolvers that are known, with those of `--resolvers`.
    ///
    /// # Errors
    /// A message about their file.
    pub(in crate::cli) fn all_resolvers(&self) -> Result<Resolvers, String> {
        let mut resolvers = Resolvers::built_in();
        for path in &self.resolvers {
            add_file(&mut resolvers, path)
                .map_err(|error| format!("--resolvers {}: {error}", path.display()))?;
        }
        Ok(resolvers)
    }
}

/// Returns the text of a list.
///
/// # Errors
/// A message about its file.
fn list_text(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let text = str::from_utf8(&decode::text_of(&bytes)).map(str::to_owned);
    text.map_err(|error| error.to_string())
}

fn add_file(resolvers: &mut Resolvers, path: &Path) -> Result<(), String> {
    let added = resolvers.add(&list_text(path)?);
    added.map_err(|error| error.to_string())
}

/// Returns the gateways with these names and those of files; all that are built in without any.
fn gateways(names: &[String]) -> Result<Gateways, String> {
    let mut names = names.iter().filter(|name| !name.is_empty()).peekable();
    if names.peek().is_none() {
        return Ok(Gateways::built_in());
    }
    let mut gateways = Gateways::default();
    for name in names {
        gateways.add(match name.strip_prefix('@') {
            Some(path) => {
                gateways_of(Path::new(path)).map_err(|error| format!("{path}: {error}"))?
            }
            None => Gateways::named(name).ok_or_else(|| {
                format!(
                    "{name:?} is not one of {}, or @FILE",
                    Gateways::names().join(", ")
                )
            })?,
        });
    }
    Ok(gateways)
}

fn gateways_of(path: &Path) -> Result<Gateways, String> {
    Gateways::parse(&list_text(path)?).map_err(|error| error.to_string())
}
