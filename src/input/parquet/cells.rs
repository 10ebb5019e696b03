//! The cells of a column: the values of each row, by the levels of Parquet. A row of a nested
//! column may have no value or many.

use super::invalid::invalid;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::reader::RowGroupReader;
use std::io;

/// The number of rows that are read at a time.
pub(super) const STEP: usize = 1024;

/// A column of a group of rows.
pub(super) struct Cells {
    reader: ColumnReaderImpl<ByteArrayType>,
    /// The level of a value that is there.
    defined: i16,
    /// Whether a row may have more than one value.
    repeats: bool,
    values: Vec<ByteArray>,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
    /// The number of rows in the buffers.
    rows: usize,
    /// The next level and the next value.
    level: usize,
    value: usize,
}

impl Cells {
    /// Opens a column of strings.
    ///
    /// # Errors
    /// The group is damaged, or the column has no strings.
    pub(super) fn open(group: &dyn RowGroupReader, column: usize) -> io::Result<Cells> {
        let about = group.metadata().column(column).column_descr_ptr();
        let reader = group.get_column_reader(column);
        let ColumnReader::ByteArrayColumnReader(reader) = reader.map_err(io::Error::other)? else {
            let cause = "the column does not contain text";
            return Err(invalid(cause));
        };
        Ok(Cells {
            reader,
            defined: about.max_def_level(),
            repeats: about.max_rep_level() > 0,
            values: Vec::with_capacity(STEP),
            definitions: Vec::with_capacity(STEP),
            repetitions: Vec::new(),
            rows: 0,
            level: 0,
            value: 0,
        })
    }

    /// Reads the next rows; returns their number, 0 after the last one.
    pub(super) fn read(&mut self) -> io::Result<usize> {
        self.values.clear();
        self.definitions.clear();
        self.repetitions.clear();
        (self.level, self.value) = (0, 0);
        let definitions = (self.defined > 0).then_some(&mut self.definitions);
        let repetitions = self.repeats.then_some(&mut self.repetitions);
        let read = self
            .reader
            .read_records(STEP, definitions, repetitions, &mut self.values);
        let (rows, _, _) = read.map_err(io::Error::other)?;
        self.rows = rows;
        Ok(rows)
    }

    /// Calls `each` with the values of the next row, if there are any.
    pub(super) fn row(&mut self, mut each: impl FnMut(&[u8])) {
        let first = self.level;
        loop {
            let is_next = self.repetitions.get(self.level) == Some(&0) || !self.repeats;
            if self.level > first && is_next || self.repeats && self.level >= self.repetitions.len()
            {
                return;
            }
            let level = self.definitions.get(self.level);
            self.level += 1;
            if level.is_none_or(|level| *level == self.defined)
                && let Some(value) = self.values.get(self.value)
            {
                self.value += 1;
                each(value.data());
            }
        }
    }
}
