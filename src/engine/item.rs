//! One item of a batch: which bytes of the batch are its key and its original, and
//! where it was found.

use crate::item::Marks;

/// One occurrence, or several equal ones of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub hash: u64,
    /// Raw offset in the input.
    pub offset: u64,
    pub length: u64,
    pub key: (u32, u32),
    pub original: (u32, u32),
    pub count: u32,
    pub marks: Marks,
    pub lines: InBlock,
    /// Number of its context in the batch, plus one; 0 for none.
    pub context: u32,
    /// It is merged with no other.
    pub alone: bool,
}

/// Where an item stands among the line feeds of its block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InBlock {
    /// Line feeds of the block before it.
    pub before: u32,
    /// Raw offset after the last of these; 0 for none.
    pub start: u64,
    /// Its text begins in the block.
    pub begins: bool,
}
