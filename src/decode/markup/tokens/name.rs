//! Names of elements and attributes as one number: compared at once, usable in `match`.

use crate::syntax::masks::near::CHUNK;
use std::ops::Range;
use wide::u8x16;

/// The first [`NameKey::LEN`] bytes of a name, padded with blanks, which no name has.
///
/// `const HREF: NameKey = NameKey::of(b"href");` can be matched. Names of HTML are in
/// lower case; names of XML are unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameKey(u128);

const ONES: u128 = u128::MAX / 0xFF;
const BLANKS: u128 = ONES * b' ' as u128;

/// The bytes of a key that belong to a name, by its length.
static MASKS: [u128; NameKey::LEN + 1] = {
    let mut masks = [0; NameKey::LEN + 1];
    let mut len = 1;
    while len < masks.len() {
        masks[len] = masks[len - 1] << 8 | 0xFF;
        len += 1;
    }
    masks
};

impl NameKey {
    /// The number of bytes that a key holds.
    pub const LEN: usize = 16;

    /// All names that are longer.
    pub const LONG: NameKey = NameKey(u128::MAX);

    /// The key of a name in lower case.
    pub const fn of(name: &[u8]) -> NameKey {
        NameKey::exact(name).lower()
    }

    /// The key of a name as written.
    pub const fn exact(name: &[u8]) -> NameKey {
        if name.len() > NameKey::LEN {
            return NameKey::LONG;
        }
        let mut key = BLANKS;
        let mut i = 0;
        while i < name.len() {
            key ^= ((name[i] ^ b' ') as u128) << (8 * i);
            i += 1;
        }
        NameKey(key)
    }

    /// The key of `bytes[name]` in lower case: faster than [`NameKey::of`] where bytes
    /// follow the name.
    #[inline]
    pub fn read(bytes: &[u8], name: Range<usize>) -> NameKey {
        NameKey::read_exact(bytes, name).lower()
    }

    /// The key of `bytes[name]` as written.
    #[inline]
    pub fn read_exact(bytes: &[u8], name: Range<usize>) -> NameKey {
        match (bytes[name.start..].first_chunk(), MASKS.get(name.len())) {
            (Some(&chunk), Some(&mask)) => {
                NameKey((u128::from_le_bytes(chunk) ^ BLANKS) & mask ^ BLANKS)
            }
            _ => NameKey::exact(&bytes[name]),
        }
    }

    /// The first byte of the name, its last one, and its length, of a name that a key holds.
    pub const fn first_last_len(self) -> (u8, u8, u32) {
        let padding = (self.0 ^ BLANKS).leading_zeros() / 8;
        let len = NameKey::LEN as u32 - padding;
        let last = self.0 >> (8 * len.saturating_sub(1));
        (self.0 as u8, last as u8, len)
    }

    /// A number that other keys hardly share, another one for each `turn`.
    pub const fn mixed(self, turn: u32) -> usize {
        let folded = (self.0 as u64) ^ ((self.0 >> 64) as u64).rotate_left(32);
        (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (32 + turn)) as usize
    }

    /// Whether the key precedes `other` in an order of keys.
    pub const fn is_less(self, other: NameKey) -> bool {
        self.0 < other.0
    }

    const fn lower(self) -> NameKey {
        let low = self.0 & (ONES * 0x7F);
        // Each sum sets the high bit of its byte from `A` on, or beyond `Z`.
        let from_a = low + ONES * (0x80 - b'A' as u128);
        let beyond_z = low + ONES * (0x7F - b'Z' as u128);
        let upper = (from_a ^ beyond_z) & !self.0 & (ONES * 0x80);
        NameKey(self.0 | upper >> 2)
    }
}

/// Returns the length of the usual name at the start of `bytes`: up to the first byte that may end
/// a name, and some others. Sixteen bytes are looked at a time, and no guess of the length is made.
#[inline]
pub(super) fn usual_len(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(&chunk) = bytes[at..].first_chunk() {
        let chunk = u8x16::new(chunk);
        let before_hyphen = chunk.simd_lt(u8x16::splat(b'-'));
        let slash = chunk.simd_eq(u8x16::splat(b'/'));
        let behind_digits = (chunk - u8x16::splat(b':')).simd_le(u8x16::splat(b'@' - b':'));
        // The highest bit of a byte beyond ASCII is its own one.
        let ends = (before_hyphen | slash | behind_digits | chunk).to_bitmask();
        if ends != 0 {
            return Some(at + ends.trailing_zeros() as usize);
        }
        at += CHUNK;
    }
    let is_end = |byte: &u8| !matches!(byte, b'-' | b'.' | b'0'..=b'9' | b'A'..=0x7F);
    let rest = bytes[at..].iter().position(is_end)?;
    Some(at + rest)
}

/// A quick look at names: most that are not among some names differ from all of them in the first
/// letter, the last one or the length.
#[derive(Clone, Copy, Debug)]
pub struct NameSieve {
    /// For each letter the lengths of the names that begin with it and of those that end with it,
    /// a bit each.
    lengths: [[u32; 2]; 32],
}

impl NameSieve {
    /// The sieve of these names.
    pub const fn of(names: &[NameKey]) -> NameSieve {
        let lengths = [[0; 2]; 32];
        NameSieve { lengths }.with(names)
    }

    /// The sieve of these names, too.
    pub const fn with(mut self, names: &[NameKey]) -> NameSieve {
        let mut i = 0;
        while i < names.len() {
            let (first, last, len) = names[i].first_last_len();
            self.lengths[(first & 31) as usize][0] |= 1 << len;
            self.lengths[(last & 31) as usize][1] |= 1 << len;
            i += 1;
        }
        self
    }

    /// Whether `name`, in any case, may be one of the names.
    #[inline]
    pub fn may_have(&self, name: &[u8]) -> bool {
        let (&[first, ..], &[.., last]) = (name, name) else {
            return false;
        };
        let [of_first, _] = self.lengths[usize::from(first & 31)];
        let [_, of_last] = self.lengths[usize::from(last & 31)];
        name.len() <= NameKey::LEN && of_first & of_last & 1 << name.len() != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_as_names_do() {
        let name: Vec<u8> = (0..=255u8).filter(|b| !b.is_ascii_whitespace()).collect();
        for name in name.windows(NameKey::LEN) {
            for len in 0..=NameKey::LEN {
                let lower = name[..len].to_ascii_lowercase();
                let key = NameKey::of(&name[..len]);
                assert_eq!(key, NameKey::exact(&lower));
                assert_eq!(key, NameKey::read(name, 0..len));
                assert_eq!(
                    NameKey::exact(&name[..len]),
                    NameKey::read_exact(name, 0..len)
                );
                let same = name[..len] == *lower;
                assert_eq!(key == NameKey::exact(&name[..len]), same);
            }
        }
        assert_ne!(NameKey::of(b"a"), NameKey::of(b"a\0"));
        assert_eq!(NameKey::of(b"a-name-of-17-byte"), NameKey::LONG);
    }

    #[test]
    fn usual_names_end_at_the_same_bytes_in_each_place() {
        let is_of_name = |byte: u8| matches!(byte, b'-' | b'.' | b'0'..=b'9' | b'A'..=0x7F);
        for byte in 0..=255 {
            for len in 0..40 {
                for at in 0..len {
                    let mut bytes = vec![b'a'; len];
                    bytes[at] = byte;
                    let wanted = (!is_of_name(byte)).then_some(at);
                    assert_eq!(usual_len(&bytes), wanted, "{byte} at {at} of {len}");
                    bytes[at + 1..].fill(byte ^ 0x80);
                    let found = bytes.iter().position(|&byte| !is_of_name(byte));
                    assert_eq!(usual_len(&bytes), found);
                }
            }
        }
        for byte in b"\t\n\x0C\r />=:<\"'&" {
            assert!(!is_of_name(*byte));
        }
    }
}
