//! Errors of the temporary file.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A failed action on a temporary file, and its directory. A conversion into a
/// `std::io::Error` makes this its inner error.
///
/// ```
/// use urisieve::store::{ScratchFile, StoreAction, StoreError};
/// let error = ScratchFile::new("no/such/directory").write(b"bytes").unwrap_err();
/// assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
/// let error: &StoreError = error.get_ref().and_then(|inner| inner.downcast_ref()).unwrap();
/// assert_eq!(error.action(), StoreAction::Create);
/// let start = "cannot create a temporary file in no/such/directory: ";
/// assert!(error.to_string().starts_with(start));
/// ```
#[derive(Debug)]
pub struct StoreError {
    directory: PathBuf,
    action: StoreAction,
    cause: io::Error,
}

/// The operation that failed.
///
/// ```
/// use urisieve::store::{ScratchFile, StoreAction, StoreError};
/// let error = ScratchFile::new("no/such/directory").write(b"bytes").unwrap_err();
/// let error = error.into_inner().unwrap().downcast::<StoreError>().unwrap();
/// assert_eq!(error.action(), StoreAction::Create);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreAction {
    /// The file was created.
    Create,
    /// The file was written.
    Write,
    /// The file was read.
    Read,
}

impl StoreError {
    pub(super) fn new(directory: &Path, action: StoreAction, cause: io::Error) -> StoreError {
        StoreError {
            directory: directory.to_owned(),
            action,
            cause,
        }
    }

    /// Returns the directory of the file.
    ///
    /// ```
    /// use urisieve::store::{ScratchFile, StoreError};
    /// let error = ScratchFile::new("no/such/directory").write(b"bytes").unwrap_err();
    /// let error = error.into_inner().unwrap().downcast::<StoreError>().unwrap();
    /// assert_eq!(error.directory().to_str(), Some("no/such/directory"));
    /// ```
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the action that failed.
    pub fn action(&self) -> StoreAction {
        self.action
    }

    /// Returns the cause.
    ///
    /// ```
    /// use urisieve::store::{ScratchFile, StoreError};
    /// let error = ScratchFile::new("no/such/directory").write(b"bytes").unwrap_err();
    /// let error = error.into_inner().unwrap().downcast::<StoreError>().unwrap();
    /// assert_eq!(error.cause().kind(), std::io::ErrorKind::NotFound);
    /// ```
    pub fn cause(&self) -> &io::Error {
        &self.cause
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let action = match self.action {
            StoreAction::Create => "create",
            StoreAction::Write => "write to",
            StoreAction::Read => "read",
        };
        let directory = self.directory.display();
        write!(f, "cannot {action} a temporary file in {directory}: ")?;
        self.cause.fmt(f)
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.cause)
    }
}

impl From<StoreError> for io::Error {
    fn from(error: StoreError) -> io::Error {
        io::Error::new(error.cause.kind(), error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_directory_and_the_cause() {
        for (action, words) in [
            (StoreAction::Create, "cannot create a"),
            (StoreAction::Write, "cannot write to a"),
            (StoreAction::Read, "cannot read a"),
        ] {
            let cause = io::Error::from(io::ErrorKind::StorageFull);
            let error = StoreError::new(Path::new("/var/tmp"), action, cause);
            let text = format!("{words} temporary file in /var/tmp: no storage space");
            assert_eq!(error.to_string(), text);
            assert_eq!(io::Error::from(error).kind(), io::ErrorKind::StorageFull);
        }
    }
}
