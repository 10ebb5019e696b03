//! The command `links`: its flags, and what they mean. The run is that of `extract`.

use super::destination::{CompleteFile, Destination, FileCompression, OutputNames};
use super::equivalence::Equivalence;
use super::extract_flags::Extract;
use super::flags::{
    CountFlags, InputFlags, OrderFlags, OutputFlags, ReferenceFlags, ReportFlags, RuleFlags,
    Selection, shown, worded,
};
use super::habits::Habits;
use super::inputs::InputNames;
use super::printable::printable;
use clap::ValueEnum;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use urisieve::Pairs;
use urisieve::item::Finding;
use urisieve::links::{Graph, Node};
use urisieve::output::{LinkFields, RowKind};

/// Print which page links to which: SOURCE<TAB>TARGET, each pair once
///
/// The source is the URI of the page: that of its record in a web archive, otherwise
/// --base, otherwise the name of the input. Targets are the references of markup and of
/// HTTP headers, resolved against the base of the page. Text is searched only with
/// --mentions.
#[derive(Debug, clap::Args)]
#[command(after_help = "--help has every option and examples.", after_long_help = EXAMPLES)]
pub(super) struct Links {
    #[command(flatten)]
    links: LinkFlags,

    #[command(flatten)]
    output: LinkOutput,

    #[command(flatten)]
    equivalence: Equivalence,

    #[command(flatten)]
    selection: Selection,

    #[command(flatten)]
    input: InputFlags,

    #[command(flatten)]
    references: ReferenceFlags,
}

const EXAMPLES: &str = "\
Examples:
  The links of a crawl, each once
      urisieve links crawl.warc.gz > links.tsv
  Which hosts link to which, for the tools of web graphs
      urisieve links --node host --graph graph/ crawl.warc.gz
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
pub(super) struct LinkFlags {
    /// What is linked: page (default), host or domain
    ///
    /// host: names of hosts in reverse order, without www: com.example. domain: registered
    /// domains, by the ICANN section of the public suffix list. A node is not linked to
    /// itself; a page without links to other nodes gives its node twice. Addresses and
    /// hosts that cannot be those of a public site are left out, and --stats counts them.
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "page",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub node: NodeFlag,

    /// The URI of inputs that do not state their own
    #[arg(long, value_name = "URI")]
    pub base: Option<String>,

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
    pub nofollow: NofollowFlag,

    /// Print URIs in the text, too: in comments, scripts, other attributes
    #[arg(long)]
    pub mentions: bool,

    /// Write vertices.txt.gz and edges.txt.gz into DIR, for tools of web graphs
    ///
    /// Vertices are ID<TAB>NAME, in byte order of the names, edges ID<TAB>ID. DIR is
    /// created if it does not exist. The files appear only when they are complete. Nothing else
    /// is printed, unless -o names a file.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["count", "quiet", "all"])]
    pub graph: Option<PathBuf>,
}

/// The nodes that are linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum NodeFlag {
    Page,
    Host,
    Domain,
}

/// What is done with links that are not to be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum NofollowFlag {
    Keep,
    Drop,
    Mark,
}

/// The formats of links, and the columns of tables.
const FORMATS: &str = "text, jsonl, csv, tsv or parquet [default: by the extension of -o]";
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
pub(super) struct LinkOutput {
    #[command(flatten)]
    counts: CountFlags,

    #[command(flatten)]
    order: OrderFlags,

    #[command(flatten)]
    report: ReportFlags,
}

impl Links {
    /// Returns the run as one of `extract`, and the flags that only links have.
    pub(super) fn into_extract(self) -> (Extract, LinkFlags) {
        let Links {
            links,
            output,
            equivalence,
            selection,
            input,
            references,
        } = self;
        let extract = Extract {
            output: OutputFlags {
                counts: output.counts,
                order: output.order,
                report: output.report,
                ..OutputFlags::default()
            },
            habits: Habits::default(),
            equivalence,
            selection,
            input,
            rules: RuleFlags {
                references,
                ..RuleFlags::default()
            },
        };
        (extract, links)
    }
}

impl LinkFlags {
    fn node(&self) -> Node {
        match self.node {
            NodeFlag::Page => Node::Page,
            NodeFlag::Host => Node::Host,
            NodeFlag::Domain => Node::Domain,
        }
    }

    /// Returns the pairs that are reported; pages without a URI have the `names` of the
    /// inputs.
    pub(super) fn pairs(&self, names: &InputNames) -> Pairs {
        let names = names.clone();
        let pairs = Pairs::new()
            .names(move |input| names.get(input))
            .mentions(self.mentions)
            .followed(self.nofollow == NofollowFlag::Drop);
        match self.node() {
            Node::Page => pairs,
            node => pairs.nodes(move |uri, key| node.key(uri, key)),
        }
    }

    /// Returns the kind of the rows.
    pub(super) fn rows(&self, output: &OutputFlags) -> RowKind {
        RowKind::Links(LinkFields {
            nodes: self.node != NodeFlag::Page,
            counts: output.counts.count,
            marks: self.nofollow == NofollowFlag::Mark,
        })
    }
}

/// The graph of the links, and the files that it is written to.
pub(super) struct GraphFiles {
    graph: Graph,
    vertices: Destination,
    edges: Destination,
    dir: PathBuf,
    /// Whether the records are written, too.
    pub prints: bool,
}

impl GraphFiles {
    /// Opens the files of `graph` in `dir`, which is made if it does not exist. The other
    /// outputs of the run are `outputs`.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(super) fn open(
        dir: &Path,
        graph: Graph,
        prints: bool,
        threads: usize,
        outputs: &mut OutputNames,
    ) -> Result<GraphFiles, String> {
        let failed = |error: io::Error| {
            let name = printable(dir.as_os_str().as_encoded_bytes());
            format!("--graph {name}: {error}")
        };
        fs::create_dir_all(dir).map_err(failed)?;
        let mut file = |name| {
            let path = dir.join(name);
            let place = outputs.take("--graph", &path)?;
            Destination::at(place, &path, FileCompression::Gzip, threads).map_err(failed)
        };
        Ok(GraphFiles {
            graph,
            vertices: file("vertices.txt.gz")?,
            edges: file("edges.txt.gz")?,
            dir: dir.to_owned(),
            prints,
        })
    }

    /// The name of the directory.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Adds a link.
    ///
    /// # Errors
    /// That of a graph that is too large, and those of the temporary file.
    pub(super) fn add(&mut self, finding: &Finding) -> io::Result<()> {
        let source = finding.source.unwrap_or_default();
        self.graph.add(source, finding.uri)
    }

    /// Writes the files, which are to appear together. Returns them, and the number of bytes
    /// that were written to the temporary file.
    ///
    /// # Errors
    /// Those of writing them, and of the temporary file.
    pub(super) fn complete(self) -> io::Result<(u64, Vec<CompleteFile>)> {
        let GraphFiles {
            graph,
            mut vertices,
            mut edges,
            ..
        } = self;
        let counts = graph.write(&mut vertices, &mut edges)?;
        let files = [vertices.complete()?.1, edges.complete()?.1];
        let files = files.into_iter().flatten().collect();
        Ok((counts.temporary_bytes, files))
    }
}
