//! The memory of a set: keys one after the other, in chunks that never move. An entry
//! is the length of a key and the key; in a set that counts, a count comes before them,
//! and the length of a record and the record come after them.

use super::doubling;
use super::entry::Entry;

/// Bits of a place that hold the start of an entry in its chunk. A longer entry has its
/// own chunk.
const START_BITS: u32 = 20;
const CHUNK_FIRST: usize = 4 << 10;
const CHUNK_LAST: usize = 1 << START_BITS;
/// A new chunk has 1/128 of the bytes held so far, or some bytes for each entry so far where that
/// is more: fewer and larger chunks of short keys, which the allocator serves with fewer calls of
/// the system. At most 1/128 of a full chunk stays empty.
const CHUNK_SHARE: usize = 128;
const CHUNK_PER_ENTRY: usize = 2;
const COUNT_LEN: usize = 8;
/// Most bytes of a length: a batch has less than 2 to the 32nd bytes.
const LEN_MOST: usize = 5;
const CACHE_LINE: usize = 64;

/// Keys in chunks.
#[derive(Debug, Default)]
pub(super) struct Arena {
    chunks: Vec<Vec<u8>>,
    /// Bytes of all chunks.
    held: usize,
    /// The number of entries.
    len: usize,
    /// The number of bytes of keys, without records.
    key_bytes: usize,
}

impl Arena {
    /// Adds an entry and returns its place.
    #[inline]
    pub(super) fn push(&mut self, key: &[u8], kept: Option<(u64, &[u8])>) -> u64 {
        let need = entry_len(key.len(), kept.map(|(_, record)| record.len()));
        if !self.fits(need) {
            self.begin_chunk(need);
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
        self.len += 1;
        self.key_bytes += key.len();
        place
    }

    /// Whether the last chunk has room for `need` bytes.
    #[inline]
    fn fits(&self, need: usize) -> bool {
        let fits = |chunk: &Vec<u8>| chunk.capacity() - chunk.len() >= need;
        self.chunks.last().is_some_and(fits)
    }

    /// Adds a chunk that has room for `need` bytes.
    #[inline(never)]
    fn begin_chunk(&mut self, need: usize) {
        let spare = self.spare();
        if let Some(full) = self.chunks.last_mut()
            && spare > 0
        {
            full.shrink_to_fit();
            self.held -= spare;
        }
        let chunk = Vec::with_capacity(chunk_len((self.held, self.len), need));
        self.held += chunk.capacity();
        doubling::push(&mut self.chunks, chunk);
    }

    /// Returns the number of bytes that the last chunk gives back before the next one
    /// begins.
    fn spare(&self) -> usize {
        let spare = |full: &Vec<u8>| match full.capacity() - full.len() {
            spare if spare > full.capacity() / CHUNK_SHARE => spare,
            _ => 0,
        };
        self.chunks.last().map_or(0, spare)
    }

    /// Returns the number of bytes by which an entry of `need` bytes makes the arena grow.
    #[inline]
    pub(super) fn growth(&self, need: usize) -> usize {
        if self.fits(need) {
            return 0;
        }
        let held = self.held - self.spare();
        held + chunk_len((held, self.len), need) + doubling::growth(&self.chunks) - self.held
    }

    /// Returns at most by how many bytes this number of entries, which together need
    /// `need` bytes, makes the arena grow.
    pub(super) fn growth_at_most(&self, entries: usize, need: usize) -> usize {
        let last = self.chunks.last();
        let room = last.map_or(0, |chunk| chunk.capacity() - chunk.len());
        if need <= room {
            return 0;
        }
        // The empty ends of the chunks, and the last chunk.
        let filled = need
            .saturating_add(need / (CHUNK_SHARE - 1))
            .saturating_add(1);
        let held = self.held.saturating_add(filled);
        let last = chunk_len((held, self.len.saturating_add(entries)), 0);
        // Two consecutive chunks together hold more than the length of the first.
        let chunks = entries.min(2 * (need / CHUNK_FIRST) + 2);
        let list = doubling::growth_at_most(&self.chunks, chunks);
        filled.saturating_add(last).saturating_add(list)
    }

    /// Returns the place of the next entry, which needs `need` bytes.
    #[inline]
    pub(super) fn next_place(&self, need: usize) -> u64 {
        let number = self.chunks.len() as u64;
        match self.chunks.last() {
            Some(last) if self.fits(need) => (number - 1) << START_BITS | last.len() as u64,
            _ => number << START_BITS,
        }
    }

    /// Returns the key of the entry at `place`.
    #[inline]
    pub(super) fn key(&self, place: u64, counting: bool) -> &[u8] {
        let entry = &self.chunks[chunk_of(place)][start_of(place)..];
        let entry = if counting { &entry[COUNT_LEN..] } else { entry };
        take(entry).0
    }

    /// Reads bytes of the entry at `place`, so that it is in the cache: one of each of the
    /// first two cache lines.
    #[inline]
    pub(super) fn peek(&self, place: u64) -> u8 {
        let chunk = self
            .chunks
            .get(chunk_of(place))
            .map_or(&[][..], |chunk| chunk);
        let byte = |at| chunk.get(at).copied().unwrap_or_default();
        byte(start_of(place)) ^ byte(start_of(place) + CACHE_LINE)
    }

    /// Adds `more` to the count of the entry at `place`, in a set that counts.
    pub(super) fn add(&mut self, place: u64, more: u64) {
        let entry = &mut self.chunks[chunk_of(place)][start_of(place)..];
        if let Some(count) = entry.first_chunk_mut::<COUNT_LEN>() {
            *count = u64::from_le_bytes(*count)
                .saturating_add(more)
                .to_le_bytes();
        }
    }

    /// Returns the record of the entry at `place`, in a set that counts.
    pub(super) fn record_mut(&mut self, place: u64) -> &mut [u8] {
        let entry = &mut self.chunks[chunk_of(place)][start_of(place)..];
        let after_key = take(&entry[COUNT_LEN..]).1.len();
        let (record, rest) = take(&entry[entry.len() - after_key..]);
        let (from, to) = (record.len() + rest.len(), rest.len());
        let len = entry.len();
        &mut entry[len - from..len - to]
    }

    /// Returns all entries, in the order in which they were added.
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

    /// Returns the places of all entries, in the order in which they were added.
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

    /// Returns the entry at `place`.
    pub(super) fn entry(&self, place: u64, counting: bool) -> Option<Entry<'_>> {
        let chunk = self.chunks.get(chunk_of(place))?;
        Some(entry(chunk.get(start_of(place)..)?, counting)?.0)
    }

    /// Returns the number of bytes of memory that are held.
    pub(super) fn memory(&self) -> usize {
        self.held + self.chunks.capacity() * size_of::<Vec<u8>>()
    }

    /// Returns the number of bytes of all keys, without their counts and records.
    pub(super) fn key_bytes(&self) -> usize {
        self.key_bytes
    }
}

/// Returns the number of bytes of an entry; only a set that counts keeps records.
#[inline]
pub(super) fn entry_len(key_len: usize, record_len: Option<usize>) -> usize {
    let kept = record_len.map_or(0, |len| COUNT_LEN + varint_len(len) + len);
    varint_len(key_len) + key_len + kept
}

/// Returns at most how many bytes entries need beside their keys and records.
pub(super) const fn overhead_at_most(entries: usize, counting: bool) -> usize {
    let lengths = if counting {
        COUNT_LEN + 2 * LEN_MOST
    } else {
        LEN_MOST
    };
    entries.saturating_mul(lengths)
}

/// Returns the length of a new chunk in an arena that holds this many bytes and entries.
fn chunk_len((held, len): (usize, usize), need: usize) -> usize {
    (held / CHUNK_SHARE)
        .max(len.saturating_mul(CHUNK_PER_ENTRY))
        .clamp(CHUNK_FIRST, CHUNK_LAST)
        .max(need)
}

const fn chunk_of(place: u64) -> usize {
    (place >> START_BITS) as usize
}

const fn start_of(place: u64) -> usize {
    (place & ((1 << START_BITS) - 1)) as usize
}

/// Splits off the entry at the start of `bytes`.
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

/// Returns the number of bytes that [`push_varint`] appends.
#[inline]
fn varint_len(value: usize) -> usize {
    if value < 0x80 {
        return 1;
    }
    let bits = usize::BITS - value.leading_zeros();
    bits.div_ceil(7) as usize
}

/// Appends `value` in base 128, low digits first.
#[inline]
fn push_varint(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads a length and this number of bytes; returns the bytes and the rest.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varint_len_is_the_length_of_a_varint() {
        for shift in 0..usize::BITS {
            for value in [(1usize << shift) - 1, 1 << shift, usize::MAX] {
                let mut out = Vec::new();
                push_varint(&mut out, value);
                assert_eq!(out.len(), varint_len(value), "{value}");
            }
        }
    }

    /// Keys and records of many lengths, in many chunks.
    #[test]
    fn each_place_is_that_of_its_entry() {
        const LEN: usize = 20_000;
        let text = [b'x'; 600];
        let key = |i: usize| &text[..i * 7 % 500];
        let record = |i: usize| &text[..i * 13 % 90];
        for counting in [false, true] {
            let mut arena = Arena::default();
            let kept = |i: usize| counting.then(|| (i as u64, record(i)));
            let places: Vec<u64> = (0..LEN).map(|i| arena.push(key(i), kept(i))).collect();
            assert!(arena.places(counting).eq(places.iter().copied()));
            assert_eq!(arena.entries(counting).count(), LEN);
            for (i, (place, entry)) in places.iter().zip(arena.entries(counting)).enumerate() {
                let (count, record) = kept(i).unwrap_or((1, b""));
                assert_eq!(
                    (entry.key, entry.count, entry.record),
                    (key(i), count, record)
                );
                assert_eq!(arena.entry(*place, counting), Some(entry));
                assert_eq!(arena.key(*place, counting), key(i));
            }
            let held: usize = arena.chunks.iter().map(Vec::capacity).sum();
            let rest = arena.chunks.capacity() * size_of::<Vec<u8>>();
            assert_eq!(arena.memory(), held + rest);
            assert_eq!(
                arena.key_bytes(),
                (0..LEN).map(|i| key(i).len()).sum::<usize>()
            );
            // Chunks become larger.
            assert!(arena.chunks.len() < 600, "{}", arena.chunks.len());
        }
    }

    /// The length of an entry is known before the entry is written, so its chunk has
    /// room for it.
    #[test]
    fn a_chunk_never_grows() {
        let text = [b'x'; 300];
        for key_len in 0..40 {
            for record_len in [0, 1, 127, 128, 300] {
                let mut arena = Arena::default();
                for _ in 0..600 {
                    arena.push(&text[..key_len], Some((1, &text[..record_len])));
                }
                let held: usize = arena.chunks.iter().map(Vec::capacity).sum();
                assert_eq!(arena.held, held, "{key_len} {record_len}");
            }
        }
    }
}
