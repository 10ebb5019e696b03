//! The hash of a key.

use ahash::RandomState;
use std::hash::{BuildHasher, Hasher as _};

/// Hashes keys. Every hasher is keyed at random, so hashes never leave memory: nothing
/// is ordered, named or stored by them.
///
/// ```
/// use urisieve::dedup::Hasher;
/// let hasher = Hasher::new();
/// assert_eq!(hasher.clone().hash(b"urn:a:b"), hasher.hash(b"urn:a:b"));
/// ```
#[derive(Clone, Debug)]
pub struct Hasher(RandomState);

impl Default for Hasher {
    fn default() -> Hasher {
        Hasher::new()
    }
}

impl Hasher {
    /// Returns a hasher with a fresh random key.
    ///
    /// ```
    /// use urisieve::dedup::{Hasher, Set};
    /// let hasher = Hasher::new();
    /// let hash = hasher.hash(b"urn:a:b");
    /// // Sets that exchange keys share the hasher.
    /// for mut set in [Set::new(), Set::counting()] {
    ///     assert!(set.insert(hash, b"urn:a:b", 1, b""));
    /// }
    /// ```
    pub fn new() -> Hasher {
        Hasher(RandomState::new())
    }

    /// Returns the hash of `key`.
    ///
    /// ```
    /// use urisieve::dedup::Hasher;
    /// let hasher = Hasher::new();
    /// let shard = hasher.hash(b"http://a.example/") % 8;
    /// assert_eq!(hasher.hash(b"http://a.example/") % 8, shard);
    /// ```
    #[inline]
    pub fn hash(&self, key: &[u8]) -> u64 {
        // Unlike `hash_one`, this does not hash the length once more.
        let mut hasher = self.0.build_hasher();
        hasher.write(key);
        hasher.finish()
    }
}
