//! Errors of a run: what failed, on which input, at which offset, and why.

use crate::input::SourceName;
use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::Path;

/// Why a run stopped, or could not read an input.
///
/// ```
/// use std::{io, ops::ControlFlow};
/// use urisieve::{Error, Sieve, Sink, input::Source, item::Finding};
/// struct Errors(Vec<Error>);
/// impl Sink for Errors {
///     fn finding(&mut self, _: &Finding<'_>) -> io::Result<ControlFlow<()>> { Ok(ControlFlow::Continue(())) }
///     fn error(&mut self, error: Error) { self.0.push(error) }
/// }
/// let mut errors = Errors(Vec::new());
/// Sieve::builder().build().run([Source::Path("no/such/file".into())], &mut errors)?;
/// assert!(errors.0[0].to_string().starts_with("input 0 (no/such/file): cannot be opened: "));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    cause: io::Error,
    /// The name of the input.
    name: Option<SourceName>,
    /// A function of the caller panicked, not the library.
    is_of_caller: bool,
}

/// The failure.
///
/// ```
/// use std::{io, ops::ControlFlow};
/// use urisieve::{Error, ErrorKind, Sieve, Sink};
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
    /// The input with this number could not be opened.
    Open(usize),
    /// The input with this number could not be read from this raw offset on.
    Read(usize, u64),
    /// The compressed input with this number could not be read from this offset of the
    /// compressed bytes on.
    ReadStored(usize, u64),
    /// The input with this number is a table that lacks the column of the URIs. The cause
    /// lists the columns of the table.
    Column(usize),
    /// The input with this number is to be read as a list, and is a container whose text
    /// its bytes do not show, such as ZIP or Parquet. Nothing of it is read; the cause
    /// names the container.
    Container(usize),
    /// The sink failed; the run stopped.
    Write,
    /// The memory of the run is used up, and the temporary file for the rest could not be
    /// created, written or read; the run stopped.
    TemporaryFile,
    /// The memory of the run is used up by classes that must stay there: with
    /// [`max_findings`](crate::engine::Builder::max_findings), whether one is new must be known at once. The
    /// run stopped.
    Memory,
    /// The keys that are known before the run
    /// ([`known_keys`](crate::engine::Builder::known_keys)) could not be asked for; the run
    /// stopped.
    KnownKeys,
    /// No threads could be started.
    Threads,
    /// A setting of the sieve has no effect beside others, or does not go with the call: nothing
    /// is read. The cause names the setting and the reason.
    Settings,
    /// A panic occurred while the input with this number was processed. One in what reads
    /// the input ends the input: [`Sink::error`](crate::engine::Sink::error) receives it, the rest of
    /// the input is not searched, and the run continues. One in a callback, in the sink or
    /// between inputs ends the run, which returns it. The sink received everything before
    /// the panic. Unless a source, a callback or the sink panicked it is a bug to be
    /// reported. The cause has the place and the message of the panic. A closure of the caller
    /// is named as such when the error is displayed.
    Panic(usize),
}

impl ErrorKind {
    /// The number of the input that failed, if it is an input.
    fn input(self) -> Option<usize> {
        match self {
            ErrorKind::Open(input)
            | ErrorKind::Read(input, _)
            | ErrorKind::ReadStored(input, _)
            | ErrorKind::Column(input)
            | ErrorKind::Container(input)
            | ErrorKind::Panic(input) => Some(input),
            ErrorKind::Write
            | ErrorKind::TemporaryFile
            | ErrorKind::Memory
            | ErrorKind::KnownKeys
            | ErrorKind::Threads
            | ErrorKind::Settings => None,
        }
    }
}

impl Error {
    pub(super) fn new(kind: ErrorKind, cause: io::Error) -> Error {
        Error {
            kind,
            cause,
            name: None,
            is_of_caller: false,
        }
    }

    /// Returns the error of a panic of a function of the caller.
    pub(super) fn of_caller(self) -> Error {
        Error {
            is_of_caller: true,
            ..self
        }
    }

    /// The error of a set: of its temporary file, or of the keys that are known.
    pub(super) fn of_set(cause: io::Error) -> Error {
        let is_known = cause
            .get_ref()
            .is_some_and(|inner| inner.is::<KnownError>());
        match is_known {
            true => {
                let kind = cause.kind();
                let inner = cause
                    .into_inner()
                    .map(|inner| inner.downcast::<KnownError>());
                let cause = match inner {
                    Some(Ok(known)) => known.0,
                    _ => kind.into(),
                };
                Error::new(ErrorKind::KnownKeys, cause)
            }
            false => Error::new(ErrorKind::TemporaryFile, cause),
        }
    }

    /// Returns the error with the name of its input, if that has one.
    pub(super) fn of_input(self, name: Option<&SourceName>) -> Error {
        let name = name.cloned().or(self.name);
        Error { name, ..self }
    }

    /// Returns a copy of the error.
    pub(super) fn again(&self) -> Error {
        let cause = match self.cause.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => io::Error::new(self.cause.kind(), self.cause.to_string()),
        };
        Error {
            kind: self.kind,
            cause,
            name: self.name.clone(),
            is_of_caller: self.is_of_caller,
        }
    }

    /// Returns whether the input could not be read from the raw offset `start` on.
    pub(super) fn is_read_at(&self, start: u64) -> bool {
        matches!(self.kind, ErrorKind::Read(_, at) if at == start)
    }

    /// Returns the kind of the failure.
    ///
    /// ```
    /// use std::{io, ops::ControlFlow};
    /// use urisieve::{ErrorKind, Sieve, Sink, item::Finding};
    /// struct Full;
    /// impl Sink for Full {
    ///     fn finding(&mut self, _: &Finding<'_>) -> io::Result<ControlFlow<()>> {
    ///         Err(io::ErrorKind::StorageFull.into())
    ///     }
    /// }
    /// let error = Sieve::builder().build().run(["http://a.example/"], &mut Full).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Write);
    /// ```
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the number of the input, where the error is one of an input: its place among the
    /// sources.
    ///
    /// ```
    /// use std::{io, ops::ControlFlow};
    /// use urisieve::{Error, Sieve, Sink, input::Source, item::Finding};
    /// struct Unread(Vec<Error>);
    /// impl Sink for Unread {
    ///     fn finding(&mut self, _: &Finding<'_>) -> io::Result<ControlFlow<()>> { Ok(ControlFlow::Continue(())) }
    ///     fn error(&mut self, error: Error) { self.0.push(error) }
    /// }
    /// let mut unread = Unread(Vec::new());
    /// let sources = [Source::Slice(b""), Source::Path("no/such/file".into())];
    /// Sieve::builder().build().run(sources, &mut unread)?;
    /// assert_eq!(unread.0[0].input(), Some(1));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn input(&self) -> Option<usize> {
        self.kind.input()
    }

    /// Returns the path of the input, where the error is one of an input that is a
    /// [`Source::Path`](crate::input::Source::Path).
    ///
    /// ```
    /// use std::{io, ops::ControlFlow, path::Path};
    /// use urisieve::{Error, Sieve, Sink, input::Source, item::Finding};
    /// struct Unread(Vec<Error>);
    /// impl Sink for Unread {
    ///     fn finding(&mut self, _: &Finding<'_>) -> io::Result<ControlFlow<()>> { Ok(ControlFlow::Continue(())) }
    ///     fn error(&mut self, error: Error) { self.0.push(error) }
    /// }
    /// let mut unread = Unread(Vec::new());
    /// Sieve::builder().build().run([Source::Path("no/such/file".into())], &mut unread)?;
    /// assert_eq!(unread.0[0].path(), Some(Path::new("no/such/file")));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn path(&self) -> Option<&Path> {
        let name = self.name.as_ref().filter(|name| name.is_path);
        name.map(|name| &*name.name)
    }

    /// Returns the name of the input, where the error is one of an input that has a name: its
    /// path, `standard input`, or the name that [`Source::named`](crate::input::Source::named)
    /// gave it.
    ///
    /// ```
    /// use std::io;
    /// use urisieve::{Sieve, input::Source};
    /// let lost = Source::Failed(io::ErrorKind::NotFound.into()).named("row 7");
    /// let error = Sieve::builder().build().findings([lost]).find_map(Result::err).unwrap();
    /// assert_eq!((error.input(), error.name().as_deref()), (Some(0), Some("row 7")));
    /// ```
    pub fn name(&self) -> Option<Cow<'_, str>> {
        let name = self.name.as_ref();
        name.map(|name| name.name.to_string_lossy())
    }

    /// Returns the cause of the failure.
    ///
    /// ```
    /// use std::{io, ops::ControlFlow};
    /// use urisieve::{Sieve, Sink, item::Finding};
    /// struct Closed;
    /// impl Sink for Closed {
    ///     fn finding(&mut self, _: &Finding<'_>) -> io::Result<ControlFlow<()>> {
    ///         Err(io::ErrorKind::BrokenPipe.into())
    ///     }
    /// }
    /// let error = Sieve::builder().build().run(["http://a.example/"], &mut Closed).unwrap_err();
    /// assert_eq!(error.cause().kind(), io::ErrorKind::BrokenPipe);
    /// ```
    pub fn cause(&self) -> &io::Error {
        &self.cause
    }
}

/// An error of the keys that are known, on its way through a set.
#[derive(Debug)]
pub(super) struct KnownError(io::Error);

impl KnownError {
    pub(super) fn of(cause: io::Error) -> io::Error {
        io::Error::new(cause.kind(), KnownError(cause))
    }
}

impl fmt::Display for KnownError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for KnownError {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(input) = self.kind.input() {
            write!(f, "input {input}")?;
            match self.name() {
                Some(name) => write!(f, " ({name}): ")?,
                None => write!(f, ": ")?,
            }
        }
        match self.kind {
            ErrorKind::Open(_) => write!(f, "cannot be opened: ")?,
            ErrorKind::Read(_, offset) => write!(f, "{offset}: cannot be read: ")?,
            ErrorKind::ReadStored(_, offset) => {
                write!(f, "compressed byte {offset}: cannot be read: ")?;
            }
            ErrorKind::Column(_) | ErrorKind::Container(_) => {}
            ErrorKind::Write => write!(f, "cannot write: ")?,
            ErrorKind::TemporaryFile
            | ErrorKind::Memory
            | ErrorKind::KnownKeys
            | ErrorKind::Settings => {}
            ErrorKind::Threads => write!(f, "cannot start threads: ")?,
            ErrorKind::Panic(_) if self.is_of_caller => {
                write!(f, "a function of the caller panicked ")?;
            }
            ErrorKind::Panic(_) => write!(f, "internal error ")?,
        }
        self.cause.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}
