//! The error of a file that is not the table that it should be.

use std::io;

/// Returns the error with this cause.
pub(super) fn invalid(cause: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, cause.into())
}
