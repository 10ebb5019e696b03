//! How do the stages work together? Workers claim blocks, scan them and pass on the
//! results in order. The threads and locks of the library are here, but for the lock of
//! the memory that decompressed streams share (`unpack/held.rs`). The caller's [`Sink`]
//! decides what is done with a finding.

mod ask;
mod batches;
mod cancel;
#[cfg(feature = "marc")]
mod catalog;
mod claim;
mod end;
mod error;
mod fault;
#[cfg(feature = "failpoints")]
mod faultpoint;
mod lock;
mod order;
mod read;
mod report;
mod runs;
mod threads;

pub use ask::byte_size::{ByteSize, WrongSize};
pub use ask::config::THREADS_MAX;
pub use ask::count_by::CountBy;
pub use ask::count_per::CountPer;
pub use ask::exchange_filter::{ExchangeFilter, time_bound};
pub use ask::mode::Mode;
pub use ask::pairs::Pairs;
pub use ask::progress::Progress;
pub use ask::record_filter::{MediaRange, RecordFilter, StatusCodes};
pub use ask::sequence::Sequence;
pub use ask::uri_selection::{UnusableName, UriSelection};
pub use batches::findings::{Findings, FormatFindings};
pub use batches::read_as::ReadAs;
pub use batches::stats::Stats;
#[cfg(feature = "marc")]
pub use catalog::batch::{CatalogBatch, CatalogPiece};
#[cfg(feature = "marc")]
pub use catalog::run::{CatalogRun, CatalogSink, CatalogStats, CatalogWork};
pub use error::{Error, ErrorKind};
pub use read::problems::{is_strict_uri, is_uri, problems_of};
pub use runs::builder::{Builder, ReadsInputs, Searches};
pub use runs::find::{Finder, Match, Matches, find};
pub use runs::iterate::OwnedFindings;
pub use runs::rewriter::{RewriteLimit, Rewriter};
pub use runs::seen::{Full, Seen};
pub use runs::sieve::Sieve;
pub use runs::text_spans::{TextSpan, TextSpans};
pub use runs::texts::TextSearch;

pub use crate::decode::{LogFormat, UnknownLogFormat};
pub use crate::unpack::{ARCHIVES, ArchiveFormat, Compression};

use crate::item::{Finding, Loss, Spelling};
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Receives the findings of a run, in the order of the inputs and of the places in them. A
/// closure is enough to look at the findings alone: see [`Sieve::for_each`] and [`each`].
///
/// A method that returns [`ControlFlow::Break`] ends the run. No other method is called
/// after that, and the run returns the numbers so far, with [`Stats::stopped`] set. An
/// error also ends the run: the run returns it as [`ErrorKind::Write`].
///
/// ```
/// use std::{io, ops::ControlFlow};
/// use urisieve::{Error, Sieve, Sink};
/// use urisieve::item::Finding;
/// struct First(Vec<u8>);
/// impl Sink for First {
///     fn finding(&mut self, finding: &Finding<'_>) -> io::Result<ControlFlow<()>> {
///         self.0.extend_from_slice(finding.uri);
///         Ok(ControlFlow::Break(()))
///     }
/// }
/// let mut first = First(Vec::new());
/// let stats = Sieve::builder().build().run(["http://a.example/ http://b.example/"], &mut first)?;
/// assert_eq!(first.0, b"http://a.example/");
/// assert!(stats.stopped);
/// # Ok::<(), Error>(())
/// ```
#[diagnostic::on_unimplemented(
    note = "a closure is a sink by `urisieve::each`, or is given to `Sieve::for_each`"
)]
pub trait Sink {
    /// Takes a finding: a class of equal URIs or, with [`Mode::All`], one occurrence.
    ///
    /// # Errors
    /// Any error ends the run.
    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>>;

    /// Takes findings of one block that follow each other. By default it calls
    /// [`finding`](Sink::finding) for each of them. Findings also reach
    /// [`finding`](Sink::finding) directly. Those that an implementation skips are not
    /// repeated.
    ///
    /// # Errors
    /// As for [`finding`](Sink::finding).
    fn findings(&mut self, findings: &mut Findings) -> io::Result<ControlFlow<()>> {
        findings.each(|finding| self.finding(finding))
    }

    /// Takes a class with its spellings, the most frequent first. Called with
    /// [`Mode::Groups`] only. By default it calls [`finding`](Sink::finding).
    ///
    /// # Errors
    /// Any error ends the run.
    fn group(&mut self, class: &Finding, spellings: &[Spelling]) -> io::Result<ControlFlow<()>> {
        let _ = spellings;
        self.finding(class)
    }

    /// Reports that an input was read to its end. `read_as` is the format that was
    /// detected. `stats` counts what is in this input; `distinct` counts the classes that
    /// are seen first in it.
    fn input(&mut self, input: usize, read_as: ReadAs, stats: &Stats) {
        let _ = (input, read_as, stats);
    }

    /// Reports a loss: something that could not be read, decoded or reported.
    fn loss(&mut self, loss: &Loss) {
        let _ = loss;
    }

    /// Reports an input that could not be read, or not to its end. The run continues.
    fn error(&mut self, error: Error) {
        let _ = error;
    }

    /// Returns whether [`Finding::uri`], [`Finding::source`] and [`Finding::input`] are all that
    /// the sink uses of a finding. The run then keeps less of it: the records, messages and
    /// documents around it are not in its context and, where memory is limited, the other fields
    /// of findings that wait may be empty. Default: no.
    fn uses_only_uris(&self) -> bool {
        false
    }

    /// Returns the format of the records, if workers may write them; [`Findings::take_formatted`]
    /// then has those of most findings. Called once, before the first finding. Default: `None`.
    fn formatter(&self) -> Option<Arc<dyn FormatFindings>> {
        None
    }

    /// Reports that the memory of the run is used up. Further findings, except for those of
    /// an [unordered](Sequence::Unordered) run, are reported after all inputs.
    fn memory_used_up(&mut self) {}

    /// Reports that every input was read to its end. Findings that are known only then,
    /// such as counts, follow.
    ///
    /// # Errors
    /// Any error ends the run.
    fn inputs_ended(&mut self) -> io::Result<ControlFlow<()>> {
        Ok(ControlFlow::Continue(()))
    }

    /// Passes on all that was received so far: the input pauses or has ended.
    ///
    /// # Errors
    /// Any error ends the run.
    fn flush(&mut self) -> io::Result<ControlFlow<()>> {
        Ok(ControlFlow::Continue(()))
    }
}

/// Returns a sink that calls `visit` with each finding. `visit` returns nothing, or a
/// [`ControlFlow`] that may end the run.
///
/// ```
/// use std::ops::ControlFlow;
/// use urisieve::{Sieve, each};
/// let mut first = None;
/// let mut sink = each(|finding| {
///     first = Some(finding.uri.to_vec());
///     ControlFlow::Break(())
/// });
/// let stats = Sieve::builder().build().run(["http://a.example/ http://b.example/"], &mut sink)?;
/// assert!(stats.stopped);
/// assert_eq!(first.as_deref(), Some(&b"http://a.example/"[..]));
/// # Ok::<(), urisieve::Error>(())
/// ```
pub fn each<F, R>(visit: F) -> Each<F>
where
    F: FnMut(&Finding) -> R,
    R: SinkFlow,
{
    Each(visit)
}

/// A sink that calls a closure with each finding. [`each`] makes it.
pub struct Each<F>(F);

impl<F> std::fmt::Debug for Each<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("Each")
    }
}

impl<F, R> Sink for Each<F>
where
    F: FnMut(&Finding) -> R,
    R: SinkFlow,
{
    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
        Ok(fault::call(|| (self.0)(finding)).flow())
    }
}

/// The answer of a closure to a finding: `()` goes on, and a [`ControlFlow`] says whether the
/// run does.
///
/// ```
/// use std::ops::ControlFlow;
/// use urisieve::SinkFlow;
/// assert_eq!(().flow(), ControlFlow::Continue(()));
/// ```
pub trait SinkFlow {
    /// Returns whether the run goes on.
    fn flow(self) -> ControlFlow<()>;
}

impl SinkFlow for () {
    fn flow(self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl SinkFlow for ControlFlow<()> {
    fn flow(self) -> ControlFlow<()> {
        self
    }
}
