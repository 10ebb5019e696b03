//! The orders in which entries are sorted.

use super::key::KeyParts;
use std::cmp::Ordering;

/// The order of encoded entries.
pub(super) type GroupOrder = fn(&[u8], &[u8]) -> Ordering;

/// The length of the number of a row, with which an entry begins.
const NUMBER: usize = size_of::<u64>();

/// Returns the number at the start of an entry, and the bytes after it.
pub(super) fn split_number(entry: &[u8]) -> (u64, &[u8]) {
    match entry.split_first_chunk() {
        Some((number, rest)) => (u64::from_be_bytes(*number), rest),
        None => (0, &[]),
    }
}

/// Orders rows by their keys without regard to case, then by their keys. Equal rows keep
/// their order.
pub(super) fn by_key(a: &[u8], b: &[u8]) -> Ordering {
    let (a, b) = (split_number(a).1, split_number(b).1);
    let folded = KeyParts::folded_of(a).cmp(KeyParts::folded_of(b));
    // Few keys differ in case alone.
    folded.then_with(|| KeyParts::of(a).key.cmp(KeyParts::of(b).key))
}

/// Orders entries by the number with which they begin.
pub(super) fn by_number(a: &[u8], b: &[u8]) -> Ordering {
    a.get(..NUMBER).cmp(&b.get(..NUMBER))
}
