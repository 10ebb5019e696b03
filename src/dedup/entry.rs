//! The entry of one key in a set. The memory of entries is left to `arena`.

/// A key with its count and its record.
///
/// ```
/// use urisieve::dedup::{Entry, Hasher, Set};
/// let hasher = Hasher::new();
/// let mut set = Set::counting();
/// for line in [b"line 1", b"line 9"] {
///     set.insert(hasher.hash(b"urn:a:b"), b"urn:a:b", 1, line);
/// }
/// let Entry { key, count, record, .. } = set.entries().next().unwrap();
/// assert_eq!((key, count, record), (&b"urn:a:b"[..], 2, &b"line 1"[..]));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry<'s> {
    /// The key.
    pub key: &'s [u8],
    /// The number of times that the key was added.
    pub count: u64,
    /// The record that came with the key when it was added first.
    pub record: &'s [u8],
}
