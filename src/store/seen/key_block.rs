//! Blocks of keys in byte order: each key without the bytes that it shares with the one before,
//! and the number of its commit, in as few bits as the block needs.

use crate::store::varint;
use std::cmp::Ordering;

/// The bytes of a block, unless it has one longer key.
pub(super) const BLOCK: usize = 16 << 10;

/// The most bytes of numbers before the keys of a block with one key, and of those of the key.
const NUMBERS: usize = 48;

/// Collects the keys of a block.
#[derive(Debug, Default)]
pub(super) struct KeyBlockBuilder {
    keys: Vec<u8>,
    last: Vec<u8>,
    commits: Vec<u64>,
}

impl KeyBlockBuilder {
    pub(super) fn is_empty(&self) -> bool {
        self.commits.is_empty()
    }

    pub(super) fn last(&self) -> &[u8] {
        &self.last
    }

    /// Returns whether there is room for `key`. There always is for the first one.
    pub(super) fn has_room_for(&self, key: &[u8]) -> bool {
        let commits = self.commits.len().saturating_mul(2);
        self.is_empty() || self.keys.len() + commits + key.len() + NUMBERS <= BLOCK
    }

    /// Adds a key, which is greater than the one before.
    pub(super) fn push(&mut self, key: &[u8], commit: u64) {
        let shared = match self.is_empty() {
            true => 0,
            false => shared(&self.last, key),
        };
        varint::put(shared as u64, &mut self.keys);
        varint::put((key.len() - shared) as u64, &mut self.keys);
        self.keys.extend_from_slice(&key[shared..]);
        self.last.truncate(shared);
        self.last.extend_from_slice(&key[shared..]);
        self.commits.push(commit);
    }

    /// Writes the block to `raw`, and empties it but for its last key.
    pub(super) fn finish(&mut self, raw: &mut Vec<u8>) {
        raw.clear();
        let least = self.commits.iter().min().copied().unwrap_or_default();
        let most = self.commits.iter().max().copied().unwrap_or_default();
        let bits = u64::BITS - (most - least).leading_zeros();
        varint::put(self.commits.len() as u64, raw);
        varint::put(least, raw);
        raw.push(bits as u8);
        let (mut waiting, mut count) = (0_u128, 0);
        for &commit in &self.commits {
            waiting |= u128::from(commit - least) << count;
            count += bits;
            while count >= 8 {
                raw.push(waiting as u8);
                waiting >>= 8;
                count -= 8;
            }
        }
        if count > 0 {
            raw.push(waiting as u8);
        }
        raw.append(&mut self.keys);
        self.commits.clear();
    }
}

/// The number of bytes at the beginning that two keys share.
pub(super) fn shared(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Reads the keys of a block in order.
#[derive(Debug, Default)]
pub(super) struct KeyCursor {
    /// The number of keys, and how many were read.
    count: u64,
    next: u64,
    least: u64,
    bits: u32,
    /// Where the commits and the next key are.
    commits: usize,
    at: usize,
    key: Vec<u8>,
    /// The number of bytes that the key shares with the one before, as it was written.
    shared: usize,
}

/// A block that cannot be what was written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BadBlock;

impl KeyCursor {
    /// Goes to the beginning of the block `raw`.
    pub(super) fn begin(&mut self, raw: &[u8]) -> Result<(), BadBlock> {
        let mut rest = raw;
        self.count = varint::take(&mut rest);
        self.next = 0;
        self.least = varint::take(&mut rest);
        let (&bits, rest) = rest.split_first().ok_or(BadBlock)?;
        self.bits = u32::from(bits);
        self.commits = raw.len() - rest.len();
        self.key.clear();
        // Each key has two bytes at least.
        if self.bits > u64::BITS || self.count > rest.len() as u64 {
            return Err(BadBlock);
        }
        let bytes = (self.count * u64::from(self.bits)).div_ceil(8);
        self.at = self.commits + bytes as usize;
        match self.at <= raw.len() {
            true => Ok(()),
            false => Err(BadBlock),
        }
    }

    /// Goes to the next key of `raw`. Returns false after the last one.
    pub(super) fn advance(&mut self, raw: &[u8]) -> Result<bool, BadBlock> {
        if self.next == self.count {
            return match self.at == raw.len() {
                true => Ok(false),
                false => Err(BadBlock),
            };
        }
        let mut rest = raw.get(self.at..).ok_or(BadBlock)?;
        let shared = varint::take(&mut rest);
        let len = varint::take(&mut rest);
        if shared > self.key.len() as u64 || len > rest.len() as u64 {
            return Err(BadBlock);
        }
        let (tail, rest) = rest.split_at(len as usize);
        let before = self.key.get(shared as usize).copied();
        // Keys are in order, and differ.
        let is_after = match (tail.first(), before) {
            (Some(&first), Some(before)) => first > before,
            (Some(_), None) => true,
            (None, _) => self.next == 0,
        };
        if !is_after {
            return Err(BadBlock);
        }
        self.shared = shared as usize;
        self.key.truncate(self.shared);
        self.key.extend_from_slice(tail);
        self.at = raw.len() - rest.len();
        self.next += 1;
        Ok(true)
    }

    /// Goes on from the current key to the first one that is not less than `key`. Returns
    /// whether it is equal, or nothing after the last one.
    ///
    /// A key is compared only where it may differ from `key`: one that shares more bytes with the
    /// key before than that one does with `key` is less, too, and one that shares fewer is greater.
    pub(super) fn seek(&mut self, raw: &[u8], key: &[u8]) -> Result<Option<bool>, BadBlock> {
        let mut common = shared(&self.key, key);
        loop {
            match self.key[common..].cmp(&key[common..]) {
                Ordering::Less => {}
                order => return Ok(Some(order.is_eq())),
            }
            loop {
                if !self.advance(raw)? {
                    return Ok(None);
                }
                match self.shared.cmp(&common) {
                    Ordering::Less => return Ok(Some(false)),
                    Ordering::Equal => break,
                    Ordering::Greater => {}
                }
            }
            common += shared(&self.key[common..], &key[common..]);
        }
    }

    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }

    /// Whether a key of the block was read.
    pub(super) fn has_key(&self) -> bool {
        self.next > 0
    }

    /// The commit of the current key.
    pub(super) fn commit(&self, raw: &[u8]) -> u64 {
        let from = self.next.saturating_sub(1) * u64::from(self.bits);
        let mut bytes = [0; 16];
        let start = self.commits + (from / 8) as usize;
        let end = (start + 9).min(raw.len());
        let part = raw.get(start..end).unwrap_or_default();
        bytes[..part.len()].copy_from_slice(part);
        let value = u128::from_le_bytes(bytes) >> (from % 8);
        let mask = (1_u128 << self.bits) - 1;
        self.least.wrapping_add((value & mask) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn read(raw: &[u8]) -> Result<Vec<(Vec<u8>, u64)>, BadBlock> {
        let (mut cursor, mut keys) = (KeyCursor::default(), Vec::new());
        cursor.begin(raw)?;
        while cursor.advance(raw)? {
            keys.push((cursor.key().to_vec(), cursor.commit(raw)));
        }
        Ok(keys)
    }

    proptest! {
        #[test]
        fn keys_come_back(
            keys in prop::collection::btree_map(prop::collection::vec(0u8..4, 0..9), any::<u64>(), 0..60),
            asked in prop::collection::vec(prop::collection::vec(0u8..4, 0..9), 9),
            shift in 0u32..64, noise in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let keys: BTreeMap<Vec<u8>, u64> = keys.into_iter().map(|(k, c)| (k, c >> shift)).collect();
            let (mut builder, mut raw) = (KeyBlockBuilder::default(), Vec::new());
            for round in 0..2 {
                for (key, &commit) in &keys {
                    prop_assert!(builder.has_room_for(key));
                    builder.push(key, commit);
                }
                builder.finish(&mut raw);
                prop_assert!(builder.is_empty());
                let wanted: Vec<_> = keys.clone().into_iter().collect();
                prop_assert_eq!(read(&raw), Ok(wanted), "{}", round);
            }
            // The first one that is not less, from any key on.
            let list: Vec<&Vec<u8>> = keys.keys().collect();
            for (from, first) in list.iter().enumerate() {
                for key in list[from..].iter().copied().chain(&asked).filter(|key| *key >= *first) {
                    let mut cursor = KeyCursor::default();
                    cursor.begin(&raw).unwrap();
                    while cursor.next as usize <= from {
                        cursor.advance(&raw).unwrap();
                    }
                    let wanted = list.iter().find(|other| **other >= key).map(|other| *other == key);
                    prop_assert_eq!(cursor.seek(&raw, key), Ok(wanted));
                }
            }
            // Other bytes are keys in order, or an error.
            if let Ok(keys) = read(&noise) {
                prop_assert!(keys.is_sorted_by(|a, b| a.0 < b.0));
            }
        }
    }
}
