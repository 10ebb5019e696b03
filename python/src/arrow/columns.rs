//! Columns that are being filled: texts one after the other, which become an Arrow array of
//! any of its types of texts.

use crate::arrow::offsets::Offsets;
use crate::arrow::part::Part;
use crate::arrow::text_type::TextType;
use arrow_array::builder::{BinaryViewBuilder, StringViewBuilder};
use arrow_array::{
    Array, ArrayRef, BinaryArray, GenericByteArray, LargeBinaryArray,
    types::{ByteArrayType, LargeUtf8Type, Utf8Type},
};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer, NullBufferBuilder};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

/// Texts, and which of them are null.
#[derive(Debug)]
pub(crate) struct Texts {
    data: Vec<u8>,
    offsets: Offsets,
    nulls: NullBufferBuilder,
}

impl Default for Texts {
    fn default() -> Texts {
        Texts {
            data: Vec::new(),
            offsets: Offsets::default(),
            nulls: NullBufferBuilder::new(0),
        }
    }
}

impl Texts {
    pub(crate) fn with_capacity(rows: usize, bytes: usize) -> Texts {
        Texts {
            data: Vec::with_capacity(bytes),
            offsets: Offsets::with_capacity(rows),
            nulls: NullBufferBuilder::new(rows),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Reserves memory for all texts, of which those so far are `part`.
    pub(crate) fn reserve(&mut self, part: Part) {
        part.reserve(&mut self.data);
        self.offsets.reserve(part);
    }

    /// Whether offsets of 32 bits are enough.
    pub(crate) fn is_small(&self) -> bool {
        i32::try_from(self.data.len()).is_ok()
    }

    pub(crate) fn push(&mut self, text: &[u8]) {
        self.data.extend_from_slice(text);
        self.offsets.push(self.data.len());
        self.nulls.append_non_null();
    }

    pub(crate) fn push_null(&mut self) {
        self.offsets.push(self.data.len());
        self.nulls.append_null();
    }

    pub(crate) fn get(&self, at: usize) -> &[u8] {
        &self.data[self.offsets.span(at)]
    }

    /// Appends all of `other`.
    pub(crate) fn append(&mut self, mut other: Texts) {
        let rows = other.len();
        if self.len() == 0 {
            *self = other;
            return;
        }
        self.data.append(&mut other.data);
        self.offsets.append(&other.offsets);
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
        let Texts { data, offsets, .. } = self;
        Ok(match texts {
            TextType::Binary => Arc::new(BinaryArray::new(
                offsets.finish()?,
                Buffer::from_vec(data),
                nulls,
            )),
            TextType::LargeBinary => Arc::new(LargeBinaryArray::new(
                offsets.finish()?,
                Buffer::from_vec(data),
                nulls,
            )),
            TextType::String => Arc::new(strings::<Utf8Type>(data, offsets, nulls)?),
            TextType::LargeString => Arc::new(strings::<LargeUtf8Type>(data, offsets, nulls)?),
            TextType::StringView => match simdutf8::basic::from_utf8(&data) {
                Ok(_) => {
                    let mut views = StringViewBuilder::with_capacity(offsets.len());
                    let rows = rows(&data, &offsets, nulls.as_ref());
                    rows.for_each(|row| views.append_option(row.map(String::from_utf8_lossy)));
                    Arc::new(views.finish())
                }
                Err(_) => {
                    let large = strings::<LargeUtf8Type>(data, offsets, nulls)?;
                    let mut views = StringViewBuilder::with_capacity(large.len());
                    large.iter().for_each(|row| views.append_option(row));
                    Arc::new(views.finish())
                }
            },
            TextType::BinaryView => {
                let mut views = BinaryViewBuilder::with_capacity(offsets.len());
                let rows = rows(&data, &offsets, nulls.as_ref());
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
    offsets: &'t Offsets,
    nulls: Option<&'t NullBuffer>,
) -> impl Iterator<Item = Option<&'t [u8]>> {
    (0..offsets.len()).map(move |at| {
        let is_valid = nulls.is_none_or(|nulls| nulls.is_valid(at));
        is_valid.then(|| &data[offsets.span(at)])
    })
}

fn strings<T: ByteArrayType<Native = str>>(
    data: Vec<u8>,
    offsets: Offsets,
    nulls: Option<NullBuffer>,
) -> PyResult<GenericByteArray<T>> {
    let (buffer, offsets) = (Buffer::from_vec(data), offsets.finish::<T::Offset>()?);
    let array = GenericByteArray::try_new(offsets.clone(), buffer.clone(), nulls.clone());
    if let Ok(array) = array {
        return Ok(array);
    }
    // Some text is not UTF-8.
    let mut all = Texts::with_capacity(offsets.len(), buffer.len());
    for ends in offsets.windows(2) {
        all.push(&lossy(&buffer[ends[0].as_usize()..ends[1].as_usize()]));
    }
    let array = GenericByteArray::try_new(all.offsets.finish()?, all.data.into(), nulls);
    array.map_err(|error| PyValueError::new_err(error.to_string()))
}
