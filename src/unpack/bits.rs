//! The start of a block of a bzip2 stream, which may be at any bit: reads numbers of 48
//! bits at any bit, and searches for that of a block.

/// A block begins with the digits of pi.
pub(super) const BLOCK: u64 = 0x3141_5926_5359;
/// Bits of that number.
pub(super) const BITS: usize = 48;

/// The bits at which a block may begin, by the second and by the third byte after the
/// start of its first byte; both are completely part of the magic number.
const SECOND: [u8; 256] = starts(1);
const THIRD: [u8; 256] = starts(2);

const fn starts(byte: u32) -> [u8; 256] {
    let mut table = [0; 256];
    let mut bit = 0;
    while bit < 8 {
        let value = BLOCK << (8 - bit) >> (48 - 8 * byte) & 0xFF;
        table[value as usize] |= 1 << bit;
        bit += 1;
    }
    table
}

/// Bits of the checksum of a block, after its number.
const CHECKSUM: usize = 32;
/// The greatest number that a block of the highest level has of its first byte.
const ORIGIN_MAX: u64 = 900_010;

/// Returns the 48 bits that begin `bit` bits into `bytes`.
pub(super) fn at(bytes: &[u8], bit: usize) -> Option<u64> {
    number(bytes, bit, BITS)
}

/// Returns the `count` bits, at most 48, that begin `bit` bits into `bytes`.
fn number(bytes: &[u8], bit: usize, count: usize) -> Option<u64> {
    let end = (bit + count).div_ceil(8);
    let bytes = bytes.get(bit / 8..end)?;
    let value = bytes
        .iter()
        .fold(0u64, |value, &b| value << 8 | u64::from(b));
    let surplus = 8 * end - bit - count;
    Some(value >> surplus & !(u64::MAX << count))
}

/// Whether the bits after the number of a block, which begins at `bit`, may be those of a
/// block; `None` when a longer input is needed. A decoder would find out the same, and takes
/// far longer.
pub(super) fn may_be_block(bytes: &[u8], bit: usize) -> Option<bool> {
    let mut at = bit + BITS + CHECKSUM;
    let mut take = |count| {
        let number = number(bytes, at, count)?;
        at += count;
        Some(number)
    };
    let _is_randomized = take(1)?;
    if take(24)? > ORIGIN_MAX {
        return Some(false);
    }
    let rows = take(16)?.count_ones();
    let mut used = 0;
    for _ in 0..rows {
        used += take(16)?.count_ones();
    }
    let (tables, selectors) = (take(3)?, take(15)?);
    // The first selector is a number of ones. More bits than these follow it.
    let first = (take(6)? << (u64::BITS - 6)).leading_ones();
    Some(used > 0 && (2..=6).contains(&tables) && selectors > 0 && u64::from(first) < tables)
}

/// Returns the offset in bits at which the first block in `bytes` begins.
pub(super) fn find(bytes: &[u8]) -> Option<usize> {
    // One byte out of thirty passes the first table, and few of those pass the second.
    bytes.windows(3).enumerate().find_map(|(byte, window)| {
        let starts = SECOND[usize::from(window[1])] & THIRD[usize::from(window[2])];
        (0..8)
            .take_while(|_| starts != 0)
            .filter(|bit| starts >> bit & 1 == 1)
            .map(|bit| 8 * byte + bit)
            .find(|&bit| at(bytes, bit) == Some(BLOCK))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns `bits` bits of `noise`, then the number, then noise.
    fn placed(number: u64, bits: usize, noise: u8) -> Vec<u8> {
        let mut bytes = vec![noise; bits / 8 + 10];
        for i in 0..BITS {
            let (byte, mask) = ((bits + i) / 8, 0x80 >> ((bits + i) % 8));
            bytes[byte] &= !mask;
            if number >> (BITS - 1 - i) & 1 == 1 {
                bytes[byte] |= mask;
            }
        }
        bytes
    }

    #[test]
    fn a_block_is_found_at_every_bit_and_across_every_end() {
        for bits in 0..200 {
            for noise in [0, 0xFF, 0x31, 0x59, 0xA5] {
                let bytes = placed(BLOCK, bits, noise);
                assert_eq!(find(&bytes), Some(bits), "{noise:#x}");
                assert_eq!(at(&bytes, bits), Some(BLOCK));
                let whole = (bits + BITS).div_ceil(8);
                for len in 0..bytes.len() {
                    let found = (len >= whole).then_some(bits);
                    assert_eq!(find(&bytes[..len]), found, "{len}");
                }
                assert_eq!(find(&bytes[bits / 8 + 1..]), None);
                assert_eq!(find(&placed(0x1772_4538_5090, bits, noise)), None);
                for flipped in 0..BITS {
                    assert_eq!(find(&placed(BLOCK ^ 1 << flipped, bits, noise)), None);
                }
            }
        }
    }
}
