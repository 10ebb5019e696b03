//! Divides an output into files: `{}` in the name of `-o` is the number of a part, that of a
//! commit, or the name of an input.

use super::compress::FileCompression;
use crate::cli::flags::memory::PartMemory;
use crate::cli::names;
use crate::cli::report::printable::printable;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use urisieve::item::Finding;

/// The most parts.
const PARTS_MAX: u32 = 1024;

/// The place of what divides an output.
const PLACE: &[u8] = b"{}";

/// The unit into which an output is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum OutputDivision {
    /// The CRC-32 of the key, modulo this number.
    Parts(u32),
    /// The commits of a store that grows with the run.
    Commits,
    /// The inputs.
    Inputs,
}

/// The names of the files of an output that is divided.
#[derive(Clone, Debug)]
pub(in crate::cli) struct FilePattern {
    folder: PathBuf,
    before: Vec<u8>,
    after: Vec<u8>,
}

impl OutputDivision {
    /// Returns what divides the output `path`, if something does: `parts`, where they are asked
    /// for; else commits, where the run makes some; else inputs.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn of(
        path: Option<&Path>,
        parts: Option<u32>,
        commits: bool,
    ) -> Result<Option<(OutputDivision, FilePattern)>, String> {
        let pattern = path.map(FilePattern::of).transpose()?.flatten();
        match (parts, pattern) {
            (Some(parts), _) if !(1..=PARTS_MAX).contains(&parts) => {
                Err(format!("--split: from 1 to {PARTS_MAX} parts"))
            }
            (Some(_), _) if commits => Err(
                "--split: not with --commit-every or --journal; all files of --split appear at \
                 the end"
                    .to_owned(),
            ),
            (Some(parts), Some(pattern)) => Ok(Some((OutputDivision::Parts(parts), pattern))),
            (Some(_), None) => {
                Err("--split: the names of the files are missing: -o DIR/part-{}.txt".to_owned())
            }
            (None, Some(pattern)) if commits => Ok(Some((OutputDivision::Commits, pattern))),
            (None, Some(pattern)) => Ok(Some((OutputDivision::Inputs, pattern))),
            (None, None) => Ok(None),
        }
    }
}

/// The least bytes that a file takes of memory, and the most that are of use.
const LINES: (usize, usize) = (4 << 10, 64 << 10);
const GZIP: (usize, usize) = (2 << 20, 2 << 20);
const ZSTD: (usize, usize) = (5 << 20, 5 << 20);
const TABLE: (usize, usize) = (1 << 20, 64 << 20);

impl OutputDivision {
    /// Returns how many of so many threads compress each file.
    pub(in crate::cli) fn threads(self, threads: usize) -> usize {
        match self {
            OutputDivision::Parts(number) => (threads / number as usize).max(1),
            OutputDivision::Commits | OutputDivision::Inputs => threads,
        }
    }

    /// Returns the memory of the files that are open together.
    pub(in crate::cli) fn memory(self, compression: FileCompression, table: bool) -> PartMemory {
        let (least, most) = match (table, compression) {
            (true, _) => TABLE,
            (false, FileCompression::None) => LINES,
            (false, FileCompression::Gzip) => GZIP,
            (false, FileCompression::Zstd) => ZSTD,
        };
        match self {
            OutputDivision::Parts(number) => PartMemory {
                number: number as usize,
                least,
                most,
            },
            // One is open at a time, as where the output is not divided.
            OutputDivision::Commits | OutputDivision::Inputs => PartMemory {
                number: usize::from(table),
                least: 0,
                most,
            },
        }
    }
}

/// Checks that the output `path` is one file.
///
/// # Errors
/// A message that names the flag.
pub(in crate::cli) fn check_whole(path: Option<&Path>) -> Result<(), String> {
    match path.map(FilePattern::of).transpose()?.flatten() {
        Some(_) => Err("-o: this output is one file; leave {} out of its name".to_owned()),
        None => Ok(()),
    }
}

impl FilePattern {
    /// Reads the name of an output; `None` where it is one file.
    ///
    /// # Errors
    /// A message that names the flag.
    fn of(path: &Path) -> Result<Option<FilePattern>, String> {
        let whole = path.as_os_str().as_encoded_bytes();
        if memchr::memmem::find(whole, PLACE).is_none() {
            return Ok(None);
        }
        let said = printable(whole);
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let places: Vec<usize> = memchr::memmem::find_iter(name, PLACE).collect();
        let folder = path.parent().unwrap_or(Path::new(""));
        let in_folder = memchr::memmem::find(folder.as_os_str().as_encoded_bytes(), PLACE);
        match (&places[..], in_folder) {
            (&[at], None) => Ok(Some(FilePattern {
                folder: folder.to_owned(),
                before: name[..at].to_owned(),
                after: name[at + PLACE.len()..].to_owned(),
            })),
            _ => Err(format!(
                "-o {said}: {{}} is once in the name of the file, and not in that of its directory"
            )),
        }
    }

    /// The directory of the files.
    pub(in crate::cli) fn folder(&self) -> &Path {
        match self.folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => &self.folder,
        }
    }

    /// The name of the file of a part in the folder `folder`.
    pub(in crate::cli) fn part(&self, folder: &Path, number: u32) -> PathBuf {
        folder.join(self.named(format!("{number:05}").as_bytes()))
    }

    /// The path of the file of a commit, by its number.
    pub(super) fn commit(&self, number: u64) -> PathBuf {
        self.folder
            .join(self.named(format!("{number:010}").as_bytes()))
    }

    /// The path of the file of an input, by its name.
    pub(super) fn input(&self, name: &[u8]) -> PathBuf {
        let mut safe = Vec::with_capacity(name.len());
        for &byte in name {
            match byte {
                b'/' => safe.extend_from_slice(b"%2F"),
                b'\\' | b':' if cfg!(windows) => {
                    safe.extend_from_slice(format!("%{byte:02X}").as_bytes());
                }
                _ => safe.push(byte),
            }
        }
        self.folder.join(self.named(&safe))
    }

    /// What is the same for all runs that write these files.
    pub(in crate::cli) fn identity(&self) -> Vec<u8> {
        let folder = std::path::absolute(self.folder()).unwrap_or(self.folder.clone());
        let pattern = folder.join(self.named(PLACE));
        pattern.as_os_str().as_encoded_bytes().to_owned()
    }

    fn named(&self, what: &[u8]) -> OsString {
        names::path(&[&self.before, what, &self.after].concat()).into()
    }
}

/// The key of a record, by which it is in a part, and its input.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct RecordKey<'k> {
    source: Option<&'k [u8]>,
    uri: &'k [u8],
    pub input: usize,
}

impl RecordKey<'_> {
    /// Returns the part of the record, of so many.
    pub(super) fn part(&self, parts: u32) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        if let Some(source) = self.source {
            hasher.update(source);
            hasher.update(b"\t");
        }
        hasher.update(self.uri);
        hasher.finalize() % parts
    }
}

impl<'k> From<&Finding<'k>> for RecordKey<'k> {
    fn from(finding: &Finding<'k>) -> RecordKey<'k> {
        RecordKey {
            source: finding.source,
            uri: finding.uri,
            input: finding.input,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_divides_an_output() {
        let of = |path: &str, parts, commits| {
            let found = OutputDivision::of(Some(Path::new(path)), parts, commits);
            found.map(|found| found.map(|(division, _)| division))
        };
        assert_eq!(of("a/b.txt", None, false), Ok(None));
        assert_eq!(
            of("a/{}.txt", None, false),
            Ok(Some(OutputDivision::Inputs))
        );
        assert_eq!(
            of("a/{}.txt", None, true),
            Ok(Some(OutputDivision::Commits))
        );
        for parts in [1, 16, 1024] {
            let divided = of("a/{}", Some(parts), false);
            assert_eq!(divided, Ok(Some(OutputDivision::Parts(parts))));
        }
        for (path, parts, commits) in [
            ("a/{}", Some(0), false),
            ("a/{}", Some(1025), false),
            ("a/b", Some(2), false),
            ("a/{}", Some(2), true),
            ("a/{}{}", None, false),
            ("{}/a", None, false),
            ("{}/{}", None, false),
        ] {
            assert!(of(path, parts, commits).is_err(), "{path} {parts:?}");
        }
        assert!(OutputDivision::of(None, Some(2), false).is_err());
        assert!(check_whole(Some(Path::new("a/{}"))).is_err());
        assert!(check_whole(Some(Path::new("a/b"))).is_ok());
    }

    #[test]
    fn names_of_files() {
        let pattern = FilePattern::of(Path::new("d/p-{}.gz")).unwrap().unwrap();
        assert_eq!(pattern.commit(7), Path::new("d/p-0000000007.gz"));
        assert_eq!(
            pattern.input(b"x/y%2F.log"),
            Path::new("d/p-x%2Fy%2F.log.gz")
        );
        assert_eq!(pattern.part(Path::new("e"), 12), Path::new("e/p-00012.gz"));
    }

    #[test]
    fn parts_are_those_of_zlib() {
        // python3 -c 'import zlib; print(zlib.crc32(b"http://a.example/") % 16)'
        let mut finding = Finding::new(b"http://a.example/");
        assert_eq!(RecordKey::from(&finding).part(16), 4);
        finding.source = Some(b"urn:a:b");
        let pair = crc32fast::hash(b"urn:a:b\thttp://a.example/");
        assert_eq!(RecordKey::from(&finding).part(1024), pair % 1024);
    }
}
