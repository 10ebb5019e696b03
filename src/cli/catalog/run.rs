//! Runs `catalog list` and `catalog check`: what their flags mean, where rows go, how the
//! run ends.

use super::flags::{CatalogFlags, CheckFlags};
use super::grouping::{CASE_DIFFERS, GroupedCells, push_rows};
use super::private::PrivateCells;
use super::reading::CatalogReading;
use super::sheets::{self, RowForm, RowWriter};
use super::statuses;
use super::summary::{self, KeyedProblems, SummaryKey};
use super::tally::DocumentTally;
use super::work::{RowOutput, RowSelection, RowWork};
use crate::cli::destination::form;
use crate::cli::destination::printer::Printer;
use crate::cli::destination::{Destination, OutputNames};
use crate::cli::flags::memory::MemoryUses;
use crate::cli::inputs::InputNames;
use crate::cli::report::messages::{self, Messages, Speech};
use crate::cli::report::stats::{self, StatsForm};
use crate::cli::report::stderr;
use crate::cli::signals::Interrupt;
use std::io;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use urisieve::catalog::check::{CHECKS, CheckRow, Severity};
use urisieve::catalog::{FieldChoice, GroupKeys, Groups, IdentifierRows, ROW_COLUMNS};
use urisieve::item::Loss;
use urisieve::output::{OutputLayout, SheetColumn};
use urisieve::{CatalogBatch, CatalogRun, CatalogSink, CatalogStats, Error, ReadAs};

/// Runs `catalog list`, or with `check` the checks.
pub(super) fn run(flags: CatalogFlags, check: Option<CheckFlags>) -> ExitCode {
    match Prepared::new(flags, check) {
        Ok(prepared) => prepared.run(),
        Err(message) => messages::usage(&message),
    }
}

/// Everything that a run needs.
struct Prepared {
    reading: CatalogReading,
    run: CatalogRun,
    work: RowWork,
    writer: RowsWriter,
    stats: Option<StatsForm>,
}

impl Prepared {
    /// # Errors
    /// A message that names the flag.
    fn new(flags: CatalogFlags, check: Option<CheckFlags>) -> Result<Prepared, String> {
        let CatalogFlags {
            fields,
            output,
            equivalence,
            input,
        } = flags;
        let (format, compression) = sheets::format(&output)?;
        let choice = fields.fields.choice()?;
        let is_summary = check.as_ref().is_some_and(|check| check.summary);
        let by = check.as_ref().and_then(|check| check.by.as_deref());
        let columns = match is_summary {
            true => summary::columns(by),
            false => columns(&fields.with)?,
        };
        let with = fields.with.iter().map(|name| {
            let choice = FieldChoice::parse(name);
            choice.map_err(|error| format!("--with: {error}"))
        });
        let with = with.collect::<Result<_, _>>()?;
        let shown = match &check {
            None => RowSelection::All,
            Some(check) => RowSelection::of_problems(codes(&check.problem)?),
        };
        let canonicalizer = equivalence.canonicalizer()?;
        // Of rows that wait only their number is known.
        let groups = !output.no_groups && !output.quiet && by.is_none();
        let keys = GroupKeys::new(canonicalizer.clone(), equivalence.all_resolvers()?);
        let rows = IdentifierRows::new(choice.clone(), canonicalizer).make_urn(fields.make_urn);
        let statuses = check
            .as_ref()
            .and_then(|check| check.statuses.statuses.clone());
        let memory = MemoryUses {
            table: format.layout == OutputLayout::Columns,
            groups,
            edits: statuses.is_some(),
            ..MemoryUses::default()
        };
        let mut reading = CatalogReading::new(input, fields.id_column.column(), memory)?;
        // Opening a named pipe waits for its reader; a signal also ends the wait.
        let path = output.output.path();
        let mut outputs = OutputNames::new();
        let (threads, has_inputs) = (reading.threads, reading.inputs.has_inputs());
        let destination = Destination::named(path, compression, threads, has_inputs, &mut outputs)?;
        let terminal = destination.is_terminal();
        let said = reading.speech(&output.messages, output.quiet, terminal, &mut outputs)?;
        let interrupt = Interrupt::wait().map_err(|error| error.to_string())?;
        let memory = (&reading.flags.resources.memory, &reading.shares);
        let statuses = statuses::read(statuses.as_deref(), interrupt.flag(), memory)?;
        let rows = rows.statuses(statuses);
        form::check_terminal(format, terminal && !output.quiet)?;
        let form = RowForm::new(
            format,
            columns,
            (output.format.excel, reading.shares.row_group),
        )?;
        let mut run = reading.run(&interrupt);
        if output.pace.line_buffered {
            // A record at a time.
            run = run.block_size(1);
        }
        let private = PrivateCells::new(output.privacy.private_uri(format)?);
        let work = RowWork {
            rows,
            choice,
            shown: shown.clone(),
            with,
            writer: match groups {
                // Rows that wait for their groups are changed before they are printed.
                true => RowWriter::Cells,
                false => form.row_writer(),
            },
            only_counts: output.quiet || is_summary,
            private: private.clone(),
            names: reading.names.clone(),
            by: by.map(SummaryKey::parse).transpose()?,
            keys: groups.then_some(keys),
        };
        let writer = RowsWriter {
            form,
            printer: Printer::new(destination)
                .around(&said.line)
                .escaping()
                .at_once(output.pace.line_buffered),
            messages: said.messages,
            interrupt,
            is_check: check.is_some(),
            quiet: output.quiet,
            is_summary,
            shown,
            private,
            groups: match groups {
                true => Some(reading.flags.resources.memory.groups(&reading.shares)?),
                false => None,
            },
            rows: 0,
            problems: vec![0; CHECKS.len()],
            keyed: by.map(|_| KeyedProblems::default()),
            seen: SeenInput::default(),
            tally: DocumentTally::default(),
            speech: said.speech,
        };
        let stats = output
            .messages
            .stats
            .stats
            .then_some(StatsForm::beside(format));
        Ok(Prepared {
            reading,
            run: run.build(),
            work,
            writer,
            stats,
        })
    }

    /// The exit code is 0 when a row was found, else 1; of a check 1 when an
    /// error or a warning was found. 2 when something could not be read or written.
    fn run(self) -> ExitCode {
        let begun = Instant::now();
        let mut writer = self.writer;
        let names = self.reading.names.clone();
        if !writer.quiet {
            writer.form.begin(writer.printer.buffer());
        }
        let result = self.reading.read(&self.run, &self.work, &mut writer);
        let interrupted = writer.interrupt.code();
        let read = result.as_ref().map_or(0, |stats| stats.bytes);
        let grouped = match &result {
            Ok(stats) if !stats.stopped => writer.write_groups(),
            _ => Ok(ControlFlow::Continue(())),
        };
        let failed = match (&result, grouped) {
            (Ok(stats), _) if stats.stopped => writer.messages.appear(Vec::new()).is_err(),
            // Nobody reads any more.
            (Ok(_), Ok(ControlFlow::Break(()))) => writer.messages.appear(Vec::new()).is_err(),
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
        let lost = writer.messages.finish();
        if failed {
            return ExitCode::from(2);
        }
        if interrupted.is_none()
            && !writer.quiet
            && result.as_ref().is_ok_and(|stats| !stats.stopped)
        {
            writer.tally.say(writer.speech);
        }
        if let (Ok(stats), Some(form)) = (&result, self.stats) {
            print_stats(stats, &writer, &names, (begun.elapsed(), form));
        }
        let is_found = writer.is_found();
        let good = u8::from(is_found == writer.is_check);
        let is_known = writer.quiet && is_found;
        messages::code(lost && !is_known, interrupted, good)
    }
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
    printer: Printer,
    messages: Messages,
    interrupt: Interrupt,
    is_check: bool,
    quiet: bool,
    is_summary: bool,
    shown: RowSelection,
    private: PrivateCells,
    /// The rows that wait until all are known.
    groups: Option<Groups>,
    rows: u64,
    problems: Vec<u64>,
    /// Those for each key of `--by`.
    keyed: Option<KeyedProblems>,
    seen: SeenInput,
    tally: DocumentTally,
    speech: Speech,
}

/// The numbers of the input that is read.
#[derive(Debug, Default)]
struct SeenInput {
    bytes: u64,
    records: u64,
    rows: u64,
}

impl CatalogSink<RowOutput> for RowsWriter {
    fn batch(
        &mut self,
        batch: &CatalogBatch,
        output: &mut RowOutput,
    ) -> io::Result<ControlFlow<()>> {
        self.tally.batch(batch, output.contents, &mut self.messages);
        // A file that will not appear need not be written to its end.
        if self.printer.is_file() && self.interrupt.code().is_some() {
            return Ok(ControlFlow::Continue(()));
        }
        self.rows += output.rows;
        self.seen.bytes += batch.records().iter().map(length).sum::<u64>();
        self.seen.records += batch.records().len() as u64;
        self.seen.rows += output.rows;
        for (sum, count) in self.problems.iter_mut().zip(&output.problems) {
            *sum += count;
        }
        if let Some(keyed) = &mut self.keyed {
            keyed.take(&mut output.keyed);
        }
        if let Some(groups) = &mut self.groups {
            push_rows(&output.bytes, groups)?;
            return Ok(ControlFlow::Continue(()));
        }
        if self.quiet {
            // Nothing more is needed.
            return Ok(match self.is_found() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            });
        }
        self.form.rows(&output.bytes, self.printer.buffer());
        self.printer.end_record()
    }

    fn loss(&mut self, loss: &Loss) {
        self.messages.loss(loss);
    }

    fn error(&mut self, error: Error) {
        self.messages.error(&error);
    }

    fn input(&mut self, input: usize, read_as: ReadAs) {
        self.tally.end(&mut self.messages);
        let SeenInput {
            bytes,
            records,
            rows,
        } = std::mem::take(&mut self.seen);
        let (records, rows) = (
            stderr::number_of(records, "record"),
            stderr::number_of(rows, "row"),
        );
        let what = format_args!("read as {read_as}, {records}: {bytes} bytes, {rows}");
        self.messages.read(input, what);
    }

    fn flush(&mut self) -> io::Result<ControlFlow<()>> {
        self.printer.flush()
    }
}

fn length(record: &urisieve::decode::CatalogRecord) -> u64 {
    record.range().end - record.range().start
}

impl RowsWriter {
    /// Whether a row (list) or an error or a warning (check) was found.
    fn is_found(&self) -> bool {
        match self.is_check {
            true => self.is_wrong(),
            false => self.rows > 0,
        }
    }

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
        if self.printer.is_file() && self.interrupt.code().is_some() {
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
            let Some(cells) = row.cells() else {
                continue;
            };
            written.clear();
            writer.row(&cells, &mut written);
            self.form.rows(&written, self.printer.buffer());
            if self.printer.end_record()?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Says why rows that waited were not written.
    fn fail_late(&mut self, error: &io::Error) {
        match messages::advice(error) {
            "" => self.messages.unwritten(self.printer.name(), error),
            advice => {
                stderr::say(format_args!("{error}{advice}"));
                let _ = self.messages.appear(Vec::new());
            }
        }
    }

    /// Writes the end, and lets all files appear. Fails when that was said to
    /// be impossible. After an interrupt only the file of `--errors` appears.
    fn complete(&mut self, interrupted: Option<u8>, read: u64) -> Result<(), ()> {
        if self.quiet {
            return self.messages.appear(Vec::new());
        }
        if interrupted.is_some() && self.printer.leave("interrupted", &self.messages) {
            return self.messages.appear(Vec::new());
        }
        if self.printer.keeps(read, &self.messages) {
            let _ = self.messages.appear(Vec::new());
            return Err(());
        }
        if self.is_summary {
            self.summarize();
        }
        let finish = |buffer: &mut Vec<u8>| self.form.finish(buffer);
        let (_, file) = self.printer.complete(finish, &self.messages)?;
        self.messages.appear(file.into_iter().collect())
    }

    /// Writes how often each problem occurs.
    fn summarize(&mut self) {
        let writer = self.form.row_writer();
        let mut rows = Vec::new();
        summary::write(&self.problems, self.keyed.as_ref(), &writer, &mut rows);
        self.form.rows(&rows, self.printer.buffer());
    }

    /// Says why the run failed, and writes what is complete after a panic.
    fn fail(&mut self, error: &Error) {
        if messages::is_panic(error) {
            self.messages.ended_by(error);
            self.printer.cut(&self.messages);
        } else if !self.printer.reports(error, &self.messages) {
            self.messages.fatal(error);
        }
        if !messages::is_of_output(error) {
            let _ = self.messages.appear(Vec::new());
        }
    }
}

fn print_stats(
    stats: &CatalogStats,
    writer: &RowsWriter,
    names: &InputNames,
    (took, form): (Duration, StatsForm),
) {
    let read = writer.tally.stats();
    let mut rows = vec![
        ("rows", writer.rows),
        ("records", stats.records),
        ("inputs", names.count() as u64),
        ("unreadable", stats.failed),
        ("damaged", stats.damaged + writer.tally.silent),
        ("hidden_files", names.hidden()),
    ];
    rows.extend(read.iter().map(|(name, count)| (&**name, *count)));
    let problems = CHECKS.iter().zip(&writer.problems);
    rows.extend(problems.map(|(row, &count)| (row.code, count)));
    rows.extend([
        ("bytes", stats.bytes),
        ("fewer_threads", stats.fewer_threads),
    ]);
    stats::print_rows(rows, took, form);
}
