//! The command `rewrite`: the bytes of its inputs, with other URIs in them (I29).

use super::flags::StreamFlags;
use super::line_loop::{self, LineOutput, LineWork};
use super::uri_map::UriMap;
use crate::cli::destination::printer::Printer;
use crate::cli::destination::respell::is_bare;
use crate::cli::destination::{Destination, OutputNames, form};
use crate::cli::flags::equivalence::Equivalence;
use crate::cli::flags::{BaseFlag, LogFlags, worded};
use crate::cli::indicator_lists::IndicatorLists;
use crate::cli::inputs::{self, InputNames};
use crate::cli::report::messages::{self, Messages, Speech};
use crate::cli::report::printable::printable;
use crate::cli::report::progress::Line;
use crate::cli::report::stderr;
use crate::cli::shard::InputShard;
use crate::cli::signals::Interrupt;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use urisieve::canonicalize::{Level, Redactor};
use urisieve::input::Walk;
use urisieve::item::Finding;
use urisieve::output::{OutputFormat, defang, defang_bare};
use urisieve::{RewriteLimit, Rewriter};

/// Write the input again with its URIs redacted, defanged, canonical or mapped
///
/// Every other byte stays: text, logs, JSON Lines and tables keep their form, and a URI is
/// written in the escapes of its place. A flag says what becomes of URIs: -L, --redact, --defang,
/// --refang, --map, --drop-param and the like; without one the output is the input. Without -L
/// a URI keeps its spelling. The targets of requests in logs are rewritten, too.
///
/// Compressed input is written plain, or as the extension of -o says. Archives, UTF-16 and
/// documents that are no text are passed on unchanged, which is said; with --redact the exit
/// code is then 2. So it is for mail, whose encoded parts stay.
#[derive(Debug, clap::Args)]
#[command(
    after_long_help = EXAMPLES,
    mut_arg("stats", |arg| worded(arg, "Print numbers of URIs to standard error", "")),
    mut_arg("output", |arg| worded(arg, "Write to FILE, which appears only when it is complete", "")),
    mut_arg("level", |arg| worded(arg, "Write URIs in the form of a level: lexical, syntax, scheme", ""))
)]
pub(in crate::cli) struct Rewrite {
    /// Files; without them, or with -, standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Replace URIs by those of a table: lines with a URI, a tab, and the one in its place
    ///
    /// URIs are compared at level lexical, or at that of -L. Of several rows with an equal URI
    /// the first counts. Empty lines and lines that begin with # are skipped.
    #[arg(long, value_name = "TABLE", help_heading = "URIs")]
    map: Option<PathBuf>,

    #[command(flatten)]
    stream: StreamFlags,

    #[command(flatten)]
    logs: LogFlags,

    #[command(flatten)]
    base: BaseFlag,

    // Last, because its heading applies to all flags after it.
    #[command(flatten)]
    equivalence: Equivalence,
}

const EXAMPLES: &str = "\
Examples:
  A log that can be given away: no passwords and tokens in its URIs
      urisieve rewrite --redact=@secrets access.log > shared.log
  The same of lines as they come
      tail -F app.log | urisieve rewrite --redact=@secrets
  A report that nobody can click on
      urisieve rewrite --defang report.md
  Links that moved: old URIs, a tab, new ones
      urisieve rewrite --map moved.tsv -o new.md old.md

Exit codes: 0 something found, 1 nothing found, 2 an error; 143 after SIGTERM: what waits
in a pipe is still passed on.";

/// Runs the command.
pub(in crate::cli) fn run(args: Rewrite) -> ExitCode {
    match rewrite(args) {
        Ok(code) => code,
        Err(message) => messages::usage(&message),
    }
}

fn rewrite(args: Rewrite) -> Result<ExitCode, String> {
    let speech = args.stream.silence.speech();
    let lists = IndicatorLists::open(&args.stream.selection.matching, 1, speech, false)?;
    let redactor = args.stream.privacy.redactor()?;
    if redactor.as_ref().is_some_and(Redactor::hides_clients) {
        return Err("--redact: client: not with rewrite, which only changes URIs".to_owned());
    }
    let rewriter = rewriter(&args, &lists)?;
    let map = match &args.map {
        Some(path) => Some(UriMap::open(path, args.equivalence.canonicalizer()?)?),
        None => None,
    };
    let is_named = !args.files.is_empty();
    let inputs = inputs::inputs(args.files, None, false)?;
    inputs::are_lists(&inputs, &Walk::default())?;
    let mut outputs = OutputNames::new();
    let out = args.stream.output.path();
    // The form of the output is that of the input, whatever its name says.
    let (_, compression) = form::by_flags(out, Some(OutputFormat::TEXT), OutputFormat::TEXT)?;
    let destination = Destination::named(out, compression, 1, is_named, &mut outputs)?;
    let interrupt = Interrupt::wait().map_err(|error| error.to_string())?;
    messages::keyboard(is_named, speech != Speech::Silent);
    let names = InputNames::new(inputs::STDIN);
    let report = Messages::new(names.clone(), usize::MAX, speech, None, Line::hidden());
    let which = (names.clone(), InputShard::default());
    let sources = inputs::sources(inputs, Walk::default(), which);
    let mut work = RewriteWork {
        rewriter,
        change: UriChange {
            map,
            redactor,
            defangs: args.stream.privacy.defang,
            buffer: Vec::new(),
            changed: 0,
        },
        head: None,
        limit: None,
        limited: 0,
        failed: false,
        speaks: speech != Speech::Silent,
    };
    let output = LineOutput {
        printer: Printer::new(destination),
        report,
        interrupt: &interrupt,
        speech,
        quiet: false,
    };
    let name = |number| names.get(number).to_vec();
    let ended = line_loop::run(sources, name, output, &mut work, |work| {
        work.say(args.stream.stats.stats);
    });
    let ended = match ended {
        Ok(ended) => ended,
        Err(code) => return Ok(code),
    };
    let stats = *work.rewriter.stats();
    // Where something was not read, a secret may remain.
    let remains = work.limited > 0 || stats.too_long > 0;
    let remains = remains && work.change.redactor.is_some();
    let lost = ended.lost || work.failed || lists.bad > 0 || remains;
    let found = stats.occurrences > 0;
    Ok(messages::code(lost, ended.interrupted, u8::from(!found)))
}

fn rewriter(args: &Rewrite, lists: &IndicatorLists) -> Result<Rewriter, String> {
    let canonicalizer = args.equivalence.canonicalizer_or(Level::None)?;
    let mut sieve = args.stream.sieve(lists, canonicalizer)?;
    sieve = sieve.log_format(args.logs.log_format.clone());
    if let Some(base) = args.base.uri()? {
        sieve = sieve.base(base);
    }
    let rewriter = sieve.build().rewriter();
    rewriter.map_err(|error| error.to_string())
}

/// Changes URIs, beyond their form of a level.
struct UriChange {
    map: Option<UriMap>,
    redactor: Option<Redactor>,
    defangs: bool,
    buffer: Vec<u8>,
    /// The number of URIs that were changed.
    changed: u64,
}

impl UriChange {
    fn change(&mut self, finding: &Finding, uri: &mut Vec<u8>) {
        if let Some(new) = self.map.as_mut().and_then(|map| map.get(uri)) {
            uri.clear();
            uri.extend_from_slice(new);
        }
        if let Some(redactor) = &self.redactor {
            let redacted = redactor.redact(uri, &mut self.buffer);
            if redacted != uri.as_slice() {
                let redacted = redacted.len();
                std::mem::swap(uri, &mut self.buffer);
                uri.truncate(redacted);
            }
        }
        if self.defangs {
            self.buffer.clear();
            match is_bare(finding) {
                true => defang_bare(uri, &mut self.buffer),
                false => defang(uri, &mut self.buffer),
            }
            std::mem::swap(uri, &mut self.buffer);
        }
        self.changed += u64::from(uri != finding.uri || finding.marks.refanged);
    }
}

/// Rewrites the inputs.
struct RewriteWork {
    rewriter: Rewriter,
    change: UriChange,
    /// The first bytes of an input, while they may still show what it is.
    head: Option<Vec<u8>>,
    /// What of the input is passed on as it is.
    limit: Option<RewriteLimit>,
    /// The number of inputs that were not rewritten as a whole.
    limited: u64,
    failed: bool,
    speaks: bool,
}

/// The bytes that show what an input is.
const HEAD: usize = 512;

impl RewriteWork {
    /// Rewrites a piece of an input that is known to be text.
    fn push(&mut self, name: &[u8], piece: &[u8], out: &mut Vec<u8>) {
        if let Some(RewriteLimit::Whole(_)) = self.limit {
            return out.extend_from_slice(piece);
        }
        let RewriteWork {
            rewriter, change, ..
        } = self;
        let pushed = rewriter.push(piece, out, |finding, uri| change.change(finding, uri));
        if let Err(error) = pushed {
            self.fail(name, &error);
        }
    }

    /// Decides what an input is that begins with `head`, and rewrites that.
    fn begin_with(&mut self, name: &[u8], head: &[u8], out: &mut Vec<u8>) {
        self.limit = RewriteLimit::of(head);
        self.limited += u64::from(self.limit.is_some());
        let said = match self.limit {
            Some(RewriteLimit::Whole(what)) => Some(format!("{what}: passed on unchanged")),
            Some(RewriteLimit::Parts(what)) => Some(format!("{what}: encoded parts stay")),
            _ => None,
        };
        if let Some(said) = said.filter(|_| self.speaks) {
            let remains = match self.change.redactor {
                Some(_) => "; secrets may remain",
                None => "",
            };
            stderr::say(format_args!("{}: {said}{remains}", printable(name)));
        }
        self.push(name, head, out);
    }

    /// A stage panicked: the rest of the input is not written.
    fn fail(&mut self, name: &[u8], error: &urisieve::Error) {
        self.failed = true;
        if self.speaks {
            stderr::say(format_args!("{}: {error}", printable(name)));
        }
    }

    fn say(&self, stats: bool) {
        let counts = self.rewriter.stats();
        if self.speaks && counts.too_long > 0 {
            let uris = stderr::number_of(counts.too_long, "URI");
            stderr::say(format_args!(
                "{uris} longer than --max-length: not rewritten"
            ));
        }
        let rows = [
            (counts.occurrences, "uris"),
            (self.change.changed, "changed"),
            (self.limited, "inputs_not_rewritten"),
        ];
        for (number, name) in rows.iter().filter(|row| stats && row.0 > 0) {
            stderr::line(format_args!("{number:>14} {name}"));
        }
    }
}

impl LineWork for RewriteWork {
    fn is_by_lines(&self) -> bool {
        false
    }

    fn begin(&mut self) {
        self.head = Some(Vec::new());
        self.limit = None;
    }

    fn lines(&mut self, name: &[u8], piece: &[u8], out: &mut Vec<u8>) -> ControlFlow<()> {
        match self.head.take() {
            None => self.push(name, piece, out),
            Some(mut head) => {
                head.extend_from_slice(piece);
                match head.len() < HEAD && memchr::memchr(b'\n', &head).is_none() {
                    true => self.head = Some(head),
                    false => self.begin_with(name, &head, out),
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn part(&mut self, _: &[u8], _: bool, _: &mut Vec<u8>) {}

    fn end(&mut self, name: &[u8], out: &mut Vec<u8>) {
        if let Some(head) = self.head.take().filter(|head| !head.is_empty()) {
            self.begin_with(name, &head, out);
        }
        let RewriteWork {
            rewriter, change, ..
        } = self;
        let ended = rewriter.finish(out, |finding, uri| change.change(finding, uri));
        if let Err(error) = ended {
            self.fail(name, &error);
        }
    }
}
