//! The unit in which a class counts once, where it does not count once for each occurrence: a
//! record or an input. Units are only compared; those that follow each other differ.

use crate::dedup::UNIT_LEN;

/// A unit: its input, and the block in which it begins, with its number there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::engine) struct CountUnit([u8; UNIT_LEN]);

impl CountUnit {
    /// The unit that begins in a block, with its number among those that begin there.
    pub(in crate::engine) fn new(input: usize, block: u64, number: u32) -> CountUnit {
        let mut bytes = [0; UNIT_LEN];
        // The lower bytes suffice: blocks between two occurrences of a unit are few.
        bytes[..4].copy_from_slice(&(input as u32).to_be_bytes());
        bytes[4..12].copy_from_slice(&block.to_be_bytes());
        bytes[12..].copy_from_slice(&number.to_be_bytes());
        CountUnit(bytes)
    }

    /// The unit that an input is.
    pub(in crate::engine) fn of_input(input: usize) -> CountUnit {
        CountUnit::new(input, u64::MAX, 0)
    }

    pub(in crate::engine) fn bytes(&self) -> &[u8] {
        &self.0
    }
}
