//! What text does one record hold? Characters in another encoding than an extension of
//! ASCII become UTF-8; their offsets can still be reported in raw bytes. Finding the
//! URIs of the text is left to `scan` and `delimit`.

mod by_type;
#[cfg(feature = "marc")]
mod catalog;
mod cdx;
mod content_reading;
mod data;
mod event;
mod format;
mod http;
#[cfg(test)]
mod in_pieces;
mod json;
mod log;
#[cfg(feature = "html")]
mod mail;
mod mail_note;
#[cfg(feature = "html")]
mod markup;
mod mentions;
mod record_damage;
mod records;
mod refang;
mod refresh;
mod rel;
#[cfg(feature = "html")]
mod sniff;
mod table;
mod text;
mod utf16;
mod wat;
#[cfg(feature = "html")]
mod wat_links;
mod wide_lines;

pub(crate) use by_type::{ExpectedFormat, is_attachment};
pub use by_type::{FormatReading, decoder, is_message};
#[cfg(feature = "marc")]
pub use catalog::{
    CatalogFormat, CatalogReader, CatalogRecord, DEFAULT_FIELDS, DefaultField, FieldRole,
    RecordField, RecordRewriter, RecordRules, RecordStep, RewriteRefusal, Subfield, ValueChange,
    field_role,
};
#[cfg(feature = "marc")]
pub(crate) use catalog::{UnreadFormat, VALUES_MAX, is_same_column};
pub use content_reading::ContentReading;
pub(crate) use content_reading::ValuePositions;
pub use data::DataFields;
pub use event::{
    DataOddity, DataPlace, Decode, DecodedValue, Delimited, DocumentBase, Event, LackingColumn,
    MarkupValue, Output, ValueKind,
};
pub use format::{FORMATS, InputFormat};
pub use http::is_reference_field;
pub use json::PointerPath;
pub(crate) use log::{LOG_HEAD, LOG_RECORD_MAX, LineKind, LineReader, LogColumns};
pub use log::{LogFormat, LogRequest, UnknownLogFormat};
pub use mail_note::MailNote;
#[cfg(feature = "html")]
pub use markup::{Language, encode_query, html_decoder, xml_decoder};
pub use mentions::Mentions;
pub use record_damage::{RecordDamage, RecordFault};
pub use records::{CsvColumn, Layout, RECORD_MAX, Records, Settled};
pub use refang::{MARK_MAX, Refanged};
pub(crate) use refang::{MARKS_LEN, RefangState};
pub use table::TableColumn;
pub use text::text_decoder;
pub(crate) use utf16::FORMAT_HEAD;
pub use utf16::{Beginning, Endian, HEAD, Utf16Decoder, utf16_bom};
pub use wide_lines::WideLines;

use std::borrow::Cow;

/// Returns the text of a small file that is held in memory, without a byte-order mark,
/// and as UTF-8 where it was UTF-16.
///
/// ```
/// assert_eq!(&*urisieve::decode::text_of(b"\xEF\xBB\xBFa"), b"a");
/// assert_eq!(&*urisieve::decode::text_of(b"\xFE\xFF\0a"), b"a");
/// ```
pub fn text_of(bytes: &[u8]) -> Cow<'_, [u8]> {
    let beginning = Beginning::of(bytes, true, false).unwrap_or_default();
    let bytes = &bytes[beginning.mark..];
    match beginning.decoder() {
        None => Cow::Borrowed(bytes),
        Some(mut decoder) => {
            let mut text = Vec::new();
            decoder.decode(bytes, &mut text);
            decoder.finish(&mut text);
            Cow::Owned(text)
        }
    }
}
