//! Records of library catalogues: ISO 2709 (MARC 21, UNIMARC), MARCXML, MARCBreaker text,
//! PICA+, MODS and Dublin Core. A reader finds records, fields and subfields, and decodes
//! their texts; a decoder makes references and texts of them. The rows of a table are
//! also records. A record can be rewritten with some of its values changed. The meaning
//! of identifiers is left to others.

mod beyond;
mod decoder;
mod detect;
mod elements;
mod fields;
mod format;
mod forms;
mod headings;
mod reader;
mod record;
mod rewrite;
mod role;
#[cfg(test)]
mod tests;
mod text;
mod value;

pub(crate) use beyond::UnreadFormat;
pub(super) use decoder::catalog_decoder;
pub(super) use detect::catalog_of_input;
pub use fields::{DEFAULT_FIELDS, DefaultField, field_role};
pub use format::CatalogFormat;
pub(crate) use headings::is_same_column;
pub use reader::CatalogReader;
pub(crate) use record::VALUES_MAX;
pub use record::{CatalogRecord, RecordField, RecordRules, Subfield};
pub use rewrite::{RecordRewriter, RewriteRefusal, ValueChange};
pub use role::FieldRole;
pub use value::RecordStep;
