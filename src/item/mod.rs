//! Which values travel from stage to stage? Plain data without logic of its
//! own: what a stage found, where, and what it noticed about it. How the values
//! are made belongs to the stages, how they are told to `output`.

mod problem;
mod wrapper;

pub use problem::{Problem, Problems};
pub use wrapper::Wrapper;

/// One URI as it stands in the input: where it begins and ends, unfolded and
/// unescaped, not yet canonical.
///
/// `offset` and `length` count raw bytes of the text that was delimited, from
/// its start; the span begins at the scheme and ends before the closer (law L3).
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
}

/// A piece of text to scan, with what is known about its surroundings.
#[derive(Clone, Copy, Debug)]
pub struct Segment<'t> {
    /// The bytes. What a rule looks at on its left is part of them.
    pub text: &'t [u8],
    /// No more text follows: what reaches the end of `text` ends there. When
    /// unset, a candidate that reaches the end is not decided.
    pub last: bool,
    /// The leader (W5) of the line that began before `text`.
    pub leader: Leader<'t>,
}

impl<'t> Segment<'t> {
    /// A text of which nothing is missing before or after.
    pub const fn whole(text: &'t [u8]) -> Segment<'t> {
        Segment {
            text,
            last: true,
            leader: Leader::EMPTY,
        }
    }
}

/// The beginning of a line that may be repeated on the lines after it (W5).
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
}

/// One URI or one occurrence of it, as it is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// What was noticed about it.
    pub marks: Marks,
    /// How many occurrences it stands for, where they are counted.
    pub count: Option<u64>,
}

/// Something that was read but is lost: nothing is lost in silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Which input it is in, as in [`Finding::input`].
    pub input: usize,
    /// Raw bytes from the start of the input to where it begins.
    pub offset: u64,
    /// What is lost.
    pub kind: LossKind,
}

/// What kind of thing is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LossKind {
    /// A candidate longer than allowed (B7).
    TooLong,
}
