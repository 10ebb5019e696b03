//! Which identifiers does a catalogue hold? Chooses subfields of records, by the table of
//! default fields or by a list, and states what each value is. Reading is left to
//! `decode`, canonical forms and what is wrong with a value to the caller.

mod choice;
mod listing;

pub use choice::{ChoiceError, FieldChoice};
pub use listing::{IdentifierKind, ListedValue, listed_values};
