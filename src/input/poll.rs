//! What differs between operating systems in waiting for a pipe.

use std::fs::File;
use std::io;

/// Standard input as a file that has no buffer of its own.
#[cfg(unix)]
pub(super) fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// Standard input as a file that has no buffer of its own.
#[cfg(windows)]
pub(super) fn stdin() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdin().as_handle().try_clone_to_owned()?))
}

/// Whether a read of `file` would wait now. False when it cannot be told.
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
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let mut fds = [PollFd::new(file, PollFlags::IN)];
    matches!(poll(&mut fds, Some(&now)), Ok(0))
}

/// Whether a read of `file` would wait now. Cannot be told here, so that what
/// was read is given on after every read.
#[cfg(not(unix))]
pub fn nothing_waits(_file: &File) -> bool {
    true
}
