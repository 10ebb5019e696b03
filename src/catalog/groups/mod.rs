//! Groups of equal identifiers across the records of a catalogue, in bounded memory: rows go
//! in with the keys of their identifiers, and come back in the same order, each with its
//! group. Keys are sorted, so that equal ones and those that differ in case alone are next
//! to each other; what was found is sorted back into the order of the rows.

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
