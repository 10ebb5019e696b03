//! A piece of text as the stages are given it: more of what was scanned before, not
//! a block of its own.

use crate::item::{Encoding, OwnedContext};

/// Text that follows what was scanned before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'t> {
    pub bytes: &'t [u8],
    pub encoding: Encoding,
    /// Raw offset of its start.
    pub offset: u64,
    /// Raw offset from which on it may be wrong.
    pub doubt: Option<u64>,
    /// What surrounds it.
    pub context: &'t OwnedContext,
}
