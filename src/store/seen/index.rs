//! Lists of frames, each with a separator: the shortest string that is greater than all keys
//! before the frame, and not greater than its first one. An index has two levels of such lists.

use super::frame::{FramePlace, HEAD};
use super::key_block::{BadBlock, shared};
use crate::store::varint;

/// The frames of one list of the lower level.
pub(super) const FAN: usize = 128;

/// Collects a list of frames.
#[derive(Debug, Default)]
pub(super) struct FrameListBuilder {
    entries: Vec<u8>,
    last: Vec<u8>,
    end: u64,
    count: u64,
}

impl FrameListBuilder {
    pub(super) fn len(&self) -> usize {
        self.count as usize
    }

    /// Adds a frame, which comes after the one before, and whose keys are not less than
    /// `separator`.
    pub(super) fn push(&mut self, separator: &[u8], place: FramePlace) {
        let shared = shared(&self.last, separator);
        varint::put(shared as u64, &mut self.entries);
        varint::put((separator.len() - shared) as u64, &mut self.entries);
        self.entries.extend_from_slice(&separator[shared..]);
        varint::put(place.offset - self.end, &mut self.entries);
        varint::put(u64::from(place.len), &mut self.entries);
        self.last.clear();
        self.last.extend_from_slice(separator);
        self.end = place.end();
        self.count += 1;
    }

    /// Writes the list to `raw`, and empties it.
    pub(super) fn finish(&mut self, raw: &mut Vec<u8>) {
        raw.clear();
        varint::put(self.count, raw);
        raw.append(&mut self.entries);
        *self = FrameListBuilder::default();
    }
}

/// Writes to `separator` the shortest string that is greater than `before` and not greater than
/// `first`, which is greater than `before`.
pub(super) fn separate(before: &[u8], first: &[u8], separator: &mut Vec<u8>) {
    let len = shared(before, first) + 1;
    separator.clear();
    separator.extend_from_slice(&first[..len.min(first.len())]);
}

/// A list of frames.
#[derive(Debug, Default)]
pub(super) struct FrameList {
    /// The separators, one after the other, and where each ends.
    separators: Vec<u8>,
    ends: Vec<u32>,
    places: Vec<FramePlace>,
}

impl FrameList {
    pub(super) fn read(raw: &[u8]) -> Result<FrameList, BadBlock> {
        let mut rest = raw;
        let count = varint::take(&mut rest);
        // Each entry has four bytes at least.
        if count > rest.len() as u64 {
            return Err(BadBlock);
        }
        let mut list = FrameList::default();
        let (mut last, mut end) = (0..0, 0_u64);
        for _ in 0..count {
            let shared = varint::take(&mut rest) as usize;
            let len = varint::take(&mut rest);
            if shared > last.len() || len > rest.len() as u64 {
                return Err(BadBlock);
            }
            let from = list.separators.len();
            list.separators
                .extend_from_within(last.start..last.start + shared);
            let (tail, after) = rest.split_at(len as usize);
            list.separators.extend_from_slice(tail);
            rest = after;
            last = from..list.separators.len();
            list.ends
                .push(u32::try_from(last.end).map_err(|_| BadBlock)?);
            let skipped = varint::take(&mut rest);
            let offset = end.checked_add(skipped).ok_or(BadBlock)?;
            let len = u32::try_from(varint::take(&mut rest)).map_err(|_| BadBlock)?;
            if (len as usize) < HEAD {
                return Err(BadBlock);
            }
            end = offset.checked_add(u64::from(len)).ok_or(BadBlock)?;
            list.places.push(FramePlace { offset, len });
        }
        match rest.is_empty() {
            true => Ok(list),
            false => Err(BadBlock),
        }
    }

    pub(super) fn places(&self) -> &[FramePlace] {
        &self.places
    }

    pub(super) fn separator(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.separators[start as usize..self.ends[at] as usize]
    }

    /// The number of the frame that `key` can only be in; `None` if it is before all.
    pub(super) fn find(&self, key: &[u8]) -> Option<usize> {
        let (mut low, mut high) = (0, self.places.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.separator(middle) <= key {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low.checked_sub(1)
    }

    /// The bytes of memory that it takes.
    pub(super) fn memory(&self) -> usize {
        self.separators.capacity()
            + self.ends.capacity() * size_of::<u32>()
            + self.places.capacity() * size_of::<FramePlace>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn frames_are_found(
            keys in prop::collection::btree_set(prop::collection::vec(0u8..4, 0..6), 1..40),
            asked in prop::collection::vec(prop::collection::vec(0u8..4, 0..6), 20),
            noise in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let _ = FrameList::read(&noise);
            // Each key begins a frame.
            let mut builder = FrameListBuilder::default();
            let (mut before, mut separator, mut raw) = (None::<&Vec<u8>>, Vec::new(), Vec::new());
            for (number, key) in keys.iter().enumerate() {
                match before {
                    Some(before) => separate(before, key, &mut separator),
                    None => separator.clear(),
                }
                prop_assert!(before.is_none_or(|before| *before < separator) && separator <= *key);
                builder.push(&separator, FramePlace { offset: number as u64 * 100, len: 90 });
                before = Some(key);
            }
            prop_assert_eq!(builder.len(), keys.len());
            builder.finish(&mut raw);
            let list = FrameList::read(&raw).unwrap();
            prop_assert!(list.memory() > 0 && FrameList::read(&raw[..raw.len() - 1]).is_err());
            let keys: BTreeSet<_> = keys.into_iter().collect();
            for (number, key) in keys.iter().enumerate() {
                prop_assert_eq!(list.find(key), Some(number));
                prop_assert_eq!(list.places()[number], FramePlace { offset: number as u64 * 100, len: 90 });
            }
            for key in asked {
                let found = list.find(&key);
                if let Some(number) = keys.iter().position(|known| *known == key) {
                    prop_assert_eq!(found, Some(number));
                }
            }
        }
    }
}
