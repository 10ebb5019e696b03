//! Waiting for a pipe, which differs between operating systems.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a file for reading. A named pipe without a writer is opened at once; reading
/// it waits for one.
#[cfg(target_os = "linux")]
pub(super) fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
    let is_pipe = |about: std::fs::Metadata| about.file_type().is_fifo();
    if !std::fs::metadata(path).is_ok_and(is_pipe) {
        return File::open(path);
    }
    let flag = OFlags::NONBLOCK.bits() as i32;
    let file = File::options().read(true).custom_flags(flag).open(path)?;
    // Only opening must not wait.
    fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    Ok(file)
}

/// Opens a file for reading. For a named pipe this waits for a writer.
#[cfg(not(target_os = "linux"))]
pub(super) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Returns standard input as an unbuffered file.
#[cfg(unix)]
pub(super) fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// Returns standard input as an unbuffered file.
#[cfg(windows)]
pub(super) fn stdin() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdin().as_handle().try_clone_to_owned()?))
}

/// Whether a read of `file` would wait now; false if this is not known.
///
/// ```
/// use std::io::Write;
/// use urisieve::input::nothing_waits;
/// let (reader, mut writer) = std::io::pipe()?;
/// let pipe = std::fs::File::from(std::os::fd::OwnedFd::from(reader));
/// assert!(nothing_waits(&pipe));
/// writer.write_all(b"x")?;
/// assert!(!nothing_waits(&pipe));
/// # Ok::<(), std::io::Error>(())
/// ```
#[cfg(unix)]
pub fn nothing_waits(file: &File) -> bool {
    nothing_within(file, 0)
}

/// Waits at most `milliseconds`; returns whether `file` still had no data.
#[cfg(unix)]
pub(super) fn nothing_within(file: &File, milliseconds: u16) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let timeout = Timespec {
        tv_sec: 0,
        tv_nsec: i64::from(milliseconds.min(999)) * 1_000_000,
    };
    let mut fds = [PollFd::new(file, PollFlags::IN)];
    // After an interrupt the state of the file is unknown: the caller waits again.
    matches!(
        poll(&mut fds, Some(&timeout)),
        Ok(0) | Err(rustix::io::Errno::INTR)
    )
}

/// Returns false: on this system reads always block.
#[cfg(not(unix))]
pub(super) fn nothing_within(_file: &File, _milliseconds: u16) -> bool {
    false
}

/// Whether a read of `file` would wait now. This system does not report it: returns
/// true, so that data is passed on after every read.
#[cfg(not(unix))]
pub fn nothing_waits(_file: &File) -> bool {
    true
}
