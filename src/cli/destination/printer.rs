//! Takes the records of a run: collects them, passes them to their destination, completes
//! it, or says why it is not written. A form decides what the bytes of a record are.

use crate::cli::destination::{CompleteFile, Destination, unless_closed};
use crate::cli::report::messages::{self, Messages};
use crate::cli::report::progress::Line;
use std::convert::Infallible;
use std::fmt::Display;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use urisieve::Error;
use urisieve::output::Screen;

/// Bytes that are collected before they are written.
const BUFFER: usize = 64 << 10;

/// The number of bytes of an output, and the file that is to appear, if it is one.
pub(in crate::cli) type CompleteOutput = (u64, Option<CompleteFile>);

/// Writes records to their destination.
pub(in crate::cli) struct Printer {
    out: Destination,
    /// The progress line.
    line: Option<Line>,
    /// Whether control characters are escaped here.
    escapes: bool,
    buffer: Vec<u8>,
    /// The offset in it of the record that is being added.
    record_at: Option<usize>,
    /// Bytes that are collected before they are written.
    capacity: usize,
    /// Nobody read the end of the output.
    is_closed: bool,
}

impl Printer {
    pub(in crate::cli) fn new(out: Destination) -> Printer {
        Printer {
            line: None,
            escapes: false,
            out,
            buffer: Vec::with_capacity(2 * BUFFER),
            record_at: None,
            capacity: BUFFER,
            is_closed: false,
        }
    }

    /// Writes to one of several outputs, which collects no more than this before it is written.
    pub(in crate::cli) fn of_part(out: Destination, capacity: usize) -> Printer {
        Printer {
            buffer: Vec::new(),
            capacity: capacity.min(BUFFER),
            ..Printer::new(out)
        }
    }

    /// Has the output outlast the machine when it is complete.
    pub(in crate::cli) fn lasting(self, lasts: bool) -> Printer {
        Printer {
            out: self.out.lasting(lasts),
            ..self
        }
    }

    /// Whether nobody read the end of the output.
    pub(in crate::cli) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Clears the progress `line` while records are written to a terminal, which they would
    /// overwrite.
    pub(in crate::cli) fn around(self, line: &Line) -> Printer {
        Printer {
            line: self.is_terminal().then(|| line.clone()),
            ..self
        }
    }

    /// Escapes control characters on a terminal, where the form of the records does not.
    pub(in crate::cli) fn escaping(self) -> Printer {
        Printer {
            escapes: self.is_terminal(),
            ..self
        }
    }

    /// Writes each record on its own, if `at_once`.
    pub(in crate::cli) fn at_once(self, at_once: bool) -> Printer {
        match at_once {
            true => Printer {
                capacity: 0,
                ..self
            },
            false => self,
        }
    }

    pub(in crate::cli) fn is_terminal(&self) -> bool {
        self.out.is_terminal()
    }

    /// The name of the destination in messages.
    pub(in crate::cli) fn name(&self) -> &Path {
        self.out.path().unwrap_or(Path::new("standard output"))
    }

    /// Whether the destination is a file that is absent until it is complete.
    pub(in crate::cli) fn is_file(&self) -> bool {
        self.out.is_file()
    }

    /// The bytes that are collected, to which those of records are added.
    pub(in crate::cli) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Begins a record.
    pub(in crate::cli) fn begin_record(&mut self) {
        self.record_at = Some(self.buffer.len());
    }

    /// Ends a record, and writes those that are collected where they are enough. Breaks when
    /// nobody reads any more.
    ///
    /// # Errors
    /// Errors of writing.
    pub(in crate::cli) fn end_record(&mut self) -> io::Result<ControlFlow<()>> {
        self.record_at = None;
        if self.buffer.is_empty() || self.buffer.len() < self.capacity {
            return Ok(ControlFlow::Continue(()));
        }
        unless_closed(self.write(self.capacity == 0))
    }

    /// Writes the records that are collected, for a reader who waits. Breaks when nobody
    /// reads any more.
    ///
    /// # Errors
    /// Errors of writing.
    pub(in crate::cli) fn flush(&mut self) -> io::Result<ControlFlow<()>> {
        unless_closed(self.write(true))
    }

    /// Writes records that were collected elsewhere. Breaks when nobody reads any more.
    ///
    /// # Errors
    /// Errors of writing.
    pub(in crate::cli) fn pass_on(&mut self, records: &[u8]) -> io::Result<ControlFlow<()>> {
        unless_closed(self.out.write_all(records))
    }

    fn write(&mut self, flush: bool) -> io::Result<()> {
        // Taken out first: nothing is written twice when the write fails.
        let mut bytes = std::mem::take(&mut self.buffer);
        let (out, escapes) = (&mut self.out, self.escapes);
        let mut give = || {
            match escapes {
                true => {
                    let mut safe = Vec::new();
                    Screen::SAFE.lines(&bytes, &mut safe);
                    out.write_all(&safe)?;
                }
                false => out.write_all(&bytes)?,
            }
            if flush { out.flush() } else { Ok(()) }
        };
        match &self.line {
            Some(line) => line.around(give)?,
            None => give()?,
        }
        bytes.clear();
        self.buffer = bytes;
        Ok(())
    }

    /// Says of a file that it does not appear, and why. Returns false where the records are
    /// not written to one.
    pub(in crate::cli) fn leave(&self, cause: &str, messages: &Messages) -> bool {
        if self.is_file() {
            messages.unwritten(self.name(), &format_args!("not written: {cause}"));
        }
        self.is_file()
    }

    /// Whether a file is left unchanged after a run that read `read` bytes, which is said.
    pub(in crate::cli) fn keeps(&self, read: u64, messages: &Messages) -> bool {
        let cause = self.out.is_kept(read, messages.errors() > 0);
        if let Some(cause) = &cause {
            messages.unwritten(self.name(), cause);
        }
        cause.is_some()
    }

    /// Completes the output, to which `finish` adds its end. Returns the number of bytes, and
    /// the file that is to appear, if it is one. Fails when that was said to be impossible.
    pub(in crate::cli) fn complete<E: Display>(
        &mut self,
        finish: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
        messages: &Messages,
    ) -> Result<CompleteOutput, ()> {
        let name = self.name().to_owned();
        self.completed(finish)
            .map_err(|cause| messages.unwritten(&name, &cause))
    }

    /// Completes the output as [`complete`](Printer::complete).
    ///
    /// # Errors
    /// Why that is impossible.
    pub(in crate::cli) fn completed<E: Display>(
        &mut self,
        finish: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<CompleteOutput, String> {
        match self.record_at {
            // The form panicked at a record: neither it nor the form is used any more.
            Some(at) => self.buffer.truncate(at),
            None => finish(&mut self.buffer).map_err(|error| error.to_string())?,
        }
        let given = self.write(true);
        let out = std::mem::replace(&mut self.out, Destination::stdout());
        match given.and_then(|()| out.complete()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.to_string()),
            completed => {
                self.is_closed = completed.is_err();
                Ok(completed.unwrap_or_default())
            }
        }
    }

    /// Writes what is complete after a panic ended the run; a file does not appear.
    pub(in crate::cli) fn cut(&mut self, messages: &Messages) {
        if self.leave("internal error", messages) {
            return;
        }
        if let Some(at) = self.record_at {
            self.buffer.truncate(at);
        }
        if let Err(error) = self.write(true) {
            messages.unwritten(self.name(), &error);
        }
    }

    /// Reports the error of a named file that could not be written; returns false for any
    /// other error.
    pub(in crate::cli) fn reports(&self, error: &Error, messages: &Messages) -> bool {
        match self.out.path() {
            Some(path) if messages::is_of_output(error) => {
                messages.unwritten(path, error.cause());
                true
            }
            _ => false,
        }
    }
}

/// The end of an output in which nothing follows the last record.
pub(in crate::cli) fn no_end(_: &mut Vec<u8>) -> Result<(), Infallible> {
    Ok(())
}
