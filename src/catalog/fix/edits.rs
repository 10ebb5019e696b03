//! The rows that a table has for one record, and the values of the record that they are
//! for: values with the tag, the occurrence, the code and the original of the row;
//! equal values in the order of the rows.

use super::super::check::addresses;
use super::super::choice::FieldChoice;
use super::super::listing::{ListedKind, numbers};
use super::fixed::{FixedValue, PlannedFixes, of_record};
use super::spreadsheet::{is_date, is_respelled, is_shortened, may_be_respelled, tag_key};
use super::table::{EditedRow, TableRow, value_hash};
use crate::decode::{CatalogRecord, FieldRole, ValueChange};
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use unicode_normalization::UnicodeNormalization;

const TWO_ROWS: &str = "another row is for this value";
const OTHER: &str = "the original is not what the record has";
const SHORTENED: &str =
    "the suggestion is a number that a spreadsheet shortened: format its cell as text";
const RESPELLED: &str = "the suggestion may be a number without its zeros, or a date of a spreadsheet, as the \
                         original is: format its cell as text";

/// A place of a record: the numbers of a field and of a subfield.
type ValueAt = (usize, usize);

/// Returns the changes that `rows` have for the record, and reports rows that do not fit
/// it to `refused`.
pub(super) fn planned(
    record: &CatalogRecord,
    rows: &[TableRow],
    refused: &mut Vec<FixedValue>,
) -> PlannedFixes {
    let values = RecordValues::of(record);
    // For each value the number of its rows, and the number of rows that were planned.
    let mut counts: HashMap<u64, (usize, usize)> = HashMap::new();
    let resolved: Vec<Result<Option<(u64, String)>, &str>> = rows
        .iter()
        .map(|row| {
            let found = match &row.row {
                Some(edited) => values.reading(edited),
                None => Ok(Some((row.hash, String::new()))),
            };
            if let Ok(Some((hash, _))) = &found {
                counts.entry(*hash).or_default().0 += 1;
            }
            found
        })
        .collect();
    let (mut fixes, mut notes) = (PlannedFixes::default(), NoteEdits::default());
    for (row, found) in rows.iter().zip(resolved) {
        let place = found
            .as_ref()
            .ok()
            .and_then(Option::as_ref)
            .map(|(hash, _)| {
                let places = values.places.get(hash).map_or(&[][..], Vec::as_slice);
                let (all, met) = counts.entry(*hash).or_default();
                *met += 1;
                // If there are more rows than values, the value of each row is uncertain.
                places.get(*met - 1).filter(|_| *all <= places.len())
            });
        let Some(edited) = &row.row else {
            continue;
        };
        let mut value = of_record(record);
        value.tag = edited.tag.clone().into_bytes();
        value.occurrence = edited.occurrence;
        value.subfield = edited.subfield.clone().into_bytes();
        (value.before, value.after) = (edited.original.clone(), edited.suggestion.clone());
        let refusal = match (place, found) {
            (_, Err(reason)) => Some(reason),
            (Some(Some(&(field, subfield))), Ok(Some((_, text)))) => {
                value.after.clone_from(&text);
                fixes.changes.push(ValueChange {
                    field,
                    subfield,
                    text,
                });
                None
            }
            (Some(None), _) => Some(TWO_ROWS),
            _ => notes.add(&values, edited).err(),
        };
        let reason = refusal.map(|reason| match reason {
            OTHER => format!("{OTHER}: {}", values.difference(edited)),
            reason => reason.to_owned(),
        });
        match reason {
            None => fixes.values.push(value),
            Some(reason) => refused.push(FixedValue {
                refused: format!("row {}: {reason}", row.number),
                ..value
            }),
        }
    }
    fixes.changes.extend(notes.changes);
    fixes
}

/// The values of a record.
struct RecordValues {
    /// The places of each value, by its hash.
    places: HashMap<u64, Vec<ValueAt>>,
    /// The subfields of notes, in which addresses are.
    notes: Vec<NoteValue>,
    /// The text of each place.
    texts: HashMap<ValueAt, String>,
    /// All subfields.
    all: Vec<AnyValue>,
}

/// A subfield.
struct AnyValue {
    tag: String,
    occurrence: u64,
    code: String,
    text: String,
}

/// A subfield of a note.
struct NoteValue {
    at: ValueAt,
    tag: String,
    occurrence: u64,
    code: String,
    text: String,
    /// The parts that rows are for; empty where these are addresses anywhere in the text.
    parts: Vec<String>,
}

impl RecordValues {
    fn of(record: &CatalogRecord) -> RecordValues {
        let mut values = RecordValues {
            places: HashMap::new(),
            notes: Vec::new(),
            texts: HashMap::new(),
            all: Vec::new(),
        };
        let choice = FieldChoice::default();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        for (number, field) in record.fields().enumerate() {
            for (place, subfield) in field.subfields().enumerate() {
                let at = (number, place);
                let (tag, code) = (text(field.tag), text(subfield.code));
                let value = text(subfield.text);
                let hash = value_hash(&tag, field.occurrence, &code, &value);
                values.all.push(AnyValue {
                    tag: tag.clone(),
                    occurrence: field.occurrence,
                    code: code.clone(),
                    text: value.clone(),
                });
                values.places.entry(hash).or_default().push(at);
                values.texts.insert(at, value.clone());
                let role = choice.role(record.rules(), &field, &subfield);
                let parts = match role {
                    Some(role) if role.is_identifier() => several(role, &value),
                    _ => Vec::new(),
                };
                let is_note = role.is_some_and(|role| !role.is_identifier());
                if is_note || !parts.is_empty() {
                    values.notes.push(NoteValue {
                        at,
                        tag,
                        occurrence: field.occurrence,
                        code,
                        text: value,
                        parts,
                    });
                }
            }
        }
        values
    }

    /// Returns the hash of the value that a row is for, and its new text; `None` if the
    /// record has no such value.
    ///
    /// # Errors
    /// Why the new text is not that which a person typed.
    fn reading(&self, row: &EditedRow) -> Result<Option<(u64, String)>, &'static str> {
        if is_shortened(&row.suggestion) {
            return Err(SHORTENED);
        }
        let found = row.readings().into_iter().find_map(|(original, text)| {
            let hash = value_hash(&row.tag, row.occurrence, &row.subfield, &original);
            let places = self.places.get(&hash)?;
            // Numbers that only differ in their zeros are not distinguished.
            let mut texts = places.iter().map(|place| &self.texts[place]);
            let first = texts.next()?;
            let is_one = texts.all(|other| other == first);
            is_one.then_some((hash, text, first, original))
        });
        if let Some((hash, text, value, original)) = found {
            let is_whole = original.nfc().eq(value.nfc());
            return match is_whole || !may_be_respelled(&text, value) {
                true => Ok(Some((hash, text))),
                false => Err(RESPELLED),
            };
        }
        let mut fitting = self.respelled(row);
        let (Some(value), None) = (fitting.next(), fitting.next()) else {
            return Ok(None);
        };
        let hash = value_hash(&value.tag, value.occurrence, &value.code, &value.text);
        let Some((_, text)) = row.readings().pop() else {
            return Ok(None);
        };
        match may_be_respelled(&text, &value.text) {
            true => Err(RESPELLED),
            false => Ok(Some((hash, text))),
        }
    }

    /// Returns the values at the place of a row that a spreadsheet may have written as its original.
    fn respelled<'v>(&'v self, row: &'v EditedRow) -> impl Iterator<Item = &'v AnyValue> {
        self.of_row(row)
            .filter(|value| is_respelled(&row.original, &value.text))
    }

    /// Returns the values at the place that a row names.
    fn of_row<'v>(&'v self, row: &'v EditedRow) -> impl Iterator<Item = &'v AnyValue> {
        let is_of_row = |value: &&AnyValue| row.is_at((&value.tag, value.occurrence, &value.code));
        self.all.iter().filter(is_of_row)
    }

    /// Says how the record differs from a row.
    fn difference(&self, row: &EditedRow) -> String {
        let place = format!("{} #{} ${}", row.tag, row.occurrence, row.subfield);
        let fitting: Vec<String> = self
            .respelled(row)
            .map(|value| shown(&value.text))
            .collect();
        if fitting.len() > 1 {
            return format!(
                "a spreadsheet changed it, and {place} is {}",
                fitting.join(" and ")
            );
        }
        let begins_alike = |value: &&AnyValue| alike(&value.text, &row.original);
        let nearest = self
            .of_row(row)
            .min_by_key(|value| Reverse(begins_alike(value)));
        let Some(value) = nearest else {
            let fields: BTreeSet<u64> = self
                .all
                .iter()
                .filter(|value| tag_key(&value.tag) == tag_key(&row.tag))
                .map(|value| value.occurrence)
                .collect();
            return match fields.len() {
                0 => format!("it has no field {}", row.tag),
                count => format!("it has no {place}, but {count} of {}", row.tag),
            };
        };
        let how = match is_date(&row.original) {
            true => "which a spreadsheet does not write as this date".to_owned(),
            false => format!(
                "which differs from character {} on",
                begins_alike(&value) + 1
            ),
        };
        format!("{place} is {}, {how}", shown(&value.text))
    }
}

/// The number of characters that two texts begin with.
fn alike(one: &str, two: &str) -> usize {
    one.chars()
        .zip(two.chars())
        .take_while(|(one, two)| one == two)
        .count()
}

/// Returns the beginning of a text, in quotes.
fn shown(text: &str) -> String {
    const SHOWN: usize = 200;
    format!("{:?}", text.chars().take(SHOWN).collect::<String>())
}

/// Returns the values of a subfield that has several, which have rows of their own.
fn several(role: FieldRole, text: &str) -> Vec<String> {
    let parts = match role {
        FieldRole::Isbn => numbers(ListedKind::Isbn, text),
        FieldRole::Issn => numbers(ListedKind::Issn, text),
        _ => addresses(text),
    };
    match parts.len() {
        1 => Vec::new(),
        _ => parts.into_iter().map(str::to_owned).collect(),
    }
}

/// Changes of addresses in notes: a note may have several.
#[derive(Debug, Default)]
struct NoteEdits {
    changes: Vec<ValueChange>,
}

impl NoteEdits {
    /// Plans to replace an address that a note has once.
    ///
    /// # Errors
    /// Why the row does not fit the record.
    fn add(&mut self, values: &RecordValues, row: &EditedRow) -> Result<(), &'static str> {
        let is_of_row = |note: &&NoteValue| row.is_at((&note.tag, note.occurrence, &note.code));
        for note in values.notes.iter().filter(is_of_row) {
            let is_its = |change: &&mut ValueChange| (change.field, change.subfield) == note.at;
            let planned = self.changes.iter_mut().find(is_its);
            let text = planned.as_ref().map_or(&note.text, |change| &change.text);
            for (original, suggestion) in row.readings() {
                let mut found = note.text.match_indices(&original);
                let is_part = note.parts.is_empty() || note.parts.contains(&original);
                let is_alone = is_part
                    && !original.is_empty()
                    && found.next().is_some()
                    && found.next().is_none();
                let Some(at) = text.find(&original).filter(|_| is_alone) else {
                    continue;
                };
                let text = [&text[..at], &suggestion, &text[at + original.len()..]].concat();
                match planned {
                    Some(change) => change.text = text,
                    None => self.changes.push(ValueChange {
                        field: note.at.0,
                        subfield: note.at.1,
                        text,
                    }),
                }
                return Ok(());
            }
        }
        Err(OTHER)
    }
}
