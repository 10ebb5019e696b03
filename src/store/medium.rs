//! The medium of a temporary file: a file of the system. Tests have another medium,
//! which fails on demand.

use std::fmt::Debug;
use std::fs::File;
use std::io;
use std::path::Path;

/// Bytes that are read and written at offsets, by several threads at once.
pub(crate) trait Medium: Debug + Send + Sync {
    /// Reads bytes at `offset`, at most as many as `buffer` has, and returns their number;
    /// 0 at the end.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes bytes at `offset`, at most as many as `bytes` has, and returns their number.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize>;
}

/// Creates a file without a name. The system deletes it when the process ends in any
/// way.
#[cfg(feature = "store")]
pub(super) fn unnamed_file(directory: &Path) -> io::Result<Box<dyn Medium>> {
    Ok(Box::new(tempfile::tempfile_in(directory)?))
}

/// Returns the error of a build without files.
#[cfg(not(feature = "store"))]
pub(super) fn unnamed_file(_: &Path) -> io::Result<Box<dyn Medium>> {
    Err(io::ErrorKind::Unsupported.into())
}

impl Medium for File {
    #[cfg(unix)]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, buffer, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self, buffer, offset)
    }

    #[cfg(unix)]
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::write_at(self, bytes, offset)
    }

    #[cfg(windows)]
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_write(self, bytes, offset)
    }
}
