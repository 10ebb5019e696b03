//! Records with some of their values changed, and every other byte unchanged. Changes
//! that would not be read back as the new values are refused.

mod cell;
mod entries;
mod refusal;
mod sets;
#[cfg(test)]
mod tests;
mod value;

pub use refusal::RewriteRefusal;

use super::format::CatalogFormat;
use super::reader::CatalogReader;
use super::record::{CatalogRecord, FieldPlace, SubfieldPlace};
use super::text::TextReader;
use super::value::RecordStep;
use crate::decode::record_damage::RecordFault;
use std::collections::BTreeMap;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;
use value::{ValuePlace, rewritten};

/// A value of a record that changes.
///
/// ```
/// use urisieve::decode::ValueChange;
/// let change = ValueChange { field: 0, subfield: 1, text: "http://a.example/".to_owned() };
/// assert_eq!(change.subfield, 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueChange {
    /// The number of its field among all fields of the record, from 0.
    pub field: usize,
    /// The number of the subfield in the field, from 0.
    pub subfield: usize,
    /// The new text of the subfield.
    pub text: String,
}

/// Writes records with changed values.
///
/// ```
/// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord, RecordRewriter, ValueChange};
/// let text = b"=001  7\n=856  40$uhttp://a.example/b c$zsee\n";
/// let mut record = CatalogRecord::default();
/// CatalogReader::new(CatalogFormat::Mrk).read(text, true, &mut record);
/// let change = ValueChange { field: 1, subfield: 0, text: "http://a.example/b%20{c}".to_owned() };
/// let mut out = Vec::new();
/// RecordRewriter::default().rewrite(&record, text, &[change], &mut out)?;
/// assert_eq!(out, b"=001  7\n=856  40$uhttp://a.example/b%20{lcub}c{rcub}$zsee\n");
/// # Ok::<(), urisieve::decode::RewriteRefusal>(())
/// ```
#[derive(Debug, Default)]
pub struct RecordRewriter {
    texts: TextReader,
    again: CatalogRecord,
}

/// Bytes of a record, and their replacement.
type Replacement = (Range<usize>, Vec<u8>);

/// New texts by the numbers of their subfields among all of a record.
type NewTexts = BTreeMap<usize, String>;

impl RecordRewriter {
    /// Appends the record, whose bytes are `raw`, to `out`, with these values changed. A
    /// value that is equal to the current one is not a change. In ISO 2709 the lengths of
    /// fields, later starts and the length of the record are adapted. Every other byte is
    /// unchanged, also the bytes at the start and at the end of a changed value that both
    /// texts have in common.
    ///
    /// ```
    /// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord, RecordRewriter, RewriteRefusal, ValueChange};
    /// let text = b"017C $ua\n";
    /// let mut record = CatalogRecord::default();
    /// CatalogReader::new(CatalogFormat::Pica).read(text, true, &mut record);
    /// let change = ValueChange { field: 0, subfield: 0, text: "b".to_owned() };
    /// let done = RecordRewriter::default().rewrite(&record, text, &[change], &mut Vec::new());
    /// assert_eq!(done, Err(RewriteRefusal::ReadOnly));
    /// ```
    ///
    /// # Errors
    /// Why the record is not changed. Nothing is appended then.
    pub fn rewrite(
        &mut self,
        record: &CatalogRecord,
        raw: &[u8],
        changes: &[ValueChange],
        out: &mut Vec<u8>,
    ) -> Result<(), RewriteRefusal> {
        let mut replacements = Vec::new();
        let mut changed = NewTexts::new();
        for change in changes {
            let number = place(record, raw, change).ok_or(RewriteRefusal::NoPlace)?;
            let text: String = change.text.nfc().collect();
            let subfield = &record.subfields[number];
            if record.text[subfield.text.clone()] == *text.as_bytes() {
                continue;
            }
            check_writable(record)?;
            if changed.contains_key(&number) {
                return Err(RewriteRefusal::TwoChanges);
            }
            let bytes = self.value((record, raw), subfield, &text)?;
            replacements.push((subfield.raw.clone(), bytes));
            changed.insert(number, text);
        }
        if replacements.is_empty() {
            out.extend_from_slice(raw);
            return Ok(());
        }
        if has_shared_bytes(record, &changed) {
            return Err(RewriteRefusal::SharedBytes);
        }
        replacements.sort_by_key(|(range, _)| range.start);
        let from = out.len();
        push_replaced(raw, &replacements, out);
        let done = self.complete((record, raw), (&replacements, &changed), &mut out[from..]);
        if done.is_err() {
            out.truncate(from);
        }
        done
    }

    /// Returns the bytes of a subfield whose text becomes `text`.
    fn value(
        &mut self,
        (record, raw): (&CatalogRecord, &[u8]),
        subfield: &SubfieldPlace,
        text: &str,
    ) -> Result<Vec<u8>, RewriteRefusal> {
        let bytes = &raw[subfield.raw.clone()];
        if record.format.is_table() {
            return cell::rewritten(&mut self.texts, record, bytes, text);
        }
        let is_bare = record.text[subfield.code.clone()].is_empty();
        let place = ValuePlace {
            form: subfield.form,
            raw: bytes,
            quote: quote(record.format, raw, subfield.raw.start),
            is_slashed: record.format == CatalogFormat::Mrk && is_bare,
            is_cell: false,
        };
        self.texts.maker().set_converter(record.converter);
        rewritten(&mut self.texts, place, text)
    }

    /// Completes the record that is written, and reads it again.
    fn complete(
        &mut self,
        (record, raw): (&CatalogRecord, &[u8]),
        (replacements, changed): (&[Replacement], &NewTexts),
        written: &mut [u8],
    ) -> Result<(), RewriteRefusal> {
        if record.format == CatalogFormat::Marc {
            let lens: Vec<_> = replacements
                .iter()
                .map(|(range, bytes)| (range.clone(), bytes.len()))
                .collect();
            entries::write(raw, &lens, written)?;
        }
        let is_right = match record.format {
            CatalogFormat::Marc | CatalogFormat::Mrk => self.is_read_as(record, changed, written),
            CatalogFormat::Csv | CatalogFormat::Tsv => cell::has_cells(record, written),
            // Elements depend on the text around the record; their values were already
            // read again.
            _ => true,
        };
        match is_right {
            true => Ok(()),
            false => Err(RewriteRefusal::Misread),
        }
    }

    /// Whether `written` is read as `record` with these subfields changed.
    fn is_read_as(&mut self, record: &CatalogRecord, changed: &NewTexts, written: &[u8]) -> bool {
        let mut reader = CatalogReader::new(record.format);
        reader.start_at(record.offset);
        let again = &mut self.again;
        if reader.read(written, true, again) != RecordStep::Record(written.len()) {
            return false;
        }
        let text_of = |number: usize| {
            let old = &record.text[record.subfields[number].text.clone()];
            changed.get(&number).map_or(old, |text| text.as_bytes())
        };
        fn name<'r>(record: &'r CatalogRecord, place: &Range<usize>) -> &'r [u8] {
            &record.text[place.clone()]
        }
        fn names<'r>(record: &'r CatalogRecord, field: &FieldPlace) -> [&'r [u8]; 3] {
            [&field.tag, &field.ind1, &field.ind2].map(|place| name(record, place))
        }
        let fields = record.fields.iter().zip(&again.fields);
        let subfields = record.subfields.iter().zip(&again.subfields);
        // A new value may take bytes away that were malformed.
        again.is_sound == record.is_sound
            && again.damage.len() <= record.damage.len()
            && again.fields.len() == record.fields.len()
            && again.subfields.len() == record.subfields.len()
            && fields.into_iter().all(|(old, new)| {
                old.subfields == new.subfields && names(record, old) == names(again, new)
            })
            && subfields.enumerate().all(|(number, (old, new))| {
                name(record, &old.code) == name(again, &new.code)
                    && *text_of(number) == again.text[new.text.clone()]
            })
    }
}

/// Returns the number of the subfield of a change among all of the record.
fn place(record: &CatalogRecord, raw: &[u8], change: &ValueChange) -> Option<usize> {
    let field = record.fields.get(change.field)?;
    let number = field.subfields.start + change.subfield;
    // An empty-element tag has no content.
    let is_closed = |at: usize| record.format.is_xml() && raw[..at].ends_with(b"/>");
    (number < field.subfields.end && !is_closed(record.subfields[number].raw.start))
        .then_some(number)
}

/// Whether the record may be changed at all.
fn check_writable(record: &CatalogRecord) -> Result<(), RewriteRefusal> {
    if matches!(record.format, CatalogFormat::Pica | CatalogFormat::PicaXml) {
        return Err(RewriteRefusal::ReadOnly);
    }
    let is_harmless = |fault: RecordFault| match fault {
        RecordFault::Suspect => true,
        // Characters that are not known; they keep their bytes.
        RecordFault::Unsupported => record.format == CatalogFormat::Marc,
        _ => false,
    };
    let is_sound = record.is_sound && record.damage.iter().all(|damage| is_harmless(damage.fault));
    match is_sound {
        true => Ok(()),
        false => Err(RewriteRefusal::Damaged),
    }
}

/// Returns the quotes around the value at `start`, if it is that of an attribute.
fn quote(format: CatalogFormat, raw: &[u8], start: usize) -> Option<u8> {
    let before = raw.get(start.wrapping_sub(1)).copied();
    before.filter(|&byte| format.is_xml() && matches!(byte, b'"' | b'\''))
}

/// Whether a subfield that is changed shares bytes with another one.
fn has_shared_bytes(record: &CatalogRecord, changed: &NewTexts) -> bool {
    let mut order: Vec<(&Range<usize>, bool)> = record
        .subfields
        .iter()
        .enumerate()
        .map(|(number, place)| (&place.raw, changed.contains_key(&number)))
        .collect();
    order.sort_by_key(|(raw, _)| (raw.start, raw.end));
    // The ends of all earlier ranges, and of the changed ones among them.
    let (mut end, mut changed_end) = (0, 0);
    let mut last: Option<(&Range<usize>, bool)> = None;
    order.into_iter().any(|(raw, is_changed)| {
        let is_same = last.is_some_and(|(other, changes)| other == raw && (changes || is_changed));
        let shares = is_same || raw.start < changed_end || is_changed && raw.start < end;
        end = end.max(raw.end);
        if is_changed {
            changed_end = changed_end.max(raw.end);
        }
        last = Some((raw, is_changed));
        shares
    })
}

/// Appends `raw` with these bytes replaced.
fn push_replaced(raw: &[u8], replacements: &[Replacement], out: &mut Vec<u8>) {
    let mut at = 0;
    for (range, bytes) in replacements {
        out.extend_from_slice(&raw[at..range.start]);
        out.extend_from_slice(bytes);
        at = range.end;
    }
    out.extend_from_slice(&raw[at..]);
}
