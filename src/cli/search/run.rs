//! The run of every search: the sieve, and the writing of what it finds.

use super::formatter::Formatter;
use super::graph_files::GraphFiles;
use super::plan::{OtherRows, Plan};
use super::shapes::OnePerShape;
use super::unmatched::UnmatchedEntries;
use crate::cli::destination::CompleteFile;
use crate::cli::destination::division::RecordKey;
use crate::cli::destination::outputs::{OutputPart, Outputs, PartWriting};
use crate::cli::destination::printer::{CompleteOutput, Printer};
use crate::cli::destination::respell::Respelling;
use crate::cli::flags::NamedInputs;
use crate::cli::inputs::{self, InputNames};
use crate::cli::report::messages::{self, Messages, Speech};
use crate::cli::report::progress::{Line, Ticker};
use crate::cli::report::stats::{self, ReadCounts, Written};
use crate::cli::seen::remembered::Stores;
use crate::cli::signals::Interrupt;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use urisieve::item::{Finding, Loss, Spelling};
use urisieve::output::{Form, RunReport};
use urisieve::{Error, Findings, FormatFindings, ReadAs, Sink, Stats};

/// Runs what was planned; the exit code is 0 when something was found, 1 when nothing
/// was, 2 when something could not be read or written, 130 when interrupted.
pub(super) fn run(plan: Result<Plan, String>) -> ExitCode {
    let plan = match plan {
        Ok(plan) => plan,
        Err(message) => return messages::usage(&message),
    };
    let begun = Instant::now();
    messages::keyboard(
        plan.inputs.is_named,
        !plan.quiet && plan.messages != Speech::Silent,
    );
    let names = plan.names;
    let line = Line::hidden();
    let ticker = plan.progress.map(|(progress, manner)| {
        let inputs = plan
            .known
            .inputs()
            .chain(plan.inputs.inputs.iter().cloned());
        let (inputs, walk) = (inputs.collect(), plan.inputs.walk.clone());
        Ticker::start(line.clone(), manner, progress, inputs, walk)
    });
    let is_plain = !plan.quiet && plan.respelling.is_none() && plan.shapes.is_none();
    let is_whole = plan.divided.is_none();
    let is_written_alone = is_plain && is_whole && plan.graph.is_none();
    let unmatched = UnmatchedEntries::of(plan.lists.matcher.as_deref(), plan.all_entries);
    let is_only_written = is_written_alone
        && plan.other.is_none()
        && !plan.stores.remembers()
        && unmatched.are_none();
    let mut writer = Writer {
        line_end: plan.form.line_end().filter(|_| is_written_alone),
        formatter: Formatter::of(&*plan.form, &names).filter(|_| is_only_written),
        graph: plan.graph,
        other: plan.other,
        outputs: plan.divided.unwrap_or(Outputs::Whole(OutputPart {
            writing: plan.form,
            printer: Printer::new(plan.destination)
                .around(&line)
                .lasting(plan.stores.remembers())
                .at_once(plan.line_buffered),
        })),
        quiet: plan.quiet,
        prints_late: plan.prints_late && !plan.quiet,
        messages: Messages::new(
            names.clone(),
            plan.max_length,
            plan.messages,
            plan.errors,
            line,
        )
        .known(plan.known.count())
        .with_memory(plan.memory)
        .with_hints(plan.hints),
        interrupt: plan.interrupt.clone(),
        respelling: plan.respelling,
        read_as: ReadCounts::default(),
        known: plan.known.count(),
        name: (usize::MAX, Arc::default()),
        names: names.clone(),
        records: 0,
        stores: plan.stores,
        seen: Stats::default(),
        ended: false,
        shapes: plan.shapes,
        unmatched,
    };
    for (list, cause) in &plan.lists.causes {
        writer.messages.record_entry(list, cause);
    }
    if !plan.quiet {
        if let Some(OutputPart { writing, printer }) = writer.outputs.whole() {
            writing.begin(printer.buffer());
        }
        if let Some(other) = &mut writer.other {
            other.form.begin(other.printer.buffer());
        }
    }
    let known = plan.known.count();
    let sources = plan.known.into_sources(&names);
    let NamedInputs { inputs, walk, .. } = plan.inputs;
    let shard = plan.shard.clone();
    let inputs = inputs::sources(inputs, walk, (names.clone(), shard));
    let sources = sources.into_iter().chain(inputs);
    let result = plan.sieve.run(sources, &mut writer);
    // The signal counts only if it came before the input ended.
    let interrupted = plan.interrupt.code();
    // Without the thread no progress is shown; nothing else changes.
    if let Some(Ok(ticker)) = ticker {
        ticker.stop();
    }
    if let Err(error) = &result
        && messages::is_of_input(error)
    {
        writer.messages.ended_by(error);
    }
    let lost = writer.messages.finish() | (plan.lists.bad > 0);
    let found = writer.records > 0;
    let read_as = std::mem::take(&mut writer.read_as);
    let unreadable = writer.messages.errors();
    let totals = |written| stats::Totals {
        inputs: names.count().saturating_sub(known),
        unreadable,
        hidden: names.hidden(),
        read_as,
        distinct: plan.distinct,
        written,
    };
    let print_stats = |stats: &Stats, totals| {
        let Some(form) = plan.stats else { return };
        plan.shard.say();
        stats::print(stats, totals, begun.elapsed(), form);
    };
    match result {
        // By the first finding of -q, by a signal, or because nobody reads any more.
        Ok(stats) if stats.stopped => {
            if interrupted.is_some() {
                writer.leave("interrupted");
                print_stats(&writer.seen, &totals(writer.unfinished()));
            }
            if writer.messages.appear(Vec::new()).is_err() {
                return ExitCode::from(2);
            }
        }
        Err(error) if messages::is_panic(&error) => {
            // The early end is an error, whatever becomes of the complete part.
            let _ = writer.finish(Some("internal error"), 0);
            return ExitCode::from(2);
        }
        Err(error) => {
            let is_written = !messages::is_of_output(&error);
            let printer = writer.outputs.printer();
            let is_said = messages::is_of_input(&error)
                || printer.is_some_and(|printer| printer.reports(&error, &writer.messages));
            if !is_said {
                writer.messages.fatal(&error);
            }
            if is_written {
                // Whether it appears changes nothing about the end.
                let _ = writer.messages.appear(Vec::new());
            }
            return ExitCode::from(2);
        }
        Ok(stats) => {
            if stats.unsettled {
                writer.messages.unsettled(plan.prints_late);
            }
            if let Err(code) = writer.print_unmatched() {
                return code;
            }
            let mut totals = totals(writer.unfinished());
            let (losses, further_losses) = writer.messages.losses();
            if let Some(part) = writer.outputs.whole() {
                part.writing.run(RunReport {
                    numbers: stats::rows(&stats, &totals),
                    losses,
                    further_losses,
                });
            }
            let mut stores = std::mem::take(&mut writer.stores);
            let stopped = interrupted.map(|_| "interrupted");
            let (written, is_delivered) = match writer.finish(stopped, stats.bytes) {
                Ok(finished) => finished,
                Err(code) => return code,
            };
            totals.written = written;
            if let Some(Err(message)) = is_delivered.then(|| stores.commit(&plan.interrupt.flag()))
            {
                return messages::usage(&message);
            }
            if plan.stats.is_some() {
                stores.say_unfiltered();
            }
            if let Some(journal) = stores.journal().filter(|_| plan.messages != Speech::Silent) {
                journal.say();
            }
            print_stats(&stats, &totals);
        }
    }
    let lost = lost && !(plan.quiet && found);
    messages::code(lost, interrupted, u8::from(!found))
}

/// The form of the records of one output.
impl PartWriting for Box<dyn Form> {
    fn begin(&mut self, out: &mut Vec<u8>) {
        (**self).begin(out);
    }

    fn complete(&mut self, printer: &mut Printer) -> Result<CompleteOutput, String> {
        printer.completed(|buffer| self.finish(buffer))
    }
}

/// Writes findings in a form to their destination.
struct Writer {
    /// The forms, and where they are written to.
    outputs: Outputs<Box<dyn Form>>,
    /// The graph of the links, where it is written.
    graph: Option<GraphFiles>,
    /// All rows, beside a report.
    other: Option<OtherRows>,
    /// The byte after each canonical form, where nothing else is written.
    line_end: Option<u8>,
    /// The format of the records, where nothing else is done with them.
    formatter: Option<Arc<dyn FormatFindings>>,
    quiet: bool,
    /// URIs are printed as they are found, until memory is used up.
    prints_late: bool,
    messages: Messages,
    interrupt: Interrupt,
    respelling: Option<Respelling>,
    read_as: ReadCounts,
    /// The number of inputs at the beginning that `--against` names.
    known: usize,
    names: InputNames,
    /// The input of the last finding and its name.
    name: (usize, Arc<[u8]>),
    /// The number of records that were written.
    records: u64,
    /// The stores that are asked, and the one that remembers.
    stores: Stores,
    /// The numbers of the inputs that were read.
    seen: Stats,
    /// Whether all inputs were read.
    ended: bool,
    /// Only the first URI of each shape is printed.
    shapes: Option<OnePerShape>,
    /// The entries that matched nothing so far, where they are printed.
    unmatched: UnmatchedEntries,
}

impl Sink for Writer {
    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
        self.stores.check()?;
        let shapes = self.shapes.as_mut();
        if shapes.is_some_and(|shapes| !shapes.is_first(finding.uri)) {
            return Ok(ControlFlow::Continue(()));
        }
        if self.begin(finding).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        self.stores.add(finding)?;
        if let Some(graph) = &mut self.graph {
            graph.add(finding)?;
            if !graph.prints {
                return Ok(ControlFlow::Continue(()));
            }
        }
        let key = RecordKey::from(finding);
        let finding = match &mut self.respelling {
            Some(respelling) => &respelling.finding(finding),
            None => finding,
        };
        let name = &*self.name.1;
        let write = |form: &mut Box<dyn Form>, out: &mut Vec<u8>| form.write(finding, name, out);
        let flow = self.outputs.write(key, write)?;
        if let Some(other) = &mut self.other {
            other
                .form
                .write(finding, &self.name.1, other.printer.buffer());
            // Nobody reads from a file that is not there yet.
            let _ = other.printer.end_record()?;
        }
        if flow.is_break() {
            return Ok(flow);
        }
        self.stores.keep_pace(&mut self.outputs)
    }

    fn findings(&mut self, findings: &mut Findings) -> io::Result<ControlFlow<()>> {
        if let (Some(part), Some((records, number))) =
            (self.outputs.whole(), findings.take_formatted())
        {
            self.records += number;
            part.printer.buffer().extend_from_slice(records);
            if part.printer.end_record()?.is_break() || self.go_on().is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        let Some(line_end) = self.line_end else {
            return findings.each(|finding| self.finding(finding));
        };
        let Some(OutputPart { printer, .. }) = self.outputs.whole() else {
            return Ok(ControlFlow::Continue(()));
        };
        let are_noted = self.stores.notes_uris();
        while let Some(uri) = findings.next_uri() {
            self.records += 1;
            if are_noted {
                self.stores.add_uri(uri)?;
            }
            let buffer = printer.buffer();
            buffer.extend_from_slice(uri);
            buffer.push(line_end);
            if printer.end_record()?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        self.stores.keep_pace(&mut self.outputs)
    }

    fn group(&mut self, class: &Finding, spellings: &[Spelling]) -> io::Result<ControlFlow<()>> {
        if self.begin(class).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        self.stores.add(class)?;
        let key = RecordKey::from(class);
        let respelled;
        let (class, spellings) = match &mut self.respelling {
            Some(respelling) => {
                respelled = respelling.group(class, spellings);
                (&respelled.0, &respelled.1[..])
            }
            None => (class, spellings),
        };
        let name = &*self.name.1;
        let flow = self.outputs.write(key, |form, out| {
            form.write_group(class, spellings, name, out);
        })?;
        if let Some(other) = &mut self.other {
            let buffer = other.printer.buffer();
            other
                .form
                .write_group(class, spellings, &self.name.1, buffer);
            // Nobody reads from a file that is not there yet.
            let _ = other.printer.end_record()?;
        }
        Ok(flow)
    }

    fn input(&mut self, input: usize, read_as: ReadAs, stats: &Stats) {
        if input >= self.known {
            self.read_as.add(read_as);
            self.seen += *stats;
            // An input that a signal ended is not known to be read.
            if self.interrupt.code().is_none() && !self.quiet {
                let ended = (input, stats.failed_inputs > 0);
                self.stores.input_read(ended, &mut self.outputs);
            }
        }
        self.messages.input(input, read_as, stats);
    }

    fn loss(&mut self, loss: &Loss) {
        self.messages.loss(loss);
    }

    fn error(&mut self, error: Error) {
        self.messages.error(&error);
    }

    fn uses_only_uris(&self) -> bool {
        self.line_end.is_some()
    }

    fn formatter(&self) -> Option<Arc<dyn FormatFindings>> {
        self.formatter.clone()
    }

    fn memory_used_up(&mut self) {
        self.outputs.findings_come_late();
        if self.prints_late && !self.stores.may_wait() {
            self.messages.memory_used_up();
        }
    }

    fn inputs_ended(&mut self) -> io::Result<ControlFlow<()>> {
        self.stores.check()?;
        self.ended = true;
        Ok(self.go_on())
    }

    fn flush(&mut self) -> io::Result<ControlFlow<()>> {
        self.stores.flush(&mut self.outputs)
    }
}

impl Writer {
    /// Takes a record to write: with `-q` one is enough.
    fn begin(&mut self, finding: &Finding) -> ControlFlow<()> {
        self.go_on()?;
        self.unmatched.remove(finding.uri);
        self.records += 1;
        if self.quiet {
            // Nothing more is needed.
            return ControlFlow::Break(());
        }
        if self.name.0 != finding.input {
            self.name = (finding.input, self.names.get(finding.input));
        }
        ControlFlow::Continue(())
    }

    /// Prints the entries that matched nothing, with a count of 0.
    /// Fails when they could not be written, which was said.
    fn print_unmatched(&mut self) -> Result<(), ExitCode> {
        for entry in self.unmatched.take().iter().filter(|_| !self.quiet) {
            let mut row = Finding::new(entry);
            row.count = Some(0);
            let key = RecordKey::from(&row);
            match self
                .outputs
                .write(key, |form, out| form.write(&row, b"", out))
            {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => break,
                Err(error) => {
                    let name = self
                        .outputs
                        .printer()
                        .map_or(Path::new("-o"), Printer::name);
                    self.messages.unwritten(name, &error);
                    return Err(ExitCode::from(2));
                }
            }
        }
        Ok(())
    }

    /// A file that will not appear need not be written to its end.
    fn go_on(&self) -> ControlFlow<()> {
        match self.ended
            && (self.outputs.is_late() || self.graph.is_some())
            && self.interrupt.code().is_some()
        {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Says of a file that is not written to its end that it does not appear, and why.
    fn leave(&self, cause: &str) {
        if let Some(graph) = &self.graph {
            let cause = format!("not written: {cause}");
            self.messages.unwritten(graph.dir(), &cause);
        }
        self.outputs.leave(cause, &self.messages);
    }

    /// The numbers of an output without its end.
    fn unfinished(&self) -> Written {
        Written {
            records: self.records,
            ..Written::default()
        }
    }

    /// Writes the end, and lets all files appear; returns what was written, and whether it was
    /// delivered.
    /// After a run that was `stopped` by something only the file of `--errors` appears, and
    /// the file of the records may be one that stays where nothing was `read`.
    fn finish(mut self, stopped: Option<&str>, read: u64) -> Result<(Written, bool), ExitCode> {
        let mut written = self.unfinished();
        let mut files = Vec::new();
        let is_left = stopped.filter(|_| self.outputs.is_left() || self.graph.is_some());
        if let Some(cause) = is_left.filter(|_| !self.quiet) {
            self.leave(cause);
        } else if !self.quiet {
            let printer = self.outputs.printer();
            if printer.is_some_and(|printer| printer.keeps(read, &self.messages)) {
                let _ = self.messages.appear(files);
                return Err(ExitCode::from(2));
            }
            written = match self.complete(written, &mut files) {
                Ok(written) => written,
                Err(()) => return Err(ExitCode::from(2)),
            };
        }
        let is_delivered = is_left.is_none() && !self.outputs.is_closed();
        match self.messages.appear(files) {
            Ok(()) => Ok((written, is_delivered)),
            Err(()) => Err(ExitCode::from(2)),
        }
    }

    /// Completes the records and the graph, and adds their files to `files`. Fails when that
    /// was said to be impossible.
    fn complete(
        &mut self,
        mut written: Written,
        files: &mut Vec<CompleteFile>,
    ) -> Result<Written, ()> {
        let is_whole = self
            .outputs
            .whole()
            .is_none_or(|part| part.writing.is_whole());
        written.bytes = self.outputs.complete(files, &self.messages)?;
        // A file that is dropped does not appear.
        if let Some(mut other) = self.other.take().filter(|_| !is_whole) {
            let finish = |buffer: &mut Vec<u8>| other.form.finish(buffer);
            let (bytes, file) = other.printer.complete(finish, &self.messages)?;
            written.bytes += bytes;
            files.extend(file);
        }
        if let Some(graph) = self.graph.take() {
            let dir = graph.dir().to_owned();
            match graph.complete() {
                Ok((bytes, graph)) => {
                    written.temporary_bytes = bytes;
                    files.extend(graph);
                }
                Err(error) => {
                    let cause = format!("{error}{}", messages::advice(&error));
                    self.messages.unwritten(&dir, &cause);
                    return Err(());
                }
            }
        }
        Ok(written)
    }
}
