//! One item of a batch: where its key and its original are in the bytes of the batch,
//! and where it was found in the input.

use crate::item::{Marks, RequestPart};

/// One occurrence of a URI, or several equal occurrences in a block.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct WorkItem {
    pub hash: u64,
    /// Raw offset in the input.
    pub offset: u64,
    pub length: u64,
    pub key: (u32, u32),
    pub original: (u32, u32),
    pub count: u32,
    pub marks: Marks,
    pub lines: InBlock,
    /// The number of its context in the batch, plus one; 0 for none.
    pub context: u32,
    /// The number of the exchange of its line in the batch, plus one; 0 for none.
    pub exchange: u32,
    /// The part of that line.
    pub part: RequestPart,
    /// Whether the item is never merged with others.
    pub alone: bool,
    /// Whether the key is a source and a target.
    pub pair: bool,
}

/// The position of an item among the line feeds of its block.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::engine) struct InBlock {
    /// The number of line feeds of the block before it.
    pub before: u32,
    /// The raw offset after the last of these; 0 for none.
    pub start: u64,
    /// Whether the text begins in the block.
    pub begins: bool,
    /// The number of the text: 0, or the number of bodies around it whose offsets are their
    /// own.
    pub level: u8,
}
