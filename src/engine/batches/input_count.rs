//! The number of inputs that have a class, encoded so that a set can add to it.

use crate::dedup::INPUTS_LEN;

/// The last input that has a class, and the number of inputs that have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) struct InputCount([u8; INPUTS_LEN]);

impl InputCount {
    pub(in crate::engine) fn new(last: usize, number: u64) -> InputCount {
        let mut bytes = [0; INPUTS_LEN];
        bytes[..8].copy_from_slice(&(last as u64).to_be_bytes());
        bytes[8..].copy_from_slice(&number.to_be_bytes());
        InputCount(bytes)
    }

    /// Returns the count at the end of a record.
    pub(in crate::engine) fn of_record(record: &[u8]) -> Option<InputCount> {
        record.last_chunk().copied().map(InputCount)
    }

    pub(in crate::engine) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(in crate::engine) fn number(&self) -> u64 {
        self.0
            .last_chunk()
            .map_or(0, |number| u64::from_be_bytes(*number))
    }
}
