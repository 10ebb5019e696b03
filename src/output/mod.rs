//! How are findings written? One form per file; each converts findings to bytes and
//! knows nothing of files, pipes or terminals.

#[cfg(feature = "domain")]
mod added;
mod csv;
mod defang;
#[cfg(feature = "domain")]
mod ecs;
mod field_values;
mod fields;
mod form;
mod formats;
mod json;
mod links;
mod object;
#[cfg(feature = "parquet")]
mod parquet;
mod report;
mod rows;
mod run_report;
mod schema;
mod screen;
mod sheet;
mod surt;
mod text;
mod value;
#[cfg(feature = "xlsx")]
mod workbook;

#[cfg(feature = "domain")]
pub use added::{Added, new_member};
pub use csv::{Csv, Separator};
pub use defang::{defang, defang_bare};
#[cfg(feature = "domain")]
pub use ecs::Ecs;
pub use field_values::{FieldValue, FieldValues};
pub use fields::{FIELDS, Field, FieldKind};
pub use form::{Form, FormError, WriteRecord};
pub use formats::{FormSettings, OUTPUT_FORMATS, OutputFormat, OutputLayout};
pub use json::{Json, push_error};
pub use links::{LINK_FIELDS, LinkFields};
#[cfg(feature = "parquet")]
pub use parquet::{Cell, ColumnShape, ColumnType, Parquet, Table};
pub use report::{REPORT_ROWS, Report, ReportSheet};
pub use rows::{PartFields, RowKind};
pub use run_report::{NamedLoss, RunReport};
pub use schema::push_schema;
pub use screen::Screen;
#[cfg(feature = "parquet")]
pub use sheet::ParquetSheet;
pub use sheet::{CellForm, Sheet, SheetColumn};
pub use surt::{archive_surt, plain_surt};
pub use text::Text;
#[cfg(feature = "xlsx")]
pub use workbook::Workbook;
