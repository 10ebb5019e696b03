//! Columns that are being filled: texts one after the other, which become an Arrow array of
//! any of its types of texts.

use crate::arrow::text_type::TextType;
use arrow_array::builder::{BinaryViewBuilder, StringViewBuilder};
use arrow_array::{
    ArrayRef, BinaryArray, GenericByteArray, LargeBinaryArray, OffsetSizeTrait,
    types::{ByteArrayType, LargeUtf8Type, Utf8Type},
};
use arrow_buffer::{Buffer, NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

/// Texts, and which of them are null.
#[derive(Debug)]
pub(crate) struct Texts {
    data: Vec<u8>,
    /// The end of each.
    ends: Vec<usize>,
    nulls: NullBufferBuilder,
}

impl Default for Texts {
    fn default() -> Texts {
        Texts::with_capacity(0, 0)
    }
}

impl Texts {
    pub(crate) fn with_capacity(rows: usize, bytes: usize) -> Texts {
        Texts {
            data: Vec::with_capacity(bytes),
            ends: Vec::with_capacity(rows),
            nulls: NullBufferBuilder::new(rows),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether offsets of 32 bits are enough.
    pub(crate) fn is_small(&self) -> bool {
        i32::try_from(self.data.len()).is_ok()
    }

    pub(crate) fn push(&mut self, text: &[u8]) {
        self.data.extend_from_slice(text);
        self.ends.push(self.data.len());
        self.nulls.append_non_null();
    }

    pub(crate) fn push_null(&mut self) {
        self.ends.push(self.data.len());
        self.nulls.append_null();
    }

    pub(crate) fn get(&self, at: usize) -> &[u8] {
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.data[from..self.ends[at]]
    }

    /// Appends all of `other`.
    pub(crate) fn append(&mut self, mut other: Texts) {
        if self.ends.is_empty() {
            *self = other;
            return;
        }
        let before = self.data.len();
        self.data.append(&mut other.data);
        self.ends.extend(other.ends.iter().map(|end| before + end));
        let rows = other.ends.len();
        match other.nulls.finish() {
            Some(nulls) => self.nulls.append_buffer(&nulls),
            None => self.nulls.append_n_non_nulls(rows),
        }
    }

    /// Returns the texts as an array.
    ///
    /// # Errors
    /// `ValueError`, when they are more than such an array can have.
    pub(crate) fn finish(mut self, texts: TextType) -> PyResult<ArrayRef> {
        let nulls = self.nulls.finish();
        let Texts { data, ends, .. } = self;
        Ok(match texts {
            TextType::Binary => Arc::new(BinaryArray::new(
                offsets(&ends)?,
                Buffer::from_vec(data),
                nulls,
            )),
            TextType::LargeBinary => {
                let offsets = offsets(&ends)?;
                Arc::new(LargeBinaryArray::new(
                    offsets,
                    Buffer::from_vec(data),
                    nulls,
                ))
            }
            TextType::String => Arc::new(strings::<Utf8Type>(data, &ends, nulls)?),
            TextType::LargeString => Arc::new(strings::<LargeUtf8Type>(data, &ends, nulls)?),
            TextType::StringView => match simdutf8::basic::from_utf8(&data) {
                Ok(_) => {
                    let mut views = StringViewBuilder::with_capacity(ends.len());
                    let rows = rows(&data, &ends, nulls.as_ref());
                    rows.for_each(|row| views.append_option(row.map(String::from_utf8_lossy)));
                    Arc::new(views.finish())
                }
                Err(_) => {
                    let large = strings::<LargeUtf8Type>(data, &ends, nulls)?;
                    let mut views = StringViewBuilder::with_capacity(ends.len());
                    large.iter().for_each(|row| views.append_option(row));
                    Arc::new(views.finish())
                }
            },
            TextType::BinaryView => {
                let mut views = BinaryViewBuilder::with_capacity(ends.len());
                let rows = rows(&data, &ends, nulls.as_ref());
                rows.for_each(|row| views.append_option(row));
                Arc::new(views.finish())
            }
        })
    }
}

pub(crate) fn is_utf8(text: &[u8]) -> bool {
    // URIs are short, and nearly always ASCII.
    text.is_ascii() || simdutf8::basic::from_utf8(text).is_ok()
}

/// Returns a text as UTF-8, with U+FFFD for malformed bytes.
pub(crate) fn lossy(text: &[u8]) -> Cow<'_, [u8]> {
    match is_utf8(text) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(String::from_utf8_lossy(text).into_owned().into_bytes()),
    }
}

fn rows<'t>(
    data: &'t [u8],
    ends: &'t [usize],
    nulls: Option<&'t NullBuffer>,
) -> impl Iterator<Item = Option<&'t [u8]>> {
    let mut from = 0;
    ends.iter().enumerate().map(move |(at, &end)| {
        let row = &data[std::mem::replace(&mut from, end)..end];
        nulls.is_none_or(|nulls| nulls.is_valid(at)).then_some(row)
    })
}

fn strings<T: ByteArrayType<Native = str>>(
    data: Vec<u8>,
    ends: &[usize],
    nulls: Option<NullBuffer>,
) -> PyResult<GenericByteArray<T>> {
    let buffer = Buffer::from_vec(data);
    if let Ok(array) = GenericByteArray::try_new(offsets(ends)?, buffer.clone(), nulls.clone()) {
        return Ok(array);
    }
    // Some text is not UTF-8.
    let mut all = Texts::with_capacity(ends.len(), buffer.len());
    for row in rows(&buffer, ends, None) {
        all.push(&lossy(row.unwrap_or_default()));
    }
    let array = GenericByteArray::try_new(offsets(&all.ends)?, all.data.into(), nulls);
    array.map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Returns the offsets of texts with these `ends`.
///
/// # Errors
/// `ValueError`, when the bytes are too many for offsets of this type.
pub(crate) fn offsets<O: OffsetSizeTrait>(ends: &[usize]) -> PyResult<OffsetBuffer<O>> {
    let last = ends.last().copied().unwrap_or(0);
    if O::from_usize(last).is_none() {
        return Err(PyValueError::new_err(
            "an array of this type is full at 2 GiB; pass smaller chunks, or large_string",
        ));
    }
    let mut offsets = Vec::with_capacity(ends.len() + 1);
    offsets.push(O::usize_as(0));
    offsets.extend(ends.iter().map(|&end| O::usize_as(end)));
    Ok(OffsetBuffer::new(ScalarBuffer::from(offsets)))
}
