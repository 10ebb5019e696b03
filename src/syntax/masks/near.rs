//! Finds bytes that are near: sixteen are compared at once. Most texts and values of pages are
//! shorter than what a call takes that finds a byte far away in less time.

use wide::u8x16;

/// The number of bytes that are compared at once.
pub(crate) const CHUNK: usize = 16;
/// The number of bytes that are looked at before a call.
pub(crate) const NEAR: usize = 8 * CHUNK;

/// Returns a bit for each byte of `chunk` that is one of the bytes; bit 0 is the first of them.
#[inline(always)]
pub(crate) fn places<const N: usize>(chunk: [u8; CHUNK], bytes: [u8; N]) -> u32 {
    let chunk = u8x16::new(chunk);
    let mut found = u8x16::splat(0);
    for byte in bytes {
        found |= chunk.simd_eq(u8x16::splat(byte));
    }
    found.to_bitmask()
}

/// Finds the first of three bytes.
#[inline(always)]
pub(crate) fn find_of([a, b, c]: [u8; 3], text: &[u8]) -> Option<usize> {
    let (near, mut at) = (&text[..text.len().min(NEAR)], 0);
    while let Some(&chunk) = near[at..].first_chunk() {
        let found = places(chunk, [a, b, c]);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize);
        }
        at += CHUNK;
    }
    memchr::memchr3(a, b, c, &text[at..]).map(|len| at + len)
}

/// Returns a bit for each byte of `text`, which is shorter than a chunk, that is one of the bytes,
/// none of which is 0. To copy a few bytes would be a call, and the copied ones could not be loaded at
/// once.
#[inline(always)]
fn places_in_short<const N: usize>(text: &[u8], bytes: [u8; N]) -> u32 {
    // The first and the last bytes overlap.
    let all = if let (Some(&first), Some(&last)) = (text.first_chunk(), text.last_chunk()) {
        let (first, last) = (u64::from_le_bytes(first), u64::from_le_bytes(last));
        u128::from(first) | u128::from(last) << (8 * (text.len() - 8))
    } else if let (Some(&first), Some(&last)) = (text.first_chunk(), text.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(first), u32::from_le_bytes(last));
        (u64::from(first) | u64::from(last) << (8 * (text.len() - 4))).into()
    } else {
        let before = |all: u32, byte: &u8| all << 8 | u32::from(*byte);
        text.iter().rev().fold(0, before).into()
    };
    places(all.to_le_bytes(), bytes)
}

/// Returns the offsets of all bytes of `text` that are one of the bytes, none of which is 0.
#[inline(always)]
pub(crate) fn each_of<const N: usize>(
    bytes: [u8; N],
    text: &[u8],
) -> impl Iterator<Item = usize> + '_ {
    let (mut at, mut found) = (0, 0);
    let mut end = 0;
    std::iter::from_fn(move || {
        while found == 0 {
            at = end;
            found = match (text[at..].first_chunk(), text.last_chunk()) {
                (Some(&chunk), _) => places(chunk, bytes),
                (None, _) if at == text.len() => return None,
                (None, Some(&last)) => places(last, bytes) >> (at + CHUNK - text.len()),
                (None, None) => places_in_short(text, bytes),
            };
            end = text.len().min(at + CHUNK);
        }
        let place = at + found.trailing_zeros() as usize;
        found &= found - 1;
        Some(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_are_found_where_they_are(
            text in proptest::collection::vec(
                prop_oneof![12 => Just(b'a'), 1 => Just(b':'), 1 => Just(b'&'), 1 => any::<u8>()],
                0..200,
            ),
        ) {
            let all = |bytes: &[u8]| -> Vec<usize> {
                (0..text.len()).filter(|&at| bytes.contains(&text[at])).collect()
            };
            prop_assert_eq!(each_of(*b":&", &text).collect::<Vec<_>>(), all(b":&"));
            prop_assert_eq!(each_of(*b":", &text).collect::<Vec<_>>(), all(b":"));
            prop_assert_eq!(find_of(*b":&<", &text), all(b":&<").first().copied());
            for len in 0..text.len().min(2 * CHUNK) {
                let found: Vec<_> = each_of(*b":&", &text[..len]).collect();
                prop_assert_eq!(found, all(b":&").into_iter().filter(|&at| at < len).collect::<Vec<_>>());
            }
        }
    }
}
