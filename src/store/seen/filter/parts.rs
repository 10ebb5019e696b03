//! The filter of a run, in parts by the high bits of hashes, so that little memory builds it:
//! hashes wait in a temporary file, divided by their high bits. What hashes are, and where the
//! parts are written, is left to others.

use super::fuse::FuseFilter;
use crate::store::scratch::{Extent, ScratchFile};
use std::io;
use std::sync::Arc;

/// The most hashes of a part, but for chance.
const PART: u64 = 1 << 18;

/// The number of bits by which hashes are divided at a time, and that of the hashes in memory of
/// each division.
const BITS: u32 = 6;
const HELD: usize = 1 << 10;

/// The number of hashes that are sorted in memory.
const SORTED: u64 = 1 << 17;

/// Returns the number of high bits that choose the part of a hash, of this number of hashes.
pub(in crate::store::seen) fn bits_of(hashes: u64) -> u32 {
    // A part has a little more than the mean by chance.
    let parts = hashes.div_ceil(PART / 16 * 15).max(1);
    u64::BITS - (parts - 1).leading_zeros()
}

/// The number of the part of a hash, of `1 << bits` parts.
pub(in crate::store::seen) fn part_of(hash: u64, bits: u32) -> usize {
    hash.checked_shr(u64::BITS - bits).unwrap_or(0) as usize
}

/// Hashes that wait, divided by their high bits.
#[derive(Debug)]
pub(in crate::store::seen) struct WaitingHashes {
    file: Arc<ScratchFile>,
    divisions: Vec<Division>,
    /// The number of bits before those that divide here.
    depth: u32,
    count: u64,
}

/// Hashes that share their high bits.
#[derive(Debug, Default)]
struct Division {
    held: Vec<u64>,
    written: Vec<Extent>,
    count: u64,
}

impl WaitingHashes {
    pub(in crate::store::seen) fn new(file: &Arc<ScratchFile>) -> WaitingHashes {
        WaitingHashes::below(file, 0)
    }

    fn below(file: &Arc<ScratchFile>, depth: u32) -> WaitingHashes {
        WaitingHashes {
            file: Arc::clone(file),
            divisions: (0..1 << BITS).map(|_| Division::default()).collect(),
            depth,
            count: 0,
        }
    }

    pub(in crate::store::seen) fn push(&mut self, hash: u64) -> io::Result<()> {
        let shift = u64::BITS - BITS - self.depth;
        let division = &mut self.divisions[(hash >> shift) as usize & ((1 << BITS) - 1)];
        division.held.push(hash);
        division.count += 1;
        self.count += 1;
        match division.held.len() < HELD {
            true => Ok(()),
            false => division.write(&self.file),
        }
    }

    pub(in crate::store::seen) fn count(&self) -> u64 {
        self.count
    }

    /// Passes the filter of each part to `give`, in order; `None` for one that has none.
    pub(in crate::store::seen) fn build(
        self,
        mut give: impl FnMut(Option<FuseFilter>) -> io::Result<()>,
    ) -> io::Result<()> {
        let bits = bits_of(self.count);
        let (mut part, mut hashes) = (0, Vec::new());
        let mut built = |hashes: &mut Vec<u64>| {
            let filter = FuseFilter::new(hashes);
            hashes.clear();
            give(filter)
        };
        self.each(&mut |hash| {
            while part < part_of(hash, bits) {
                built(&mut hashes)?;
                part += 1;
            }
            // Equal hashes are one.
            if hashes.last() != Some(&hash) {
                hashes.push(hash);
            }
            Ok(())
        })?;
        while part < 1 << bits {
            built(&mut hashes)?;
            part += 1;
        }
        Ok(())
    }

    /// Passes all hashes to `give` in order.
    fn each(self, give: &mut dyn FnMut(u64) -> io::Result<()>) -> io::Result<()> {
        for division in self.divisions {
            let depth = self.depth + BITS;
            // Hashes that share nearly all bits are few, or equal.
            if division.count <= SORTED || depth + BITS > u64::BITS {
                let mut hashes = Vec::with_capacity(division.count as usize);
                division.each(&self.file, |hash| {
                    hashes.push(hash);
                    Ok(())
                })?;
                hashes.sort_unstable();
                hashes.into_iter().try_for_each(&mut *give)?;
                continue;
            }
            let mut below = WaitingHashes::below(&self.file, depth);
            division.each(&self.file, |hash| below.push(hash))?;
            below.each(give)?;
        }
        Ok(())
    }
}

impl Division {
    fn write(&mut self, file: &ScratchFile) -> io::Result<()> {
        let bytes: Vec<u8> = self
            .held
            .iter()
            .flat_map(|hash| hash.to_le_bytes())
            .collect();
        self.written.push(file.write(&bytes)?);
        self.held.clear();
        Ok(())
    }

    /// Passes the hashes to `take` and frees their space.
    fn each(
        self,
        file: &ScratchFile,
        mut take: impl FnMut(u64) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut bytes = Vec::new();
        for extent in self.written {
            let read = file.read(&extent, &mut bytes);
            file.free(extent);
            read?;
            for hash in bytes.chunks_exact(8) {
                let hash = hash.first_chunk().copied().unwrap_or_default();
                take(u64::from_le_bytes(hash))?;
            }
        }
        self.held.into_iter().try_for_each(take)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_small_and_whole() {
        assert_eq!(
            [0, 1, 200_000, 300_000, 10_000_000_000].map(bits_of),
            [0, 0, 0, 1, 16]
        );
        assert_eq!(
            (
                part_of(u64::MAX, 0),
                part_of(u64::MAX, 3),
                part_of(1 << 63, 1)
            ),
            (0, 7, 1)
        );
        let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
        for (number, factor) in [
            (0_u64, 1),
            (500, 1 << 50),
            (700_000, 0x9E37_79B9_7F4A_7C15),
            (600_000, 3),
        ] {
            let mut waiting = WaitingHashes::new(&file);
            // Each comes twice.
            for hash in (0..2 * number).map(|n| (n / 2).wrapping_mul(factor)) {
                waiting.push(hash).unwrap();
            }
            let bits = bits_of(waiting.count());
            let mut filters = Vec::new();
            waiting
                .build(|filter| {
                    filters.push(filter);
                    Ok(())
                })
                .unwrap();
            assert_eq!(filters.len(), 1 << bits);
            for n in 0..number {
                let hash = n.wrapping_mul(factor);
                let filter = filters[part_of(hash, bits)].as_ref();
                assert!(filter.is_none_or(|filter| filter.may_have(hash)));
            }
            assert_eq!(file.live(), 0);
        }
    }
}
