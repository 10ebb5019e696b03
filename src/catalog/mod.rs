//! What a library catalogue says of its identifiers and links: which subfields of records hold
//! them, by the table of default fields or by a list, which of them are wrong, in which way,
//! and how they are repaired. Reading records is left to `decode`.

pub mod check;
#[cfg(feature = "marc")]
mod choice;
#[cfg(feature = "marc")]
mod columns;
#[cfg(feature = "marc")]
pub mod fix;
mod groups;
mod identifier;
#[cfg(feature = "marc")]
mod listing;
#[cfg(feature = "marc")]
mod rows;

#[cfg(feature = "marc")]
pub use choice::{ChoiceError, FieldChoice};
#[cfg(feature = "marc")]
pub use columns::{ROW_COLUMNS, RowColumn};
pub use groups::{
    GroupKeys, GroupReason, GroupReasons, GroupedRow, GroupedRows, Groups, IdentifierGroup,
};
pub use identifier::{NumberField, make_urn};
#[cfg(feature = "marc")]
pub use listing::{ListedKind, ListedValue, listed_values};
#[cfg(feature = "marc")]
pub use rows::{IdentifierRow, IdentifierRows};
