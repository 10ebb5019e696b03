//! The settings of the report of a sieve: which URIs are equal, which findings are reported, in
//! which order, and what they say.

use super::Builder;
use crate::canonicalize::{Canonicalizer, Redactor};
use crate::engine::runs::sieve::Sieve;
use crate::engine::{CountBy, CountPer, ExchangeFilter, Mode, Pairs, Sequence};

/// # Report
///
/// Which URIs are equal, which findings are reported, in which order, and what they say.
impl Builder<Sieve> {
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
    pub fn canonicalize(mut self, canonicalizer: Canonicalizer) -> Self {
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
    pub fn mode(mut self, mode: Mode) -> Self {
        self.config.keys.mode = mode;
        self
    }

    /// For [`Mode::Count`]: the part of the URIs that is counted instead of them;
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
    pub fn count_by(mut self, part: CountBy) -> Self {
        self.config.keys.by = Some(part);
        self
    }

    /// The unit in which a class, or a part of [`count_by`](Builder::count_by), counts once. With
    /// [`Mode::Groups`] each spelling counts once. Default: each occurrence counts.
    ///
    /// ```
    /// use urisieve::{CountPer, Mode, Sieve};
    /// let sieve = Sieve::builder().mode(Mode::Count).count_per(CountPer::File).build();
    /// sieve.for_each(b"http://a.example/ http://a.example/", |f| assert_eq!(f.count, Some(1)))?;
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn count_per(mut self, per: CountPer) -> Self {
        self.config.keys.per = Some(per);
        self
    }

    /// For [`Mode::Count`] and [`Mode::Groups`]: how many classes are reported,
    /// the first ones of the sequence; default all.
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
    pub fn top(mut self, classes: Option<usize>) -> Self {
        self.config.report.top = classes;
        self
    }

    /// Sets whether counted classes have the first and the last of the times that the lines
    /// and records of their occurrences state: [`Finding::first_seen`](crate::item::Finding::first_seen) and
    /// [`last_seen`](crate::item::Finding::last_seen). For modes that count. Default no.
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
    pub fn times(mut self, times: bool) -> Self {
        self.config.keys.times = times;
        self
    }

    /// For [`Mode::Count`]: sets whether classes have the number of inputs that they are in:
    /// [`Finding::sources`](crate::item::Finding::sources). Default no.
    ///
    /// ```
    /// use urisieve::{Mode, Sieve, input::Source};
    /// let texts = [&b"http://a.example/ http://a.example/"[..], b"http://a.example/", b"urn:a-b:c"];
    /// let sieve = Sieve::builder().mode(Mode::Count).sources(true).build();
    /// let mut found = Vec::new();
    /// sieve.for_each_in(texts.map(Source::Slice), |class| found.push((class.count, class.sources)))?;
    /// assert_eq!(found, [(Some(3), Some(2)), (Some(1), Some(1))]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn sources(mut self, sources: bool) -> Self {
        self.config.keys.sources = sources;
        self
    }

    /// For [`Mode::Groups`]: whether spellings say why each is equal to the
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
    /// sieve.run(["http://a.example/ HTTP://a.example/"], &mut why)?;
    /// assert_eq!(why.0, ["scheme to lower case"]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn reasons(mut self, reasons: bool) -> Self {
        self.config.report.reasons = reasons;
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
    pub fn sequence(mut self, sequence: Sequence) -> Self {
        self.config.report.sequence = Some(sequence);
        self
    }

    /// Sets the most findings that are reported of each input: the first ones. An input is
    /// not read further: what is behind the last of them is neither counted nor reported,
    /// errors and losses included. Findings behind them are not seen: a class that occurs only there is
    /// new in the inputs that follow. Findings are
    /// then in order, also with [`Sequence::Unordered`]. Not for [`Mode::Count`] and
    /// [`Mode::Groups`], which report at the end. Default all.
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
    pub fn max_findings(mut self, findings: Option<u64>) -> Self {
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
    pub fn originals(mut self, originals: bool) -> Self {
        self.config.keys.originals = originals;
        self
    }

    /// Whether findings have their line and column; default no: it costs a pass
    /// over the text. Not for [`Mode::Count`] and [`Mode::Groups`], whose classes have no
    /// place.
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
    pub fn lines(mut self, lines: bool) -> Self {
        self.config.report.lines = lines;
        self
    }

    /// Whether findings have their position in their document: those in JSON their pointer in
    /// [`Context::pointer`](crate::item::Context::pointer), those in pages the path and the
    /// relations in [`Context::link`](crate::item::Context::link); default yes. Without it, lines
    /// of JSON and pages are read faster.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().positions(false).build();
    /// sieve.for_each(b"http://a.example/", |f| assert_eq!(f.context.pointer, None))?;
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn positions(mut self, positions: bool) -> Self {
        self.config.report.without_positions = !positions;
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
    pub fn requests(mut self, requests: bool) -> Self {
        self.config.keys.requests = requests;
        self
    }

    /// Sets whether findings have the entries of lists that match them, in
    /// [`Context::matched`](crate::item::Context::matched), where there is a
    /// [`matcher`](Builder::matcher); default no: that costs a copy of each.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().matched(true).build();
    /// sieve.for_each(b"http://a.example/", |f| assert_eq!(f.context.matched, None))?;
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn matched(mut self, matched: bool) -> Self {
        self.config.keys.matched = matched;
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
    pub fn exchanges(mut self, filter: ExchangeFilter) -> Self {
        self.config.keys.exchanges = filter;
        self
    }

    /// Reports links instead of URIs. They are not counted by a part.
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
    pub fn links(mut self, pairs: Pairs) -> Self {
        self.config.keys.pairs = Some(pairs);
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
    pub fn redact(mut self, redactor: Redactor) -> Self {
        self.config.keys.redactor = Some(redactor);
        self
    }
}
