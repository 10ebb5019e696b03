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
/// let wanted = Entry { key: b"urn:a:b", count: 2, record: b"line 1" };
/// assert_eq!(set.entries().collect::<Vec<_>>(), [wanted]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry<'s> {
    /// The key.
    pub key: &'s [u8],
    /// How often it was added.
    pub count: u64,
    /// The record given with it when it came first.
    pub record: &'s [u8],
}
