//! Groups of equal identifiers across the records of a catalogue, in bounded memory: rows
//! are added with the keys of their identifiers, and returned in the same order, each with
//! its group. Keys are sorted, so that equal keys and keys that differ only in case are next
//! to each other; the findings are sorted back into the order of the rows.

mod grouped;
mod key;
mod order;
mod reason;
mod run;
#[cfg(test)]
mod tests;

pub use grouped::{GroupedRow, GroupedRows, Groups, IdentifierGroup};
pub use key::GroupKeys;
pub use reason::{GroupReason, GroupReasons};
