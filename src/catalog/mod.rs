//! Which identifiers does a catalogue hold, and what is wrong with them? The subfields of
//! records that hold identifiers and links, by the table of default fields or by a list, the
//! defects of their values, and the repairs. Reading records is left to `decode`.

mod authority;
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
mod listed;
#[cfg(feature = "marc")]
mod listing;
#[cfg(feature = "marc")]
mod rows;
#[cfg(feature = "marc")]
mod statuses;

pub use authority::IdentifierSource;
#[cfg(feature = "marc")]
pub use choice::{ChoiceError, FieldChoice};
#[cfg(feature = "marc")]
pub use columns::{CellTexts, ROW_COLUMNS, RowColumn};
pub use groups::{
    GroupKeys, GroupReason, GroupReasons, GroupedRow, GroupedRows, Groups, IdentifierGroup,
};
pub use identifier::{NumberField, make_urn};
#[cfg(feature = "marc")]
pub use listing::{ListedKind, ListedValue, listed_values};
#[cfg(feature = "marc")]
pub use rows::{IdentifierRow, IdentifierRows};
#[cfg(feature = "marc")]
pub use statuses::{LinkStatus, LinkStatuses};
