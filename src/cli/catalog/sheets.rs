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
                while let Some(cells) = taken_row(&mut written) {
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

impl RowWriter {
    pub(super) fn row(&self, cells: &[impl AsRef<[u8]>], out: &mut Vec<u8>) {
        match self {
            RowWriter::Text(sheet) => sheet.row(cells, out),
            RowWriter::Cells => {
                out.extend_from_slice(&cells.len().to_le_bytes());
                for cell in cells {
                    let cell = cell.as_ref();
                    out.extend_from_slice(&cell.len().to_le_bytes());
                    out.extend_from_slice(cell);
                }
            }
        }
    }
}

/// Takes the next row of cells from what a worker wrote.
pub(super) fn taken_row<'c>(rest: &mut &'c [u8]) -> Option<Vec<&'c [u8]>> {
    let count = taken_number(rest)?;
    let mut cells = Vec::with_capacity(count);
    for _ in 0..count {
        let len = taken_number(rest)?;
        let (cell, after) = rest.split_at_checked(len)?;
        *rest = after;
        cells.push(cell);
    }
    Some(cells)
}

pub(super) fn taken_number(rest: &mut &[u8]) -> Option<usize> {
    let (number, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(usize::from_le_bytes(*number))
}
