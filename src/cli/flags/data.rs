//! The flags for the fields of data.

use urisieve::decode::{DataFields, TableColumn};

/// Which fields of data are searched.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Input")]
pub(in crate::cli) struct FieldFlags {
    /// Only this field of JSON or of a table: /http/url, or the name of a column; may be repeated
    ///
    /// A field that begins with / is a JSON pointer. Of an object or array all that is in it is
    /// searched; * is every member or element. Values without the field are counted (--stats).
    /// Input that is text otherwise is read as JSON, or as CSV if there are only names of
    /// columns.
    #[arg(long, value_name = "POINTER|NAME", hide_short_help = true)]
    field: Vec<String>,

    /// Only the column of a table with this name, or this number from 1; may be repeated
    ///
    /// A name is that in the first record. A table without the column is an error. Input that is
    /// text otherwise is read as CSV.
    #[arg(long, value_name = "NAME|N", hide_short_help = true)]
    csv_column: Vec<String>,

    /// The character between two columns of CSV, or tab
    ///
    /// By default comma, semicolon, tab or |, detected from the first four records.
    #[arg(long, value_name = "CHAR", value_parser = delimiter, hide_short_help = true)]
    csv_delimiter: Option<u8>,
}

impl FieldFlags {
    /// Returns the choice.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn choice(&self) -> Result<DataFields, String> {
        let mut choice = DataFields::default();
        for name in &self.field {
            choice = with_field(choice, name)?;
        }
        for column in &self.csv_column {
            choice = choice.column(data_column(column)?);
        }
        Ok(match self.csv_delimiter {
            Some(delimiter) => choice.delimiter(delimiter),
            None => choice,
        })
    }
}

/// Returns the choice with the field that a flag names.
///
/// # Errors
/// A message that names the flag.
pub(in crate::cli) fn with_field(choice: DataFields, name: &str) -> Result<DataFields, String> {
    let choice = choice.field(name);
    choice.map_err(|error| format!("--field: {name:?}: {error}"))
}

/// Returns the column that a flag names: by its number from 1, or by its name.
///
/// # Errors
/// A message that names the flag.
pub(in crate::cli) fn data_column(text: &str) -> Result<TableColumn, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("--csv-column: columns are counted from 1".to_owned()),
        Ok(number) => Ok(TableColumn::Number(number - 1)),
        Err(_) => Ok(TableColumn::Name(text.to_owned())),
    }
}

/// The delimiter of a table, as it is typed.
pub(in crate::cli) fn delimiter(typed: &str) -> Result<u8, String> {
    match typed.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        &[byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r' | 0) => Ok(byte),
        _ => Err("one character, or tab".to_owned()),
    }
}
