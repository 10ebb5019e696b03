//! The file of `--errors`: losses, and inputs that could not be read, as JSON Lines.

use crate::cli::destination::{CompleteFile, OutputFile, OutputPlace};
use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use urisieve::output::push_error;

/// The open file. It appears with the other outputs, when it is complete.
#[derive(Debug)]
pub(in crate::cli) struct ErrorsFile {
    out: BufWriter<OutputFile>,
    line: Vec<u8>,
    /// The name in messages.
    said: String,
    /// The first error of writing, which is reported when the run ends.
    failed: Option<io::Error>,
}

impl ErrorsFile {
    /// Opens the file at `place`.
    ///
    /// # Errors
    /// Errors of opening it.
    pub(in crate::cli) fn open(place: OutputPlace) -> io::Result<ErrorsFile> {
        Ok(ErrorsFile {
            said: place.said().to_owned(),
            out: BufWriter::new(place.open()?),
            line: Vec::new(),
            failed: None,
        })
    }

    /// Writes what was lost of the input `name`, from the byte `offset` on if that is known.
    pub(in crate::cli) fn record(
        &mut self,
        name: &[u8],
        offset: Option<u64>,
        kind: &str,
        cause: &dyn Display,
    ) {
        if self.failed.is_some() {
            return;
        }
        self.line.clear();
        push_error(name, offset, kind, &cause.to_string(), &mut self.line);
        let mut written = self.out.write_all(&self.line);
        if !self.out.get_ref().is_new() {
            // The reader of a pipe waits for each line.
            written = written.and_then(|()| self.out.flush());
        }
        self.failed = written.err();
    }

    /// Completes the file. Returns it, if it is only to be renamed.
    ///
    /// # Errors
    /// The name of the file, and the first error of writing. A reader who went away is no
    /// error.
    pub(in crate::cli) fn complete(self) -> Result<Option<CompleteFile>, (String, io::Error)> {
        let written = match self.failed {
            Some(error) => Err(error),
            None => self
                .out
                .into_inner()
                .map_err(io::IntoInnerError::into_error),
        };
        match written.and_then(OutputFile::complete) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(None),
            completed => completed.map_err(|error| (self.said, error)),
        }
    }
}
