//! The windows of a text that the kernels with vectors read: whole ones where they are, and at
//! its ends copies that are filled up.

use super::table::LANES;

/// Returns the offset and the bits of the next chunk of 64 bytes from `at` on that has a bit set
/// and a byte after it. If no chunk has, returns the offset from which too few bytes are left, and
/// no bits. `at` is not 0. A part of its caller, so that `triggers` is one, too: both have the
/// caller's target features then.
#[inline(always)]
pub(super) fn next_chunk(
    text: &[u8],
    mut at: usize,
    triggers: impl Fn(&[u8; LANES + 2]) -> u64,
) -> (usize, u64) {
    while let Some(window) = text.get(at - 1..).and_then(<[u8]>::first_chunk) {
        let bits = triggers(window);
        if bits != 0 {
            return (at, bits);
        }
        at += LANES;
    }
    (at, 0)
}

/// Returns the bytes of `text` from `at` on with the byte before and the one after them.
/// NUL stands before the text, before which no scheme is, and `/` behind it, so that a colon
/// at the end passes.
pub(super) fn ends_of<const LEN: usize>(text: &[u8], at: usize) -> [u8; LEN] {
    let mut window = [b'/'; LEN];
    let (before, after) = match at {
        0 => (None, 0),
        _ => (text.get(at - 1), at),
    };
    window[0] = before.copied().unwrap_or(0);
    let rest = &text[after..];
    let rest = &rest[..rest.len().min(LEN - 1)];
    window[1..=rest.len()].copy_from_slice(rest);
    window
}

/// Has `read` read the bytes of `text` from `at` on with the byte before and the one after them.
#[inline]
pub(super) fn with_ends<const LEN: usize, T>(
    text: &[u8],
    at: usize,
    read: impl FnOnce(&[u8; LEN]) -> T,
) -> T {
    let before = at.checked_sub(1);
    match before.and_then(|before| text[before..].first_chunk()) {
        Some(window) => read(window),
        None => read(&ends_of(text, at)),
    }
}

/// Returns `text`, which is shorter, filled up with NUL, which ends a candidate as the end of the
/// text does.
#[cold]
pub(super) fn filled(text: &[u8]) -> [u8; LANES] {
    let mut window = [0; LANES];
    window[..text.len()].copy_from_slice(text);
    window
}
