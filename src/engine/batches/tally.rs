//! The counts of a batch up to one of its items. A run that reports only the first findings
//! of an input counts nothing behind the last of them, wherever its blocks end.

use super::stats::{Beside, Stats};

/// Notes from which the counts up to an item follow, where they may be asked for.
#[derive(Debug, Default)]
pub(in crate::engine) struct Tally {
    /// Whether notes are made.
    pub is_kept: bool,
    /// The counts before an item that no finding changes, each time that they change.
    beside: Vec<(u32, Beside)>,
    /// The number of the first item of a piece, and the number of bytes of the batch before
    /// the piece, less the raw offset of the piece.
    pieces: Vec<(u32, i64)>,
}

impl Tally {
    /// Notes the counts before the item number `item`.
    #[inline]
    pub(in crate::engine) fn note(&mut self, item: usize, stats: &Stats) {
        if !self.is_kept {
            return;
        }
        let beside = stats.beside();
        if self.beside.last().map(|last| last.1).unwrap_or_default() != beside {
            self.beside.push((item as u32, beside));
        }
    }

    /// Notes that the items from number `first` on are of a piece at the raw offset `offset`,
    /// before which the batch has this many bytes.
    pub(in crate::engine) fn note_piece(&mut self, first: usize, offset: u64, bytes: u64) {
        if self.is_kept {
            self.pieces
                .push((first as u32, (bytes as i64).wrapping_sub(offset as i64)));
        }
    }

    /// Adds counts, each before the item with its number, where notes are made; the numbers are
    /// in order, and none is less than `first`.
    pub(in crate::engine) fn add_before<A: Iterator<Item = (u32, Beside)>>(
        &mut self,
        first: usize,
        added: impl FnOnce() -> A,
    ) {
        if !self.is_kept {
            return;
        }
        let behind = self
            .beside
            .partition_point(|note| (note.0 as usize) < first);
        let mut known = behind
            .checked_sub(1)
            .map_or(Beside::default(), |last| self.beside[last].1);
        let mut notes = self.beside.split_off(behind).into_iter().peekable();
        let mut added = added().peekable();
        let mut sum = Beside::default();
        loop {
            let next = match (notes.peek(), added.peek()) {
                (Some(note), Some(more)) => note.0.min(more.0),
                (Some(note), None) => note.0,
                (None, Some(more)) => more.0,
                (None, None) => return,
            };
            while let Some((_, note)) = notes.next_if(|note| note.0 == next) {
                known = note;
            }
            while let Some((_, more)) = added.next_if(|more| more.0 == next) {
                sum += more;
            }
            let mut counts = known;
            counts += sum;
            self.beside.push((next, counts));
        }
    }

    /// Returns the counts before the item number `item` that no finding changes.
    pub(in crate::engine) fn beside(&self, item: usize) -> Beside {
        let number = self.beside.partition_point(|note| note.0 as usize <= item);
        let note = number.checked_sub(1).map(|last| self.beside[last].1);
        note.unwrap_or_default()
    }

    /// Returns the number of bytes of the batch up to the raw offset `end` in the piece of
    /// the item number `item`. It is negative where the offset is before the batch.
    pub(in crate::engine) fn bytes(&self, item: usize, end: u64) -> i64 {
        let number = self.pieces.partition_point(|note| note.0 as usize <= item);
        let base = number.checked_sub(1).map_or(0, |last| self.pieces[last].1);
        base.wrapping_add(end as i64)
    }

    /// The bytes of memory that the notes take.
    pub(in crate::engine) fn size(&self) -> usize {
        self.beside.capacity() * size_of::<(u32, Beside)>()
            + self.pieces.capacity() * size_of::<(u32, i64)>()
    }

    pub(in crate::engine) fn clear(&mut self) {
        self.beside.clear();
        self.pieces.clear();
    }
}
