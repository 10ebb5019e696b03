//! The columns of a table that have strings or bytes, with the names that users give them.

use parquet::basic::{ConvertedType, Type};
use parquet::file::metadata::ParquetMetaData;
use parquet::schema::types::ColumnDescriptor;

/// Names of groups by which lists and maps are nested (Parquet, LogicalTypes: Nested Types).
const NESTING: [&str; 7] = [
    "list",
    "element",
    "item",
    "bag",
    "array",
    "array_element",
    "key_value",
];

/// A column of strings or bytes.
#[derive(Clone, Debug)]
pub(super) struct StringColumn {
    /// The number among all columns.
    pub number: usize,
    /// The path without the groups by which lists are nested: `links.url`.
    pub name: String,
    /// The path as the schema has it: `links.list.element.url`.
    pub path: String,
    /// Whether the column is declared to be text.
    pub is_text: bool,
    /// Whether a row may have more than one value.
    pub repeats: bool,
}

/// Returns the columns of strings and of bytes, in the order of the schema.
pub(super) fn columns(table: &ParquetMetaData) -> Vec<StringColumn> {
    let schema = table.file_metadata().schema_descr();
    let columns = schema.columns().iter().enumerate();
    let columns = columns.filter(|(_, column)| has_strings(column));
    columns
        .map(|(number, column)| StringColumn::new(number, column))
        .collect()
}

impl StringColumn {
    fn new(number: usize, column: &ColumnDescriptor) -> StringColumn {
        let path = column.path().parts();
        let repeats = column.max_rep_level() > 0;
        let is_kept = |(at, part): &(usize, &String)| {
            *at == 0 || !repeats || !NESTING.contains(&part.as_str())
        };
        let kept = path.iter().enumerate().filter(is_kept);
        let kept: Vec<&str> = kept.map(|(_, part)| part.as_str()).collect();
        StringColumn {
            number,
            name: kept.join("."),
            path: column.path().string(),
            is_text: column.converted_type() != ConvertedType::NONE
                || column.logical_type_ref().is_some(),
            repeats,
        }
    }
}

/// Whether a column has strings or bytes, which may be text. Numbers may be stored as bytes.
fn has_strings(column: &ColumnDescriptor) -> bool {
    let is_number = matches!(
        column.converted_type(),
        ConvertedType::DECIMAL | ConvertedType::INTERVAL
    );
    column.physical_type() == Type::BYTE_ARRAY && !is_number
}
