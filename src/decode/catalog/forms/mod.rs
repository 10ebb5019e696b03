//! The forms in which records are written: ISO 2709, lines of MARC as text and of PICA+,
//! XML, tables and MARC in JSON. A reader of each finds the bounds of the records, and their fields
//! and subfields; `reader.rs` chooses among them.

mod directory;
pub(super) mod iso2709;
pub(super) mod json_row;
pub(super) mod leader;
mod lines;
mod marc_json;
pub(super) mod mrk;
pub(super) mod pica;
mod staged;
pub(super) mod table;
pub(super) mod xml;
