//! The runs of a sieve over inputs: the calls, and what they give to the caller.

use super::run;
use crate::engine::ask::config::RunConfig;
use crate::engine::{Error, Sink, Stats, Until};
use crate::input::Source;
use crate::item::Finding;
use std::ops::ControlFlow;

/// Finds every URI of its inputs.
///
/// ```
/// use urisieve::Sieve;
/// let text = b"see <http://A.example/one/\n two> and http://a.example/one/two.";
/// let mut found = Vec::new();
/// let sieve = Sieve::builder().build();
/// let stats = sieve.for_each(text, |finding| {
///     found.push(String::from_utf8_lossy(finding.uri).into_owned());
/// })?;
/// assert_eq!(found, ["http://a.example/one/two"]);
/// assert_eq!((stats.occurrences, stats.distinct), (2, 1));
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sieve {
    pub(in crate::engine) config: RunConfig,
}

impl Sieve {
    /// Calls `visit` with each finding of a text in memory, a [`Source::Text`]. A whole
    /// document in memory, which may be compressed or an archive, is a [`Source::Slice`] for
    /// [`for_each_in`](Sieve::for_each_in).
    ///
    /// # Errors
    /// Errors of starting threads, and a panic of `visit` or of another callback.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let mut places = Vec::new();
    /// let sieve = Sieve::builder().build();
    /// sieve.for_each(b"http://a.example/ or http://b.example/", |finding| {
    ///     places.push((finding.offset, finding.length));
    /// })?;
    /// assert_eq!(places, [(0, 17), (21, 17)]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn for_each(
        &self,
        text: &[u8],
        visit: impl FnMut(&Finding) + Send,
    ) -> Result<Stats, Error> {
        self.for_each_in([Source::Text(text)], visit)
    }

    /// Calls `visit` with each finding of a text in memory, a [`Source::Text`], until it
    /// answers [`ControlFlow::Break`]: then [`Stats::stopped`] is set.
    ///
    /// # Errors
    /// Errors of starting threads.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use urisieve::Sieve;
    /// let mut first = None;
    /// let sieve = Sieve::builder().build();
    /// let stats = sieve.try_for_each(b"http://a.example/ or http://b.example/", |finding| {
    ///     first = Some(finding.uri.to_vec());
    ///     ControlFlow::Break(())
    /// })?;
    /// assert_eq!(first.as_deref(), Some(&b"http://a.example/"[..]));
    /// assert!(stats.stopped);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn try_for_each(
        &self,
        text: &[u8],
        visit: impl FnMut(&Finding) -> ControlFlow<()> + Send,
    ) -> Result<Stats, Error> {
        self.try_for_each_in([Source::Text(text)], visit)
    }

    /// Calls `visit` with each finding of all `sources`, one after the other. A source
    /// that cannot be read does not stop the others: [`Stats::failed_inputs`] counts it, and
    /// [`run`](Sieve::run) reports it.
    ///
    /// # Errors
    /// Errors of starting threads.
    ///
    /// ```
    /// use urisieve::{Sieve, input::Source};
    /// let mut inputs = Vec::new();
    /// let sources = [&b"http://a.example/"[..], b"http://A.example/ http://b.example/"];
    /// let sieve = Sieve::builder().build();
    /// sieve.for_each_in(sources.map(Source::Slice), |finding| inputs.push(finding.input))?;
    /// assert_eq!(inputs, [0, 1]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn for_each_in<'s, I>(
        &self,
        sources: I,
        mut visit: impl FnMut(&Finding) + Send,
    ) -> Result<Stats, Error>
    where
        I: IntoIterator<Item = Source<'s>>,
        I::IntoIter: Send + 's,
    {
        self.run(sources, &mut visit)
    }

    /// Calls `visit` with each finding of all `sources` until it answers
    /// [`ControlFlow::Break`]: then [`Stats::stopped`] is set.
    ///
    /// # Errors
    /// Errors of starting threads.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use urisieve::{Sieve, input::Source};
    /// let sources = std::iter::repeat_with(|| Source::Slice(b"http://a.example/"));
    /// let (sieve, mut left) = (Sieve::builder().mode(urisieve::Mode::All).build(), 3);
    /// sieve.try_for_each_in(sources, |_| {
    ///     left -= 1;
    ///     if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    /// })?;
    /// assert_eq!(left, 0);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn try_for_each_in<'s, I>(
        &self,
        sources: I,
        visit: impl FnMut(&Finding) -> ControlFlow<()> + Send,
    ) -> Result<Stats, Error>
    where
        I: IntoIterator<Item = Source<'s>>,
        I::IntoIter: Send + 's,
    {
        self.run(sources, &mut Until(visit))
    }

    /// Gives all that is in a text in memory, a [`Source::Text`], to `sink`.
    ///
    /// # Errors
    /// Errors of `sink`, and of starting threads.
    ///
    /// ```
    /// use urisieve::{Mode, Sieve};
    /// # use std::{io, ops::ControlFlow};
    /// # use urisieve::{Sink, item::{Finding, Spelling}};
    /// # struct Widest(usize);
    /// # impl Sink for Widest {
    /// #     fn finding(&mut self, _: &Finding<'_>) -> io::Result<ControlFlow<()>> {
    /// #         Ok(ControlFlow::Continue(()))
    /// #     }
    /// #     fn group(&mut self, _: &Finding<'_>, all: &[Spelling<'_>]) -> io::Result<ControlFlow<()>> {
    /// #         self.0 = self.0.max(all.len());
    /// #         Ok(ControlFlow::Continue(()))
    /// #     }
    /// # }
    /// // A sink that keeps the greatest number of spellings.
    /// let mut widest = Widest(0);
    /// let sieve = Sieve::builder().mode(Mode::Groups).build();
    /// sieve.slice(b"http://a.example/ HTTP://A.example/", &mut widest)?;
    /// assert_eq!(widest.0, 2);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn slice(&self, text: &[u8], sink: &mut dyn Sink) -> Result<Stats, Error> {
        self.run(std::iter::once(Source::Text(text)), sink)
    }

    /// Gives all that is in `sources`, one after the other, to `sink`. A source that
    /// cannot be read is reported to it and does not stop the others.
    ///
    /// # Errors
    /// Errors of `sink`, those of starting threads, and a panic of `sink`, of another callback
    /// or between inputs. What comes before it was given to `sink`. A panic while an input is
    /// read ends only that input, and is given to [`Sink::error`].
    ///
    /// ```
    /// use urisieve::{Error, Sieve};
    /// # use std::{io, ops::ControlFlow};
    /// # use urisieve::{Sink, input::Source, item::Finding};
    /// # struct Unread(Vec<Error>);
    /// # impl Sink for Unread {
    /// #     fn finding(&mut self, _: &Finding<'_>) -> io::Result<ControlFlow<()>> {
    /// #         Ok(ControlFlow::Continue(()))
    /// #     }
    /// #     fn error(&mut self, error: Error) { self.0.push(error) }
    /// # }
    /// // A sink that keeps what could not be read.
    /// let mut unread = Unread(Vec::new());
    /// Sieve::builder().build().run([Source::Path("no/such/file".into())], &mut unread)?;
    /// assert_eq!(unread.0.len(), 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn run<'s, I>(&self, sources: I, sink: &mut dyn Sink) -> Result<Stats, Error>
    where
        I: IntoIterator<Item = Source<'s>>,
        I::IntoIter: Send + 's,
    {
        run::run(&self.config, sources.into_iter(), sink)
    }
}
