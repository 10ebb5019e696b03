//! The offsets of texts or lists that are appended: the vector that is filled is the one that an
//! Arrow array has in the end.

use crate::arrow::part::Part;
use arrow_array::OffsetSizeTrait;
use arrow_buffer::{ArrowNativeType, Buffer, OffsetBuffer};
use pyo3::PyResult;
use pyo3::exceptions::PyValueError;
use std::ops::Range;

/// The start of the first entry, 0, and the end of each.
#[derive(Debug)]
pub(crate) struct Offsets {
    /// Those for which 32 bits are enough.
    small: Vec<i32>,
    /// The others, which are behind them.
    large: Vec<i64>,
}

impl Default for Offsets {
    fn default() -> Offsets {
        Offsets::with_capacity(3)
    }
}

impl Offsets {
    pub(crate) fn with_capacity(entries: usize) -> Offsets {
        let mut small = Vec::with_capacity(entries + 1);
        small.push(0);
        let large = Vec::new();
        Offsets { small, large }
    }

    /// Reserves memory for those of all entries.
    pub(crate) fn reserve(&mut self, part: Part) {
        part.reserve(&mut self.small);
    }

    /// Returns the number of entries.
    pub(crate) fn len(&self) -> usize {
        self.small.len() + self.large.len() - 1
    }

    /// Returns the end of the last entry.
    pub(crate) fn end(&self) -> usize {
        self.at(self.len())
    }

    /// Returns where the entry `number` is.
    pub(crate) fn span(&self, number: usize) -> Range<usize> {
        self.at(number)..self.at(number + 1)
    }

    fn at(&self, number: usize) -> usize {
        match self.small.get(number) {
            Some(offset) => offset.as_usize(),
            None => self.large[number - self.small.len()].as_usize(),
        }
    }

    /// Appends an entry.
    #[inline]
    pub(crate) fn push(&mut self, end: usize) {
        match i32::try_from(end) {
            Ok(end) => self.small.push(end),
            Err(_) => self.large.push(i64::usize_as(end)),
        }
    }

    /// Appends entries up to `number` of them in all: one that ends at `end`, and empty ones.
    pub(crate) fn extend_to(&mut self, number: usize, end: usize) {
        (self.len()..number).for_each(|_| self.push(end));
    }

    /// Appends all entries of `other`.
    pub(crate) fn append(&mut self, other: &Offsets) {
        let before = self.end();
        (1..=other.len()).for_each(|number| self.push(before + other.at(number)));
    }

    /// Returns the offsets of an array.
    ///
    /// # Errors
    /// `ValueError`, when they are too large for offsets of this type.
    pub(crate) fn finish<O: OffsetSizeTrait>(self) -> PyResult<OffsetBuffer<O>> {
        if !O::IS_LARGE && !self.large.is_empty() {
            return Err(PyValueError::new_err(
                "an array of this type is full at 2 GiB; pass smaller chunks, or large_string",
            ));
        }
        let buffer = match O::IS_LARGE {
            false => Buffer::from_vec(self.small),
            true => {
                let small = self.small.into_iter().map(i64::from);
                Buffer::from_vec(small.chain(self.large).collect::<Vec<_>>())
            }
        };
        Ok(OffsetBuffer::new(buffer.into()))
    }
}
