//! Differences between operating systems in file names.

use std::path::PathBuf;

/// Converts bytes to a path.
#[cfg(unix)]
pub(super) fn path(name: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(name))
}

/// Converts bytes to a path; bytes that are not UTF-8 become U+FFFD, so no file is
/// found.
#[cfg(not(unix))]
pub(super) fn path(name: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(name).into_owned())
}
