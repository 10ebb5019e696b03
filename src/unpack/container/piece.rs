//! The trait that splits a container into records, and the pieces that it returns.

use super::feed::Feed;
use crate::item::{LossKind, Part};

/// The next piece of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A record begins.
    Record(Box<Part>),
    /// This number of bytes of the content.
    Content(usize),
    /// The content has ended.
    RecordEnd,
    /// Needs more bytes.
    Hungry,
    /// The container has ended.
    End,
}

/// Splits one kind of container into records. Records that cannot be read are reported
/// as losses, and splitting resumes at the next record.
pub(in crate::unpack) trait Container: Send {
    /// Returns the next piece in `feed`; content is appended to `out`. Losses are added
    /// to `losses`, with their offsets in the input.
    fn next(
        &mut self,
        feed: &mut Feed,
        out: &mut Vec<u8>,
        losses: &mut Vec<(u64, LossKind)>,
    ) -> Piece;
}
