//! A record in XML whose end was not read yet: the ranges of its values in the window.

use super::super::record::{CatalogRecord, NAMES_MAX, RECORD_MAX, TOO_LONG, VALUES_MAX};
use super::super::text::{TextForm, TextReader};
use super::super::value::push_value;
use crate::decode::record_damage::{RecordDamage, RecordFault};
use std::ops::Range;

/// A record that is being read.
#[derive(Debug)]
pub(super) struct StagedRecord {
    /// The offset of its tag.
    pub start: usize,
    /// The depth of its element.
    pub depth: usize,
    pub leader: Range<usize>,
    /// Whether the end of the record is missing.
    pub is_cut: bool,
    /// Whether the end of a tag in the record is missing.
    pub is_broken: bool,
    /// Whether another part of the record follows.
    pub is_part: bool,
    /// Whether elements of the record are nested too deeply.
    pub is_deep: bool,
    /// Whether a field has more values than fit.
    is_over: bool,
    /// Tags, indicators and codes.
    names: Vec<u8>,
    fields: Vec<StagedField>,
    values: Vec<StagedValue>,
    code: Range<usize>,
}

#[derive(Debug)]
struct StagedField {
    tag: Range<usize>,
    ind1: Range<usize>,
    ind2: Range<usize>,
    /// From its start tag to its last value.
    raw: Range<usize>,
    /// The number of its first value.
    first: usize,
}

#[derive(Debug)]
struct StagedValue {
    code: Range<usize>,
    raw: Range<usize>,
}

impl StagedRecord {
    /// Begins a record whose tag is at `start`.
    pub fn new(start: usize, depth: usize) -> StagedRecord {
        StagedRecord {
            start,
            depth,
            leader: 0..0,
            is_cut: false,
            is_broken: false,
            is_part: false,
            is_deep: false,
            is_over: false,
            names: Vec::new(),
            fields: Vec::new(),
            values: Vec::new(),
            code: 0..0,
        }
    }

    /// Whether the record has no fields.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The number of times that its fields and values, or bytes of names, reach the
    /// limit at which another part begins.
    fn parts(&self) -> usize {
        let values = self.fields.len() + self.values.len();
        (values / VALUES_MAX).max(self.names.len() / NAMES_MAX)
    }

    /// Whether no more fields and values fit.
    fn is_full(&self) -> bool {
        self.parts() > 1
    }

    /// Whether a field that begins at `at` begins another part of the record.
    pub fn is_long(&self, at: usize) -> bool {
        self.parts() > 0 || at - self.start > RECORD_MAX
    }

    /// Returns the damage of the record, which has this number and offset.
    pub fn damage(&self, place: (u64, u64)) -> impl Iterator<Item = RecordDamage> {
        let causes = [
            (
                self.is_cut,
                RecordFault::Truncated,
                "the end of a record is missing",
            ),
            (
                self.is_broken,
                RecordFault::Damaged,
                "a tag that is not complete",
            ),
            (self.is_part, RecordFault::Unsupported, TOO_LONG),
            (
                self.is_deep,
                RecordFault::Unsupported,
                "elements of a record that are nested too deeply",
            ),
        ];
        let found = causes.into_iter().filter(|(is_so, ..)| *is_so);
        found.map(move |(_, fault, cause)| RecordDamage::of_record(fault, cause, place))
    }

    fn name(&mut self, name: &[u8]) -> Range<usize> {
        let from = self.names.len();
        self.names.extend_from_slice(name);
        from..self.names.len()
    }

    /// Begins a field, whose start tag is at `raw`.
    pub fn field(&mut self, tag: &[u8], ind1: &[u8], ind2: &[u8], raw: Range<usize>) {
        if self.is_full() {
            self.is_over = true;
            return;
        }
        let (tag, ind1, ind2) = (self.name(tag), self.name(ind1), self.name(ind2));
        let first = self.values.len();
        self.fields.push(StagedField {
            tag,
            ind1,
            ind2,
            raw,
            first,
        });
    }

    /// Sets the code of the next value.
    pub fn code(&mut self, code: &[u8]) {
        if !self.is_full() {
            self.code = self.name(code);
        }
    }

    /// Adds a value to the last field.
    pub fn value(&mut self, raw: Range<usize>) {
        if self.is_full() {
            self.is_over |= !self.fields.is_empty();
        } else if let Some(field) = self.fields.last_mut() {
            field.raw.end = field.raw.end.max(raw.end);
            let code = self.code.clone();
            self.values.push(StagedValue { code, raw });
        }
    }

    /// Drops the first bytes of the window.
    pub fn forget(&mut self, len: usize) {
        let back = |range: &mut Range<usize>| {
            *range = range.start.saturating_sub(len)..range.end.saturating_sub(len);
        };
        self.start = self.start.saturating_sub(len);
        back(&mut self.leader);
        self.fields
            .iter_mut()
            .for_each(|field| back(&mut field.raw));
        self.values
            .iter_mut()
            .for_each(|value| back(&mut value.raw));
    }

    /// Writes it to `record`; it is at the start of `bytes`. Returns whether bytes of its
    /// values are not valid.
    pub fn write(&self, bytes: &[u8], record: &mut CatalogRecord, text: &mut TextReader) -> bool {
        let mut is_lossy = false;
        record.is_over = self.is_over;
        record.leader.extend_from_slice(&bytes[self.leader.clone()]);
        for (number, field) in self.fields.iter().enumerate() {
            let next = self.fields.get(number + 1);
            let values = field.first..next.map_or(self.values.len(), |next| next.first);
            // An element of MODS without a text has only elements in it.
            if values.is_empty() {
                continue;
            }
            let name = |range: &Range<usize>| &self.names[range.clone()];
            let names = (name(&field.tag), name(&field.ind1), name(&field.ind2));
            record.push_field(names.0, names.1, names.2, field.raw.clone());
            for value in &self.values[values] {
                let code = record.push_text(name(&value.code));
                let place = (code, value.raw.clone());
                is_lossy |= push_value(bytes, place, TextForm::Xml, record, text);
            }
        }
        is_lossy
    }
}
