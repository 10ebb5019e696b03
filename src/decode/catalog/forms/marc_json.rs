//! MARC in JSON, a record a line, as ruby-marc and pymarc write it: `{"leader":"…","fields":
//! [{"001":"…"},{"856":{"ind1":"4","ind2":"0","subfields":[{"u":"…"}]}}]}`.

use super::super::record::{CatalogRecord, RecordRules};
use super::super::text::{TextForm, TextReader};
use super::super::value::push_text_of;
use crate::decode::json::{JsonScalar, JsonStep, JsonVisit, walk};
use memchr::memmem;
use std::ops::Range;

/// The levels of objects and arrays down to a subfield.
const DEPTH: usize = 8;

/// A field, as far as it was read.
#[derive(Default)]
struct JsonField {
    /// The number of the field in its array.
    number: usize,
    tag: String,
    indicators: [String; 2],
    /// Codes, values and the bytes of these; a control field has one without a code.
    values: Vec<(String, Vec<u8>, Range<usize>)>,
}

/// Whether all values of an object are at places of a record, and the record.
#[derive(Default)]
struct JsonRecord {
    leader: Option<Vec<u8>>,
    fields: Vec<JsonField>,
    is_other: bool,
}

impl JsonVisit for JsonRecord {
    fn scalar(&mut self, way: &[JsonStep<'_>], value: JsonScalar<'_>, raw: Range<usize>) {
        use JsonStep::{Index, Name};
        let JsonScalar::Text(text) = value else {
            self.is_other = true;
            return;
        };
        match way {
            [Name(name)] if name == "leader" => self.leader = Some(text.as_bytes().to_vec()),
            [Name(name), Index(number), Name(tag), rest @ ..]
                if name == "fields" && tag.len() == 3 =>
            {
                if self
                    .fields
                    .last()
                    .is_none_or(|field| field.number != *number)
                {
                    self.fields.push(JsonField {
                        number: *number,
                        tag: tag.to_string(),
                        ..JsonField::default()
                    });
                }
                let field = self.fields.last_mut().filter(|field| field.tag == **tag);
                match (field, rest) {
                    (Some(field), []) => {
                        field
                            .values
                            .push((String::new(), text.as_bytes().to_vec(), raw))
                    }
                    (Some(field), [Name(name)]) if name == "ind1" => {
                        field.indicators[0] = text.into_owned()
                    }
                    (Some(field), [Name(name)]) if name == "ind2" => {
                        field.indicators[1] = text.into_owned()
                    }
                    (Some(field), [Name(name), Index(_), Name(code)]) if name == "subfields" => {
                        field
                            .values
                            .push((code.to_string(), text.as_bytes().to_vec(), raw));
                    }
                    _ => self.is_other = true,
                }
            }
            _ => self.is_other = true,
        }
    }
}

/// Reads the record in `line`. Returns whether characters of it are malformed; `None` if the line
/// has another object, and then nothing is read.
pub(super) fn read(line: &[u8], record: &mut CatalogRecord, text: &mut TextReader) -> Option<bool> {
    let has = |name: &[u8]| memmem::find(line, name).is_some();
    if !(has(b"\"leader\"") && has(b"\"fields\"")) {
        return None;
    }
    let mut found = JsonRecord::default();
    walk(line, DEPTH, &mut found).ok()?;
    let leader = found
        .leader
        .filter(|_| !found.is_other && !found.fields.is_empty())?;
    record.rules = RecordRules::Marc21;
    record.leader.extend_from_slice(&leader);
    let mut is_lossy = false;
    for field in found.fields {
        if record.is_full() {
            record.is_over = true;
            break;
        }
        let start = field.values.first().map_or(0, |value| value.2.start);
        let end = field.values.last().map_or(start, |value| value.2.end);
        let raw = start..end;
        let [ind1, ind2] = [0, 1].map(|at| field.indicators[at].as_bytes());
        record.push_field(field.tag.as_bytes(), ind1, ind2, raw);
        for (code, value, raw) in field.values {
            let code = record.push_text(code.as_bytes());
            is_lossy |= push_text_of((&value, false), (code, raw), TextForm::Utf8, record, text);
        }
    }
    Some(is_lossy)
}
