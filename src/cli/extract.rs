//! The command `extract`: runs the sieve and writes what it finds.

use super::messages::{self, Messages, Names};
use super::plan::{self, Plan};
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use urisieve::engine::{Error, ErrorKind, Sink};
use urisieve::item::{Finding, Loss};
use urisieve::output::Form;

/// Bytes that are collected before they are written.
const BUFFER: usize = 64 << 10;

/// Runs the command; the exit code is 0 when something was found, 1 when nothing
/// was, 2 when something could not be read or written.
pub(super) fn run(plan: Plan) -> ExitCode {
    let names = Names::new(plan.stdin_name);
    let mut writer = Writer {
        form: plan.form,
        out: io::stdout(),
        buffer: Vec::with_capacity(2 * BUFFER),
        messages: Messages::new(names.clone(), plan.max_length),
        name: (usize::MAX, Arc::default()),
        names: names.clone(),
        found: false,
    };
    let result = plan
        .sieve
        .run(plan::sources(plan.inputs, names), &mut writer);
    let lost = writer.messages.finish();
    match result {
        Err(error) if is_closed_pipe(&error) => {}
        Err(error) => {
            messages::fatal(&error);
            return ExitCode::from(2);
        }
        Ok(_) => {}
    }
    match (lost, writer.found) {
        (true, _) => ExitCode::from(2),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::from(1),
    }
}

fn is_closed_pipe(error: &Error) -> bool {
    error.kind() == ErrorKind::Write && error.cause().kind() == io::ErrorKind::BrokenPipe
}

/// Writes findings in a form to standard output.
struct Writer<W> {
    form: Box<dyn Form>,
    out: W,
    buffer: Vec<u8>,
    messages: Messages,
    names: Names,
    /// The input of the last finding and its name.
    name: (usize, Arc<[u8]>),
    found: bool,
}

impl<W: Write + Send> Sink for Writer<W> {
    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        self.found = true;
        if self.name.0 != finding.input {
            self.name = (finding.input, self.names.get(finding.input));
        }
        self.form.write(finding, &self.name.1, &mut self.buffer);
        if self.buffer.len() >= BUFFER {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
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
