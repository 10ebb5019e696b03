//! One output of a run, with the writing that decides what the bytes of its records are; and how
//! one more of several is made.

use super::division::FilePattern;
use super::printer::{CompleteOutput, Printer};
use super::{Destination, FileCompression};
use crate::cli::inputs::InputNames;
use crate::cli::journal::Journal;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Makes the bytes of the records of one output.
pub(in crate::cli) trait PartWriting: Send + 'static {
    /// Appends the beginning of the output.
    fn begin(&mut self, out: &mut Vec<u8>) {
        let _ = out;
    }

    /// Completes the output.
    ///
    /// # Errors
    /// Why that is impossible.
    fn complete(&mut self, printer: &mut Printer) -> Result<CompleteOutput, String>;
}

/// Makes the writing of one more output.
pub(in crate::cli) type NextWriting<W> = Box<dyn FnMut() -> Result<W, String> + Send>;

/// How the files of a divided output are made.
pub(in crate::cli) struct FileMaking<W> {
    pub pattern: FilePattern,
    pub writing: NextWriting<W>,
    pub compression: FileCompression,
    /// The threads that compress.
    pub threads: usize,
    /// The bytes that are collected of each file before they are written.
    pub buffer: usize,
    /// The names of the inputs.
    pub names: InputNames,
    /// Notes the inputs whose files appeared.
    pub journal: Option<Arc<Journal>>,
}

/// One output with its writing.
pub(in crate::cli) struct OutputPart<W> {
    pub writing: W,
    pub printer: Printer,
}

impl<W: PartWriting> FileMaking<W> {
    /// Opens the file `path`, and writes its beginning.
    ///
    /// # Errors
    /// Errors of opening it.
    pub(super) fn open(&mut self, path: &Path) -> io::Result<OutputPart<W>> {
        let mut writing = (self.writing)().map_err(io::Error::other)?;
        let file = Destination::file(path, self.compression, self.threads);
        let file = file.map_err(|cause| of_file(path, cause))?;
        let mut printer = Printer::of_part(file, self.buffer);
        writing.begin(printer.buffer());
        Ok(OutputPart { writing, printer })
    }
}

/// Returns an error of the file `path`, which it names.
pub(super) fn of_file(path: &Path, cause: impl std::fmt::Display) -> io::Error {
    io::Error::other(format!("{}: {cause}", path.display()))
}

impl<W: PartWriting> OutputPart<W> {
    /// Writes a record. Breaks when nobody reads any more.
    ///
    /// # Errors
    /// Errors of writing.
    pub(super) fn write(
        &mut self,
        write: impl FnOnce(&mut W, &mut Vec<u8>),
    ) -> io::Result<ControlFlow<()>> {
        self.printer.begin_record();
        write(&mut self.writing, self.printer.buffer());
        self.printer.end_record()
    }

    /// Writes a record to one of several files.
    ///
    /// # Errors
    /// Errors of writing, with the name of the file.
    pub(super) fn write_file(
        &mut self,
        write: impl FnOnce(&mut W, &mut Vec<u8>),
    ) -> io::Result<ControlFlow<()>> {
        let written = self.write(write);
        written.map_err(|cause| of_file(self.printer.name(), cause))
    }

    /// Completes it.
    ///
    /// # Errors
    /// Why that is impossible, with the name of the output.
    pub(super) fn complete(&mut self) -> io::Result<CompleteOutput> {
        let name = self.printer.name().to_owned();
        let completed = self.writing.complete(&mut self.printer);
        completed.map_err(|cause| of_file(&name, cause))
    }
}
