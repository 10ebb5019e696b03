//! Writes a table of Apache Parquet. Rows are kept until a group of them is full, then
//! returned as bytes, so the memory does not grow with the number of rows, apart from
//! the footer: some kilobytes for each group.

use crate::output::form::FormError;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type, TypePtr};
use std::fmt;
use std::sync::Arc;

/// The most rows of a group.
pub(super) const ROWS: usize = 122_880;
/// The most bytes of text of a group, except for its last row; fewer may be set.
pub(super) const BYTES: usize = 16 << 20;
/// Values that are passed to the writer at a time.
pub(super) const STEP: usize = 1024;

/// A table that is being written: rows of cells, whose columns are known only when the program
/// runs.
///
/// ```
/// use urisieve::output::{Cell, ColumnShape, ColumnType, Table};
/// let url = ColumnShape { name: "url", kind: ColumnType::Text, nullable: false };
/// let count = ColumnShape { name: "count", kind: ColumnType::Int64, nullable: true };
/// let (mut table, mut out) = (Table::new(&[url, count])?, Vec::new());
/// table.begin(&mut out);
/// table.push(0, Cell::Text(b"urn:a-b:c"));
/// table.push(1, Cell::Null);
/// table.end_row(&mut out);
/// table.finish(&mut out)?;
/// assert!(out.starts_with(b"PAR1") && out.ends_with(b"PAR1"));
/// # Ok::<(), urisieve::output::FormError>(())
/// ```
pub struct Table {
    /// Writes into a buffer that is emptied after each group.
    writer: SerializedFileWriter<Vec<u8>>,
    columns: Vec<ColumnValues>,
    pub(super) rows: usize,
    /// The bytes of text in the columns.
    pub(super) bytes: usize,
    /// The most rows of a group, and the most bytes of text.
    most: (usize, usize),
    /// The error that prevents further groups.
    failed: Option<FormError>,
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut shown = f.debug_struct("Table");
        shown.field("rows", &self.rows).finish_non_exhaustive()
    }
}

/// The name and type of a column.
///
/// ```
/// use urisieve::output::{ColumnShape, ColumnType};
/// let shape = ColumnShape { name: "a", kind: ColumnType::Flag, nullable: true };
/// assert!(shape.nullable);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnShape<'n> {
    /// The name.
    pub name: &'n str,
    /// The type of its values.
    pub kind: ColumnType,
    /// Whether rows may lack a value.
    pub nullable: bool,
}

/// The type of the values of a column.
///
/// ```
/// use urisieve::output::ColumnType;
/// assert_ne!(ColumnType::Text, ColumnType::Word);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Text that seldom repeats.
    Text,
    /// Text that often repeats, kept in a dictionary.
    Word,
    /// Numbers of 32 bits.
    Int32,
    /// Numbers of 64 bits.
    Int64,
    /// True or no value.
    Flag,
}

/// The values of a column in the current group.
struct ColumnValues {
    nullable: bool,
    values: Values,
    /// For each row up to the last one with a value 1 if it has one, otherwise 0, where rows
    /// may lack it.
    levels: Vec<i16>,
}

enum Values {
    /// Texts one after the other, and the end of each.
    Text(Vec<u8>, Vec<usize>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Flags(Vec<bool>),
}

/// A value of a row.
///
/// ```
/// use urisieve::output::Cell;
/// assert_ne!(Cell::Int32(1), Cell::Int64(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell<'v> {
    /// No value.
    Null,
    /// Text in UTF-8; other bytes become U+FFFD.
    Text(&'v [u8]),
    /// A number of 32 bits.
    Int32(i32),
    /// A number of 64 bits.
    Int64(i64),
    /// True.
    Set,
}

impl Table {
    /// Creates a table without rows, compressed with zstd.
    ///
    /// # Errors
    /// Why the columns are none of a table.
    ///
    /// ```
    /// # drop(urisieve::output::Table::new(&[]));
    /// ```
    pub fn new(shapes: &[ColumnShape]) -> Result<Table, FormError> {
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            // Readers should unpack only one page of a group at a time.
            .set_data_page_size_limit(1 << 20);
        for &ColumnShape { name, kind, .. } in shapes {
            properties = properties
                .set_column_dictionary_enabled(ColumnPath::from(name), kind != ColumnType::Text);
        }
        let schema = schema(shapes).map_err(failure)?;
        let writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties.build()));
        let column = |&ColumnShape { kind, nullable, .. }: &ColumnShape| ColumnValues {
            nullable,
            values: match kind {
                ColumnType::Text | ColumnType::Word => Values::Text(Vec::new(), Vec::new()),
                ColumnType::Int32 => Values::Int32(Vec::new()),
                ColumnType::Int64 => Values::Int64(Vec::new()),
                ColumnType::Flag => Values::Flags(Vec::new()),
            },
            levels: Vec::new(),
        };
        Ok(Table {
            writer: writer.map_err(failure)?,
            columns: shapes.iter().map(column).collect(),
            rows: 0,
            bytes: 0,
            most: (ROWS, BYTES),
            failed: None,
        })
    }

    /// Sets the most bytes of text of a group, which is held in memory; default 16 MiB. Smaller
    /// groups also have fewer rows.
    ///
    /// ```
    /// # drop(urisieve::output::Table::new(&[]).map(|mut table| table.groups_of(1 << 20)));
    /// ```
    pub fn groups_of(&mut self, bytes: usize) {
        let rows = (ROWS as u64).saturating_mul(bytes as u64) / BYTES as u64;
        self.most = (rows.clamp(1, ROWS as u64) as usize, bytes);
    }

    /// Writes the start of the file.
    ///
    /// ```
    /// let (mut table, mut out) = (urisieve::output::Table::new(&[])?, Vec::new());
    /// table.begin(&mut out);
    /// table.finish(&mut out)?;
    /// assert!(out.starts_with(b"PAR1"));
    /// # Ok::<(), urisieve::output::FormError>(())
    /// ```
    pub fn begin(&mut self, out: &mut Vec<u8>) {
        out.append(self.writer.inner_mut());
    }

    /// Sets the next row's value of a column. A value of another type is a missing one, as
    /// a column is that has none.
    ///
    /// ```
    /// use urisieve::output::{Cell, ColumnShape, ColumnType, Table};
    /// let shape = ColumnShape { name: "n", kind: ColumnType::Int32, nullable: true };
    /// let mut table = Table::new(&[shape])?;
    /// table.push(0, Cell::Int32(7));
    /// # Ok::<(), urisieve::output::FormError>(())
    /// ```
    pub fn push(&mut self, column: usize, cell: Cell) {
        self.bytes += self.columns[column].push(cell, self.rows);
    }

    /// Ends a row; may write a full group.
    ///
    /// ```
    /// let (mut table, mut out) = (urisieve::output::Table::new(&[])?, Vec::new());
    /// table.end_row(&mut out);
    /// # Ok::<(), urisieve::output::FormError>(())
    /// ```
    pub fn end_row(&mut self, out: &mut Vec<u8>) {
        self.rows += 1;
        if self.rows >= self.most.0 || self.bytes >= self.most.1 {
            self.write_rows(out);
        }
    }

    /// Writes the last rows and the footer.
    ///
    /// # Errors
    /// Why a group could not be written.
    ///
    /// ```
    /// let (mut table, mut out) = (urisieve::output::Table::new(&[])?, Vec::new());
    /// table.begin(&mut out);
    /// table.finish(&mut out)?;
    /// assert!(out.ends_with(b"PAR1"));
    /// # Ok::<(), urisieve::output::FormError>(())
    /// ```
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), FormError> {
        self.write_rows(out);
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        self.writer.finish().map_err(failure)?;
        out.append(self.writer.inner_mut());
        Ok(())
    }

    /// Writes the rows as a group, and returns the bytes.
    fn write_rows(&mut self, out: &mut Vec<u8>) {
        if self.rows > 0
            && self.failed.is_none()
            && let Err(error) = self.write_group_of_rows()
        {
            self.failed = Some(failure(error));
        }
        self.columns.iter_mut().for_each(ColumnValues::clear);
        (self.rows, self.bytes) = (0, 0);
        out.append(self.writer.inner_mut());
    }

    fn write_group_of_rows(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for column in &mut self.columns {
            if let Some(mut writer) = group.next_column()? {
                column.write(self.rows, writer.untyped())?;
                writer.close()?;
            }
        }
        group.close()?;
        Ok(())
    }
}

fn failure(error: ParquetError) -> FormError {
    FormError::new(error.to_string())
}

fn schema(shapes: &[ColumnShape]) -> Result<TypePtr, ParquetError> {
    let field = |&ColumnShape {
                     name,
                     kind,
                     nullable,
                 }: &ColumnShape|
     -> Result<TypePtr, ParquetError> {
        let (physical, logical) = match kind {
            ColumnType::Text | ColumnType::Word => {
                (Physical::BYTE_ARRAY, Some(LogicalType::String))
            }
            ColumnType::Int32 => (Physical::INT32, None),
            ColumnType::Int64 => (Physical::INT64, None),
            ColumnType::Flag => (Physical::BOOLEAN, None),
        };
        let repetition = match nullable {
            true => Repetition::OPTIONAL,
            false => Repetition::REQUIRED,
        };
        let field = Type::primitive_type_builder(name, physical)
            .with_logical_type(logical)
            .with_repetition(repetition);
        Ok(Arc::new(field.build()?))
    };
    let fields = shapes.iter().map(field).collect::<Result<_, _>>()?;
    let group = Type::group_type_builder("urisieve").with_fields(fields);
    Ok(Arc::new(group.build()?))
}

impl ColumnValues {
    /// Sets the value of the row behind `rows`; returns the length of its text.
    fn push(&mut self, cell: Cell, rows: usize) -> usize {
        let mut len = 0;
        match (&mut self.values, cell) {
            (Values::Text(texts, ends), Cell::Text(text)) => {
                let from = texts.len();
                push_utf8(text, texts);
                ends.push(texts.len());
                len = texts.len() - from;
            }
            (Values::Int32(numbers), Cell::Int32(number)) => numbers.push(number),
            (Values::Int64(numbers), Cell::Int64(number)) => numbers.push(number),
            (Values::Flags(flags), Cell::Set) => flags.push(true),
            _ => return 0,
        }
        if self.nullable {
            self.levels.resize(rows, 0);
            self.levels.push(1);
        }
        len
    }

    fn clear(&mut self) {
        self.levels.clear();
        match &mut self.values {
            Values::Text(texts, ends) => {
                texts.clear();
                ends.clear();
            }
            Values::Int32(numbers) => numbers.clear(),
            Values::Int64(numbers) => numbers.clear(),
            Values::Flags(flags) => flags.clear(),
        }
    }

    /// Writes the values of this number of rows.
    fn write(&mut self, rows: usize, writer: &mut ColumnWriter) -> Result<(), ParquetError> {
        // Most columns have values in all rows or in none: without values no memory is
        // used.
        let none;
        let levels = match self.levels.is_empty() {
            true => {
                none = vec![0; rows];
                &none
            }
            false => {
                self.levels.resize(rows, 0);
                &self.levels
            }
        };
        let levels = self.nullable.then_some(&levels[..]);
        match (&mut self.values, writer) {
            (Values::Int32(numbers), ColumnWriter::Int32ColumnWriter(writer)) => {
                writer.write_batch(numbers, levels, None)?;
            }
            (Values::Int64(numbers), ColumnWriter::Int64ColumnWriter(writer)) => {
                writer.write_batch(numbers, levels, None)?;
            }
            (Values::Flags(flags), ColumnWriter::BoolColumnWriter(writer)) => {
                writer.write_batch(flags, levels, None)?;
            }
            (Values::Text(texts, ends), ColumnWriter::ByteArrayColumnWriter(writer)) => {
                let texts = ByteArray::from(std::mem::take(texts));
                let mut from = 0;
                let mut values = ends.iter().map(|&end| {
                    let text = texts.slice(from, end - from);
                    from = end;
                    text
                });
                let mut some = Vec::with_capacity(STEP);
                match levels {
                    Some(levels) => {
                        for levels in levels.chunks(STEP) {
                            let count = levels.iter().filter(|&&level| level == 1).count();
                            some.extend(values.by_ref().take(count));
                            writer.write_batch(&some, Some(levels), None)?;
                            some.clear();
                        }
                    }
                    None => loop {
                        some.extend(values.by_ref().take(STEP));
                        if some.is_empty() {
                            break;
                        }
                        writer.write_batch(&some, None, None)?;
                        some.clear();
                    },
                }
            }
            // The schema is made from the same table as the columns.
            _ => return Err(ParquetError::General("a column of another type".to_owned())),
        }
        Ok(())
    }
}

/// Appends `text`, U+FFFD where it is not UTF-8.
fn push_utf8(text: &[u8], out: &mut Vec<u8>) {
    match text.is_ascii() {
        true => out.extend_from_slice(text),
        false => out.extend_from_slice(String::from_utf8_lossy(text).as_bytes()),
    }
}
