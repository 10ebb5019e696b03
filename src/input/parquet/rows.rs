//! Rows of tables, copied with all their columns (C10): the schema and its metadata, values,
//! NULLs and nesting stay as they are. A table is read again at the end of the run, only the
//! groups of rows that have any to copy.

use super::ParquetTable;
use super::invalid::invalid;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::column::writer::{ColumnWriter, ColumnWriterImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnDescriptor;
use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The number of rows that are copied at a time.
const STEP: usize = 1024;

/// Rows of tables that are to be copied.
///
/// ```no_run
/// use std::path::Path;
/// use urisieve::input::RowCopy;
/// let table = Path::new("pages.parquet");
/// let mut copy = RowCopy::of(&[table], None)?;
/// copy.keep(0, || table.to_owned(), 2);
/// let mut third = Vec::new();
/// copy.write(&mut |bytes| Ok(third.extend_from_slice(bytes)))?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct RowCopy {
    /// A table whose schema all have.
    first: PathBuf,
    /// The rows of each input.
    kept: Vec<KeptRows>,
}

/// The rows of one table.
#[derive(Clone)]
struct KeptRows {
    input: usize,
    path: PathBuf,
    rows: RowSet,
}

impl fmt::Debug for RowCopy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut shown = f.debug_struct("RowCopy");
        shown.field("first", &self.first).finish_non_exhaustive()
    }
}

/// Numbers of rows, a bit each.
#[derive(Clone, Default)]
struct RowSet(Vec<u64>);

impl RowSet {
    fn add(&mut self, row: u64) {
        let word = (row / 64) as usize;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (row % 64);
    }

    fn has(&self, row: u64) -> bool {
        let word = self.0.get((row / 64) as usize);
        word.is_some_and(|word| word & 1 << (row % 64) != 0)
    }
}

impl RowCopy {
    /// Prepares the copy of rows of `tables`, which are equal by the `column` with this name, or
    /// the one that [`ParquetTable::lines`] chooses.
    ///
    /// # Errors
    /// There is no table, a file is not a table, it lacks such a column, or its columns differ from
    /// those of the first.
    ///
    /// ```
    /// use urisieve::input::RowCopy;
    /// let none: [&std::path::Path; 0] = [];
    /// assert!(RowCopy::of(&none, None).is_err());
    /// ```
    pub fn of<P: AsRef<Path>>(tables: &[P], column: Option<&str>) -> io::Result<RowCopy> {
        let opened = tables.iter().map(|path| {
            let path = path.as_ref();
            let table = open(path)?;
            table
                .key_column(column)
                .map_err(|cause| of_file(path, &cause))?;
            Ok((path, table.0))
        });
        let mut opened = opened.collect::<io::Result<Vec<_>>>()?.into_iter();
        let Some((first, reader)) = opened.next() else {
            return Err(invalid("rows are copied from tables of Parquet; name one"));
        };
        let schema = |reader: &SerializedFileReader<File>| {
            let about = reader.metadata().file_metadata();
            about.schema_descr().root_schema_ptr()
        };
        let wanted = schema(&reader);
        match opened.find(|(_, reader)| schema(reader).get_fields() != wanted.get_fields()) {
            Some((other, _)) => {
                let cause = "its columns are not those of";
                let cause = format!("{cause} {}; give it a run of its own", first.display());
                Err(of_file(other, &cause))
            }
            None => Ok(RowCopy {
                first: first.to_owned(),
                kept: Vec::new(),
            }),
        }
    }

    /// Keeps a row, counted from 0, of the table that is this input; `path` is asked for once.
    /// Inputs come in order.
    ///
    /// ```no_run
    /// # let mut copy = urisieve::input::RowCopy::of(&["pages.parquet"], None)?;
    /// copy.keep(0, || "pages.parquet".into(), 7);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn keep(&mut self, input: usize, path: impl FnOnce() -> PathBuf, row: u64) {
        if self.kept.last().is_none_or(|last| last.input != input) {
            self.kept.push(KeptRows {
                input,
                path: path(),
                rows: RowSet::default(),
            });
        }
        if let Some(kept) = self.kept.last_mut() {
            kept.rows.add(row);
        }
    }

    /// Passes the bytes of a table of the kept rows to `give`.
    ///
    /// # Errors
    /// A table cannot be read again, or the errors of `give`.
    ///
    /// ```no_run
    /// # let copy = urisieve::input::RowCopy::of(&["pages.parquet"], None)?;
    /// copy.write(&mut |bytes| Ok(println!("{} bytes", bytes.len())))?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn write(&self, give: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut writer = writer_like(&open(&self.first)?.0).map_err(io::Error::other)?;
        let mut give = |writer: &mut SerializedFileWriter<Vec<u8>>| {
            let given = give(writer.inner_mut());
            writer.inner_mut().clear();
            given
        };
        for kept in &self.kept {
            let reader = open(&kept.path)?.0;
            let mut from = 0;
            for number in 0..reader.num_row_groups() {
                let group = reader.get_row_group(number);
                let group = group.map_err(|error| of_file(&kept.path, &error))?;
                let len = u64::try_from(group.metadata().num_rows()).unwrap_or_default();
                let range = from..from + len;
                from = range.end;
                if range.clone().any(|row| kept.rows.has(row)) {
                    let copied = copy_group(&*group, &kept.rows, range, &mut writer);
                    copied.map_err(|error| of_file(&kept.path, &error))?;
                    give(&mut writer)?;
                }
            }
        }
        writer.finish().map_err(io::Error::other)?;
        give(&mut writer)
    }
}

/// Opens a table whose rows are copied.
fn open(path: &Path) -> io::Result<ParquetTable> {
    let table = ParquetTable::open(path).map_err(|cause| of_file(path, &cause))?;
    table.ok_or_else(|| of_file(path, &"no table of Parquet, of which rows are copied"))
}

/// Returns the error of a file.
fn of_file(path: &Path, cause: &dyn fmt::Display) -> io::Error {
    invalid(format!("{}: {cause}", path.display()))
}

/// Returns a writer of a table with the schema, the metadata and the codecs of another one.
fn writer_like(
    table: &SerializedFileReader<File>,
) -> Result<SerializedFileWriter<Vec<u8>>, ParquetError> {
    let about = table.metadata();
    let file = about.file_metadata();
    let mut properties =
        WriterProperties::builder().set_key_value_metadata(file.key_value_metadata().cloned());
    for column in about.row_groups().first().iter().flat_map(|g| g.columns()) {
        properties =
            properties.set_column_compression(column.column_path().clone(), column.compression());
    }
    let schema = file.schema_descr().root_schema_ptr();
    SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties.build()))
}

/// Copies the `kept` rows of a group, whose rows have the numbers in `range`.
fn copy_group(
    group: &dyn RowGroupReader,
    kept: &RowSet,
    range: Range<u64>,
    out: &mut SerializedFileWriter<Vec<u8>>,
) -> Result<(), ParquetError> {
    let mut out = out.next_row_group()?;
    for number in 0..group.num_columns() {
        let about = group.metadata().column(number).column_descr_ptr();
        let rows = ColumnRows {
            about: &about,
            kept,
            range: range.clone(),
        };
        let reader = group.get_column_reader(number)?;
        let Some(mut writer) = out.next_column()? else {
            return Err(ParquetError::General("a column is missing".to_owned()));
        };
        macro_rules! copy {
            ($($of:ident => $to:ident)*) => {
                match (reader, writer.untyped()) {
                    $((ColumnReader::$of(reader), ColumnWriter::$to(writer)) => {
                        rows.copy(reader, writer)
                    })*
                    _ => Err(ParquetError::General("a column of another type".to_owned())),
                }
            };
        }
        copy! {
            BoolColumnReader => BoolColumnWriter
            Int32ColumnReader => Int32ColumnWriter
            Int64ColumnReader => Int64ColumnWriter
            Int96ColumnReader => Int96ColumnWriter
            FloatColumnReader => FloatColumnWriter
            DoubleColumnReader => DoubleColumnWriter
            ByteArrayColumnReader => ByteArrayColumnWriter
            FixedLenByteArrayColumnReader => FixedLenByteArrayColumnWriter
        }?;
        writer.close()?;
    }
    out.close()?;
    Ok(())
}

/// The rows of a column that are copied.
struct ColumnRows<'r> {
    about: &'r ColumnDescriptor,
    kept: &'r RowSet,
    range: Range<u64>,
}

impl ColumnRows<'_> {
    fn copy<T: DataType>(
        &self,
        mut reader: ColumnReaderImpl<T>,
        writer: &mut ColumnWriterImpl<'_, T>,
    ) -> Result<(), ParquetError> {
        let defined = self.about.max_def_level();
        let repeats = self.about.max_rep_level() > 0;
        let (mut values, mut definitions, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
        let mut row = self.range.start;
        while row < self.range.end {
            values.clear();
            definitions.clear();
            repetitions.clear();
            let (rows, _, _) = reader.read_records(
                STEP,
                (defined > 0).then_some(&mut definitions),
                repeats.then_some(&mut repetitions),
                &mut values,
            )?;
            if rows == 0 {
                let cause = "a column has fewer rows than its group";
                return Err(ParquetError::General(cause.to_owned()));
            }
            let mut kept = (Vec::new(), Vec::new(), Vec::new());
            let (mut level, mut value) = (0, 0);
            for number in row..row + rows as u64 {
                // A row goes on as long as its levels repeat.
                let after = repetitions.get(level + 1..).unwrap_or_default();
                let more = after.iter().position(|repetition| *repetition == 0);
                let more = if repeats {
                    more.unwrap_or(after.len())
                } else {
                    0
                };
                let levels = level..level + 1 + more;
                let of_row: &[i16] = definitions.get(levels.clone()).unwrap_or_default();
                let count = match defined {
                    0 => 1,
                    _ => of_row.iter().filter(|level| **level == defined).count(),
                };
                if self.kept.has(number) {
                    kept.0
                        .extend_from_slice(values.get(value..value + count).unwrap_or_default());
                    kept.1.extend_from_slice(of_row);
                    let of_row = repetitions.get(levels.clone()).unwrap_or_default();
                    kept.2.extend_from_slice(of_row);
                }
                (level, value) = (levels.end, value + count);
            }
            let (values, definitions, repetitions) = &kept;
            writer.write_batch(
                values,
                (defined > 0).then_some(definitions),
                repeats.then_some(repetitions),
            )?;
            row += rows as u64;
        }
        Ok(())
    }
}
