//! The fields of a record of ISO 2709: by its directory if each range ends in its only
//! end of a field, otherwise as many pieces as there are entries, otherwise the pieces
//! that fit.

use super::leader::{ENTRY, FIELD_END, LEADER, RECORD_END, SUBFIELD, number, stated_base};
use super::record::{CatalogRecord, RECORD_MAX, RecordRules, VALUES_MAX};
use super::text::{TextForm, TextReader};
use super::value::push_value;
use crate::decode::record_damage::{RecordDamage, RecordFault};
use memchr::memchr;
use std::ops::Range;

const LOST_FIELDS: &str = "fields that the directory does not show";
pub(super) const MALFORMED: &str = "bytes of a field that are not valid in its encoding";
const UNKNOWN_SET: &str = "a character set that is not supported";

/// A field: its tag and its data, without the end.
type FoundField = (Range<usize>, Range<usize>);

/// Reads the fields of the record `bytes`.
pub(super) fn read(
    bytes: &[u8],
    record: &mut CatalogRecord,
    text: &mut TextReader,
    damage: impl Fn((RecordFault, &'static str)) -> RecordDamage,
) {
    record
        .leader
        .extend_from_slice(&bytes[..bytes.len().min(LEADER)]);
    let end = bytes.len() - usize::from(bytes.last() == Some(&RECORD_END));
    let body = &bytes[..end];
    let (fields, is_complete) = fields(body, record);
    if !is_complete {
        record
            .damage
            .push(damage((RecordFault::Damaged, LOST_FIELDS)));
    }
    let form = form(bytes, &fields, record);
    if form == TextForm::Ascii && !body.is_ascii() {
        record
            .damage
            .push(damage((RecordFault::Unsupported, UNKNOWN_SET)));
    }
    // A directory may name the same bytes repeatedly.
    let is_full = |record: &CatalogRecord| record.is_full() || record.text.len() > RECORD_MAX;
    for (tag, data) in fields {
        if is_full(record) {
            record.is_over = true;
            break;
        }
        let lossy = read_field(bytes, (tag, data), form, record, text);
        if lossy && form != TextForm::Ascii {
            record
                .damage
                .push(damage((RecordFault::Suspect, MALFORMED)));
        }
    }
}

/// Returns the fields of `body`, and whether these are all.
fn fields(body: &[u8], record: &mut CatalogRecord) -> (Vec<FoundField>, bool) {
    let after = body.get(LEADER..).unwrap_or_default();
    let Some(first_end) = memchr(FIELD_END, after) else {
        record.is_sound = false;
        record.data_from = body.len();
        return (Vec::new(), false);
    };
    let stated = stated_base(body).filter(|&base| body.get(base - 1) == Some(&FIELD_END));
    let base = stated.unwrap_or(LEADER + first_end + 1);
    record.data_from = base;
    let directory = LEADER..base - 1;
    let entries = directory.len() / ENTRY;
    let read = entries.min(2 * VALUES_MAX);
    let entry = |at: usize| directory.start + at * ENTRY..directory.start + (at + 1) * ENTRY;
    // The range of a field that ends in its only end.
    let ranged = |at: usize| {
        let entry = entry(at);
        let (len, start) = (
            number(&body[entry.start + 3..entry.start + 7])?,
            number(&body[entry.start + 7..entry.end])?,
        );
        let from = base + start;
        let data = body.get(from..from + len)?;
        let end = memchr(FIELD_END, data)?;
        let begins = from == base || body[from - 1] == FIELD_END;
        (end + 1 == len && begins).then_some((entry.start..entry.start + 3, from..from + end))
    };
    let by_directory: Vec<FoundField> = (0..read).filter_map(ranged).collect();
    let is_whole = directory.len().is_multiple_of(ENTRY) && by_directory.len() == entries;
    if is_whole && stated.is_some() {
        return (by_directory, true);
    }
    record.is_sound = false;
    if is_whole {
        return (by_directory, true);
    }
    let pieces = memchr::memchr_iter(FIELD_END, &body[base..]);
    if pieces.count() == entries && read == entries && directory.len().is_multiple_of(ENTRY) {
        let mut from = base;
        let ends = memchr::memchr_iter(FIELD_END, &body[base..]);
        let piece = |(at, end): (usize, usize)| {
            let data = std::mem::replace(&mut from, base + end + 1)..base + end;
            (entry(at).start..entry(at).start + 3, data)
        };
        return (ends.enumerate().map(piece).collect(), true);
    }
    (by_directory, false)
}

/// Decides how the texts of a record are written, and by which rules its tags are read.
fn form(bytes: &[u8], fields: &[FoundField], record: &mut CatalogRecord) -> TextForm {
    let has = |tag: &[u8]| fields.iter().any(|field| bytes[field.0.clone()] == *tag);
    let data = &bytes[record.data_from.min(bytes.len())..];
    let is_ascii = data.is_ascii();
    if has(b"200") && !has(b"245") {
        record.rules = RecordRules::Unimarc;
        if is_ascii || std::str::from_utf8(data).is_ok() {
            return TextForm::Utf8;
        }
        return unimarc_form(bytes, fields);
    }
    if bytes.get(9) == Some(&b'a') {
        return TextForm::Utf8;
    }
    // A record may be UTF-8 although its leader does not state it.
    let is_utf8 = !is_ascii && memchr(0x1B, data).is_none() && std::str::from_utf8(data).is_ok();
    match is_utf8 {
        true => TextForm::Utf8,
        false => TextForm::Marc8,
    }
}

/// Returns the form that 100 $a states (positions 26 to 33, sets in pairs).
fn unimarc_form(bytes: &[u8], fields: &[FoundField]) -> TextForm {
    let mut general = fields
        .iter()
        .filter(|field| bytes[field.0.clone()] == *b"100");
    let data = general.next().map(|field| &bytes[field.1.clone()]);
    let coded = data.and_then(|data| {
        let at = memchr::memmem::find(data, b"\x1Fa")?;
        data.get(at + 2 + 26..at + 2 + 34)
    });
    let Some(coded) = coded else {
        return TextForm::Ascii;
    };
    let mut form = TextForm::Ascii;
    for pair in coded.chunks(2) {
        match pair {
            b"50" => return TextForm::Utf8,
            b"03" => form = TextForm::Iso5426,
            _ => {}
        }
    }
    form
}

/// Adds a field. Returns whether it has invalid bytes.
fn read_field(
    bytes: &[u8],
    (tag, data): FoundField,
    form: TextForm,
    record: &mut CatalogRecord,
    text: &mut TextReader,
) -> bool {
    let first = memchr(SUBFIELD, &bytes[data.clone()]).map(|at| data.start + at);
    let is_control = bytes[tag.clone()].starts_with(b"00");
    let Some(first) = first.filter(|_| !is_control) else {
        record.push_field(&bytes[tag], b"", b"", data.clone());
        return push_subfield(bytes, (0..0, data), form, record, text);
    };
    let indicator = |at: usize| {
        let found = bytes.get(data.start + at).filter(|byte| byte.is_ascii());
        match found.filter(|_| data.start + at < first) {
            Some(byte) => std::slice::from_ref(byte),
            None => b" ",
        }
    };
    record.push_field(&bytes[tag], indicator(0), indicator(1), data.clone());
    let mut is_lossy = !bytes[data.start..first].is_ascii();
    let mut from = first + 1;
    while from <= data.end {
        if record.is_full() {
            record.is_over = true;
            break;
        }
        let next = memchr(SUBFIELD, &bytes[from..data.end]).map_or(data.end, |at| from + at);
        if from < next {
            let code = from..from + code_len(&bytes[from..next]);
            let value = code.end..next;
            is_lossy |= push_subfield(bytes, (code, value), form, record, text);
        }
        from = next + 1;
    }
    is_lossy
}

/// Returns the length of the character that `bytes` begin with.
fn code_len(bytes: &[u8]) -> usize {
    // No character is longer.
    let chunk = bytes[..bytes.len().min(4)].utf8_chunks().next();
    let first = chunk.and_then(|chunk| chunk.valid().chars().next());
    first.map_or(1, char::len_utf8)
}

/// Adds a subfield. Returns whether it has invalid bytes.
fn push_subfield(
    bytes: &[u8],
    (code, raw): (Range<usize>, Range<usize>),
    form: TextForm,
    record: &mut CatalogRecord,
    text: &mut TextReader,
) -> bool {
    let is_valid = std::str::from_utf8(&bytes[code.clone()]).is_ok();
    let code = match is_valid {
        true => record.push_text(&bytes[code]),
        false => record.push_text("\u{FFFD}".as_bytes()),
    };
    push_value(bytes, (code, raw), form, record, text) | !is_valid
}
