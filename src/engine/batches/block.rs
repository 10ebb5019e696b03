//! A block as it is claimed, and its text, with how it starts and how it ends. `blocks`
//! makes them.

use super::batch::{BatchNext, Turn};
use super::line_state::LineState;
use super::read_as::ReadAs;
use crate::decode::LogColumns;
use crate::engine::error::Error;
use crate::input::{ReadAt, SourceName};
use crate::item::{Encoding, Loss, Part};
use std::io;
use std::sync::Arc;

/// A block as it is claimed.
pub(in crate::engine) struct Claim<'s> {
    pub turn: Turn,
    pub next: BatchNext,
    pub body: BlockBody<'s>,
    /// The file that the input is.
    pub name: Option<SourceName>,
    /// Whether lines of its text may be requests.
    pub lines: bool,
}

/// The place of the bytes of a block.
pub(in crate::engine) enum BlockBody<'s> {
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
        /// The number of bytes before it that decide where it starts, where a line is
        /// long.
        reach: u64,
        read_as: ReadAs,
        range: Option<Arc<RangeLines>>,
    },
    /// In memory.
    Text(BlockText),
    /// There is no block: the input ended before it.
    Ended,
    /// There is no block: the input could not be opened, or not be read without a panic.
    Failed(Error),
    /// A panic that ends the run took the place of the block. No block follows it.
    Panicked(Error),
}

impl BlockBody<'_> {
    /// The raw offset in the input at which the block starts. For a record, that of the
    /// record.
    pub(in crate::engine) fn offset(&self) -> u64 {
        match self {
            BlockBody::At { start, .. } => *start,
            BlockBody::Text(text) => text.parts.first().map_or(0, |part| match &part.record {
                Some(record) => record.offset,
                None => part.offset,
            }),
            BlockBody::Ended | BlockBody::Failed(_) | BlockBody::Panicked(_) => 0,
        }
    }
}

/// The text of a block.
#[derive(Debug, Default)]
pub(in crate::engine) struct BlockText {
    /// The text that was read.
    pub bytes: Vec<u8>,
    /// The parts of it that are the block, in order.
    pub parts: Vec<BlockStretch>,
    pub encoding: Encoding,
    /// Whether lines of the text that is in no record may be requests (G1): the worker that
    /// scans it sets this from the claim.
    pub lines: bool,
    pub read_as: ReadAs,
    /// Set where the block is one of a range of a text.
    pub range: Option<Arc<RangeLines>>,
    /// The number of bytes that were read for it from the input as it is stored.
    pub stored: u64,
    pub start: BlockStart,
    pub end: BlockEnd,
    /// The sink is flushed after it.
    pub flush: bool,
    /// The losses of unpacking, in order.
    pub losses: Vec<StreamLoss>,
    /// Why nothing more could be read.
    pub failed: Option<Error>,
}

/// No range begins in the first bytes of a text, by which the lines of a log are judged.
pub(in crate::engine) const RANGE_FIRST: u64 = 1 << 20;

/// The lines of a range of a text.
#[derive(Debug)]
pub(in crate::engine) struct RangeLines {
    /// The state before its first line; `None` where it begins the text.
    pub before: Option<LineState>,
    /// The columns by which the lines behind it are read; `None` where it ends the text.
    pub behind: Option<Option<Arc<LogColumns>>>,
}

/// A loss of unpacking, with its place in the text.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct StreamLoss {
    /// The number of ends of records before it. A loss in a record is reported after the end
    /// of the record.
    pub ends: usize,
    /// The offset in the text of the block at which it is, outside of records.
    pub at: usize,
    pub loss: Loss,
}

impl BlockText {
    /// Raw offset of the first byte that is left to the next block, where the block
    /// is one of a file.
    pub(in crate::engine) fn ends_at(&self) -> u64 {
        let part = self.parts.last();
        part.map_or(0, |part| {
            part.offset + part.to.saturating_sub(part.from) as u64
        })
    }

    /// Whether the next block continues the record of `part`.
    pub(in crate::engine) fn leaves_open(&self, part: &BlockStretch) -> bool {
        let is_last = self.parts.last().is_some_and(|last| last.to == part.to);
        is_last && part.record.is_some() && !part.ends && self.end == BlockEnd::Open
    }
}

/// A part of a block. No text is across its ends, unless they are those of the block.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct BlockStretch {
    /// The offset in the bytes of the block at which it starts.
    pub from: usize,
    /// The offset at which it ends.
    pub to: usize,
    /// Raw offset of its start in the input, or in its record.
    pub offset: u64,
    /// The record of a container to which it belongs.
    pub record: Option<Arc<Part>>,
    /// Whether it is the start of a record.
    pub begins: bool,
    /// Whether it is the end of a record.
    pub ends: bool,
    /// The raw offset from which on it may be damaged. For a record, its start.
    pub doubt: Option<u64>,
}

/// The start of a block.
#[derive(Debug, Default)]
pub(in crate::engine) enum BlockStart {
    /// No text is across its start.
    #[default]
    Clean,
    /// The block before it ended inside something.
    Carried,
    /// The raw offset of its start, where the text before it could not be read, and why.
    /// Only the block before it knows how that text ended.
    Torn(u64, io::Error),
}

/// The end of the text of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::engine) enum BlockEnd {
    /// No text is across its end, or the input ended.
    #[default]
    Clean,
    /// The next block needs to know how it ended.
    Open,
}

/// Returns a document of this media type, which is not inside anything else.
pub(in crate::engine) fn document(media_type: &str) -> Arc<Part> {
    Arc::new(Part {
        media_type: media_type.as_bytes().to_vec(),
        ..Part::default()
    })
}
