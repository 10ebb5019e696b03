//! The meaning of the flags on this machine: builders, inputs, the output form.

use super::destination::{Destination, OutputNames, OutputPlace};
use super::errors_file::ErrorsFile;
use super::extract_flags::Extract;
use super::flags::{self, RuleFlags};
use super::habits::Print;
use super::inputs::{Input, InputNames, STDIN, inputs};
use super::known::Known;
use super::links::{GraphFiles, LinkFlags};
use super::memory::{MemoryUses, size};
use super::progress::{self, Manner};
use super::respell::Respelling;
use super::signals::Interrupt;
use super::{form, select};
use std::path::Path;
use std::sync::Arc;
use urisieve::decode::InputFormat;
use urisieve::delimit::{Config, Hyphen, LENGTH_MAX, WRAP_MAX, Wrap, WrapLimit};
use urisieve::engine::{Mode, Progress, Sequence, Sieve, THREADS_MAX};
use urisieve::input::Walk;
use urisieve::output::{Form, OutputFormat, OutputLayout, Screen};
use urisieve::syntax::resolve::Rules;

/// Everything that a run of `extract` or `links` needs.
pub(super) struct Plan {
    pub sieve: Sieve,
    /// Inputs whose URIs are left out.
    pub known: Known,
    pub inputs: Vec<Input>,
    pub walk: Walk,
    pub form: Box<dyn Form>,
    /// The destination of the records.
    pub destination: Destination,
    /// The progress of the sieve, and how to show it.
    pub progress: Option<(Arc<Progress>, Manner)>,
    pub max_length: usize,
    /// Whether an input was named.
    pub is_named: bool,
    pub names: InputNames,
    /// The graph of the links, where it is written.
    pub graph: Option<GraphFiles>,
    /// Set when the run must end.
    pub interrupt: Interrupt,
    pub quiet: bool,
    pub messages: Speech,
    /// The file of `--errors`, opened.
    pub errors: Option<ErrorsFile>,
    /// Set when URIs are printed in another form than they are compared in.
    pub respelling: Option<Respelling>,
    pub line_buffered: bool,
    /// Whether classes are distinguished.
    pub distinct: bool,
    /// Whether URIs are printed as they are found, until memory is used up.
    pub prints_late: bool,
    pub stats: Option<StatsForm>,
    /// The uses of memory beside the reading of inputs.
    pub memory: MemoryUses,
}

/// How many messages are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speech {
    Silent,
    Brief,
    Verbose,
}

impl Speech {
    /// The messages that `--no-messages` and `-v` ask for.
    pub(super) fn new(no_messages: bool, verbose: bool) -> Speech {
        match (no_messages, verbose) {
            (true, _) => Speech::Silent,
            (_, true) => Speech::Verbose,
            _ => Speech::Brief,
        }
    }
}

/// The format of the statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatsForm {
    Text,
    Json,
}

impl StatsForm {
    /// Returns the format of statistics beside an output.
    pub(super) fn beside(format: &OutputFormat) -> StatsForm {
        match format.layout {
            OutputLayout::Objects => StatsForm::Json,
            _ => StatsForm::Text,
        }
    }
}

impl Plan {
    /// With `links`, links are reported instead of URIs.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(super) fn new(args: Extract, links: Option<LinkFlags>) -> Result<Plan, String> {
        let Extract {
            files,
            mut output,
            habits,
            equivalence,
            selection,
            input,
            rules,
        } = args;
        let max_length = size("--max-length", &rules.references.max_length)?;
        if max_length > LENGTH_MAX {
            return Err(format!(
                "--max-length: at most 1M ({LENGTH_MAX} bytes); longer candidates would be \
                 scanned again with every block"
            ));
        }
        let print = habits.settle(&mut output)?;
        let is_all = output.all || print == Print::Files;
        let mode = match (is_all, output.groups, output.count) {
            (true, _, _) => Mode::All,
            (_, true, _) => Mode::Groups,
            (_, _, true) => Mode::Count,
            _ => Mode::Distinct,
        };
        let counts = matches!(mode, Mode::Count | Mode::Groups);
        if output.top.is_some() && !counts {
            return Err("--top: only with -c or --groups".to_owned());
        }
        let (format, compression) = form::format(&output)?;
        match print {
            Print::Files if format != OutputFormat::TEXT => {
                return Err("-l: only with -f text".to_owned());
            }
            Print::Total if format != OutputFormat::TEXT => {
                return Err("--all -c: only with -f text".to_owned());
            }
            _ => {}
        }
        let records = format != OutputFormat::TEXT;
        let places = output.line_number || output.column || output.vimgrep || records;
        let threads = threads(input.threads)?;
        let mut sieve = Sieve::builder()
            .delimit(delimit_rules(&rules, max_length)?)
            .abbreviated(rules.abbreviated)
            .bare(select::identifiers(&rules.references.bare)?)
            .refang(rules.refang)
            .canonicalize(equivalence.canonicalizer()?)
            .mode(mode)
            .top(output.top)
            .max_findings(habits.most(print))
            .reasons(mode == Mode::Groups && format.layout == OutputLayout::Objects)
            .originals(records || output.original)
            .lines(places && !counts)
            .decompress(!input.no_decompress)
            .archives(input.input_format != "text")
            .format(InputFormat::named(&input.input_format))
            .utf16(input.utf16)
            .threads(threads);
        if let Some(part) = form::part(&output) {
            sieve = sieve.count_by(part);
        }
        if let Some(sequence) = sequence(&output) {
            sieve = sieve.sequence(sequence);
        }
        if let Some(redactor) = output.report.privacy.redactor()? {
            sieve = sieve.redact(redactor);
        }
        sieve = sieve.problems(select::problems(&selection.problem)?);
        if let Some(select) = select::selection(selection)? {
            sieve = sieve.select(select);
        }
        let names = InputNames::new(input.label.as_deref().unwrap_or(STDIN));
        sieve = sieve.records(select::records(&input)?);
        if let Some(links) = &links {
            sieve = sieve.links(links.pairs(&names)).resolve_by(Rules::Whatwg);
            if let Some(base) = &links.base {
                sieve = sieve.base(base);
            }
        }
        let graph_dir = links.as_ref().and_then(|links| links.graph.as_deref());
        let memory = MemoryUses {
            graph: graph_dir.is_some(),
            table: format.layout == OutputLayout::Columns,
            ..MemoryUses::default()
        };
        let shares = input.memory.shares(memory)?;
        sieve = input.memory.configure(sieve, &shares)?;
        sieve = input.dedup.configure(sieve, mode)?;
        let walk = input.walk.walk()?;
        if !input.against.is_empty() && form::part(&output).is_some() {
            return Err(
                "--against: not with --by and -cH, which count all that is read".to_owned(),
            );
        }
        let known = Known::open(input.against, &walk)?;
        sieve = known.configure(sieve);
        let is_listed = input.walk.files_from.is_some();
        let is_named = !files.is_empty() || is_listed;
        let inputs = inputs(files, input.walk.files_from, habits.null_data)?;
        not_twice(&known, &inputs)?;
        let gives = is_named && !inputs.is_empty();
        // Opening a named pipe waits for its reader; a signal ends the wait, too.
        let path = output.report.output.as_deref();
        let mut outputs = OutputNames::new();
        let destination = Destination::named(path, compression, threads, gives, &mut outputs)?;
        let errors = errors(
            output.report.messages.errors.as_deref(),
            known.inputs().chain(inputs.iter().cloned()),
            &mut outputs,
        )?;
        let interrupt = Interrupt::wait().map_err(|error| error.to_string())?;
        sieve = sieve.cancel(interrupt.flag());
        let terminal = destination.is_terminal();
        form::check_terminal(format, terminal && !output.report.quiet)?;
        let screen = screen(output.report.color, terminal);
        let rows = match &links {
            Some(links) => links.rows(&output),
            None => form::rows(&output),
        };
        let form = match print.form(output.report.null, screen) {
            Some(form) => form,
            None => form::form(rows, &output, format, shares.row_group, screen)?,
        };
        let prints = output.report.output.is_some();
        let graph = match graph_dir {
            Some(dir) => Some(GraphFiles::open(
                dir,
                input.memory.graph(&shares),
                prints,
                threads,
                &mut outputs,
            )?),
            None => None,
        };
        let manner = match output.report.quiet || output.report.messages.no_messages {
            true => None,
            false => progress::manner(output.report.messages.progress, terminal),
        };
        let progress = manner.map(|manner| (Arc::new(Progress::default()), manner));
        if let Some((progress, _)) = &progress {
            sieve = sieve.progress(Arc::clone(progress));
        }
        Ok(Plan {
            sieve: sieve.build(),
            known,
            inputs,
            walk,
            form,
            destination,
            progress,
            max_length,
            is_named,
            names,
            graph,
            interrupt,
            quiet: output.report.quiet,
            messages: Speech::new(
                output.report.messages.no_messages,
                output.report.messages.verbose,
            ),
            errors,
            // A part is not a URI: its form writes it in the right way.
            respelling: match output.surt {
                _ if form::part(&output).is_some() => None,
                Some(form) => Some(Respelling::surt(form)),
                None => output.report.privacy.respelling(),
            },
            line_buffered: output.report.line_buffered,
            distinct: mode != Mode::All,
            prints_late: mode == Mode::Distinct && !output.sort,
            memory,
            stats: (output.report.messages.stats).then_some(StatsForm::beside(format)),
        })
    }
}

/// How many threads do the work.
pub(super) fn threads(typed: Option<usize>) -> Result<usize, String> {
    match typed {
        Some(0) => Err("-j: there must be at least one thread".to_owned()),
        Some(threads) if threads > THREADS_MAX => Err(format!("-j: at most {THREADS_MAX} threads")),
        Some(threads) => Ok(threads),
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
    }
}

/// Opens the file of `--errors`.
///
/// # Errors
/// A message that names the flag, when the file is one of `inputs` or another output.
pub(super) fn errors(
    path: Option<&Path>,
    inputs: impl Iterator<Item = Input>,
    outputs: &mut OutputNames,
) -> Result<Option<ErrorsFile>, String> {
    let Some(path) = path else {
        return Ok(None);
    };
    let place = apart("--errors", path, inputs, outputs)?;
    match ErrorsFile::open(place) {
        Ok(file) => Ok(Some(file)),
        Err(error) => Err(format!("--errors {}: {error}", path.display())),
    }
}

/// Takes a place for an output that is not the records.
///
/// # Errors
/// A message that names the flag, when the file is one of `inputs` or another output.
pub(super) fn apart(
    flag: &str,
    path: &Path,
    mut inputs: impl Iterator<Item = Input>,
    outputs: &mut OutputNames,
) -> Result<OutputPlace, String> {
    let place = outputs.take(flag, path)?;
    let is_read = |input: Input| match input {
        Input::Path(path) => {
            path.is_file() && path.canonicalize().ok().as_deref() == Some(place.path())
        }
        Input::Stdin => false,
    };
    match place.replaces() && inputs.any(is_read) {
        true => Err(format!("{flag}: names an input, which would be lost")),
        false => Ok(place),
    }
}

/// Returns the order of the records, when a flag changes it.
fn sequence(output: &flags::OutputFlags) -> Option<Sequence> {
    if output.sort {
        Some(Sequence::Sorted)
    } else if output.report.unordered {
        Some(Sequence::Unordered)
    } else if output.count {
        Some(Sequence::Frequent)
    } else {
        None
    }
}

/// Returns what the output form escapes and colors, by whether it is a terminal.
fn screen(color: flags::Color, terminal: bool) -> Screen {
    let plain = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let colors = match color {
        flags::Color::Always => true,
        flags::Color::Never => false,
        flags::Color::Auto => terminal && !plain("NO_COLOR") && !dumb,
    };
    let screen = match terminal {
        true => Screen::SAFE,
        false => Screen::default(),
    };
    screen.colors(colors)
}

fn delimit_rules(args: &RuleFlags, max_length: usize) -> Result<Config, String> {
    let (bytes, lines) = match args.wrap_limit.split_once(',') {
        Some((bytes, lines)) => (bytes, lines),
        None => (&args.wrap_limit[..], "20"),
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
    let all = args.references.opaque.iter().any(|name| name == "all");
    Ok(Config::default()
        .wrap(match args.wrap {
            flags::WrapFlag::Lines => Wrap::Lines,
            flags::WrapFlag::Any => Wrap::Any,
            flags::WrapFlag::Off => Wrap::Off,
        })
        .wrap_limit(limit)
        .hyphen(match args.hyphen {
            flags::HyphenFlag::Keep => Hyphen::Keep,
            flags::HyphenFlag::Drop => Hyphen::Drop,
            flags::HyphenFlag::Both => Hyphen::Both,
        })
        .nested(args.nested)
        .ascii(args.ascii)
        .strict(args.strict)
        .all_references(args.references.all_references)
        .max_length(max_length)
        .opaque_all(all)
        .opaque(args.references.opaque.iter().filter(|name| *name != "all")))
}

/// # Errors
/// A message, when standard input is both an input and named by `--against`.
pub(super) fn not_twice(known: &Known, inputs: &[Input]) -> Result<(), String> {
    let is_stdin = |input: &Input| matches!(input, Input::Stdin);
    match known.has_stdin() && inputs.iter().any(is_stdin) {
        true => Err(
            "--against -: standard input cannot also be an input of the run; \
                    name a file for one of them"
                .to_owned(),
        ),
        false => Ok(()),
    }
}
