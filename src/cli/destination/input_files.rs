//! A file for each input, which appears when the input was read. Where findings come after all
//! inputs, so do the files: findings are in the order of inputs.

use super::appear;
use super::commit_files::made;
use super::output_part::{FileMaking, OutputPart, PartWriting, of_file};
use std::collections::{HashSet, VecDeque};
use std::io;
use std::path::{Path, PathBuf};

/// The file of the current input.
pub(in crate::cli) struct InputFiles<W> {
    making: FileMaking<W>,
    current: Option<(usize, PathBuf, OutputPart<W>)>,
    /// The inputs that were read and whose files did not appear yet, and whether they failed.
    waiting: VecDeque<(usize, bool)>,
    /// Further findings come after all inputs.
    comes_late: bool,
    /// The files that appeared.
    paths: HashSet<PathBuf>,
    bytes: u64,
}

impl<W: PartWriting> InputFiles<W> {
    /// Makes the directory, if it is missing.
    ///
    /// # Errors
    /// Errors of making it.
    pub(super) fn open(making: FileMaking<W>) -> io::Result<InputFiles<W>> {
        made(making.pattern.folder())?;
        Ok(InputFiles {
            making,
            current: None,
            waiting: VecDeque::new(),
            comes_late: false,
            paths: HashSet::new(),
            bytes: 0,
        })
    }

    /// The file of `input`. Those of inputs before it are completed.
    ///
    /// # Errors
    /// Errors of opening it, and of completing others.
    pub(super) fn of(&mut self, input: usize) -> io::Result<&mut OutputPart<W>> {
        let is_open = self
            .current
            .as_ref()
            .is_some_and(|(open, ..)| *open == input);
        if !is_open {
            self.complete_before(input)?;
            self.begin(input)?;
        }
        let current = self.current.as_mut().map(|(_, _, part)| part);
        current.ok_or_else(|| io::Error::other("no file is open"))
    }

    /// Notes that `input` was read, to its end unless it `failed`.
    ///
    /// # Errors
    /// Errors of completing its file.
    pub(super) fn read(&mut self, input: usize, failed: bool) -> io::Result<()> {
        self.waiting.push_back((input, failed));
        match self.comes_late {
            true => Ok(()),
            false => self.complete_before(input + 1),
        }
    }

    /// Notes that further findings come after all inputs.
    pub(super) fn come_late(&mut self) {
        self.comes_late = true;
    }

    /// Completes all files. Returns the number of bytes.
    ///
    /// # Errors
    /// Errors of completing them.
    pub(super) fn end(&mut self) -> io::Result<u64> {
        self.complete_before(usize::MAX)?;
        Ok(self.bytes)
    }

    /// The file that is not complete, if there is one.
    pub(super) fn unfinished(&self) -> Option<&Path> {
        self.current.as_ref().map(|(_, path, _)| &**path)
    }

    /// Completes the files of inputs before `input`, also those without a record.
    fn complete_before(&mut self, input: usize) -> io::Result<()> {
        while let Some(&(next, failed)) = self.waiting.front()
            && next < input
        {
            // One without a record has a file, too.
            if self.current.is_none() {
                self.begin(next)?;
            }
            // After an error nothing is written in its place.
            self.waiting.pop_front();
            self.complete()?;
            if let Some(journal) = self.making.journal.as_ref().filter(|_| !failed) {
                journal.finish(next);
                journal.write()?;
            }
        }
        Ok(())
    }

    fn begin(&mut self, input: usize) -> io::Result<()> {
        let path = self.making.pattern.input(&self.making.names.get(input));
        if self.paths.contains(&path) {
            return Err(of_file(
                &path,
                "two inputs have this name; their outputs need others",
            ));
        }
        let part = self.making.open(&path)?;
        self.current = Some((input, path, part));
        Ok(())
    }

    fn complete(&mut self) -> io::Result<()> {
        let Some((_, path, mut part)) = self.current.take() else {
            return Ok(());
        };
        let (bytes, file) = part.complete()?;
        self.bytes += bytes;
        appear(file.into_iter().collect()).map_err(|(_, cause)| of_file(&path, cause))?;
        self.paths.insert(path);
        Ok(())
    }
}
