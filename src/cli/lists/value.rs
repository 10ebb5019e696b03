//! The flags for lists whose records hold the URI in one value: a column, a field of JSON.

use crate::cli::flags::{LineEndFlag, data_column, delimiter};
use crate::cli::lists::list::Rows;
use urisieve::decode::{CsvColumn, Layout, TableColumn};

/// Which value of a record is the URI.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct ValueFlags {
    /// Read CSV: the URI is in the column with this name, or this number from 1
    ///
    /// With a name, the first record of each input is its header. A table without the column
    /// is an error.
    #[arg(long, value_name = "NAME|N", conflicts_with = "field")]
    csv_column: Option<String>,

    /// The character between two columns, or tab
    ///
    /// By default comma, semicolon, tab or |, detected from the header or the first
    /// four records.
    #[arg(long, value_name = "CHAR", requires = "csv_column", value_parser = delimiter)]
    csv_delimiter: Option<u8>,

    /// Read JSON Lines: the URI is the string at this JSON pointer, like /http/url
    #[arg(long, value_name = "POINTER")]
    field: Option<String>,
}

impl ValueFlags {
    /// Returns the layout of the lists, and the kind of their records.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn layout(&self, line_end: &LineEndFlag) -> Result<(Layout, Rows), String> {
        let is_table = self.field.is_some() || self.csv_column.is_some();
        if line_end.null_data && is_table {
            return Err(
                "-z: not with --csv-column and --field, whose records are lines".to_owned(),
            );
        }
        if let Some(pointer) = &self.field {
            if !pointer.is_empty() && !pointer.starts_with('/') {
                return Err(format!("--field: {pointer:?} must begin with /"));
            }
            return Ok((Layout::Pointer(pointer.clone()), Rows::Json));
        }
        let csv = match &self.csv_column {
            None => return Ok((line_end.layout(), Rows::Lines)),
            Some(column) => match data_column(column)? {
                TableColumn::Number(number) => CsvColumn::numbered(number),
                TableColumn::Name(name) => CsvColumn::named(name),
            },
        };
        Ok((Layout::Csv(csv.delimiter(self.csv_delimiter)), Rows::Csv))
    }
}
