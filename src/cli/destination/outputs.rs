//! Where the records of a run are written: one output, or several that are divided. Each has its
//! own writing, which decides what the bytes of a record are.

use super::CompleteFile;
use super::commit_files::CommitFiles;
use super::division::{OutputDivision, RecordKey};
use super::input_files::InputFiles;
use super::part_files::PartFiles;
use super::printer::Printer;
use crate::cli::report::messages::Messages;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

pub(in crate::cli) use super::output_part::{FileMaking, NextWriting, OutputPart, PartWriting};

/// The outputs of a run.
pub(in crate::cli) enum Outputs<W> {
    Whole(OutputPart<W>),
    Parts(PartFiles<W>),
    Commits(SharedFile<W>),
    Inputs(Box<InputFiles<W>>),
}

/// A file that is completed where a store is committed.
pub(in crate::cli) type SharedFile<W> = Arc<Mutex<CommitFiles<W>>>;

/// Completes the file of the commit with a number.
pub(in crate::cli) type Deliver = Box<dyn FnMut(u64) -> io::Result<()> + Send>;

impl<W: PartWriting> Outputs<W> {
    /// Opens the files that are divided.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn divided(
        division: OutputDivision,
        making: FileMaking<W>,
    ) -> Result<Outputs<W>, String> {
        let folder = making.pattern.folder().to_owned();
        let opened = match division {
            OutputDivision::Parts(number) => PartFiles::open(number, making).map(Outputs::Parts),
            OutputDivision::Commits => {
                CommitFiles::open(making).map(|files| Outputs::Commits(Arc::new(Mutex::new(files))))
            }
            OutputDivision::Inputs => {
                InputFiles::open(making).map(|files| Outputs::Inputs(Box::new(files)))
            }
        };
        opened.map_err(|cause| format!("-o {}: {cause}", folder.display()))
    }

    /// Writes a record. Breaks when nobody reads any more.
    ///
    /// # Errors
    /// Errors of writing.
    pub(in crate::cli) fn write(
        &mut self,
        key: RecordKey<'_>,
        write: impl FnOnce(&mut W, &mut Vec<u8>),
    ) -> io::Result<ControlFlow<()>> {
        match self {
            Outputs::Whole(part) => part.write(write),
            Outputs::Parts(parts) => parts.of(key).write_file(write),
            Outputs::Commits(file) => locked(file).of()?.write_file(write),
            Outputs::Inputs(files) => files.of(key.input)?.write_file(write),
        }
    }

    /// Writes what each part has: a header of `input`.
    ///
    /// # Errors
    /// Errors of writing.
    pub(in crate::cli) fn write_each(
        &mut self,
        key: RecordKey<'_>,
        mut write: impl FnMut(&mut W, &mut Vec<u8>),
    ) -> io::Result<ControlFlow<()>> {
        match self {
            Outputs::Parts(parts) => {
                let mut parts = parts.each();
                parts.try_for_each(|part| part.write_file(&mut write).map(drop))?;
                Ok(ControlFlow::Continue(()))
            }
            _ => self.write(key, write),
        }
    }

    /// The only output, if it is not divided.
    pub(in crate::cli) fn whole(&mut self) -> Option<&mut OutputPart<W>> {
        match self {
            Outputs::Whole(part) => Some(part),
            _ => None,
        }
    }

    /// The printer of the only output, if it is not divided.
    pub(in crate::cli) fn printer(&self) -> Option<&Printer> {
        match self {
            Outputs::Whole(part) => Some(&part.printer),
            _ => None,
        }
    }

    /// What completes the file of a commit, where commits divide the output.
    pub(in crate::cli) fn deliver(&self) -> Option<Deliver> {
        let Outputs::Commits(file) = self else {
            return None;
        };
        let file = Arc::clone(file);
        Some(Box::new(move |number| locked(&file).deliver(number)))
    }

    /// Whether nothing appears before all inputs were read.
    pub(in crate::cli) fn is_late(&self) -> bool {
        match self {
            Outputs::Whole(part) => part.printer.is_file(),
            Outputs::Parts(_) => true,
            Outputs::Commits(_) | Outputs::Inputs(_) => false,
        }
    }

    /// Whether what is not complete is left out where a run is interrupted.
    pub(in crate::cli) fn is_left(&self) -> bool {
        self.is_late() || matches!(self, Outputs::Inputs(_))
    }

    /// Whether nobody read the end of the output.
    pub(in crate::cli) fn is_closed(&self) -> bool {
        self.printer().is_some_and(Printer::is_closed)
    }

    /// Writes what is collected, for a reader who waits. Breaks when nobody reads any more.
    ///
    /// # Errors
    /// Errors of writing.
    pub(in crate::cli) fn flush(&mut self) -> io::Result<ControlFlow<()>> {
        match self.whole() {
            Some(part) => part.printer.flush(),
            None => Ok(ControlFlow::Continue(())),
        }
    }

    /// Notes that an input was read to its end, or to an error if it `failed`. Unless its findings
    /// come later, its file is complete.
    ///
    /// # Errors
    /// Errors of completing it.
    pub(in crate::cli) fn input_read(&mut self, input: usize, failed: bool) -> io::Result<()> {
        match self {
            Outputs::Inputs(files) => files.read(input, failed),
            _ => Ok(()),
        }
    }

    /// Notes that further findings come after all inputs.
    pub(in crate::cli) fn findings_come_late(&mut self) {
        if let Outputs::Inputs(files) = self {
            files.come_late();
        }
    }

    /// Says of files that they do not appear, and why. Returns false where records are not
    /// written to files.
    pub(in crate::cli) fn leave(&self, cause: &str, messages: &Messages) -> bool {
        let said = |path: &Path| messages.unwritten(path, &format_args!("not written: {cause}"));
        match self {
            Outputs::Whole(part) => return part.printer.leave(cause, messages),
            Outputs::Parts(parts) => said(parts.folder()),
            Outputs::Commits(file) => locked(file).unfinished().into_iter().for_each(said),
            Outputs::Inputs(files) => files.unfinished().into_iter().for_each(said),
        }
        true
    }

    /// Writes what is complete after a panic ended the run; files do not appear.
    pub(in crate::cli) fn cut(&mut self, messages: &Messages) {
        match self.whole() {
            Some(part) => part.printer.cut(messages),
            None => drop(self.leave("internal error", messages)),
        }
    }

    /// Completes all outputs, and adds the files that are to appear together to `files`. Returns
    /// the number of bytes. Fails when that was said to be impossible.
    pub(in crate::cli) fn complete(
        &mut self,
        files: &mut Vec<CompleteFile>,
        messages: &Messages,
    ) -> Result<u64, ()> {
        let completed = match self {
            Outputs::Whole(part) => {
                let name = part.printer.name().to_owned();
                let completed = part.writing.complete(&mut part.printer);
                let completed = completed.map_err(|cause| messages.unwritten(&name, &cause))?;
                files.extend(completed.1);
                return Ok(completed.0);
            }
            Outputs::Parts(parts) => parts.complete().map(|(bytes, folder)| {
                files.push(folder);
                bytes
            }),
            // The last file is completed by the last commit.
            Outputs::Commits(file) => Ok(locked(file).bytes()),
            Outputs::Inputs(inputs) => inputs.end(),
        };
        completed.map_err(|cause| messages.unwritten(Path::new("-o"), &cause))
    }
}

fn locked<W>(file: &SharedFile<W>) -> std::sync::MutexGuard<'_, CommitFiles<W>> {
    file.lock().unwrap_or_else(PoisonError::into_inner)
}
