//! The directory of a store, and its files: those of the system. Tests have others, which fail
//! on demand, or forget what was not synced.

use super::fault::{SeenError, SeenFault};
use crate::store::medium::Medium;
use std::fmt::Debug;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A directory with files of a store. Names are plain names of files.
pub(crate) trait Disk: Debug + Send + Sync {
    /// The path of a file, for messages; of the directory itself where `name` is empty.
    fn path(&self, name: &str) -> PathBuf;

    /// The names of all files, in any order.
    fn list(&self) -> io::Result<Vec<String>>;

    /// Creates a file that does not exist.
    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>>;

    /// Opens a file for reading.
    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>>;

    /// Gives a file a name that no file has.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Makes names last that were given or removed.
    fn sync(&self) -> io::Result<()>;

    /// The number of bytes that are free, where the system says so.
    fn free(&self) -> Option<u64> {
        None
    }
}

/// A file of a store.
pub(crate) trait DiskFile: Medium {
    /// The number of bytes.
    fn len(&self) -> io::Result<u64>;

    /// Makes the bytes last that were written.
    fn sync(&self) -> io::Result<()>;
}

impl DiskFile for File {
    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_all()
    }
}

/// A directory of the system.
#[derive(Debug)]
pub(super) struct Directory(pub(super) PathBuf);

impl Disk for Directory {
    fn path(&self, name: &str) -> PathBuf {
        match name.is_empty() {
            true => self.0.clone(),
            false => self.0.join(name),
        }
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        Ok(names)
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let mut options = File::options();
        let file = options.read(true).write(true).create_new(true);
        Ok(Box::new(file.open(self.0.join(name))?))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(File::open(self.0.join(name))?))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    fn sync(&self) -> io::Result<()> {
        sync_folder(&self.0)
    }

    #[cfg(unix)]
    fn free(&self) -> Option<u64> {
        let about = rustix::fs::statvfs(&self.0).ok()?;
        about.f_bavail.checked_mul(about.f_frsize)
    }
}

/// Makes the names in a folder last.
///
/// # Errors
/// Errors of opening and of syncing it.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    // Windows opens no folder as a file, and needs no such sync.
    match cfg!(unix) {
        true => File::open(folder)?.sync_all(),
        false => Ok(()),
    }
}

/// Turns a failure of the system into one of a store.
pub(super) fn failed<'d>(
    disk: &'d dyn Disk,
    name: &'d str,
    action: &'static str,
) -> impl FnOnce(io::Error) -> SeenError + 'd {
    move |cause| SeenError::new(&disk.path(name), SeenFault::Io(action, cause))
}
