//! What can go wrong around the stages: with which input, where, and why.

use std::fmt;
use std::io;

/// Why a run stopped or lost a part of its input.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    cause: io::Error,
}

/// What failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An input could not be opened: its number.
    Open(usize),
    /// An input could not be read from a raw offset on: its number, the offset.
    Read(usize, u64),
    /// The output could not be written; the run stopped.
    Write,
    /// No threads could be started.
    Threads,
}

impl Error {
    pub(super) fn new(kind: ErrorKind, cause: io::Error) -> Error {
        Error { kind, cause }
    }

    /// The same error once more.
    pub(super) fn again(&self) -> Error {
        let cause = match self.cause.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => io::Error::new(self.cause.kind(), self.cause.to_string()),
        };
        Error {
            kind: self.kind,
            cause,
        }
    }

    /// What failed.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Why it failed.
    pub fn cause(&self) -> &io::Error {
        &self.cause
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.kind {
            ErrorKind::Open(input) => write!(f, "input {input}: cannot be opened: ")?,
            ErrorKind::Read(input, offset) => {
                write!(f, "input {input}: {offset}: cannot be read: ")?;
            }
            ErrorKind::Write => write!(f, "cannot write: ")?,
            ErrorKind::Threads => write!(f, "cannot start threads: ")?,
        }
        self.cause.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}
