//! A table that a person edited: values of records and their new values. Its columns may be
//! in any order; a spreadsheet may have guarded and re-saved it.

use super::spreadsheet::{number_key, plain_cell, tag_key, unguarded};
use crate::decode::{CatalogFormat, CatalogRecord};
use siphasher::sip::SipHasher13;
use std::collections::HashMap;
use std::hash::Hasher;
use unicode_normalization::UnicodeNormalization;

/// The columns that are read; others are skipped.
const COLUMNS: [&str; 7] = [
    "file",
    "record_no",
    "tag",
    "subfield",
    "occurrence",
    "original",
    "suggestion",
];
/// The columns that may be empty, and that JSON then lacks.
const MAY_BE_EMPTY: [&str; 3] = ["subfield", "occurrence", "suggestion"];

/// The most bytes that an allocation takes beyond its content, and the bytes for the name of
/// a file in a hash table.
const ALLOCATED: usize = 16;
const NAME: usize = 128;

/// A row of the table: a value, and its new value.
///
/// ```
/// use urisieve::catalog::fix::EditedRow;
/// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord, RecordStep};
/// let line = br#"{"file":"a.mrc","record_no":2,"tag":"856","subfield":"u","occurrence":1,"original":"a","suggestion":"b"}"#;
/// let mut record = CatalogRecord::default();
/// CatalogReader::new(CatalogFormat::JsonLines).read(line, true, &mut record);
/// let row = EditedRow::of(&record)?;
/// assert_eq!((row.record, &*row.suggestion), (2, "b"));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EditedRow {
    /// The number of the row in the table, as a spreadsheet counts: the header is row
    /// 1.
    pub number: u64,
    /// The name of the input, with the member of an archive.
    pub file: String,
    /// The number of the record in its input, from 1.
    pub record: u64,
    /// The tag of the field.
    pub tag: String,
    /// The number of the field among those of its tag, from 1.
    pub occurrence: u64,
    /// The code of the subfield.
    pub subfield: String,
    /// The original value.
    pub original: String,
    /// The new value; empty if the value does not change.
    pub suggestion: String,
    /// Whether the table has tabs. In such a table a backslash may begin an escape.
    is_tsv: bool,
}

impl EditedRow {
    /// Reads a row, which is a record of a table. One with tabs is read with its quotes
    /// ([`CatalogReader::without_quotes`](crate::decode::CatalogReader::without_quotes)).
    ///
    /// ```
    /// use urisieve::catalog::fix::EditedRow;
    /// use urisieve::decode::CatalogRecord;
    /// assert!(EditedRow::of(&CatalogRecord::default()).is_err());
    /// ```
    ///
    /// # Errors
    /// The column that it lacks, or the cell that is not a number.
    pub fn of(record: &CatalogRecord) -> Result<EditedRow, String> {
        let mut cells: [Option<String>; COLUMNS.len()] = Default::default();
        for field in record.fields() {
            // A spreadsheet may have read the byte-order mark as text.
            let marked = field.tag.iter().take_while(|byte| !byte.is_ascii()).count();
            let name = field.tag[marked..].trim_ascii();
            let column = COLUMNS
                .iter()
                .position(|column| name.eq_ignore_ascii_case(column.as_bytes()));
            let text = field.subfields().next().map(|cell| cell.text);
            if let (Some(column), Some(text)) = (column, text)
                && cells[column].is_none()
            {
                cells[column] = Some(String::from_utf8_lossy(text).into_owned());
            }
        }
        let is_json = record.format() == CatalogFormat::JsonLines;
        let number = record.number() + u64::from(!is_json);
        for (name, cell) in COLUMNS.iter().zip(&mut cells) {
            match cell {
                None if is_json && MAY_BE_EMPTY.contains(name) => *cell = Some(String::new()),
                None => return Err(format!("row {number}: the column {name} is missing")),
                Some(_) => {}
            }
        }
        let [
            file,
            record_no,
            tag,
            subfield,
            occurrence,
            original,
            suggestion,
        ] = cells.map(Option::unwrap_or_default);
        let is_tsv = record.format() == CatalogFormat::Tsv;
        // Only a spreadsheet puts a name in quotes.
        let unquoted = |cell: String| match is_tsv {
            true => unquoted(&cell).unwrap_or(cell),
            false => cell,
        };
        let [file, record_no, tag, subfield, occurrence, suggestion] =
            [file, record_no, tag, subfield, occurrence, suggestion].map(unquoted);
        let counted = |name: &str, cell: &str| match plain_cell(cell) {
            "" => Ok(1),
            // As a column with empty cells is written.
            cell => cell
                .strip_suffix(".0")
                .unwrap_or(cell)
                .parse::<u64>()
                .map_err(|_| format!("row {number}: {name} is not a number: {cell}")),
        };
        let [tag, subfield] = [&tag, &subfield].map(|cell| {
            let cell = plain_cell(cell);
            cell.strip_suffix(".0").unwrap_or(cell).to_owned()
        });
        Ok(EditedRow {
            number,
            record: counted("record_no", &record_no)?,
            occurrence: counted("occurrence", &occurrence)?,
            file,
            tag,
            subfield,
            original,
            suggestion,
            is_tsv,
        })
    }

    /// Whether the value is to change.
    ///
    /// ```
    /// assert!(!urisieve::catalog::fix::EditedRow::default().changes());
    /// ```
    pub fn changes(&self) -> bool {
        let is_same = || match self.is_tsv {
            true => unquoted(&self.original).is_some_and(|cell| cell == self.suggestion),
            false => false,
        };
        let suggestion = self.suggestion.trim();
        !suggestion.is_empty() && self.suggestion != self.original && !is_same()
    }

    /// Whether the row is for the subfield with this tag, occurrence and code.
    pub(super) fn is_at(&self, (tag, occurrence, code): (&str, u64, &str)) -> bool {
        tag_key(tag) == tag_key(&self.tag) && occurrence == self.occurrence && code == self.subfield
    }

    /// Returns the number of bytes of memory that the row takes at most.
    fn bytes(&self) -> usize {
        let texts = [
            &self.file,
            &self.tag,
            &self.subfield,
            &self.original,
            &self.suggestion,
        ];
        // Memory is allocated in pieces.
        let text = |text: &String| text.capacity().next_multiple_of(ALLOCATED) + ALLOCATED;
        size_of::<EditedRow>() + ALLOCATED + texts.into_iter().map(text).sum::<usize>()
    }

    /// Returns how the original may be meant, each with the suggestion: as written, without
    /// the quotes that a spreadsheet writes, without the backslashes of escapes, and all
    /// without the `'` that guards formulas, which is never meant in a suggestion.
    pub(super) fn readings(&self) -> Vec<(String, String)> {
        let mut readings = vec![(self.original.clone(), self.suggestion.clone())];
        if self.is_tsv {
            if let Some(original) = unquoted(&self.original) {
                readings.push((original, self.suggestion.clone()));
            }
            for at in 0..readings.len() {
                let (original, suggestion) = readings[at].clone();
                readings.push((unescaped(&original), unescaped(&suggestion)));
            }
        }
        for at in 0..readings.len() {
            let (original, suggestion) = readings[at].clone();
            let meant = unguarded(&suggestion).to_owned();
            readings.push((unguarded(&original).to_owned(), meant.clone()));
            readings[at] = (original, meant);
        }
        readings
    }
}

/// Returns a cell without its quotes, inside of which two quotes mean one; `None` if the
/// cell is not in quotes as a whole.
fn unquoted(cell: &str) -> Option<String> {
    let inner = cell.strip_prefix('"')?.strip_suffix('"')?;
    let is_alone = inner.replace("\"\"", "").contains('"');
    (!is_alone).then(|| inner.replace("\"\"", "\""))
}

/// Returns a cell without the escapes of tables with tabs.
fn unescaped(cell: &str) -> String {
    let mut out = String::with_capacity(cell.len());
    let mut chars = cell.chars();
    while let Some(char) = chars.next() {
        let escaped = match char {
            '\\' => chars.next(),
            _ => None,
        };
        match (char, escaped) {
            ('\\', Some('t')) => out.push('\t'),
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some('r')) => out.push('\r'),
            ('\\', Some('\\')) => out.push('\\'),
            (char, after) => {
                out.push(char);
                out.extend(after);
            }
        }
    }
    out
}

/// All rows of a table, by their records. Rows whose value does not change take a few
/// bytes: they are only needed to count equal values of a field.
///
/// ```
/// use urisieve::catalog::fix::EditedTable;
/// let table = EditedTable::default();
/// assert_eq!((table.file(b"a.mrc"), table.changes()), (None, 0));
/// ```
#[derive(Debug, Default)]
pub struct EditedTable {
    files: HashMap<Vec<u8>, u32>,
    rows: Vec<TableRow>,
    is_sorted: bool,
    changes: usize,
    /// Whether the only file of the table has another name now.
    is_renamed: bool,
    /// The number of bytes of names and of rows that change something.
    held: usize,
}

/// A row in its place.
#[derive(Debug)]
pub(super) struct TableRow {
    file: u32,
    record: u64,
    pub number: u64,
    /// A hash of the value, also for a row whose value does not change.
    pub hash: u64,
    /// The row; absent if the value does not change.
    pub row: Option<Box<EditedRow>>,
}

impl EditedTable {
    /// Adds a row.
    ///
    /// ```
    /// use urisieve::catalog::fix::{EditedRow, EditedTable};
    /// let mut table = EditedTable::default();
    /// table.push(EditedRow::default());
    /// assert_eq!(table.changes(), 0);
    /// ```
    pub fn push(&mut self, row: EditedRow) {
        let next = self.files.len() as u32;
        let file = match self.files.get(row.file.as_bytes()) {
            Some(&file) => file,
            None => {
                self.held += NAME + row.file.len();
                self.files.insert(row.file.clone().into_bytes(), next);
                next
            }
        };
        let changes = row.changes();
        self.changes += usize::from(changes);
        self.held += if changes { row.bytes() } else { 0 };
        self.is_sorted = false;
        self.rows.push(TableRow {
            file,
            record: row.record,
            number: row.number,
            hash: value_hash(&row.tag, row.occurrence, &row.subfield, &row.original),
            row: changes.then(|| Box::new(row)),
        });
    }

    /// Returns the number of rows whose value is to change.
    ///
    /// ```
    /// assert_eq!(urisieve::catalog::fix::EditedTable::default().changes(), 0);
    /// ```
    pub fn changes(&self) -> usize {
        self.changes
    }

    /// Returns the number of bytes of memory that it takes at most.
    ///
    /// ```
    /// use urisieve::catalog::fix::{EditedRow, EditedTable};
    /// let mut table = EditedTable::default();
    /// table.push(EditedRow::default());
    /// assert!((1..1000).contains(&table.bytes()));
    /// ```
    pub fn bytes(&self) -> usize {
        // A vector may have twice the capacity it needs; and each row has a flag for its
        // use.
        let row = 2 * size_of::<TableRow>() + 1;
        self.rows.len() * row + self.held
    }

    /// Drops the rows.
    ///
    /// ```
    /// urisieve::catalog::fix::EditedTable::default().clear();
    /// ```
    pub fn clear(&mut self) {
        *self = EditedTable::default();
    }

    /// Sorts the rows by their records. Comes before the rows are searched.
    ///
    /// ```
    /// urisieve::catalog::fix::EditedTable::default().settle();
    /// ```
    pub fn settle(&mut self) {
        let order = |row: &TableRow| (row.file, row.record, row.number);
        self.rows.sort_unstable_by_key(order);
        self.is_sorted = true;
    }

    /// Returns the number of an input in the table, by its name.
    ///
    /// ```
    /// assert_eq!(urisieve::catalog::fix::EditedTable::default().file(b"a.mrc"), None);
    /// ```
    pub fn file(&self, name: &[u8]) -> Option<u32> {
        let known = self.files.get(name).copied();
        known.or(self.is_renamed.then_some(0))
    }

    /// Takes the only input for the only file that the table has rows of, if it has another name:
    /// the file was moved or renamed since.
    ///
    /// ```
    /// use urisieve::catalog::fix::{EditedRow, EditedTable};
    /// let mut table = EditedTable::default();
    /// table.push(EditedRow::default());
    /// table.accept_other_name();
    /// assert_eq!(table.file(b"b.mrc"), Some(0));
    /// ```
    pub fn accept_other_name(&mut self) {
        self.is_renamed = self.files.len() == 1;
    }

    /// Returns the rows of a record, and the number of the first one.
    pub(super) fn rows(&self, file: u32, record: u64) -> (usize, &[TableRow]) {
        debug_assert!(self.is_sorted);
        let key = (file, record);
        let from = self
            .rows
            .partition_point(|row| (row.file, row.record) < key);
        let len = self.rows[from..].partition_point(|row| (row.file, row.record) == key);
        (from, &self.rows[from..from + len])
    }

    /// Returns the rows with a change that `is_used` does not accept, by their places, with
    /// the reason why they were not applied: `inputs` are the inputs that were read.
    ///
    /// ```
    /// use urisieve::catalog::fix::EditedTable;
    /// let table = EditedTable::default();
    /// assert_eq!(table.unused(|_| false, |_| true).count(), 0);
    /// ```
    pub fn unused<'t>(
        &'t self,
        is_used: impl Fn(usize) -> bool + 't,
        inputs: impl Fn(&[u8]) -> bool + 't,
    ) -> impl Iterator<Item = (&'t EditedRow, &'static str)> {
        let rows = self.rows.iter().enumerate();
        rows.filter_map(move |(place, row)| {
            let row = row.row.as_deref().filter(|_| !is_used(place))?;
            let reason = match self.is_renamed || inputs(row.file.as_bytes()) {
                true => "the input has no such record",
                false => "no input has this name",
            };
            Some((row, reason))
        })
    }
}

/// Returns a hash of a value, in normalization form C, and its place in the record. Tags and
/// numbers are compared without the zeros that a spreadsheet takes from them.
pub(super) fn value_hash(tag: &str, occurrence: u64, subfield: &str, text: &str) -> u64 {
    let mut hash = SipHasher13::new();
    let text: String = text.nfc().collect();
    let text = number_key(&text).unwrap_or(&text);
    for part in [tag_key(tag), subfield, text] {
        hash.write(part.as_bytes());
        hash.write_u8(0xFF);
    }
    hash.write_u64(occurrence);
    hash.finish()
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn cells_are_read_as_tables_with_tabs_write_them() {
        assert_eq!(unescaped(r"http:\\a\tb\x\"), "http:\\a\tb\\x\\");
        assert_eq!(unquoted("\"a \"\"b\"\"\"").as_deref(), Some("a \"b\""));
        for cell in ["\"", "\"a", "a\"", "\"a\"b\"", "a", ""] {
            assert_eq!(unquoted(cell), None, "{cell}");
        }
    }
}
