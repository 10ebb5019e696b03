//! Repairs of the values of records: by the codes of checks, or by a table that a person
//! edited. A record is written with its new values and otherwise byte for byte, or it is
//! passed on unchanged and the reason is reported. Reading and writing files is left to
//! others.

mod codes;
mod edits;
mod fixed;
mod fixer;
mod report;
mod spreadsheet;
mod table;
#[cfg(test)]
mod tests;

pub use codes::{RepairCodes, RepairCodesError};
pub use fixed::{FIX_LOG_COLUMNS, FixedValue};
pub use fixer::{FixRules, RecordFixer};
pub use report::push_difference;
pub use table::{EditedRow, EditedTable};
