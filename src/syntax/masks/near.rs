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
            let chunk = match text[at..].first_chunk() {
                Some(&chunk) => chunk,
                None if at == text.len() => return None,
                None => {
                    let mut chunk = [0; CHUNK];
                    chunk[..text.len() - at].copy_from_slice(&text[at..]);
                    chunk
                }
            };
            found = places(chunk, bytes);
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
        }
    }
}
