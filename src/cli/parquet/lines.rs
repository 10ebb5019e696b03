//! One column of a table, one value a line; a row without a value is an empty line.

use super::cells::Cells;
use super::text::{ParquetText, TableText};
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::io;

/// Reads a column as lines.
pub(in crate::cli) struct ParquetLines {
    reader: SerializedFileReader<File>,
    column: usize,
    /// The group of rows that is read next.
    group: usize,
    cells: Option<Cells>,
}

impl ParquetLines {
    pub(super) fn text(
        reader: SerializedFileReader<File>,
        column: usize,
    ) -> ParquetText<ParquetLines> {
        let lines = ParquetLines {
            reader,
            column,
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
                // No URI has a line break, and a value is one line.
                let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
                let text = value
                    .iter()
                    .map(|byte| if is_break(byte) { b' ' } else { *byte });
                lines.extend(text);
                lines.push(b'\n');
            });
            if lines.len() == before {
                lines.push(b'\n');
            }
        }
        Ok(true)
    }
}
