//! What the next piece of a text must know when one ended inside something (where no
//! safe cut is near): the bytes that are not decided and what stood to their left.

use crate::decode::Records;
use crate::delimit::Overrun;
use crate::item::Leader;

/// What was not decided at the end of a piece of text.
#[derive(Debug, Default)]
pub(super) struct Carry {
    /// The last bytes of the piece: what is not decided, and its left context.
    pub bytes: Vec<u8>,
    /// Raw bytes that `bytes` stand for.
    pub raw_len: u64,
    /// Where in `bytes` scanning goes on.
    pub resume: usize,
    /// Where in `bytes` the next candidate may start.
    pub floor: usize,
    /// A run that is too long goes on at `resume`.
    pub overrun: Option<Overrun>,
    /// How the records of a list go on.
    pub reading: Reading,
    /// The leader of the line that holds the first of `bytes`, and whether it may
    /// still become longer.
    pub leader: (Vec<u8>, bool),
}

impl Carry {
    /// Nothing at all: the start of a text.
    pub(super) fn start() -> Carry {
        Carry {
            leader: (Vec::new(), true),
            ..Carry::default()
        }
    }

    pub(super) fn leader(&self) -> Leader<'_> {
        Leader {
            text: &self.leader.0,
            open: self.leader.1,
        }
    }
}

/// How reading a list goes on in the next piece of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// How records are read, once that is known.
    pub records: Option<Records>,
    /// The record is too long and is passed over.
    pub too_long: bool,
    /// The input lacks the column: nothing of it is read.
    pub lacks_column: bool,
}
