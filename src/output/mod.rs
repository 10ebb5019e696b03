//! How are findings written? One form per file; each converts findings to bytes and
//! knows nothing of files, pipes or terminals.

mod count;
mod csv;
mod defang;
#[cfg(feature = "domain")]
mod ecs;
mod field_values;
mod fields;
mod form;
mod json;
mod links;
mod object;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parquet_links;
mod schema;
mod screen;
mod sheet;
mod surt;
#[cfg(feature = "parquet")]
mod table;
mod tally;
mod text;
mod value;

pub use count::Count;
pub use csv::Csv;
pub use defang::defang;
#[cfg(feature = "domain")]
pub use ecs::Ecs;
pub use field_values::{FieldValue, FieldValues};
pub use fields::{FIELDS, Field, FieldKind};
pub use form::{Form, FormError};
pub use json::{Json, push_error};
pub use links::{LINK_FIELDS, LinkFields, LinkRows};
#[cfg(feature = "parquet")]
pub use parquet::{Parquet, ParquetTally};
#[cfg(feature = "parquet")]
pub use parquet_links::ParquetLinks;
pub use schema::push_schema;
pub use screen::Screen;
#[cfg(feature = "parquet")]
pub use sheet::ParquetSheet;
pub use sheet::{Sheet, SheetColumn};
pub use surt::{archive_surt, plain_surt};
pub use tally::Tally;
pub use text::Text;
