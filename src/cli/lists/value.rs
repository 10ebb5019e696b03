//! The flags for lists whose records hold the URI in one value: a column, a field of JSON.

use crate::cli::flags::{LineEndFlag, data_column, delimiter, with_field};
use crate::cli::lists::list::Rows;
use urisieve::decode::{CsvColumn, DataFields, Layout, TableColumn};

/// Which value of a record is the URI.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(in crate::cli) struct ValueFlags {
    /// Read CSV: the URI is in the column with this name, or this number from 1
    ///
    /// With a name, the first record of each input is its header. A table without the column
    /// is an error. normalize takes several columns, of which each gives a line.
    #[arg(long, value_name = "NAME|N")]
    csv_column: Vec<String>,

    /// The character between two columns, or tab
    ///
    /// By default comma, semicolon, tab or |, detected from the header or the first
    /// four records.
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    csv_delimiter: Option<u8>,

    /// Read JSON Lines: the URI is the string at this JSON pointer, like /http/url
    ///
    /// A name that does not begin with / is that of a column of CSV. normalize takes several
    /// fields, of which each gives a line; in a pointer * is then every member or element.
    #[arg(long, value_name = "POINTER|NAME")]
    field: Vec<String>,
}

impl ValueFlags {
    /// Returns the layout of the lists, and the kind of their records. A record has `several`
    /// values or one.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(in crate::cli) fn layout(
        &self,
        line_end: &LineEndFlag,
        several: bool,
    ) -> Result<(Layout, Rows), String> {
        let is_pointer = |name: &&String| name.is_empty() || name.starts_with('/');
        let (pointers, names): (Vec<_>, Vec<_>) = self.field.iter().partition(is_pointer);
        for pointer in pointers.iter().filter(|pointer| !pointer.is_empty()) {
            with_field(DataFields::default(), pointer)?;
        }
        let named = names
            .into_iter()
            .map(|name| Ok(TableColumn::Name(name.clone())));
        let columns = named.chain(self.csv_column.iter().map(|column| data_column(column)));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let fields = pointers.len() + columns.len();
        if line_end.null_data && fields > 0 {
            return Err(
                "-z: not with --csv-column and --field, whose records are lines".to_owned(),
            );
        }
        if self.csv_delimiter.is_some() && columns.is_empty() {
            return Err(
                "--csv-delimiter: only with --csv-column or the name of a column".to_owned(),
            );
        }
        if fields > 1 && !several {
            return Err("--csv-column, --field: only one, by which records are equal".to_owned());
        }
        if !pointers.is_empty() && !columns.is_empty() {
            return Err("--field: a JSON pointer and a column are not in one record".to_owned());
        }
        let column = |column| {
            let csv = match column {
                TableColumn::Number(number) => CsvColumn::numbered(number),
                TableColumn::Name(name) => CsvColumn::named(name),
            };
            Layout::Csv(csv.delimiter(self.csv_delimiter))
        };
        let rows = match (pointers.is_empty(), columns.is_empty()) {
            (true, true) => return Ok((line_end.layout(), Rows::Lines)),
            (false, _) => Rows::Json,
            (true, false) => Rows::Csv,
        };
        let pointers = pointers.into_iter().cloned().map(Layout::Pointer);
        let mut layouts: Vec<_> = pointers.chain(columns.into_iter().map(column)).collect();
        let is_any = |name: &String| name.split('/').any(|token| token == "*");
        Ok(
            match several && (fields > 1 || self.field.iter().any(is_any)) {
                true => (Layout::Each(layouts), rows),
                false => (layouts.remove(0), rows),
            },
        )
    }
}
