//! Files of entries in the order of their URIs: lines, counts, groups, records of JSON Lines. Each
//! is at one entry, and entries with one URI become one.

use super::in_order::UriEntries;
use super::json::{self, JsonSum};
use crate::cli::decompressed::text_of;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The bytes that are read of a file at a time.
const BUFFER: usize = 64 << 10;

/// What the entries of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SortedForm {
    /// A URI a line.
    Lines,
    /// `COUNT<TAB>URI`.
    Counts,
    /// The same, and below it a line `<TAB>COUNT<TAB>SPELLING` for each spelling.
    Groups,
    /// A record of JSON a line.
    Json,
}

/// A file at an entry.
pub(super) struct SortedEntries {
    name: PathBuf,
    input: Box<dyn BufRead>,
    form: SortedForm,
    end: u8,
    line: u64,
    is_begun: bool,
    /// The URI of the entry, and its count.
    uri: Vec<u8>,
    count: u64,
    spellings: Vec<(u64, Vec<u8>)>,
    /// The line, or the first of several.
    buffer: Vec<u8>,
}

impl SortedEntries {
    /// Opens a file whose lines have this end.
    ///
    /// # Errors
    /// A message that names the file.
    pub(super) fn open(
        path: &Path,
        (form, end): (SortedForm, u8),
    ) -> Result<SortedEntries, String> {
        let input = opened(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(SortedEntries {
            name: path.to_owned(),
            input,
            form,
            end,
            line: 0,
            is_begun: false,
            uri: Vec::new(),
            count: 1,
            spellings: Vec::new(),
            buffer: Vec::new(),
        })
    }

    /// Reads the lines of the spellings of a group.
    fn read_spellings(&mut self) -> Result<(), String> {
        self.spellings.clear();
        loop {
            let next = self.input.fill_buf();
            let next = next.map_err(|error| format!("{}: {error}", self.name.display()))?;
            if next.first() != Some(&b'\t') || !self.read_line()? {
                return Ok(());
            }
            let spelling = self.buffer.strip_prefix(b"\t").and_then(count_of);
            let why = "not <TAB>COUNT<TAB>SPELLING, as --groups --sort prints it";
            let (count, text) = spelling.ok_or_else(|| self.said(why))?;
            self.spellings.push((count, text.to_owned()));
        }
    }

    /// Reads a line without its end. Returns false after the last one.
    fn read_line(&mut self) -> Result<bool, String> {
        self.buffer.clear();
        let read = self.input.read_until(self.end, &mut self.buffer);
        let read = read.map_err(|error| format!("{}: {error}", self.name.display()))?;
        if self.buffer.last() == Some(&self.end) {
            self.buffer.pop();
        }
        self.line += 1;
        Ok(read > 0)
    }

    fn said(&self, cause: &str) -> String {
        format!("{}: line {}: {cause}", self.name.display(), self.line)
    }
}

impl UriEntries for SortedEntries {
    fn uri(&self) -> &[u8] {
        &self.uri
    }

    /// An error names the file and the line: it has no entry, or one that is not in order.
    fn advance(&mut self) -> Result<bool, String> {
        if !self.read_line()? {
            return Ok(false);
        }
        let key;
        let uri = match self.form {
            SortedForm::Lines => &self.buffer[..],
            SortedForm::Counts | SortedForm::Groups => {
                let why = match self.form {
                    SortedForm::Groups => "not COUNT<TAB>URI, as --groups --sort prints it",
                    _ => "not COUNT<TAB>URI, as -c --sort prints it",
                };
                let (count, uri) = count_of(&self.buffer).ok_or_else(|| self.said(why))?;
                self.count = count;
                uri
            }
            SortedForm::Json => {
                let why = "not a record of a URI, as --json --sort prints it";
                key = json::key_of(&self.buffer).ok_or_else(|| self.said(why))?;
                &key
            }
        };
        if self.is_begun && *uri < self.uri[..] {
            return Err(self.said("not in byte order; merge reads what --sort printed"));
        }
        self.is_begun = true;
        self.uri.clear();
        self.uri.extend_from_slice(uri);
        if self.form == SortedForm::Groups {
            self.read_spellings()?;
        }
        Ok(true)
    }
}

/// The entries with one URI.
#[derive(Debug, Default)]
pub(super) struct EntrySum {
    count: u64,
    spellings: BTreeMap<Vec<u8>, u64>,
    record: JsonSum,
}

impl EntrySum {
    /// Adds the entry at which a file is.
    ///
    /// # Errors
    /// A message that names the file and the line.
    pub(super) fn add(&mut self, entry: &SortedEntries) -> Result<(), String> {
        self.count = self.count.saturating_add(entry.count);
        for (count, text) in &entry.spellings {
            let known = self.spellings.entry(text.clone()).or_default();
            *known = known.saturating_add(*count);
        }
        if entry.form == SortedForm::Json {
            let added = self.record.add(&entry.buffer);
            added.ok_or_else(|| entry.said("not a record as --json --sort prints it"))?;
        }
        Ok(())
    }

    /// Appends the entry of all.
    pub(super) fn write(&self, uri: &[u8], (form, end): (SortedForm, u8), out: &mut Vec<u8>) {
        match form {
            SortedForm::Lines => out.extend_from_slice(uri),
            SortedForm::Counts | SortedForm::Groups => {
                out.extend_from_slice(format!("{}\t", self.count).as_bytes());
                out.extend_from_slice(uri);
            }
            SortedForm::Json => self.record.write(out),
        }
        out.push(end);
        let mut spellings: Vec<_> = self.spellings.iter().collect();
        // The most frequent first, equal ones in byte order.
        spellings.sort_by_key(|(_, count)| Reverse(**count));
        for (text, count) in spellings {
            out.extend_from_slice(format!("\t{count}\t").as_bytes());
            out.extend_from_slice(text);
            out.push(end);
        }
    }
}

/// Splits the count off a line.
fn count_of(line: &[u8]) -> Option<(u64, &[u8])> {
    let at = line.iter().position(|&byte| byte == b'\t')?;
    let count = str::from_utf8(&line[..at])
        .ok()?
        .trim_start()
        .parse()
        .ok()?;
    Some((count, &line[at + 1..]))
}

/// Opens a file, which may be compressed.
fn opened(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let file: Box<dyn Read> = match path.as_os_str() == "-" {
        true => Box::new(io::stdin()),
        false => Box::new(File::open(path)?),
    };
    Ok(Box::new(BufReader::with_capacity(BUFFER, text_of(file)?)))
}
