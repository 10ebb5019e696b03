//! The journal of a run: the inputs that are done, each noted after what was found in it was
//! delivered. A later run with the same journal passes over those that did not change.

use crate::cli::report::stderr;
use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::UNIX_EPOCH;
use urisieve::store::seen::lock_file;

/// The beginning of the first line, behind its checksum; the destination of the output follows.
const HEAD: &[u8] = b"urisieve-journal 1 ";

/// The hexadecimal digits of a checksum, and the blank behind them.
const CHECKSUM: usize = 9;

/// A journal that is open, and locked.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    state: Mutex<JournalState>,
}

#[derive(Debug)]
struct JournalState {
    file: File,
    /// The inputs that were done before, by their names.
    done: HashMap<Vec<u8>, InputStamp>,
    /// The inputs that are being read, by their numbers.
    begun: HashMap<usize, Vec<u8>>,
    /// Lines that are to be appended.
    lines: Vec<u8>,
    /// The number of inputs that were skipped.
    passed: u64,
}

/// The size of an input, and the time when it was changed: seconds and nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct InputStamp {
    size: u64,
    time: (i64, u32),
}

impl InputStamp {
    /// The stamp of a regular file; `None` of everything else.
    fn of(about: &Metadata) -> Option<InputStamp> {
        if !about.is_file() {
            return None;
        }
        let time = match about.modified().ok()?.duration_since(UNIX_EPOCH) {
            Ok(after) => (i64::try_from(after.as_secs()).ok()?, after.subsec_nanos()),
            Err(before) => {
                let before = before.duration();
                (
                    -i64::try_from(before.as_secs()).ok()?,
                    before.subsec_nanos(),
                )
            }
        };
        Some(InputStamp {
            size: about.len(),
            time,
        })
    }
}

impl Journal {
    /// Opens the journal `path` of runs whose output goes to `output`; a missing one is made.
    /// A last line that was not finished is removed.
    ///
    /// # Errors
    /// A message that names the flag, and the line: the file is no journal, that of another
    /// output, damaged, or that of a run that goes on.
    pub(super) fn open(path: &Path, output: &[u8]) -> Result<Journal, String> {
        let said = |cause: &dyn std::fmt::Display| format!("--journal {}: {cause}", path.display());
        let is_new = !path.exists();
        let opened = lock_file(path).map_err(|cause| said(&cause))?;
        let mut file = opened.ok_or_else(|| said(&"another run writes to it"))?;
        let mut text = Vec::new();
        let read = file.read_to_end(&mut text);
        read.map_err(|cause| said(&cause))?;
        let mut head = HEAD.to_vec();
        escape(output, &mut head);
        let mut first = Vec::new();
        push_line(&head, &mut first);
        let whole = text
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |at| at + 1);
        if whole == 0 && !first.starts_with(&text) {
            return Err(said(&"is not a journal of urisieve"));
        }
        let mut state = JournalState {
            file,
            done: HashMap::new(),
            begun: HashMap::new(),
            lines: Vec::new(),
            passed: 0,
        };
        for (number, line) in (1..).zip(text[..whole].split_inclusive(|&b| b == b'\n')) {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let content = content_of(line);
            let at = |cause: &str| said(&format_args!("line {number}: {cause}"));
            match (number, content) {
                (1, Some(content)) if content == head => {}
                (1, Some(content)) if content.starts_with(HEAD) => {
                    let other = String::from_utf8_lossy(&content[HEAD.len()..]);
                    return Err(said(&format_args!(
                        "is of another output, {other}; each output needs its own journal"
                    )));
                }
                (1, _) => return Err(said(&"is not a journal of urisieve")),
                (_, None) => return Err(at("is damaged; remove it to read its input once more")),
                (_, Some(content)) => {
                    let (name, stamp) = entry_of(content)
                        .ok_or_else(|| at("is not one of this version of urisieve"))?;
                    state.done.insert(name, stamp);
                }
            }
        }
        let cut = (|| {
            if whole < text.len() {
                state.file.set_len(whole as u64)?;
            }
            state.file.seek(SeekFrom::Start(whole as u64))?;
            if whole == 0 {
                state.file.write_all(&first)?;
            }
            state.file.sync_all()?;
            match is_new {
                true => urisieve::store::seen::sync_folder(folder_of(path)),
                false => Ok(()),
            }
        })();
        cut.map_err(|cause: io::Error| said(&cause))?;
        Ok(Journal {
            path: path.to_owned(),
            state: Mutex::new(state),
        })
    }

    /// Whether the input `path` is to be read: it is not done, or was changed since.
    pub(super) fn takes(&self, path: &Path) -> bool {
        let mut state = self.lock();
        let Some(done) = state.done.get(&name_of(path)) else {
            return true;
        };
        let stamp = fs::metadata(path).ok().as_ref().and_then(InputStamp::of);
        let is_done = stamp == Some(*done);
        state.passed += u64::from(is_done);
        !is_done
    }

    /// Notes that the input with this number is read from now on, as it is now.
    pub(super) fn begin(&self, input: usize, path: &Path) {
        // Pipes and devices have no size by which they could be known.
        let stamp = fs::metadata(path).ok().as_ref().and_then(InputStamp::of);
        let Some(InputStamp { size, time }) = stamp else {
            return;
        };
        let mut content = format!("{size} {}.{:09} ", time.0, time.1).into_bytes();
        escape(&name_of(path), &mut content);
        self.lock().begun.insert(input, content);
    }

    /// Notes that the input with this number was read to its end.
    pub(super) fn finish(&self, input: usize) {
        let mut state = self.lock();
        if let Some(content) = state.begun.remove(&input) {
            push_line(&content, &mut state.lines);
        }
    }

    /// Writes the inputs that were finished, all of whose findings are delivered.
    ///
    /// # Errors
    /// Errors of writing, which name the journal.
    pub(super) fn write(&self) -> io::Result<()> {
        let mut state = self.lock();
        let lines = std::mem::take(&mut state.lines);
        if lines.is_empty() {
            return Ok(());
        }
        let written = state.file.write_all(&lines);
        let written = written.and_then(|()| state.file.sync_data());
        written.map_err(|cause| {
            io::Error::other(format!("--journal {}: {cause}", self.path.display()))
        })
    }

    /// Says how many inputs were skipped, if some were.
    pub(super) fn say(&self) {
        let passed = self.lock().passed;
        if passed > 0 {
            let inputs = stderr::number_of(passed, "input");
            let path = self.path.display();
            stderr::say(format_args!("{path}: skipped {inputs}, done before"));
        }
    }

    fn lock(&self) -> MutexGuard<'_, JournalState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name of an input, which does not depend on the working directory.
fn name_of(path: &Path) -> Vec<u8> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.as_os_str().as_encoded_bytes().to_owned()
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Appends `text` in which controls and `%` are `%XX`.
fn escape(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'%' | 0..b' ' | 0x7F => out.extend_from_slice(format!("%{byte:02X}").as_bytes()),
            _ => out.push(byte),
        }
    }
}

fn unescape(mut text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    while let Some((&byte, rest)) = text.split_first() {
        text = rest;
        match byte {
            b'%' => {
                let (digits, rest) = text.split_at_checked(2)?;
                out.push(u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?);
                text = rest;
            }
            _ => out.push(byte),
        }
    }
    Some(out)
}

/// Appends a line: the CRC-32 of its content, a blank, the content.
fn push_line(content: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{:08x} ", crc32fast::hash(content)).as_bytes());
    out.extend_from_slice(content);
    out.push(b'\n');
}

/// Returns the content of a line; `None` where its checksum is wrong.
fn content_of(line: &[u8]) -> Option<&[u8]> {
    let (checksum, content) = line.split_at_checked(CHECKSUM)?;
    let written = format!("{:08x} ", crc32fast::hash(content));
    (written.as_bytes() == checksum).then_some(content)
}

/// Returns the name of an input, and its stamp.
fn entry_of(content: &[u8]) -> Option<(Vec<u8>, InputStamp)> {
    let mut parts = content.splitn(3, |&b| b == b' ');
    let size = str::from_utf8(parts.next()?).ok()?.parse().ok()?;
    let time = str::from_utf8(parts.next()?).ok()?.split_once('.')?;
    let time = (time.0.parse().ok()?, time.1.parse().ok()?);
    Some((unescape(parts.next()?)?, InputStamp { size, time }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal(path: &Path) -> Result<Journal, String> {
        Journal::open(path, b"a store")
    }

    #[test]
    fn inputs_that_did_not_change_are_skipped() {
        let root = tempfile::tempdir().unwrap();
        let [path, a, b] = ["journal", "a", "b\n%"].map(|name| root.path().join(name));
        for input in [&a, &b] {
            fs::write(input, "text").unwrap();
        }
        let first = journal(&path).unwrap();
        assert!(first.takes(&a) && first.takes(&b));
        first.begin(0, &a);
        first.begin(1, &b);
        first.begin(2, &root.path().join("no"));
        first.finish(1);
        assert!(journal(&path).unwrap_err().contains("another run writes"));
        first.write().unwrap();
        first.finish(0);
        drop(first);
        let second = journal(&path).unwrap();
        assert!(second.takes(&a) && !second.takes(&b));
        drop(second);
        fs::write(&b, "texts").unwrap();
        assert!(journal(&path).unwrap().takes(&b));
    }

    #[test]
    fn each_cut_and_each_flip_is_named_or_harmless() {
        let root = tempfile::tempdir().unwrap();
        let [path, a, b] = ["journal", "a", "b"].map(|name| root.path().join(name));
        let first = journal(&path).unwrap();
        for (number, input) in [&a, &b].into_iter().enumerate() {
            fs::write(input, "text").unwrap();
            first.begin(number, input);
            first.finish(number);
        }
        first.write().unwrap();
        drop(first);
        let whole = fs::read(&path).unwrap();
        let lines: Vec<usize> = memchr::memchr_iter(b'\n', &whole).collect();
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let cut_off = journal(&path).unwrap();
            let taken = [&a, &b].map(|input| cut_off.takes(input));
            assert_eq!(taken, [cut <= lines[1], cut <= lines[2]], "{cut}");
            drop(cut_off);
            let left = fs::read(&path).unwrap();
            assert!(whole.starts_with(&left) && left.ends_with(b"\n"));
        }
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 4;
            fs::write(&path, &flipped).unwrap();
            match journal(&path) {
                // The line feed of the last line.
                Ok(_) => assert_eq!(at, whole.len() - 1),
                Err(message) => {
                    assert!(message.contains("journal"), "{message}");
                    assert_eq!(fs::read(&path).unwrap(), flipped);
                }
            }
        }
    }

    #[test]
    fn files_of_others_are_left_alone() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("notes");
        for text in ["notes", "notes\n", "notes\nmore", "\n"] {
            fs::write(&path, text).unwrap();
            let refused = journal(&path).unwrap_err();
            assert!(refused.contains("is not a journal"), "{refused}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        fs::remove_file(&path).unwrap();
        drop(journal(&path).unwrap());
        let other = Journal::open(&path, b"another store").unwrap_err();
        assert!(other.contains("of another output, a store"), "{other}");
        assert!(Journal::open(&root.path().join("no/file"), b"").is_err());
    }
}
