//! The defects of one value of a catalogue, in words, and their repairs. The rows of
//! [`CHECKS`] run in their order, each on the value that the rows before it repaired.
//! Checks of several values are in [`duplicates`], [`resolver_duplicates`] and
//! [`case_differences`]. Reading and writing records is left to others.

mod address;
mod characters;
mod draft;
mod expected;
mod names;
mod place;
mod plain;
mod record;
mod run;
mod scheme;
mod table;
#[cfg(test)]
mod tests;

pub use expected::ExpectedValue;
pub(super) use names::number_of;
pub use record::{case_differences, duplicates, resolver_duplicates};
pub use run::{CheckedValue, check, repair};
#[cfg(feature = "marc")]
pub(super) use scheme::{addresses, is_nearly_uri, is_one};
pub use table::{CHECKS, CheckHit, CheckRow, Severity};
