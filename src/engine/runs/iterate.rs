//! The findings of a run as an iterator: the run has its own thread, and waits when its
//! findings are not taken.

use super::sieve::Sieve;
use crate::engine::Sink;
use crate::engine::batches::stats::Stats;
use crate::engine::error::{Error, ErrorKind};
use crate::input::Source;
use crate::item::{Finding, OwnedFinding};
use std::fmt;
use std::io;
use std::iter::FusedIterator;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// The most findings that wait to be taken.
const WAITING: usize = 1024;

impl Sieve {
    /// Returns the findings of all `sources`, one after the other; [`run`](Sieve::run) has more
    /// to say of them. The run has a thread of its own, and ends when the iterator is dropped. An
    /// error of a source is an item, and the findings of the next source follow. So is one that
    /// ends the run.
    ///
    /// ```
    /// use urisieve::{Sieve, input::Source};
    /// let sources = [Source::Path("corpora/samples/mail.txt".into()), Source::Slice(b"urn:a-b:c")];
    /// for finding in Sieve::builder().build().findings(sources) {
    ///     let finding = finding?;
    ///     println!("{} {}", finding.input, String::from_utf8_lossy(&finding.uri));
    /// }
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn findings<I>(&self, sources: I) -> OwnedFindings
    where
        I: IntoIterator<Item: Into<Source<'static>> + 'static, IntoIter: Send + 'static>,
    {
        let (sender, receiver) = sync_channel(WAITING);
        let mut sieve = self.clone();
        let left = Arc::<AtomicBool>::default();
        sieve.config.reading.cancel.push(Arc::clone(&left));
        let sources = sources.into_iter();
        let run = move || {
            let mut sink = ToIterator(sender);
            let ended = sieve.run(sources, &mut sink).map(Box::new);
            // The iterator may have been dropped.
            let _ = sink.0.send(Sent::Ended(ended));
        };
        let started = thread::Builder::new().spawn(run);
        OwnedFindings {
            receiver,
            failed: started
                .err()
                .map(|cause| Error::new(ErrorKind::Threads, cause)),
            left,
            stats: None,
        }
    }
}

/// A message of the thread of a run.
enum Sent {
    Finding(Box<OwnedFinding>),
    /// The error of a source.
    Failed(Error),
    Ended(Result<Box<Stats>, Error>),
}

/// The sink of the run.
struct ToIterator(SyncSender<Sent>);

impl Sink for ToIterator {
    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
        let sent = self.0.send(Sent::Finding(Box::new(finding.to_owned())));
        Ok(match sent {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        })
    }

    fn error(&mut self, error: Error) {
        // If the iterator was dropped, the next finding ends the run.
        let _ = self.0.send(Sent::Failed(error));
    }
}

/// An iterator over the findings of a run. [`Sieve::findings`] returns it, and shows its use.
pub struct OwnedFindings {
    receiver: Receiver<Sent>,
    /// Why there is no run.
    failed: Option<Error>,
    /// Ends the reading of the run.
    left: Arc<AtomicBool>,
    /// The counts of a run that has ended.
    stats: Option<Stats>,
}

impl OwnedFindings {
    /// Returns the counts of the run, once the iterator has returned its last item. After an
    /// error that ended the run there are none.
    ///
    /// ```
    /// use urisieve::{Sieve, input::Source};
    /// let mut findings = Sieve::builder().build().findings([Source::Slice(b"urn:a-b:c urn:a-b:c")]);
    /// assert!(findings.stats().is_none());
    /// assert_eq!(findings.by_ref().count(), 1);
    /// assert_eq!(findings.stats().map(|stats| stats.occurrences), Some(2));
    /// ```
    pub fn stats(&self) -> Option<&Stats> {
        self.stats.as_ref()
    }
}

impl Iterator for OwnedFindings {
    type Item = Result<OwnedFinding, Error>;

    fn next(&mut self) -> Option<Result<OwnedFinding, Error>> {
        if let Some(error) = self.failed.take() {
            return Some(Err(error));
        }
        match self.receiver.recv().ok()? {
            Sent::Finding(finding) => Some(Ok(*finding)),
            Sent::Failed(error) => Some(Err(error)),
            Sent::Ended(Ok(stats)) => {
                self.stats = Some(*stats);
                None
            }
            Sent::Ended(Err(error)) => Some(Err(error)),
        }
    }
}

impl FusedIterator for OwnedFindings {}

impl Drop for OwnedFindings {
    fn drop(&mut self) {
        self.left.store(true, Ordering::Relaxed);
    }
}

impl fmt::Debug for OwnedFindings {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("OwnedFindings")
            .field("stats", &self.stats)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sources without an end, each of which holds `given`.
    fn endless(given: &Arc<()>) -> impl Iterator<Item = Source<'static>> + Send + use<> {
        let given = Arc::clone(given);
        std::iter::repeat_with(move || {
            let _ = &given;
            Source::Slice(b"http://a.example/ urn:a-b:c")
        })
    }

    /// A run may search for long and find nothing.
    #[test]
    fn an_iterator_that_is_left_ends_a_run_without_findings() {
        let given = Arc::new(());
        let (held, mut first) = (Arc::clone(&given), true);
        let sources = std::iter::repeat_with(move || {
            let _ = &held;
            match std::mem::take(&mut first) {
                true => Source::Slice(b"urn:a-b:c"),
                false => Source::Slice(b"nothing"),
            }
        });
        // The flag of the caller is not that of the iterator.
        let flag = Arc::new(AtomicBool::new(false));
        let sieve = Sieve::builder().cancel(Arc::clone(&flag)).build();
        assert!(sieve.findings(sources).next().unwrap().is_ok());
        while Arc::strong_count(&given) > 1 {
            thread::yield_now();
        }
        assert!(!flag.load(Ordering::Relaxed));
    }

    #[test]
    fn an_iterator_that_is_left_ends_its_run() {
        use crate::engine::Mode;
        let (given, flag) = (Arc::new(()), Arc::new(AtomicBool::new(false)));
        for builder in [Sieve::builder(), Sieve::builder().cancel(Arc::clone(&flag))] {
            let sieve = builder.mode(Mode::All).build();
            let found: Vec<_> = sieve.findings(endless(&given)).take(5000).collect();
            assert!(found.iter().all(Result::is_ok));
            // The thread of the run drops its sources.
            while Arc::strong_count(&given) > 1 {
                thread::yield_now();
            }
            // The flag of the caller is not changed: it may be that of other runs.
            assert!(!flag.load(Ordering::Relaxed));
        }
    }

    #[test]
    fn a_source_that_cannot_be_read_is_an_item() {
        let sources = [
            Source::Slice(b"urn:a-b:c"),
            Source::Path("no/such/file".into()),
            Source::Slice(b"urn:a-b:d urn:a-b:c"),
        ];
        let mut findings = Sieve::builder().build().findings(sources);
        let items: Vec<_> = findings.by_ref().collect();
        let shown = items.iter().map(|item| match item {
            Ok(finding) => (finding.input, String::from_utf8_lossy(&finding.uri)),
            Err(error) => (error.input().unwrap(), "".into()),
        });
        let wanted = [(0, "urn:a-b:c"), (1, ""), (2, "urn:a-b:d")];
        assert!(shown.eq(wanted.map(|(input, uri)| (input, uri.into()))));
        let stats = findings.stats().unwrap();
        assert_eq!((stats.failed_inputs, stats.distinct), (1, 2));
        assert!(findings.next().is_none());
    }
}
