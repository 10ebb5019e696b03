//! The answers of a reader, and how it adds a value to a record.

use super::record::{CatalogRecord, SubfieldPlace};
use super::text::{TextForm, TextReader};
use crate::decode::record_damage::RecordDamage;
use std::ops::Range;

/// The next part of a catalogue.
///
/// ```
/// use urisieve::decode::RecordStep;
/// assert_ne!(RecordStep::Hungry, RecordStep::Record(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordStep {
    /// A record that covers this many bytes.
    Record(usize),
    /// Bytes that belong to no record.
    Outside {
        /// The number of bytes.
        len: usize,
        /// Whether they are text that may be searched.
        is_text: bool,
    },
    /// This number of bytes is lost.
    Lost(usize, RecordDamage),
    /// More bytes are needed; or all were read.
    Hungry,
}

/// Adds a subfield whose bytes are at `raw`. Returns whether they are not valid.
pub(super) fn push_value(
    bytes: &[u8],
    (code, raw): (Range<usize>, Range<usize>),
    form: TextForm,
    record: &mut CatalogRecord,
    text: &mut TextReader,
) -> bool {
    let value = &bytes[raw.clone()];
    push_text_of((value, true), (code, raw), form, record, text)
}

/// Adds the text of the code that `bytes` begin with, which is one character. Returns its place
/// in the text of the record, its length in `bytes`, and whether it is valid.
pub(super) fn push_code(bytes: &[u8], record: &mut CatalogRecord) -> (Range<usize>, usize, bool) {
    if let &[code @ 0..128, ..] = bytes {
        let at = record.text.len();
        record.text.push(code);
        return (at..at + 1, 1, true);
    }
    // No character is longer.
    let chunk = bytes[..bytes.len().min(4)].utf8_chunks().next();
    let first = chunk.and_then(|chunk| chunk.valid().chars().next());
    let len = first.map_or(1, char::len_utf8);
    let code = match first {
        Some(_) => record.push_text(&bytes[..len]),
        None => record.push_text("\u{FFFD}".as_bytes()),
    };
    (code, len, first.is_some())
}

/// Adds a subfield with this `value`, whose bytes are at `raw`, decoded or not. Returns
/// whether it has malformed characters.
pub(super) fn push_text_of(
    (value, is_written): (&[u8], bool),
    (code, raw): (Range<usize>, Range<usize>),
    form: TextForm,
    record: &mut CatalogRecord,
    text: &mut TextReader,
) -> bool {
    let from = record.text.len();
    let read = text.read(form, value, &mut record.text, None);
    if read.is_plain {
        record.text.extend_from_slice(value);
    }
    let place = from..record.text.len();
    record.push_subfield(SubfieldPlace {
        code,
        text: place,
        raw,
        form,
        is_plain: read.is_plain && is_written,
    });
    read.is_lossy
}
