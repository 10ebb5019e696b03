//! The orders in which entries are sorted.

use super::key::{KeyParts, hash_of};
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

/// Orders rows by their keys, so that those that differ only in case are next to each other, and
/// equal ones among these. Equal rows keep their order.
pub(super) fn by_key(a: &[u8], b: &[u8]) -> Ordering {
    let (a, b) = (split_number(a).1, split_number(b).1);
    hash_of(a).cmp(&hash_of(b)).then_with(|| {
        let (a, b) = (KeyParts::of(a), KeyParts::of(b));
        let is_folded = |parts: &KeyParts| std::ptr::eq(parts.key, parts.folded);
        let by_case = || match is_folded(&a) && is_folded(&b) {
            true => Ordering::Equal,
            false => a.key.cmp(b.key),
        };
        a.folded.cmp(b.folded).then_with(by_case)
    })
}

/// The rank of a row [by its key](by_key).
pub(super) fn key_rank(entry: &[u8]) -> u32 {
    hash_of(split_number(entry).1)
}

/// Orders entries by the number with which they begin.
pub(super) fn by_number(a: &[u8], b: &[u8]) -> Ordering {
    a.get(..NUMBER).cmp(&b.get(..NUMBER))
}

/// The rank of an entry [by its number](by_number).
pub(super) fn number_rank(entry: &[u8]) -> u32 {
    u32::try_from(split_number(entry).0).unwrap_or(u32::MAX)
}
