//! Tables of Apache Parquet as inputs: the first row has the names of the columns. A file is read
//! group by group, only the columns that are needed: columns of strings as CSV, or one of
//! them, a value a line. Rows can be copied.

mod cells;
mod column;
mod csv_text;
mod invalid;
mod lines;
mod rows;
mod text;

pub use rows::RowCopy;

use column::StringColumn;
use csv_text::ParquetCsv;
use invalid::invalid;
use lines::ParquetLines;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The names of the column that holds the URIs of a table, in order of preference.
const COLUMNS: [&str; 2] = ["url", "uri"];
/// A Parquet file begins and ends with this.
pub(crate) const PARQUET_MAGIC: &[u8] = b"PAR1";
const MAGIC_LEN: i64 = PARQUET_MAGIC.len() as i64;
/// The extensions of such files.
const EXTENSIONS: [&str; 2] = ["parquet", "pq"];

/// A table of Parquet in a file.
///
/// ```no_run
/// use std::path::Path;
/// use urisieve::input::ParquetTable;
/// if let Some(table) = ParquetTable::open(Path::new("pages.parquet"))? {
///     println!("{}", std::io::read_to_string(table.lines(Some("url"))?)?);
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct ParquetTable(SerializedFileReader<File>);

impl fmt::Debug for ParquetTable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let rows = self.0.metadata().file_metadata().num_rows();
        let mut shown = f.debug_struct("ParquetTable");
        shown.field("rows", &rows).finish_non_exhaustive()
    }
}

impl ParquetTable {
    /// Opens the table in a file; returns `None` when the file is not Parquet. One whose name
    /// says that it is, or of which only one end is that of a table, is damaged.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    ///
    /// ```
    /// use urisieve::input::ParquetTable;
    /// assert!(ParquetTable::open("no/such/file.parquet".as_ref()).is_err());
    /// ```
    pub fn open(path: &Path) -> io::Result<Option<ParquetTable>> {
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
        Ok(Some(ParquetTable(reader)))
    }

    /// Whether a file begins and ends as a table does.
    ///
    /// ```
    /// use urisieve::input::ParquetTable;
    /// assert!(!ParquetTable::is_at("no/such/file.parquet".as_ref()));
    /// ```
    pub fn is_at(path: &Path) -> bool {
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

    /// Returns the reader of a column, one value a line and an empty line for NULL: of the one
    /// with this name, which may be a path (`links.url`); without a name of `url`, `uri`, or the
    /// only column of strings.
    ///
    /// # Errors
    /// No column has this name, or none can be chosen; the message has the names of the columns.
    ///
    /// ```no_run
    /// use urisieve::input::ParquetTable;
    /// let table = ParquetTable::open("pages.parquet".as_ref())?;
    /// let lines = table.map(|table| table.lines(None)).transpose()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn lines(self, name: Option<&str>) -> io::Result<Box<dyn Read + Send>> {
        let column = self.column(name)?.number;
        Ok(Box::new(ParquetLines::text(self.0, column, false)))
    }

    /// Returns the reader of a column of single values as CSV without a header, in which each
    /// row is a line; the column is chosen as that of [`ParquetTable::lines`].
    ///
    /// # Errors
    /// The column cannot be chosen, or its rows may have several values.
    ///
    /// ```no_run
    /// use urisieve::input::ParquetTable;
    /// let table = ParquetTable::open("pages.parquet".as_ref())?;
    /// let cells = table.map(|table| table.cells(Some("url"))).transpose()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn cells(self, name: Option<&str>) -> io::Result<Box<dyn Read + Send>> {
        let column = self.key_column(name)?;
        Ok(Box::new(ParquetLines::text(self.0, column, true)))
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

    /// Returns the reader of all columns of strings, as CSV with a header. A row of a column
    /// that has several values has each in a line of its cell.
    ///
    /// ```no_run
    /// use urisieve::input::ParquetTable;
    /// if let Some(table) = ParquetTable::open("pages.parquet".as_ref())? {
    ///     std::io::copy(&mut table.csv(), &mut std::io::stdout())?;
    /// }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn csv(self) -> Box<dyn Read + Send> {
        self.csv_of(|_| None)
    }

    /// Returns the reader of the columns of strings that `choose` returns the numbers of, given
    /// their names, as [`ParquetTable::csv`] returns that of all; without numbers all are read.
    pub(crate) fn csv_of(
        self,
        choose: impl FnOnce(&[&str]) -> Option<Vec<usize>>,
    ) -> Box<dyn Read + Send> {
        let mut columns = column::columns(self.0.metadata());
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        if let Some(chosen) = choose(&names) {
            let mut numbers = 0..;
            columns.retain(|_| {
                numbers
                    .next()
                    .is_some_and(|number| chosen.contains(&number))
            });
        }
        Box::new(ParquetCsv::text(self.0, columns))
    }
}

/// Whether the name of a file says that it is a table.
fn has_table_name(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    EXTENSIONS
        .iter()
        .any(|name| extension.eq_ignore_ascii_case(name))
}

/// Whether the bytes that follow the magic number are not text.
fn is_binary(path: &Path) -> bool {
    let mut head = [0; 2 * PARQUET_MAGIC.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    let is_binary = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    read.is_ok() && head[PARQUET_MAGIC.len()..].iter().any(is_binary)
}

/// Whether the magic number is at this offset of a file, or before its end if the offset is
/// negative.
fn is_magic(file: &mut File, offset: i64) -> bool {
    let from = match u64::try_from(offset) {
        Ok(offset) => SeekFrom::Start(offset),
        Err(_) => SeekFrom::End(offset),
    };
    let mut magic = [0; PARQUET_MAGIC.len()];
    let read = file.seek(from).and_then(|_| file.read_exact(&mut magic));
    read.is_ok() && magic == *PARQUET_MAGIC
}
