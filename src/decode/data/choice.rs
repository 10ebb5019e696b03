//! The values of data that are wanted: by a JSON Pointer, by the name or number of a column.

use crate::decode::table::TableColumn;
#[cfg(feature = "parquet")]
use crate::decode::table::trimmed;
use std::sync::Arc;

/// The fields that are searched of data; by default all.
///
/// ```
/// use urisieve::decode::DataFields;
/// let fields = DataFields::default().field("/http/url").unwrap().column(TableColumn::Number(1));
/// # use urisieve::decode::TableColumn;
/// assert_ne!(fields, DataFields::default());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataFields {
    pub(super) pointers: Vec<Vec<PointerToken>>,
    columns: Vec<TableColumn>,
    /// The byte between two cells; `None` where the first records show it.
    pub(super) delimiter: Option<u8>,
}

/// A token of a JSON Pointer (RFC 6901 section 3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PointerToken {
    /// `*`: every member or element.
    Any,
    /// The name of a member or the number of an element, without escapes.
    Named(Vec<u8>),
}

impl DataFields {
    /// Adds a field of records of any kind: a JSON Pointer, which is empty or begins with `/`, or
    /// the name of a column. In a pointer `*` is every member or element; of an object or array
    /// all that is in it is searched.
    ///
    /// # Errors
    /// Returns why the text is not the name of a field.
    ///
    /// ```
    /// use urisieve::decode::DataFields;
    /// assert!(DataFields::default().field("/items/*/url").is_ok());
    /// assert!(DataFields::default().field("/a~2").is_err());
    /// ```
    pub fn field(mut self, name: &str) -> Result<DataFields, &'static str> {
        if !name.is_empty() && !name.starts_with('/') {
            return Ok(self.column(TableColumn::Name(name.to_owned())));
        }
        let tokens = name.split('/').skip(1).map(token);
        self.pointers.push(tokens.collect::<Result<_, _>>()?);
        Ok(self)
    }

    /// Adds a column of tables. A table that lacks it is not searched, which is an error.
    ///
    /// ```
    /// use urisieve::{decode::{TableColumn, DataFields, InputFormat}, Sieve};
    /// let fields = DataFields::default().column(TableColumn::Number(1));
    /// let csv = InputFormat::named("csv");
    /// let sieve = Sieve::builder().format(csv).fields(fields).build();
    /// let found = sieve.for_each(b"http://a.example/,http://b.example/", |_| {})?;
    /// assert_eq!(found.occurrences, 1);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn column(mut self, column: TableColumn) -> DataFields {
        self.columns.push(column);
        self
    }

    /// Sets the byte between two cells of tables; by default the first records show it.
    ///
    /// ```
    /// use urisieve::decode::DataFields;
    /// assert_ne!(DataFields::default().delimiter(b';'), DataFields::default());
    /// ```
    pub fn delimiter(mut self, delimiter: u8) -> DataFields {
        self.delimiter = Some(delimiter);
        self
    }

    /// Whether only some columns of tables are searched.
    pub(super) fn has_columns(&self) -> bool {
        !self.columns.is_empty()
    }

    /// Returns the numbers of the columns that are searched of a table with these names; `None`
    /// where all are, one is chosen by its number, or one is not there.
    #[cfg(feature = "parquet")]
    pub(crate) fn columns_named(&self, names: &[&str]) -> Option<Vec<usize>> {
        let has_name =
            |column: &TableColumn| matches!(column, TableColumn::Name(name) if !name.is_empty());
        if !self.has_columns() || !self.columns.iter().all(has_name) {
            return None;
        }
        let names = names.iter().map(|name| trimmed(name.as_bytes()).into());
        self.columns_in(&names.collect::<Vec<_>>(), 0).ok()
    }

    /// Returns the numbers of the columns that are searched of a table with these names, or with
    /// `count` columns.
    ///
    /// # Errors
    /// The name of a column that the table lacks.
    pub(super) fn columns_in(
        &self,
        names: &[Arc<[u8]>],
        count: usize,
    ) -> Result<Vec<usize>, String> {
        let mut numbers = Vec::new();
        for column in &self.columns {
            let before = numbers.len();
            match column {
                TableColumn::Number(number) => numbers.extend((*number < count).then_some(*number)),
                TableColumn::Name(name) => {
                    let is_named = |(_, known): &(usize, &Arc<[u8]>)| ***known == *name.as_bytes();
                    let named = names.iter().enumerate().filter(is_named);
                    numbers.extend(named.map(|(number, _)| number));
                }
            }
            if numbers.len() == before {
                return Err(column.to_string());
            }
        }
        Ok(numbers)
    }

    /// Returns the name of the format by which text is read that has such fields; `None` where no
    /// field is selected.
    ///
    /// ```
    /// use urisieve::decode::DataFields;
    /// assert_eq!(DataFields::default().field("/a").unwrap().implies(), Some("json"));
    /// assert_eq!(DataFields::default().field("a").unwrap().implies(), Some("csv"));
    /// ```
    pub fn implies(&self) -> Option<&'static str> {
        match (&self.pointers[..], &self.columns[..]) {
            ([], []) => None,
            ([], _) => Some("csv"),
            _ => Some("json"),
        }
    }
}

fn token(text: &str) -> Result<PointerToken, &'static str> {
    if text == "*" {
        return Ok(PointerToken::Any);
    }
    let mut codes = text.split('~').skip(1);
    if codes.any(|code| !code.starts_with(['0', '1'])) {
        return Err("~ is written as ~0, / as ~1");
    }
    let name = text.replace("~1", "/").replace("~0", "~");
    Ok(PointerToken::Named(name.into_bytes()))
}
