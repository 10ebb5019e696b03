//! Waiting for a pipe, which differs between operating systems.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// Opens a file for reading. A named pipe without a writer is opened at once; reading
/// it waits for one.
#[cfg(target_os = "linux")]
pub(super) fn open(path: &Path) -> io::Result<(File, Metadata)> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
    let flag = OFlags::NONBLOCK.bits() as i32;
    let file = match File::options().read(true).custom_flags(flag).open(path) {
        Ok(file) => file,
        // A file with a lease is waited for.
        Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => return open_waiting(path),
        Err(cause) => return Err(cause),
    };
    let about = file.metadata()?;
    let kind = about.file_type();
    if kind.is_fifo() {
        // Only opening must not wait.
        fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    } else if !kind.is_file() && !kind.is_dir() {
        // The flag may mean something else to a device, which may have one reader at a time.
        drop(file);
        return open_waiting(path);
    }
    Ok((file, about))
}

/// Opens a file for reading. For a named pipe this waits for a writer.
#[cfg(not(target_os = "linux"))]
pub(super) use open_waiting as open;

/// Opens a file for reading, however long that takes.
pub(super) fn open_waiting(path: &Path) -> io::Result<(File, Metadata)> {
    let file = File::open(path)?;
    let about = file.metadata()?;
    Ok((file, about))
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
