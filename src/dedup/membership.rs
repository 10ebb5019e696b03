//! The trait by which the engine uses a set, in memory or elsewhere.

use super::entry::Entry;
use super::keys::{Answer, Keys};
use super::set::Set;

/// A key that was deferred and is new.
///
/// ```
/// use urisieve::dedup::Late;
/// fn line(late: &Late) -> String {
///     let key = String::from_utf8_lossy(late.entry.key);
///     format!("{} {key} {}", late.number, late.entry.count)
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Late<'s> {
    /// The [number](Keys::number) of the key's first occurrence.
    pub number: u64,
    /// The key, the number of all its occurrences and, in a set that keeps records, the
    /// record of the first one.
    pub entry: Entry<'s>,
}

/// A set of keys that is asked, batch by batch, which keys are new. The answers are
/// exact.
///
/// A key that is not in the set, and for which there is no room, is deferred: the answer
/// is given after all batches. Each later occurrence of a deferred key is deferred, too.
///
/// ```
/// use urisieve::dedup::{Answer, Key, Keys, Membership, Set};
/// let mut set: Box<dyn Membership> = Box::new(Set::new());
/// let (keys, mut answers) = ([Key { to: 7, ..Key::default() }], [Answer::Known]);
/// set.ask(&Keys::new(b"urn:a:b", &keys), &mut answers);
/// assert_eq!(answers, [Answer::New]);
/// assert_eq!(set.next_new(), None);
/// assert_eq!(set.into_set().len(), 1);
/// ```
pub trait Membership: Send {
    /// Adds the new keys of a batch, in their order, and writes the answer for each key
    /// to `answers`, which has the length of the batch.
    fn ask(&mut self, keys: &Keys<'_>, answers: &mut [Answer]);

    /// Returns the next deferred key that is new, after all batches: each such key once,
    /// in any order, then `None`.
    fn next_new(&mut self) -> Option<Late<'_>>;

    /// Returns the keys whose answer was [`Answer::New`], with their counts and records.
    fn into_set(self: Box<Self>) -> Set;
}

/// A set in memory, which defers nothing.
impl Membership for Set {
    fn ask(&mut self, keys: &Keys<'_>, answers: &mut [Answer]) {
        Set::ask(self, keys, answers);
    }

    fn next_new(&mut self) -> Option<Late<'_>> {
        None
    }

    fn into_set(self: Box<Self>) -> Set {
        *self
    }
}
