//! Text that was decoded but not returned yet: text of members that were decoded ahead,
//! and of a member that is held back until its checksum was read. Held text is in pieces
//! that never move and that the streams of a run share.

use super::ahead::Decoded;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// The length of a piece in bytes.
const PIECE: usize = 64 << 10;
/// The number of unused pieces that are kept: enough for the longest held text.
const SPARE_MAX: usize = (16 << 20) / PIECE;

/// Unused pieces of memory for held text.
#[derive(Debug, Default)]
pub(crate) struct HeldPieces {
    spare: Mutex<Vec<Box<[u8]>>>,
}

impl HeldPieces {
    fn take(&self) -> Box<[u8]> {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let piece = spare.pop();
        drop(spare);
        piece.unwrap_or_else(|| vec![0; PIECE].into())
    }

    /// Takes back `pieces`, up to the number that is kept.
    fn give(&self, pieces: &mut Vec<Box<[u8]>>) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = pieces.len().min(SPARE_MAX - spare.len());
        spare.extend(pieces.drain(..kept));
    }
}

/// Text of one member that is complete, or was held back until now.
pub(super) enum Ready {
    Ahead(Arc<Decoded>),
    Held(Held),
}

impl Ready {
    /// Returns the text of `range`, or the start of it that is in one piece.
    pub(super) fn text(&self, range: Range<usize>) -> &[u8] {
        match self {
            Ready::Ahead(decoded) => &decoded.text[range],
            Ready::Held(held) => held.text(range),
        }
    }

    /// Returns the text of `range` in one piece.
    pub(super) fn whole(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        let text = self.text(range.clone());
        if text.len() == range.len() {
            return Cow::Borrowed(text);
        }
        let mut whole = Vec::with_capacity(range.len());
        while whole.len() < range.len() {
            whole.extend_from_slice(self.text(range.start + whole.len()..range.end));
        }
        Cow::Owned(whole)
    }
}

/// The text of the current member, held back.
pub(super) struct Held {
    /// All but the last are full.
    pieces: Vec<Box<[u8]>>,
    /// The length of the text.
    pub len: usize,
    pool: Arc<HeldPieces>,
}

impl Held {
    /// Returns an empty text, whose pieces come from `pool`.
    pub(super) fn new(pool: &Arc<HeldPieces>) -> Held {
        Held {
            pieces: Vec::new(),
            len: 0,
            pool: Arc::clone(pool),
        }
    }

    /// Returns room for more text, which is not empty.
    pub(super) fn room(&mut self) -> &mut [u8] {
        let at = self.len % PIECE;
        if self.len == self.pieces.len() * PIECE {
            self.pieces.push(self.pool.take());
        }
        let last = self.pieces.last_mut();
        last.map_or(&mut [], |piece| &mut piece[at..])
    }

    fn text(&self, range: Range<usize>) -> &[u8] {
        let Some(piece) = self.pieces.get(range.start / PIECE) else {
            return &[];
        };
        let from = range.start % PIECE;
        &piece[from..PIECE.min(from + range.len())]
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.pool.give(&mut self.pieces);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_pieces_is_the_text_that_was_written() {
        let pool = Arc::new(HeldPieces::default());
        for len in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 7] {
            let all: Vec<u8> = (0..len).map(|i| (i / 251) as u8).collect();
            for step in [777, PIECE, usize::MAX] {
                let mut held = Held::new(&pool);
                while held.len < len {
                    let from = held.len;
                    let room = held.room();
                    let more = room.len().min(step).min(len - from);
                    room[..more].copy_from_slice(&all[from..from + more]);
                    held.len += more;
                }
                let ready = Ready::Held(held);
                for range in [0..len, len / 3..len, len / 3..len / 2] {
                    assert_eq!(*ready.whole(range.clone()), all[range.clone()]);
                    assert!(all[range.clone()].starts_with(ready.text(range)));
                }
            }
        }
    }

    #[test]
    fn unused_pieces_are_bounded_and_used_again() {
        let pool = Arc::new(HeldPieces::default());
        let spare = || pool.spare.lock().unwrap().len();
        let mut held = Held::new(&pool);
        for _ in 0..SPARE_MAX + 3 {
            held.len += held.room().len();
        }
        drop(held);
        assert_eq!(spare(), SPARE_MAX);
        let mut held = Held::new(&pool);
        assert_eq!(held.room().len(), PIECE);
        assert_eq!(spare(), SPARE_MAX - 1);
        drop(held);
        assert_eq!(spare(), SPARE_MAX);
    }
}
