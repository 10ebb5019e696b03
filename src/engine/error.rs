//! What can go wrong around the stages: with which input, where, and why.

use std::fmt;
use std::io;

/// Why a run stopped or lost a part of its input.
///
/// ```
/// use std::{io, ops::ControlFlow};
/// use urisieve::{engine::{Error, Sieve, Sink}, input::Source, item::Finding};
/// struct Errors(Vec<Error>);
/// impl Sink for Errors {
///     fn finding(&mut self, _: &Finding<'_>) -> io::Result<ControlFlow<()>> { Ok(ControlFlow::Continue(())) }
///     fn error(&mut self, error: Error) { self.0.push(error) }
/// }
/// let mut errors = Errors(Vec::new());
/// Sieve::builder().build().run([Source::Path("no/such/file".into())], &mut errors)?;
/// assert!(errors.0[0].to_string().starts_with("input 0: cannot be opened: "));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    cause: io::Error,
}

/// What failed.
///
/// ```
/// use std::{io, ops::ControlFlow};
/// use urisieve::engine::{Error, ErrorKind, Sieve, Sink};
/// use urisieve::{input::Source, item::Finding};
/// struct Kinds(Vec<ErrorKind>);
/// impl Sink for Kinds {
///     fn finding(&mut self, _: &Finding<'_>) -> io::Result<ControlFlow<()>> { Ok(ControlFlow::Continue(())) }
///     fn error(&mut self, error: Error) { self.0.push(error.kind()) }
/// }
/// let mut kinds = Kinds(Vec::new());
/// // The missing file does not stop the run.
/// let sources = [Source::Path("no/such/file".into()), Source::Slice(b"http://a.example/")];
/// let stats = Sieve::builder().build().run(sources, &mut kinds)?;
/// assert_eq!((kinds.0, stats.occurrences), (vec![ErrorKind::Open(0)], 1));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An input could not be opened: its number.
    Open(usize),
    /// An input could not be read from a raw offset on: its number, the offset.
    Read(usize, u64),
    /// A compressed input could not be read from an offset on: its number, the offset in
    /// what is stored.
    ReadStored(usize, u64),
    /// A table lacks the column that holds the URIs: the number of the input. The cause
    /// lists its columns.
    Column(usize),
    /// The output could not be written; the run stopped.
    Write,
    /// No threads could be started.
    Threads,
    /// Something panicked that worked on an input: its number. It may have been a source,
    /// a callback or the sink; otherwise it is a bug to be reported. The run stopped; what
    /// comes before the panic was given to the sink. The cause says where it was, and what
    /// it says.
    Panic(usize),
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

    /// Whether nothing could be read from the raw offset `start` on.
    pub(super) fn is_read_at(&self, start: u64) -> bool {
        matches!(self.kind, ErrorKind::Read(_, at) if at == start)
    }

    /// What failed.
    ///
    /// ```
    /// use std::{io, ops::ControlFlow};
    /// use urisieve::{engine::{ErrorKind, Sieve, Sink}, item::Finding};
    /// struct Full;
    /// impl Sink for Full {
    ///     fn finding(&mut self, _: &Finding<'_>) -> io::Result<ControlFlow<()>> {
    ///         Err(io::ErrorKind::StorageFull.into())
    ///     }
    /// }
    /// let error = Sieve::builder().build().slice(b"http://a.example/", &mut Full).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Write);
    /// ```
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Why it failed.
    ///
    /// ```
    /// use std::{io, ops::ControlFlow};
    /// use urisieve::{engine::{Sieve, Sink}, item::Finding};
    /// struct Closed;
    /// impl Sink for Closed {
    ///     fn finding(&mut self, _: &Finding<'_>) -> io::Result<ControlFlow<()>> {
    ///         Err(io::ErrorKind::BrokenPipe.into())
    ///     }
    /// }
    /// let error = Sieve::builder().build().slice(b"http://a.example/", &mut Closed).unwrap_err();
    /// assert_eq!(error.cause().kind(), io::ErrorKind::BrokenPipe);
    /// ```
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
            ErrorKind::ReadStored(input, offset) => {
                write!(
                    f,
                    "input {input}: compressed byte {offset}: cannot be read: "
                )?;
            }
            ErrorKind::Column(input) => write!(f, "input {input}: ")?,
            ErrorKind::Write => write!(f, "cannot write: ")?,
            ErrorKind::Threads => write!(f, "cannot start threads: ")?,
            ErrorKind::Panic(input) => write!(f, "input {input}: internal error ")?,
        }
        self.cause.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}
