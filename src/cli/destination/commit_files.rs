//! A file for each commit of a store: it appears before the commit. One without its commit has a
//! number above the last one, and the next run replaces it.

use super::appear;
use super::new_file::sync;
use super::output_part::{FileMaking, OutputPart, PartWriting, of_file};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The file of the next commit.
pub(in crate::cli) struct CommitFiles<W> {
    making: FileMaking<W>,
    current: Option<OutputPart<W>>,
    bytes: u64,
}

impl<W: PartWriting> CommitFiles<W> {
    /// Makes the directory, if it is missing.
    ///
    /// # Errors
    /// Errors of making it.
    pub(super) fn open(making: FileMaking<W>) -> io::Result<CommitFiles<W>> {
        made(making.pattern.folder())?;
        Ok(CommitFiles {
            making,
            current: None,
            bytes: 0,
        })
    }

    /// The file of the next commit, whose number is known only then.
    ///
    /// # Errors
    /// Errors of opening it.
    pub(super) fn of(&mut self) -> io::Result<&mut OutputPart<W>> {
        if self.current.is_none() {
            let path = self.next();
            self.current = Some(self.making.open(&path)?);
        }
        self.current
            .as_mut()
            .ok_or_else(|| io::Error::other("no file is open"))
    }

    /// Lets the file of the commit with this number appear, if there is something in it.
    ///
    /// # Errors
    /// Errors of completing it.
    pub(super) fn deliver(&mut self, number: u64) -> io::Result<()> {
        let Some(mut part) = self.current.take() else {
            return Ok(());
        };
        let (bytes, file) = part.complete()?;
        self.bytes += bytes;
        let path = self.making.pattern.commit(number);
        let files = file.into_iter().map(|file| file.named(path.clone()));
        appear(files.collect()).map_err(|(_, cause)| of_file(&path, cause))
    }

    /// The number of bytes of all files that appeared.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The file that is not complete, if there is one.
    pub(super) fn unfinished(&self) -> Option<&Path> {
        self.current.as_ref().map(|part| part.printer.name())
    }

    /// The name that the next file has before its commit is made.
    fn next(&self) -> PathBuf {
        self.making.pattern.commit(0)
    }
}

/// Makes the directory `folder`, if it is missing, so that it outlasts a failure of the machine.
///
/// # Errors
/// Errors of making it.
pub(super) fn made(folder: &Path) -> io::Result<()> {
    let mut missing = folder
        .ancestors()
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    let parents: Vec<PathBuf> = missing
        .by_ref()
        .map(|folder| match folder.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        })
        .collect();
    fs::create_dir_all(folder)?;
    parents.iter().try_for_each(|parent| sync(parent))
}
