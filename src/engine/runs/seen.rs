//! The exact set of the URIs that a caller has seen, one URI at a time: the canonical form is
//! the key. Runs ask sets batch by batch.

use crate::canonicalize::Canonicalizer;
use crate::dedup::{Hasher, Set};
use std::fmt;

/// The URIs that were seen, such as those of a crawler's frontier: exact, and in memory. Equal
/// URIs are one, by the rules of a [`Canonicalizer`]. A URI takes the bytes of its canonical
/// form and, where these are short, at most 24 bytes more.
///
/// ```
/// use urisieve::Seen;
/// use urisieve::canonicalize::{Canonicalizer, Level};
/// let mut seen = Seen::new(Canonicalizer::new(Level::Scheme));
/// assert!(seen.insert(b"http://a.example/%7Ejoe")?);
/// assert!(!seen.insert(b"HTTP://A.example:80/~joe")?);
/// assert_eq!(seen.len(), 1);
/// # Ok::<(), urisieve::Full>(())
/// ```
#[derive(Debug)]
pub struct Seen {
    canonicalizer: Canonicalizer,
    hasher: Hasher,
    set: Set,
    max_memory: Option<usize>,
    /// The canonical form of the last URI.
    buffer: Vec<u8>,
}

/// There is no memory for another URI: [`Seen::max_memory`] is reached.
///
/// ```
/// use urisieve::{Full, Seen};
/// let mut seen = Seen::default().max_memory(0);
/// let full: Full = seen.insert(b"http://a.example/").unwrap_err();
/// assert_eq!(full.max_memory, 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Full {
    /// The most memory, in bytes.
    pub max_memory: usize,
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let most = self.max_memory;
        write!(f, "the set has no room for another URI in {most} bytes")
    }
}

impl std::error::Error for Full {}

impl Default for Seen {
    fn default() -> Seen {
        Seen::new(Canonicalizer::default())
    }
}

impl Seen {
    /// Returns an empty set. URIs are one if their canonical forms by `canonicalizer` are.
    ///
    /// ```
    /// use urisieve::{Seen, canonicalize::Canonicalizer};
    /// let mut seen = Seen::new(Canonicalizer::default().fold_https(true));
    /// assert_eq!((seen.insert(b"http://a/")?, seen.insert(b"https://a/")?), (true, false));
    /// # Ok::<(), urisieve::Full>(())
    /// ```
    pub fn new(canonicalizer: Canonicalizer) -> Seen {
        Seen {
            canonicalizer,
            hasher: Hasher::new(),
            set: Set::new(),
            max_memory: None,
            buffer: Vec::new(),
        }
    }

    /// Sets the most bytes of memory that the set may take; default any number.
    ///
    /// ```
    /// use urisieve::Seen;
    /// let mut seen = Seen::default().max_memory(1 << 20);
    /// let mut uris = (0..).map(|number| format!("http://a.example/{number}"));
    /// let full = uris.find_map(|uri| seen.insert(uri.as_bytes()).err());
    /// assert!(full.is_some() && seen.memory() <= 1 << 20 && seen.len() > 10_000);
    /// // A URI that was seen needs no room.
    /// assert_eq!(seen.insert(b"http://a.example/0"), Ok(false));
    /// ```
    pub fn max_memory(mut self, bytes: usize) -> Seen {
        self.max_memory = Some(bytes);
        self
    }

    /// Adds `uri`, and returns whether it is new: no equal one was added before. Any bytes
    /// are taken for a URI; [`is_uri`](crate::is_uri) checks them.
    ///
    /// # Errors
    /// [`Full`] if the URI is new, and [`max_memory`](Seen::max_memory) leaves no room for it.
    /// The set is as before.
    ///
    /// ```
    /// use urisieve::Seen;
    /// let mut seen = Seen::default();
    /// let mut fetch = Vec::new();
    /// for found in urisieve::find("http://a.example/ http://A.EXAMPLE/ http://b.example/") {
    ///     if seen.insert(found.uri())? {
    ///         fetch.push(found.start());
    ///     }
    /// }
    /// assert_eq!(fetch, [0, 36]);
    /// # Ok::<(), urisieve::Full>(())
    /// ```
    pub fn insert(&mut self, uri: &[u8]) -> Result<bool, Full> {
        let Seen {
            canonicalizer,
            hasher,
            set,
            max_memory,
            buffer,
        } = self;
        let key = canonicalizer.canonicalize(uri, buffer);
        let hash = hasher.hash(key);
        if let Some(max_memory) = *max_memory {
            if set.contains(hash, key) {
                return Ok(false);
            }
            if set.memory() + set.growth(hash, key.len(), 0) > max_memory {
                return Err(Full { max_memory });
            }
        }
        Ok(set.insert(hash, key, 1, b""))
    }

    /// Returns whether an equal URI was added.
    ///
    /// ```
    /// use urisieve::Seen;
    /// let mut seen = Seen::default();
    /// seen.insert(b"http://a.example/")?;
    /// assert!(seen.contains(b"HTTP://a.example/") && !seen.contains(b"http://b.example/"));
    /// # Ok::<(), urisieve::Full>(())
    /// ```
    pub fn contains(&self, uri: &[u8]) -> bool {
        let key = self.canonicalizer.canonical(uri);
        self.set.contains(self.hasher.hash(&key), &key)
    }

    /// Returns the number of URIs of which no two are equal.
    pub fn len(&self) -> usize {
        self.set.len()
    }

    /// Returns whether no URI was added.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// Returns the bytes of memory that the set takes.
    ///
    /// ```
    /// use urisieve::Seen;
    /// let mut seen = Seen::default();
    /// seen.insert(b"http://a.example/")?;
    /// assert!(seen.memory() > 17);
    /// # Ok::<(), urisieve::Full>(())
    /// ```
    pub fn memory(&self) -> usize {
        self.set.memory()
    }
}
