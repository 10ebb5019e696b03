//! Links as Apache Parquet, with the columns that they have in other tables.

use super::fields::{Field, FieldKind};
use super::form::{Form, FormError};
use super::links::LinkFields;
use super::parquet::push_value;
use super::table::{ColumnShape, ColumnType, Table};
use super::value::Row;
use crate::item::Finding;
use std::fmt;

/// A row for each link; the columns are [`LinkFields::fields`].
///
/// ```
/// use urisieve::{item::Finding, output::{Form, LinkFields, ParquetLinks}};
/// let (mut form, mut out) = (ParquetLinks::new(LinkFields::default())?, Vec::new());
/// form.begin(&mut out);
/// form.write(&Finding::new(b"http://a/"), b"f.warc", &mut out);
/// form.finish(&mut out)?;
/// assert!(out.starts_with(b"PAR1") && out.ends_with(b"PAR1"));
/// # Ok::<(), urisieve::output::FormError>(())
/// ```
pub struct ParquetLinks {
    table: Table,
    fields: LinkFields,
}

impl fmt::Debug for ParquetLinks {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("ParquetLinks")
            .field("fields", &self.fields)
            .field("rows", &self.table.rows)
            .finish_non_exhaustive()
    }
}

impl ParquetLinks {
    /// Creates a table without rows.
    ///
    /// # Errors
    /// No cause is known.
    ///
    /// ```
    /// use urisieve::output::{LinkFields, ParquetLinks};
    /// assert!(ParquetLinks::new(LinkFields::default()).is_ok());
    /// ```
    pub fn new(fields: LinkFields) -> Result<ParquetLinks, FormError> {
        let shape = |field: &Field| ColumnShape {
            name: field.name,
            kind: match field.kind {
                FieldKind::Number => ColumnType::Int64,
                FieldKind::Flag => ColumnType::Flag,
                // Values of all columns of text but the target repeat often.
                FieldKind::Text if field.name != "t" => ColumnType::Word,
                _ => ColumnType::Text,
            },
            nullable: !field.always,
        };
        let shapes: Vec<ColumnShape> = fields.fields().map(shape).collect();
        Ok(ParquetLinks {
            table: Table::new(&shapes)?,
            fields,
        })
    }

    /// Sets the most bytes of text of a group of rows, which is held in memory; default
    /// 16 MiB. Groups of less than 16 MiB have fewer rows in proportion, at most 122,880.
    ///
    /// ```
    /// use urisieve::output::{LinkFields, ParquetLinks};
    /// let form = ParquetLinks::new(LinkFields::default())?.groups_of(1 << 20);
    /// # drop(form);
    /// # Ok::<(), urisieve::output::FormError>(())
    /// ```
    pub fn groups_of(mut self, bytes: usize) -> ParquetLinks {
        self.table.groups_of(bytes);
        self
    }
}

impl Form for ParquetLinks {
    fn begin(&mut self, out: &mut Vec<u8>) {
        self.table.begin(out);
    }

    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        let finding = self.fields.marked(finding);
        let row = Row::new(&finding, name);
        for (number, field) in self.fields.fields().enumerate() {
            push_value(number, (field.value)(&row), &mut self.table);
        }
        self.table.end_row(out);
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), FormError> {
        self.table.finish(out)
    }
}
