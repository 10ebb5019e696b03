//! Shared by the commands that read lists of URIs: inputs, destination, messages about
//! lines that are not URIs.

use crate::cli::destination::division::{OutputDivision, RecordKey};
use crate::cli::destination::form;
use crate::cli::destination::outputs::{FileMaking, OutputPart, Outputs, PartWriting};
use crate::cli::destination::printer::{CompleteOutput, Printer, no_end};
use crate::cli::destination::respell::Respelling;
use crate::cli::destination::{Destination, FileCompression, OutputNames};
use crate::cli::flags::equivalence::Equivalence;
use crate::cli::flags::memory::{MemoryUses, PartMemory, ResourceFlags};
use crate::cli::flags::privacy::Privacy;
use crate::cli::flags::{
    AgainstFlag, BareFlag, ErrorsFlag, LineEndFlag, PathFlag, SeenFlags, ShardFlag, SilenceFlag,
    SplitFlag, StatsFlag, TextFlags, shown, worded, worded_first,
};
use crate::cli::inputs::{self, InputNames};
use crate::cli::report::messages::{self, Messages, Speech};
use crate::cli::report::printable::printable;
use crate::cli::report::progress::Line;
use crate::cli::report::stderr;
use crate::cli::seen::pace;
use crate::cli::seen::remembered::{SeenOutput, Stores};
use crate::cli::seen::settings::StoredKeys;
use crate::cli::signals::Interrupt;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use urisieve::decode::Layout;
use urisieve::delimit::Config;
use urisieve::input::{ParquetTable, RowCopy, Source, Walk};
use urisieve::item::{Content, Finding, Spelling};
use urisieve::output::{OutputFormat, OutputLayout};
use urisieve::store::seen::SeenSettings;
use urisieve::{Builder, Error, ReadAs, Sieve, Sink, Stats};

/// The most lines without a URI that are reported one by one.
const NAMED: u64 = 10;

/// The flags of every command that reads lists.
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("shard", |arg| arg.help_heading(None::<&'static str>)),
    mut_arg("output", |arg| worded_first(arg, "Lines, or records as they are.")),
    mut_arg("label", shown),
    mut_arg("utf16", shown),
    mut_arg("bare", |arg| worded(arg, BARE, BARE_WHOLE)),
    mut_arg("stats", |arg| worded(arg, "Print statistics to standard error", "")),
    mut_arg("errors", |arg| worded(arg, ERRORS, ERRORS_APPEAR))
)]
pub(in crate::cli) struct ListFlags {
    /// Files; without them, or with -, standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    output: PathFlag,

    #[command(flatten)]
    text: TextFlags,

    #[command(flatten)]
    bare: BareFlag,

    /// Read as URIs only what is valid by RFC 3986
    ///
    /// By default a line (or value) is a URI if it has a scheme, and no blank, control, <, > or ";
    /// brackets in its host must be those of an IP address.
    #[arg(long)]
    strict: bool,

    #[command(flatten)]
    shard: ShardFlag,

    #[command(flatten)]
    pub line_end: LineEndFlag,

    #[command(flatten)]
    pub resources: ResourceFlags,

    #[command(flatten)]
    pub stats: StatsFlag,

    #[command(flatten)]
    pub silence: SilenceFlag,

    #[command(flatten)]
    errors: ErrorsFlag,

    #[command(flatten)]
    privacy: Privacy,

    // Last, because its heading applies to all flags after it.
    #[command(flatten)]
    equivalence: Equivalence,
}

const BARE: &str = "Read identifiers without a scheme as URIs: isbn, issn, doi, orcid, handle, arxiv, email, \
     host, ip";
const BARE_WHOLE: &str = "\
A line (or value) counts that is such an identifier as a whole: 10.1000/182, ISBN \
0-451-45052-3, hdl 2027/x. The numbers of books and serials need the word before \
them, and a right check digit. It is equal to urn:isbn:, urn:issn:, doi:, \
https://orcid.org/, hdl: or https://arxiv.org/abs/ with that number or name. An \
address of mail, joe@a.example, is equal to it with mailto:, a host or an address of IP \
to it with http://.";
const ERRORS: &str = "Write every line that is not a URI, and every loss, to FILE as JSON Lines";
const ERRORS_APPEAR: &str = "FILE appears together with that of -o, after an interrupt on its own.";

/// Writes the records of a list.
pub(in crate::cli) trait Writing: Send + 'static {
    /// The same for one more output.
    fn again(&self) -> Box<dyn Writing>;

    /// Appends the output for a record.
    fn record(&mut self, finding: &Finding, out: &mut Vec<u8>);

    /// Appends the output for a class.
    fn group(&mut self, class: &Finding, spellings: &[Spelling], out: &mut Vec<u8>) {
        let _ = (class, spellings, out);
    }

    /// Whether all records are written after all inputs.
    fn is_late(&self) -> bool {
        false
    }

    /// Passes the output that is made after all inputs to `give`.
    ///
    /// # Errors
    /// The copy cannot be made, or not be passed on.
    fn finish(&self, give: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let _ = give;
        Ok(())
    }
}

impl PartWriting for Box<dyn Writing> {
    fn complete(&mut self, printer: &mut Printer) -> Result<CompleteOutput, String> {
        let mut give = |bytes: &[u8]| printer.pass_on(bytes).map(drop);
        self.finish(&mut give).map_err(|cause| cause.to_string())?;
        printer.completed(no_end)
    }
}

/// Returns a file as the source of a list: of a table of Parquet the column as lines, or as the
/// cells of its rows, every other file as it is.
fn source(path: PathBuf, rows: Rows, column: Option<&str>) -> Source<'static> {
    if !ParquetTable::is_at(&path) {
        return Source::Path(path);
    }
    let table = ParquetTable::open(&path);
    let read = |table: ParquetTable| match rows {
        Rows::Table => table.cells(column),
        _ => table.lines(column),
    };
    match table.and_then(|table| table.map(read).transpose()) {
        Ok(Some(reader)) => Source::Reader(reader),
        Ok(None) => Source::Path(path),
        Err(cause) => Source::Failed(cause),
    }
}

/// The result of a run over lists.
pub(in crate::cli) struct Ran {
    /// The statistics, or why the run ended.
    pub result: Result<Stats, Error>,
    /// The number of records that are not URIs.
    pub bad: u64,
    /// Whether something could not be read or was lost.
    pub lost: bool,
    /// Whether an error ended the run, which was reported already.
    pub failed: bool,
    /// The exit code when a signal ended the run.
    pub interrupted: Option<u8>,
    pub inputs: usize,
}

/// The kind of records in a list, which limits the extensions of the output file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Rows {
    Lines,
    Csv,
    Json,
    /// Rows of Parquet, which are written as such.
    Table,
}

/// Returns how the file of records is compressed.
///
/// # Errors
/// A message that names the flag.
fn compression(path: Option<&Path>, rows: Rows) -> Result<FileCompression, String> {
    let (format, compression) = form::by_flags(path, None, OutputFormat::TEXT)?;
    let fits = match format.layout {
        OutputLayout::Lines => true,
        OutputLayout::Separated(_) => rows == Rows::Csv,
        OutputLayout::Objects => rows == Rows::Json,
        OutputLayout::Columns => rows == Rows::Table,
        _ => false,
    };
    form::check_file(format, compression, false)?;
    match fits {
        true => Ok(compression),
        false => {
            Err("-o: records of lists are written unchanged; use another extension".to_owned())
        }
    }
}

impl ListFlags {
    /// Returns how the lists are read, and the column of Parquet tables: where all files are
    /// such tables, a value of the column of `layout` a line.
    ///
    /// # Errors
    /// A message about a table that lacks the column, or about one among other files.
    pub(in crate::cli) fn of_tables(
        &self,
        (layout, rows): (Layout, Rows),
    ) -> Result<(Layout, Rows, Option<String>), String> {
        let column = layout.column_name().map(str::to_owned);
        let mut tables = self.files.iter().filter(|path| ParquetTable::is_at(path));
        let Some(first) = tables.next() else {
            return Ok((layout, rows, column));
        };
        for path in std::iter::once(first).chain(tables) {
            let table = ParquetTable::open(path);
            let lines = table.and_then(|table| {
                table
                    .map(|table| table.lines(column.as_deref()))
                    .transpose()
            });
            lines.map_err(|error| format!("{}: {error}", path.display()))?;
        }
        match rows == Rows::Lines || self.files.iter().all(|path| ParquetTable::is_at(path)) {
            true => Ok((Layout::Lines, Rows::Lines, column)),
            false => Err(format!(
                "{}: a Parquet table cannot be read together with lists of other records; \
                 give it a run of its own",
                first.display()
            )),
        }
    }

    /// Returns the copy of rows of tables, if the output is one.
    ///
    /// # Errors
    /// A message about an input that is not a table, or lacks the `column`.
    pub(in crate::cli) fn copied_rows(
        &self,
        column: Option<&str>,
    ) -> Result<Option<RowCopy>, String> {
        let (format, _) = form::by_flags(self.output.path(), None, OutputFormat::TEXT)?;
        if format.layout != OutputLayout::Columns {
            return Ok(None);
        }
        if self.privacy.redactor()?.is_some() {
            return Err("--redact: rows are copied as they are; not with -o of a table".to_owned());
        }
        let copied = RowCopy::of(&self.files, column);
        copied.map(Some).map_err(|cause| format!("-o: {cause}"))
    }

    /// The files, as they were typed.
    pub(in crate::cli) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Whether an output is named.
    pub(in crate::cli) fn names_output(&self) -> bool {
        self.output.path().is_some()
    }

    /// The settings that decide what the keys are.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn key_settings(&self, kind: &StoredKeys) -> Result<SeenSettings, String> {
        kind.settings(&self.equivalence, &self.privacy)
    }

    /// Whether no rules of equality are named, but for resolvers.
    pub(in crate::cli) fn names_no_rules(&self) -> bool {
        let rules = Equivalence {
            resolvers: self.equivalence.resolvers.clone(),
            ..Equivalence::default()
        };
        self.equivalence == rules && self.privacy.redact.is_none()
    }

    /// The files of further resolvers.
    pub(in crate::cli) fn resolvers(&self) -> Vec<PathBuf> {
        self.equivalence.resolvers.clone()
    }

    /// Sets the rules of equality.
    pub(in crate::cli) fn set_rules(&mut self, (equivalence, privacy): (Equivalence, Privacy)) {
        (self.equivalence, self.privacy) = (equivalence, privacy);
    }

    /// Returns the names of the inputs, which the run adds.
    pub(in crate::cli) fn names(&self) -> InputNames {
        self.text.stdin.names()
    }

    /// Runs `sieve`, which reads lists of `rows`, over `known` and then over the files. Of Parquet
    /// tables the column with this name is read.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn run(
        self,
        sieve: Builder<Sieve>,
        rows: Rows,
        (known, seen, split, column): (AgainstFlag, SeenFlags, SplitFlag, Option<String>),
        names: InputNames,
        writing: Box<dyn Writing>,
    ) -> Result<Ran, String> {
        let known = known.open(&Walk::default(), column.as_deref())?;
        let is_named = !self.files.is_empty();
        let inputs = inputs::inputs(self.files, None, false)?;
        known.apart_from(&inputs)?;
        inputs::are_lists(&inputs, &Walk::default())?;
        let shard = self.shard.shard()?;
        self.shard.check(&inputs)?;
        // Opening a named pipe waits for its reader; a signal also ends the wait.
        let threads = self.resources.threads()?;
        let mut outputs = OutputNames::new();
        let path = self.output.path();
        let compression = compression(path, rows)?;
        let commits = seen.commits();
        let divided = OutputDivision::of(path, split.split, commits)?;
        let out = match divided {
            Some(_) => None,
            None => {
                let named = Destination::named(path, compression, threads, is_named, &mut outputs);
                Some(named?)
            }
        };
        let all_inputs = known.inputs().chain(inputs.iter().cloned());
        let errors = self.errors.open(all_inputs, &mut outputs)?;
        let interrupt = Interrupt::wait().map_err(|error| error.to_string())?;
        let sieve = match self.privacy.redactor()? {
            Some(redactor) => sieve.redact(redactor),
            None => sieve,
        };
        let sieve = sieve
            .canonicalize(self.equivalence.canonicalizer()?)
            .bare(self.bare.kinds()?)
            .delimit(Config::default().strict(self.strict))
            .threads(threads)
            .utf16(self.text.utf16)
            .cancel(interrupt.flag());
        let memory = &self.resources.memory;
        let shares = memory.shares(MemoryUses {
            stores: seen.store.seen.is_some() || !known.stores.is_empty(),
            parts: divided.as_ref().map_or(PartMemory::NONE, |(division, _)| {
                division.memory(compression, rows == Rows::Table)
            }),
            ..MemoryUses::default()
        })?;
        let by = divided.as_ref().map(|(division, _)| *division);
        if by == Some(OutputDivision::Commits) && rows != Rows::Lines {
            return Err(
                "-o with {}: a file for each commit has lines, not other records".to_owned(),
            );
        }
        if by == Some(OutputDivision::Inputs) && writing.is_late() && rows != Rows::Table {
            return Err("-o with {}: not with --groups, which are about all inputs".to_owned());
        }
        if commits {
            let causes = [
                (
                    path.is_some() && by.is_none(),
                    "-o of one file, which appears at the end",
                ),
                (writing.is_late(), "--groups, which prints at the end"),
                (known.count() > 0, "a FILE of --against that is not a store"),
            ];
            pace::check(seen.committing(), &causes)?;
        }
        let sieve = memory.configure(known.configure(sieve), &shares)?;
        let speech = self.silence.speech();
        let mut stores = Stores::open(
            seen,
            &known.stores,
            &StoredKeys::Uri.settings(&self.equivalence, &self.privacy)?,
            (memory, &shares),
            (speech != Speech::Silent, &interrupt),
            SeenOutput {
                divided: divided.as_ref(),
                inputs: &inputs,
            },
        )?;
        let shard = shard.journaled(stores.journal());
        let sieve: Sieve = stores
            .configure(sieve, (&inputs, writing.is_late()))
            .build();
        messages::keyboard(is_named, speech != Speech::Silent);
        let is_late = writing.is_late();
        let outputs = match (divided, out) {
            (Some((division, pattern)), _) => {
                let making = FileMaking {
                    pattern,
                    writing: Box::new(move || Ok(writing.again())),
                    compression,
                    threads: division.threads(threads),
                    buffer: shares.part,
                    names: names.clone(),
                    journal: stores.journal(),
                };
                Outputs::divided(division, making)?
            }
            (None, out) => {
                let printer = Printer::new(out.unwrap_or_else(Destination::stdout));
                Outputs::Whole(OutputPart {
                    writing,
                    printer: printer.escaping().lasting(stores.remembers()),
                })
            }
        };
        stores.deliver_by(outputs.deliver());
        let mut sink = ListSink {
            outputs,
            is_late,
            stores,
            of_lines: rows == Rows::Lines,
            respelling: self.privacy.respelling(),
            messages: Messages::new(names.clone(), usize::MAX, speech, errors, Line::hidden())
                .known(known.count()),
            is_delivered: false,
            names: names.clone(),
            known: known.count(),
            interrupt: interrupt.clone(),
            speech,
            bad: 0,
            line: (usize::MAX, 0),
        };
        let known_inputs = known.count();
        let sources = known.into_sources(&names).into_iter();
        let as_source = move |path| source(path, rows, column.as_deref());
        let sources = sources.chain(inputs::sources_by(
            inputs,
            Walk::default(),
            (names.clone(), shard.clone()),
            Box::new(as_source),
        ));
        let result = sieve.run(sources, &mut sink);
        if sink.bad > NAMED && speech != Speech::Silent {
            stderr::say(format_args!(
                "{} more lines are not URIs, {} in all",
                sink.bad - NAMED,
                sink.bad
            ));
        }
        if result.as_ref().is_ok_and(|stats| stats.unsettled) {
            sink.messages.unsettled(!sink.is_late);
        }
        let interrupted = interrupt.code();
        let failed = sink.end(&result, interrupted.is_some());
        let failed = match (failed, sink.is_delivered) {
            (false, true) => match sink.stores.commit(&interrupt.flag()) {
                Ok(()) => false,
                Err(message) => {
                    stderr::say(format_args!("{message}"));
                    true
                }
            },
            (failed, _) => failed,
        };
        if let Some(journal) = sink.stores.journal().filter(|_| speech != Speech::Silent) {
            journal.say();
        }
        if self.stats.stats {
            shard.say();
            sink.stores.say_unfiltered();
        }
        Ok(Ran {
            result,
            bad: sink.bad,
            lost: sink.messages.finish(),
            failed,
            interrupted,
            inputs: names.count().saturating_sub(known_inputs),
        })
    }
}

/// Writes records to their destination and reports those that are not URIs.
struct ListSink {
    outputs: Outputs<Box<dyn Writing>>,
    /// All records are written after all inputs.
    is_late: bool,
    respelling: Option<Respelling>,
    messages: Messages,
    /// The stores that are asked, and the one that remembers.
    stores: Stores,
    /// Records are lines: those that are not URIs are classes, too.
    of_lines: bool,
    /// All that is printed was written.
    is_delivered: bool,
    names: InputNames,
    /// The number of inputs at the beginning that `--against` names.
    known: usize,
    interrupt: Interrupt,
    speech: Speech,
    bad: u64,
    /// An input, and the number of its records so far.
    line: (usize, u64),
}

impl Sink for ListSink {
    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
        self.stores.check()?;
        if self.line.0 != finding.input {
            self.line = (finding.input, 0);
        }
        self.line.1 += 1;
        if finding.marks.content == Content::NoUri {
            self.report_bad(finding);
        }
        if finding.marks.content == Content::Uri || self.of_lines {
            self.stores.add(finding)?;
        }
        let key = RecordKey::from(finding);
        let finding = match &mut self.respelling {
            Some(respelling) => &respelling.finding(finding),
            None => finding,
        };
        let write =
            |writing: &mut Box<dyn Writing>, out: &mut Vec<u8>| writing.record(finding, out);
        let flow = match finding.marks.content {
            Content::Header => self.outputs.write_each(key, write)?,
            _ => self.outputs.write(key, write)?,
        };
        if flow.is_break() {
            return Ok(flow);
        }
        self.stores.keep_pace(&mut self.outputs)
    }

    fn group(&mut self, class: &Finding, spellings: &[Spelling]) -> io::Result<ControlFlow<()>> {
        self.stores.add(class)?;
        let key = RecordKey::from(class);
        match &mut self.respelling {
            Some(respelling) => {
                let (class, spellings) = respelling.group(class, spellings);
                let write = |writing: &mut Box<dyn Writing>, out: &mut Vec<u8>| {
                    writing.group(&class, &spellings, out);
                };
                self.outputs.write(key, write)
            }
            None => {
                let write = |writing: &mut Box<dyn Writing>, out: &mut Vec<u8>| {
                    writing.group(class, spellings, out);
                };
                self.outputs.write(key, write)
            }
        }
    }

    fn input(&mut self, input: usize, _: ReadAs, stats: &Stats) {
        // An input that a signal ended is not known to be read.
        if input >= self.known && self.interrupt.code().is_none() {
            let ended = (input, stats.failed_inputs > 0);
            self.stores.input_read(ended, &mut self.outputs);
        }
    }

    fn inputs_ended(&mut self) -> io::Result<ControlFlow<()>> {
        self.stores.check()?;
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &urisieve::item::Loss) {
        self.messages.loss(loss);
    }

    fn error(&mut self, error: Error) {
        self.messages.error(&error);
    }

    fn memory_used_up(&mut self) {
        self.outputs.findings_come_late();
        if !self.is_late && !self.stores.may_wait() {
            self.messages.memory_used_up();
        }
    }

    fn flush(&mut self) -> io::Result<ControlFlow<()>> {
        self.stores.flush(&mut self.outputs)
    }
}

impl ListSink {
    /// Completes the outputs and lets them appear, or reports why they cannot be completed;
    /// returns whether the run failed. After an interrupt only the file of `--errors`
    /// appears.
    fn end(&mut self, result: &Result<Stats, Error>, interrupted: bool) -> bool {
        let (outputs, messages) = (&mut self.outputs, &mut self.messages);
        let mut files = Vec::new();
        let mut failed = true;
        match result {
            Err(error) if messages::is_panic(error) => {
                messages.ended_by(error);
                outputs.cut(messages);
            }
            Err(error) if messages::is_of_input(error) => messages.ended_by(error),
            Err(error) if messages::is_of_output(error) => {
                let printer = outputs.printer();
                return printer.is_some_and(|printer| printer.reports(error, messages));
            }
            Err(_) => failed = false,
            // Nobody reads any more.
            Ok(stats) if stats.stopped => failed = false,
            Ok(_) if interrupted && outputs.is_left() => {
                outputs.leave("interrupted", messages);
                failed = false;
            }
            Ok(stats)
                if outputs
                    .printer()
                    .is_some_and(|printer| printer.keeps(stats.bytes, messages)) => {}
            Ok(_) => {
                if outputs.complete(&mut files, messages).is_err() {
                    return true;
                }
                self.is_delivered = !outputs.is_closed();
                failed = false;
            }
        }
        messages.appear(files).is_err() || failed
    }

    /// Reports a record that is not a URI: its line, where they are counted, and why.
    fn report_bad(&mut self, finding: &Finding) {
        self.bad += 1;
        let named = self.bad <= NAMED && self.speech != Speech::Silent;
        if !named && !self.messages.has_file() {
            return;
        }
        let name = self.names.get(finding.input);
        let line = finding.place.map_or(self.line.1, |place| place.line);
        let codes: Vec<&str> = finding.marks.problems.iter().map(|p| p.code()).collect();
        let why = match codes.is_empty() {
            // With --strict alone a line without a problem is not a URI by RFC 3986.
            true => "not valid by RFC 3986".to_owned(),
            false => codes.join(", "),
        };
        let cause = format!("line {line}: no URI ({why})");
        if named {
            stderr::say(format_args!("{}: {cause}", printable(&name)));
        }
        let offset = Some(finding.offset);
        self.messages
            .record(finding.input, offset, "no-uri", &cause);
    }
}
