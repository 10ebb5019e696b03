//! The texts that calls take: `str`, `bytes`, and objects that are copied to `bytes`.
//! Offsets in UTF-8 become indices of the object.

use crate::boundary;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// A text in memory.
pub(crate) struct Text<'py> {
    /// The `str` or `bytes` that has the bytes.
    pub owner: Bound<'py, PyAny>,
    pub form: TextForm,
}

/// The type of a text, and of the values that are found in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextForm {
    /// `str`; in ASCII, offsets and indices are the same.
    Str {
        ascii: bool,
    },
    Bytes,
}

/// The types that are copied into `bytes`.
const COPIED: [&str; 3] = ["bytearray", "memoryview", "mmap"];

impl<'py> Text<'py> {
    /// Returns the text that `object` is; `None` when it is not a text.
    pub(crate) fn of(object: &Bound<'py, PyAny>) -> PyResult<Option<Text<'py>>> {
        if let Ok(text) = object.cast::<PyString>() {
            let len = boundary::utf8(text)?.len();
            return Ok(Some(Text {
                owner: object.clone(),
                form: TextForm::Str {
                    ascii: len == object.len()?,
                },
            }));
        }
        let form = TextForm::Bytes;
        if object.is_instance_of::<PyBytes>() {
            let owner = object.clone();
            return Ok(Some(Text { owner, form }));
        }
        let name = object.get_type().name()?;
        if COPIED.iter().any(|copied| name == *copied) {
            let bytes = object.py().get_type::<PyBytes>();
            // `bytes(mmap)` would read an `mmap` as a sequence of numbers.
            let owner = match name == "mmap" {
                true => object.get_item(pyo3::types::PySlice::full(object.py()))?,
                false => bytes.call1((object,))?,
            };
            return Ok(Some(Text { owner, form }));
        }
        Ok(None)
    }

    /// Returns the text that the argument `name` is.
    ///
    /// # Errors
    /// `TypeError`, when it is not a text.
    pub(crate) fn required(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Text<'py>> {
        Text::of(object)?.ok_or_else(|| {
            let given = type_name(object);
            PyTypeError::new_err(format!("{name}: str or bytes expected, not {given}"))
        })
    }

    /// Whether it is a `str`.
    pub(crate) fn is_str(&self) -> bool {
        !self.form.is_bytes()
    }

    /// Returns the bytes: of a `str` its UTF-8.
    pub(crate) fn bytes(&self) -> PyResult<&[u8]> {
        match self.owner.cast::<PyString>() {
            Ok(text) => boundary::utf8(text),
            Err(_) => Ok(self.owner.cast::<PyBytes>()?.as_bytes()),
        }
    }
}

impl TextForm {
    /// Returns the form of a value that was pickled.
    pub(crate) fn pickled(is_bytes: bool) -> TextForm {
        match is_bytes {
            true => TextForm::Bytes,
            false => TextForm::Str { ascii: false },
        }
    }

    pub(crate) fn is_bytes(self) -> bool {
        self == TextForm::Bytes
    }

    /// Returns bytes as an object of this type; malformed UTF-8 becomes U+FFFD in a
    /// `str`.
    pub(crate) fn object<'py>(self, py: Python<'py>, bytes: &[u8]) -> Bound<'py, PyAny> {
        match self {
            TextForm::Bytes => PyBytes::new(py, bytes).into_any(),
            TextForm::Str { .. } => match simdutf8::basic::from_utf8(bytes) {
                Ok(text) => PyString::new(py, text).into_any(),
                Err(_) => PyString::new(py, &String::from_utf8_lossy(bytes)).into_any(),
            },
        }
    }
}

/// Returns the name of the type of `object`, for messages.
pub(crate) fn type_name(object: &Bound<'_, PyAny>) -> String {
    let name = object.get_type().name();
    name.map_or_else(|_| "object".to_owned(), |name| name.to_string())
}

/// The way from offsets in UTF-8 to characters. Offsets that grow cost one pass over the
/// text in all.
#[derive(Debug, Default)]
pub(crate) struct Characters {
    offset: usize,
    index: usize,
}

impl Characters {
    /// Returns the number of characters before `offset`.
    pub(crate) fn index(&mut self, text: &[u8], form: TextForm, offset: usize) -> usize {
        if form != (TextForm::Str { ascii: false }) {
            return offset;
        }
        let offset = offset.min(text.len());
        if offset >= self.offset {
            self.index += characters(&text[self.offset..offset]);
        } else {
            self.index -= characters(&text[offset..self.offset]);
        }
        self.offset = offset;
        self.index
    }
}

/// Counts the bytes that begin a character.
fn characters(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}
