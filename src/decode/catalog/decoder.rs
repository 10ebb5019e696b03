//! The decoder of a catalogue: each value is a reference if its field holds URIs,
//! otherwise text that is searched; directories, tags and codes are skipped.

use super::fields::field_role;
use super::format::CatalogFormat;
use super::reader::CatalogReader;
use super::record::{CatalogRecord, FieldPlace, RecordRules, SubfieldPlace};
use super::role::FieldRole;
use super::text::TextForm;
use super::value::RecordStep;
use crate::decode::content_reading::ContentReading;
use crate::decode::event::{
    DataPlace, Decode, DecodedValue, Event, MarkupValue, Output, ValueKind,
};
use crate::decode::markup::{Converter, Language, MarkupDecoder, MarkupDocument};
use crate::decode::mentions::Mentions;
use crate::item::{OwnedMarc, Part, Schemes};
use crate::syntax::masks::stops::FindStops;
use std::sync::Arc;

/// Returns the decoder of a catalogue in this format.
pub(in crate::decode) fn catalog_decoder(
    format: CatalogFormat,
    part: &Part,
    reading: &ContentReading,
) -> Box<dyn Decode> {
    let decoder = CatalogDecoder {
        format,
        reader: CatalogReader::new(format),
        record: CatalogRecord::default(),
        mentions: reading.mentions,
        colons: Arc::clone(&reading.stops),
        is_outside: false,
        order: Vec::new(),
    };
    match format.is_xml() {
        true => Box::new(MarkupDocument::new(part, decoder)),
        false => Box::new(decoder),
    }
}

/// Decodes a catalogue.
#[derive(Debug)]
struct CatalogDecoder {
    format: CatalogFormat,
    reader: CatalogReader,
    record: CatalogRecord,
    mentions: Mentions,
    colons: Arc<dyn FindStops>,
    /// Whether the last text was outside of records.
    is_outside: bool,
    /// The numbers of fields and subfields, in the order of their bytes.
    order: Vec<(u32, u32)>,
}

impl MarkupDecoder for CatalogDecoder {
    const LANGUAGE: Language = Language::Xml;

    fn set_encoding(&mut self, converter: Converter) {
        self.reader.texts().maker().set_converter(converter);
    }
}

impl Decode for CatalogDecoder {
    fn begin_at(&mut self, offset: u64) {
        self.reader.start_at(offset);
    }

    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        let mut read = 0;
        loop {
            let rest = &bytes[read..];
            match self.reader.read(rest, last, &mut self.record) {
                RecordStep::Record(len) => {
                    self.is_outside = false;
                    self.write_record(&rest[..len], out);
                    read += len;
                }
                RecordStep::Outside { len, is_text } => {
                    self.write_outside(&rest[..len], is_text, out);
                    read += len;
                }
                RecordStep::Lost(len, damage) => {
                    self.is_outside = false;
                    out.events.push(Event::Damaged(damage));
                    self.write_outside(&rest[..len], true, out);
                    read += len;
                }
                RecordStep::Hungry => break,
            }
        }
        if last && read < bytes.len() {
            out.events.push(Event::Skipped(bytes.len() - read));
            read = bytes.len();
        }
        read
    }
}

impl CatalogDecoder {
    /// Writes text that is in no record.
    fn write_outside(&mut self, raw: &[u8], is_text: bool, out: &mut Output) {
        if raw.is_empty() {
            return;
        }
        if !is_text {
            self.is_outside = false;
            return out.events.push(Event::Skipped(raw.len()));
        }
        let continues = std::mem::replace(&mut self.is_outside, true);
        if !self.format.is_xml() {
            // Pieces may divide a character, so the text is unchanged.
            if !continues {
                out.events.push(Event::Skipped(0));
            }
            return out.events.push(Event::Text(raw.len()));
        }
        self.write_value(
            (raw, self.form()),
            (ValueKind::Text { continues }, None),
            out,
        );
    }

    /// Returns the form of text outside of values.
    fn form(&self) -> TextForm {
        match self.format.is_xml() {
            true => TextForm::XmlSource,
            false => TextForm::Utf8,
        }
    }

    fn write_record(&mut self, bytes: &[u8], out: &mut Output) {
        for damage in self.record.damage() {
            out.events.push(Event::Damaged(*damage));
        }
        let record = std::mem::take(&mut self.record);
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        for (number, field) in record.fields.iter().enumerate() {
            order.extend(
                field
                    .subfields
                    .clone()
                    .map(|subfield| (number as u32, subfield as u32)),
            );
        }
        order.sort_by_key(|&(_, number)| record.subfields[number as usize].raw.start);
        let mut at = 0;
        let mut shared = None;
        for &(field, subfield) in &order {
            let field = &record.fields[field as usize];
            let value = &record.subfields[subfield as usize];
            // A directory may name bytes twice.
            if value.raw.start < at || value.raw.is_empty() {
                continue;
            }
            self.write_gap(bytes, at..value.raw.start, &record, out);
            at = value.raw.end;
            let raw = &bytes[value.raw.clone()];
            match self.kind(&record, field, value) {
                Some(kind) => {
                    let marc = self.context(&record, field, value, &mut shared);
                    self.write_value((raw, value.form), (kind, Some(marc)), out);
                }
                None => out.skip(raw.len()),
            }
        }
        self.write_gap(bytes, at..bytes.len(), &record, out);
        (self.record, self.order) = (record, order);
    }

    /// Writes bytes between two values: text in XML and in records that are damaged.
    fn write_gap(
        &mut self,
        bytes: &[u8],
        gap: std::ops::Range<usize>,
        record: &CatalogRecord,
        out: &mut Output,
    ) {
        let split = match record.format {
            CatalogFormat::Marc if record.is_sound => gap.end,
            CatalogFormat::Marc => record.data_from.clamp(gap.start, gap.end),
            _ => gap.start,
        };
        out.skip(split - gap.start);
        let raw = &bytes[split..gap.end];
        if !self.mentions.wants(raw, &*self.colons) {
            return out.skip(raw.len());
        }
        let marc = OwnedMarc {
            record_no: record.number,
            record_id: record.id().to_vec(),
            title: record.title().to_vec(),
            record_offset: record.offset,
            ..OwnedMarc::default()
        };
        let kind = ValueKind::Text { continues: false };
        let place = (raw, self.form());
        self.write_value(place, (kind, Some(Arc::new(marc))), out);
    }

    /// Returns the kind of a value; `None` when it has no URI.
    fn kind(
        &self,
        record: &CatalogRecord,
        field: &FieldPlace,
        value: &SubfieldPlace,
    ) -> Option<ValueKind> {
        let text = &record.text[value.text.clone()];
        let is_text = self.mentions.wants(text, &*self.colons);
        let text_kind = Some(ValueKind::Text { continues: false });
        if memchr::memchr(b':', text).is_none() {
            return text_kind.filter(|_| is_text);
        }
        let tag = linked_tag(record, field);
        let role = field_role(record.rules, tag, &record.text[value.code.clone()]);
        match role {
            Some(FieldRole::Uri | FieldRole::DeadUri) => Some(ValueKind::Reference(Schemes::Any)),
            Some(role) if role.is_identifier() => Some(ValueKind::Reference(Schemes::Known)),
            _ => text_kind.filter(|_| is_text),
        }
    }

    fn context(
        &self,
        record: &CatalogRecord,
        field: &FieldPlace,
        value: &SubfieldPlace,
        shared: &mut Option<(Vec<u8>, Vec<u8>)>,
    ) -> Arc<OwnedMarc> {
        let (id, title) =
            shared.get_or_insert_with(|| (record.id().to_vec(), record.title().to_vec()));
        let text = |range: &std::ops::Range<usize>| record.text[range.clone()].to_vec();
        Arc::new(OwnedMarc {
            record_no: record.number,
            record_id: id.clone(),
            title: title.clone(),
            tag: text(&field.tag),
            ind1: text(&field.ind1),
            ind2: text(&field.ind2),
            subfield: text(&value.code),
            occurrence: field.occurrence,
            record_offset: record.offset,
        })
    }

    fn write_value(
        &mut self,
        (raw, form): (&[u8], TextForm),
        (kind, marc): (ValueKind, Option<Arc<OwnedMarc>>),
        out: &mut Output,
    ) {
        let from = out.text.len();
        let (number, _) = out.add_map();
        let mut map = std::mem::take(out.map_mut(number));
        let is_changed = self.reader.map_text(form, raw, &mut out.text, &mut map);
        *out.map_mut(number) = map;
        let mut value = MarkupValue::new(raw.len(), kind);
        value.place = marc.map(DataPlace::Catalog);
        if is_changed {
            value.decoded = Some(DecodedValue {
                len: out.text.len() - from,
                map: Some(number),
            });
        }
        out.events.push(Event::Value(value));
    }
}

/// The tag by whose rules a field is read: 880 holds another field, which its $6 names.
fn linked_tag<'r>(record: &'r CatalogRecord, field: &FieldPlace) -> &'r [u8] {
    let tag = &record.text[field.tag.clone()];
    if record.rules != RecordRules::Marc21 || tag != b"880" {
        return tag;
    }
    let mut subfields = record.subfields[field.subfields.clone()].iter();
    let link = subfields.find(|subfield| record.text[subfield.code.clone()] == *b"6");
    let linked = link.and_then(|link| record.text[link.text.clone()].get(..3));
    linked.unwrap_or(tag)
}
