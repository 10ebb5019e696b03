//! The manifest: the text that names the settings of a store and its runs. Which manifest
//! counts, and how one replaces another, is left to `writer`.

use super::disk::{Disk, failed};
use super::fault::{SeenError, SeenFault};
use super::filter::KeyHasher;
use super::format::VERSION;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;

/// The longest manifest that is read.
const MANIFEST_MAX: u64 = 16 << 20;

const MANIFEST: &str = "MANIFEST-";
const RUN: &str = "run-";
/// The end of the name of a manifest that is being written.
pub(super) const UNFINISHED: &str = ".tmp";
/// The file that a writer locks.
pub(super) const LOCK: &str = "seen.lock";

/// The settings that decide what the keys of a store are: names and values.
///
/// ```
/// use urisieve::store::seen::SeenSettings;
/// let settings = SeenSettings::from([("kind".to_owned(), "uri".to_owned())]);
/// assert_eq!(settings["kind"], "uri");
/// ```
pub type SeenSettings = BTreeMap<String, String>;

/// A run of a store, as the manifest names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RunEntry {
    pub run: u64,
    pub bytes: u64,
    pub keys: u64,
    pub key_bytes: u64,
    /// The checksum of its footer.
    pub checksum: u32,
}

/// The state of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Manifest {
    pub hasher: KeyHasher,
    pub settings: SeenSettings,
    /// The number of the last commit, and its time.
    pub commits: u64,
    pub time: u64,
    /// The number of the next run.
    pub next: u64,
    /// The runs, in the order of their numbers.
    pub runs: Vec<RunEntry>,
}

/// The name of the file of a run.
pub(super) fn run_name(run: u64) -> String {
    format!("{RUN}{run:010}")
}

/// The name of the manifest with this number.
pub(super) fn manifest_name(number: u64) -> String {
    format!("{MANIFEST}{number:010}")
}

/// The kinds of files in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoreFile {
    Manifest(u64),
    Run(u64),
    /// Something that a writer left unfinished.
    Unfinished,
    Lock,
    Other,
}

impl StoreFile {
    pub(super) fn named(name: &str) -> StoreFile {
        let number = |prefix, made: fn(u64) -> String| {
            let number = name.strip_prefix(prefix)?.parse().ok()?;
            (made(number) == name).then_some(number)
        };
        if name == LOCK {
            return StoreFile::Lock;
        }
        if let Some(rest) = name.strip_suffix(UNFINISHED)
            && let StoreFile::Manifest(_) = StoreFile::named(rest)
        {
            return StoreFile::Unfinished;
        }
        if let Some(number) = number(MANIFEST, manifest_name) {
            return StoreFile::Manifest(number);
        }
        match number(RUN, run_name) {
            Some(number) => StoreFile::Run(number),
            None => StoreFile::Other,
        }
    }
}

impl Manifest {
    /// Adds a run at its place, by its number.
    pub(super) fn add_run(&mut self, entry: RunEntry) {
        let at = self.runs.partition_point(|other| other.run < entry.run);
        self.runs.insert(at, entry);
    }

    pub(super) fn text(&self) -> String {
        let mut text = format!("urisieve-seen {VERSION}\nsecret {}\n", self.hasher);
        // Writing to memory does not fail.
        for (name, value) in &self.settings {
            let _ = writeln!(text, "set {} {}", escaped(name), escaped(value));
        }
        let _ = writeln!(text, "commits {} {}", self.commits, self.time);
        let _ = writeln!(text, "next {}", self.next);
        for entry in &self.runs {
            let RunEntry {
                run,
                bytes,
                keys,
                key_bytes,
                checksum,
            } = entry;
            let _ = writeln!(text, "run {run} {bytes} {keys} {key_bytes} {checksum:08x}");
        }
        let checksum = crc32fast::hash(text.as_bytes());
        let _ = writeln!(text, "end {checksum:08x}");
        text
    }

    /// Reads a manifest; the error is the offset of what is wrong, and what it is.
    fn parse(bytes: &[u8]) -> Result<Manifest, SeenFault> {
        let damaged = |offset, what| SeenFault::Damaged(offset, what);
        let end = bytes.len().saturating_sub("end 00000000\n".len());
        let (lines, last) = bytes.split_at(end);
        let checksum = crc32fast::hash(lines);
        if last != format!("end {checksum:08x}\n").as_bytes() {
            return Err(damaged(end as u64, "the checksum of the manifest"));
        }
        let text = str::from_utf8(lines).map_err(|_| damaged(0, "the manifest is not text"))?;
        let mut manifest = Manifest {
            hasher: KeyHasher::random(),
            settings: SeenSettings::new(),
            commits: 0,
            time: 0,
            next: 0,
            runs: Vec::new(),
        };
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let words: Vec<&str> = line.trim_end_matches('\n').split(' ').collect();
            if let (0, ["urisieve-seen", version]) = (at, &words[..]) {
                match version.parse() {
                    Ok(VERSION) => {}
                    Ok(version) => return Err(SeenFault::Version(version)),
                    Err(_) => return Err(damaged(0, "the version")),
                }
            } else if at == 0 || manifest.read_line(&words).is_none() {
                return Err(damaged(at, "a line of the manifest"));
            }
            at += line.len() as u64;
        }
        // A line that is missing, or comes twice, is no manifest of ours.
        match manifest.text().as_bytes() == bytes {
            true => Ok(manifest),
            false => Err(damaged(0, "the lines of the manifest")),
        }
    }

    fn read_line(&mut self, words: &[&str]) -> Option<()> {
        let number = |text: &str| text.parse::<u64>().ok();
        match *words {
            ["secret", secret] => self.hasher = KeyHasher::named(secret)?,
            ["set", name, value] => {
                self.settings.insert(unescaped(name)?, unescaped(value)?);
            }
            ["commits", commits, time] => {
                (self.commits, self.time) = (number(commits)?, number(time)?);
            }
            ["next", next] => self.next = number(next)?,
            ["run", run, bytes, keys, key_bytes, checksum] => self.runs.push(RunEntry {
                run: number(run)?,
                bytes: number(bytes)?,
                keys: number(keys)?,
                key_bytes: number(key_bytes)?,
                checksum: u32::from_str_radix(checksum, 16).ok()?,
            }),
            _ => return None,
        }
        Some(())
    }

    /// Returns the number of the highest manifest of a directory, if there is one.
    fn highest_number(disk: &dyn Disk) -> Result<Option<u64>, SeenError> {
        let names = disk.list().map_err(|cause| match cause.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                SeenError::new(&disk.path(""), SeenFault::NoStore)
            }
            _ => failed(disk, "", "list it")(cause),
        })?;
        let numbers = names
            .iter()
            .filter_map(|name| match StoreFile::named(name) {
                StoreFile::Manifest(number) => Some(number),
                _ => None,
            });
        Ok(numbers.max())
    }

    /// Reads the settings of the highest manifest, which is damaged, as far as its lines are those
    /// of a manifest: returns it with its number. The runs and their numbers are not in it.
    ///
    /// # Errors
    /// No manifest is there, it cannot be read, or no setting in it can.
    pub(super) fn damaged(disk: &dyn Disk) -> Result<(u64, Manifest), SeenError> {
        let Some(number) = Manifest::highest_number(disk)? else {
            return Err(SeenError::new(&disk.path(""), SeenFault::NoStore));
        };
        let name = manifest_name(number);
        let bytes = Manifest::bytes_of(disk, &name)?;
        let mut manifest = Manifest {
            hasher: KeyHasher::random(),
            settings: SeenSettings::new(),
            commits: 0,
            time: 0,
            next: 1,
            runs: Vec::new(),
        };
        for line in bytes.split(|&byte| byte == b'\n') {
            if let Ok(line) = str::from_utf8(line) {
                // Another line is damaged.
                let _ = manifest.read_line(&line.split(' ').collect::<Vec<_>>());
            }
        }
        // A filter that is asked by a wrong secret answers wrongly, and the runs have the numbers.
        let manifest = Manifest {
            hasher: KeyHasher::random(),
            commits: 0,
            time: 0,
            next: 1,
            runs: Vec::new(),
            ..manifest
        };
        match manifest.settings.is_empty() {
            true => {
                let fault = SeenFault::Damaged(0, "no setting is left in the manifest");
                Err(SeenError::new(&disk.path(&name), fault))
            }
            false => Ok((number, manifest)),
        }
    }

    /// Reads the highest manifest of a directory; returns it with its number, or `None` where
    /// there is no manifest.
    pub(super) fn highest(disk: &dyn Disk) -> Result<Option<(u64, Manifest)>, SeenError> {
        // A writer may replace it while it is read.
        for _ in 0..100 {
            let Some(number) = Manifest::highest_number(disk)? else {
                return Ok(None);
            };
            let name = manifest_name(number);
            match Manifest::read(disk, &name) {
                Ok(manifest) => return Ok(Some((number, manifest))),
                Err(error) if matches!(error.fault(), SeenFault::Gone) => {}
                Err(error) => return Err(error),
            }
        }
        Err(SeenError::new(&disk.path(""), SeenFault::Gone))
    }

    fn read(disk: &dyn Disk, name: &str) -> Result<Manifest, SeenError> {
        let bytes = Manifest::bytes_of(disk, name)?;
        Manifest::parse(&bytes).map_err(|fault| SeenError::new(&disk.path(name), fault))
    }

    fn bytes_of(disk: &dyn Disk, name: &str) -> Result<Vec<u8>, SeenError> {
        let path = disk.path(name);
        let file = disk.open(name).map_err(|cause| match cause.kind() {
            io::ErrorKind::NotFound => SeenError::new(&path, SeenFault::Gone),
            _ => failed(disk, name, "open it")(cause),
        })?;
        let len = file.len().map_err(failed(disk, name, "read its length"))?;
        if len > MANIFEST_MAX {
            let fault = SeenFault::Damaged(MANIFEST_MAX, "the manifest is too long");
            return Err(SeenError::new(&path, fault));
        }
        let mut bytes = vec![0; len as usize];
        let mut at = 0;
        while at < bytes.len() {
            match file.read_at(&mut bytes[at..], at as u64) {
                Ok(0) => bytes.truncate(at),
                Ok(read) => at += read,
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                Err(cause) => return Err(failed(disk, name, "read it")(cause)),
            }
        }
        Ok(bytes)
    }

    /// Returns the settings that differ: the name, the value here and that of `asked`.
    pub(super) fn differences(&self, asked: &SeenSettings) -> Vec<(String, String, String)> {
        let value = |settings: &SeenSettings, name: &String| match settings.get(name) {
            Some(value) if !value.is_empty() => value.clone(),
            _ => "unset".to_owned(),
        };
        let names: std::collections::BTreeSet<&String> =
            self.settings.keys().chain(asked.keys()).collect();
        let differences = names.into_iter().filter_map(|name| {
            let (here, there) = (value(&self.settings, name), value(asked, name));
            (here != there).then(|| (name.clone(), here, there))
        });
        differences.collect()
    }

    pub(super) fn keys(&self) -> u64 {
        self.runs.iter().map(|entry| entry.keys).sum()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.runs.iter().map(|entry| entry.bytes).sum()
    }
}

/// Encodes bytes of a word that are not letters, digits or common signs.
fn escaped(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for byte in word.bytes() {
        match byte.is_ascii_alphanumeric() || b"-_.*?:/,+@".contains(&byte) {
            true => out.push(byte as char),
            // Writing to memory does not fail.
            false => drop(write!(out, "%{byte:02X}")),
        }
    }
    out
}

fn unescaped(word: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (digits, tail) = tail.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?);
        rest = tail;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let run = |run| RunEntry {
            run,
            bytes: 1000 * run,
            keys: 10,
            key_bytes: 500,
            checksum: 0x00AB_CDEF,
        };
        Manifest {
            hasher: KeyHasher::random(),
            settings: [("level", "lexical"), ("drop-param", "a b%*"), ("x", "")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            commits: 3,
            time: 1_700_000_000,
            next: 9,
            runs: vec![run(2), run(8)],
        }
    }

    #[test]
    fn a_manifest_comes_back_and_no_other_text_is_one() {
        let manifest = manifest();
        let text = manifest.text();
        assert_eq!(Manifest::parse(text.as_bytes()).unwrap(), manifest);
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                assert!(Manifest::parse(&bytes).is_err(), "{at} {bit}");
            }
            assert!(Manifest::parse(&text.as_bytes()[..at]).is_err());
        }
        let later = text.replace("urisieve-seen 1", "urisieve-seen 2");
        let later = &later[..later.len() - 13];
        let later = format!("{later}end {:08x}\n", crc32fast::hash(later.as_bytes()));
        let fault = Manifest::parse(later.as_bytes()).unwrap_err();
        assert!(matches!(fault, SeenFault::Version(2)));
        assert_eq!((manifest.keys(), manifest.bytes()), (20, 10_000));
    }

    #[test]
    fn differences_are_named() {
        let manifest = manifest();
        assert!(manifest.differences(&manifest.settings).is_empty());
        let mut other = manifest.settings.clone();
        other.remove("x");
        other.insert("level".to_owned(), "scheme".to_owned());
        other.insert("redact".to_owned(), "yes".to_owned());
        let found = manifest.differences(&other);
        let found: Vec<_> = found.iter().map(|(a, b, c)| [&a[..], b, c]).collect();
        assert_eq!(
            found,
            [["level", "lexical", "scheme"], ["redact", "unset", "yes"]]
        );
    }

    #[test]
    fn files_are_known_by_their_names() {
        for (name, file) in [
            ("MANIFEST-0000000007", StoreFile::Manifest(7)),
            ("MANIFEST-10000000007", StoreFile::Manifest(10_000_000_007)),
            ("MANIFEST-7", StoreFile::Other),
            ("run-0000000001", StoreFile::Run(1)),
            ("run-+000000001", StoreFile::Other),
            ("MANIFEST-0000000007.tmp", StoreFile::Unfinished),
            ("notes.tmp", StoreFile::Other),
            ("seen.lock", StoreFile::Lock),
        ] {
            assert_eq!(StoreFile::named(name), file, "{name}");
        }
    }
}
