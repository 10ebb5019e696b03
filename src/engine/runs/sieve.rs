//! The runs of a sieve over inputs: the calls, and what they give to the caller.

use super::run;
use crate::engine::ask::config::RunConfig;
use crate::engine::{Error, Sink, SinkFlow, Stats, each};
use crate::input::Source;
use crate::item::Finding;

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
    /// Calls `visit` with each finding of a text in memory, a [`Source::Text`], as
    /// [`for_each_in`](Sieve::for_each_in) does. A whole document in memory, which may be
    /// compressed or an archive, is a [`Source::Slice`] for that call.
    ///
    /// # Errors
    /// Those of [`for_each_in`](Sieve::for_each_in).
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().build();
    /// let text = b"http://a.example/ or http://b.example/";
    /// let mut places = Vec::new();
    /// sieve.for_each(text, |finding| places.push((finding.offset, finding.length)))?;
    /// assert_eq!(places, [(0, 17), (21, 17)]);
    /// // A closure may end the run.
    /// let mut first = None;
    /// let stats = sieve.for_each(text, |finding| {
    ///     first = Some(finding.uri.to_vec());
    ///     ControlFlow::Break(())
    /// })?;
    /// assert_eq!(first.as_deref(), Some(&b"http://a.example/"[..]));
    /// assert!(stats.stopped);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn for_each<F, R>(&self, text: &[u8], visit: F) -> Result<Stats, Error>
    where
        F: FnMut(&Finding) -> R + Send,
        R: SinkFlow,
    {
        self.for_each_in([text], visit)
    }

    /// Calls `visit` with each finding of all `sources`, one after the other. `visit` returns
    /// nothing, or a [`ControlFlow`](std::ops::ControlFlow): after a `Break` the run ends, and
    /// [`Stats::stopped`] is set. A source that cannot be read does not stop the others:
    /// [`Stats::failed_inputs`] counts it, and [`run`](Sieve::run) reports it.
    ///
    /// # Errors
    /// [`ErrorKind::Settings`](crate::ErrorKind::Settings) for a setting without effect, errors of starting threads, and a
    /// panic of `visit` or of another callback.
    ///
    /// ```
    /// use std::path::PathBuf;
    /// use urisieve::{Sieve, input::Source};
    /// let mut inputs = Vec::new();
    /// let sources = [&b"http://a.example/"[..], b"http://A.example/ http://b.example/"];
    /// let sieve = Sieve::builder().build();
    /// sieve.for_each_in(sources.map(Source::Slice), |finding| inputs.push(finding.input))?;
    /// assert_eq!(inputs, [0, 1]);
    /// // Paths are sources, too, and so are texts.
    /// let stats = sieve.for_each_in([PathBuf::from("corpora/samples/mail.txt")], |_| {})?;
    /// assert!(stats.distinct > 0);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn for_each_in<'s, I, F, R>(&self, sources: I, visit: F) -> Result<Stats, Error>
    where
        I: IntoIterator<Item: Into<Source<'s>> + 's, IntoIter: Send + 's>,
        F: FnMut(&Finding) -> R + Send,
        R: SinkFlow,
    {
        self.run(sources, &mut each(visit))
    }

    /// Gives all that is in `sources`, one after the other, to `sink`. A source that cannot be
    /// read is reported to it and does not stop the others.
    ///
    /// # Errors
    /// [`ErrorKind::Settings`](crate::ErrorKind::Settings) for a setting without effect, errors of `sink`, those of starting
    /// threads, and a panic of `sink`, of another callback or between inputs. The findings
    /// before it were given to `sink`. A panic while an input is read ends only that input, and
    /// is given to [`Sink::error`].
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
    pub fn run<'s, I>(&self, sources: I, sink: &mut (dyn Sink + Send)) -> Result<Stats, Error>
    where
        I: IntoIterator<Item: Into<Source<'s>> + 's, IntoIter: Send + 's>,
    {
        let sources = sources.into_iter().map(Into::into);
        run::run(&self.config, Box::new(sources), sink)
    }

    /// Does what [`run`](Sieve::run) does, on the thread of the caller alone: neither the sink nor
    /// the iterator over the sources need be [`Send`].
    ///
    /// # Errors
    /// Those of [`run`](Sieve::run), and [`ErrorKind::Settings`](crate::ErrorKind::Settings) if the sieve has several
    /// threads.
    ///
    /// ```
    /// use std::{cell::RefCell, rc::Rc};
    /// use urisieve::{Sieve, each};
    /// let found = Rc::new(RefCell::new(Vec::new()));
    /// let mut sink = each(|finding| found.borrow_mut().push(finding.offset));
    /// let texts: Rc<[String]> = Rc::new(["see http://a.example/".to_owned()]);
    /// let sources = (0..texts.len()).map(|at| texts[at].as_str());
    /// Sieve::builder().build().run_here(sources, &mut sink)?;
    /// assert_eq!(*found.borrow(), [4]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn run_here<'s, I>(&self, sources: I, sink: &mut dyn Sink) -> Result<Stats, Error>
    where
        I: IntoIterator<Item: Into<Source<'s>> + 's, IntoIter: 's>,
    {
        let sources = sources.into_iter().map(Into::into);
        run::run_here(&self.config, Box::new(sources), sink)
    }
}
