//! The command `extract`: runs the sieve and writes what it finds.

use super::destination::Destination;
use super::inputs::{self, InputNames};
use super::messages::{self, Messages};
use super::plan::{Plan, Speech};
use super::progress::{Line, Ticker};
use super::respell::Respelling;
use super::signals::Interrupt;
use super::stats::{self, Kinds, Written};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use urisieve::engine::{Error, ErrorKind, ReadAs, Sink, Stats};
use urisieve::item::{Finding, Loss, Spelling};
use urisieve::output::Form;

/// Bytes that are collected before they are written.
const BUFFER: usize = 64 << 10;

/// Runs the command; the exit code is 0 when something was found, 1 when nothing
/// was, 2 when something could not be read or written, 130 when interrupted.
pub(super) fn run(plan: Plan) -> ExitCode {
    let begun = Instant::now();
    messages::keyboard(
        plan.is_named,
        !plan.quiet && plan.messages != Speech::Silent,
    );
    let names = InputNames::new(&plan.stdin_name);
    let line = Line::hidden();
    let ticker = plan.progress.map(|(progress, manner)| {
        let inputs = plan.known.inputs().chain(plan.inputs.iter().cloned());
        let (inputs, walk) = (inputs.collect(), plan.walk.clone());
        Ticker::start(line.clone(), manner, progress, inputs, walk)
    });
    let mut writer = Writer {
        form: plan.form,
        // Only on a terminal can records overwrite the progress line.
        line: plan.destination.is_terminal().then(|| line.clone()),
        out: plan.destination,
        buffer: Vec::with_capacity(2 * BUFFER),
        capacity: if plan.line_buffered { 0 } else { BUFFER },
        quiet: plan.quiet,
        messages: Messages::new(
            names.clone(),
            plan.max_length,
            plan.messages,
            plan.errors,
            line,
        )
        .known(plan.known.count()),
        interrupt: plan.interrupt.clone(),
        respelling: plan.respelling,
        kinds: Kinds::default(),
        known: plan.known.count(),
        name: (usize::MAX, Arc::default()),
        names: names.clone(),
        records: 0,
        seen: Stats::default(),
        ended: false,
    };
    if !plan.quiet {
        writer.form.begin(&mut writer.buffer);
    }
    let known = plan.known.count();
    let sources = plan.known.into_sources(&names);
    let sources = sources
        .into_iter()
        .chain(inputs::sources(plan.inputs, plan.walk, names.clone()));
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
        writer.messages.error(error);
    }
    let lost = match writer.messages.finish() {
        Ok(lost) => lost,
        Err(error) => {
            return messages::usage(&format!("--errors: {error}"));
        }
    };
    let (found, records) = (writer.records > 0, writer.records);
    let (kinds, unreadable) = (writer.kinds, writer.messages.errors());
    let print_stats = |stats: &Stats, bytes| {
        let Some(form) = plan.stats else { return };
        let totals = stats::Totals {
            inputs: names.count().saturating_sub(known),
            unreadable,
            hidden: names.hidden(),
            kinds,
            distinct: plan.distinct,
            written: Written { records, bytes },
        };
        stats::print(stats, &totals, begun.elapsed(), form);
    };
    match result {
        Err(error) if is_enough(&error) && interrupted.is_some() => {
            writer.leave();
            print_stats(&writer.seen, 0);
        }
        Err(error) if is_enough(&error) || messages::is_closed_pipe(&error) => {}
        Err(error) if messages::is_of_input(&error) => return ExitCode::from(2),
        Err(error) => {
            match (error.kind(), writer.out.path()) {
                (ErrorKind::Write, Some(path)) => writer.messages.unwritten(path, error.cause()),
                _ => writer.messages.fatal(&error),
            }
            return ExitCode::from(2);
        }
        Ok(stats) => {
            let bytes = match writer.finish(interrupted.is_some(), stats.bytes) {
                Ok(bytes) => bytes,
                Err(code) => return code,
            };
            print_stats(&stats, bytes);
        }
    }
    let lost = lost && !(plan.quiet && found);
    messages::code(lost, interrupted, u8::from(!found))
}

/// Whether the run was ended by the first finding of `-q`, or by a signal.
fn is_enough(error: &Error) -> bool {
    error.kind() == ErrorKind::Write && error.cause().kind() == io::ErrorKind::Interrupted
}

/// Writes findings in a form to their destination.
struct Writer {
    form: Box<dyn Form>,
    out: Destination,
    /// The progress line, which is cleared while records are written.
    line: Option<Line>,
    buffer: Vec<u8>,
    /// Bytes that are collected before they are written.
    capacity: usize,
    quiet: bool,
    messages: Messages,
    interrupt: Interrupt,
    respelling: Option<Respelling>,
    kinds: Kinds,
    /// The number of inputs at the beginning that `--against` names.
    known: usize,
    names: InputNames,
    /// The input of the last finding and its name.
    name: (usize, Arc<[u8]>),
    /// The number of records that were written.
    records: u64,
    /// The numbers of the inputs that were read.
    seen: Stats,
    /// Whether all inputs were read.
    ended: bool,
}

impl Sink for Writer {
    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        self.begin(finding)?;
        let finding = match &mut self.respelling {
            Some(respelling) => &respelling.finding(finding),
            None => finding,
        };
        self.form.write(finding, &self.name.1, &mut self.buffer);
        self.written()
    }

    fn group(&mut self, class: &Finding, spellings: &[Spelling]) -> io::Result<()> {
        self.begin(class)?;
        let respelled;
        let (class, spellings) = match &mut self.respelling {
            Some(respelling) => {
                respelled = respelling.group(class, spellings);
                (&respelled.0, &respelled.1[..])
            }
            None => (class, spellings),
        };
        self.form
            .write_group(class, spellings, &self.name.1, &mut self.buffer);
        self.written()
    }

    fn input(&mut self, input: usize, read_as: ReadAs, stats: &Stats) {
        if input >= self.known {
            self.kinds.add(read_as);
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

    fn inputs_ended(&mut self) -> io::Result<()> {
        self.ended = true;
        self.go_on()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.give(true)
    }
}

impl Writer {
    /// Called before each record: with `-q` the first one ends the run.
    fn begin(&mut self, finding: &Finding) -> io::Result<()> {
        self.go_on()?;
        self.records += 1;
        if self.quiet {
            // The first finding decides the exit code.
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.name.0 != finding.input {
            self.name = (finding.input, self.names.get(finding.input));
        }
        Ok(())
    }

    /// Fails when the file will not be renamed into place: it need not be written to
    /// its end.
    fn go_on(&self) -> io::Result<()> {
        match self.ended && self.out.is_file() && self.interrupt.code().is_some() {
            true => Err(io::ErrorKind::Interrupted.into()),
            false => Ok(()),
        }
    }

    /// Reports a file that is left unchanged because it was not completed.
    fn leave(&self) {
        if let (true, Some(path)) = (self.out.is_file(), self.out.path()) {
            self.messages.unwritten(path, &"not written: interrupted");
        }
    }

    /// Called after each record.
    fn written(&mut self) -> io::Result<()> {
        if self.buffer.len() >= self.capacity {
            self.give(self.capacity == 0)?;
        }
        Ok(())
    }

    /// Passes the buffered bytes to the destination.
    fn give(&mut self, flush: bool) -> io::Result<()> {
        let Writer { out, buffer, .. } = self;
        let mut give = || {
            out.write_all(buffer)?;
            if flush { out.flush() } else { Ok(()) }
        };
        match &self.line {
            Some(line) => line.around(give)?,
            None => give()?,
        }
        self.buffer.clear();
        Ok(())
    }

    /// Writes the end of the output, renames the file, and returns the number of bytes.
    /// After an interrupt no file is written; where nothing was read, an existing file
    /// may be left unchanged.
    fn finish(mut self, interrupted: bool, read: u64) -> Result<u64, ExitCode> {
        if self.quiet {
            return Ok(0);
        }
        if interrupted && self.out.is_file() {
            self.leave();
            return Ok(0);
        }
        let path = self.out.path().map(Path::to_owned);
        let said = path.as_deref().unwrap_or(Path::new("standard output"));
        if let Some(cause) = self.out.is_kept(read, self.messages.errors() > 0) {
            self.messages.unwritten(said, &cause);
            return Err(ExitCode::from(2));
        }
        if let Err(error) = self.form.finish(&mut self.buffer) {
            self.messages.unwritten(said, &error);
            return Err(ExitCode::from(2));
        }
        match self.give(true).and_then(|()| self.out.finish()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.messages.unwritten(said, &error);
                Err(ExitCode::from(2))
            }
            result => Ok(result.unwrap_or_default()),
        }
    }
}
