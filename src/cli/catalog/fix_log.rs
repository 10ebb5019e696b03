//! The log of `catalog fix`: a row for each change and each refusal.

use crate::cli::destination::{CompleteFile, OutputFile, OutputPlace};
use std::io::{self, BufWriter, Write};
use urisieve::catalog::fix::{FIX_LOG_COLUMNS, FixedValue};
use urisieve::output::{Separator, Sheet, SheetColumn};

/// The open log. The rows of a file are held until that file is replaced. The log itself
/// appears with the other outputs, when it is complete.
pub(super) struct FixLog {
    out: BufWriter<OutputFile>,
    sheet: Sheet,
    held: Vec<u8>,
    /// The name in messages.
    said: String,
    /// The first error of writing.
    failed: Option<io::Error>,
}

impl FixLog {
    /// Opens the log at `place`, and begins it.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(super) fn open(place: OutputPlace) -> Result<FixLog, String> {
        let columns = FIX_LOG_COLUMNS.map(|name| SheetColumn::new(name, false));
        let said = place.said().to_owned();
        let opened = place.open().map_err(|error| format!("{said}: {error}"))?;
        let mut log = FixLog {
            out: BufWriter::new(opened),
            sheet: Sheet::separated(Separator::Comma, columns.into()),
            held: Vec::new(),
            said,
            failed: None,
        };
        log.sheet.begin(&mut log.held);
        Ok(log)
    }

    /// Holds the row of a value of `file`.
    pub(super) fn hold(&mut self, file: &[u8], value: &FixedValue) {
        if self.failed.is_none() {
            self.sheet.row(&value.cells(file), &mut self.held);
        }
    }

    /// Drops the rows that are held: what they say was not done.
    pub(super) fn drop_held(&mut self) {
        self.held.clear();
    }

    /// Passes on the rows that are held. Fails once, with a message, when the log cannot be
    /// written.
    pub(super) fn write(&mut self) -> Result<(), String> {
        if self.failed.is_some() {
            return Ok(());
        }
        let mut written = self.out.write_all(&self.held);
        if !self.out.get_ref().is_new() {
            written = written.and_then(|()| self.out.flush());
        }
        self.held.clear();
        written.map_err(|error| {
            let message = format!("{}: {error}", self.said);
            self.failed = Some(error);
            message
        })
    }

    /// Whether it could not be written, which was said.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Completes the log. Returns it, if it is only to be renamed.
    ///
    /// # Errors
    /// A message.
    pub(super) fn complete(self) -> Result<Option<CompleteFile>, String> {
        let written = self
            .out
            .into_inner()
            .map_err(io::IntoInnerError::into_error);
        let completed = written.and_then(OutputFile::complete);
        completed.map_err(|error| format!("{}: {error}", self.said))
    }
}
