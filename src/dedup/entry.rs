//! What is kept of one key. Where it is kept is left to `arena`.

/// A key with what is kept beside it.
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
    /// How often it was added.
    pub count: u64,
    /// The record given with it when it came first.
    pub record: &'s [u8],
}
