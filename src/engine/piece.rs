//! A piece of text as the stages receive it. It may continue the text that was scanned
//! before it, so a text need not be in memory as a whole.

use crate::item::{Encoding, OwnedContext};

/// A piece of text.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockPiece<'t> {
    pub bytes: &'t [u8],
    pub encoding: Encoding,
    /// The raw offset of its start.
    pub offset: u64,
    /// The raw offset from which the text may be damaged.
    pub doubt: Option<u64>,
    /// The context of what is found in it.
    pub context: &'t OwnedContext,
}
