//! The command `links`: its flags, and what they mean. The run is that of every search.

use super::plan::{Plan, SearchFlags, SearchTask};
use super::run;
use crate::cli::destination::form;
use crate::cli::flags::{
    BaseFlag, CountFlags, MatchWithFlag, OrderFlags, ReferenceFlags, ReportFlags, shown, worded,
};
use crate::cli::inputs::InputNames;
use crate::cli::report::hints::LookedFor;
use crate::cli::search::habits::Print;
use crate::cli::seen::settings::StoredKeys;
use clap::ValueEnum;
use std::path::PathBuf;
use std::process::ExitCode;
use urisieve::delimit::Config;
use urisieve::links::{Node, NodeRules, SUFFIX_LIST};
use urisieve::output::{LinkFields, OutputFormat, RowKind, Text};
use urisieve::syntax::resolve::Rules;
use urisieve::{Mode, Pairs, Sieve};

/// Print which page links to which: SOURCE<TAB>TARGET, each pair once
///
/// The source is the URI of the page: that of its record in a web archive, otherwise
/// --base, otherwise the name of the input. Targets are the references of markup and of
/// HTTP headers, resolved against the base of the page. Text is searched only with
/// --mentions.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "--help has every option and examples.",
    after_long_help = EXAMPLES,
    mut_arg("status", |arg| worded(
        arg,
        "Only HTTP responses in web archives with these status codes: 2xx,404",
        "--stats counts the records that are not read. Other inputs are always read."
    ))
)]
pub(in crate::cli) struct Links {
    #[command(flatten)]
    links: LinkFlags,

    #[command(flatten)]
    output: LinkOutput,

    #[command(flatten)]
    search: SearchFlags,

    #[command(flatten)]
    references: ReferenceFlags,
}

const EXAMPLES: &str = "\
Examples:
  The links of a crawl, each once
      urisieve links crawl.warc.gz > links.tsv
  Which hosts link to which, for the tools of web graphs
      urisieve links --node host --graph graph/ crawl.warc.gz
  How often hosts link to others, without those that nobody registered
      urisieve links --node host --valid-tld --weights crawl.warc.gz
  The domains that link to a host, most frequent first
      urisieve links --node domain --host a.example -c crawl.warc.gz
  The links of a saved page, as JSON Lines
      urisieve links --base https://a.example/b/ --json page.html
  The links of pages that were found, without those marked nofollow
      urisieve links --status 2xx --nofollow drop crawl.warc.gz

Exit codes: 0 something found, 1 nothing found, 2 an error, also when only a
part of the input could not be read: everything else is still printed; 130
interrupted, 143 terminated: what was found until then is printed.";

/// The links that are found, and the nodes between which they are.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Links")]
struct LinkFlags {
    /// The ends of links: page (default), host, domain or private-domain
    ///
    /// host: names of hosts in reverse order: com.example.www, with --strip-www com.example
    /// where a domain remains. domain: registered domains, by the ICANN section of the
    /// public suffix list. private-domain: by its private section, too: user.github.io. A node is not linked to itself; a page without links to other
    /// nodes gives its node twice. Only http, https, ws, wss and ftp have hosts. Addresses and
    /// hosts that cannot be those of a public site are left out, and --stats counts them.
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "page",
        hide_default_value = true,
        hide_possible_values = true
    )]
    node: NodeFlag,

    /// Only hosts whose last label is in the ICANN section of the public suffix list
    ///
    /// With --node. Links of other hosts, such as printer.local and file.html, are counted by
    /// --stats as without_node.
    #[arg(long, hide_short_help = true)]
    valid_tld: bool,

    #[command(flatten)]
    base: BaseFlag,

    /// Links that the page asks not to follow: keep (default), drop or mark
    ///
    /// They have nofollow, ugc or sponsored in rel, or the whole page has nofollow.
    /// mark: nofollow in a third column, or as a key.
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "keep",
        hide_default_value = true,
        hide_possible_values = true
    )]
    nofollow: NofollowFlag,

    /// Print URIs in the text, too: in comments, scripts, other attributes
    #[arg(long)]
    mentions: bool,

    /// Print SOURCE<TAB>TARGET<TAB>COUNT: how often each pair is linked, most frequent first
    ///
    /// Links are counted before they are deduplicated; those to the page or the node itself are
    /// left out. With --nofollow mark the links that are not to be followed are pairs of their
    /// own, with nofollow in a fourth column.
    #[arg(long, conflicts_with_all = ["count", "all", "graph"])]
    weights: bool,

    /// Write vertices.txt.gz and edges.txt.gz into DIR, for tools of web graphs
    ///
    /// Vertices are ID<TAB>NAME, in byte order of the names, edges ID<TAB>ID. DIR is
    /// created if it does not exist. The files appear only when they are complete. Nothing else
    /// is printed, unless -o names a file.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["count", "quiet", "all"])]
    graph: Option<PathBuf>,
}

/// The nodes that are linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NodeFlag {
    Page,
    Host,
    Domain,
    PrivateDomain,
}

/// The treatment of links that a page asks not to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NofollowFlag {
    Keep,
    Drop,
    Mark,
}

/// The formats of links, and the columns of tables.
const FORMATS: &str = "text, jsonl, csv, tsv, parquet or html [default: by the extension of -o]";
const COLUMNS: &str = "\
Tables have the keys of the JSON records as columns: s, t, path, rel, nofollow, \
file, offset, length, warc.offset and so on; of hosts and domains, s and t.";

/// The records that are printed of links, and their form.
#[derive(Debug, clap::Args)]
#[command(
    next_help_heading = "Output",
    mut_arg("all", |arg| {
        worded(arg, "Print every occurrence, not once per pair", "").conflicts_with("count")
    }),
    mut_arg("count", |arg| {
        worded(arg, "Print COUNT<TAB>SOURCE<TAB>TARGET, most frequent first", "")
    }),
    mut_arg("top", |arg| worded(arg, "With -c, print only the first N", "").requires("count")),
    mut_arg("sort", |arg| {
        shown(worded(arg, "Print in byte order of the pairs, not in input order", ""))
    }),
    mut_arg("format", |arg| worded(arg, FORMATS, COLUMNS))
)]
struct LinkOutput {
    #[command(flatten)]
    counts: CountFlags,

    #[command(flatten)]
    order: OrderFlags,

    #[command(flatten)]
    match_with: MatchWithFlag,

    #[command(flatten)]
    report: ReportFlags,
}

/// Runs the command.
pub(in crate::cli) fn run(args: Links) -> ExitCode {
    run::run(args.plan())
}

impl Links {
    /// # Errors
    /// A message that names the flag.
    fn plan(self) -> Result<Plan, String> {
        let Links {
            links,
            output,
            mut search,
            references,
        } = self;
        let LinkOutput {
            mut counts,
            order,
            match_with,
            report,
        } = output;
        let max_length = references.max_length()?;
        let mut nodes = NodeRules::new(links.node()).valid_tld(links.valid_tld);
        if links.valid_tld && links.node() == Node::Page {
            return Err("--valid-tld: only with --node host, domain or private-domain".to_owned());
        }
        let own = links.key_settings(search.equivalence.strip_www);
        if links.node() != Node::Page {
            // A name loses `www.` by the rules of nodes, not by those of URIs.
            nodes = nodes.strip_www(std::mem::take(&mut search.equivalence.strip_www));
        }
        counts.count |= links.weights;
        let mode = match (counts.all, counts.count) {
            (true, _) => Mode::All,
            (_, true) => Mode::Count,
            _ => Mode::Distinct,
        };
        order.check(mode)?;
        let (format, compression) = form::format(&report)?;
        form::check_hosts(format, report.privacy.defang)?;
        let threads = search.input.resources.threads()?;
        let names = search.input.text.stdin.names();
        let records = format != OutputFormat::TEXT;
        let entries = match_with.is_for(format)?;
        let mut sieve = Sieve::builder()
            .delimit(references.configure(Config::default(), max_length))
            .bare(references.bare.kinds()?)
            .originals(records)
            .matched(records || entries)
            .lines(records && !counts.count)
            .positions(records)
            .links(links.pairs(nodes, &names))
            .resolve_by(Rules::Whatwg);
        if let Some(base) = links.base.uri()? {
            sieve = sieve.base(base);
        }
        let task = SearchTask {
            sieve,
            mode,
            names,
            wanted: LookedFor::Links,
            threads,
            max_length,
            format,
            compression,
            print: Print::Findings,
            rows: links.rows(counts.count),
            text: Text::default()
                .counts(counts.count)
                .zero(report.null)
                .entries(match_with.match_with),
            respelling: report.privacy.respelling(),
            graph: links.graph,
            zero_names: false,
            json_report: false,
            keys: Some(StoredKeys::Pair(own)),
            all_entries: false,
            by_lines: false,
            shapes: None,
        };
        Plan::new(task, (counts, order), report, search)
    }
}

impl LinkFlags {
    fn node(&self) -> Node {
        match self.node {
            NodeFlag::Page => Node::Page,
            NodeFlag::Host => Node::Host,
            NodeFlag::Domain => Node::Domain,
            NodeFlag::PrivateDomain => Node::PrivateDomain,
        }
    }

    /// Returns the settings that decide what the pairs are.
    fn key_settings(&self, strip_www: bool) -> Vec<(&'static str, String)> {
        let name = self.node.to_possible_value();
        let name = name.map_or(String::new(), |name| name.get_name().to_owned());
        let is_domain = matches!(self.node, NodeFlag::Domain | NodeFlag::PrivateDomain);
        let is_apart = self.weights && self.nofollow == NofollowFlag::Mark;
        let set = |is_set: bool, value: &str| if is_set { value } else { "" }.to_owned();
        vec![
            ("node", name),
            ("suffixes", set(is_domain, SUFFIX_LIST)),
            ("strip-www", set(strip_www, "on")),
            ("nofollow-apart", set(is_apart, "on")),
        ]
    }

    /// Returns the pairs that are reported; pages without a URI have the `names` of the
    /// inputs.
    fn pairs(&self, nodes: NodeRules, names: &InputNames) -> Pairs {
        let names = names.clone();
        let pairs = Pairs::new()
            .names(move |input| names.get(input))
            .mentions(self.mentions)
            .followed(self.nofollow == NofollowFlag::Drop)
            .without_self(self.weights)
            .apart(self.weights && self.nofollow == NofollowFlag::Mark);
        match self.node() {
            Node::Page => pairs,
            _ => pairs.nodes(move |uri, key| nodes.key(uri, key)),
        }
    }

    /// Returns the kind of the rows.
    fn rows(&self, counts: bool) -> RowKind {
        RowKind::Links(LinkFields {
            nodes: self.node != NodeFlag::Page,
            counts,
            marks: self.nofollow == NofollowFlag::Mark,
            weights: self.weights,
        })
    }
}
