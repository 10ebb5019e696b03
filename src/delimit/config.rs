//! The rules that can be chosen; they are fixed when a delimiter is built.

use super::shape::Opaque;

/// The greatest value of [`Config::max_length`], in bytes. A candidate that continues
/// beyond its block is held and judged again with the next block, so time grows with the
/// square of this length.
pub const LENGTH_MAX: usize = 1 << 20;

/// The greatest value of [`WrapLimit::bytes`]. Every block is read with twice as many
/// bytes before it.
pub const WRAP_MAX: usize = 1 << 20;

/// The joins over line breaks inside wrappers (W4).
///
/// ```
/// use urisieve::delimit::{Config, Delimiter, Wrap};
/// use urisieve::item::Segment;
/// let text = Segment::whole(b"<http://a.example/b c>");
/// for (wrap, uri) in [(Wrap::Lines, "http://a.example/b"), (Wrap::Any, "http://a.example/bc")] {
///     let mut delimiter = Delimiter::new(Config::default().wrap(wrap));
///     delimiter.delimit(&text, 5, 0);
///     assert_eq!(delimiter.found(&text).next().unwrap().text, uri.as_bytes());
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wrap {
    /// Whitespace that holds a line break is removed.
    #[default]
    Lines,
    /// Plain blanks inside `<...>` are also removed.
    Any,
    /// Lines are not joined.
    Off,
}

/// The reading of a hyphen before a removed line break (W6).
///
/// ```
/// use urisieve::delimit::{Config, Delimiter, Hyphen};
/// use urisieve::item::Segment;
/// let text = Segment::whole(b"<http://a.example/b-\nc>");
/// let mut delimiter = Delimiter::new(Config::default().hyphen(Hyphen::Both));
/// delimiter.delimit(&text, 5, 0);
/// let found: Vec<_> = delimiter.found(&text).map(|uri| uri.text).collect();
/// assert_eq!(found, [&b"http://a.example/b-c"[..], b"http://a.example/bc"]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hyphen {
    /// The hyphen belongs to the URI.
    #[default]
    Keep,
    /// The hyphen was added by a typesetter, and is removed.
    Drop,
    /// Both spellings are reported.
    Both,
}

/// The limits of a wrapped URI (W4). The limits apply only to URIs with a line break
/// inside.
///
/// ```
/// use urisieve::delimit::{Config, WrapLimit};
/// let limit = WrapLimit { lines: 2, ..WrapLimit::default() };
/// assert_eq!(Config::default().wrap_limit(limit).fold_limit().bytes, 8192);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrapLimit {
    /// Most raw bytes from the scheme to the closer.
    pub bytes: usize,
    /// Most line breaks inside.
    pub lines: usize,
}

impl Default for WrapLimit {
    fn default() -> WrapLimit {
        WrapLimit {
            bytes: 8192,
            lines: 20,
        }
    }
}

/// The rules of a [`Delimiter`](super::Delimiter).
///
/// ```
/// use urisieve::delimit::{Config, Hyphen};
/// let config = Config::default().hyphen(Hyphen::Drop).strict(true);
/// assert_eq!(config.longest(), 64 * 1024);
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    pub(super) wrap: Wrap,
    pub(super) wrap_limit: WrapLimit,
    pub(super) hyphen: Hyphen,
    pub(super) nested: bool,
    pub(super) nested_base64: bool,
    pub(super) ascii: bool,
    pub(super) strict: bool,
    pub(super) refang: bool,
    pub(super) templates: bool,
    pub(super) line_ends: bool,
    pub(super) all_references: bool,
    pub(super) special_relative: bool,
    pub(super) max_length: usize,
    pub(super) opaque: Opaque,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            wrap: Wrap::default(),
            wrap_limit: WrapLimit::default(),
            hyphen: Hyphen::default(),
            nested: false,
            nested_base64: false,
            ascii: false,
            strict: false,
            refang: false,
            templates: false,
            line_ends: true,
            all_references: false,
            special_relative: false,
            max_length: 64 * 1024,
            opaque: Opaque::default(),
        }
    }
}

impl Config {
    /// The joins over line breaks; default [`Wrap::Lines`].
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter, Wrap};
    /// use urisieve::item::Segment;
    /// let text = Segment::whole(b"<http://a.example/b\n c>");
    /// let mut delimiter = Delimiter::new(Config::default().wrap(Wrap::Off));
    /// delimiter.delimit(&text, 5, 0);
    /// assert_eq!(delimiter.found(&text).next().unwrap().text, b"http://a.example/b");
    /// ```
    pub fn wrap(mut self, wrap: Wrap) -> Config {
        self.wrap = wrap;
        self
    }

    /// Sets the limits of a wrapped URI; default 8 KiB and 20 line breaks. More than
    /// [`WRAP_MAX`] bytes count as [`WRAP_MAX`], and more line breaks than bytes as the
    /// number of bytes.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter, WrapLimit};
    /// use urisieve::item::Segment;
    /// let text = Segment::whole(b"<http://a.example/b\nc\nd>");
    /// let limit = WrapLimit { lines: 1, ..WrapLimit::default() };
    /// let mut delimiter = Delimiter::new(Config::default().wrap_limit(limit));
    /// delimiter.delimit(&text, 5, 0);
    /// assert_eq!(delimiter.found(&text).next().unwrap().text, b"http://a.example/b");
    /// ```
    pub fn wrap_limit(mut self, limit: WrapLimit) -> Config {
        let bytes = limit.bytes.min(WRAP_MAX);
        let lines = limit.lines.min(bytes);
        self.wrap_limit = WrapLimit { bytes, lines };
        self
    }

    /// Sets the reading of hyphens before line breaks; default [`Hyphen::Keep`].
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter, Hyphen};
    /// use urisieve::item::Segment;
    /// let text = Segment::whole(b"<http://a.example/b-\nc>");
    /// let mut delimiter = Delimiter::new(Config::default().hyphen(Hyphen::Drop));
    /// delimiter.delimit(&text, 5, 0);
    /// assert_eq!(delimiter.found(&text).next().unwrap().text, b"http://a.example/bc");
    /// ```
    pub fn hyphen(mut self, hyphen: Hyphen) -> Config {
        self.hyphen = hyphen;
        self
    }

    /// Whether URIs inside URIs are reported (S6), also percent-encoded ones (I13); default no.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter};
    /// use urisieve::item::Segment;
    /// let text = Segment::whole(b"http://a.example/?u=http://b.example/");
    /// let mut delimiter = Delimiter::new(Config::default().nested(true));
    /// delimiter.delimit(&text, 4, 0);
    /// assert_eq!(delimiter.found(&text).last().unwrap().text, b"http://b.example/");
    /// ```
    pub fn nested(mut self, nested: bool) -> Config {
        self.nested = nested;
        self
    }

    /// Whether, among URIs inside URIs, those in Base64 are reported (I13); default no.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter};
    /// use urisieve::item::Segment;
    /// let text = Segment::whole(b"http://a.example/?u=aHR0cDovL2IuZXhhbXBsZS8");
    /// let mut delimiter = Delimiter::new(Config::default().nested(true).nested_base64(true));
    /// delimiter.delimit(&text, 4, 0);
    /// assert_eq!(delimiter.found(&text).last().unwrap().text, b"http://b.example/");
    /// ```
    pub fn nested_base64(mut self, nested_base64: bool) -> Config {
        self.nested_base64 = nested_base64;
        self
    }

    /// Whether the first byte above 0x7F ends a URI (B1); default no.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter, Outcome};
    /// use urisieve::item::Segment;
    /// let text = Segment::whole("http://a.example/é".as_bytes());
    /// assert_eq!(Delimiter::new(Config::default()).delimit(&text, 4, 0), Outcome::Found(19));
    /// let mut ascii = Delimiter::new(Config::default().ascii(true));
    /// assert_eq!(ascii.delimit(&text, 4, 0), Outcome::Found(17));
    /// ```
    pub fn ascii(mut self, ascii: bool) -> Config {
        self.ascii = ascii;
        self
    }

    /// Whether only URIs that are valid by RFC 3986 count (B6), also in lists; default no.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter};
    /// use urisieve::item::Segment;
    /// let text = Segment::whole(b"http://a.example/100%");
    /// for (strict, count) in [(false, 1), (true, 0)] {
    ///     let mut delimiter = Delimiter::new(Config::default().strict(strict));
    ///     delimiter.delimit(&text, 4, 0);
    ///     assert_eq!(delimiter.found(&text).count(), count);
    /// }
    /// ```
    pub fn strict(mut self, strict: bool) -> Config {
        self.strict = strict;
        self
    }

    /// Returns whether only URIs that are valid by RFC 3986 count.
    pub(crate) fn is_strict(&self) -> bool {
        self.strict
    }

    /// Whether the text is one from which the marks of defanging were removed (R1);
    /// default no. In such a text the tail of a torn scheme (`ht_tp://`) is not accepted,
    /// nor a host that continues after a dot between blanks.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter};
    /// use urisieve::item::Segment;
    /// let text = Segment::whole(b"http://evil9 . example/");
    /// for (refang, count) in [(false, 1), (true, 0)] {
    ///     let mut delimiter = Delimiter::new(Config::default().refang(refang));
    ///     delimiter.delimit(&text, 4, 0);
    ///     assert_eq!(delimiter.found(&text).count(), count);
    /// }
    /// ```
    pub fn refang(mut self, refang: bool) -> Config {
        self.refang = refang;
        self
    }

    /// Whether every `${…}` in a host belongs to it, as in `http://${HOST}/`; default no: only
    /// those of a lookup do, such as `${env:USER}`. The URI has the problem
    /// [`TemplateHost`](crate::item::Problem::TemplateHost).
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter, Outcome};
    /// use urisieve::item::Segment;
    /// let text = Segment::whole(b"http://${HOST}/a");
    /// for (templates, outcome) in [(false, Outcome::None), (true, Outcome::Found(16))] {
    ///     let mut delimiter = Delimiter::new(Config::default().templates(templates));
    ///     assert_eq!(delimiter.delimit(&text, 4, 0), outcome);
    /// }
    /// ```
    pub fn templates(mut self, templates: bool) -> Config {
        self.templates = templates;
        self
    }

    /// Whether a bare URI at the end of a line may have the problem
    /// [`LineEnd`](crate::item::Problem::LineEnd) (W7); default yes. Only the next line decides
    /// that: a URI that comes from a stream waits for it.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter};
    /// use urisieve::item::{Problem, Segment};
    /// let text = Segment::whole(b"http://a.example/b-\nc.html");
    /// for line_ends in [true, false] {
    ///     let mut delimiter = Delimiter::new(Config::default().line_ends(line_ends));
    ///     delimiter.delimit(&text, 4, 0);
    ///     let found = delimiter.found(&text).next().unwrap();
    ///     assert_eq!(found.marks.problems.has(Problem::LineEnd), line_ends);
    /// }
    /// ```
    pub fn line_ends(mut self, line_ends: bool) -> Config {
        self.line_ends = line_ends;
        self
    }

    /// Returns whether the next line decides a problem of a URI at the end of a line (W7).
    pub(crate) fn has_line_ends(&self) -> bool {
        self.line_ends
    }

    /// Whether references that do not lead to another document also count:
    /// `javascript:`, `data:`, `about:`, and references that are empty or only a
    /// fragment (F1); default no.
    ///
    /// ```
    /// use urisieve::delimit::{Cleaning, Config, Delimiter, Refusal};
    /// use urisieve::item::Schemes;
    /// for (all, refusal) in [(false, Some(Refusal::Dropped)), (true, None)] {
    ///     let delimiter = Delimiter::new(Config::default().all_references(all));
    ///     let mut cleaning = Cleaning::default();
    ///     let referred = delimiter.reference(b"about:blank", Schemes::Any, &mut cleaning);
    ///     assert_eq!(referred.err(), refusal);
    /// }
    /// ```
    pub fn all_references(mut self, all: bool) -> Config {
        self.all_references = all;
        self
    }

    /// Whether a reference of one of the URL Standard's special schemes (`http`,
    /// `https`, `ws`, `wss`, `ftp`, `file`) is relative unless `//` and a host follow
    /// (F1), as in markup; default no.
    ///
    /// ```
    /// use urisieve::delimit::{Cleaning, Config, Delimiter, Referred};
    /// use urisieve::item::Schemes;
    /// let delimiter = Delimiter::new(Config::default().special_relative(true));
    /// let mut cleaning = Cleaning::default();
    /// let referred = delimiter.reference(b"http:b", Schemes::Any, &mut cleaning);
    /// assert!(matches!(referred, Ok(Referred::Relative { .. })));
    /// ```
    pub fn special_relative(mut self, relative: bool) -> Config {
        self.special_relative = relative;
        self
    }

    /// The length of the longest URI in raw bytes (B7); default 64 KiB. More than
    /// [`LENGTH_MAX`] is taken as [`LENGTH_MAX`].
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter, Outcome};
    /// use urisieve::item::Segment;
    /// let text = Segment::whole(b"http://a.example/too/long");
    /// let mut delimiter = Delimiter::new(Config::default().max_length(20));
    /// assert!(matches!(delimiter.delimit(&text, 4, 0), Outcome::TooLong { start: 0, .. }));
    /// ```
    pub fn max_length(mut self, bytes: usize) -> Config {
        self.max_length = bytes.min(LENGTH_MAX);
        self
    }

    /// Adds opaque schemes (S3), without the colon, in lower or upper case.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter, Outcome};
    /// use urisieve::item::Segment;
    /// let text = Segment::whole(b"acme:part-7");
    /// assert_eq!(Delimiter::new(Config::default()).delimit(&text, 4, 0), Outcome::None);
    /// let mut delimiter = Delimiter::new(Config::default().opaque(["acme"]));
    /// assert_eq!(delimiter.delimit(&text, 4, 0), Outcome::Found(11));
    /// ```
    pub fn opaque<I, N>(mut self, names: I) -> Config
    where
        I: IntoIterator<Item = N>,
        N: AsRef<[u8]>,
    {
        let names = names.into_iter().map(|n| n.as_ref().to_ascii_lowercase());
        self.opaque.names.extend(names);
        self
    }

    /// Whether every scheme of the table counts without `//` (S3); default no.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter, Outcome};
    /// use urisieve::item::Segment;
    /// let text = Segment::whole(b"slack:open");
    /// assert_eq!(Delimiter::new(Config::default()).delimit(&text, 5, 0), Outcome::None);
    /// let mut delimiter = Delimiter::new(Config::default().opaque_all(true));
    /// assert_eq!(delimiter.delimit(&text, 5, 0), Outcome::Found(10));
    /// ```
    pub fn opaque_all(mut self, all: bool) -> Config {
        self.opaque.all = all;
        self
    }

    /// Returns the length of the longest URI in raw bytes.
    ///
    /// ```
    /// use urisieve::delimit::Config;
    /// use urisieve::delimit::LENGTH_MAX;
    /// assert_eq!(Config::default().max_length(2048).longest(), 2048);
    /// assert_eq!(Config::default().max_length(usize::MAX).longest(), LENGTH_MAX);
    /// ```
    pub fn longest(&self) -> usize {
        self.max_length
    }

    /// Returns whether plain blanks inside `<...>` are removed.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Wrap};
    /// assert!(Config::default().wrap(Wrap::Any).joins_blanks());
    /// assert!(!Config::default().joins_blanks());
    /// ```
    pub fn joins_blanks(&self) -> bool {
        self.wrap == Wrap::Any
    }

    /// Returns whether more schemes count without `//` than by default (S3).
    ///
    /// ```
    /// use urisieve::delimit::Config;
    /// assert!(!Config::default().adds_opaque());
    /// assert!(Config::default().opaque(["acme"]).adds_opaque());
    /// ```
    pub fn adds_opaque(&self) -> bool {
        !self.opaque.is_default()
    }

    /// Returns the limits of a wrapped URI.
    ///
    /// ```
    /// use urisieve::delimit::{Config, WrapLimit};
    /// assert_eq!(Config::default().fold_limit(), WrapLimit { bytes: 8192, lines: 20 });
    /// ```
    pub fn fold_limit(&self) -> WrapLimit {
        self.wrap_limit
    }
}
