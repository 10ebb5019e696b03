//! Where keys are kept: one after the other in chunks that never move. An entry
//! is its count, if the set counts, its key after the key's length and, if the
//! set counts, a record after the record's length.

use super::Entry;

/// Bits of a place that say where in its chunk an entry starts.
const START_BITS: u32 = 24;
const CHUNK_FIRST: usize = 4 << 10;
/// Chunks grow to this; a longer entry has a chunk to itself.
const CHUNK_LAST: usize = 1 << 20;
const COUNT_LEN: usize = 8;
const VARINT_MAX: usize = 10;

/// Keys in chunks.
#[derive(Debug, Default)]
pub(super) struct Arena {
    chunks: Vec<Vec<u8>>,
}

impl Arena {
    /// Adds an entry and gives its place.
    pub(super) fn push(&mut self, key: &[u8], kept: Option<(u64, &[u8])>) -> u64 {
        let record_len = kept.map_or(0, |(_, record)| record.len());
        let need = COUNT_LEN + key.len() + record_len + 2 * VARINT_MAX;
        let fits = |chunk: &Vec<u8>| chunk.capacity() - chunk.len() >= need;
        if !self.chunks.last().is_some_and(fits) {
            let grown = self
                .chunks
                .last()
                .map_or(CHUNK_FIRST, |chunk| (2 * chunk.capacity()).min(CHUNK_LAST));
            self.chunks.push(Vec::with_capacity(grown.max(need)));
        }
        let number = self.chunks.len() - 1;
        let chunk = &mut self.chunks[number];
        let place = (number as u64) << START_BITS | chunk.len() as u64;
        if let Some((count, _)) = kept {
            chunk.extend_from_slice(&count.to_le_bytes());
        }
        push_varint(chunk, key.len());
        chunk.extend_from_slice(key);
        if let Some((_, record)) = kept {
            push_varint(chunk, record.len());
            chunk.extend_from_slice(record);
        }
        place
    }

    /// The key of the entry at `place`.
    #[inline]
    pub(super) fn key(&self, place: u64, counting: bool) -> &[u8] {
        let entry = &self.chunks[chunk_of(place)][start_of(place)..];
        let entry = if counting { &entry[COUNT_LEN..] } else { entry };
        take(entry).0
    }

    /// Adds to the count of the entry at `place`, which has one.
    pub(super) fn add(&mut self, place: u64, more: u64) {
        let entry = &mut self.chunks[chunk_of(place)][start_of(place)..];
        if let Some(count) = entry.first_chunk_mut::<COUNT_LEN>() {
            *count = u64::from_le_bytes(*count)
                .saturating_add(more)
                .to_le_bytes();
        }
    }

    /// Every entry in the order in which they came.
    pub(super) fn entries(&self, counting: bool) -> impl Iterator<Item = Entry<'_>> {
        self.chunks.iter().flat_map(move |chunk| {
            let mut rest = &chunk[..];
            std::iter::from_fn(move || {
                let (entry, tail) = entry(rest, counting)?;
                rest = tail;
                Some(entry)
            })
        })
    }

    /// The places of all entries in the order in which they came.
    pub(super) fn places(&self, counting: bool) -> impl Iterator<Item = u64> {
        self.chunks
            .iter()
            .enumerate()
            .flat_map(move |(number, chunk)| {
                let mut at = 0;
                std::iter::from_fn(move || {
                    let place = (number as u64) << START_BITS | at as u64;
                    let (_, tail) = entry(&chunk[at..], counting)?;
                    at = chunk.len() - tail.len();
                    Some(place)
                })
            })
    }

    /// The entry at `place`.
    pub(super) fn entry(&self, place: u64, counting: bool) -> Option<Entry<'_>> {
        let chunk = self.chunks.get(chunk_of(place))?;
        Some(entry(chunk.get(start_of(place)..)?, counting)?.0)
    }

    /// Bytes of memory held.
    pub(super) fn memory(&self) -> usize {
        self.chunks.iter().map(Vec::capacity).sum()
    }
}

const fn chunk_of(place: u64) -> usize {
    (place >> START_BITS) as usize
}

const fn start_of(place: u64) -> usize {
    (place & ((1 << START_BITS) - 1)) as usize
}

/// The entry that `bytes` begin with, and what follows it.
fn entry(bytes: &[u8], counting: bool) -> Option<(Entry<'_>, &[u8])> {
    let mut rest = bytes;
    let mut count = 1;
    if let (true, Some((head, tail))) = (counting, rest.split_first_chunk()) {
        count = u64::from_le_bytes(*head);
        rest = tail;
    } else if rest.is_empty() {
        return None;
    }
    let (key, tail) = take(rest);
    let (record, tail) = match counting {
        true => take(tail),
        false => (&[][..], tail),
    };
    Some((Entry { key, count, record }, tail))
}

/// Writes `value` in base 128, low digits first.
fn push_varint(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A length and so many bytes, and what follows them.
#[inline]
fn take(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut len = 0usize;
    let mut digits = 0;
    for &byte in bytes {
        len |= ((byte & 0x7F) as usize) << (7 * digits);
        digits += 1;
        if byte < 0x80 {
            break;
        }
    }
    bytes[digits..].split_at(len)
}
