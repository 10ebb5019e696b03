//! One column of a table, one value a line, as it is or as CSV; a row without a value is an empty
//! line.

use super::cells::Cells;
use super::csv_text::{begin_cell, push_quoted};
use super::text::{ParquetText, TableText};
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::io;

/// Reads a column as lines.
pub(super) struct ParquetLines {
    reader: SerializedFileReader<File>,
    column: usize,
    /// Whether the lines are those of CSV.
    is_csv: bool,
    /// The group of rows that is read next.
    group: usize,
    cells: Option<Cells>,
}

impl ParquetLines {
    pub(super) fn text(
        reader: SerializedFileReader<File>,
        column: usize,
        is_csv: bool,
    ) -> ParquetText<ParquetLines> {
        let lines = ParquetLines {
            reader,
            column,
            is_csv,
            group: 0,
            cells: None,
        };
        ParquetText::new(lines, Vec::new())
    }
}

impl TableText for ParquetLines {
    fn append(&mut self, lines: &mut Vec<u8>) -> io::Result<bool> {
        let Some(cells) = &mut self.cells else {
            if self.group == self.reader.num_row_groups() {
                return Ok(false);
            }
            let group = self.reader.get_row_group(self.group);
            self.group += 1;
            let group = group.map_err(io::Error::other)?;
            self.cells = Some(Cells::open(&*group, self.column)?);
            return Ok(true);
        };
        let rows = cells.read()?;
        if rows == 0 {
            self.cells = None;
            return Ok(true);
        }
        for _ in 0..rows {
            let before = lines.len();
            cells.row(|value| {
                let from = lines.len();
                match self.is_csv {
                    true => {
                        begin_cell(0, lines);
                        push_quoted(value, lines);
                        lines.push(b'"');
                    }
                    false => lines.extend_from_slice(value),
                }
                // No URI has a line break, and a value is one line.
                let is_break = |byte: &&mut u8| matches!(byte, b'\n' | b'\r');
                lines[from..]
                    .iter_mut()
                    .filter(is_break)
                    .for_each(|byte| *byte = b' ');
                lines.push(b'\n');
            });
            if lines.len() == before {
                lines.extend_from_slice(if self.is_csv { b"\"\"\n" } else { b"\n" });
            }
        }
        Ok(true)
    }
}
