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
    nothing_within(file, 0)
}

/// Whether for so many milliseconds nothing could be read from `file`.
#[cfg(unix)]
pub(super) fn nothing_within(file: &File, milliseconds: u16) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let timeout = Timespec {
        tv_sec: 0,
        tv_nsec: i64::from(milliseconds.min(999)) * 1_000_000,
    };
    let mut fds = [PollFd::new(file, PollFlags::IN)];
    // An interrupt tells nothing of the file: whoever waits asks again.
    matches!(
        poll(&mut fds, Some(&timeout)),
        Ok(0) | Err(rustix::io::Errno::INTR)
    )
}

/// Cannot be told here: reads wait as long as they wait.
#[cfg(not(unix))]
pub(super) fn nothing_within(_file: &File, _milliseconds: u16) -> bool {
    false
}

/// Whether a read of `file` would wait now. Cannot be told here, so that what
/// was read is given on after every read.
#[cfg(not(unix))]
pub fn nothing_waits(_file: &File) -> bool {
    true
}
