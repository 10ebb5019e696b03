//! The entries of a set that is complete, by their places.

use super::arena::Arena;
use super::entry::Entry;

/// The keys of a complete set, with their counts and records, without the table that
/// looks keys up.
///
/// ```
/// use urisieve::dedup::{Hasher, Set};
/// let mut set = Set::counting();
/// set.insert(Hasher::new().hash(b"urn:a:b"), b"urn:a:b", 2, b"line 1");
/// let entries = set.into_entries();
/// let place = entries.places().next().unwrap();
/// assert_eq!(entries.at(place).unwrap().key, b"urn:a:b");
/// ```
#[derive(Debug)]
pub struct Entries {
    arena: Arena,
    counting: bool,
    len: usize,
}

impl Entries {
    pub(super) fn new(arena: Arena, counting: bool, len: usize) -> Entries {
        Entries {
            arena,
            counting,
            len,
        }
    }

    /// Returns the places of all entries, in the order in which they were added. A place
    /// is less than 2 to the 48th.
    ///
    /// ```
    /// use urisieve::dedup::Set;
    /// assert_eq!(Set::new().into_entries().places().count(), 0);
    /// ```
    pub fn places(&self) -> impl Iterator<Item = u64> + '_ {
        self.arena.places(self.counting)
    }

    /// Returns the entry at a place that [`places`](Entries::places) returned; `None`
    /// for a place beyond all entries.
    ///
    /// ```
    /// use urisieve::dedup::Set;
    /// assert_eq!(Set::new().into_entries().at(7), None);
    /// ```
    pub fn at(&self, place: u64) -> Option<Entry<'_>> {
        self.arena.entry(place, self.counting)
    }

    /// Returns the number of entries.
    ///
    /// ```
    /// use urisieve::dedup::Set;
    /// assert_eq!(Set::new().into_entries().len(), 0);
    /// ```
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}
