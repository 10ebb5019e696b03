//! Which values travel from stage to stage? Plain data, with no more logic than
//! the way from a text to its raw bytes: what a stage found, where, and what it
//! noticed about it. How the values are made belongs to the stages, how they are
//! told to `output`.

mod context;
mod damage;
mod encoding;
mod offset_map;
mod owned;
mod part;
mod problem;
mod reference;
mod wrapper;

pub use context::{Context, Link, Marc, Warc};
pub use damage::Damage;
pub use encoding::Encoding;
pub use offset_map::{OffsetMap, Places};
pub use owned::{OwnedContext, OwnedLink, OwnedMarc, Record};
pub use part::Part;
pub use problem::{Problem, Problems};
pub use reference::{Charset, Reference, Schemes, Span};
pub use wrapper::Wrapper;

/// One URI as it stands in the input: where it begins and ends, unfolded and
/// unescaped, not yet canonical.
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
pub struct RawUri<'t> {
    /// The URI: line breaks of W4 removed, escapes of B5 undone.
    pub text: &'t [u8],
    /// Raw bytes from the start of the text to the first byte of the scheme.
    pub offset: usize,
    /// Raw bytes from the scheme to the end of the URI.
    pub length: usize,
    /// What the delimiter noticed on the way.
    pub marks: Marks,
}

/// What was noticed about one occurrence, apart from its text and place.
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
    /// The wrapper that delimited it.
    pub wrapper: Wrapper,
    /// A `URL:` or `URI:` prefix, or `URL=` before `<` (S5).
    pub url_prefix: bool,
    /// How many line breaks were removed from inside it (W4).
    pub wrapped: u8,
    /// A hyphen stood before one of these line breaks (W6).
    pub hyphen_break: bool,
    /// It stood without a scheme, which was given to it (S7).
    pub abbreviated: bool,
    /// What is wrong with it.
    pub problems: Problems,
    /// What the record of a list is; of a text always a URI.
    pub content: Content,
}

/// What a record of a list is.
///
/// ```
/// use urisieve::{decode::Layout, engine::{Mode, Sieve}, item::Content};
/// let mut contents = Vec::new();
/// let sieve = Sieve::builder().list(Layout::Lines).mode(Mode::All).build();
/// sieve.for_each(b"urn:a-b:c\nn/a\n", |finding| {
///     contents.push(finding.marks.content);
/// })?;
/// assert_eq!(contents, [Content::Uri, Content::NoUri]);
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// Its value is a URI.
    #[default]
    Uri,
    /// It has no value, or one that is no URI.
    NoUri,
    /// It names the fields of the others.
    Header,
}

/// A piece of text to scan, with what is known about its surroundings.
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
    /// The bytes. What a rule looks at on its left is part of them.
    pub text: &'t [u8],
    /// No more text follows: what reaches the end of `text` ends there. When
    /// unset, a candidate that reaches the end is not decided.
    pub last: bool,
    /// The leader (W5) of the line that began before `text`.
    pub leader: Leader<'t>,
    /// The raw offset of the start of `text`.
    pub offset: u64,
    /// The way from `text` to the raw bytes, counted from `offset`.
    pub map: &'t OffsetMap,
    /// What surrounds it.
    pub context: &'t OwnedContext,
}

impl<'t> Segment<'t> {
    /// A text of which nothing is missing before or after.
    ///
    /// ```
    /// use urisieve::item::{Leader, Segment};
    /// let segment = Segment::whole(b"see http://a.example/");
    /// assert!(segment.last && segment.leader == Leader::EMPTY);
    /// ```
    pub const fn whole(text: &'t [u8]) -> Segment<'t> {
        Segment {
            text,
            last: true,
            leader: Leader::EMPTY,
            offset: 0,
            map: const { &OffsetMap::IDENTITY },
            context: OwnedContext::nothing(),
        }
    }

    /// The way from places in the text to raw offsets.
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

/// The beginning of a line that may be repeated on the lines after it (W5).
///
/// ```
/// use urisieve::delimit::{Config, Delimiter};
/// use urisieve::item::{Leader, Segment};
/// // The text begins inside a line of a quoted mail.
/// let leader = Leader { text: b"> ", open: false };
/// let text = Segment { leader, ..Segment::whole(b"<http://a.example/b\n> c>") };
/// let mut delimiter = Delimiter::new(Config::default());
/// delimiter.delimit(&text, 5, 0);
/// assert_eq!(delimiter.found(&text).next().unwrap().text, b"http://a.example/bc");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leader<'t> {
    /// Blanks and leader characters at the start of the line.
    pub text: &'t [u8],
    /// Nothing else has been seen of the line: what follows may lengthen it.
    pub open: bool,
}

impl Leader<'_> {
    /// The leader at the start of a line.
    pub const EMPTY: Leader<'static> = Leader {
        text: b"",
        open: true,
    };

    /// Whether `byte` may be part of a leader: blanks and `> # / * ; % |`.
    ///
    /// ```
    /// use urisieve::item::Leader;
    /// assert!(Leader::holds(b'>') && !Leader::holds(b'-'));
    /// ```
    pub const fn holds(byte: u8) -> bool {
        matches!(
            byte,
            b' ' | b'\t' | b'>' | b'#' | b'/' | b'*' | b';' | b'%' | b'|'
        )
    }
}

/// One URI or one occurrence of it, as it is reported.
///
/// ```
/// use urisieve::engine::Sieve;
/// let sieve = Sieve::builder().originals(true).build();
/// sieve.for_each(b"at HTTP://A.example/", |finding| {
///     assert_eq!(finding.uri, b"http://a.example/");
///     assert_eq!(finding.original, b"HTTP://A.example/");
///     assert_eq!((finding.input, finding.offset, finding.length), (0, 3, 17));
/// })?;
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding<'f> {
    /// The canonical form: the key of its class.
    pub uri: &'f [u8],
    /// As written, after unwrapping.
    pub original: &'f [u8],
    /// Which input holds it: its number, from 0, in the order of the inputs.
    pub input: usize,
    /// Raw bytes from the start of the input to its scheme.
    pub offset: u64,
    /// Raw bytes from the scheme to its end.
    pub length: u64,
    /// Its line and column, where they are counted.
    pub place: Option<Place>,
    /// What was noticed about it.
    pub marks: Marks,
    /// How many occurrences it stands for, where they are counted.
    pub count: Option<u64>,
    /// The other spelling of the same place, in its canonical form, where a hyphen
    /// before a line break gives two (W6 `both`).
    pub alternative: Option<&'f [u8]>,
    /// What the formats around it say of its place. In a record of a web archive the
    /// offset counts from the start of the record's block.
    pub context: Context<'f>,
}

impl<'f> Finding<'f> {
    /// A URI at the start of the first input, written in its canonical form. All else
    /// is nothing, and can be set.
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
            context: Context::default(),
        }
    }
}

/// One way in which a URI is written, and how often.
///
/// ```
/// use std::{io, ops::ControlFlow};
/// use urisieve::engine::{Mode, Sieve, Sink};
/// use urisieve::item::{Finding, Spelling};
/// struct Spellings(Vec<String>);
/// impl Sink for Spellings {
///     fn finding(&mut self, _: &Finding<'_>) -> io::Result<ControlFlow<()>> { Ok(ControlFlow::Continue(())) }
///     fn group(&mut self, _: &Finding<'_>, spellings: &[Spelling<'_>]) -> io::Result<ControlFlow<()>> {
///         let tell = |s: &Spelling| format!("{} {}", s.count, String::from_utf8_lossy(s.text));
///         self.0.extend(spellings.iter().map(tell));
///         Ok(ControlFlow::Continue(()))
///     }
/// }
/// let mut spellings = Spellings(Vec::new());
/// let sieve = Sieve::builder().mode(Mode::Groups).build();
/// sieve.slice(b"urn:a-b:c URN:a-b:c urn:a-b:c", &mut spellings)?;
/// assert_eq!(spellings.0, ["2 urn:a-b:c", "1 URN:a-b:c"]);
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spelling<'f> {
    /// The URI as written, after unwrapping.
    pub text: &'f [u8],
    /// How many occurrences are written so.
    pub count: u64,
    /// The steps that make it equal to the others, where they are asked for; none when
    /// it is the canonical form.
    pub reasons: &'f [Reason],
}

/// A step that makes a spelling equal to others: a rule of normalization.
///
/// ```
/// use urisieve::item::Reason;
/// fn told(reason: &Reason) -> String {
///     format!("{} ({})", reason.name, reason.section)
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reason {
    /// What was done.
    pub name: &'static str,
    /// The document and section that asks for it, or `switch` and the name of the
    /// switch.
    pub section: &'static str,
}

/// A place by line and column, both from 1.
///
/// ```
/// use urisieve::engine::Sieve;
/// let sieve = Sieve::builder().lines(true).build();
/// sieve.for_each(b"first\nsee http://a.example/", |finding| {
///     let place = finding.place.unwrap();
///     assert_eq!((place.line, place.column), (2, 5));
/// })?;
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The line; lines end at a line feed.
    pub line: u64,
    /// Raw bytes from the start of the line, from 1.
    pub column: u64,
}

/// Something that was read but is lost: nothing is lost in silence.
///
/// ```
/// use std::{io, ops::ControlFlow};
/// use urisieve::{delimit::Config, engine::{Sieve, Sink}, item::{Finding, Loss}};
/// struct Losses(Vec<u64>);
/// impl Sink for Losses {
///     fn finding(&mut self, _: &Finding<'_>) -> io::Result<ControlFlow<()>> { Ok(ControlFlow::Continue(())) }
///     fn loss(&mut self, loss: &Loss) { self.0.push(loss.offset) }
/// }
/// let sieve = Sieve::builder().delimit(Config::default().max_length(20)).build();
/// let mut losses = Losses(Vec::new());
/// sieve.slice(b"a http://a.example/too/long b", &mut losses)?;
/// assert_eq!(losses.0, [2]);
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// Which input it is in, as in [`Finding::input`].
    pub input: usize,
    /// Bytes from the start of the input to where it begins: raw bytes of the
    /// text; of the input as it is stored where a container is damaged.
    pub offset: u64,
    /// What is lost.
    pub kind: LossKind,
}

impl Loss {
    /// What is lost of an input, and where.
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

/// What kind of thing is lost.
///
/// ```
/// use urisieve::item::{Loss, LossKind};
/// let tell = |loss: &Loss| match loss.kind {
///     LossKind::TooLong => format!("{}: a URI is too long", loss.offset),
///     _ => format!("{}: something is lost", loss.offset),
/// };
/// let loss = Loss::new(0, 7, LossKind::TooLong);
/// assert_eq!(tell(&loss), "7: a URI is too long");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LossKind {
    /// A candidate longer than allowed (B7).
    TooLong,
    /// A record of a list longer than [`RECORD_MAX`](crate::decode::RECORD_MAX).
    RecordTooLong,
    /// A part of a container cannot be read further; what it gave before was
    /// searched.
    Damaged(Damage),
    /// A part of a container lacks its end; what is there was searched.
    Truncated(Damage),
    /// A part of a container was read whole, but its checksum or its length is
    /// wrong: what it gave was searched, and is suspect.
    Suspect(Damage),
    /// Bytes of a container that belong to none of its parts.
    Garbage(Damage),
    /// A part of a container that is not known how to read.
    Unsupported(Damage),
    /// The input is a container that is not unpacked, and was searched as it is: a
    /// note, not damage. Its offset is 0.
    Unseen(Damage),
}

impl LossKind {
    /// The code that records use.
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

    /// What is known of the damage, where there is any.
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

    /// The same, for what lies in another compression: the text that may be wrong is
    /// no text that is searched.
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
