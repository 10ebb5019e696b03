//! What the engine asks of a set, wherever its keys are kept.

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
    /// Its [number](Keys::number) when it was first asked about.
    pub number: u64,
    /// The key, how often it was asked about in all, and, where records are kept, the
    /// record of the first time.
    pub entry: Entry<'s>,
}

/// Whether keys were seen before: exact, and asked by the batch.
///
/// A key that is neither known nor has room is deferred: it is answered after all
/// batches. What is deferred once is deferred whenever it is asked about again.
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
    /// Asks about every key of a batch, in its order, and adds those that are new;
    /// `answers`, of which there are as many, become the answers.
    fn ask(&mut self, keys: &Keys<'_>, answers: &mut [Answer]);

    /// When all batches were asked: the next one of the deferred keys that is new, each
    /// once, in any order; none after the last.
    fn next_new(&mut self) -> Option<Late<'_>>;

    /// The keys that were answered as new at once, with what is kept beside them.
    fn into_set(self: Box<Self>) -> Set;
}

/// Everything is in memory, and nothing is deferred.
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
