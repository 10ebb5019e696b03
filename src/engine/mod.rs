//! How do the stages meet? Workers claim blocks, scan them and hand the results
//! on in order; the only place with threads and locks. What is done with a
//! finding is left to the caller's [`Sink`].

mod ahead;
mod batch;
mod block;
mod blocks;
mod cancel;
mod carry;
mod config;
mod content;
mod count_by;
mod crew;
#[cfg(test)]
mod deferring;
mod deliver;
mod end;
mod error;
mod fault;
#[cfg(feature = "failpoints")]
mod faultpoint;
mod find;
mod findings;
mod groups;
mod handoff;
mod item;
mod kept;
mod keys;
#[cfg(test)]
mod linear;
mod lines;
mod lists;
mod lock;
mod mode;
mod parts;
mod piece;
mod problems;
mod progress;
mod read_as;
mod reasons;
mod recent;
mod record;
mod records;
mod refer;
mod run;
mod search;
mod sequence;
mod shards;
mod sieve;
mod spans;
mod stats;
mod stream;
mod worker;
mod write;

pub use count_by::CountBy;
pub use error::{Error, ErrorKind};
pub use find::{Finder, Match, Matches, find};
pub use findings::Findings;
pub use mode::Mode;
pub use problems::{is_uri, problems_of};
pub use progress::Progress;
pub use read_as::ReadAs;
pub use sequence::Sequence;
pub use sieve::{Sieve, SieveBuilder, THREADS_MAX};
pub use stats::Stats;

use crate::item::{Finding, Loss, Spelling};
use std::io;
use std::ops::ControlFlow;

/// Takes what a run finds, in the order of the inputs and of the places in them. What
/// only looks at findings can be a closure: see [`Sieve::for_each`].
///
/// A method that answers [`ControlFlow::Break`] ends the run: no other is called after
/// it, and the run gives the numbers so far, with [`Stats::stopped`] set. An error ends
/// it, too, and is what the run gives, as [`ErrorKind::Write`].
///
/// ```
/// use std::{io, ops::ControlFlow};
/// use urisieve::engine::{Error, Sieve, Sink};
/// use urisieve::item::Finding;
/// struct First(Vec<u8>);
/// impl Sink for First {
///     fn finding(&mut self, finding: &Finding<'_>) -> io::Result<ControlFlow<()>> {
///         self.0.extend_from_slice(finding.uri);
///         Ok(ControlFlow::Break(()))
///     }
/// }
/// let mut first = First(Vec::new());
/// let stats = Sieve::builder().build().slice(b"http://a.example/ http://b.example/", &mut first)?;
/// assert_eq!(first.0, b"http://a.example/");
/// assert!(stats.stopped);
/// # Ok::<(), Error>(())
/// ```
pub trait Sink: Send {
    /// A URI, or an occurrence of one.
    ///
    /// # Errors
    /// Any error ends the run.
    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>>;

    /// Findings of one block, as many as follow each other; by default each is given to
    /// [`finding`](Sink::finding). Not all findings come this way, and those that are
    /// passed over do not come again.
    ///
    /// # Errors
    /// As for [`finding`](Sink::finding).
    fn findings(&mut self, findings: &mut Findings) -> io::Result<ControlFlow<()>> {
        findings.each(|finding| self.finding(finding))
    }

    /// A class with its spellings, most frequent first; only with
    /// [`Mode::Groups`].
    ///
    /// # Errors
    /// As for [`finding`](Sink::finding), which is what is called by default.
    fn group(&mut self, class: &Finding, spellings: &[Spelling]) -> io::Result<ControlFlow<()>> {
        let _ = spellings;
        self.finding(class)
    }

    /// An input was read to its end, as what `read_as` says; `stats` are its own.
    /// `distinct` counts the classes that it was the first to show.
    fn input(&mut self, input: usize, read_as: ReadAs, stats: &Stats) {
        let _ = (input, read_as, stats);
    }

    /// Something that could not be reported.
    fn loss(&mut self, loss: &Loss) {
        let _ = loss;
    }

    /// An input, or the rest of one, that could not be read; the run goes on.
    fn error(&mut self, error: Error) {
        let _ = error;
    }

    /// Every input was read to its end. What is reported only then, such as counts,
    /// follows.
    ///
    /// # Errors
    /// As for [`finding`](Sink::finding).
    fn inputs_ended(&mut self) -> io::Result<ControlFlow<()>> {
        Ok(ControlFlow::Continue(()))
    }

    /// What was given so far is to be passed on: the input pauses or has ended.
    ///
    /// # Errors
    /// As for [`finding`](Sink::finding).
    fn flush(&mut self) -> io::Result<ControlFlow<()>> {
        Ok(ControlFlow::Continue(()))
    }
}

impl<F: FnMut(&Finding) + Send> Sink for F {
    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
        self(finding);
        Ok(ControlFlow::Continue(()))
    }
}

/// A closure that says of each finding whether to go on.
struct Until<F>(F);

impl<F: FnMut(&Finding) -> ControlFlow<()> + Send> Sink for Until<F> {
    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
        Ok((self.0)(finding))
    }
}
