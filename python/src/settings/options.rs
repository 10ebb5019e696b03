//! The options, with the names and the meaning of the options of the command line, and
//! the sieve, finder and canonicalizer that follow from them.

use crate::settings::equality::{canonicalizer, redactor};
use crate::settings::extraction::{delimit, fields};
use crate::settings::given::{Given, wrong_value};
use crate::settings::indicators::matcher;
use crate::settings::select::{Choice, Exchanges, Wanted, records, statuses, zone};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use urisieve::THREADS_MAX;
use urisieve::canonicalize::{Canonicalizer, Redactor};
use urisieve::decode::{DataFields, FORMATS, InputFormat};
use urisieve::delimit::{Config, LENGTH_MAX};
use urisieve::input::Walk;
use urisieve::item::{IdentifierKinds, Problems, UtcOffset};
use urisieve::links::{Node, NodeRules};
use urisieve::syntax::resolve::{Rules, is_base_for};
use urisieve::{
    Builder, CountBy, CountPer, ExchangeFilter, Mode, Pairs, RecordFilter, Sequence, Sieve,
};
use urisieve::{Finder, Matcher};

/// Every option of the calls.
#[derive(Clone)]
pub(crate) struct Options {
    /// The names of the options that were given.
    given: Vec<String>,
    // The rules of equivalence.
    pub canonicalizer: Canonicalizer,
    pub redactor: Option<Redactor>,
    // The rules of extraction.
    delimit: Config,
    /// Whether only what is valid by RFC 3986 is a URI.
    pub strict: bool,
    /// The longest URI that is reported.
    pub max_length: usize,
    abbreviated: bool,
    bare: IdentifierKinds,
    refang: bool,
    // The choice of reported URIs.
    pub choice: Option<Choice>,
    pub problems: Problems,
    /// The lists of which an entry must match.
    matcher: Option<Arc<Matcher>>,
    exchanges: ExchangeFilter,
    zone: UtcOffset,
    pub mode: Mode,
    by: Option<CountBy>,
    per: Option<CountPer>,
    top: Option<usize>,
    most: Option<u64>,
    sequence: Option<Sequence>,
    // The reading of inputs.
    input_format: &'static str,
    /// Which fields of data are searched.
    fields: DataFields,
    no_decompress: bool,
    /// Whether all text is UTF-16, or none; it is detected otherwise.
    utf16: Option<bool>,
    records: RecordFilter,
    pub base: Option<String>,
    pub walk: Walk,
    pub label: Option<String>,
    /// Inputs whose URIs are omitted.
    pub against: Vec<PathBuf>,
    // Links.
    pub links: bool,
    pub node: Node,
    nodes: NodeRules,
    /// Whether links are edges with their weights.
    pub weights: bool,
    pub nofollow: &'static str,
    mentions: bool,
    // Resources.
    pub threads: Option<usize>,
    pub max_memory: Option<usize>,
    pub temp_dir: Option<PathBuf>,
    fingerprints: bool,
}

/// Options that only make sense where whole inputs are read.
pub(crate) const OF_INPUTS: [&str; 19] = [
    "against",
    "no_decompress",
    "warc_type",
    "mime",
    "glob",
    "hidden",
    "gitignore",
    "max_depth",
    "follow",
    "label",
    "links",
    "node",
    "valid_tld",
    "weights",
    "nofollow",
    "mentions",
    "max_count",
    "unordered",
    "dedup",
];

/// Options about the requests in logs, and the exchanges that records of archives state.
pub(crate) const OF_EXCHANGES: [&str; 6] =
    ["status", "requests", "method", "since", "until", "zone"];

/// Options that ask for classes or an order of all that is found.
pub(crate) const OF_CLASSES: [&str; 7] = ["count", "groups", "by", "per", "top", "sort", "base"];

/// The longest URI by default, as on the command line.
const LENGTH: usize = 64 << 10;

impl Options {
    /// # Errors
    /// `TypeError` for unknown names and wrong types, `ValueError` for wrong values.
    pub(crate) fn new(given: Option<&Bound<'_, PyDict>>) -> PyResult<Options> {
        let given = Given::new(given)?;
        let weights = given.flag("weights")?;
        let count = given.flag("count")?;
        if weights && count {
            return Err(wrong_value("weights", "not with count"));
        }
        let count = count || weights;
        let mode = match (given.flag("all")?, given.flag("groups")?, count) {
            (false, false, false) => Mode::Distinct,
            (true, false, false) => Mode::All,
            (false, true, false) => Mode::Groups,
            (false, false, true) => Mode::Count,
            _ => return Err(wrong_value("all, count, groups", "only one of them")),
        };
        let parts = CountBy::ALL.iter().map(|part| part.name());
        let parts: Vec<&str> = std::iter::once("uri").chain(parts).collect();
        let by = match (
            CountBy::named(given.choice("by", &parts)?),
            given.flag("shape_values")?,
        ) {
            (Some(CountBy::Shape), true) => Some(CountBy::ValueShape),
            (_, true) => return Err(wrong_value("shape_values", "only with by=\"shape\"")),
            (by, false) => by,
        };
        if by.is_some() && mode != Mode::Count {
            return Err(wrong_value("by", "only with count"));
        }
        let per: Vec<&str> = CountPer::ALL.iter().map(|per| per.name()).collect();
        let per = CountPer::named(given.choice("per", &[&[""], &per[..]].concat())?);
        if per.is_some() && !matches!(mode, Mode::Count | Mode::Groups) {
            return Err(wrong_value("per", "only with count or groups"));
        }
        let top = given.number("top")?;
        if top.is_some() && !matches!(mode, Mode::Count | Mode::Groups) {
            return Err(wrong_value("top", "only with count or groups"));
        }
        let most = given.number("max_count")?;
        if most.is_some() && matches!(mode, Mode::Count | Mode::Groups) {
            return Err(wrong_value("max_count", "not with count or groups"));
        }
        let sequence = match (given.flag("sort")?, given.flag("unordered")?) {
            (true, false) => Some(Sequence::Sorted),
            (false, true) => Some(Sequence::Unordered),
            (false, false) => None,
            (true, true) => return Err(wrong_value("unordered", "not with sort")),
        };
        let fingerprints = given.choice("dedup", &["exact", "hash128"])? == "hash128";
        if fingerprints && mode != Mode::Distinct {
            return Err(wrong_value(
                "dedup",
                "hash128 not with all, count or groups",
            ));
        }
        let zone = zone(given.text("zone")?)?;
        let statuses = statuses(&given.names("status")?)?;
        let exchanges = Exchanges {
            only_requests: given.choice("requests", &["also", "only"])? == "only",
            method: given.names("method")?,
            since: given.text("since")?,
            until: given.text("until")?,
            zone,
        };
        let max_length = given.size("max_length")?.unwrap_or(LENGTH);
        if max_length > LENGTH_MAX {
            return Err(wrong_value(
                "max_length",
                &format!("at most {LENGTH_MAX} bytes"),
            ));
        }
        let node = match given.choice("node", &["page", "host", "domain", "private-domain"])? {
            "host" => Node::Host,
            "domain" => Node::Domain,
            "private-domain" => Node::PrivateDomain,
            _ => Node::Page,
        };
        let valid_tld = given.flag("valid_tld")?;
        if valid_tld && node == Node::Page {
            return Err(wrong_value("valid_tld", "only with node"));
        }
        let strict = given.flag("strict")?;
        let strips_www = given.flag("strip_www")?;
        // A name loses `www.` by the rules of nodes, not by those of URIs.
        let canonicalizer = canonicalizer(&given)?.strip_www(strips_www && node == Node::Page);
        let threads = threads(&given)?;
        Ok(Options {
            canonicalizer,
            redactor: redactor(&given)?,
            delimit: delimit(&given, max_length)?.strict(strict),
            strict,
            max_length,
            abbreviated: given.flag("abbreviated")?,
            bare: IdentifierKinds::named(given.names("bare")?)
                .map_err(|error| wrong_value("bare", &error.to_string()))?,
            refang: given.flag("refang")?,
            choice: Wanted {
                scheme: given.names("scheme")?,
                nid: given.names("nid")?,
                host: given.texts("host")?,
                include: given.texts("include")?,
                exclude: given.texts("exclude")?,
                ext: given.names("ext")?,
                no_ext: given.names("no_ext")?,
            }
            .choice()?,
            problems: Problems::with_codes(given.names("problem")?)
                .map_err(|error| wrong_value("problem", &error.to_string()))?,
            matcher: matched_lists(&given, by, threads)?,
            exchanges: exchanges.filter(&statuses)?,
            zone,
            mode,
            by,
            per,
            top,
            most: most.map(|most| most as u64),
            sequence,
            input_format: {
                let searched = FORMATS.iter().filter(|format| format.is_searched());
                let names = ["", "auto"].into_iter();
                let names = names.chain(searched.map(|format| format.name));
                given.choice("input_format", &names.collect::<Vec<_>>())?
            },
            fields: fields(&given)?,
            no_decompress: given.flag("no_decompress")?,
            utf16: given.switch("utf16")?,
            records: records(&given.names("warc_type")?, &statuses, &given.names("mime")?)?,
            base: absolute_base(given.text("base")?)?,
            walk: walk(&given)?,
            label: given.text("label")?,
            against: against(&given, mode, by)?,
            links: given.flag("links")?,
            node,
            weights,
            nodes: NodeRules::new(node)
                .strip_www(strips_www)
                .valid_tld(valid_tld),
            nofollow: given.choice("nofollow", &["keep", "drop", "mark"])?,
            mentions: given.flag("mentions")?,
            threads,
            max_memory: given.size("max_memory")?,
            temp_dir: temp_dir(&given)?,
            fingerprints,
            given: given.finish()?,
        })
    }

    /// # Errors
    /// `ValueError`, when one of `names` was given, which do not apply to `call`.
    pub(crate) fn reject(&self, call: &str, names: &[&str]) -> PyResult<()> {
        match self
            .given
            .iter()
            .find(|given| names.contains(&given.as_str()))
        {
            Some(name) => Err(wrong_value(name, &format!("not with {call}"))),
            None => Ok(()),
        }
    }

    /// # Errors
    /// `ValueError`, when texts are to be read as UTF-16 that are characters.
    pub(crate) fn check_encoding(&self, are_strings: bool) -> PyResult<()> {
        match are_strings && self.utf16 == Some(true) {
            true => Err(wrong_value("utf16", "only with bytes, not with str")),
            false => Ok(()),
        }
    }

    pub(crate) fn is_given(&self, name: &str) -> bool {
        self.given.iter().any(|given| given == name)
    }

    pub(crate) fn is_format(&self, name: &str) -> bool {
        self.input_format == name
    }

    /// Returns the part of URIs that is counted, if it is not the whole.
    pub(crate) fn part(&self) -> Option<CountBy> {
        self.by
    }

    /// Whether classes are counted and reported at the end.
    pub(crate) fn counts(&self) -> bool {
        matches!(self.mode, Mode::Count | Mode::Groups)
    }

    /// Returns the sieve for texts in memory, which are plain text unless a format is named.
    pub(crate) fn of_texts(&self, cancel: &Arc<AtomicBool>) -> Builder<Sieve> {
        self.within_memory(self.of_rows(cancel))
            .mode(self.mode)
            .threads(self.threads.unwrap_or(1))
    }

    /// Returns the sieve for every occurrence in texts that are searched one after the other.
    pub(crate) fn of_rows(&self, cancel: &Arc<AtomicBool>) -> Builder<Sieve> {
        let format = match self.input_format {
            // Fields are those of JSON or of a table.
            "" => Some(
                self.fields
                    .implies()
                    .and_then(InputFormat::named)
                    .unwrap_or(InputFormat::text()),
            ),
            named => InputFormat::named(named),
        };
        self.sieve(cancel)
            .decompress(false)
            .archives(false)
            .format(format)
            .mode(Mode::All)
            .threads(1)
    }

    /// Limits the memory of a run.
    fn within_memory(&self, sieve: Builder<Sieve>) -> Builder<Sieve> {
        match self.max_memory {
            Some(bytes) => sieve.max_memory(bytes),
            None => sieve,
        }
    }

    /// Whether a URI in its canonical form is one of those that are chosen.
    pub(crate) fn admits(&self, uri: &[u8], problems: impl FnOnce() -> Problems) -> bool {
        let has_problem = self.problems.is_empty() || problems().meets(self.problems);
        has_problem && self.is_chosen(uri)
    }

    /// Whether a URI in its canonical form is one of those that are chosen, whatever its problems.
    pub(crate) fn is_chosen(&self, uri: &[u8]) -> bool {
        let matches = self.matcher.as_ref().is_none_or(|lists| lists.matches(uri));
        matches && self.choice.as_ref().is_none_or(|choice| choice(uri))
    }

    /// Whether only some URIs are chosen.
    pub(crate) fn chooses(&self) -> bool {
        self.choice.is_some() || self.matcher.is_some() || !self.problems.is_empty()
    }

    /// Returns the sieve for inputs of any format.
    pub(crate) fn of_inputs(&self, cancel: &Arc<AtomicBool>) -> Builder<Sieve> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let mut sieve = self
            .within_memory(self.sieve(cancel))
            .decompress(!self.no_decompress)
            .archives(self.input_format != "text")
            .format(InputFormat::named(self.input_format))
            .records(self.records.clone())
            .max_findings(self.most)
            .fingerprints(self.fingerprints)
            .threads(self.threads.unwrap_or_else(cores));
        if let Some(directory) = &self.temp_dir {
            sieve = sieve.temp_dir(directory);
        }
        sieve
    }

    fn sieve(&self, cancel: &Arc<AtomicBool>) -> Builder<Sieve> {
        let mut sieve = Sieve::builder()
            .delimit(self.delimit.clone())
            .utf16(self.utf16 == Some(true))
            .never_wide(self.utf16 == Some(false))
            .abbreviated(self.abbreviated)
            .bare(self.bare)
            .refang(self.refang)
            .canonicalize(self.canonicalizer.clone())
            .problems(self.problems)
            .mode(self.mode)
            .fields(self.fields.clone())
            .zone(self.zone)
            .top(self.top)
            .cancel(Arc::clone(cancel));
        if let Some(part) = self.by {
            sieve = sieve.count_by(part);
        }
        if let Some(per) = self.per {
            sieve = sieve.count_per(per);
        }
        if let Some(sequence) = self.sequence {
            sieve = sieve.sequence(sequence);
        }
        if let Some(redactor) = &self.redactor {
            sieve = sieve.redact(redactor.clone());
        }
        if let Some(choice) = self.choice.clone() {
            sieve = sieve.select(move |uri| choice(uri));
        }
        if let Some(matcher) = &self.matcher {
            sieve = sieve.matcher(Arc::clone(matcher));
        }
        if let Some(base) = &self.base {
            sieve = sieve.base(base);
        }
        sieve
    }

    /// Whether a text is read as a log: the options are about its requests.
    pub(crate) fn reads_logs(&self) -> bool {
        let is_given = |name: &&str| self.is_given(name);
        OF_EXCHANGES.iter().any(is_given) || self.by.is_some_and(CountBy::is_of_requests)
    }

    /// Returns the choice of findings by the exchange of their line or record.
    pub(crate) fn exchanges(&self) -> ExchangeFilter {
        self.exchanges.clone()
    }

    /// Returns the sieve of `links` for the inputs of `sieve`.
    pub(crate) fn linking(
        &self,
        sieve: Builder<Sieve>,
        name: impl Fn(usize) -> Arc<[u8]> + Send + Sync + 'static,
    ) -> Builder<Sieve> {
        let pairs = Pairs::new()
            .names(name)
            .mentions(self.mentions)
            .followed(self.nofollow == "drop")
            .without_self(self.weights)
            .apart(self.weights && self.nofollow == "mark");
        let nodes = self.nodes;
        let pairs = match self.node {
            Node::Page => pairs,
            _ => pairs.nodes(move |uri, key| nodes.key(uri, key)),
        };
        sieve.links(pairs).resolve_by(Rules::Whatwg)
    }

    /// Returns the finder for texts in memory.
    pub(crate) fn finder(&self, cancel: &Arc<AtomicBool>) -> Finder {
        let mut finder = Finder::builder()
            .delimit(self.delimit.clone())
            .utf16(self.utf16 == Some(true))
            .never_wide(self.utf16 == Some(false))
            .abbreviated(self.abbreviated)
            .bare(self.bare)
            .refang(self.refang)
            .cancel(Arc::clone(cancel));
        if let Some(matcher) = &self.matcher {
            finder = finder.matcher(Arc::clone(matcher));
        }
        finder.build()
    }
}

/// Returns the address of inputs that do not state their own.
///
/// # Errors
/// `ValueError`, when it is not absolute.
pub(crate) fn absolute_base(base: Option<String>) -> PyResult<Option<String>> {
    match &base {
        Some(base) if !is_base_for(base.as_bytes(), b"") => Err(wrong_value(
            "base",
            &format!("{base:?} is not an absolute URI, such as https://a.example/"),
        )),
        _ => Ok(base),
    }
}

fn walk(given: &Given<'_>) -> PyResult<Walk> {
    Walk::default()
        .hidden(given.flag("hidden")?)
        .ignore_files(given.flag("gitignore")?)
        .follow(given.flag("follow")?)
        .max_depth(given.number("max_depth")?)
        .globs(given.texts("glob")?)
        .map_err(|error| wrong_value("glob", &error.to_string()))
}

/// Returns the lists that are matched, by which URIs may be counted.
fn matched_lists(
    given: &Given<'_>,
    by: Option<CountBy>,
    threads: Option<usize>,
) -> PyResult<Option<Arc<Matcher>>> {
    let matcher = matcher(given, threads.unwrap_or(1))?;
    match by {
        Some(CountBy::Match) if matcher.is_none() => {
            Err(wrong_value("by", "match only with the option match"))
        }
        _ => Ok(matcher),
    }
}

fn against(given: &Given<'_>, mode: Mode, by: Option<CountBy>) -> PyResult<Vec<PathBuf>> {
    let known = given.paths("against")?;
    match known.is_empty() {
        false if mode == Mode::All => Err(wrong_value("against", "not with all")),
        false if by.is_some() => Err(wrong_value("against", "not with by")),
        _ => Ok(known),
    }
}

fn threads(given: &Given<'_>) -> PyResult<Option<usize>> {
    let threads = given.number("threads")?;
    match threads {
        Some(0) => Err(wrong_value("threads", "there must be at least one")),
        Some(number) if number > THREADS_MAX => {
            Err(wrong_value("threads", &format!("at most {THREADS_MAX}")))
        }
        _ => Ok(threads),
    }
}

fn temp_dir(given: &Given<'_>) -> PyResult<Option<PathBuf>> {
    let directory = given.path("temp_dir")?;
    match &directory {
        Some(path) if !path.is_dir() => {
            let why = format!("{} is not a directory", path.display());
            Err(wrong_value("temp_dir", &why))
        }
        _ => Ok(directory),
    }
}
