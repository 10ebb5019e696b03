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
#[cfg(test)]
mod deferring;
mod error;
mod groups;
mod handoff;
mod item;
mod kept;
mod keys;
mod lines;
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

pub use count_by::CountBy;
pub use error::{Error, ErrorKind};
pub use mode::Mode;
pub use problems::{is_uri, problems_of};
pub use progress::Progress;
pub use read_as::ReadAs;
pub use sequence::Sequence;
pub use sieve::{Sieve, SieveBuilder};
pub use stats::Stats;

use crate::item::{Finding, Loss, Spelling};
use std::io;

/// Takes what a run finds, in the order of the inputs and of the places in them.
///
/// ```
/// use urisieve::engine::{Error, Sieve, Sink};
/// use urisieve::item::Finding;
/// struct First(Option<Vec<u8>>);
/// impl Sink for First {
///     fn finding(&mut self, finding: &Finding<'_>) -> std::io::Result<()> {
///         self.0.get_or_insert_with(|| finding.uri.to_vec());
///         Ok(())
///     }
/// }
/// let mut first = First(None);
/// Sieve::builder().build().slice(b"http://a.example/ http://b.example/", &mut first)?;
/// assert_eq!(first.0.as_deref(), Some(&b"http://a.example/"[..]));
/// # Ok::<(), Error>(())
/// ```
pub trait Sink: Send {
    /// A URI, or an occurrence of one.
    ///
    /// # Errors
    /// Any error ends the run; it is given back by it.
    fn finding(&mut self, finding: &Finding) -> io::Result<()>;

    /// A class with its spellings, most frequent first; only with
    /// [`Mode::Groups`].
    ///
    /// # Errors
    /// As for [`finding`](Sink::finding), which is what is called by default.
    fn group(&mut self, class: &Finding, spellings: &[Spelling]) -> io::Result<()> {
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

    /// Every input was read to its end. What is told only then, such as counts, follows.
    ///
    /// # Errors
    /// As for [`finding`](Sink::finding).
    fn inputs_ended(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// What was given so far is to be told: the input pauses or has ended.
    ///
    /// # Errors
    /// As for [`finding`](Sink::finding).
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<F: FnMut(&Finding) + Send> Sink for F {
    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        self(finding);
        Ok(())
    }
}
