//! What differs between operating systems in the names of files.

use std::path::PathBuf;

/// The path that these bytes are.
#[cfg(unix)]
pub(super) fn path(name: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(name))
}

/// The path that these bytes are; what is not UTF-8 is U+FFFD, and so not found.
#[cfg(not(unix))]
pub(super) fn path(name: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(name).into_owned())
}
