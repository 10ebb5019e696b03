//! Bytes at any offset of a file or a slice, read without moving a cursor, so that
//! threads can share it.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::sync::Arc;

/// Bytes that can be read at any offset.
///
/// ```
/// use urisieve::input::ReadAt;
/// struct Zeros(u64);
/// impl ReadAt for Zeros {
///     fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
///         let len = self.0.saturating_sub(offset).min(buffer.len() as u64) as usize;
///         buffer[..len].fill(0);
///         Ok(len)
///     }
/// }
/// assert_eq!(Zeros(5).read_at(&mut [1; 4], 3)?, 2);
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait ReadAt: Send + Sync {
    /// Reads into `buffer` from the byte `offset` on; 0 bytes mean the end.
    ///
    /// # Errors
    /// Errors of reading a file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Fills `buffer` from the byte `offset` on, as far as there are bytes. Returns
    /// their number, and the error that prevented further reading, if any. An
    /// interrupted read is tried again.
    ///
    /// ```
    /// use urisieve::input::ReadAt;
    /// let mut buffer = [0; 4];
    /// let (len, result) = (&b"abcdef"[..]).fill_at(&mut buffer, 3);
    /// assert_eq!(&buffer[..len], b"def");
    /// assert!(result.is_ok());
    /// ```
    fn fill_at(&self, buffer: &mut [u8], offset: u64) -> (usize, io::Result<()>) {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.read_at(&mut buffer[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(len) => filled += len,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return (filled, Err(error)),
            }
        }
        (filled, Ok(()))
    }
}

impl ReadAt for File {
    #[cfg(unix)]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, buffer, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self, buffer, offset)
    }
}

impl ReadAt for &[u8] {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = usize::try_from(offset)
            .ok()
            .and_then(|offset| self.get(offset..))
            .unwrap_or_default();
        let len = rest.len().min(buffer.len());
        buffer[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }
}

/// The error for bytes that are missing since the file was opened.
pub fn became_shorter() -> io::Error {
    io::Error::new(
        io::ErrorKind::UnexpectedEof,
        "the file became shorter while it was read",
    )
}

/// Whether `file` is at its start (a shell may pass a file of which a part was read).
pub(super) fn is_at_start(file: &File) -> bool {
    use std::io::Seek;
    matches!((&*file).stream_position(), Ok(0))
}

/// Whether the system makes the content of `file` when it is read, as below `/sys`: the length
/// that is stated is not that of the content. Such a file takes no blocks, and its file system
/// has none. A file of another file system may take no blocks, but its length is right.
#[cfg(target_os = "linux")]
pub(super) fn is_generated(file: &File, metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.blocks() == 0 && rustix::fs::fstatfs(file).is_ok_and(|system| system.f_blocks == 0)
}

/// Whether the system makes the content of a file when it is read. Not known here.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_generated(_: &File, _: &Metadata) -> bool {
    false
}

/// A reader over bytes at any offset.
pub(super) struct Sequential<'s> {
    at: Arc<dyn ReadAt + 's>,
    offset: u64,
    len: u64,
}

impl<'s> Sequential<'s> {
    pub(super) fn new(at: Arc<dyn ReadAt + 's>, len: u64) -> Sequential<'s> {
        Sequential { at, offset: 0, len }
    }
}

impl Read for Sequential<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = self.len.saturating_sub(self.offset);
        let most = buffer
            .len()
            .min(usize::try_from(rest).unwrap_or(usize::MAX));
        let len = self.at.read_at(&mut buffer[..most], self.offset)?;
        if len == 0 && most > 0 {
            // The error is reported once: the next read is at the end.
            self.len = self.offset;
            return Err(became_shorter());
        }
        self.offset += len as u64;
        Ok(len)
    }
}
