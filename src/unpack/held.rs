//! Text that was decoded but not yet given on: of members that others decoded
//! ahead, and of one that is held back until it is known whether it is right.

use super::ahead::Decoded;
use std::sync::Arc;

/// What a decoder is given to write to, at least.
const ROOM: usize = 64 << 10;

/// Text of one member that is known to be whole, or held back until now.
pub(super) enum Ready {
    Ahead(Arc<Decoded>),
    Held(Held),
}

impl Ready {
    /// The text, and bytes that are not of it.
    pub(super) fn text(&self) -> &[u8] {
        match self {
            Ready::Ahead(decoded) => &decoded.text,
            Ready::Held(held) => &held.bytes,
        }
    }
}

/// The text of the member that is read, held back.
#[derive(Default)]
pub(super) struct Held {
    /// The text, then room for more of it.
    bytes: Vec<u8>,
    /// How long the text is.
    pub len: usize,
}

impl Held {
    /// The buffer, to be used again.
    pub(super) fn emptied(self) -> Held {
        Held { len: 0, ..self }
    }

    /// Room for more text.
    pub(super) fn room(&mut self) -> &mut [u8] {
        if self.bytes.len() - self.len < ROOM {
            let more = (self.bytes.len() / 2).max(2 * ROOM);
            self.bytes.reserve_exact(more);
            self.bytes.resize(self.bytes.len() + more, 0);
        }
        &mut self.bytes[self.len..]
    }
}
