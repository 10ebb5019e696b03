//! The run of every search: the sieve, and the writing of what it finds.

use super::graph_files::GraphFiles;
use super::plan::{OtherRows, Plan};
use super::shapes::OnePerShape;
use super::unmatched::UnmatchedEntries;
use crate::cli::destination::CompleteFile;
use crate::cli::destination::printer::Printer;
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
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use urisieve::input::Source;
use urisieve::item::{Finding, Loss, Spelling};
use urisieve::output::{Form, RunReport};
use urisieve::{Error, Findings, ReadAs, Sink, Stats};

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
    let mut writer = Writer {
        line_end: plan
            .form
            .line_end()
            .filter(|_| is_plain && plan.graph.is_none()),
        form: plan.form,
        graph: plan.graph,
        other: plan.other,
        printer: Printer::new(plan.destination)
            .around(&line)
            .lasting(plan.stores.remembers())
            .at_once(plan.line_buffered),
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
        unmatched: UnmatchedEntries::of(plan.lists.matcher.as_deref(), plan.all_entries),
    };
    for (list, cause) in &plan.lists.causes {
        writer.messages.record_entry(list, cause);
    }
    if !plan.quiet {
        writer.form.begin(writer.printer.buffer());
        if let Some(other) = &mut writer.other {
            other.form.begin(other.printer.buffer());
        }
    }
    let known = plan.known.count();
    let sources = plan.known.into_sources(&names);
    let NamedInputs { inputs, walk, .. } = plan.inputs;
    let shard = plan.shard.clone();
    let inputs = inputs::sources(inputs, walk, (names.clone(), shard), Source::Path);
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
            let is_said =
                messages::is_of_input(&error) || writer.printer.reports(&error, &writer.messages);
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
            writer.form.run(RunReport {
                numbers: stats::rows(&stats, &totals),
                losses,
                further_losses,
            });
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
            print_stats(&stats, &totals);
        }
    }
    let lost = lost && !(plan.quiet && found);
    messages::code(lost, interrupted, u8::from(!found))
}

/// Writes findings in a form to their destination.
struct Writer {
    form: Box<dyn Form>,
    /// The graph of the links, where it is written.
    graph: Option<GraphFiles>,
    /// All rows, beside a report.
    other: Option<OtherRows>,
    /// The byte after each canonical form, where nothing else is written.
    line_end: Option<u8>,
    printer: Printer,
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
                return self.printer.end_record();
            }
        }
        let finding = match &mut self.respelling {
            Some(respelling) => &respelling.finding(finding),
            None => finding,
        };
        self.form
            .write(finding, &self.name.1, self.printer.buffer());
        if let Some(other) = &mut self.other {
            other
                .form
                .write(finding, &self.name.1, other.printer.buffer());
            // Nobody reads from a file that is not there yet.
            let _ = other.printer.end_record()?;
        }
        if self.printer.end_record()?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        self.stores.keep_pace(&mut self.printer)
    }

    fn findings(&mut self, findings: &mut Findings) -> io::Result<ControlFlow<()>> {
        let Some(line_end) = self.line_end else {
            return findings.each(|finding| self.finding(finding));
        };
        let are_noted = self.stores.notes_uris();
        while let Some(uri) = findings.next_uri() {
            self.records += 1;
            if are_noted {
                self.stores.add_uri(uri)?;
            }
            let buffer = self.printer.buffer();
            buffer.extend_from_slice(uri);
            buffer.push(line_end);
            if self.printer.end_record()?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        self.stores.keep_pace(&mut self.printer)
    }

    fn group(&mut self, class: &Finding, spellings: &[Spelling]) -> io::Result<ControlFlow<()>> {
        if self.begin(class).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        self.stores.add(class)?;
        let respelled;
        let (class, spellings) = match &mut self.respelling {
            Some(respelling) => {
                respelled = respelling.group(class, spellings);
                (&respelled.0, &respelled.1[..])
            }
            None => (class, spellings),
        };
        self.form
            .write_group(class, spellings, &self.name.1, self.printer.buffer());
        if let Some(other) = &mut self.other {
            let buffer = other.printer.buffer();
            other
                .form
                .write_group(class, spellings, &self.name.1, buffer);
            // Nobody reads from a file that is not there yet.
            let _ = other.printer.end_record()?;
        }
        self.printer.end_record()
    }

    fn input(&mut self, input: usize, read_as: ReadAs, stats: &Stats) {
        if input >= self.known {
            self.read_as.add(read_as);
            self.seen += *stats;
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

    fn memory_used_up(&mut self) {
        if self.prints_late && !self.stores.may_wait() {
            self.messages.memory_used_up();
        }
    }

    fn inputs_ended(&mut self) -> io::Result<ControlFlow<()>> {
        self.ended = true;
        Ok(self.go_on())
    }

    fn flush(&mut self) -> io::Result<ControlFlow<()>> {
        let flow = self.printer.flush()?;
        if flow.is_continue() {
            self.stores.flushed();
        }
        Ok(flow)
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
        self.printer.begin_record();
        ControlFlow::Continue(())
    }

    /// Prints the entries that matched nothing, with a count of 0.
    /// Fails when they could not be written, which was said.
    fn print_unmatched(&mut self) -> Result<(), ExitCode> {
        for entry in self.unmatched.take().iter().filter(|_| !self.quiet) {
            let mut row = Finding::new(entry);
            row.count = Some(0);
            self.printer.begin_record();
            self.form.write(&row, b"", self.printer.buffer());
            match self.printer.end_record() {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => break,
                Err(error) => {
                    self.messages.unwritten(self.printer.name(), &error);
                    return Err(ExitCode::from(2));
                }
            }
        }
        Ok(())
    }

    /// A file that will not appear need not be written to its end.
    fn go_on(&self) -> ControlFlow<()> {
        match self.ended
            && (self.printer.is_file() || self.graph.is_some())
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
        self.printer.leave(cause, &self.messages);
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
        let is_left = stopped.filter(|_| self.printer.is_file() || self.graph.is_some());
        if let Some(cause) = is_left.filter(|_| !self.quiet) {
            self.leave(cause);
        } else if !self.quiet {
            if self.printer.keeps(read, &self.messages) {
                let _ = self.messages.appear(files);
                return Err(ExitCode::from(2));
            }
            written = match self.complete(written, &mut files) {
                Ok(written) => written,
                Err(()) => return Err(ExitCode::from(2)),
            };
        }
        let is_delivered = is_left.is_none() && !self.printer.is_closed();
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
        let is_whole = self.form.is_whole();
        let finish = |buffer: &mut Vec<u8>| self.form.finish(buffer);
        let (bytes, file) = self.printer.complete(finish, &self.messages)?;
        written.bytes = bytes;
        files.extend(file);
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
