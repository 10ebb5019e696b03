//! The inputs that `--against` names, whose URIs are left out of the output. They are
//! read like other inputs; of Parquet tables one column is read.

use crate::cli::inputs::{self, Input, InputNames, named};
use parquet::column::reader::ColumnReader;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use urisieve::decode::Layout;
use urisieve::input::{Source, Walk};
use urisieve::{Builder, Sieve};

/// The names of the column that holds the URIs of a table, in order of preference.
const COLUMNS: [&str; 2] = ["url", "uri"];
/// A Parquet file begins and ends with this.
const MAGIC: &[u8] = b"PAR1";
const MAGIC_LEN: i64 = MAGIC.len() as i64;
/// The extensions of such files.
const EXTENSIONS: [&str; 2] = ["parquet", "pq"];
/// The number of values that are read at a time.
const STEP: usize = 1024;

/// The inputs, checked before the run; Parquet tables are open already.
#[derive(Default)]
pub(super) struct Known {
    inputs: Vec<(Input, Option<ParquetUris>)>,
}

impl Known {
    /// Opens the inputs that `paths` name; of directories, their files.
    ///
    /// # Errors
    /// A message, when one does not exist or cannot be opened.
    pub(super) fn open(paths: Vec<PathBuf>, walk: &Walk) -> Result<Known, String> {
        let failed = |path: &Path, error: &dyn std::fmt::Display| {
            format!("--against {}: {error}", path.display())
        };
        let mut opened = Vec::new();
        for path in paths {
            let Input::Path(path) = named(path) else {
                opened.push((Input::Stdin, None));
                continue;
            };
            let about = fs::metadata(&path).map_err(|error| failed(&path, &error))?;
            let files = match about.is_dir() {
                true => walk.files(&path),
                false => vec![Ok(path)],
            };
            for file in files {
                let file = file.map_err(|(path, error)| failed(&path, &error))?;
                let table = ParquetUris::open(&file).map_err(|error| failed(&file, &error))?;
                if let (None, Some(cause)) = (&table, inputs::container(&file)) {
                    return Err(failed(&file, &cause));
                }
                opened.push((Input::Path(file), table));
            }
        }
        Ok(Known { inputs: opened })
    }

    /// The number of inputs.
    pub(super) fn count(&self) -> usize {
        self.inputs.len()
    }

    /// The inputs in the order of the arguments.
    pub(super) fn inputs(&self) -> impl Iterator<Item = Input> + '_ {
        self.inputs.iter().map(|(input, _)| input.clone())
    }

    /// # Errors
    /// A message, when standard input is one of them and one of `inputs`.
    pub(super) fn apart_from(&self, inputs: &[Input]) -> Result<(), String> {
        let is_stdin = |input: &Input| matches!(input, Input::Stdin);
        match self.inputs().any(|input| is_stdin(&input)) && inputs.iter().any(is_stdin) {
            true => Err(
                "--against -: standard input cannot also be an input of the run; \
                        name a file for one of them"
                    .to_owned(),
            ),
            false => Ok(()),
        }
    }

    /// Configures `sieve` to leave out the URIs of these inputs, which come first.
    pub(super) fn configure(&self, sieve: Builder<Sieve>) -> Builder<Sieve> {
        let tables = self.inputs.iter().enumerate();
        let tables = tables.filter(|(_, (_, table))| table.is_some());
        tables.fold(sieve.known_inputs(self.count()), |sieve, (input, _)| {
            sieve.layout_of(input, Layout::Lines)
        })
    }

    /// Returns the sources, and adds the name of each to `names`.
    pub(super) fn into_sources(self, names: &InputNames) -> Vec<Source<'static>> {
        let source = |(input, table): (Input, Option<ParquetUris>)| match (input, table) {
            (Input::Stdin, _) => {
                names.add_stdin();
                inputs::stdin()
            }
            (Input::Path(path), table) => {
                names.add(&path);
                match table {
                    Some(table) => Source::Reader(Box::new(table)),
                    None => Source::Path(path),
                }
            }
        };
        self.inputs.into_iter().map(source).collect()
    }
}

/// Reads the URIs of a Parquet table, one a line.
struct ParquetUris {
    reader: SerializedFileReader<File>,
    /// The number of the column that holds them.
    column: usize,
    /// The group of rows that is read next.
    group: usize,
    lines: Vec<u8>,
    /// The number of bytes of `lines` that were returned.
    at: usize,
}

impl ParquetUris {
    /// Opens the table in a file; returns `None` when the file is not Parquet. A name that
    /// says that it is, and either end of a table, are not those of a list.
    fn open(path: &Path) -> io::Result<Option<ParquetUris>> {
        // Opening a named pipe would wait for its writer.
        if !fs::metadata(path)?.is_file() {
            return Ok(None);
        }
        let mut file = File::open(path)?;
        let (begins, ends) = (is_magic(&mut file, 0), is_magic(&mut file, -MAGIC_LEN));
        if !begins || !ends {
            let extension = path.extension().unwrap_or_default();
            let is_named = EXTENSIONS
                .iter()
                .any(|name| extension.eq_ignore_ascii_case(name));
            let cause = match begins {
                true => "the end of the Parquet file is missing or damaged",
                false => "the beginning of the Parquet file is missing or damaged",
            };
            let is_damaged = begins || ends && is_binary(path);
            return match is_named || is_damaged {
                true => Err(io::Error::new(io::ErrorKind::InvalidData, cause)),
                false => Ok(None),
            };
        }
        let reader = SerializedFileReader::new(file).map_err(io::Error::other)?;
        let schema = reader.metadata().file_metadata().schema_descr();
        let names = || schema.columns().iter().map(|column| column.path().string());
        let column = COLUMNS
            .iter()
            .find_map(|&wanted| names().position(|name| name == wanted));
        let Some(column) = column else {
            let names: Vec<String> = names().map(|name| format!("{name:?}")).collect();
            let cause = format!("no column \"url\"; the columns are {}", names.join(", "));
            return Err(io::Error::new(io::ErrorKind::InvalidData, cause));
        };
        Ok(Some(ParquetUris {
            reader,
            column,
            group: 0,
            lines: Vec::new(),
            at: 0,
        }))
    }

    /// Reads the next group of rows. Returns false after the last one.
    fn next_group(&mut self) -> io::Result<bool> {
        self.lines.clear();
        self.at = 0;
        if self.group == self.reader.num_row_groups() {
            return Ok(false);
        }
        let group = self.reader.get_row_group(self.group);
        self.group += 1;
        let group = group.map_err(io::Error::other)?;
        let column = group.get_column_reader(self.column);
        let ColumnReader::ByteArrayColumnReader(mut column) = column.map_err(io::Error::other)?
        else {
            let cause = "the column does not contain text";
            return Err(io::Error::new(io::ErrorKind::InvalidData, cause));
        };
        let (mut values, mut levels) = (Vec::with_capacity(STEP), Vec::new());
        loop {
            let read = column.read_records(STEP, Some(&mut levels), None, &mut values);
            let (rows, _, _) = read.map_err(io::Error::other)?;
            if rows == 0 {
                return Ok(true);
            }
            for value in values.drain(..) {
                self.lines.extend_from_slice(value.data());
                self.lines.push(b'\n');
            }
            levels.clear();
        }
    }
}

impl Read for ParquetUris {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.lines.len() {
            if !self.next_group()? {
                return Ok(0);
            }
        }
        let rest = &self.lines[self.at..];
        let len = rest.len().min(buffer.len());
        buffer[..len].copy_from_slice(&rest[..len]);
        self.at += len;
        Ok(len)
    }
}

/// Whether the bytes that follow the magic number are not text.
fn is_binary(path: &Path) -> bool {
    let mut head = [0; 2 * MAGIC.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    let is_binary = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    read.is_ok() && head[MAGIC.len()..].iter().any(is_binary)
}

/// Whether the magic number is at this offset of a file, or before its end if the offset is
/// negative.
fn is_magic(file: &mut File, offset: i64) -> bool {
    let from = match u64::try_from(offset) {
        Ok(offset) => SeekFrom::Start(offset),
        Err(_) => SeekFrom::End(offset),
    };
    let mut magic = [0; MAGIC.len()];
    let read = file.seek(from).and_then(|_| file.read_exact(&mut magic));
    read.is_ok() && magic == *MAGIC
}
