//! The meaning on this machine of the flags that searches share: builders, inputs, the
//! output form. What only one command has is settled in its file.

use super::graph_files::GraphFiles;
use super::shapes::OnePerShape;
use crate::cli::destination::division::OutputDivision;
use crate::cli::destination::form;
use crate::cli::destination::outputs::{FileMaking, NextWriting, Outputs};
use crate::cli::destination::printer::Printer;
use crate::cli::destination::respell::Respelling;
use crate::cli::destination::{Destination, FileCompression, OutputNames};
use crate::cli::flags::equivalence::Equivalence;
use crate::cli::flags::memory::{MemoryUses, PartMemory};
use crate::cli::flags::{
    AUTO, Color, CountFlags, InputFlags, NamedInputs, OrderFlags, ReportFlags, Selection,
};
use crate::cli::indicator_lists::IndicatorLists;
use crate::cli::inputs::InputNames;
use crate::cli::known::Known;
use crate::cli::report::errors_file::ErrorsFile;
use crate::cli::report::hints::LookedFor;
use crate::cli::report::messages::Speech;
use crate::cli::report::progress::Manner;
use crate::cli::report::stats::StatsForm;
use crate::cli::search::habits::Print;
use crate::cli::search::select;
use crate::cli::seen::pace;
use crate::cli::seen::remembered::{SeenOutput, Stores};
use crate::cli::seen::settings::StoredKeys;
use crate::cli::shard::InputShard;
use crate::cli::signals::Interrupt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use urisieve::decode::InputFormat;
use urisieve::output::{Form, FormSettings, OutputFormat, OutputLayout, RowKind, Screen, Text};
use urisieve::{Builder, Mode, Progress, Sequence, Sieve};

/// The flags of every search.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct SearchFlags {
    #[command(flatten)]
    pub equivalence: Equivalence,

    #[command(flatten)]
    pub selection: Selection,

    #[command(flatten)]
    pub input: InputFlags,
}

/// A search as one command wants it.
pub(super) struct SearchTask {
    /// The rules of that command are set.
    pub sieve: Builder<Sieve>,
    pub mode: Mode,
    pub names: InputNames,
    pub wanted: LookedFor,
    pub threads: usize,
    pub max_length: usize,
    pub format: &'static OutputFormat,
    pub compression: FileCompression,
    pub print: Print,
    pub rows: RowKind,
    pub text: Text,
    /// Set when URIs are printed in another form than they are compared in.
    pub respelling: Option<Respelling>,
    /// The directory of the graph of links, where it is written.
    pub graph: Option<PathBuf>,
    /// Whether names in a list of inputs end with NUL.
    pub zero_names: bool,
    /// Whether a report is JSON, not a page.
    pub json_report: bool,
    /// The kind of the keys, where a store may remember them.
    pub keys: Option<StoredKeys>,
    /// Whether the entries of lists that matched nothing are printed, too.
    pub all_entries: bool,
    /// Whether lines are searched one after the other, in memory.
    pub by_lines: bool,
    /// Only the first URI of each shape is printed.
    pub shapes: Option<OnePerShape>,
}

/// All rows of a report that shows the first ones, in a table beside it.
pub(super) struct OtherRows {
    pub form: Box<dyn Form>,
    pub printer: Printer,
}

/// Everything that a run needs.
pub(in crate::cli) struct Plan {
    pub sieve: Sieve,
    /// Inputs whose URIs are left out.
    pub known: Known,
    /// Stores whose URIs are left out, or that remember what is printed.
    pub stores: Stores,
    /// Lists of which an entry must match.
    pub lists: IndicatorLists,
    /// Whether the entries that matched nothing are printed, too.
    pub all_entries: bool,
    /// Only the first URI of each shape is printed.
    pub(super) shapes: Option<OnePerShape>,
    pub inputs: NamedInputs,
    /// The inputs that are read of these.
    pub shard: InputShard,
    pub form: Box<dyn Form>,
    /// The destination of the records, unless they are divided.
    pub destination: Destination,
    /// The files of records that are divided.
    pub divided: Option<Outputs<Box<dyn Form>>>,
    /// All rows, beside a report.
    pub(super) other: Option<OtherRows>,
    /// The progress of the sieve, and how to show it.
    pub progress: Option<(Arc<Progress>, Manner)>,
    pub max_length: usize,
    pub names: InputNames,
    /// The graph of the links, where it is written.
    pub(super) graph: Option<GraphFiles>,
    /// Set when the run must end.
    pub interrupt: Interrupt,
    pub quiet: bool,
    pub messages: Speech,
    /// The subject of hints, where hints are printed.
    pub hints: Option<LookedFor>,
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
    /// Plans `task`, with the flags that it shares with other searches.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(super) fn new(
        task: SearchTask,
        (counts, order): (CountFlags, OrderFlags),
        report: ReportFlags,
        search: SearchFlags,
    ) -> Result<Plan, String> {
        let SearchFlags {
            equivalence,
            selection,
            input,
        } = search;
        let SearchTask {
            mode,
            format,
            threads,
            ..
        } = task;
        let commits = input.seen.commits();
        let divided = OutputDivision::of(report.output.path(), report.split.split, commits)?;
        if let Some((division, _)) = &divided {
            task.check_divided(*division, (format, &order, report.unordered))?;
        }
        let is_seen = input.seen.store.seen.is_some();
        let unseen = task.unseen(report.quiet, input.dedup.is_hashed());
        if let Some(cause) = unseen.filter(|_| is_seen) {
            return Err(format!("--seen: not with {cause}"));
        }
        // A line is a text, whatever it begins with.
        let input_format = match task.by_lines && input.input_format == AUTO {
            true => "text",
            false => &input.input_format,
        };
        let mut sieve = task
            .sieve
            .mode(mode)
            .top(order.top)
            .canonicalize(equivalence.canonicalizer()?)
            .decompress(!input.decompress.no_decompress)
            .archives(input.input_format != "text")
            .format(InputFormat::named(input_format))
            .utf16(input.text.utf16)
            .threads(threads);
        let sequence = match (order.sort, report.unordered, counts.count) {
            (true, _, _) => Some(Sequence::Sorted),
            (_, true, _) => Some(Sequence::Unordered),
            (_, _, true) => Some(Sequence::Frequent),
            _ => None,
        };
        if let Some(sequence) = sequence {
            sieve = sieve.sequence(sequence);
        }
        if let Some(redactor) = report.privacy.redactor_of(format)? {
            sieve = sieve.redact(redactor);
        }
        sieve = sieve.problems(select::problems(&selection.problem)?);
        let messages = &report.messages;
        let lists = IndicatorLists::open(
            &selection.matching,
            input.resources.threads()?,
            messages.speech(),
            messages.errors.is_named(),
        )?;
        sieve = lists.configure(sieve);
        if let Some(select) = select::selection(&selection)? {
            sieve = sieve.select(select);
        }
        sieve = sieve.records(select::records(&input)?);
        if !input.against.is_empty() && matches!(task.rows, RowKind::Parts(_)) {
            return Err(
                "--against: not with --by and -cH, which count all that is read".to_owned(),
            );
        }
        let walk = input.files.walk()?;
        let known = input.against.open(&walk, None)?;
        if commits {
            let causes = [
                (
                    report.output.path().is_some() && divided.is_none(),
                    "-o of one file, which appears at the end",
                ),
                (
                    mode != Mode::Distinct,
                    "-c and --groups, which print at the end",
                ),
                (order.sort, "--sort, which prints at the end"),
                (report.unordered, "--unordered"),
                (known.count() > 0, "a FILE of --against that is not a store"),
            ];
            pace::check(input.seen.committing(), &causes)?;
        }
        let memory = MemoryUses {
            stores: is_seen || !known.stores.is_empty(),
            graph: task.graph.is_some(),
            table: matches!(
                format.layout,
                OutputLayout::Columns | OutputLayout::Document
            ),
            parts: divided.as_ref().map_or(PartMemory::NONE, |(division, _)| {
                let is_table = format.layout == OutputLayout::Columns;
                division.memory(task.compression, is_table)
            }),
            ..MemoryUses::default()
        };
        let shares = input.resources.memory.shares(memory)?;
        if !task.by_lines {
            sieve = input.resources.memory.configure(sieve, &shares)?;
            sieve = input.dedup.configure(sieve, mode)?;
        }
        sieve = known.configure(sieve);
        let shard = input.shard.shard()?;
        let inputs = input.files.inputs(walk, task.zero_names)?;
        input.shard.check(&inputs.inputs)?;
        known.apart_from(&inputs.inputs)?;
        // Opening a named pipe waits for its reader; a signal also ends the wait.
        let path = report.output.path();
        let mut outputs = OutputNames::new();
        let (compression, has_inputs) = (task.compression, inputs.has_inputs());
        let destination = match divided {
            Some(_) => Destination::stdout(),
            None => Destination::named(path, compression, threads, has_inputs, &mut outputs)?,
        };
        let all_inputs = known.inputs().chain(inputs.inputs.iter().cloned());
        let errors = messages.errors.open(all_inputs, &mut outputs)?;
        let interrupt = Interrupt::wait().map_err(|error| error.to_string())?;
        sieve = sieve.cancel(interrupt.flag());
        let terminal = divided.is_none() && destination.is_terminal();
        form::check_terminal(format, terminal && !report.quiet)?;
        let screen = screen(report.color, terminal);
        let settings = FormSettings {
            rows: task.rows,
            text: task.text,
            screen,
            occurrences: counts.all,
            excel: report.format.excel,
            group_bytes: shares.row_group,
            json_report: task.json_report,
        };
        let (print, null) = (task.print, report.null);
        let mut writing: NextWriting<Box<dyn Form>> =
            Box::new(move || match print.form(null, screen) {
                Some(form) => Ok(form),
                None => format
                    .form(&settings)
                    .map_err(|error| format!("-f {error}")),
            });
        let form = writing()?;
        let other = match (format.layout, path) {
            (OutputLayout::Document, Some(path)) if destination.is_file() => {
                let settings = FormSettings {
                    rows: task.rows,
                    occurrences: counts.all,
                    group_bytes: shares.row_group,
                    ..FormSettings::default()
                };
                Some(OtherRows::beside(path, &settings, threads, &mut outputs)?)
            }
            _ => None,
        };
        let graph = match &task.graph {
            Some(dir) => Some(GraphFiles::open(
                dir,
                input.resources.memory.graph(&shares),
                path.is_some(),
                threads,
                &mut outputs,
            )?),
            None => None,
        };
        let keys = task.keys.as_ref().unwrap_or(&StoredKeys::Uri);
        let mut stores = Stores::open(
            input.seen,
            &known.stores,
            &keys.settings(&equivalence, &report.privacy)?,
            (&input.resources.memory, &shares),
            (messages.speech() != Speech::Silent, &interrupt),
            SeenOutput {
                divided: divided.as_ref(),
                inputs: &inputs.inputs,
            },
        )?;
        let shard = shard.journaled(stores.journal());
        let divided = divided.map(|(division, pattern)| {
            let making = FileMaking {
                pattern,
                writing,
                compression,
                threads: division.threads(threads),
                buffer: shares.part,
                names: task.names.clone(),
                journal: stores.journal(),
            };
            Outputs::divided(division, making)
        });
        let divided = divided.transpose()?;
        stores.deliver_by(divided.as_ref().and_then(Outputs::deliver));
        let is_late = order.sort || matches!(mode, Mode::Count | Mode::Groups);
        sieve = stores.configure(sieve, (&inputs.inputs, is_late));
        let manner = messages.manner(report.quiet, terminal);
        let progress = manner.map(|manner| (Arc::new(Progress::default()), manner));
        if let Some((progress, _)) = progress.as_ref().filter(|_| !task.by_lines) {
            sieve = sieve.progress(Arc::clone(progress));
        }
        Ok(Plan {
            sieve: sieve.build(),
            known,
            stores,
            lists,
            all_entries: task.all_entries,
            shard,
            shapes: task.shapes,
            inputs,
            form,
            destination,
            divided,
            other,
            progress,
            max_length: task.max_length,
            names: task.names,
            graph,
            interrupt,
            quiet: report.quiet,
            messages: messages.speech(),
            hints: messages.hints(report.quiet).then_some(task.wanted),
            errors,
            respelling: task.respelling,
            line_buffered: report.pace.line_buffered,
            distinct: mode != Mode::All,
            prints_late: mode == Mode::Distinct && !order.sort,
            memory,
            stats: (messages.stats.stats).then_some(StatsForm::beside(format)),
        })
    }
}

impl SearchTask {
    /// Checks that records can be divided.
    ///
    /// # Errors
    /// A message that names the flag.
    fn check_divided(
        &self,
        division: OutputDivision,
        (format, order, unordered): (&OutputFormat, &OrderFlags, bool),
    ) -> Result<(), String> {
        let by_inputs = division == OutputDivision::Inputs;
        let is_counted = matches!(self.mode, Mode::Count | Mode::Groups);
        let causes = [
            (
                format.layout == OutputLayout::Document,
                "-f html, which is one page",
            ),
            (self.graph.is_some(), "--graph"),
            (self.by_lines, "--lines"),
            (self.print != Print::Findings, "-l and --all -c"),
            (
                by_inputs && is_counted,
                "-c and --groups, which are about all inputs",
            ),
            (
                by_inputs && order.sort,
                "--sort, whose order is not that of inputs",
            ),
            (by_inputs && unordered, "--unordered"),
        ];
        match causes.iter().find(|(is_so, _)| *is_so) {
            Some((_, cause)) => Err(format!("-o with {{}}: not with {cause}")),
            None => Ok(()),
        }
    }

    /// Why a store cannot remember what is printed, if it cannot: it is not classes.
    fn unseen(&self, quiet: bool, is_hashed: bool) -> Option<&'static str> {
        let causes = [
            (self.keys.is_none(), "this command"),
            (quiet, "-q, which prints nothing"),
            (
                self.print == Print::Files,
                "-l, which prints names of inputs",
            ),
            (
                self.print == Print::Total,
                "--all -c, which prints one number",
            ),
            (self.by_lines, "--lines, which prints lines"),
            (
                self.shapes.is_some(),
                "--one-per, which prints one URI of each shape",
            ),
            (self.mode == Mode::All, "--all, which prints occurrences"),
            (
                matches!(self.rows, RowKind::Parts(_)),
                "--by and -cH, which print no URIs",
            ),
            (self.graph.is_some(), "--graph, which prints nodes"),
            (is_hashed, "--dedup hash128, which is not exact"),
        ];
        let cause = causes.into_iter().find(|(is_so, _)| *is_so);
        cause.map(|(_, cause)| cause)
    }
}

impl OtherRows {
    /// Opens the table beside the report `path`. The other outputs of the run are `outputs`.
    ///
    /// # Errors
    /// A message that names the flag.
    fn beside(
        path: &Path,
        settings: &FormSettings,
        threads: usize,
        outputs: &mut OutputNames,
    ) -> Result<OtherRows, String> {
        let table = OutputFormat::named("parquet").ok_or("-f html: Parquet is not built in")?;
        // report.html.gz, too, has report.rows.parquet beside it.
        let mut stem = path.to_owned();
        while stem.extension().is_some() {
            stem.set_extension("");
        }
        let path = stem.with_extension("rows.parquet");
        let place = outputs.take("-o", &path)?;
        let file = Destination::at(place, &path, FileCompression::None, threads);
        let file = file.map_err(|error| format!("-o {}: {error}", path.display()))?;
        let form = table
            .form(settings)
            .map_err(|error| format!("-f {error}"))?;
        Ok(OtherRows {
            form,
            printer: Printer::new(file),
        })
    }
}

/// Returns what the output form escapes and colors, by whether it is a terminal.
fn screen(color: Color, terminal: bool) -> Screen {
    let plain = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let colors = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => terminal && !plain("NO_COLOR") && !dumb,
    };
    let screen = match terminal {
        true => Screen::SAFE,
        false => Screen::default(),
    };
    screen.colors(colors)
}
