//! Values that were changed, or that could not be, and the changes of a record.

use super::table::EditedRow;
use crate::decode::{CatalogRecord, ValueChange};

/// The columns of a log of changes: the cells of each [`FixedValue`].
///
/// ```
/// use urisieve::catalog::fix::FIX_LOG_COLUMNS;
/// assert_eq!(FIX_LOG_COLUMNS[8], "code");
/// ```
pub const FIX_LOG_COLUMNS: [&str; 10] = [
    "file",
    "record_no",
    "record_id",
    "tag",
    "occurrence",
    "subfield",
    "before",
    "after",
    "code",
    "refused",
];

/// A value that was changed, or that could not be.
///
/// ```
/// assert!(urisieve::catalog::fix::FixedValue::default().refused.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FixedValue {
    /// The number of the record in its input, from 1.
    pub record: u64,
    /// The control number of the record.
    pub record_id: Vec<u8>,
    /// The tag of the field.
    pub tag: Vec<u8>,
    /// The number of the field among those of its tag, from 1.
    pub occurrence: u64,
    /// The code of the subfield.
    pub subfield: Vec<u8>,
    /// The old text.
    pub before: String,
    /// The new one.
    pub after: String,
    /// The codes of the repairs, with blanks between them; empty for the rows of a
    /// table.
    pub codes: String,
    /// Why it was not changed; empty if it was.
    pub refused: String,
}

impl FixedValue {
    /// Returns the change of a row of a table that was refused for this reason.
    ///
    /// ```
    /// use urisieve::catalog::fix::{EditedRow, FixedValue};
    /// let value = FixedValue::of_row(&EditedRow::default(), "no such record");
    /// assert_eq!(value.refused, "row 0: no such record");
    /// ```
    pub fn of_row(row: &EditedRow, reason: &str) -> FixedValue {
        FixedValue {
            record: row.record,
            tag: row.tag.clone().into_bytes(),
            occurrence: row.occurrence,
            subfield: row.subfield.clone().into_bytes(),
            before: row.original.clone(),
            after: row.suggestion.clone(),
            refused: format!("row {}: {reason}", row.number),
            ..FixedValue::default()
        }
    }

    /// Returns the cells of its row in a log of changes, in the order of
    /// [`FIX_LOG_COLUMNS`]. `file` names its input.
    ///
    /// ```
    /// let value = urisieve::catalog::fix::FixedValue::default();
    /// assert_eq!(value.cells(b"a.mrc")[0], b"a.mrc");
    /// ```
    pub fn cells(&self, file: &[u8]) -> [Vec<u8>; 10] {
        let number = |number: u64| match number {
            0 => Vec::new(),
            number => number.to_string().into_bytes(),
        };
        let text = |text: &str| text.as_bytes().to_vec();
        [
            file.to_vec(),
            number(self.record),
            self.record_id.clone(),
            self.tag.clone(),
            number(self.occurrence),
            self.subfield.clone(),
            text(&self.before),
            text(&self.after),
            text(&self.codes),
            text(&self.refused),
        ]
    }
}

/// The changes of a record that are planned, and how they are reported.
#[derive(Debug, Default)]
pub(super) struct PlannedFixes {
    pub changes: Vec<ValueChange>,
    pub values: Vec<FixedValue>,
}

/// The report of a value of this record.
pub(super) fn of_record(record: &CatalogRecord) -> FixedValue {
    FixedValue {
        record: record.number(),
        record_id: record.id().to_vec(),
        ..FixedValue::default()
    }
}
