//! The command `extract`: runs the sieve and writes what it finds.

use super::messages::{Messages, Names};
use super::plan::{self, Plan};
use super::signals::INTERRUPTED;
use super::stats;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use urisieve::engine::{Error, ErrorKind, Sink};
use urisieve::item::{Finding, Loss};
use urisieve::output::Form;

/// Bytes that are collected before they are written.
const BUFFER: usize = 64 << 10;

/// Runs the command; the exit code is 0 when something was found, 1 when nothing
/// was, 2 when something could not be read or written, 130 when interrupted.
pub(super) fn run(plan: Plan) -> ExitCode {
    let begun = Instant::now();
    let names = Names::new(plan.stdin_name);
    let mut writer = Writer {
        form: plan.form,
        out: io::stdout(),
        buffer: Vec::with_capacity(2 * BUFFER),
        capacity: if plan.line_buffered { 0 } else { BUFFER },
        quiet: plan.quiet,
        messages: Messages::new(names.clone(), plan.max_length, plan.messages),
        name: (usize::MAX, Arc::default()),
        names: names.clone(),
        found: false,
    };
    let sources = plan::sources(plan.inputs, plan.walk, names.clone());
    let result = plan.sieve.run(sources, &mut writer);
    let lost = writer.messages.finish();
    match &result {
        Err(error) if is_closed_pipe(error) || is_enough(error) => {}
        Err(error) => {
            writer.messages.fatal(error);
            return ExitCode::from(2);
        }
        Ok(stats) => {
            if let Some(form) = plan.stats {
                stats::print(stats, names.count(), begun.elapsed(), form);
            }
        }
    }
    if plan.interrupted.load(Ordering::Relaxed) {
        return ExitCode::from(INTERRUPTED);
    }
    match (lost && !(plan.quiet && writer.found), writer.found) {
        (true, _) => ExitCode::from(2),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::from(1),
    }
}

/// Whether the run was ended by the first finding of `-q`.
fn is_enough(error: &Error) -> bool {
    error.kind() == ErrorKind::Write && error.cause().kind() == io::ErrorKind::Interrupted
}

fn is_closed_pipe(error: &Error) -> bool {
    error.kind() == ErrorKind::Write && error.cause().kind() == io::ErrorKind::BrokenPipe
}

/// Writes findings in a form to standard output.
struct Writer<W> {
    form: Box<dyn Form>,
    out: W,
    buffer: Vec<u8>,
    /// Bytes that are collected before they are written.
    capacity: usize,
    quiet: bool,
    messages: Messages,
    names: Names,
    /// The input of the last finding and its name.
    name: (usize, Arc<[u8]>),
    found: bool,
}

impl<W: Write + Send> Sink for Writer<W> {
    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        self.found = true;
        if self.quiet {
            // Nothing more is to be known.
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.name.0 != finding.input {
            self.name = (finding.input, self.names.get(finding.input));
        }
        self.form.write(finding, &self.name.1, &mut self.buffer);
        if self.buffer.len() >= self.capacity {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
            if self.capacity == 0 {
                self.out.flush()?;
            }
        }
        Ok(())
    }

    fn loss(&mut self, loss: &Loss) {
        self.messages.loss(loss);
    }

    fn error(&mut self, error: Error) {
        self.messages.error(&error);
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        self.out.flush()
    }
}
