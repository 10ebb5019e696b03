//! Parquet files as inputs (C10): a table whose first row has the names of its columns. A file is
//! read group by group, only the columns that are needed. Lists and the inputs of `--against` read
//! one column, a value a line; searches read all columns of strings, as CSV.

mod cells;
mod column;
mod csv_text;
mod lines;
mod rows;
mod text;

pub(super) use csv_text::ParquetCsv;
pub(super) use lines::ParquetLines;
pub(super) use rows::RowCopy;
pub(super) use text::ParquetText;

use column::StringColumn;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::{Map, Value};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use urisieve::input::Source;

/// The names of the column that holds the URIs of a table, in order of preference.
const COLUMNS: [&str; 2] = ["url", "uri"];
/// Columns of tables that were written, and the names that their values have in JSON.
const RENAMED: [(&str, &str); 3] = [
    ("url", "uri"),
    ("first_file", "file"),
    ("first_offset", "offset"),
];
/// A Parquet file begins and ends with this.
const MAGIC: &[u8] = b"PAR1";
const MAGIC_LEN: i64 = MAGIC.len() as i64;
/// The extensions of such files.
const EXTENSIONS: [&str; 2] = ["parquet", "pq"];

/// An opened table.
pub(super) struct ParquetFile(SerializedFileReader<File>);

impl ParquetFile {
    /// Opens the table in a file; returns `None` when the file is not Parquet. A name that
    /// says that it is, and either end of a table, are not those of a list.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub(super) fn open(path: &Path) -> io::Result<Option<ParquetFile>> {
        // Opening a named pipe would wait for its writer.
        if !fs::metadata(path)?.is_file() {
            return Ok(None);
        }
        let mut file = File::open(path)?;
        let (begins, ends) = (is_magic(&mut file, 0), is_magic(&mut file, -MAGIC_LEN));
        if !begins || !ends {
            let cause = match begins {
                true => "the end of the Parquet file is missing or damaged",
                false => "the beginning of the Parquet file is missing or damaged",
            };
            let is_damaged = begins || ends && is_binary(path);
            return match has_table_name(path) || is_damaged {
                true => Err(invalid(cause)),
                false => Ok(None),
            };
        }
        let reader = SerializedFileReader::new(file).map_err(io::Error::other)?;
        Ok(Some(ParquetFile(reader)))
    }

    /// Opens the table in a file whose rows are copied.
    ///
    /// # Errors
    /// The file is no table, cannot be read, or is damaged.
    fn open_table(path: &Path) -> io::Result<ParquetFile> {
        let table = ParquetFile::open(path)?;
        table.ok_or_else(|| invalid("no table of Parquet, of which rows are copied"))
    }

    /// Whether a file begins and ends as a table does.
    pub(super) fn is_at(path: &Path) -> bool {
        path.is_file()
            && File::open(path)
                .is_ok_and(|mut file| is_magic(&mut file, 0) && is_magic(&mut file, -MAGIC_LEN))
    }

    /// Returns the column with this name; without a name `url`, `uri`, or the only column of
    /// strings.
    ///
    /// # Errors
    /// No column has this name, or none can be chosen; the message has the names of the columns.
    fn column(&self, name: Option<&str>) -> io::Result<StringColumn> {
        let columns = column::columns(self.0.metadata());
        let named = |wanted: &str| {
            let mut columns = columns.iter();
            columns.find(|column| column.name == wanted || column.path == wanted)
        };
        let mut texts: Vec<&StringColumn> = columns.iter().filter(|c| c.is_text).collect();
        if texts.is_empty() {
            texts = columns.iter().collect();
        }
        let found = match (name, &texts[..]) {
            (Some(name), _) => named(name),
            (None, [only]) => COLUMNS.iter().find_map(|name| named(name)).or(Some(*only)),
            (None, _) => COLUMNS.iter().find_map(|name| named(name)),
        };
        found.cloned().ok_or_else(|| {
            let names: Vec<String> = columns.iter().map(|c| format!("{:?}", c.name)).collect();
            let lacks = match name {
                Some(name) => format!("no column {name:?} of strings"),
                None => "no column \"url\" or \"uri\"; name one with --field".to_owned(),
            };
            let columns = match names.is_empty() {
                true => "there are no columns of strings".to_owned(),
                false => format!("the columns of strings are {}", names.join(", ")),
            };
            invalid(format!("{lacks}; {columns}"))
        })
    }

    /// Returns the reader of a column, one value a line; [`ParquetFile::column`] chooses it.
    ///
    /// # Errors
    /// The column cannot be chosen.
    pub(super) fn lines(self, name: Option<&str>) -> io::Result<ParquetText<ParquetLines>> {
        let column = self.column(name)?.number;
        Ok(ParquetLines::text(self.0, column, false))
    }

    /// Returns the column by which rows are equal; [`ParquetFile::column`] chooses it.
    ///
    /// # Errors
    /// The column cannot be chosen, or its rows may have several values.
    fn key_column(&self, name: Option<&str>) -> io::Result<usize> {
        let column = self.column(name)?;
        let cause = "rows have several values in it, and are not equal by one of them";
        match column.repeats {
            true => Err(invalid(format!("the column {:?}: {cause}", column.name))),
            false => Ok(column.number),
        }
    }

    /// Returns the rows as objects, with the names that records of JSON have; values that are
    /// absent are left out.
    ///
    /// # Errors
    /// The file is damaged.
    pub(super) fn rows(self) -> io::Result<impl Iterator<Item = io::Result<Map<String, Value>>>> {
        let rows = self.0.into_iter();
        Ok(rows.map(|row| {
            let row = row.map_err(io::Error::other)?;
            let columns = row.get_column_iter();
            let named = columns.filter_map(|(name, value)| {
                let renamed = RENAMED.iter().find(|(column, _)| column == name);
                let name = renamed.map_or(&**name, |(_, key)| key);
                Some((name.to_owned(), value_of(value)?))
            });
            Ok(named.collect())
        }))
    }

    /// Returns the reader of all columns of strings, as CSV.
    pub(super) fn csv(self) -> ParquetText<ParquetCsv> {
        let columns = column::columns(self.0.metadata());
        ParquetCsv::text(self.0, columns)
    }
}

/// Returns a cell of a table that is a text, a whole number or a flag.
fn value_of(field: &Field) -> Option<Value> {
    Some(match field {
        Field::Str(text) => Value::from(text.as_str()),
        Field::Bool(flag) => Value::from(*flag),
        Field::Int(number) => Value::from(*number),
        Field::Long(number) => Value::from(*number),
        Field::UInt(number) => Value::from(*number),
        Field::ULong(number) => Value::from(*number),
        _ => return None,
    })
}

/// Whether the name of a file says that it is a table.
pub(super) fn has_table_name(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    EXTENSIONS
        .iter()
        .any(|name| extension.eq_ignore_ascii_case(name))
}

/// Returns a file as the source of a search: a table of Parquet as CSV, every other file as it is.
pub(super) fn source(path: PathBuf) -> Source<'static> {
    if !ParquetFile::is_at(&path) {
        return Source::Path(path);
    }
    match ParquetFile::open(&path) {
        Ok(Some(table)) => Source::ReaderLike(PathBuf::from("table.csv"), Box::new(table.csv())),
        Ok(None) => Source::Path(path),
        Err(cause) => Source::Failed(cause),
    }
}

/// Returns a file as the source of a list: a column of a table of Parquet as lines, every other
/// file as it is.
pub(super) fn list_source(path: PathBuf, column: Option<&str>) -> Source<'static> {
    if !ParquetFile::is_at(&path) {
        return Source::Path(path);
    }
    let table = ParquetFile::open(&path);
    match table.and_then(|table| table.map(|table| table.lines(column)).transpose()) {
        Ok(Some(lines)) => Source::Reader(Box::new(lines)),
        Ok(None) => Source::Path(path),
        Err(cause) => Source::Failed(cause),
    }
}

/// Returns a table as the source of a list of records: of each row the cell of the column by
/// which rows are equal, as a line of CSV.
pub(super) fn row_source(path: &Path, column: Option<&str>) -> Source<'static> {
    let lines = ParquetFile::open_table(path).and_then(|table| {
        let column = table.key_column(column)?;
        Ok(ParquetLines::text(table.0, column, true))
    });
    match lines {
        Ok(lines) => Source::Reader(Box::new(lines)),
        Err(cause) => Source::Failed(cause),
    }
}

/// Returns the error of a table that has this cause.
fn invalid(cause: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, cause.into())
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
