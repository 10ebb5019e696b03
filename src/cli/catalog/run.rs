//! Runs `catalog list` and `catalog check`: what their flags mean, where rows go, how the
//! run ends.

use super::flags::{CatalogFlags, CheckFlags};
use super::grouping::{CASE_DIFFERS, GroupedCells, push_rows};
use super::private::PrivateCells;
use super::sheets::{self, RowForm};
use super::work::{RowOutput, RowSelection, RowWork};
use crate::cli::destination::{Destination, unless_closed};
use crate::cli::flags::Format;
use crate::cli::inputs::{self, InputNames, STDIN, inputs};
use crate::cli::memory::MemoryUses;
use crate::cli::messages::{self, Messages};
use crate::cli::plan::{self, Speech};
use crate::cli::progress::{self, Line, Ticker};
use crate::cli::signals::Interrupt;
use crate::cli::{stats, stderr};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use urisieve::catalog::check::{CHECKS, CheckRow, Severity};
use urisieve::catalog::{FieldChoice, GroupKeys, Groups, IdentifierRows, ROW_COLUMNS};
use urisieve::decode::{CatalogueFormat, TableColumn};
use urisieve::engine::{
    CatalogueBatch, CatalogueRun, CatalogueSink, CatalogueStats, Error, ErrorKind, Progress,
    ReadAs, Stats,
};
use urisieve::item::Loss;
use urisieve::output::{Screen, SheetColumn};

/// Bytes that are collected before they are written.
const BUFFER: usize = 64 << 10;

/// Runs `catalog list`, or with `check` the checks.
pub(super) fn run(files: Vec<PathBuf>, flags: CatalogFlags, check: Option<CheckFlags>) -> ExitCode {
    match Prepared::new(files, flags, check) {
        Ok(prepared) => prepared.run(),
        Err(message) => messages::usage(&message),
    }
}

/// Everything that a run needs.
struct Prepared {
    run: CatalogueRun,
    inputs: Vec<inputs::Input>,
    walk: urisieve::input::Walk,
    names: InputNames,
    work: RowWork,
    writer: RowsWriter,
    progress: Option<(Arc<Progress>, progress::Manner)>,
    is_named: bool,
    is_check: bool,
    prints_stats: bool,
}

impl Prepared {
    /// # Errors
    /// A message that names the flag.
    fn new(
        files: Vec<PathBuf>,
        flags: CatalogFlags,
        check: Option<CheckFlags>,
    ) -> Result<Prepared, String> {
        let CatalogFlags {
            fields,
            output,
            equivalence,
            input,
        } = flags;
        let (format, compression) = sheets::format(&output)?;
        let choice = fields.fields.as_deref().unwrap_or_default();
        let choice = FieldChoice::parse(choice).map_err(|error| format!("--fields: {error}"))?;
        let is_summary = check.as_ref().is_some_and(|check| check.summary);
        let columns = match is_summary {
            true => summary_columns(),
            false => columns(&fields.with)?,
        };
        let with = fields.with.iter().map(|name| {
            let choice = FieldChoice::parse(name);
            choice.map_err(|error| format!("--with: {error}"))
        });
        let with = with.collect::<Result<_, _>>()?;
        let shown = match &check {
            None => RowSelection::All,
            Some(check) => RowSelection::Problems(codes(&check.problem)?),
        };
        let canonicalizer = equivalence.canonicalizer()?;
        let groups = !output.no_groups && !output.quiet;
        let keys = GroupKeys::new(canonicalizer.clone(), equivalence.all_resolvers()?);
        let rows = IdentifierRows::new(choice, canonicalizer).make_urn(fields.make_urn);
        let threads = plan::threads(input.threads)?;
        let memory = MemoryUses {
            table: format == Format::Parquet,
            groups,
            ..MemoryUses::default()
        };
        let shares = input.memory.shares(memory)?;
        let walk = input.walk.walk()?;
        let is_named = !files.is_empty() || input.walk.files_from.is_some();
        let inputs = inputs(files, input.walk.files_from, false)?;
        let gives = is_named && !inputs.is_empty();
        // Opening a named pipe waits for its reader; a signal ends the wait, too.
        let path = output.output.as_deref();
        let destination = Destination::named(path, compression, threads, gives)?;
        let errors = plan::errors(output.errors.as_deref(), &inputs)?;
        let interrupt = Interrupt::wait().map_err(|error| error.to_string())?;
        let terminal = destination.is_terminal();
        if terminal && format == Format::Parquet && !output.quiet {
            return Err("-f parquet: not to a terminal; use -o FILE".to_owned());
        }
        let form = RowForm::new(format, columns, (output.excel, shares.row_group))?;
        let names = InputNames::new(input.label.as_deref().unwrap_or(STDIN));
        let run = CatalogueRun::new()
            .format(format_named(&input.input_format))
            .id_column(fields.id_column.as_deref().map(TableColumn::parse))
            .utf16(input.utf16)
            .decompress(!input.no_decompress)
            .threads(threads)
            .cancel(interrupt.flag());
        let mut run = input.memory.configure_catalogue(run, &shares);
        let manner = match output.quiet || output.no_messages {
            true => None,
            false => progress::manner(output.progress, terminal),
        };
        let progress = manner.map(|manner| (Arc::new(Progress::default()), manner));
        if let Some((progress, _)) = &progress {
            run = run.progress(Arc::clone(progress));
        }
        let speech = Speech::new(output.no_messages, output.verbose);
        let line = Line::hidden();
        let messages = Messages::new(names.clone(), usize::MAX, speech, errors, line.clone())
            .with_memory(memory);
        let redactor = output.privacy.redactor()?;
        let private = PrivateCells::new(redactor, output.privacy.defang);
        let work = RowWork {
            rows,
            shown: shown.clone(),
            with,
            writer: form.row_writer(),
            only_counts: output.quiet || is_summary,
            private: private.clone(),
            names: names.clone(),
            keys: groups.then_some(keys),
        };
        let writer = RowsWriter {
            form,
            out: destination,
            line,
            is_terminal: terminal,
            buffer: Vec::with_capacity(2 * BUFFER),
            messages,
            interrupt,
            speech,
            quiet: output.quiet,
            is_summary,
            shown,
            private,
            groups: match groups {
                true => Some(input.memory.groups(&shares)?),
                false => None,
            },
            rows: 0,
            problems: vec![0; CHECKS.len()],
            seen: (0, 0),
        };
        Ok(Prepared {
            run,
            inputs,
            walk,
            names,
            work,
            writer,
            progress,
            is_named,
            is_check: check.is_some(),
            prints_stats: output.stats,
        })
    }

    /// The exit code is 0 when a row was found, else 1; of a check 1 when an
    /// error or a warning was found. 2 when something could not be read or written.
    fn run(self) -> ExitCode {
        let begun = Instant::now();
        let mut writer = self.writer;
        messages::keyboard(
            self.is_named,
            !writer.quiet && writer.speech != Speech::Silent,
        );
        let ticker = self.progress.map(|(progress, manner)| {
            let (inputs, walk) = (self.inputs.clone(), self.walk.clone());
            Ticker::start(writer.line.clone(), manner, progress, inputs, walk)
        });
        if !writer.quiet {
            writer.form.begin(&mut writer.buffer);
        }
        let sources = inputs::sources(self.inputs, self.walk, self.names.clone());
        let result = self.run.run(sources, &self.work, &mut writer);
        let interrupted = writer.interrupt.code();
        // Without the thread no progress is shown; nothing else changes.
        if let Some(Ok(ticker)) = ticker {
            ticker.stop();
        }
        let read = result.as_ref().map_or(0, |stats| stats.bytes);
        let grouped = match &result {
            Ok(stats) if !stats.stopped => writer.write_groups(),
            _ => Ok(ControlFlow::Continue(())),
        };
        let failed = match (&result, grouped) {
            (Ok(stats), _) if stats.stopped => false,
            // Nobody reads any more.
            (Ok(_), Ok(ControlFlow::Break(()))) => false,
            (Ok(_), Ok(_)) => writer.complete(interrupted, read).is_err(),
            (Ok(_), Err(error)) => {
                writer.fail_late(&error);
                true
            }
            (Err(error), _) => {
                writer.fail(error);
                true
            }
        };
        let lost = match writer.messages.finish() {
            Ok(lost) => lost,
            Err(error) => return messages::usage(&format!("--errors: {error}")),
        };
        if failed {
            return ExitCode::from(2);
        }
        if let Ok(stats) = &result
            && self.prints_stats
        {
            let inputs = self.names.count() as u64;
            print_stats(stats, &writer, inputs, self.names.hidden(), begun);
        }
        let good = match self.is_check {
            true => u8::from(writer.is_wrong()),
            false => u8::from(writer.rows == 0),
        };
        let is_known = writer.quiet && good == u8::from(self.is_check);
        messages::code(lost && !is_known, interrupted, good)
    }
}

/// Returns the format that `-i` names; `None` where it is detected.
pub(super) fn format_named(name: &str) -> Option<CatalogueFormat> {
    let mut all = CatalogueFormat::ALL
        .into_iter()
        .chain(CatalogueFormat::TABLES);
    all.find(|format| format.name() == name)
}

/// Returns the columns of rows, with those of `--with`.
///
/// # Errors
/// A message, when two columns have the same name.
fn columns(with: &[String]) -> Result<Vec<SheetColumn>, String> {
    let known = ROW_COLUMNS.iter();
    let mut columns: Vec<SheetColumn> = known
        .map(|column| SheetColumn::new(column.name, column.is_number))
        .collect();
    for name in with {
        if columns.iter().any(|column| column.name() == name) {
            return Err(format!("--with: there is a column {name} already"));
        }
        columns.push(SheetColumn::new(name, false));
    }
    Ok(columns)
}

fn summary_columns() -> Vec<SheetColumn> {
    let columns = ["code", "severity", "count", "words"];
    let column = |name| SheetColumn::new(name, name == "count");
    columns.map(column).into()
}

/// Returns the codes that `--problem` names: all, without it.
///
/// # Errors
/// A message with the unknown code.
fn codes(typed: &[String]) -> Result<Vec<&'static str>, String> {
    if typed.is_empty() {
        return Ok(CHECKS.iter().map(|row| row.code).collect());
    }
    let code = |code: &String| match CheckRow::of_code(code) {
        Some(row) => Ok(row.code),
        None => Err(format!(
            "--problem: {code:?} is not a code; `urisieve formats` lists them"
        )),
    };
    typed.iter().map(code).collect()
}

/// Writes rows to their destination.
struct RowsWriter {
    form: RowForm,
    out: Destination,
    /// The progress line, which is cleared while rows are written to a terminal.
    line: Line,
    is_terminal: bool,
    buffer: Vec<u8>,
    messages: Messages,
    interrupt: Interrupt,
    speech: Speech,
    quiet: bool,
    is_summary: bool,
    shown: RowSelection,
    private: PrivateCells,
    /// Where rows wait until all are known.
    groups: Option<Groups>,
    rows: u64,
    problems: Vec<u64>,
    /// Bytes and rows of the input that is read.
    seen: (u64, u64),
}

impl CatalogueSink<RowOutput> for RowsWriter {
    fn batch(
        &mut self,
        batch: &CatalogueBatch,
        output: &mut RowOutput,
    ) -> io::Result<ControlFlow<()>> {
        // A file that will not appear need not be written to its end.
        if self.out.is_file() && self.interrupt.code().is_some() {
            return Ok(ControlFlow::Continue(()));
        }
        self.rows += output.rows;
        self.seen.0 += batch.records().iter().map(length).sum::<u64>();
        self.seen.1 += output.rows;
        for (sum, count) in self.problems.iter_mut().zip(&output.problems) {
            *sum += count;
        }
        if let Some(groups) = &mut self.groups {
            push_rows(&output.bytes, groups)?;
            return Ok(ControlFlow::Continue(()));
        }
        if self.quiet {
            return Ok(ControlFlow::Continue(()));
        }
        self.form.rows(&output.bytes, &mut self.buffer);
        match self.buffer.len() >= BUFFER {
            true => unless_closed(self.give(false)),
            false => Ok(ControlFlow::Continue(())),
        }
    }

    fn loss(&mut self, loss: &Loss) {
        self.messages.loss(loss);
    }

    fn error(&mut self, error: Error) {
        self.messages.error(&error);
    }

    fn input(&mut self, input: usize, read_as: ReadAs) {
        let mut stats = Stats::default();
        (stats.bytes, stats.occurrences) = std::mem::take(&mut self.seen);
        self.messages.input(input, read_as, &stats);
    }

    fn flush(&mut self) -> io::Result<ControlFlow<()>> {
        unless_closed(self.give(true))
    }
}

fn length(record: &urisieve::decode::CatalogueRecord) -> u64 {
    record.range().end - record.range().start
}

impl RowsWriter {
    /// Whether an error or a warning was found.
    fn is_wrong(&self) -> bool {
        let is_serious = |row: &CheckRow| row.severity >= Severity::Warning;
        let mut counts = CHECKS.iter().zip(&self.problems);
        counts.any(|(row, &count)| count > 0 && is_serious(row))
    }

    /// Writes the rows that waited until all were known.
    fn write_groups(&mut self) -> io::Result<ControlFlow<()>> {
        let Some(groups) = self.groups.take() else {
            return Ok(ControlFlow::Continue(()));
        };
        if self.out.is_file() && self.interrupt.code().is_some() {
            return Ok(ControlFlow::Continue(()));
        }
        let case = CHECKS.iter().position(|row| row.code == CASE_DIFFERS);
        let counts_case = self.shown.counts(CASE_DIFFERS);
        let mut rows = GroupedCells::new(groups, self.private.clone())?;
        let writer = self.form.row_writer();
        let mut written = Vec::new();
        while let Some(row) = rows.next()? {
            let is_shown = row.was_shown || row.differs_in_case && self.shown.has_case();
            if !is_shown {
                continue;
            }
            self.rows += u64::from(!row.was_shown);
            if let Some(case) = case.filter(|_| row.differs_in_case && counts_case) {
                self.problems[case] += 1;
            }
            let Some(cells) = row.cells else {
                continue;
            };
            written.clear();
            writer.row(&cells, &mut written);
            self.form.rows(&written, &mut self.buffer);
            if self.buffer.len() >= BUFFER && unless_closed(self.give(false))?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Says why rows that waited were not written.
    fn fail_late(&mut self, error: &io::Error) {
        match (messages::advice(error), self.out.path()) {
            ("", path) => {
                let path = path.unwrap_or(Path::new("standard output")).to_owned();
                self.messages.unwritten(&path, error);
            }
            (advice, _) => stderr::say(format_args!("{error}{advice}")),
        }
    }

    /// Passes the buffered bytes to the destination.
    fn give(&mut self, flush: bool) -> io::Result<()> {
        // Taken out first: nothing is written twice when the write fails.
        let mut bytes = std::mem::take(&mut self.buffer);
        let out = &mut self.out;
        if self.is_terminal {
            let mut safe = Vec::new();
            Screen::SAFE.lines(&bytes, &mut safe);
            let mut give = || out.write_all(&safe).and_then(|()| out.flush());
            self.line.around(&mut give)?;
        } else {
            out.write_all(&bytes)?;
            if flush {
                out.flush()?;
            }
        }
        bytes.clear();
        self.buffer = bytes;
        Ok(())
    }

    /// Writes what stands at the end, and lets a file appear. Fails when that was said to be
    /// impossible.
    fn complete(&mut self, interrupted: Option<u8>, read: u64) -> Result<u64, ()> {
        if self.quiet {
            return Ok(0);
        }
        let path = self.out.path().map(Path::to_owned);
        let said = path.as_deref().unwrap_or(Path::new("standard output"));
        if interrupted.is_some() && self.out.is_file() {
            self.messages.unwritten(said, &"not written: interrupted");
            return Ok(0);
        }
        if let Some(cause) = self.out.is_kept(read, self.messages.errors() > 0) {
            self.messages.unwritten(said, &cause);
            return Err(());
        }
        if self.is_summary {
            self.summarize();
        }
        if let Err(error) = self.form.finish(&mut self.buffer) {
            self.messages.unwritten(said, &error);
            return Err(());
        }
        let given = self.give(true);
        let out = std::mem::replace(&mut self.out, Destination::stdout());
        match given.and_then(|()| out.finish()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.messages.unwritten(said, &error);
                Err(())
            }
            written => Ok(written.unwrap_or_default()),
        }
    }

    /// Writes how often each problem occurs.
    fn summarize(&mut self) {
        let writer = self.form.row_writer();
        let mut rows = Vec::new();
        for (row, &count) in CHECKS.iter().zip(&self.problems) {
            if count > 0 {
                let count = count.to_string();
                let cells = [row.code, row.severity.name(), &count, row.words];
                writer.row(&cells, &mut rows);
            }
        }
        self.form.rows(&rows, &mut self.buffer);
    }

    /// Says why the run failed, and writes what is complete after a panic.
    fn fail(&mut self, error: &Error) {
        match (error.kind(), self.out.path()) {
            (ErrorKind::Panic(_), path) => {
                let path = path.map(Path::to_owned);
                self.messages.error(error);
                let said = path.as_deref().unwrap_or(Path::new("standard output"));
                if self.out.is_file() {
                    let cause = "not written: internal error";
                    return self.messages.unwritten(said, &cause);
                }
                if let Err(error) = self.give(true) {
                    self.messages.unwritten(said, &error);
                }
            }
            (ErrorKind::Write, Some(path)) if !messages::is_of_temporary_file(error) => {
                self.messages.unwritten(path, error.cause())
            }
            _ => self.messages.fatal(error),
        }
    }
}

fn print_stats(
    stats: &CatalogueStats,
    writer: &RowsWriter,
    inputs: u64,
    hidden: u64,
    begun: Instant,
) {
    let mut rows = vec![
        ("rows", writer.rows),
        ("records", stats.records),
        ("inputs", inputs),
        ("unreadable", stats.failed),
        ("damaged", stats.damaged),
        ("hidden_files", hidden),
    ];
    let problems = CHECKS.iter().zip(&writer.problems);
    rows.extend(problems.map(|(row, &count)| (row.code, count)));
    rows.extend([
        ("bytes", stats.bytes),
        ("fewer_threads", stats.fewer_threads),
    ]);
    stats::print_rows(rows, begun.elapsed());
}
