//! The parts of an output by the CRC-32 of the keys: files in a directory that appears whole.

use super::CompleteFile;
use super::division::{FilePattern, RecordKey};
use super::new_file::NewFolder;
use super::output_part::{FileMaking, OutputPart, PartWriting};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The file that says that all others are there, as Hadoop and Spark have it.
const SUCCESS: &str = "_SUCCESS";

/// The directory of the parts, which is filled beside its place.
pub(in crate::cli) struct PartFolder(NewFolder);

impl PartFolder {
    /// Makes a directory that becomes that of `pattern`.
    ///
    /// # Errors
    /// Errors of making it. One that is there and not empty is also an error.
    pub(in crate::cli) fn open(pattern: &FilePattern) -> io::Result<PartFolder> {
        let target = pattern.folder();
        let folder = NewFolder::open(target, &target.display().to_string());
        let folder = folder.map_err(|cause| match cause.kind() {
            io::ErrorKind::DirectoryNotEmpty => {
                io::Error::other("is not empty; parts need a directory that is absent or empty")
            }
            _ => cause,
        })?;
        Ok(PartFolder(folder))
    }

    /// The directory in which the files are opened.
    pub(in crate::cli) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns the directory with all of its files, which is to appear.
    ///
    /// # Errors
    /// Errors of writing.
    pub(in crate::cli) fn complete(self, files: Vec<CompleteFile>) -> io::Result<CompleteFile> {
        File::create_new(self.path().join(SUCCESS))?.sync_all()?;
        self.0.complete(files)
    }
}

/// The files that a run opens beside its parts.
#[cfg(unix)]
const OTHER_FILES: u64 = 256;

/// Lets the process have so many files open as it may, up to one for each of `parts` and others.
#[cfg(unix)]
fn raise_limit(parts: u32) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let wanted = u64::from(parts) + OTHER_FILES;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < wanted) {
        let most = limit.maximum.unwrap_or(u64::MAX);
        // Where that is refused, the file that is too many is named.
        let _ = setrlimit(
            Resource::Nofile,
            Rlimit {
                current: Some(wanted.min(most)),
                maximum: limit.maximum,
            },
        );
    }
}

#[cfg(not(unix))]
fn raise_limit(_: u32) {}

/// Returns the files of a directory of parts, in the order of their numbers.
///
/// # Errors
/// A message that names the directory, which is not one of parts or not complete.
pub(in crate::cli) fn parts_of(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |cause: &dyn std::fmt::Display| format!("{}: {cause}", directory.display());
    let (mut parts, mut is_complete) = (Vec::new(), false);
    for entry in fs::read_dir(directory).map_err(|cause| failed(&cause))? {
        let path = entry.map_err(|cause| failed(&cause))?.path();
        match path.file_name().unwrap_or_default().as_encoded_bytes() {
            name if name == SUCCESS.as_bytes() => is_complete = true,
            // What another program left beside them, as Hadoop has it.
            [b'.' | b'_', ..] => {}
            _ => parts.push(path),
        }
    }
    parts.sort();
    match is_complete {
        true => Ok(parts),
        false => Err(failed(&format_args!(
            "is no output of --split: {SUCCESS} is missing"
        ))),
    }
}

/// The files of all parts.
pub(in crate::cli) struct PartFiles<W> {
    parts: Vec<OutputPart<W>>,
    folder: Option<PartFolder>,
    target: PathBuf,
}

impl<W: PartWriting> PartFiles<W> {
    /// Opens the files of so many parts.
    ///
    /// # Errors
    /// Errors of opening them. A directory that is not empty is also one.
    pub(super) fn open(number: u32, mut making: FileMaking<W>) -> io::Result<PartFiles<W>> {
        raise_limit(number);
        let folder = PartFolder::open(&making.pattern)?;
        let paths = (0..number).map(|part| making.pattern.part(folder.path(), part));
        let paths: Vec<PathBuf> = paths.collect();
        let parts = paths.iter().map(|path| making.open(path));
        Ok(PartFiles {
            parts: parts.collect::<io::Result<_>>()?,
            folder: Some(folder),
            target: making.pattern.folder().to_owned(),
        })
    }

    /// The part of a record.
    pub(super) fn of(&mut self, key: RecordKey<'_>) -> &mut OutputPart<W> {
        let parts = u32::try_from(self.parts.len()).unwrap_or(u32::MAX);
        &mut self.parts[key.part(parts) as usize]
    }

    /// All parts.
    pub(super) fn each(&mut self) -> impl Iterator<Item = &mut OutputPart<W>> {
        self.parts.iter_mut()
    }

    /// The name of the directory.
    pub(super) fn folder(&self) -> &Path {
        &self.target
    }

    /// Completes all files. Returns the number of bytes, and the directory that is to appear.
    ///
    /// # Errors
    /// Errors of writing.
    pub(super) fn complete(&mut self) -> io::Result<(u64, CompleteFile)> {
        let Some(folder) = self.folder.take() else {
            return Err(io::Error::other("the parts were completed already"));
        };
        let (mut all, mut files) = (0, Vec::new());
        for mut part in self.parts.drain(..) {
            let (bytes, file) = part.complete()?;
            all += bytes;
            files.extend(file);
        }
        Ok((all, folder.complete(files)?))
    }
}
