//! Which values travel from stage to stage? Plain data: what a stage found, where, and
//! with which problems, and the map from a text to its raw bytes. Stages create the
//! values, `output` writes them.

mod context;
mod damage;
mod encoding;
mod exchange;
mod identifier;
mod matched;
mod media_ranges;
mod nested;
mod offset_map;
mod owned;
mod owned_finding;
mod part;
mod problem;
mod reference;
mod shown;
mod timestamp;
mod wrapper;

pub use context::{Context, Link, Marc, Request, Warc};
pub use damage::{Damage, DamagedRecord, WindowShortage};
pub use encoding::Encoding;
pub use exchange::{Exchange, RequestPart};
pub use identifier::{IdentifierKind, IdentifierKinds, UnknownIdentifier};
pub use matched::{Matched, MatchedEntry};
pub use media_ranges::MediaRanges;
pub use nested::NestedBy;
pub use offset_map::{OffsetMap, Places};
pub use owned::{OwnedContext, OwnedLink, OwnedMarc, Record};
pub use owned_finding::{OwnedFinding, OwnedRequest};
pub use part::{MailPart, MailPartKind, Part};
pub use problem::{Problem, Problems, UnknownCode};
pub use reference::{Charset, Reference, Schemes, Span};
pub use timestamp::{Civil, NoOffset, Timestamp, UtcOffset};
pub use wrapper::Wrapper;

use crate::syntax::{Kind, Parts};
use std::fmt;
use std::ops::Range;

/// One URI of the input with its position, unfolded and unescaped, not yet canonical.
///
/// `offset` and `length` count raw bytes of the text that was delimited, from
/// its start; the span begins at the scheme and ends before the closer (law L3).
///
/// ```
/// use urisieve::delimit::{Config, Delimiter};
/// use urisieve::item::Segment;
/// let mut delimiter = Delimiter::new(Config::default());
/// let text = Segment::whole(br#"{"u":"http:\/\/a.example\/"}"#);
/// delimiter.delimit(&text, 10, 0);
/// let raw = delimiter.found(&text).next().unwrap();
/// assert_eq!(raw.text, b"http://a.example/");
/// assert_eq!((raw.offset, raw.length), (6, 20));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RawUri<'t> {
    /// The URI, with line breaks removed (W4) and escapes decoded (B5).
    pub text: &'t [u8],
    /// Raw bytes from the start of the text to the first byte of the scheme.
    pub offset: usize,
    /// Raw bytes from the scheme to the end of the URI.
    pub length: usize,
    /// Details that the delimiter detected.
    pub marks: Marks,
}

/// Details of one occurrence, apart from its text and position.
///
/// ```
/// use urisieve::delimit::{Config, Delimiter};
/// use urisieve::item::{Segment, Wrapper};
/// let text = Segment::whole(b"<URL:http://a.example/b\n  c>");
/// let mut delimiter = Delimiter::new(Config::default());
/// delimiter.delimit(&text, 9, 0);
/// let marks = delimiter.found(&text).next().unwrap().marks;
/// assert_eq!(marks.wrapper, Wrapper::Angle);
/// assert!(marks.url_prefix && marks.wrapped == 1 && marks.problems.is_empty());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Marks {
    /// The wrapper that delimits it.
    pub wrapper: Wrapper,
    /// A `URL:` or `URI:` prefix, or `URL=` before `<` (S5), is before it.
    pub url_prefix: bool,
    /// The number of line breaks that were removed from it (W4).
    pub wrapped: u8,
    /// A hyphen is before one of these line breaks (W6).
    pub hyphen_break: bool,
    /// Whether the URI was written without a scheme, which was added (S7).
    pub abbreviated: bool,
    /// Whether the URI was written in disguise, and marks of defanging were undone (I8).
    pub refanged: bool,
    /// Whether the URI was written in disguise without a scheme, which was added (I10).
    pub given_scheme: bool,
    /// The coding behind which it stands inside another URI, if it does (S6, I13).
    pub nested_by: Option<NestedBy>,
    /// The kind of the identifier from which the URI is made, if the text has no
    /// scheme.
    pub identifier: Option<IdentifierKind>,
    /// The problems of the URI.
    pub problems: Problems,
    /// The content of the record of a list; in text always a URI.
    pub content: Content,
}

/// The content of a record of a list.
///
/// ```
/// use urisieve::{decode::Layout, Mode, Sieve, item::Content};
/// let mut contents = Vec::new();
/// let sieve = Sieve::builder().list(Layout::Lines).mode(Mode::All).build();
/// sieve.for_each(b"urn:a-b:c\nn/a\n", |finding| {
///     contents.push(finding.marks.content);
/// })?;
/// assert_eq!(contents, [Content::Uri, Content::NoUri]);
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// The value is a URI.
    #[default]
    Uri,
    /// There is no value, or the value is not a URI.
    NoUri,
    /// The record is the header.
    Header,
}

/// A piece of text to scan, with its context.
///
/// ```
/// use urisieve::delimit::{Config, Delimiter, Outcome};
/// use urisieve::item::Segment;
/// let mut delimiter = Delimiter::new(Config::default());
/// let whole = Segment::whole(b"http://a.exam");
/// assert_eq!(delimiter.delimit(&whole, 4, 0), Outcome::Found(13));
/// let part = Segment { last: false, ..whole };
/// assert_eq!(delimiter.delimit(&part, 4, 0), Outcome::Undecided);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Segment<'t> {
    /// The bytes, including those to the left that a rule needs.
    pub text: &'t [u8],
    /// Whether no more text follows. If so, a candidate that reaches the end of `text`
    /// ends there; otherwise the candidate is not decided.
    pub last: bool,
    /// The beginning of the line that began before `text`.
    pub head: LineHead<'t>,
    /// The raw offset of the start of `text`.
    pub offset: u64,
    /// The way from `text` to the raw bytes, counted from `offset`.
    pub map: &'t OffsetMap,
    /// The context of the text.
    pub context: &'t OwnedContext,
}

impl<'t> Segment<'t> {
    /// Creates a segment of a complete text.
    ///
    /// ```
    /// use urisieve::item::{LineHead, Segment};
    /// let segment = Segment::whole(b"see http://a.example/");
    /// assert!(segment.last && segment.head == LineHead::EMPTY);
    /// ```
    pub const fn whole(text: &'t [u8]) -> Segment<'t> {
        Segment {
            text,
            last: true,
            head: LineHead::EMPTY,
            offset: 0,
            map: const { &OffsetMap::IDENTITY },
            context: OwnedContext::nothing(),
        }
    }

    /// Returns the map from offsets in the text to raw offsets.
    ///
    /// ```
    /// use urisieve::item::{Encoding, OffsetMap, Segment};
    /// let map = OffsetMap::of(Encoding::Utf16);
    /// let segment = Segment { offset: 2, map: &map, ..Segment::whole(b"see http://a.example/") };
    /// assert_eq!(segment.places().span(4..21), (10, 34));
    /// ```
    pub fn places(&self) -> Places<'t> {
        Places::new(self.map, self.text, self.offset)
    }
}

/// The beginning of the line that began before a text: its leader may be repeated on the
/// lines after it (W5), and it may have a header of syslog (I26).
///
/// ```
/// use urisieve::delimit::{Config, Delimiter};
/// use urisieve::item::{LineHead, Segment};
/// // The text begins inside a line of a quoted mail.
/// let head = LineHead { text: b"> as in ", open: true };
/// let text = Segment { head, ..Segment::whole(b"<http://a.example/b\n> c>") };
/// let mut delimiter = Delimiter::new(Config::default());
/// delimiter.delimit(&text, 5, 0);
/// assert_eq!(delimiter.found(&text).next().unwrap().text, b"http://a.example/bc");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineHead<'t> {
    /// The first bytes of the line.
    pub text: &'t [u8],
    /// Whether these are all bytes of the line before the text; otherwise it is too long.
    pub open: bool,
}

impl LineHead<'_> {
    /// No line began before the text.
    pub const EMPTY: LineHead<'static> = LineHead {
        text: b"",
        open: true,
    };
}

/// A URI, or one occurrence of a URI, as reported.
///
/// ```
/// use urisieve::Sieve;
/// let sieve = Sieve::builder().originals(true).build();
/// sieve.for_each(b"at HTTP://A.example/", |finding| {
///     assert_eq!(finding.uri, b"http://a.example/");
///     assert_eq!(finding.original, b"HTTP://A.example/");
///     assert_eq!((finding.input, finding.offset, finding.length), (0, 3, 17));
/// })?;
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding<'f> {
    /// The canonical form: the key of its class.
    pub uri: &'f [u8],
    /// As written, after unwrapping.
    pub original: &'f [u8],
    /// The number of the input that contains it, from 0, in the order of the inputs.
    pub input: usize,
    /// Raw bytes from the start of the input to the scheme.
    pub offset: u64,
    /// Raw bytes from the scheme to the end.
    pub length: u64,
    /// The line and the column, where they are counted.
    pub place: Option<LineColumn>,
    /// Details of the occurrence.
    pub marks: Marks,
    /// The number of occurrences, where they are counted.
    pub count: Option<u64>,
    /// The canonical form of the alternative spelling, when a hyphen before a line
    /// break allows two (W6 `both`).
    pub alternative: Option<&'f [u8]>,
    /// The names of the gateways around the URI that were unwrapped (I14), the outermost first,
    /// with a blank between two.
    pub gateway: Option<&'f [u8]>,
    /// The canonical form of the URI of the text that it stands inside (I13).
    pub nested_in: Option<&'f [u8]>,
    /// If links are reported, the page or the node that links to `uri`.
    pub source: Option<&'f [u8]>,
    /// The first of the times that the lines and records of its occurrences state, where they
    /// are counted and [`times`](crate::Builder::times) is set.
    pub first_seen: Option<Timestamp>,
    /// The last of these times.
    pub last_seen: Option<Timestamp>,
    /// The number of inputs that its class is in, where [`sources`](crate::Builder::sources) is
    /// set.
    pub sources: Option<u64>,
    /// The statements of the formats around the URI. In a record of a web archive the
    /// offset counts from the start of the record's block.
    pub context: Context<'f>,
}

impl<'f> Finding<'f> {
    /// Creates a finding of a URI at the start of the first input, written in its
    /// canonical form. All other fields are empty and can be set.
    ///
    /// ```
    /// use urisieve::item::Finding;
    /// let mut finding = Finding::new(b"http://a.example/");
    /// finding.offset = 7;
    /// assert_eq!((finding.original, finding.length), (finding.uri, 17));
    /// ```
    pub fn new(uri: &'f [u8]) -> Finding<'f> {
        Finding {
            uri,
            original: uri,
            input: 0,
            offset: 0,
            length: uri.len() as u64,
            place: None,
            marks: Marks::default(),
            count: None,
            alternative: None,
            gateway: None,
            nested_in: None,
            source: None,
            first_seen: None,
            last_seen: None,
            sources: None,
            context: Context::default(),
        }
    }

    /// Returns the raw offset at which the URI starts.
    ///
    /// ```
    /// use urisieve::item::Finding;
    /// assert_eq!(Finding::new(b"urn:a-b:c").start(), 0);
    /// ```
    pub fn start(&self) -> u64 {
        self.offset
    }

    /// Returns the raw offset at which the URI ends: the one after its last byte.
    ///
    /// ```
    /// use urisieve::item::Finding;
    /// let mut finding = Finding::new(b"urn:a-b:c");
    /// (finding.offset, finding.length) = (4, 9);
    /// assert_eq!(finding.end(), 13);
    /// ```
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(self.length)
    }

    /// Returns the range of the URI, in raw bytes; see [`offset`](Finding::offset).
    ///
    /// ```
    /// use urisieve::item::Finding;
    /// let mut finding = Finding::new(b"urn:a-b:c");
    /// (finding.offset, finding.length) = (4, 9);
    /// assert_eq!(finding.range(), 4..13);
    /// ```
    pub fn range(&self) -> Range<u64> {
        self.start()..self.end()
    }

    /// Returns the canonical form as a string, or `None` when it is not UTF-8.
    ///
    /// ```
    /// use urisieve::item::Finding;
    /// assert_eq!(Finding::new(b"http://a.example/").uri_str(), Some("http://a.example/"));
    /// ```
    pub fn uri_str(&self) -> Option<&'f str> {
        std::str::from_utf8(self.uri).ok()
    }

    /// Returns the parts of the canonical form.
    ///
    /// ```
    /// use urisieve::item::Finding;
    /// assert_eq!(Finding::new(b"http://a.example/").parts().host(), Some(&b"a.example"[..]));
    /// ```
    pub fn parts(&self) -> Parts<'f> {
        Parts::of(self.uri)
    }

    /// Returns whether the canonical form is a URL, a URN, or neither.
    ///
    /// ```
    /// use urisieve::{item::Finding, syntax::Kind};
    /// assert_eq!(Finding::new(b"urn:isbn:0395363411").kind(), Kind::Urn);
    /// ```
    pub fn kind(&self) -> Kind {
        Kind::of(self.uri)
    }

    /// Returns the wrapper of the URI.
    ///
    /// ```
    /// use urisieve::item::{Finding, Wrapper};
    /// assert_eq!(Finding::new(b"http://a.example/").wrapper(), Wrapper::None);
    /// ```
    pub fn wrapper(&self) -> Wrapper {
        self.marks.wrapper
    }

    /// Returns the problems of the URI.
    ///
    /// ```
    /// use urisieve::item::Finding;
    /// assert!(Finding::new(b"http://a.example/").problems().is_empty());
    /// ```
    pub fn problems(&self) -> Problems {
        self.marks.problems
    }
}

/// One way in which a URI is written, and how often.
///
/// ```
/// use std::{io, ops::ControlFlow};
/// use urisieve::{Mode, Sieve, Sink};
/// use urisieve::item::{Finding, Spelling};
/// struct Spellings(Vec<String>);
/// impl Sink for Spellings {
///     fn finding(&mut self, _: &Finding<'_>) -> io::Result<ControlFlow<()>> { Ok(ControlFlow::Continue(())) }
///     fn group(&mut self, _: &Finding<'_>, spellings: &[Spelling<'_>]) -> io::Result<ControlFlow<()>> {
///         let line = |s: &Spelling| format!("{} {}", s.count, String::from_utf8_lossy(s.text));
///         self.0.extend(spellings.iter().map(line));
///         Ok(ControlFlow::Continue(()))
///     }
/// }
/// let mut spellings = Spellings(Vec::new());
/// let sieve = Sieve::builder().mode(Mode::Groups).build();
/// sieve.run(["urn:a-b:c URN:a-b:c urn:a-b:c"], &mut spellings)?;
/// assert_eq!(spellings.0, ["2 urn:a-b:c", "1 URN:a-b:c"]);
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spelling<'f> {
    /// The URI as written, after unwrapping.
    pub text: &'f [u8],
    /// The number of occurrences with this spelling.
    pub count: u64,
    /// The steps that make the spelling equal to the others, if they are requested;
    /// empty for the canonical form.
    pub reasons: &'f [Reason],
}

/// A step of normalization that makes a spelling equal to others.
///
/// ```
/// use urisieve::item::Reason;
/// fn line(reason: &Reason) -> String {
///     format!("{} ({})", reason.name, reason.section)
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reason {
    /// The name of the step.
    pub name: &'static str,
    /// The document and section that require it, or `switch` and the name of the
    /// switch.
    pub section: &'static str,
}

/// A position by line and column, both from 1.
///
/// ```
/// use urisieve::Sieve;
/// let sieve = Sieve::builder().lines(true).build();
/// sieve.for_each(b"first\nsee http://a.example/", |finding| {
///     let place = finding.place.unwrap();
///     assert_eq!((place.line, place.column), (2, 5));
/// })?;
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineColumn {
    /// The line; lines end at a line feed.
    pub line: u64,
    /// Raw bytes from the start of the line, from 1.
    pub column: u64,
}

/// A loss: bytes that were read but could not be processed. Every loss is reported.
///
/// ```
/// use std::{io, ops::ControlFlow};
/// use urisieve::{delimit::Config, Sieve, Sink, item::{Finding, Loss}};
/// struct Losses(Vec<u64>);
/// impl Sink for Losses {
///     fn finding(&mut self, _: &Finding<'_>) -> io::Result<ControlFlow<()>> { Ok(ControlFlow::Continue(())) }
///     fn loss(&mut self, loss: &Loss) { self.0.push(loss.offset) }
/// }
/// let sieve = Sieve::builder().delimit(Config::default().max_length(20)).build();
/// let mut losses = Losses(Vec::new());
/// sieve.run(["a http://a.example/too/long b"], &mut losses)?;
/// assert_eq!(losses.0, [2]);
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// The number of the input, as in [`Finding::input`].
    pub input: usize,
    /// The offset of the loss, in raw bytes from the start of the input; where a
    /// container is damaged, in bytes of the stored input.
    pub offset: u64,
    /// The kind of loss.
    pub kind: LossKind,
}

impl Loss {
    /// A loss: the part of an input that could not be read, and its place.
    ///
    /// ```
    /// use urisieve::item::{Loss, LossKind};
    /// assert_eq!(Loss::new(0, 7, LossKind::TooLong).offset, 7);
    /// ```
    pub const fn new(input: usize, offset: u64, kind: LossKind) -> Loss {
        Loss {
            input,
            offset,
            kind,
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Loss {
            input,
            offset,
            kind,
        } = self;
        write!(f, "input {input}, byte {offset}: {kind}")
    }
}

/// The kind of loss.
///
/// ```
/// use urisieve::item::{Loss, LossKind};
/// let message = |loss: &Loss| match loss.kind {
///     LossKind::TooLong => format!("{}: a URI is too long", loss.offset),
///     _ => format!("{}: something is lost", loss.offset),
/// };
/// let loss = Loss::new(0, 7, LossKind::TooLong);
/// assert_eq!(message(&loss), "7: a URI is too long");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LossKind {
    /// A candidate longer than allowed (B7).
    TooLong,
    /// A record of a list longer than [`RECORD_MAX`](crate::decode::RECORD_MAX).
    RecordTooLong,
    /// A part of a container cannot be read further; the text before was searched.
    Damaged(Damage),
    /// A part of a container is truncated; the bytes before its end were searched.
    Truncated(Damage),
    /// A part of a container was read to its end, but its checksum or its length is
    /// wrong: its text was searched, and is suspect.
    Suspect(Damage),
    /// Bytes of a container that do not belong to any of its parts.
    Garbage(Damage),
    /// A part of a container needs a feature that is not supported.
    Unsupported(Damage),
    /// The input is a container that is not unpacked; its stored bytes were searched.
    /// The loss is a note, not damage; the offset is 0.
    Unseen(Damage),
}

impl LossKind {
    /// Returns the code that records use.
    ///
    /// ```
    /// use urisieve::item::LossKind;
    /// assert_eq!(LossKind::TooLong.code(), "too-long");
    /// ```
    pub const fn code(&self) -> &'static str {
        match self {
            LossKind::TooLong => "too-long",
            LossKind::RecordTooLong => "record-too-long",
            LossKind::Damaged(_) => "damaged",
            LossKind::Truncated(_) => "truncated",
            LossKind::Suspect(_) => "suspect",
            LossKind::Garbage(_) => "garbage",
            LossKind::Unsupported(_) => "unsupported",
            LossKind::Unseen(_) => "unseen",
        }
    }

    /// Returns the details of the damage, if any.
    ///
    /// ```
    /// use urisieve::item::{Damage, LossKind};
    /// let damage = Damage::new("gzip", "no end", 7);
    /// assert_eq!(LossKind::Truncated(damage).damage(), Some(damage));
    /// assert_eq!(LossKind::TooLong.damage(), None);
    /// ```
    pub const fn damage(&self) -> Option<Damage> {
        match *self {
            LossKind::TooLong | LossKind::RecordTooLong => None,
            LossKind::Damaged(damage)
            | LossKind::Truncated(damage)
            | LossKind::Suspect(damage)
            | LossKind::Garbage(damage)
            | LossKind::Unsupported(damage)
            | LossKind::Unseen(damage) => Some(damage),
        }
    }

    /// Removes the range of text, for a stream inside another compression: the outer
    /// text is not searched.
    ///
    /// ```
    /// use urisieve::item::{Damage, LossKind};
    /// let mut damage = Damage::new("gzip", "no end", 7);
    /// damage.text = Some((0, 9));
    /// let kind = LossKind::Truncated(damage).without_text();
    /// assert_eq!(kind.damage().unwrap().text, None);
    /// ```
    pub const fn without_text(mut self) -> LossKind {
        match &mut self {
            LossKind::TooLong | LossKind::RecordTooLong => {}
            LossKind::Damaged(damage)
            | LossKind::Truncated(damage)
            | LossKind::Suspect(damage)
            | LossKind::Garbage(damage)
            | LossKind::Unsupported(damage)
            | LossKind::Unseen(damage) => damage.text = None,
        }
        self
    }
}

impl fmt::Display for LossKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.damage() {
            Some(damage) => write!(f, "{}: {damage}", self.code()),
            None => write!(f, "{}: longer than allowed, and left out", self.code()),
        }
    }
}
