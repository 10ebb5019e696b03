//! What splits a container into records, and the pieces it gives.

use super::feed::Feed;
use crate::item::{LossKind, Part};

/// What comes next of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A record begins.
    Record(Part),
    /// So many bytes of its content.
    Content(usize),
    /// Its content is over.
    RecordEnd,
    /// Nothing before more was pushed.
    Hungry,
    /// There is nothing more.
    End,
}

/// Splits one kind of container into records. What it cannot read is a named loss,
/// and it goes on at the next record.
pub(in crate::unpack) trait Container: Send {
    /// The next piece of what is in `feed`; content is appended to `out`. What is lost
    /// is added to `losses`, with its offset in the input.
    fn next(
        &mut self,
        feed: &mut Feed,
        out: &mut Vec<u8>,
        losses: &mut Vec<(u64, LossKind)>,
    ) -> Piece;
}

#[cfg(test)]
mod examples {
    #[test]
    fn piece() {
        use crate::unpack::container::{Piece, Splitter};
        let mut splitter = Splitter::of(b"WARC/", false).unwrap();
        assert_eq!(splitter.next(&mut Vec::new()), Piece::Hungry);
    }
}
