//! Looks at the bytes of a value 16 or 8 at a time, to find out whether it is written as it is.

/// Whether `is` returns true for each of these bytes.
#[inline]
pub(super) fn are_all(value: &[u8], is: impl Fn(u8) -> bool) -> bool {
    if let Some(last) = value.last_chunk::<16>() {
        return at_once(last, &is) && value.as_chunks::<16>().0.iter().all(|c| at_once(c, &is));
    }
    match (value.first_chunk::<8>(), value.last_chunk::<8>()) {
        (Some(first), Some(last)) => at_once(first, &is) & at_once(last, &is),
        _ => value.iter().all(|&byte| is(byte)),
    }
}

/// Does the same for a chunk. Without an early exit its bytes are compared at once.
#[inline(always)]
fn at_once<const LANES: usize>(chunk: &[u8; LANES], is: impl Fn(u8) -> bool) -> bool {
    chunk.iter().fold(true, |all, &byte| all & is(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_is_looked_at() {
        for len in 0..70 {
            assert!(are_all(&vec![b'x'; len], |byte| byte == b'x'));
            for at in 0..len {
                let mut value = vec![b'x'; len];
                value[at] = b'y';
                assert!(!are_all(&value, |byte| byte == b'x'), "{at} of {len}");
            }
        }
    }
}
