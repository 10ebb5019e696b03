//! Numbers of a variable length: in base 128, low digits first.

/// Appends `number`.
#[inline]
pub(crate) fn put(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Splits a number off the start of `bytes`; 0 where `bytes` is too short.
#[inline]
pub(crate) fn take(bytes: &mut &[u8]) -> u64 {
    // Most numbers are small.
    if let [byte @ 0..0x80, rest @ ..] = *bytes {
        *bytes = rest;
        return u64::from(*byte);
    }
    let (mut number, mut shift) = (0, 0);
    while let Some((&byte, rest)) = bytes.split_first() {
        *bytes = rest;
        number |= u64::from(byte & 0x7F).checked_shl(shift).unwrap_or(0);
        shift += 7;
        if byte < 0x80 {
            break;
        }
    }
    number
}

/// Returns the number of bytes that [`put`] appends.
#[inline]
pub(super) fn len(number: u64) -> usize {
    (u64::BITS - (number | 1).leading_zeros()).div_ceil(7) as usize
}

/// Returns a number that is small when `before` and `number` differ little, in either
/// direction.
#[inline]
pub(super) fn step(before: u64, number: u64) -> u64 {
    let step = number.wrapping_sub(before) as i64;
    (step << 1 ^ step >> 63) as u64
}

/// Returns the number that is a [`step`] away from `before`.
#[inline]
pub(super) fn after(before: u64, step: u64) -> u64 {
    let step = (step >> 1) as i64 ^ -((step & 1) as i64);
    before.wrapping_add(step as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_as_they_were_put() {
        let numbers = (0..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, u64::MAX >> bit]);
        let numbers: Vec<u64> = numbers.collect();
        for &number in &numbers {
            let mut bytes = Vec::new();
            put(number, &mut bytes);
            assert_eq!(bytes.len(), len(number), "{number}");
            bytes.push(7);
            let mut rest = &bytes[..];
            assert_eq!((take(&mut rest), rest), (number, &[7][..]));
            for &before in &numbers {
                assert_eq!(after(before, step(before, number)), number);
            }
        }
        assert_eq!((step(5, 6), step(6, 5), step(5, 5)), (2, 1, 0));
        assert_eq!(take(&mut &[][..]), 0);
    }
}
