//! The library's front door: what is found, how equal is equal, and with
//! how many threads.

use super::run;
use crate::canonicalize::{Canonicalizer, Redactor};
use crate::decode::{DataFields, InputFormat, Layout, LogFormat};
use crate::delimit;
use crate::engine::ask::config::{RunConfig, THREADS_MAX};
use crate::engine::ask::mode::{Mode, Select};
use crate::engine::{
    CountBy, Error, ExchangeFilter, Pairs, Progress, RecordFilter, Sequence, Sink, Stats, Until,
};
use crate::input::Source;
use crate::item::{Finding, IdentifierKinds, Problems, UtcOffset};
use crate::syntax::resolve::Rules;
use std::ops::ControlFlow;
#[cfg(feature = "store")]
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Most bytes of a block: where its findings lie in what is kept of it is counted in 32
/// bits, and there is more of them than of it.
const BLOCK_MAX: usize = 16 << 20;

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
    /// A builder with every default.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let mut last = Vec::new();
    /// Sieve::builder().build().for_each(b"to <urn:isbn:0395363411>", |finding| {
    ///     last = finding.uri.to_vec();
    /// })?;
    /// assert_eq!(last, b"urn:isbn:0395363411");
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn builder() -> SieveBuilder {
        SieveBuilder {
            config: RunConfig::default(),
        }
    }

    /// Returns the settings that have no effect beside the others, each with the reason: what
    /// the caller asked for is not what a run does.
    ///
    /// ```
    /// use urisieve::{Mode, Sieve};
    /// let sieve = Sieve::builder().mode(Mode::Count).lines(true).build();
    /// let settings: Vec<_> = sieve.without_effect().collect();
    /// assert_eq!(settings, [("lines", "classes have no place")]);
    /// assert_eq!(Sieve::builder().lines(true).build().without_effect().count(), 0);
    /// ```
    pub fn without_effect(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        self.config.without_effect()
    }

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

/// Builds a [`Sieve`].
///
/// ```
/// use urisieve::{Mode, Sieve};
/// let sieve = Sieve::builder().mode(Mode::All).threads(2).build();
/// assert_eq!(sieve.for_each(b"http://a.example/ http://a.example/", |_| {})?.distinct, 2);
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SieveBuilder {
    config: RunConfig,
}

impl SieveBuilder {
    /// The rules of delimiting; default those of [`delimit::Config`].
    ///
    /// ```
    /// use urisieve::{delimit::Config, Sieve};
    /// let sieve = Sieve::builder().delimit(Config::default().strict(true)).build();
    /// let text = b"http://a.example/100% http://b.example/";
    /// assert_eq!(sieve.for_each(text, |_| {})?.occurrences, 1);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn delimit(mut self, config: delimit::Config) -> SieveBuilder {
        self.config.search.delimit = config;
        self
    }

    /// Whether `www.host.tld` and `ftp.host.tld` count without a scheme (S7);
    /// default no.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().abbreviated(true).build();
    /// sieve.for_each(b"see www.a.example/b.", |finding| {
    ///     assert_eq!(finding.uri, b"http://www.a.example/b");
    /// })?;
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn abbreviated(mut self, abbreviated: bool) -> SieveBuilder {
        self.config.search.abbreviated = abbreviated;
        self
    }

    /// Which identifiers count without a scheme, by their shape, the word before them and
    /// their check digit; default none. Originals are what is written.
    ///
    /// ```
    /// use urisieve::{Sieve, item::IdentifierKind};
    /// let sieve = Sieve::builder().bare(IdentifierKind::Isbn.into()).originals(true).build();
    /// sieve.for_each(b"ISBN 0-8044-2957-X (pbk.)", |finding| {
    ///     assert_eq!(finding.uri, b"urn:isbn:080442957X");
    ///     assert_eq!(finding.original, b"0-8044-2957-X");
    /// })?;
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn bare(mut self, kinds: IdentifierKinds) -> SieveBuilder {
        self.config.search.identifiers = kinds;
        self
    }

    /// Whether defanged URIs are read as the URIs that they hide (R1): `hxxp`, `[.]`,
    /// `(.)`, `[dot]`, `[:]`, `[://]`. Originals keep the marks. Default no.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().refang(true).originals(true).build();
    /// sieve.for_each(b"hxxp://evil[.]example/", |finding| {
    ///     assert_eq!(finding.uri, b"http://evil.example/");
    ///     assert_eq!(finding.original, b"hxxp://evil[.]example/");
    /// })?;
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn refang(mut self, refang: bool) -> SieveBuilder {
        self.config.search.refang = refang;
        self
    }

    /// Sets the rules by which relative references are resolved that a format delimits, such as
    /// those of HTTP header fields in web archives; default RFC 3986. Under the URL Standard a
    /// reference such as `http:b` is also relative.
    ///
    /// ```
    /// use urisieve::{Sieve, input::Source, syntax::resolve::Rules};
    /// let archive = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/b/\r\n\
    ///     Content-Type: application/http\r\nContent-Length: 37\r\n\r\n\
    ///     HTTP/1.1 301 M\r\nLocation: ../../c\r\n\r\n\r\n\r\n";
    /// for (rules, uri) in [
    ///     (Rules::Rfc3986, &b"http://a.example/c"[..]),
    ///     (Rules::Rfc2396, b"http://a.example/../c"),
    /// ] {
    ///     let mut found = Vec::new();
    ///     let sieve = Sieve::builder().resolve_by(rules).build();
    ///     sieve.for_each_in([Source::Slice(archive)], |finding| found = finding.uri.to_vec())?;
    ///     assert_eq!(found, uri);
    /// }
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn resolve_by(mut self, rules: Rules) -> SieveBuilder {
        self.config.search.rules = rules;
        self
    }

    /// Reads every input as a list of URIs instead of as a text: each record gives
    /// one finding, also one whose value is not a URI
    /// ([`Content::NoUri`](crate::item::Content)), which is its own canonical form. Such
    /// records of tables and of JSON Lines are never merged with others; with
    /// [`Mode::Count`] and [`Mode::Groups`] they are only counted. The record that names
    /// the columns is reported as [`Content::Header`](crate::item::Content). A list is no
    /// archive, whatever it begins with, and what is said of delimiting and of defanged
    /// URIs is said of texts.
    ///
    /// ```
    /// use urisieve::{decode::Layout, Mode, Sieve};
    /// let sieve = Sieve::builder().list(Layout::Lines).mode(Mode::All).build();
    /// let mut found = Vec::new();
    /// sieve.for_each(b"HTTP://a.example/\nsee HTTP://a.example/\n", |finding| {
    ///     found.push(finding.uri.to_vec());
    /// })?;
    /// assert_eq!(found, [&b"http://a.example/"[..], b"see HTTP://a.example/"]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn list(mut self, layout: Layout) -> SieveBuilder {
        self.config.search.layout = Some(layout);
        self
    }

    /// Sets how many inputs are known; they come first. URIs in known inputs are not
    /// reported, and neither are URIs in other inputs that are equal to them. A known
    /// input that cannot be read ends the run. Default: 0.
    ///
    /// ```
    /// use urisieve::{Sieve, input::Source};
    /// let sieve = Sieve::builder().known_inputs(1).build();
    /// let sources = [&b"http://a.example/"[..], b"http://A.example/ http://b.example/"];
    /// let mut found = Vec::new();
    /// sieve.for_each_in(sources.map(Source::Slice), |f| found.push(f.uri.to_vec()))?;
    /// assert_eq!(found, [b"http://b.example/"]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn known_inputs(mut self, inputs: usize) -> SieveBuilder {
        self.config.report.known_inputs = inputs;
        self
    }

    /// The input with this number, from 0, is a list that is written so, whatever the
    /// others are; it is no archive, nor UTF-16 by [`utf16`](SieveBuilder::utf16).
    ///
    /// ```
    /// use urisieve::decode::Layout;
    /// use urisieve::{Sieve, input::Source};
    /// let sieve = Sieve::builder().layout_of(0, Layout::Lines).build();
    /// let sources = [&b"urn:a-b:{c}"[..], b"<urn:a-b:d>"];
    /// let mut found = Vec::new();
    /// sieve.for_each_in(sources.map(Source::Slice), |f| found.push(f.uri.to_vec()))?;
    /// assert_eq!(found, [b"urn:a-b:{c}".to_vec(), b"urn:a-b:d".to_vec()]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn layout_of(mut self, input: usize, layout: Layout) -> SieveBuilder {
        self.config.search.layouts.insert(input, layout);
        self
    }

    /// Which URIs are equal; default [`Level::Lexical`](crate::canonicalize::Level)
    /// without switches.
    ///
    /// ```
    /// use urisieve::canonicalize::{Canonicalizer, Level};
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().canonicalize(Canonicalizer::new(Level::None)).build();
    /// let stats = sieve.for_each(b"http://a/ HTTP://A/", |_| {})?;
    /// assert_eq!(stats.distinct, 2);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn canonicalize(mut self, canonicalizer: Canonicalizer) -> SieveBuilder {
        self.config.keys.canonicalizer = canonicalizer;
        self
    }

    /// The treatment of equal URIs; default [`Mode::Distinct`].
    ///
    /// ```
    /// use urisieve::{Mode, Sieve};
    /// let mut counts = Vec::new();
    /// let sieve = Sieve::builder().mode(Mode::Count).build();
    /// sieve.for_each(b"http://a.example/ http://a.example/", |finding| {
    ///     counts.push(finding.count);
    /// })?;
    /// assert_eq!(counts, [Some(2)]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn mode(mut self, mode: Mode) -> SieveBuilder {
        self.config.keys.mode = mode;
        self
    }

    /// With [`Mode::Count`], the part of the URIs that is counted instead of them;
    /// it is in the place of the canonical form, empty for URIs that have no such
    /// part. Default none.
    ///
    /// ```
    /// use urisieve::{CountBy, Mode, Sieve};
    /// let sieve = Sieve::builder().mode(Mode::Count).count_by(CountBy::Scheme).build();
    /// sieve.for_each(b"http://a.example/ http://b.example/", |f| {
    ///     assert_eq!((f.uri, f.count), (&b"http"[..], Some(2)));
    /// })?;
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn count_by(mut self, part: CountBy) -> SieveBuilder {
        self.config.keys.by = Some(part);
        self
    }

    /// Reports links instead of URIs. [`count_by`](SieveBuilder::count_by) has no effect then.
    /// Default: URIs.
    ///
    /// ```
    /// use urisieve::{Mode, Pairs, Sieve};
    /// let sieve = Sieve::builder().links(Pairs::new().mentions(true)).base("http://a.example/");
    /// sieve.mode(Mode::Count).build().for_each(b"http://b.example/ HTTP://b.example/", |link| {
    ///     assert_eq!(link.source, Some(&b"http://a.example/"[..]));
    ///     assert_eq!((link.uri, link.count), (&b"http://b.example/"[..], Some(2)));
    /// })?;
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn links(mut self, pairs: Pairs) -> SieveBuilder {
        self.config.keys.pairs = Some(pairs);
        self
    }

    /// Sets which records of web archives are read; default all.
    ///
    /// ```
    /// use urisieve::{RecordFilter, Sieve};
    /// let responses = RecordFilter::new().kind("response");
    /// let sieve = Sieve::builder().records(responses).build();
    /// assert_eq!(sieve.for_each(b"http://a.example/", |_| {})?.distinct, 1);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn records(mut self, filter: RecordFilter) -> SieveBuilder {
        self.config.search.records = filter;
        self
    }

    /// Sets which findings are reported, by the exchange that their line or record states;
    /// default all.
    ///
    /// ```
    /// use urisieve::{ExchangeFilter, Sieve};
    /// let filter = ExchangeFilter::new().statuses("2xx".parse()?);
    /// let sieve = Sieve::builder().exchanges(filter).build();
    /// assert_eq!(sieve.for_each(b"http://a.example/", |_| {})?.not_selected, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn exchanges(mut self, filter: ExchangeFilter) -> SieveBuilder {
        self.config.keys.exchanges = filter;
        self
    }

    /// Sets whether findings have the requests of their lines in
    /// [`Context::request`](crate::item::Context::request); default no: that costs a copy of
    /// each.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().requests(true).build();
    /// sieve.for_each(b"http://a.example/", |f| assert_eq!(f.context.request, None))?;
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn requests(mut self, requests: bool) -> SieveBuilder {
        self.config.keys.requests = requests;
        self
    }

    /// Sets whether counted classes have the first and the last of the times that the lines
    /// and records of their occurrences state: [`Finding::first_seen`] and
    /// [`Finding::last_seen`]. Without effect in modes that do not count. Default no.
    ///
    /// ```
    /// use urisieve::{Mode, Sieve, input::Source};
    /// let record = |day| format!("WARC/1.0\r\nWARC-Type: resource\r\nWARC-Date: 2026-10-{day}T00:00:00Z\r\n\
    ///     Content-Length: 17\r\n\r\nhttp://a.example/\r\n\r\n");
    /// let archive = [record("07"), record("05")].concat();
    /// let sieve = Sieve::builder().mode(Mode::Count).times(true).build();
    /// sieve.for_each_in([Source::Slice(archive.as_bytes())], |class| {
    ///     let times = [class.first_seen, class.last_seen];
    ///     let times = times.map(|time| time.unwrap().to_string());
    ///     assert_eq!(times, ["2026-10-05T00:00:00Z", "2026-10-07T00:00:00Z"]);
    /// })?;
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn times(mut self, times: bool) -> SieveBuilder {
        self.config.keys.times = times;
        self
    }

    /// Sets which lines of logs are read as requests; default: those of every shape, if a line
    /// of the first 64 KiB is one (G12). Texts in memory and lists have none.
    ///
    /// ```
    /// use urisieve::{LogFormat, Sieve, input::Source};
    /// let log = b"a.example 192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \"GET /b HTTP/1.1\" 200 2\n";
    /// for (format, found) in [("auto", 1), ("off", 0)] {
    ///     let sieve = Sieve::builder().log_format(format.parse()?).build();
    ///     assert_eq!(sieve.for_each_in([Source::Slice(log)], |_| {})?.occurrences, found);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn log_format(mut self, format: LogFormat) -> SieveBuilder {
        self.config.search.logs = format;
        self
    }

    /// Sets the offset from UTC of times in logs that state none; default UTC.
    ///
    /// ```
    /// use urisieve::{Sieve, item::UtcOffset};
    /// let sieve = Sieve::builder().zone(UtcOffset::parse(b"+02:00").unwrap()).build();
    /// # drop(sieve);
    /// ```
    pub fn zone(mut self, zone: UtcOffset) -> SieveBuilder {
        self.config.reading.zone = zone;
        self
    }

    /// Sets the URI of inputs that do not state their own, as the records of web archives
    /// do: the base of relative references. Default: none.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().base("http://a.example/b").build();
    /// # drop(sieve);
    /// ```
    pub fn base(mut self, uri: impl AsRef<[u8]>) -> SieveBuilder {
        self.config.search.base = Some(Arc::from(uri.as_ref()));
        self
    }

    /// In which order findings are reported; default [`Sequence::Frequent`] with
    /// [`Mode::Count`], else [`Sequence::Seen`].
    ///
    /// ```
    /// use urisieve::{Sequence, Sieve};
    /// let sieve = Sieve::builder().sequence(Sequence::Sorted).build();
    /// let mut found = Vec::new();
    /// sieve.for_each(b"http://b.example/ http://a.example/", |finding| {
    ///     found.push(finding.offset);
    /// })?;
    /// assert_eq!(found, [18, 0]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn sequence(mut self, sequence: Sequence) -> SieveBuilder {
        self.config.report.sequence = Some(sequence);
        self
    }

    /// Sets the redactor, which makes secrets unreadable in every URI before it is compared or
    /// reported, and in the target URIs of records of web archives; default none.
    ///
    /// ```
    /// use urisieve::canonicalize::Redactor;
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().redact(Redactor::default()).build();
    /// sieve.for_each(b"ftp://joe:secret@a.example/", |finding| {
    ///     assert_eq!(finding.uri, b"ftp://joe:***@a.example/");
    /// })?;
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn redact(mut self, redactor: Redactor) -> SieveBuilder {
        self.config.keys.redactor = Some(redactor);
        self
    }

    /// With [`Mode::Count`] and [`Mode::Groups`], how many classes are reported,
    /// the first ones of the sequence; default all. Without effect in other modes.
    ///
    /// ```
    /// use urisieve::{Mode, Sieve};
    /// let text = b"http://a.example/ http://b.example/ http://b.example/";
    /// let sieve = Sieve::builder().mode(Mode::Count).top(Some(1)).build();
    /// let mut found = Vec::new();
    /// sieve.for_each(text, |finding| found.push(finding.uri.to_vec()))?;
    /// assert_eq!(found, [b"http://b.example/"]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn top(mut self, classes: Option<usize>) -> SieveBuilder {
        self.config.report.top = classes;
        self
    }

    /// Sets the most findings that are reported of each input: the first ones. An input is
    /// not read further: what is behind the last of them is neither counted nor reported,
    /// errors and losses included. Findings behind them are not seen: a class that occurs only there is
    /// new in the inputs that follow. Findings are
    /// then in order, also with [`Sequence::Unordered`]. Without effect with
    /// [`Mode::Count`] and [`Mode::Groups`]. Default all.
    ///
    /// ```
    /// use urisieve::{Sieve, input::Source};
    /// let sieve = Sieve::builder().max_findings(Some(1)).build();
    /// let sources = [&b"http://a.example/ http://b.example/"[..], b"http://b.example/"];
    /// let mut found = Vec::new();
    /// sieve.for_each_in(sources.map(Source::Slice), |f| found.push((f.input, f.offset)))?;
    /// assert_eq!(found, [(0, 0), (1, 0)]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn max_findings(mut self, findings: Option<u64>) -> SieveBuilder {
        self.config.report.most = findings;
        self
    }

    /// Whether findings have their spelling as written; otherwise `original` is
    /// the canonical form. Default no: it costs a copy of each.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().originals(true).build();
    /// sieve.for_each(b"HTTP://a.example/", |finding| {
    ///     assert_eq!(finding.uri, b"http://a.example/");
    ///     assert_eq!(finding.original, b"HTTP://a.example/");
    /// })?;
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn originals(mut self, originals: bool) -> SieveBuilder {
        self.config.keys.originals = originals;
        self
    }

    /// Whether findings have their line and column; default no: it costs a pass
    /// over the text. Without effect with [`Mode::Count`] and [`Mode::Groups`], whose
    /// classes have no place.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let mut lines = Vec::new();
    /// let sieve = Sieve::builder().lines(true).build();
    /// sieve.for_each(b"http://a.example/\n\nhttp://b.example/", |finding| {
    ///     lines.extend(finding.place.map(|place| place.line));
    /// })?;
    /// assert_eq!(lines, [1, 3]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn lines(mut self, lines: bool) -> SieveBuilder {
        self.config.report.lines = lines;
        self
    }

    /// Which URIs are reported, known by their canonical form; default all. The
    /// others are counted in [`Stats::deselected`].
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().select(|uri| uri.starts_with(b"urn:")).build();
    /// let mut found = Vec::new();
    /// sieve.for_each(b"http://a.example/ urn:isbn:0395363411", |finding| {
    ///     found.push(finding.uri.to_vec());
    /// })?;
    /// assert_eq!(found, [b"urn:isbn:0395363411"]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn select(
        mut self,
        select: impl Fn(&[u8]) -> bool + Send + Sync + 'static,
    ) -> SieveBuilder {
        self.config.keys.select = Select(Some(Arc::new(select)));
        self
    }

    /// Of which problems a finding must have one to be reported; default none: it
    /// need not have any. The others are counted in [`Stats::deselected`].
    ///
    /// ```
    /// use urisieve::{Sieve, item::Problem};
    /// let sieve = Sieve::builder().problems(Problem::BadPercent.into()).build();
    /// let mut found = Vec::new();
    /// sieve.for_each(b"http://a.example/ http://b.example/100%", |finding| {
    ///     found.push(finding.uri.to_vec());
    /// })?;
    /// assert_eq!(found, [b"http://b.example/100%"]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn problems(mut self, problems: Problems) -> SieveBuilder {
        self.config.keys.problems = problems;
        self
    }

    /// Whether the spellings of [`Mode::Groups`] say why each is equal to the
    /// others, in [`Spelling::reasons`](crate::item::Spelling::reasons); default no.
    ///
    /// ```
    /// use std::{io, ops::ControlFlow};
    /// use urisieve::{Mode, Sieve, Sink, item::{Finding, Spelling}};
    /// struct Why(Vec<&'static str>);
    /// impl Sink for Why {
    ///     fn finding(&mut self, _: &Finding<'_>) -> io::Result<ControlFlow<()>> { Ok(ControlFlow::Continue(())) }
    ///     fn group(&mut self, _: &Finding<'_>, found: &[Spelling<'_>]) -> io::Result<ControlFlow<()>> {
    ///         self.0.extend(found.iter().flat_map(|s| s.reasons).map(|reason| reason.name));
    ///         Ok(ControlFlow::Continue(()))
    ///     }
    /// }
    /// let mut why = Why(Vec::new());
    /// let sieve = Sieve::builder().mode(Mode::Groups).reasons(true).build();
    /// sieve.slice(b"http://a.example/ HTTP://a.example/", &mut why)?;
    /// assert_eq!(why.0, ["scheme to lower case"]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn reasons(mut self, reasons: bool) -> SieveBuilder {
        self.config.report.reasons = reasons;
        self
    }

    /// Adds a flag that ends the input once it is true: findings until then are reported, and
    /// so are counts. Default none.
    ///
    /// ```
    /// use std::sync::{Arc, atomic::AtomicBool};
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().cancel(Arc::new(AtomicBool::new(true))).build();
    /// let stats = sieve.for_each(b"http://a.example/", |_| {})?;
    /// assert_eq!(stats.bytes, 0);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn cancel(mut self, flag: Arc<AtomicBool>) -> SieveBuilder {
        self.config.reading.cancel.push(flag);
        self
    }

    /// Sets the counters of runs in progress, for other threads to read; default none.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::{Progress, Sieve};
    /// let progress = Arc::new(Progress::default());
    /// let sieve = Sieve::builder().progress(Arc::clone(&progress)).build();
    /// sieve.for_each(b"http://a.example/", |_| {})?;
    /// assert_eq!(progress.bytes(), 17);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn progress(mut self, progress: Arc<Progress>) -> SieveBuilder {
        self.config.report.progress = Some(progress);
        self
    }

    /// Sets how many threads do the work. Default: 1, which starts none; greater numbers
    /// than [`THREADS_MAX`] mean [`THREADS_MAX`]. The findings and their order do not depend
    /// on it. One thread opens an input when it has read the one before. Several threads
    /// open later inputs ahead of their turn, but read only files and slices there, and
    /// pipes that have data.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().threads(2).build();
    /// let mut found = Vec::new();
    /// let text = b"http://b.example/\nhttp://a.example/\n";
    /// sieve.for_each(text, |finding| found.push(finding.offset))?;
    /// assert_eq!(found, [0, 18]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn threads(mut self, threads: usize) -> SieveBuilder {
        self.config.reading.threads = threads.clamp(1, THREADS_MAX);
        self
    }

    /// Whether keys are compared by fingerprints of 128 bits, not by their bytes; default
    /// no. A set keeps 16 bytes of each key then, and at most 24 more, however long keys are.
    ///
    /// The fingerprints are SipHash-2-4 with a random key for each run, so that no input can
    /// be prepared whose keys have equal ones. Two different keys have equal ones by
    /// accident only, and the second one is not reported then:
    /// [`Stats::collision_probability`] has the probability. [`Mode::Count`] and
    /// [`Mode::Groups`] report the keys that the sets have, so they always compare bytes.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let text = format!("http://a.example/{}", "b".repeat(3000));
    /// let sieve = Sieve::builder().fingerprints(true).build();
    /// assert_eq!(sieve.for_each(text.as_bytes(), |_| {})?.set_key_bytes, 16);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn fingerprints(mut self, fingerprints: bool) -> SieveBuilder {
        self.config.memory.fingerprints = fingerprints;
        self
    }

    /// Sets how many bytes of memory a run may take, about; default any number. When they
    /// are used up, keys for which there is no room are written to a temporary file, and
    /// whether they are new is known only after all inputs. From the first such key on,
    /// findings are reported then, in their order: what is reported does not depend on the
    /// limit. A run also needs memory that the limit does not cover, up to 32 MiB.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let text: String = (0..9999).map(|n| format!("http://a.example/{}\n", n % 5000)).collect();
    /// let run = |sieve: Sieve| {
    ///     let mut found = Vec::new();
    ///     sieve.for_each(text.as_bytes(), |finding| found.push(finding.uri.to_vec()))?;
    ///     Ok::<_, urisieve::Error>(found)
    /// };
    /// let limited = run(Sieve::builder().max_memory(100_000).build())?;
    /// assert_eq!(limited.len(), 5000);
    /// assert_eq!(limited, run(Sieve::builder().build())?);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    #[cfg(feature = "store")]
    pub fn max_memory(mut self, bytes: usize) -> SieveBuilder {
        self.config.memory.max_memory = Some(bytes);
        self
    }

    /// Sets the directory of the temporary file. Default: that of
    /// [`std::env::temp_dir`]. The file has no name where the system allows that.
    ///
    /// ```
    /// use urisieve::{ErrorKind, Sieve};
    /// let text: String = (0..50_000).map(|n| format!("http://a.example/{n}\n")).collect();
    /// let sieve = Sieve::builder().max_memory(0).temp_dir("/no/such/directory").build();
    /// let error = sieve.for_each(text.as_bytes(), |_| {}).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::TemporaryFile);
    /// ```
    #[cfg(feature = "store")]
    pub fn temp_dir(mut self, directory: impl Into<PathBuf>) -> SieveBuilder {
        self.config.memory.temp_dir = Some(directory.into());
        self
    }

    /// Sets how many bytes are scanned at a time. Default: 256 KiB; 0 means 1, and greater
    /// numbers than 16 MiB mean 16 MiB. The findings do not depend on it.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().block_size(1).build();
    /// sieve.for_each(b"<http://a.example/b\n c>", |finding| {
    ///     assert_eq!(finding.uri, b"http://a.example/bc");
    /// })?;
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn block_size(mut self, bytes: usize) -> SieveBuilder {
        self.config.reading.block_size = bytes.clamp(1, BLOCK_MAX);
        self
    }

    /// Whether compression is undone, detected by the first bytes of an input that is not a
    /// [`Source::Text`]: gzip, zstd, xz, bzip2, lz4, and one of these inside another; default
    /// yes.
    ///
    /// ```
    /// use urisieve::{Sieve, input::Source};
    /// // An LZ4 frame of one block that is not compressed.
    /// let frame = b"\x04\x22\x4D\x18\x60\x40\x82\x0B\0\0\x80http://a/x \0\0\0\0";
    /// for decompress in [true, false] {
    ///     let sieve = Sieve::builder().decompress(decompress).build();
    ///     let stats = sieve.for_each_in([Source::Slice(frame)], |_| {})?;
    ///     assert_eq!(stats.bytes, if decompress { 11 } else { 26 });
    /// }
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn decompress(mut self, decompress: bool) -> SieveBuilder {
        self.config.reading.unpack.decompress = decompress;
        self
    }

    /// Whether web archives are taken apart, detected by the first bytes of an input that is
    /// not a [`Source::Text`]: WARC and ARC. URIs are then looked for in the payload of each record, without its
    /// codings, and not in the headers of the archive; default yes. Other containers
    /// are then also reported, as [`LossKind::Unseen`](crate::item::LossKind::Unseen).
    ///
    /// ```
    /// use urisieve::{Sieve, input::Source};
    /// let archive = b"WARC/1.0\r\nWARC-Target-URI: http://a.example/\r\n\
    ///     Content-Length: 18\r\n\r\nhttp://b.example/ \r\n\r\n";
    /// for (archives, wanted) in [(true, 1), (false, 2)] {
    ///     let sieve = Sieve::builder().archives(archives).build();
    ///     let stats = sieve.for_each_in([Source::Slice(archive)], |_| {})?;
    ///     assert_eq!(stats.distinct, wanted);
    /// }
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn archives(mut self, archives: bool) -> SieveBuilder {
        self.config.reading.unpack.containers = archives;
        self
    }

    /// The format of every input that is not an archive; default `None`: the first bytes of each
    /// one decide, in archives the media type. The references of markup are resolved, and its
    /// text is decoded; with [`InputFormat::text`] nothing is, also in archives.
    ///
    /// ```
    /// use urisieve::{decode::InputFormat, Sieve};
    /// let html = InputFormat::named("html");
    /// let sieve = Sieve::builder().format(html).base("http://a.example/b/").build();
    /// let mut found = Vec::new();
    /// sieve.for_each(b"<a href=../c>", |finding| found = finding.uri.to_vec())?;
    /// assert_eq!(found, b"http://a.example/c");
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn format(mut self, format: Option<&'static InputFormat>) -> SieveBuilder {
        self.config.reading.format = format;
        self
    }

    /// Which fields of data are searched; default all. A text that begins like no other format is
    /// then read in the format that has such fields.
    ///
    /// ```
    /// use urisieve::{decode::DataFields, Sieve};
    /// let sieve = Sieve::builder().fields(DataFields::default().field("/u").unwrap()).build();
    /// let text = br#"{"u":"http://a.example/","v":"http://b.example/"}"#;
    /// assert_eq!(sieve.for_each(text, |_| {})?.occurrences, 1);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn fields(mut self, fields: DataFields) -> SieveBuilder {
        self.config.reading.fields = Arc::new(fields);
        self
    }

    /// Whether every text is UTF-16, also one that has no byte-order mark and few
    /// NULs; without a mark the byte order is that with more NULs in high bytes. Default
    /// no: see [`Beginning`](crate::decode::Beginning). A [`Source::Text`] is UTF-16 only
    /// then.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let text: Vec<u8> = "\u{65E5}\u{672C} http://a/".encode_utf16().flat_map(u16::to_be_bytes).collect();
    /// for (utf16, wanted) in [(true, 1), (false, 0)] {
    ///     let sieve = Sieve::builder().utf16(utf16).build();
    ///     assert_eq!(sieve.for_each(&text, |_| {})?.distinct, wanted);
    /// }
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn utf16(mut self, utf16: bool) -> SieveBuilder {
        self.config.reading.utf16 = utf16;
        self
    }

    /// The sieve.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().build();
    /// // A sieve keeps nothing of a run: the next one begins anew.
    /// for _ in 0..2 {
    ///     let stats = sieve.for_each(b"http://a.example/", |_| {})?;
    ///     assert_eq!(stats.distinct, 1);
    /// }
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn build(self) -> Sieve {
        Sieve {
            config: self.config,
        }
    }
}
