//! Columns of strings of a table, as CSV (RFC 4180) with a header. A row of a nested column
//! that has several values has each in a line of its cell.

use super::cells::Cells;
use super::column::StringColumn;
use super::invalid::invalid;
use super::text::{ParquetText, TableText};
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::io;

/// Reads a table as CSV.
pub(super) struct ParquetCsv {
    reader: SerializedFileReader<File>,
    columns: Vec<StringColumn>,
    /// The group of rows that is read next.
    group: usize,
    cells: Vec<Cells>,
}

impl ParquetCsv {
    pub(super) fn text(
        reader: SerializedFileReader<File>,
        columns: Vec<StringColumn>,
    ) -> ParquetText<ParquetCsv> {
        let mut text = Vec::new();
        for (number, column) in columns.iter().enumerate() {
            begin_cell(number, &mut text);
            push_quoted(column.name.as_bytes(), &mut text);
            text.push(b'"');
        }
        text.extend_from_slice(b"\r\n");
        let rows = ParquetCsv {
            reader,
            columns,
            group: 0,
            cells: Vec::new(),
        };
        ParquetText::new(rows, text)
    }
}

impl TableText for ParquetCsv {
    fn append(&mut self, text: &mut Vec<u8>) -> io::Result<bool> {
        if self.columns.is_empty() {
            return Ok(false);
        }
        if self.cells.is_empty() {
            if self.group == self.reader.num_row_groups() {
                return Ok(false);
            }
            let group = self.reader.get_row_group(self.group);
            self.group += 1;
            let group = group.map_err(io::Error::other)?;
            let columns = self.columns.iter();
            let cells = columns.map(|column| Cells::open(&*group, column.number));
            self.cells = cells.collect::<io::Result<_>>()?;
            return Ok(true);
        }
        let mut rows = 0;
        for (number, cells) in self.cells.iter_mut().enumerate() {
            let read = cells.read()?;
            if number > 0 && read != rows {
                let cause = "the columns of the Parquet file have different numbers of rows";
                return Err(invalid(cause));
            }
            rows = read;
        }
        if rows == 0 {
            self.cells.clear();
        }
        for _ in 0..rows {
            for (number, cells) in self.cells.iter_mut().enumerate() {
                begin_cell(number, text);
                let start = text.len();
                cells.row(|value| {
                    if text.len() > start {
                        text.push(b'\n');
                    }
                    push_quoted(value, text);
                });
                text.push(b'"');
            }
            text.extend_from_slice(b"\r\n");
        }
        Ok(true)
    }
}

/// Begins the cell with this number in its row.
pub(super) fn begin_cell(number: usize, out: &mut Vec<u8>) {
    if number > 0 {
        out.push(b',');
    }
    out.push(b'"');
}

/// Appends a value, with its quotation marks doubled.
pub(super) fn push_quoted(value: &[u8], out: &mut Vec<u8>) {
    let mut parts = value.split(|byte| *byte == b'"');
    out.extend_from_slice(parts.next().unwrap_or_default());
    for part in parts {
        out.extend_from_slice(b"\"\"");
        out.extend_from_slice(part);
    }
}
