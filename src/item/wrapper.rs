//! The delimiters around a URI in its text.

/// The delimiters around a URI (rules W1 to W3 and W8), which are not part of it.
///
/// ```
/// use urisieve::delimit::{Config, Delimiter};
/// use urisieve::item::{Segment, Wrapper};
/// let text = Segment::whole(b"(http://a.example/)");
/// let mut delimiter = Delimiter::new(Config::default());
/// delimiter.delimit(&text, 5, 0);
/// assert_eq!(delimiter.found(&text).next().unwrap().marks.wrapper, Wrapper::Paren);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Wrapper {
    /// None: a bare candidate.
    #[default]
    None,
    /// `<...>`
    Angle,
    /// `"..."`
    DoubleQuote,
    /// `'...'`, backticks or a pair of typographic quotes.
    Quote,
    /// `(...)`
    Paren,
    /// `[...]`
    Bracket,
    /// `{...}`
    Brace,
    /// The value of an attribute of markup.
    Attribute,
    /// A subfield of a catalogue record.
    Field,
}

impl Wrapper {
    /// Returns the name that records use.
    ///
    /// ```
    /// use urisieve::item::Wrapper;
    /// assert_eq!((Wrapper::Angle.name(), Wrapper::default().name()), ("angle", "none"));
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Wrapper::None => "none",
            Wrapper::Angle => "angle",
            Wrapper::DoubleQuote => "dquote",
            Wrapper::Quote => "quote",
            Wrapper::Paren => "paren",
            Wrapper::Bracket => "bracket",
            Wrapper::Brace => "brace",
            Wrapper::Attribute => "attr",
            Wrapper::Field => "field",
        }
    }
}
