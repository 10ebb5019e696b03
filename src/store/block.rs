//! Compresses blocks of bytes, with the feature `store`: without the feature there is
//! no file. Storing the blocks is left to `scratch`.

#[cfg(feature = "store")]
use lz4_flex::block::{
    CompressTable, compress_into, compress_into_with_table, decompress_into,
    get_maximum_output_size,
};
use std::fmt;

/// Blocks below this length share a table.
#[cfg(feature = "store")]
const SHORT: usize = u16::MAX as usize;
/// Longer blocks are not compressed.
#[cfg(feature = "store")]
const LONG: usize = 1 << 30;

/// Compresses and decompresses blocks with reused memory.
#[derive(Default)]
pub(super) struct Packer {
    #[cfg(feature = "store")]
    table: CompressTable,
    packed: Vec<u8>,
}

impl fmt::Debug for Packer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Packer").finish_non_exhaustive()
    }
}

impl Packer {
    /// Returns `raw` itself, uncompressed.
    #[cfg(not(feature = "store"))]
    pub(super) fn pack<'p>(&'p mut self, raw: &'p [u8]) -> &'p [u8] {
        raw
    }

    /// Returns `raw` in a shorter form, or `raw` itself if compression does not make it
    /// shorter.
    #[cfg(feature = "store")]
    pub(super) fn pack<'p>(&'p mut self, raw: &'p [u8]) -> &'p [u8] {
        if raw.len() > LONG {
            return raw;
        }
        let most = get_maximum_output_size(raw.len());
        if self.packed.len() < most {
            self.packed.resize(most, 0);
        }
        let Packer { table, packed } = self;
        let len = match raw.len() < SHORT {
            true => compress_into_with_table(raw, packed, table),
            false => compress_into(raw, packed),
        };
        match len {
            Ok(len) if len < raw.len() => &self.packed[..len],
            _ => raw,
        }
    }

    /// The buffer for the shorter form, to be filled before [`unpack`](Packer::unpack).
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.packed
    }

    /// Replaces `raw` by the bytes whose shorter form is in the buffer. Returns false when
    /// they do not have this length.
    pub(super) fn unpack(&self, raw_len: usize, raw: &mut Vec<u8>) -> bool {
        raw.resize(raw_len, 0);
        #[cfg(feature = "store")]
        let len = decompress_into(&self.packed, raw).ok();
        #[cfg(not(feature = "store"))]
        let len = None;
        len == Some(raw_len)
    }

    /// Frees the buffer if it is longer than `bytes`.
    pub(super) fn shrink_to(&mut self, bytes: usize) {
        if self.packed.capacity() > bytes {
            self.packed = Vec::new();
        }
    }
}

#[cfg(all(test, feature = "store"))]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_unpacked_as_they_were() {
        let mut packer = Packer::default();
        let noise = |len: usize| {
            (0..len as u64).map(|n| (n.wrapping_mul(n ^ 0x9E37_79B9_7F4A_7C15) >> 29) as u8)
        };
        for len in [1, 7, 300, 4000, SHORT - 1, SHORT, 70_000, 300] {
            let same = vec![b'x'; len];
            let mixed: Vec<u8> = noise(len / 2).chain(same.iter().copied()).collect();
            for raw in [same, mixed, noise(len).collect()] {
                let packed = packer.pack(&raw).to_vec();
                if packed.len() == raw.len() {
                    assert_eq!(packed, raw);
                    continue;
                }
                assert!(packed.len() < raw.len());
                *packer.buffer() = packed;
                let mut unpacked = vec![9; 500];
                assert!(packer.unpack(raw.len(), &mut unpacked));
                assert_eq!(unpacked, raw);
                assert!(!packer.unpack(raw.len() + 1, &mut unpacked));
                assert!(!packer.unpack(raw.len() - 1, &mut unpacked));
            }
        }
        packer.shrink_to(100);
        assert_eq!(packer.buffer().capacity(), 0);
    }
}
