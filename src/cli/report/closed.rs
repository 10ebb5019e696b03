//! Standard streams that were closed when the program was started, as a shell's `>&-` and
//! `<&-` do. The runtime of Rust opens `/dev/null` in their place before `main`, so what is
//! written is lost, and nothing is read, without an error.
//!
//! Only the way in which `/dev/null` was opened shows this: the runtime opens it for reading
//! and writing, a shell's `>/dev/null` only for writing, `</dev/null` only for reading. A
//! program that passes on a `/dev/null` that it opened for both is taken for one that closed
//! the stream (Python's `DEVNULL` is such a one); the messages say so.

use std::io;

/// Checks that standard output is open.
///
/// # Errors
/// The stream was closed.
pub(in crate::cli) fn stdout() -> io::Result<()> {
    match is_closed(&io::stdout()) {
        true => Err(closed("-q prints nothing")),
        false => Ok(()),
    }
}

/// Checks that standard input is open.
///
/// # Errors
/// The stream was closed.
pub(in crate::cli) fn stdin() -> io::Result<()> {
    match is_closed(&io::stdin()) {
        true => Err(closed("`</dev/null` is an empty input")),
        false => Ok(()),
    }
}

fn closed(advice: &str) -> io::Error {
    io::Error::other(format!(
        "it is closed, or /dev/null opened for both reading and writing; {advice}"
    ))
}

#[cfg(unix)]
fn is_closed(stream: &impl std::os::fd::AsFd) -> bool {
    use rustix::fs::{FileType, OFlags, fcntl_getfl, fstat, stat};
    let is_for_both = fcntl_getfl(stream).is_ok_and(|flags| flags & OFlags::RWMODE == OFlags::RDWR);
    let is_null = || {
        let (about, null) = (fstat(stream).ok()?, stat("/dev/null").ok()?);
        let is_device = FileType::from_raw_mode(about.st_mode) == FileType::CharacterDevice;
        Some(is_device && about.st_rdev == null.st_rdev)
    };
    is_for_both && is_null() == Some(true)
}

#[cfg(not(unix))]
fn is_closed<S>(_: &S) -> bool {
    false
}
