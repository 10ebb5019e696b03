//! The settings of reading: what an input is, and how its bytes become text.

use super::{Builder, ReadsInputs};
#[cfg(feature = "marc")]
use crate::decode::{CatalogFormat, TableColumn};
use crate::decode::{DataFields, InputFormat, Layout, LogFormat};
use crate::dedup::KnownKeys;
use crate::engine::RecordFilter;
#[cfg(feature = "marc")]
use crate::engine::catalog::run::CatalogRun;
use crate::engine::runs::sieve::Sieve;
use crate::item::UtcOffset;
use crate::syntax::resolve::Rules;
use std::sync::Arc;

/// # Reading
///
/// How the bytes of an input become text.
impl<T> Builder<T> {
    /// Whether every text is UTF-16, also one that has no byte-order mark and few
    /// NULs; without a mark the byte order is that with more NULs in high bytes. Default
    /// no: see [`Beginning`](crate::decode::Beginning). A text in memory is UTF-16 only
    /// then, because it is never guessed.
    ///
    /// ```
    /// use urisieve::{Finder, Sieve};
    /// let text: Vec<u8> = "\u{65E5}\u{672C} http://a/".encode_utf16().flat_map(u16::to_be_bytes).collect();
    /// for (utf16, wanted) in [(true, 1), (false, 0)] {
    ///     let sieve = Sieve::builder().utf16(utf16).build();
    ///     assert_eq!(sieve.for_each(&text, |_| {})?.distinct, wanted);
    ///     assert_eq!(Finder::builder().utf16(utf16).build().find(&text).count(), wanted as usize);
    /// }
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn utf16(mut self, utf16: bool) -> Self {
        self.config.reading.utf16 = utf16;
        self
    }

    /// Whether no text is UTF-16 or UTF-32: their byte-order marks are bytes like others, and
    /// NULs do not count. Default no. Markup, JSON, tables and texts in records keep the rules of
    /// their formats. It has no effect with [`utf16`](Builder::utf16).
    ///
    /// ```
    /// use urisieve::{Sieve, input::Source};
    /// let text: Vec<u8> = "\u{FEFF}http://a/".encode_utf16().flat_map(u16::to_le_bytes).collect();
    /// for (never, wanted) in [(false, 1), (true, 0)] {
    ///     let sieve = Sieve::builder().never_wide(never).build();
    ///     assert_eq!(sieve.for_each_in([Source::Slice(&text)], |_| {})?.distinct, wanted);
    /// }
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn never_wide(mut self, never: bool) -> Self {
        self.config.reading.never_wide = never;
        self
    }
}

/// # Reading of files and other inputs
impl<T: ReadsInputs> Builder<T> {
    /// Whether compression is undone, detected by the first bytes of an input that is not a
    /// [`Source::Text`](crate::input::Source::Text): gzip, zstd, xz, bzip2, lz4, and one of these inside another; default
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
    pub fn decompress(mut self, decompress: bool) -> Self {
        self.config.reading.unpack.decompress = decompress;
        self
    }

    /// Whether web archives are taken apart, detected by the first bytes of an input that is
    /// not a [`Source::Text`](crate::input::Source::Text): WARC and ARC. URIs are then looked for in the payload of each record, without its
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
    pub fn archives(mut self, archives: bool) -> Self {
        self.config.reading.unpack.containers = archives;
        self
    }
}

/// # Reading of a sieve
impl Builder<Sieve> {
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
    pub fn format(mut self, format: Option<&'static InputFormat>) -> Self {
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
    pub fn fields(mut self, fields: DataFields) -> Self {
        self.config.reading.fields = Arc::new(fields);
        self
    }

    /// Reads every input as a list of URIs instead of as a text: each record gives
    /// one finding, also one whose value is not a URI
    /// ([`Content::NoUri`](crate::item::Content)), which is its own canonical form. Such
    /// records of tables and of JSON Lines are never merged with others; with
    /// [`Mode::Count`](crate::Mode::Count) and [`Mode::Groups`](crate::Mode::Groups) they are only counted. The record that names
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
    pub fn list(mut self, layout: Layout) -> Self {
        self.config.search.layout = Some(layout);
        self
    }

    /// The input with this number, from 0, is a list that is written so, whatever the
    /// others are; it is no archive, nor UTF-16 by [`utf16`](Builder::utf16).
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
    pub fn layout_of(mut self, input: usize, layout: Layout) -> Self {
        self.config.search.layouts.insert(input, layout);
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
    pub fn known_inputs(mut self, inputs: usize) -> Self {
        self.config.report.known_inputs = inputs;
        self
    }

    /// Sets the keys that are known before the run: URIs with these canonical forms are not
    /// reported. The key of a [link](Builder::links) is the page, a tab and the target. Asking for
    /// them may fail, which ends the run. Not with [`count_by`](Builder::count_by). Default: none.
    ///
    /// ```
    /// use std::{io, sync::Arc};
    /// use urisieve::Sieve;
    /// use urisieve::dedup::{Answer, Keys, KnownKeys};
    /// #[derive(Debug)]
    /// struct Urns;
    /// impl KnownKeys for Urns {
    ///     fn ask(&self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()> {
    ///         for (key, answer) in keys.iter().zip(answers) {
    ///             if *answer != Answer::Known && keys.class(key).starts_with(b"urn:") {
    ///                 *answer = Answer::Known;
    ///             }
    ///         }
    ///         Ok(())
    ///     }
    /// }
    /// let sieve = Sieve::builder().known_keys(Arc::new(Urns)).build();
    /// let mut found = Vec::new();
    /// sieve.for_each(b"URN:a-b:c http://a.example/", |f| found.push(f.uri.to_vec()))?;
    /// assert_eq!(found, [b"http://a.example/"]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn known_keys(mut self, known: Arc<dyn KnownKeys>) -> Self {
        self.config.memory.known = Some(known);
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
    pub fn base(mut self, uri: impl AsRef<[u8]>) -> Self {
        self.config.search.base = Some(Arc::from(uri.as_ref()));
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
    pub fn resolve_by(mut self, rules: Rules) -> Self {
        self.config.search.rules = rules;
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
    pub fn log_format(mut self, format: LogFormat) -> Self {
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
    pub fn zone(mut self, zone: UtcOffset) -> Self {
        self.config.reading.zone = zone;
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
    pub fn records(mut self, filter: RecordFilter) -> Self {
        self.config.search.records = filter;
        self
    }
}

/// # Reading of catalogues
#[cfg(feature = "marc")]
impl Builder<CatalogRun> {
    /// The format of every input; default `None`: detected from the content of each, and
    /// an input that is no catalogue is read as a table.
    ///
    /// ```
    /// use urisieve::{decode::CatalogFormat, CatalogRun};
    /// # drop(CatalogRun::builder().format(Some(CatalogFormat::Marc)));
    /// ```
    pub fn format(mut self, format: Option<CatalogFormat>) -> Self {
        self.config.reading.catalog.format = format;
        self
    }

    /// The column of tables that identifies records. Rows that follow each other and have
    /// the same identifier come in one batch.
    ///
    /// ```
    /// use urisieve::{decode::TableColumn, CatalogRun};
    /// # drop(CatalogRun::builder().id_column(Some(TableColumn::parse("id"))));
    /// ```
    pub fn id_column(mut self, column: Option<TableColumn>) -> Self {
        self.config.reading.catalog.id_column = column;
        self
    }

    /// Whether quotes around the cells of tables do not belong to them; default yes. A table
    /// with tabs may be written without any.
    ///
    /// ```
    /// # drop(urisieve::CatalogRun::builder().quotes(false));
    /// ```
    pub fn quotes(mut self, quotes: bool) -> Self {
        self.config.reading.catalog.quotes = quotes;
        self
    }
}
