//! Keys that are gathered from many arrays, each once, and are returned in parts. The
//! part of a key depends only on its bytes.

use crate::arrow::arrays::Column;
use crate::arrow::columns::Texts;
use crate::arrow::export::answer;
use crate::arrow::text_type::TextType;
use crate::sets::packed::{self, KEY_MAX, Kind, LONGEST, Packer};
use crate::settings::given::{self, wrong_value};
use crate::shared::Shared;
use arrow_array::{ArrayRef, Int32Array, StructArray};
use arrow_schema::{DataType, Field, Fields};
use pyo3::prelude::*;
use std::sync::Arc;
use twox_hash::XxHash3_64;
use urisieve::dedup::{Answer, Hasher, Key, Keys, Set};

/// The number of keys that a set takes at once.
const TOGETHER: usize = 256;

/// The most parts: as many as Arrow's numbers of 32 bits.
const PARTS_MAX: u32 = i32::MAX.cast_unsigned();

/// A set of keys.
pub(crate) struct Gathered {
    hasher: Hasher,
    keys: Set,
}

/// Returns the argument `parts` of a call; 1 by default.
///
/// # Errors
/// `TypeError` for another type, `ValueError` for a number that is out of range.
pub(crate) fn number_of_parts(value: Option<&Bound<'_, PyAny>>) -> PyResult<u32> {
    let parts = value.map_or(Ok(1), |value| given::number("parts", value))?;
    match u32::try_from(parts) {
        Ok(parts) if (1..=PARTS_MAX).contains(&parts) => Ok(parts),
        _ => Err(wrong_value("parts", &format!("from 1 to {PARTS_MAX}"))),
    }
}

/// Returns the argument `longest` of a call: the bytes of a block.
///
/// # Errors
/// `TypeError` for another type, `ValueError` for a number that is out of range.
fn longest_block(value: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    value.map_or(Ok(LONGEST), |value| given::number("longest", value))
}

impl Gathered {
    pub(crate) fn new() -> Gathered {
        Gathered {
            hasher: Hasher::new(),
            keys: Set::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The bytes of memory that the set takes.
    pub(crate) fn memory(&self) -> usize {
        self.keys.memory()
    }

    /// The bytes of all keys.
    pub(crate) fn key_bytes(&self) -> usize {
        self.keys.key_bytes()
    }

    /// All keys, in the order in which they were added.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &[u8]> {
        self.keys.entries().map(|entry| entry.key)
    }

    /// Returns what `made` makes of the keys, and removes them.
    ///
    /// # Errors
    /// The errors of `made`; all keys then stay.
    pub(crate) fn take<R>(&mut self, made: impl FnOnce(&Gathered) -> PyResult<R>) -> PyResult<R> {
        let made = made(self)?;
        self.keys = Set::new();
        Ok(made)
    }

    /// Runs `work`, which adds keys, and returns its result.
    pub(crate) fn fill<R>(&mut self, work: impl FnOnce(&mut Intake<'_>) -> R) -> R {
        let mut intake = Intake {
            set: &mut self.keys,
            hasher: &self.hasher,
            bytes: Vec::new(),
            keys: Vec::with_capacity(TOGETHER),
            answers: [Answer::default(); TOGETHER],
        };
        let result = work(&mut intake);
        intake.flush();
        result
    }

    /// Returns the end of each part, and the keys of all: the keys are counted, and then
    /// each is placed in its part.
    pub(crate) fn in_parts(&self, parts: u32) -> (Vec<usize>, Vec<&[u8]>) {
        let mut ends = vec![0; parts as usize];
        let mut as_added = Vec::with_capacity(self.len());
        for key in self.keys() {
            let part = part_of(key, parts);
            ends[part as usize] += 1;
            as_added.push((part, key));
        }
        let mut before = 0;
        for end in &mut ends {
            before += std::mem::replace(end, before);
        }
        let mut keys = vec![&[][..]; as_added.len()];
        for (part, key) in as_added {
            let at = &mut ends[part as usize];
            keys[*at] = key;
            *at += 1;
        }
        (ends, keys)
    }

    /// Returns blocks of at most `longest` bytes, or of one key, with the number of the part
    /// that each belongs to.
    ///
    /// # Errors
    /// `ValueError` for a key that is too long for a block.
    pub(crate) fn pack(&self, kind: Kind, parts: u32, longest: usize) -> PyResult<ArrayRef> {
        let (ends, keys) = self.in_parts(parts);
        if keys.iter().any(|key| key.len() > KEY_MAX) {
            return Err(wrong_value(
                "pack",
                "what is longer than 1 GiB does not fit into a block",
            ));
        }
        let (mut numbers, mut blocks) = (Vec::new(), Texts::default());
        let (mut packer, mut from) = (Packer::default(), 0);
        for (part, end) in (0..).zip(ends) {
            for key in &keys[std::mem::replace(&mut from, end)..end] {
                if !packer.is_empty() && !packer.fits(key, longest) {
                    numbers.push(part);
                    blocks.push(packer.finish(kind));
                }
                packer.push(key);
            }
            if !packer.is_empty() {
                numbers.push(part);
                blocks.push(packer.finish(kind));
            }
        }
        let fields = Fields::from(vec![
            Field::new("part", DataType::Int32, false),
            Field::new("packed", DataType::LargeBinary, false),
        ]);
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int32Array::from(numbers)),
            blocks.finish(TextType::LargeBinary)?,
        ];
        let blocks = StructArray::try_new(fields, columns, None);
        let blocks = blocks.map_err(|error| wrong_value("pack", &error.to_string()))?;
        Ok(Arc::new(blocks))
    }

    /// Adds the keys of blocks whose kind `is_right`.
    ///
    /// # Errors
    /// `ValueError` for a value that is not a block, or is of another kind. Blocks
    /// before it are added.
    pub(crate) fn add_packed(
        &mut self,
        column: &Column,
        mut is_right: impl FnMut(Kind) -> bool,
    ) -> PyResult<()> {
        let mut raw = Vec::new();
        let mut blocks = column.rows().flatten();
        self.fill(|intake| {
            blocks.try_for_each(|block| {
                let (kind, keys) = packed::unpack(block, &mut raw)?;
                if !is_right(kind) {
                    return Err(wrong_value("packed", "a block of another kind of set"));
                }
                keys.for_each(|key| intake.push(key));
                Ok(())
            })
        })
    }
}

/// The calls that all sets of keys have.
impl Shared<Gathered> {
    /// Returns the array that `made` makes of the keys, and empties the set.
    ///
    /// # Errors
    /// The errors of `made`; all keys then stay.
    pub(crate) fn take(
        &self,
        py: Python<'_>,
        made: impl FnOnce(&Gathered) -> PyResult<ArrayRef> + Send,
    ) -> PyResult<Py<PyAny>> {
        let made = py.detach(|| self.lock().take(made))?;
        answer(py, made.data_type().clone(), vec![made], false)
    }

    /// Returns all keys in blocks of `kind`, and empties the set.
    ///
    /// # Errors
    /// Wrong arguments, and a key that is too long for a block.
    pub(crate) fn pack(
        &self,
        py: Python<'_>,
        kind: Kind,
        parts: Option<&Bound<'_, PyAny>>,
        longest: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let (parts, longest) = (number_of_parts(parts)?, longest_block(longest)?);
        self.take(py, |keys| keys.pack(kind, parts, longest))
    }

    /// Adds the keys of a column of blocks whose kind `is_right`.
    ///
    /// # Errors
    /// Those of [`Gathered::add_packed`], and of a wrong column.
    pub(crate) fn add_packed(
        &self,
        x: &Bound<'_, PyAny>,
        is_right: impl FnMut(Kind) -> bool + Send,
    ) -> PyResult<()> {
        let column = Column::required(x, "x")?;
        x.py().detach(|| self.lock().add_packed(&column, is_right))
    }

    /// The bytes of memory that the set takes.
    pub(crate) fn memory(&self, py: Python<'_>) -> usize {
        py.detach(|| self.lock().memory())
    }

    pub(crate) fn len(&self, py: Python<'_>) -> usize {
        py.detach(|| self.lock().len())
    }
}

/// Keys on their way into a set, which takes many at a time: its cache misses overlap then.
pub(crate) struct Intake<'s> {
    set: &'s mut Set,
    hasher: &'s Hasher,
    bytes: Vec<u8>,
    keys: Vec<Key>,
    answers: [Answer; TOGETHER],
}

impl Intake<'_> {
    #[inline]
    pub(crate) fn push(&mut self, key: &[u8]) {
        let from = self.bytes.len();
        let (Ok(start), Ok(end)) = (u32::try_from(from), u32::try_from(from + key.len())) else {
            // A `Key` cannot hold these offsets: the key is added alone, after the keys
            // before it.
            self.flush();
            self.set.insert(self.hasher.hash(key), key, 1, b"");
            return;
        };
        self.bytes.extend_from_slice(key);
        self.keys.push(Key {
            hash: self.hasher.hash(key),
            from: start,
            to: end,
            number: 0,
            count: 1,
        });
        if self.keys.len() == TOGETHER {
            self.flush();
        }
    }

    /// Adds the keys that wait.
    fn flush(&mut self) {
        let answers = &mut self.answers[..self.keys.len()];
        self.set.ask(&Keys::new(&self.bytes, &self.keys), answers);
        self.keys.clear();
        self.bytes.clear();
    }
}

/// Returns the part of a key, by a hash without a random key, because executors must
/// agree.
fn part_of(key: &[u8], parts: u32) -> u32 {
    match parts {
        1 => 0,
        parts => (XxHash3_64::oneshot(key) % u64::from(parts)) as u32,
    }
}
