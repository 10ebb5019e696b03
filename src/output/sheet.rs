//! Tables whose columns are known only when the program runs: as text with commas or tabs,
//! as JSON Lines, as Apache Parquet. Cells are given as text.

use super::csv::{MARK, Separator, is_formula, line_end};
use super::form::FormError;
use super::object::{Object, push_string};
#[cfg(feature = "parquet")]
use super::parquet::{Cell, ColumnShape, ColumnType, Table};

/// A column of a table.
///
/// ```
/// use urisieve::output::SheetColumn;
/// assert_eq!(SheetColumn::new("title", false).name(), "title");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetColumn {
    name: String,
    /// As a key of JSON.
    key: String,
    is_number: bool,
}

impl SheetColumn {
    /// Creates a column of texts or of numbers.
    ///
    /// ```
    /// use urisieve::output::SheetColumn;
    /// assert_ne!(SheetColumn::new("n", true), SheetColumn::new("n", false));
    /// ```
    pub fn new(name: &str, is_number: bool) -> SheetColumn {
        let mut key = Vec::new();
        push_string(name, &mut key);
        let key = String::from_utf8_lossy(&key);
        SheetColumn {
            name: name.to_owned(),
            key: key.trim_matches('"').to_owned(),
            is_number,
        }
    }

    /// Returns the name.
    ///
    /// ```
    /// assert_eq!(urisieve::output::SheetColumn::new("a", true).name(), "a");
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is a column of numbers.
    pub(super) fn is_number(&self) -> bool {
        self.is_number
    }
}

#[cfg(feature = "parquet")]
impl SheetColumn {
    fn shape(&self) -> ColumnShape<'_> {
        ColumnShape {
            name: &self.name,
            kind: match self.is_number {
                true => ColumnType::Int64,
                false => ColumnType::Word,
            },
            nullable: true,
        }
    }
}

/// The form of a table whose rows are written one after the other: a workbook, a page, columns.
///
/// ```
/// use urisieve::output::{CellForm, ReportSheet, SheetColumn};
/// let mut form: Box<dyn CellForm> = Box::new(ReportSheet::new(&[SheetColumn::new("n", true)]));
/// let mut out = Vec::new();
/// form.begin(&mut out);
/// form.row(&[b"1234"], &mut out);
/// form.finish(&mut out)?;
/// assert!(String::from_utf8_lossy(&out).contains("<td class=n>1,234"));
/// # Ok::<(), urisieve::output::FormError>(())
/// ```
pub trait CellForm: std::fmt::Debug + Send {
    /// Writes the start of the output; by default nothing. Call it once, first.
    fn begin(&mut self, out: &mut Vec<u8>) {
        let _ = out;
    }

    /// Adds a row: a cell for each column. An empty cell has no value; numbers are in digits.
    fn row(&mut self, cells: &[&[u8]], out: &mut Vec<u8>);

    /// Writes the last rows and the end of the output. Call it once, last.
    ///
    /// # Errors
    /// Why rows could not be written.
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), FormError>;
}

/// A table as text.
///
/// ```
/// use urisieve::output::{Separator, Sheet, SheetColumn};
/// let columns = vec![SheetColumn::new("n", true), SheetColumn::new("a,b", false)];
/// let (sheet, mut out) = (Sheet::separated(Separator::Comma, columns), Vec::new());
/// sheet.begin(&mut out);
/// sheet.row(&["7", "x \"y\""], &mut out);
/// assert_eq!(out, b"n,\"a,b\"\n7,\"x \"\"y\"\"\"\n");
/// ```
#[derive(Clone, Debug)]
pub struct Sheet {
    columns: Vec<SheetColumn>,
    /// `None` for JSON.
    separator: Option<Separator>,
    excel: bool,
}

impl Sheet {
    /// Creates a table of values below names.
    ///
    /// ```
    /// use urisieve::output::{Separator, Sheet, SheetColumn};
    /// let mut out = Vec::new();
    /// let columns = vec![SheetColumn::new("a", false)];
    /// Sheet::separated(Separator::Tab, columns).row(&[b"x\ty"], &mut out);
    /// assert_eq!(out, b"x\\ty\n");
    /// ```
    pub fn separated(separator: Separator, columns: Vec<SheetColumn>) -> Sheet {
        Sheet {
            columns,
            separator: Some(separator),
            excel: false,
        }
    }

    /// Creates JSON Lines; empty cells have no key.
    ///
    /// ```
    /// use urisieve::output::{Sheet, SheetColumn};
    /// let columns = ["n", "a"].map(|name| SheetColumn::new(name, name == "n")).to_vec();
    /// let mut out = Vec::new();
    /// Sheet::json(columns).row(&["7", ""], &mut out);
    /// assert_eq!(out, b"{\"n\":7}\n");
    /// ```
    pub fn json(columns: Vec<SheetColumn>) -> Sheet {
        Sheet {
            columns,
            separator: None,
            excel: false,
        }
    }

    /// Whether a spreadsheet opens it safely: a byte-order mark, lines that end with CR LF,
    /// `'` before what could be a formula, and before digits of a text that a spreadsheet would
    /// change as a number or a date: `020`, `9783161484100`, `2004-05`.
    ///
    /// ```
    /// use urisieve::output::{Separator, Sheet, SheetColumn};
    /// let mut out = Vec::new();
    /// Sheet::separated(Separator::Comma, vec![SheetColumn::new("a", false)]).excel(true).row(&[b"=1"], &mut out);
    /// assert_eq!(out, b"'=1\r\n");
    /// ```
    pub fn excel(mut self, excel: bool) -> Sheet {
        self.excel = excel;
        self
    }

    /// Writes the names of the columns, where the form has them.
    ///
    /// ```
    /// let mut out = Vec::new();
    /// urisieve::output::Sheet::json(Vec::new()).begin(&mut out);
    /// assert!(out.is_empty());
    /// ```
    pub fn begin(&self, out: &mut Vec<u8>) {
        let Some(separator) = self.separator else {
            return;
        };
        if self.excel {
            out.extend_from_slice(MARK);
        }
        let names: Vec<&str> = self.columns.iter().map(SheetColumn::name).collect();
        self.cells(separator, 0, &names, out);
        out.extend_from_slice(line_end(self.excel));
    }

    /// Writes a row: a cell for each column. An empty cell has no value.
    ///
    /// ```
    /// use urisieve::output::{Separator, Sheet, SheetColumn};
    /// let mut out = Vec::new();
    /// Sheet::separated(Separator::Comma, vec![SheetColumn::new("a", false)]).row(&["x,y"], &mut out);
    /// assert_eq!(out, b"\"x,y\"\n");
    /// ```
    pub fn row(&self, cells: &[impl AsRef<[u8]>], out: &mut Vec<u8>) {
        self.row_after(&[], 0, cells, out);
    }

    /// Writes the first cells of rows, for [`row_after`](Sheet::row_after).
    ///
    /// ```
    /// use urisieve::output::{Separator, Sheet, SheetColumn};
    /// let columns = ["a", "b"].map(|name| SheetColumn::new(name, false)).to_vec();
    /// let (sheet, mut lead, mut out) = (Sheet::json(columns), Vec::new(), Vec::new());
    /// sheet.lead(&["x"], &mut lead);
    /// for cell in ["y", "z"] {
    ///     sheet.row_after(&lead, 1, &[cell], &mut out);
    /// }
    /// assert_eq!(out, b"{\"a\":\"x\",\"b\":\"y\"}\n{\"a\":\"x\",\"b\":\"z\"}\n");
    /// ```
    pub fn lead(&self, cells: &[impl AsRef<[u8]>], out: &mut Vec<u8>) {
        match self.separator {
            Some(separator) => self.cells(separator, 0, cells, out),
            None => self.members(&mut Object::new(out), 0, cells),
        }
    }

    /// Writes a row whose first cells, `first` of them, are written in `lead`; `cells` are the
    /// others.
    ///
    /// ```
    /// use urisieve::output::{Separator, Sheet, SheetColumn};
    /// let columns = ["a", "b"].map(|name| SheetColumn::new(name, false)).to_vec();
    /// let (sheet, mut out) = (Sheet::separated(Separator::Comma, columns), Vec::new());
    /// sheet.row_after(b"\"x,y\"", 1, &["z"], &mut out);
    /// assert_eq!(out, b"\"x,y\",z\n");
    /// ```
    pub fn row_after(
        &self,
        lead: &[u8],
        first: usize,
        cells: &[impl AsRef<[u8]>],
        out: &mut Vec<u8>,
    ) {
        out.extend_from_slice(lead);
        match self.separator {
            Some(separator) => {
                self.cells(separator, first, cells, out);
                out.extend_from_slice(line_end(self.excel));
            }
            None => {
                let mut object = match lead {
                    [] => Object::new(out),
                    _ => Object::after(lead, out),
                };
                self.members(&mut object, first, cells);
                object.end();
            }
        }
    }

    /// Writes cells as members of an object, from column `first` on.
    fn members(&self, object: &mut Object, first: usize, cells: &[impl AsRef<[u8]>]) {
        let columns = self.columns.iter().skip(first);
        for (column, cell) in columns.zip(cells.iter().map(AsRef::as_ref)) {
            match number(cell).filter(|_| column.is_number) {
                _ if cell.is_empty() => {}
                Some(number) => object.number(&column.key, number),
                None => object.text(&column.key, cell),
            }
        }
    }

    /// Writes cells with separators before them, from column `first` on.
    fn cells(
        &self,
        separator: Separator,
        first: usize,
        cells: &[impl AsRef<[u8]>],
        out: &mut Vec<u8>,
    ) {
        for (number, cell) in cells.iter().map(AsRef::as_ref).enumerate() {
            let number = first + number;
            if number > 0 {
                separator.push(out);
            }
            if cell.is_empty() {
                continue;
            }
            let is_guarded = || {
                let column = self.columns.get(number);
                let is_text = column.is_none_or(|column| !column.is_number);
                is_formula(cell) || is_text && is_changed_as_number(cell)
            };
            match self.excel && is_guarded() {
                true => separator.push_value(&[b"'", cell].concat(), out),
                false => separator.push_value(cell, out),
            }
        }
    }
}

/// Whether a spreadsheet would read a text as a number or a date, and write it in another way.
fn is_changed_as_number(cell: &[u8]) -> bool {
    /// More digits are shown with an exponent.
    const SHOWN: usize = 11;
    let is_sign = |byte: &u8| matches!(byte, b'-' | b'/' | b'.' | b':' | b',' | b'e' | b'E');
    let is_of_number = |byte: &u8| byte.is_ascii_digit() || is_sign(byte);
    if !cell.first().is_some_and(u8::is_ascii_digit) || !cell.iter().all(is_of_number) {
        return false;
    }
    let mut parts = cell.split(is_sign);
    match cell.iter().any(is_sign) {
        false => cell.len() > 1 && cell[0] == b'0' || cell.len() > SHOWN,
        // A date, a time, a fraction or an exponent has short parts.
        true => {
            let is_few = cell.split(is_sign).count() <= 3;
            is_few && parts.all(|part| (1..=4).contains(&part.len()))
        }
    }
}

/// Returns the number that a cell states.
pub(super) fn number(cell: &[u8]) -> Option<u64> {
    std::str::from_utf8(cell).ok()?.parse().ok()
}

/// A table as Apache Parquet.
///
/// ```
/// use urisieve::output::{CellForm, ParquetSheet, SheetColumn};
/// let columns = [SheetColumn::new("n", true), SheetColumn::new("a", false)];
/// let (mut sheet, mut out) = (ParquetSheet::new(&columns)?, Vec::new());
/// sheet.begin(&mut out);
/// sheet.row(&[b"7", b""], &mut out);
/// sheet.finish(&mut out)?;
/// assert!(out.starts_with(b"PAR1") && out.ends_with(b"PAR1"));
/// # Ok::<(), urisieve::output::FormError>(())
/// ```
#[cfg(feature = "parquet")]
pub struct ParquetSheet {
    table: Table,
    numbers: Vec<bool>,
}

#[cfg(feature = "parquet")]
impl std::fmt::Debug for ParquetSheet {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("ParquetSheet")
            .field("numbers", &self.numbers)
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "parquet")]
impl ParquetSheet {
    /// Creates a table with these columns; all may be null.
    ///
    /// # Errors
    /// Two columns of the same name.
    ///
    /// ```
    /// # drop(urisieve::output::ParquetSheet::new(&[]));
    /// ```
    pub fn new(columns: &[SheetColumn]) -> Result<ParquetSheet, FormError> {
        let shapes: Vec<ColumnShape> = columns.iter().map(SheetColumn::shape).collect();
        Ok(ParquetSheet {
            table: Table::new(&shapes)?,
            numbers: columns.iter().map(|column| column.is_number).collect(),
        })
    }

    /// The number of bytes of text in a group of rows.
    ///
    /// ```
    /// # drop(urisieve::output::ParquetSheet::new(&[]).map(|sheet| sheet.groups_of(1 << 20)));
    /// ```
    pub fn groups_of(mut self, bytes: usize) -> ParquetSheet {
        self.table.groups_of(bytes);
        self
    }
}

#[cfg(feature = "parquet")]
impl CellForm for ParquetSheet {
    fn begin(&mut self, out: &mut Vec<u8>) {
        self.table.begin(out);
    }

    fn row(&mut self, cells: &[&[u8]], out: &mut Vec<u8>) {
        for (at, (cell, is_number)) in cells.iter().zip(&self.numbers).enumerate() {
            let number = || number(cell).and_then(|number| number.try_into().ok());
            let cell = match (cell.is_empty(), is_number) {
                (true, _) => continue,
                (false, true) => number().map_or(Cell::Null, Cell::Int64),
                (false, false) => Cell::Text(cell),
            };
            self.table.push(at, cell);
        }
        self.table.end_row(out);
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), FormError> {
        self.table.finish(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreadsheets_open_it_safely() {
        let columns = vec![SheetColumn::new("a", false), SheetColumn::new("b", false)];
        let sheet = Sheet::separated(Separator::Comma, columns).excel(true);
        let mut out = Vec::new();
        sheet.begin(&mut out);
        for cell in ["=1", "+1", "-1", "@a", "\t=1", "\r=1", "plain", ""] {
            sheet.row(&[cell.as_bytes(), b"x"], &mut out);
        }
        let text = String::from_utf8(out).unwrap();
        let wanted = "\u{FEFF}a,b\r\n'=1,x\r\n'+1,x\r\n'-1,x\r\n'@a,x\r\n'\t=1,x\r\n\"'\r=1\",x\r\nplain,x\r\n,x\r\n";
        assert_eq!(text, wanted);
    }

    #[test]
    fn names_are_escaped_in_json() {
        let mut out = Vec::new();
        let sheet = Sheet::json(vec![SheetColumn::new("a\\b\n", false)]);
        sheet.row(&[b"\xFF"], &mut out);
        let row: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(row["a\\b\n"], "\u{FFFD}");
    }

    #[test]
    fn digits_that_a_spreadsheet_would_change_are_guarded() {
        for (cell, is_changed) in [
            ("020", true),
            ("0451450523", true),
            ("9783161484100", true),
            ("2004-05", true),
            ("1/2", true),
            ("12E5", true),
            ("856", false),
            ("0", false),
            ("12345", false),
            ("0-451-45052-3", false),
            ("2049-363X", false),
            ("http://a.example/1", false),
            ("", false),
        ] {
            assert_eq!(is_changed_as_number(cell.as_bytes()), is_changed, "{cell}");
        }
    }
}
