//! The lock of a writer: one of the kernel, which ends with its process. The file has the number
//! of the process, for messages.

use super::fault::{SeenError, SeenFault};
use super::manifest::LOCK;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a process that waits for a lock sleeps.
const PAUSE: Duration = Duration::from_millis(50);

/// A lock, until it is dropped.
#[derive(Debug)]
pub(super) struct StoreLock {
    _file: File,
}

impl StoreLock {
    /// Takes the lock of the store in `directory`; waits for it no longer than this.
    pub(super) fn take(directory: &Path, wait: Duration) -> Result<StoreLock, SeenError> {
        let path = directory.join(LOCK);
        let failed = |cause| SeenError::new(&path, SeenFault::Io("lock it", cause));
        let begun = Instant::now();
        loop {
            if let Some(mut file) = lock_file(&path).map_err(failed)? {
                // Without the number only a message is poorer.
                let _ = file.set_len(0);
                let _ = write!(file, "{}", std::process::id());
                return Ok(StoreLock { _file: file });
            }
            if begun.elapsed() >= wait {
                let holder = fs::read_to_string(&path).ok();
                let holder = holder.and_then(|text| text.trim().parse().ok());
                return Err(SeenError::new(directory, SeenFault::Locked(holder)));
            }
            std::thread::sleep(PAUSE.min(wait));
        }
    }
}

/// Opens and locks a file, which is made if it is missing; `None` where another process, or
/// another part of this one, has it. The lock is gone with the file, or its process.
///
/// # Errors
/// Errors of opening it, and of a file system without locks.
///
/// ```
/// use urisieve::store::seen::lock_file;
/// let root = tempfile::tempdir()?;
/// let path = root.path().join("file");
/// let first = lock_file(&path)?;
/// assert!(first.is_some() && lock_file(&path)?.is_none());
/// drop(first);
/// assert!(lock_file(&path)?.is_some());
/// # Ok::<(), std::io::Error>(())
/// ```
#[cfg(unix)]
pub fn lock_file(path: &Path) -> io::Result<Option<File>> {
    use rustix::fs::{FlockOperation, flock};
    let mut options = File::options();
    let file = options.read(true).write(true).create(true).truncate(false);
    let file = file.open(path)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(cause) => Err(cause.into()),
    }
}

/// Opens a file that no other process may open for writing; `None` where one has.
///
/// # Errors
/// Errors of opening it.
#[cfg(windows)]
pub fn lock_file(path: &Path) -> io::Result<Option<File>> {
    use std::os::windows::fs::OpenOptionsExt;
    /// Others may read; a file that is open may not be shared (`ERROR_SHARING_VIOLATION`).
    const SHARE_READ: u32 = 1;
    const SHARING_VIOLATION: i32 = 32;
    let mut options = File::options();
    let options = options.read(true).write(true).create(true).truncate(false);
    match options.share_mode(SHARE_READ).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(cause) if cause.raw_os_error() == Some(SHARING_VIOLATION) => Ok(None),
        Err(cause) => Err(cause),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_writer_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let lock = StoreLock::take(root.path(), Duration::ZERO).unwrap();
        let refused = StoreLock::take(root.path(), Duration::from_millis(60)).unwrap_err();
        let process = std::process::id();
        assert!(matches!(refused.fault(), SeenFault::Locked(Some(holder)) if *holder == process));
        assert!(
            refused
                .to_string()
                .contains(&format!("process {process} writes"))
        );
        drop(lock);
        assert!(StoreLock::take(root.path(), Duration::ZERO).is_ok());
        let none = StoreLock::take(&root.path().join("no"), Duration::ZERO).unwrap_err();
        assert!(matches!(none.fault(), SeenFault::Io("lock it", _)));
    }
}
