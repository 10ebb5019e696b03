//! Data whose values are texts of their own: JSON, tables, catalogues of messages. Each value
//! is a reference if it is a URI as a whole, otherwise text; the bytes between are skipped.

mod cells;
mod choice;
mod heading;
mod json;
mod lines;
mod passing;
mod po;
mod requests;
#[cfg(test)]
mod shown;
mod table;
mod tokens;
mod values;
mod way;
mod wide;

pub use choice::DataFields;
pub(super) use heading::table_of;
pub(super) use json::{begins_as_json, json_decoder};
pub(super) use po::po_decoder;
#[cfg(feature = "parquet")]
pub(super) use table::rows_decoder;
pub(super) use table::table_decoder;
