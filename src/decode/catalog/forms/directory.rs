//! The fields of a record of ISO 2709: by its directory if each range ends in its only
//! end of a field, otherwise as many pieces as there are entries, otherwise the pieces
//! that fit.

use super::super::record::{CatalogRecord, RECORD_MAX, RecordRules, VALUES_MAX};
use super::super::text::{TextForm, TextReader};
use super::super::value::{push_code, push_value};
use super::leader::{ENTRY, FIELD_END, LEADER, RECORD_END, SUBFIELD, number, stated_base};
use crate::decode::record_damage::{RecordDamage, RecordFault};
use memchr::memchr;
use std::ops::Range;

const LOST_FIELDS: &str = "fields that the directory does not show";
pub(super) const MALFORMED: &str = "bytes of a field that are not valid in its encoding";
const UNKNOWN_SET: &str = "a character set that is not supported";
const MENDED: &str = "the directory or the end of a field is damaged, but all fields are known";

/// A tag of ISO 2709.
type Tag = [u8; 3];
/// A field: its tag and its data, without the end.
type FoundField = (Tag, Range<usize>);

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
    let (fields, shown) = fields(body, record);
    let fault = match shown {
        ShownFields::All => None,
        ShownFields::Mended => Some((RecordFault::Suspect, MENDED)),
        ShownFields::Some => Some((RecordFault::Damaged, LOST_FIELDS)),
    };
    record.damage.extend(fault.map(&damage));
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

/// The fields that the directory of a record shows.
enum ShownFields {
    /// All fields.
    All,
    /// All fields, although the directory or the ends of fields are damaged.
    Mended,
    /// Some fields are lost.
    Some,
}

/// An entry of a directory: its tag, and the length and the start of its field.
struct DirectoryEntry {
    tag: Tag,
    len: usize,
    start: usize,
}

impl DirectoryEntry {
    /// Reads an entry; `None` where it is shorter or has other bytes than digits.
    #[inline]
    fn of(bytes: &[u8]) -> Option<DirectoryEntry> {
        let bytes: &[u8; ENTRY] = bytes.first_chunk()?;
        Some(DirectoryEntry {
            tag: [bytes[0], bytes[1], bytes[2]],
            len: number(&bytes[3..7])?,
            start: number(&bytes[7..])?,
        })
    }
}

/// Returns the fields of `body`, and how many of all these are.
fn fields(body: &[u8], record: &mut CatalogRecord) -> (Vec<FoundField>, ShownFields) {
    let after = body.get(LEADER..).unwrap_or_default();
    let Some(first_end) = memchr(FIELD_END, after) else {
        record.is_sound = false;
        record.data_from = body.len();
        return (Vec::new(), ShownFields::Some);
    };
    let stated = stated_base(body).filter(|&base| body.get(base - 1) == Some(&FIELD_END));
    let base = stated.unwrap_or(LEADER + first_end + 1);
    record.data_from = base;
    let directory = LEADER..base - 1;
    let entries = directory.len() / ENTRY;
    let read = entries.min(2 * VALUES_MAX);
    let entry = |at: usize| &body[directory.start + at * ENTRY..][..ENTRY];
    // The range of a field that ends in its only end.
    let ranged = |at: usize| {
        let entry = DirectoryEntry::of(entry(at))?;
        let from = base + entry.start;
        let data = body.get(from..from + entry.len)?;
        let end = memchr(FIELD_END, data)?;
        let begins = from == base || body[from - 1] == FIELD_END;
        (end + 1 == entry.len && begins).then_some((entry.tag, from..from + end))
    };
    if let Some(fields) = in_order(body, base, &body[directory.clone()]) {
        record.is_sound &= stated.is_some();
        return (fields, ShownFields::All);
    }
    let mut by_directory: Vec<FoundField> = Vec::with_capacity(read);
    by_directory.extend((0..read).filter_map(ranged));
    let is_whole = directory.len().is_multiple_of(ENTRY) && by_directory.len() == entries;
    if is_whole && stated.is_some() {
        return (by_directory, ShownFields::All);
    }
    record.is_sound = false;
    if is_whole {
        return (by_directory, ShownFields::All);
    }
    if let Some((base, fields)) = mended(body, base) {
        record.data_from = base;
        return (fields, ShownFields::Mended);
    }
    let pieces = memchr::memchr_iter(FIELD_END, &body[base..]);
    if pieces.count() == entries && read == entries && directory.len().is_multiple_of(ENTRY) {
        let mut from = base;
        let ends = memchr::memchr_iter(FIELD_END, &body[base..]);
        let piece = |(at, end): (usize, usize)| {
            let data = std::mem::replace(&mut from, base + end + 1)..base + end;
            let tag = entry(at).first_chunk().copied().unwrap_or_default();
            (tag, data)
        };
        return (ends.enumerate().map(piece).collect(), ShownFields::All);
    }
    (by_directory, ShownFields::Some)
}

/// Returns the fields by the directory, if each begins where the one before it ends and has one
/// end: so are most.
fn in_order(body: &[u8], base: usize, directory: &[u8]) -> Option<Vec<FoundField>> {
    let (entries, []) = directory.as_chunks::<ENTRY>() else {
        return None;
    };
    let mut fields = Vec::with_capacity(entries.len().min(2 * VALUES_MAX));
    let mut from = base;
    for entry in entries {
        let entry = DirectoryEntry::of(entry)?;
        let to = from + entry.len.checked_sub(1)?;
        let fits = base + entry.start == from && body.get(to) == Some(&FIELD_END);
        if !fits || fields.len() == 2 * VALUES_MAX {
            return None;
        }
        fields.push((entry.tag, from..to));
        from = to + 1;
    }
    let ends = memchr::memchr_iter(FIELD_END, &body[base..from]);
    (ends.count() == fields.len()).then_some(fields)
}

/// Returns the fields of a record, and where they begin, if one of these is damaged and the rest
/// agrees: the end of the directory, which the leader states; the first zero of the directory;
/// the end of a field. `base` is behind the first end of a field.
fn mended(body: &[u8], base: usize) -> Option<(usize, Vec<FoundField>)> {
    let entries = |bytes: &[u8]| -> Option<Vec<DirectoryEntry>> {
        let is_whole = !bytes.is_empty() && bytes.len().is_multiple_of(ENTRY);
        let entries = bytes
            .chunks(ENTRY)
            .take(2 * VALUES_MAX)
            .map(DirectoryEntry::of);
        is_whole.then(|| entries.collect())?
    };
    let by_leader = stated_base(body).filter(|&stated| stated < body.len());
    let by_leader =
        by_leader.and_then(|stated| Some((stated, entries(&body[LEADER..stated - 1])?)));
    let directory = &body[LEADER..base - 1];
    let with_zero = || match directory.len() % ENTRY {
        LOST_ZERO => Some((base, entries(&[b"0", directory].concat())?)),
        _ => Some((base, entries(directory)?)),
    };
    let fits = |(base, entries): (usize, Vec<DirectoryEntry>)| {
        Some((base, fitted(&body[base..], base, &entries)?))
    };
    by_leader.and_then(fits).or_else(|| fits(with_zero()?))
}

/// The remainder of the length of a directory that lacks a byte.
const LOST_ZERO: usize = ENTRY - 1;

/// Returns the fields in `data`, which begins at `base`, if the entries follow each other and the
/// end of one field at most is missing or another byte.
fn fitted(data: &[u8], base: usize, entries: &[DirectoryEntry]) -> Option<Vec<FoundField>> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&at| entries[at].start);
    let (mut fields, mut expected) = (vec![FoundField::default(); entries.len()], 0);
    // The number of lost bytes, and of ends that are damaged.
    let (mut lost, mut damaged) = (0, 0);
    for (place, &at) in order.iter().enumerate() {
        let entry = &entries[at];
        let from = entry.start.checked_sub(lost)?;
        if entry.len == 0 || entry.start != expected {
            return None;
        }
        expected = entry.start + entry.len;
        let is_end = |end: usize| data.get(end - 1) == Some(&FIELD_END);
        let ends_next = |lost: usize| match order.get(place + 1).map(|&at| &entries[at]) {
            Some(next) => next.start + next.len > lost && is_end(next.start + next.len - lost),
            None => entry.start + entry.len - lost == data.len(),
        };
        let to = from + entry.len - 1;
        if !is_end(to + 1) {
            damaged += 1;
            if !ends_next(lost) && ends_next(lost + 1) {
                lost += 1;
            }
        }
        let field = data.get(from..to)?;
        if damaged > 1 || memchr(FIELD_END, field).is_some() {
            return None;
        }
        fields[at] = (entry.tag, base + from..base + to);
    }
    (expected - lost == data.len()).then_some(fields)
}

/// Decides how the texts of a record are written, and by which rules its tags are read.
fn form(bytes: &[u8], fields: &[FoundField], record: &mut CatalogRecord) -> TextForm {
    let has = |tag: &[u8]| fields.iter().any(|field| field.0 == *tag);
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
    let mut general = fields.iter().filter(|field| field.0 == *b"100");
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
    let is_control = matches!(tag, [b'0', b'0', _]);
    let Some(first) = first.filter(|_| !is_control) else {
        record.push_field(&tag, b"", b"", data.clone());
        return push_value(bytes, (0..0, data), form, record, text);
    };
    let indicator = |at: usize| {
        let found = bytes.get(data.start + at).filter(|byte| byte.is_ascii());
        match found.filter(|_| data.start + at < first) {
            Some(byte) => std::slice::from_ref(byte),
            None => b" ",
        }
    };
    record.push_field(&tag, indicator(0), indicator(1), data.clone());
    let mut is_lossy = !bytes[data.start..first].is_ascii();
    let mut from = first + 1;
    while from <= data.end {
        if record.is_full() {
            record.is_over = true;
            break;
        }
        let next = memchr(SUBFIELD, &bytes[from..data.end]).map_or(data.end, |at| from + at);
        if from < next {
            let (code, len, is_valid) = push_code(&bytes[from..next], record);
            is_lossy |= push_value(bytes, (code, from + len..next), form, record, text);
            is_lossy |= !is_valid;
        }
        from = next + 1;
    }
    is_lossy
}
