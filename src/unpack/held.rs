//! Text that was decoded but not returned yet: that of members that were decoded ahead,
//! and that of a member that is held back until its checksum was read.

use super::ahead::Decoded;
use std::sync::Arc;

/// The least room that a decoder gets to write to.
const ROOM: usize = 64 << 10;

/// Text of one member that is complete, or was held back until now.
pub(super) enum Ready {
    Ahead(Arc<Decoded>),
    Held(Held),
}

impl Ready {
    /// The text, and other bytes.
    pub(super) fn text(&self) -> &[u8] {
        match self {
            Ready::Ahead(decoded) => &decoded.text,
            Ready::Held(held) => &held.bytes,
        }
    }
}

/// The text of the current member, held back.
#[derive(Default)]
pub(super) struct Held {
    /// The text, then room for more.
    bytes: Vec<u8>,
    /// The length of the text.
    pub len: usize,
}

impl Held {
    /// Returns the buffer for reuse.
    pub(super) fn emptied(self) -> Held {
        Held { len: 0, ..self }
    }

    /// Returns room for more text.
    pub(super) fn room(&mut self) -> &mut [u8] {
        if self.bytes.len() - self.len < ROOM {
            let more = (self.bytes.len() / 2).max(2 * ROOM);
            self.bytes.reserve_exact(more);
            self.bytes.resize(self.bytes.len() + more, 0);
        }
        &mut self.bytes[self.len..]
    }
}
