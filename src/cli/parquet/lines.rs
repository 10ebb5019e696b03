//! One column of a table, one value a line: an empty line where there is none.

use super::cells::Cells;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::io::{self, Read};

/// Reads a column as lines.
pub(in crate::cli) struct ParquetLines {
    reader: SerializedFileReader<File>,
    column: usize,
    /// The group of rows that is read next.
    group: usize,
    cells: Option<Cells>,
    lines: Vec<u8>,
    /// The number of bytes of `lines` that were returned.
    at: usize,
}

impl ParquetLines {
    pub(super) fn new(reader: SerializedFileReader<File>, column: usize) -> ParquetLines {
        ParquetLines {
            reader,
            column,
            group: 0,
            cells: None,
            lines: Vec::new(),
            at: 0,
        }
    }

    /// Reads the next rows. Returns false after the last one.
    fn fill(&mut self) -> io::Result<bool> {
        self.lines.clear();
        self.at = 0;
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
            let before = self.lines.len();
            cells.row(|value| {
                // No URI has a line break, and a value is one line.
                let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
                let text = value
                    .iter()
                    .map(|byte| if is_break(byte) { b' ' } else { *byte });
                self.lines.extend(text);
                self.lines.push(b'\n');
            });
            if self.lines.len() == before {
                self.lines.push(b'\n');
            }
        }
        Ok(true)
    }
}

impl Read for ParquetLines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.lines.len() {
            if !self.fill()? {
                return Ok(0);
            }
        }
        let len = (&self.lines[self.at..]).read(buffer)?;
        self.at += len;
        Ok(len)
    }
}
