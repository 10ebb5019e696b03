//! The traits by which the engine uses a set, in memory or elsewhere.

use super::entry::Entry;
use super::keys::{Answer, Keys};
use super::set::Set;
use std::fmt;
use std::io;
use std::ops::ControlFlow;

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
/// is given after all batches. Each later occurrence of a deferred key is also deferred.
///
/// ```
/// use urisieve::dedup::{Answer, Key, Keys, Membership, Set};
/// let mut set: Box<dyn Membership> = Box::new(Set::new());
/// let (keys, mut answers) = ([Key { to: 7, ..Key::default() }], [Answer::Known]);
/// set.ask(&Keys::new(b"urn:a:b", &keys), &mut answers)?;
/// assert_eq!(answers, [Answer::New]);
/// let finished = set.finish()?;
/// assert_eq!(finished.set.len(), 1);
/// assert!(finished.deferred.is_none());
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait Membership: Send {
    /// Adds the new keys of a batch, in their order, and writes the answer for each key
    /// to `answers`, which has the length of the batch. After an error the answers are
    /// incomplete, and the set must not be used any more.
    fn ask(&mut self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()>;

    /// Ends the set after all batches.
    fn finish(self: Box<Self>) -> io::Result<Finished>;
}

/// The content of a set after all batches.
///
/// ```
/// use urisieve::dedup::{Membership, Set};
/// let finished = Box::new(Set::new()).finish()?;
/// assert!(finished.set.is_empty() && finished.deferred.is_none());
/// # Ok::<(), std::io::Error>(())
/// ```
#[non_exhaustive]
pub struct Finished {
    /// The keys whose answer was [`Answer::New`], with their counts and records.
    pub set: Set,
    /// The deferred keys, if any.
    pub deferred: Option<Box<dyn Deferred>>,
    /// The charge for the memory of `set`, where memory is counted. The charge is
    /// dropped with the set.
    pub charge: Option<Box<dyn Send>>,
}

impl Finished {
    /// Returns a finished set that deferred nothing and whose memory is not counted.
    ///
    /// ```
    /// use urisieve::dedup::{Finished, Set};
    /// assert!(Finished::new(Set::new()).charge.is_none());
    /// ```
    pub fn new(set: Set) -> Finished {
        Finished {
            set,
            deferred: None,
            charge: None,
        }
    }
}

impl fmt::Debug for Finished {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Finished")
            .field("set", &self.set)
            .finish_non_exhaustive()
    }
}

/// Receives a deferred key that is new. `Break` ends the report.
///
/// ```
/// use std::ops::ControlFlow;
/// use urisieve::dedup::{Deferred, LateReceiver};
/// fn first(deferred: Box<dyn Deferred>) -> std::io::Result<Option<u64>> {
///     let mut first = None;
///     let receive: LateReceiver = &mut |late| {
///         first = Some(late.number);
///         Ok(ControlFlow::Break(()))
///     };
///     deferred.settle(receive)?;
///     Ok(first)
/// }
/// ```
pub type LateReceiver<'r> = &'r mut (dyn FnMut(Late<'_>) -> io::Result<ControlFlow<()>> + 'r);

/// Deferred keys, after all batches.
///
/// ```
/// use std::ops::ControlFlow;
/// use urisieve::dedup::Deferred;
/// fn count(deferred: Box<dyn Deferred>) -> std::io::Result<u64> {
///     let mut count = 0;
///     deferred.settle(&mut |_| {
///         count += 1;
///         Ok(ControlFlow::Continue(()))
///     })?;
///     Ok(count)
/// }
/// ```
pub trait Deferred: Send {
    /// Passes each deferred key that is new to `new`, once, in any order. Keys in the
    /// order of their numbers follow each other in long runs.
    fn settle(self: Box<Self>, new: LateReceiver<'_>) -> io::Result<()>;
}

/// Keys that are known before a run: they are asked for, and do not change.
///
/// ```
/// use std::io;
/// use urisieve::dedup::{Answer, Key, Keys, KnownKeys};
/// #[derive(Debug)]
/// struct Short;
/// impl KnownKeys for Short {
///     fn ask(&self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()> {
///         for (key, answer) in keys.iter().zip(answers) {
///             if *answer != Answer::Known && keys.class(key).len() < 5 {
///                 *answer = Answer::Known;
///             }
///         }
///         Ok(())
///     }
/// }
/// let (keys, mut answers) = ([Key { to: 4, ..Key::default() }], [Answer::New]);
/// Short.ask(&Keys::new(b"a:bc", &keys), &mut answers)?;
/// assert_eq!(answers, [Answer::Known]);
/// # Ok::<(), io::Error>(())
/// ```
pub trait KnownKeys: fmt::Debug + Send + Sync {
    /// Sets the answer of each key that was not [`Answer::Known`], and whose [class](Keys::class)
    /// is known, to [`Answer::Known`]. One that was [`Answer::Deferred`] is a key to which
    /// [`ask_later`](KnownKeys::ask_later) gave this answer: whether it may be known need not be
    /// found out again. After an error the answers are incomplete.
    fn ask(&self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()>;

    /// Where it would take long to ask for each batch of keys, and the answers may wait: sets the
    /// answer of each key that was [`Answer::New`], and may be known, to [`Answer::Deferred`], and
    /// returns true. These keys are asked for after all batches, in byte order, with that answer.
    /// Default: returns false, and changes nothing.
    fn ask_later(&self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<bool> {
        let _ = (keys, answers);
        Ok(false)
    }

    /// The number of findings, from the first of the run on, whose keys are among the known ones
    /// by now, where they become known while the run goes on: a set need not keep these keys.
    /// Default `None`: what is known does not change.
    fn remembered(&self) -> Option<u64> {
        None
    }

    /// Says that the first `findings` of the run were reported, as far as they are new.
    fn reported(&self, findings: u64) {
        let _ = findings;
    }

    /// Says that memory is used up by keys that are not [remembered](KnownKeys::remembered).
    fn crowded(&self) {}
}

/// A set in memory, which defers nothing.
impl Membership for Set {
    fn ask(&mut self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()> {
        Set::ask(self, keys, answers);
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<Finished> {
        Ok(Finished::new(*self))
    }
}
