//! The meaning of the flags on this machine: builders, inputs, the output form.

use super::destination::{Destination, OutputNames};
use super::errors_file::ErrorsFile;
use super::extract_flags::Extract;
use super::flags::{self, NamedInputs, RuleFlags};
use super::habits::Print;
use super::inputs::InputNames;
use super::known::Known;
use super::links::{GraphFiles, LinkFlags};
use super::memory::{MemoryUses, size};
use super::messages::Speech;
use super::progress::Manner;
use super::respell::Respelling;
use super::signals::Interrupt;
use super::stats::StatsForm;
use super::{form, select};
use std::sync::Arc;
use urisieve::decode::InputFormat;
use urisieve::delimit::{Config, Hyphen, LENGTH_MAX, WRAP_MAX, Wrap, WrapLimit};
use urisieve::output::{Form, OutputFormat, OutputLayout, Screen};
use urisieve::syntax::resolve::Rules;
use urisieve::{Mode, Progress, Sequence, Sieve};

/// Everything that a run of `extract` or `links` needs.
pub(super) struct Plan {
    pub sieve: Sieve,
    /// Inputs whose URIs are left out.
    pub known: Known,
    pub inputs: NamedInputs,
    pub form: Box<dyn Form>,
    /// The destination of the records.
    pub destination: Destination,
    /// The progress of the sieve, and how to show it.
    pub progress: Option<(Arc<Progress>, Manner)>,
    pub max_length: usize,
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

impl Plan {
    /// With `links`, links are reported instead of URIs.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(super) fn new(args: Extract, links: Option<LinkFlags>) -> Result<Plan, String> {
        let Extract {
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
        let is_all = output.counts.all || print == Print::Files;
        let mode = match (is_all, output.groups, output.counts.count) {
            (true, _, _) => Mode::All,
            (_, true, _) => Mode::Groups,
            (_, _, true) => Mode::Count,
            _ => Mode::Distinct,
        };
        let counts = matches!(mode, Mode::Count | Mode::Groups);
        if output.order.top.is_some() && !counts {
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
        let threads = input.resources.threads()?;
        let mut sieve = Sieve::builder()
            .delimit(delimit_rules(&rules, max_length)?)
            .abbreviated(rules.abbreviated)
            .bare(rules.references.bare.kinds()?)
            .refang(rules.refang)
            .canonicalize(equivalence.canonicalizer()?)
            .mode(mode)
            .top(output.order.top)
            .max_findings(habits.most(print))
            .reasons(mode == Mode::Groups && format.layout == OutputLayout::Objects)
            .originals(records || output.original)
            .lines(places && !counts)
            .decompress(!input.decompress.no_decompress)
            .archives(input.input_format != "text")
            .format(InputFormat::named(&input.input_format))
            .utf16(input.text.utf16)
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
        let names = input.text.stdin.names();
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
        let shares = input.resources.memory.shares(memory)?;
        sieve = input.resources.memory.configure(sieve, &shares)?;
        sieve = input.dedup.configure(sieve, mode)?;
        let walk = input.files.walk()?;
        if !input.against.against.is_empty() && form::part(&output).is_some() {
            return Err(
                "--against: not with --by and -cH, which count all that is read".to_owned(),
            );
        }
        let known = input.against.open(&walk)?;
        sieve = known.configure(sieve);
        let inputs = input.files.inputs(walk, habits.null_data)?;
        known.apart_from(&inputs.inputs)?;
        let has_inputs = inputs.has_inputs();
        // Opening a named pipe waits for its reader; a signal ends the wait, too.
        let path = output.report.output.path();
        let mut outputs = OutputNames::new();
        let destination = Destination::named(path, compression, threads, has_inputs, &mut outputs)?;
        let messages = &output.report.messages;
        let all_inputs = known.inputs().chain(inputs.inputs.iter().cloned());
        let errors = messages.errors.open(all_inputs, &mut outputs)?;
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
        let prints = path.is_some();
        let graph = match graph_dir {
            Some(dir) => Some(GraphFiles::open(
                dir,
                input.resources.memory.graph(&shares),
                prints,
                threads,
                &mut outputs,
            )?),
            None => None,
        };
        let manner = messages.manner(output.report.quiet, terminal);
        let progress = manner.map(|manner| (Arc::new(Progress::default()), manner));
        if let Some((progress, _)) = &progress {
            sieve = sieve.progress(Arc::clone(progress));
        }
        Ok(Plan {
            sieve: sieve.build(),
            known,
            inputs,
            form,
            destination,
            progress,
            max_length,
            names,
            graph,
            interrupt,
            quiet: output.report.quiet,
            messages: messages.speech(),
            errors,
            // A part is not a URI: its form writes it in the right way.
            respelling: match output.surt.surt {
                _ if form::part(&output).is_some() => None,
                Some(form) => Some(Respelling::surt(form)),
                None => output.report.privacy.respelling(),
            },
            line_buffered: output.report.pace.line_buffered,
            distinct: mode != Mode::All,
            prints_late: mode == Mode::Distinct && !output.order.sort,
            memory,
            stats: (messages.stats.stats).then_some(StatsForm::beside(format)),
        })
    }
}

/// Returns the order of the records, when a flag changes it.
fn sequence(output: &flags::OutputFlags) -> Option<Sequence> {
    if output.order.sort {
        Some(Sequence::Sorted)
    } else if output.report.unordered {
        Some(Sequence::Unordered)
    } else if output.counts.count {
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
