//! The key of a link: the source, a tab and the target.

/// Between the source and the target in a key. Neither contains one.
pub(in crate::engine) const BETWEEN: u8 = b'\t';

/// The end of the key of a link that is not to be followed, where such links are pairs of their
/// own.
pub(in crate::engine) const NOFOLLOW: &[u8] = b"\tnofollow";

/// Splits a key into the source and the target of its pair.
pub(in crate::engine) fn split(pair: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(BETWEEN, pair) {
        Some(at) => (&pair[..at], &pair[at + 1..]),
        None => (b"", pair),
    }
}
