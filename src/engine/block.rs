//! A block: as it is claimed, and the text that it is, with how it starts and ends.
//! Where it comes from is left to `blocks`.

use super::error::Error;
use super::read_as::ReadAs;
use crate::input::ReadAt;
use crate::item::{Encoding, Loss, Part};
use std::io;
use std::sync::Arc;

/// A block as it is claimed.
pub(super) struct Claim<'s> {
    /// Its number in the order of all inputs.
    pub seq: u64,
    /// The input that it is of.
    pub input: usize,
    pub body: Body<'s>,
}

/// Where the bytes of a block are.
pub(super) enum Body<'s> {
    /// In a file, still to be read.
    At {
        source: Arc<dyn ReadAt + 's>,
        /// Raw offset of the text's start, after a byte-order mark.
        first: u64,
        /// Raw offset of the block's nominal start.
        start: u64,
        /// Raw offset of its nominal end.
        end: u64,
        /// Raw length of the file.
        len: u64,
        /// So many bytes before it decide where it starts, where a line is long.
        reach: u64,
        /// What it is read into.
        buffer: Vec<u8>,
    },
    /// Here.
    Text(Text),
    /// The input gives no block.
    Failed(Error),
    /// A panic: there is no block after this one.
    Panicked(Error),
}

impl Body<'_> {
    /// Raw offset in the input from which on it is read, of a record that of the record.
    pub(super) fn offset(&self) -> u64 {
        match self {
            Body::At { start, .. } => *start,
            Body::Text(text) => text.parts.first().map_or(0, |part| match &part.record {
                Some(record) => record.offset,
                None => part.offset,
            }),
            Body::Failed(_) | Body::Panicked(_) => 0,
        }
    }
}

/// The text of a block.
#[derive(Debug, Default)]
pub(super) struct Text {
    /// What was read.
    pub bytes: Vec<u8>,
    /// What of it the block is, in order.
    pub parts: Vec<Stretch>,
    pub encoding: Encoding,
    pub read_as: ReadAs,
    /// Bytes of the input as it is stored that were read for it.
    pub stored: u64,
    pub start: Start,
    pub end: End,
    /// What it gives is to be told at once.
    pub flush: bool,
    /// What could not be unpacked, and after how many ends of records it is reported.
    pub losses: Vec<(usize, Loss)>,
    /// Why nothing more could be read.
    pub failed: Option<Error>,
}

impl Text {
    /// Raw offset of the first byte that is left to the next block, where the block
    /// is one of a file.
    pub(super) fn ends_at(&self) -> u64 {
        let part = self.parts.last();
        part.map_or(0, |part| {
            part.offset + part.to.saturating_sub(part.from) as u64
        })
    }
}

/// A part of a block: nothing lies across its ends but those of the block.
#[derive(Clone, Debug, Default)]
pub(super) struct Stretch {
    /// Where in the bytes of the block it starts.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// Raw offset of its start in the input, or in its record.
    pub offset: u64,
    /// The record of a container that it is of.
    pub record: Option<Arc<Part>>,
    /// It is the start of a record.
    pub begins: bool,
    /// It is the end of a record.
    pub ends: bool,
    /// Raw offset from which on it may be wrong; of a record its start.
    pub doubt: Option<u64>,
}

/// How a block starts.
#[derive(Debug, Default)]
pub(super) enum Start {
    /// Nothing lies across its start.
    #[default]
    Clean,
    /// The block before it ended inside something.
    Carried,
    /// At this raw offset, but what stands before it could not be read, and why:
    /// only the block before can tell how that ended.
    Torn(u64, io::Error),
}

/// How a block ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum End {
    /// Nothing lies across its end, or the input ended.
    #[default]
    Clean,
    /// The next block must know how it ended.
    Open,
}
