//! The table that rows are written to: its columns, its format, where it goes.

use super::flags::CatalogOutput;
use crate::cli::destination::FileCompression;
use crate::cli::destination::form;
use urisieve::output::{
    CellForm, OUTPUT_FORMATS, OutputFormat, OutputLayout, ParquetSheet, ReportSheet, Sheet,
    SheetColumn, Workbook,
};

/// Returns the format of the table and the compression of the file.
///
/// # Errors
/// A message that names the flag.
pub(super) fn format(
    output: &CatalogOutput,
) -> Result<(&'static OutputFormat, FileCompression), String> {
    let chosen = output.format.chosen();
    if output.is_workbook() {
        if chosen.is_some() || output.format.excel {
            return Err("--xlsx and -o NAME.xlsx: not with -f, --json and --excel".to_owned());
        }
        return Ok((OutputFormat::XLSX, FileCompression::None));
    }
    let has_rows = |format: &OutputFormat| format.has_cells() || format == OutputFormat::HTML;
    if chosen.is_some_and(|format| !has_rows(format)) {
        let formats = OUTPUT_FORMATS.iter().filter(|format| has_rows(format));
        let names = formats.map(|format| format.name.to_owned());
        return Err(format!("-f: {}", form::listed(names)));
    }
    let path = output.output.path();
    let (format, compression) = form::by_flags(path, chosen, OutputFormat::CSV)?;
    // A name without an extension, or one of a text.
    let format = match has_rows(format) {
        true => format,
        false => OutputFormat::CSV,
    };
    form::check_file(format, compression, output.format.excel)?;
    Ok((format, compression))
}

/// The form in which rows become bytes.
#[derive(Debug)]
pub(super) enum RowForm {
    /// Each on its own, by the worker that makes them.
    Text(Sheet),
    /// In an output as a whole, by the one who writes. Cells come with their lengths before them.
    Cells(Box<dyn CellForm>),
}

impl RowForm {
    /// Returns the form of rows with these columns.
    ///
    /// # Errors
    /// A message, when the form cannot be made.
    pub(super) fn new(
        format: &OutputFormat,
        columns: Vec<SheetColumn>,
        (excel, row_group): (bool, usize),
    ) -> Result<RowForm, String> {
        Ok(match format.layout {
            OutputLayout::Separated(separator) => {
                RowForm::Text(Sheet::separated(separator, columns).excel(excel))
            }
            OutputLayout::Columns => {
                let table = ParquetSheet::new(&columns).map_err(|error| error.to_string())?;
                RowForm::Cells(Box::new(table.groups_of(row_group)))
            }
            OutputLayout::Sheets => RowForm::Cells(Box::new(Workbook::new(columns))),
            OutputLayout::Document => RowForm::Cells(Box::new(ReportSheet::new(&columns))),
            _ => RowForm::Text(Sheet::json(columns)),
        })
    }

    pub(super) fn begin(&mut self, out: &mut Vec<u8>) {
        match self {
            RowForm::Text(sheet) => sheet.begin(out),
            RowForm::Cells(form) => form.begin(out),
        }
    }

    /// Returns how workers write rows.
    pub(super) fn row_writer(&self) -> RowWriter {
        match self {
            RowForm::Text(sheet) => RowWriter::Text(sheet.clone()),
            RowForm::Cells(_) => RowWriter::Cells,
        }
    }

    /// Adds rows that workers wrote.
    pub(super) fn rows(&mut self, mut written: &[u8], out: &mut Vec<u8>) {
        match self {
            RowForm::Text(_) => out.extend_from_slice(written),
            RowForm::Cells(form) => {
                let mut lead = &[][..];
                while let Some(cells) = taken_row(&mut lead, &mut written) {
                    form.row(&cells, out);
                }
            }
        }
    }

    /// # Errors
    /// Rows that could not be written.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        match self {
            RowForm::Text(_) => Ok(()),
            RowForm::Cells(form) => form.finish(out).map_err(|error| error.to_string()),
        }
    }
}

/// Writes rows in a worker.
#[derive(Clone, Debug)]
pub(super) enum RowWriter {
    Text(Sheet),
    Cells,
}

/// The number of the first cells that are alike in all rows of a record.
const SHARED: usize = 4;

impl RowWriter {
    /// Writes a row. Its first cells are kept in `lead` as they are written, which is empty before
    /// the first row of a record.
    pub(super) fn row_of_record(
        &self,
        lead: &mut Vec<u8>,
        cells: &[impl AsRef<[u8]>],
        out: &mut Vec<u8>,
    ) {
        let (shared, others) = split_shared(cells);
        let is_first = lead.is_empty();
        match self {
            RowWriter::Text(sheet) => {
                if is_first {
                    sheet.lead(shared, lead);
                }
                sheet.row_after(lead, shared.len(), others, out);
            }
            RowWriter::Cells => {
                if is_first {
                    lead.extend_from_slice(&cells.len().to_le_bytes());
                    push_cells(shared, lead);
                }
                let lead = if is_first { &lead[..] } else { &[] };
                push_cells(&[lead], out);
                push_cells(others, out);
            }
        }
    }

    pub(super) fn row(&self, cells: &[impl AsRef<[u8]>], out: &mut Vec<u8>) {
        self.row_of_record(&mut Vec::new(), cells, out);
    }
}

fn split_shared<T>(cells: &[T]) -> (&[T], &[T]) {
    cells.split_at(SHARED.min(cells.len()))
}

/// The mark of a cell whose length has more than one byte, and is written before the cell.
const LONG: u8 = u8::MAX;

/// The mark of a cell that is the one before it.
const SAME: u8 = LONG - 1;

/// Appends the lengths of cells, then the cells.
fn push_cells(cells: &[impl AsRef<[u8]>], out: &mut Vec<u8>) {
    let at = out.len();
    out.resize(at + cells.len(), 0);
    let mut before: &[u8] = b"";
    for (number, cell) in cells.iter().map(AsRef::as_ref).enumerate() {
        let is_same = std::ptr::eq(before, cell);
        before = cell;
        if cell.is_empty() {
            continue;
        }
        let len = match u8::try_from(cell.len()) {
            _ if is_same => SAME,
            Ok(len) if len < SAME => len,
            _ => LONG,
        };
        out[at + number] = len;
        if len == LONG {
            out.extend_from_slice(&cell.len().to_le_bytes());
        }
        if len != SAME {
            out.extend_from_slice(cell);
        }
    }
}

/// Takes the next row of cells from what a worker wrote. `lead` has the first cells of the row
/// before it, if both are of one record.
pub(super) fn taken_row<'c>(lead: &mut &'c [u8], rest: &mut &'c [u8]) -> Option<Vec<&'c [u8]>> {
    take_lead(lead, rest)?;
    let mut lead = *lead;
    let mut cells: Vec<&[u8]> = vec![b""; taken_number(&mut lead)?];
    let count = SHARED.min(cells.len());
    let (shared, others) = cells.split_at_mut(count);
    taken_cells(&mut lead, shared)?;
    taken_cells(rest, others)?;
    Some(cells)
}

/// Takes the first cells of a row, where they are not those of the row before it.
pub(super) fn take_lead<'c>(lead: &mut &'c [u8], rest: &mut &'c [u8]) -> Option<()> {
    let mut own: [&[u8]; 1] = [b""];
    taken_cells(rest, &mut own)?;
    if !own[0].is_empty() {
        *lead = own[0];
    }
    Some(())
}

/// Takes as many cells as `cells` has.
fn taken_cells<'c>(rest: &mut &'c [u8], cells: &mut [&'c [u8]]) -> Option<()> {
    let lens = taken(rest, cells.len())?;
    let mut before: &[u8] = b"";
    for (cell, &len) in cells.iter_mut().zip(lens) {
        *cell = match len {
            SAME => before,
            LONG => {
                let len = taken_number(rest)?;
                taken(rest, len)?
            }
            len => taken(rest, len.into())?,
        };
        before = cell;
    }
    Some(())
}

fn taken<'c>(rest: &mut &'c [u8], len: usize) -> Option<&'c [u8]> {
    let (bytes, after) = rest.split_at_checked(len)?;
    *rest = after;
    Some(bytes)
}

pub(super) fn taken_number(rest: &mut &[u8]) -> Option<usize> {
    let (number, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(usize::from_le_bytes(*number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_taken_as_they_were_written() {
        let texts = [0, 1, 253, 254, 255, 256, 70_000].map(|len: usize| vec![b'x'; len]);
        let cells = |texts_of_cells: &[usize]| -> Vec<&[u8]> {
            texts_of_cells.iter().map(|&at| &texts[at][..]).collect()
        };
        let rows = [
            cells(&[0, 1, 2, 3, 4, 5, 6, 6, 6, 1, 1, 0, 0, 1]),
            cells(&[4, 4, 0]),
            cells(&[1, 1, 2, 2]),
            Vec::new(),
        ];
        let (mut written, mut lead) = (Vec::new(), Vec::new());
        for row in &rows {
            RowWriter::Cells.row(row, &mut written);
        }
        for _ in 0..2 {
            RowWriter::Cells.row_of_record(&mut lead, &rows[0], &mut written);
        }
        let (mut before, mut rest) = (&[][..], &written[..]);
        for row in rows.iter().chain([&rows[0], &rows[0]]) {
            assert_eq!(&taken_row(&mut before, &mut rest).unwrap(), row);
        }
        assert!(rest.is_empty());
        for len in 0..written.len() {
            let (mut before, mut rest) = (&[][..], &written[..len]);
            while taken_row(&mut before, &mut rest).is_some() {}
        }
    }
}
