//! The batches of a run over catalogues: records with their bytes, and the bytes between
//! them, in the order of the input.

use crate::decode::{CatalogFormat, CatalogRecord};
use crate::engine::batches::read_as::ReadAs;
use crate::engine::error::Error;
use crate::item::Loss;
use std::ops::Range;
use std::sync::Arc;

/// Records that follow each other in an input, and the bytes around them. All belong to one
/// input or one member of an archive. Together, the batches of an input have all its bytes,
/// decompressed, those of an archive all bytes of its members.
///
/// ```
/// use urisieve::CatalogBatch;
/// let batch = CatalogBatch::default();
/// assert_eq!((batch.input(), batch.pieces().count()), (0, 0));
/// ```
#[derive(Debug, Default)]
pub struct CatalogBatch {
    /// The number of the batch.
    pub(in crate::engine) number: u64,
    pub(in crate::engine) input: usize,
    pub(in crate::engine) member: Option<Arc<[u8]>>,
    pub(in crate::engine) format: Option<CatalogFormat>,
    pub(in crate::engine) columns: Vec<Vec<u8>>,
    /// Whether its member and format are known.
    pub(in crate::engine) is_described: bool,
    pub(in crate::engine) is_converted: bool,
    pub(in crate::engine) is_stored_plain: bool,
    pub(in crate::engine) bytes: Vec<u8>,
    pub(in crate::engine) places: Vec<PiecePlace>,
    /// The records, and memory for more.
    pub(in crate::engine) records: Vec<CatalogRecord>,
    pub(in crate::engine) count: usize,
    /// The sum of [`CatalogRecord::values`] of the records.
    pub(in crate::engine) values: usize,
    pub(in crate::engine) losses: Vec<Loss>,
    pub(in crate::engine) errors: Vec<Error>,
    /// The number of bytes of the input as it is stored that were read for it.
    pub(in crate::engine) stored: u64,
    /// The reading of the input, where the batch is its last one.
    pub(in crate::engine) ended: Option<ReadAs>,
    /// Whether the input pauses.
    pub(in crate::engine) pauses: bool,
}

/// Batches with more bytes, or more values, give their memory back.
const KEPT: usize = 1 << 20;
const KEPT_VALUES: usize = 1 << 16;
/// A value of a record takes as much memory as this many bytes, all that is made of a byte
/// included.
const VALUE_WEIGHT: usize = 24;

/// A piece of a batch.
#[derive(Clone, Debug)]
pub(in crate::engine) struct PiecePlace {
    pub range: Range<usize>,
    /// The number of the record.
    pub record: Option<usize>,
}

/// The next bytes of a catalogue.
///
/// ```
/// use urisieve::{CatalogBatch, CatalogPiece};
/// let count = |batch: &CatalogBatch| {
///     batch.pieces().filter(|piece| matches!(piece, CatalogPiece::Record(..))).count()
/// };
/// assert_eq!(count(&CatalogBatch::default()), 0);
/// ```
#[derive(Clone, Copy, Debug)]
pub enum CatalogPiece<'b> {
    /// A record, and its bytes.
    Record(&'b CatalogRecord, &'b [u8]),
    /// Bytes that belong to no record, or to one that is lost: elements around records, the
    /// header of a table, line breaks, what could not be read.
    Between(&'b [u8]),
}

impl CatalogBatch {
    /// Returns the number of the input, from 0.
    ///
    /// ```
    /// assert_eq!(urisieve::CatalogBatch::default().input(), 0);
    /// ```
    pub fn input(&self) -> usize {
        self.input
    }

    /// Returns the name of the member of an archive that holds the records.
    ///
    /// ```
    /// assert_eq!(urisieve::CatalogBatch::default().member(), None);
    /// ```
    pub fn member(&self) -> Option<&[u8]> {
        self.member.as_deref()
    }

    /// Returns the format of the records; `None` where it is not one of a catalogue.
    ///
    /// ```
    /// assert_eq!(urisieve::CatalogBatch::default().format(), None);
    /// ```
    pub fn format(&self) -> Option<CatalogFormat> {
        self.format
    }

    /// Returns the names of the columns, where the records are rows of a table that has a
    /// header.
    ///
    /// ```
    /// assert!(urisieve::CatalogBatch::default().columns().is_empty());
    /// ```
    pub fn columns(&self) -> &[Vec<u8>] {
        &self.columns
    }

    /// Whether the bytes were converted from UTF-16: they are not those of the input.
    ///
    /// ```
    /// assert!(!urisieve::CatalogBatch::default().is_converted());
    /// ```
    pub fn is_converted(&self) -> bool {
        self.is_converted
    }

    /// Whether the bytes are those of the input as it is stored: it is neither compressed
    /// nor an archive nor converted.
    ///
    /// ```
    /// assert!(!urisieve::CatalogBatch::default().is_stored_plain());
    /// ```
    pub fn is_stored_plain(&self) -> bool {
        self.is_stored_plain && !self.is_converted
    }

    /// Returns the pieces, in the order of the bytes. Nothing is between two of them.
    ///
    /// ```
    /// assert_eq!(urisieve::CatalogBatch::default().pieces().count(), 0);
    /// ```
    pub fn pieces(&self) -> impl Iterator<Item = CatalogPiece<'_>> {
        self.places.iter().map(|place| {
            let bytes = &self.bytes[place.range.clone()];
            match place.record {
                Some(number) => CatalogPiece::Record(&self.records[number], bytes),
                None => CatalogPiece::Between(bytes),
            }
        })
    }

    /// Returns the records, in order.
    ///
    /// ```
    /// assert!(urisieve::CatalogBatch::default().records().is_empty());
    /// ```
    pub fn records(&self) -> &[CatalogRecord] {
        &self.records[..self.count]
    }

    /// Returns whether this is the last batch of its input.
    ///
    /// ```
    /// assert!(!urisieve::CatalogBatch::default().is_last());
    /// ```
    pub fn is_last(&self) -> bool {
        self.ended.is_some()
    }

    /// Returns whether something of the input was lost or could not be read in this batch.
    ///
    /// ```
    /// assert!(!urisieve::CatalogBatch::default().is_damaged());
    /// ```
    pub fn is_damaged(&self) -> bool {
        !self.losses.is_empty() || !self.errors.is_empty()
    }

    /// Empties it; its memory is kept, unless it is unusually much.
    pub(in crate::engine) fn clear(&mut self) {
        if self.bytes.len() > KEPT || self.values > KEPT_VALUES {
            (self.bytes, self.places, self.records) = Default::default();
        }
        self.bytes.clear();
        self.places.clear();
        self.losses.clear();
        self.errors.clear();
        self.member = None;
        self.format = None;
        self.columns.clear();
        (self.count, self.values, self.stored) = (0, 0, 0);
        self.is_described = false;
        (self.is_converted, self.is_stored_plain, self.pauses) = (false, false, false);
        self.ended = None;
    }

    /// The number of bytes whose usual memory it takes.
    pub(in crate::engine) fn weight(&self) -> usize {
        self.bytes.len().max(VALUE_WEIGHT * self.values)
    }

    /// Whether it has nothing to pass on.
    pub(in crate::engine) fn is_empty(&self) -> bool {
        self.places.is_empty() && !self.is_damaged() && self.ended.is_none()
    }

    /// The record that is written next.
    pub(in crate::engine) fn slot(&mut self) -> &mut CatalogRecord {
        if self.count == self.records.len() {
            self.records.push(CatalogRecord::default());
        }
        &mut self.records[self.count]
    }

    /// Adds a piece with these bytes: the record in the slot, or others.
    pub(in crate::engine) fn push(&mut self, bytes: &[u8], is_record: bool) {
        let from = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        let record = is_record.then_some(self.count);
        if is_record {
            self.values += self.records[self.count].values();
            self.count += 1;
        }
        let range = from..self.bytes.len();
        self.places.push(PiecePlace { range, record });
    }
}
