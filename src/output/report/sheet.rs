//! The report of rows whose columns are known only when the program runs, as those of
//! catalogues: values are counted by the columns that have a part of their own.

use super::page;
use super::summary::{Facet, ReportCell, Summary};
use crate::output::form::FormError;
use crate::output::run_report::RunReport;
use crate::output::sheet::{CellForm, SheetColumn};

/// A part by which rows are counted: the values of a column.
#[derive(Debug)]
struct ColumnFacet {
    facet: Facet,
    column: &'static str,
}

const fn column(
    column: &'static str,
    name: &'static str,
    title: &'static str,
    meaning: &'static str,
) -> ColumnFacet {
    ColumnFacet {
        column,
        facet: Facet {
            name,
            title,
            meaning,
            has_examples: false,
        },
    }
}

const FACETS: &[ColumnFacet] = &[
    ColumnFacet {
        column: "problem",
        facet: Facet {
            name: "problems",
            title: "Problems",
            meaning: "values with the problem",
            has_examples: true,
        },
    },
    column("tag", "fields", "Fields", "values in the field"),
    column("kind", "kinds", "Kinds", "values of the kind"),
    column("host", "hosts", "Hosts", "values with the host"),
    column("file", "files", "Inputs", "values of the input"),
];
/// The columns of an example, and of what would be right instead.
const EXAMPLE: [&str; 2] = ["original", "suggestion"];

/// A report of rows of cells. Nothing is written before the end.
///
/// ```
/// use urisieve::output::{CellForm, ReportSheet, SheetColumn};
/// let columns = ["original", "problem", "suggestion"].map(|name| SheetColumn::new(name, false));
/// let mut report = ReportSheet::new(&columns);
/// let mut page = Vec::new();
/// report.row(&[b"http//a.example/", b"missing-colon", b"http://a.example/"], &mut page);
/// report.finish(&mut page)?;
/// let page = String::from_utf8(page)?;
/// assert!(page.contains("<code>missing-colon</code>"));
/// assert!(page.contains("<code>http//a.example/ → http://a.example/</code>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ReportSheet {
    summary: Summary,
    /// Whether each column has numbers.
    numbers: Vec<bool>,
    /// The column of each part.
    parts: Vec<usize>,
    example: [Option<usize>; 2],
}

impl ReportSheet {
    /// Creates a report of rows with these columns.
    ///
    /// ```
    /// use urisieve::output::{CellForm, ReportSheet};
    /// let mut page = Vec::new();
    /// ReportSheet::new(&[]).finish(&mut page)?;
    /// assert!(page.starts_with(b"<!doctype html>"));
    /// # Ok::<(), urisieve::output::FormError>(())
    /// ```
    pub fn new(columns: &[SheetColumn]) -> ReportSheet {
        let place = |name: &str| columns.iter().position(|column| column.name() == name);
        let parts = FACETS
            .iter()
            .filter_map(|part| Some((&part.facet, place(part.column)?)));
        let (facets, parts): (Vec<_>, Vec<_>) = parts.unzip();
        let names = columns.iter().map(|column| column.name().to_owned());
        ReportSheet {
            summary: Summary::new(names.collect(), facets),
            numbers: columns.iter().map(SheetColumn::is_number).collect(),
            parts,
            example: EXAMPLE.map(place),
        }
    }
}

impl CellForm for ReportSheet {
    fn row(&mut self, cells: &[&[u8]], _: &mut Vec<u8>) {
        let example: Vec<&[u8]> = self
            .example
            .iter()
            .filter_map(|&at| cells.get(at?).copied())
            .filter(|cell| !cell.is_empty())
            .collect();
        let example = example.join(" → ".as_bytes());
        for (part, &at) in self.parts.iter().enumerate() {
            let values = cells.get(at).copied().unwrap_or_default();
            // Codes are divided by semicolons; no other part has any.
            for value in values.split(|&byte| byte == b';') {
                if !value.is_empty() {
                    self.summary.tally(part, value, 1, &example);
                }
            }
        }
        let numbers = self.numbers.iter();
        let row = cells.iter().zip(numbers).map(|(&text, is_number)| {
            let number = || std::str::from_utf8(text).ok()?.parse().ok();
            match (text, is_number.then(number).flatten()) {
                ([], _) => ReportCell::Absent,
                (_, Some(number)) => ReportCell::Number(number),
                (text, None) => ReportCell::Text(text.into()),
            }
        });
        let row = row.collect();
        self.summary.add_row(row, 1);
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), FormError> {
        page::push(&self.summary, &RunReport::default(), out);
        Ok(())
    }
}
