//! Columns that are filled with the values of fields, and their types in Arrow.

use crate::arrow::columns::Texts;
use crate::arrow::offsets::Offsets;
use crate::arrow::part::Part;
use crate::arrow::text_type::TextType;
use crate::settings::given::wrong_value;
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, BooleanArray, Int64Array, ListArray};
use arrow_buffer::NullBufferBuilder;
use arrow_schema::{DataType, Field};
use base64::prelude::{BASE64_STANDARD, Engine};
use pyo3::PyResult;
use std::sync::Arc;
use urisieve::item::Problems;
use urisieve::output::{self, FieldKind, FieldValue};

/// The values of a field.
pub(crate) enum Filling {
    Text(Texts, TextType),
    Number(Vec<i64>, NullBufferBuilder),
    Flag(Vec<Option<bool>>),
    Codes(Vec<Option<Problems>>),
    /// The texts of all lists, the offsets of the lists in them, and which are none.
    Lists(Texts, Offsets, NullBufferBuilder),
}

/// Fields that are a part of a URI. Their values have the type of the texts in which it is.
const PARTS: [&str; 10] = [
    "uri",
    "original",
    "scheme",
    "nid",
    "host",
    "port",
    "path",
    "query",
    "fragment",
    "alternative",
];

/// Returns the column of `field`, if URIs are found in `texts`.
pub(crate) fn column(field: &output::Field, texts: TextType) -> Field {
    let kind = match field.kind {
        FieldKind::Number => DataType::Int64,
        FieldKind::Flag => DataType::Boolean,
        FieldKind::Problems | FieldKind::Texts => {
            DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true)))
        }
        _ => text_type(field, texts).data_type(),
    };
    Field::new(field.name, kind, !field.always)
}

fn text_type(field: &output::Field, texts: TextType) -> TextType {
    match PARTS.contains(&field.name) {
        true => texts,
        false => TextType::String,
    }
}

impl Filling {
    /// Returns the empty column of `field`.
    pub(crate) fn of(field: &output::Field, texts: TextType) -> Filling {
        match field.kind {
            FieldKind::Number => Filling::Number(Vec::new(), NullBufferBuilder::new(0)),
            FieldKind::Flag => Filling::Flag(Vec::new()),
            FieldKind::Problems => Filling::Codes(Vec::new()),
            FieldKind::Texts => Filling::Lists(
                Texts::default(),
                Offsets::default(),
                NullBufferBuilder::new(0),
            ),
            _ => Filling::Text(Texts::default(), text_type(field, texts)),
        }
    }

    /// Reserves memory for all values, of which those so far are `part`.
    pub(crate) fn reserve(&mut self, part: Part) {
        match self {
            Filling::Text(texts, _) => texts.reserve(part),
            Filling::Number(numbers, _) => part.reserve(numbers),
            Filling::Flag(flags) => part.reserve(flags),
            Filling::Codes(codes) => part.reserve(codes),
            Filling::Lists(texts, offsets, _) => {
                texts.reserve(part);
                offsets.reserve(part);
            }
        }
    }

    /// Appends a value; returns the bytes of its text.
    pub(crate) fn push(&mut self, value: FieldValue<'_>) -> usize {
        match self {
            Filling::Text(texts, _) => return push_as_text(texts, value),
            Filling::Number(numbers, nulls) => {
                let number = match value {
                    FieldValue::Number(number) => Some(number.cast_signed()),
                    _ => None,
                };
                numbers.push(number.unwrap_or_default());
                nulls.append(number.is_some());
            }
            Filling::Flag(flags) => {
                let is_set = matches!(value, FieldValue::Set);
                flags.push(is_set.then_some(true));
            }
            Filling::Lists(texts, offsets, nulls) => {
                let bytes = push_list(texts, value);
                offsets.push(texts.len());
                nulls.append(bytes.is_some());
                return bytes.unwrap_or_default();
            }
            Filling::Codes(codes) => codes.push(match value {
                FieldValue::Problems(problems) => Some(problems),
                _ => None,
            }),
        }
        0
    }

    /// Appends a text to a column of texts, in fewer steps than [`push`](Filling::push).
    #[inline]
    pub(crate) fn push_text(&mut self, text: &[u8]) {
        match self {
            Filling::Text(texts, _) => texts.push(text),
            _ => _ = self.push(FieldValue::Text(text)),
        }
    }

    /// Appends a number to a column of numbers, in fewer steps than [`push`](Filling::push).
    #[inline]
    pub(crate) fn push_number(&mut self, number: u64) {
        match self {
            Filling::Number(numbers, nulls) => {
                numbers.push(number.cast_signed());
                nulls.append_non_null();
            }
            _ => _ = self.push(FieldValue::Number(number)),
        }
    }

    /// Appends the values of another column of the same field.
    pub(crate) fn append(&mut self, other: Filling) {
        match (self, other) {
            (Filling::Text(texts, _), Filling::Text(more, _)) => texts.append(more),
            (Filling::Number(numbers, nulls), Filling::Number(more, mut others)) => {
                match others.finish() {
                    Some(others) => nulls.append_buffer(&others),
                    None => nulls.append_n_non_nulls(more.len()),
                }
                numbers.extend(more);
            }
            (Filling::Flag(flags), Filling::Flag(more)) => flags.extend(more),
            (Filling::Codes(codes), Filling::Codes(more)) => codes.extend(more),
            (Filling::Lists(texts, offsets, nulls), Filling::Lists(more, others, mut absent)) => {
                let rows = others.len();
                texts.append(more);
                offsets.append(&others);
                match absent.finish() {
                    Some(absent) => nulls.append_buffer(&absent),
                    None => nulls.append_n_non_nulls(rows),
                }
            }
            _ => {}
        }
    }

    /// Returns the values as an array.
    ///
    /// # Errors
    /// `ValueError`, when they are more than such an array can have.
    pub(crate) fn finish(self) -> PyResult<ArrayRef> {
        Ok(match self {
            Filling::Text(texts, kind) => texts.finish(kind)?,
            Filling::Number(numbers, mut nulls) => {
                Arc::new(Int64Array::new(numbers.into(), nulls.finish()))
            }
            Filling::Flag(flags) => Arc::new(BooleanArray::from(flags)),
            Filling::Lists(texts, offsets, mut nulls) => {
                let item = Arc::new(Field::new_list_field(DataType::Utf8, true));
                let (texts, offsets) = (texts.finish(TextType::String)?, offsets.finish()?);
                let lists = ListArray::try_new(item, offsets, texts, nulls.finish());
                Arc::new(lists.map_err(|error| wrong_value("fields", &error.to_string()))?)
            }
            Filling::Codes(rows) => {
                let mut codes = ListBuilder::new(StringBuilder::new());
                for row in rows {
                    let problems = row.unwrap_or(Problems::NONE);
                    let all = problems.iter();
                    all.for_each(|problem| codes.values().append_value(problem.code()));
                    codes.append(row.is_some());
                }
                Arc::new(codes.finish())
            }
        })
    }
}

/// Appends the texts of a list; returns their bytes, or `None` where there is no list.
fn push_list(texts: &mut Texts, value: FieldValue<'_>) -> Option<usize> {
    let mut bytes = 0;
    let mut push = |text: &[u8]| {
        texts.push(text);
        bytes += text.len();
    };
    match value {
        FieldValue::Text(words) => words.split(|&byte| byte == b' ').for_each(push),
        FieldValue::Entries(matched) => matched.entries().for_each(|entry| push(entry.entry)),
        FieldValue::EntryPlaces(matched) => matched.entries().for_each(|entry| {
            let line = entry.line.to_string();
            push(&[entry.list, b":", line.as_bytes()].concat());
        }),
        _ => return None,
    }
    Some(bytes)
}

fn push_as_text(texts: &mut Texts, value: FieldValue<'_>) -> usize {
    match value {
        FieldValue::Text(text) => {
            texts.push(text);
            text.len()
        }
        FieldValue::Base64(bytes) => {
            texts.push(BASE64_STANDARD.encode(bytes).as_bytes());
            2 * bytes.len()
        }
        FieldValue::Time(time) => {
            let text = time.to_string();
            texts.push(text.as_bytes());
            text.len()
        }
        _ => {
            texts.push_null();
            0
        }
    }
}
