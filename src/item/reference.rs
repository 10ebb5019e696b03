//! A URI reference that its format delimits: an attribute of markup, a header field, a
//! JSON string that is one URI. Plain data; `delimit` applies rule F1, the engine
//! chooses the base.

use super::{OwnedContext, Wrapper};

/// A URI reference (RFC 3986 section 4.1) that its format delimits; it is neither
/// scanned nor delimited.
///
/// ```
/// use urisieve::item::{Reference, Schemes, Span, Wrapper};
/// // The value of `href` in `<a href="../b">`.
/// let mut reference = Reference::new(b"../b", Span { offset: 9, length: 4 });
/// reference.base = Some(b"http://a.example/x/y");
/// assert_eq!((reference.schemes, reference.wrapper), (Schemes::Any, Wrapper::None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reference<'t> {
    /// The text between the delimiters of the format, with escapes decoded.
    pub text: &'t [u8],
    /// The range in the input, with escapes.
    pub span: Span,
    /// The wrapper in the text: `<...>` in a `Link` header, none in an attribute.
    pub wrapper: Wrapper,
    /// The schemes that are accepted.
    pub schemes: Schemes,
    /// The base of a relative reference (RFC 3986 section 5.1).
    pub base: Option<&'t [u8]>,
    /// The encoding of the document that contains it.
    pub charset: Charset,
    /// The context of the reference.
    pub context: &'t OwnedContext,
}

impl<'t> Reference<'t> {
    /// Creates a reference of any scheme, without wrapper and base, in a UTF-8
    /// document.
    ///
    /// ```
    /// use urisieve::item::{Charset, Reference, Span};
    /// let reference = Reference::new(b"/a", Span { offset: 7, length: 2 });
    /// assert_eq!((reference.base, reference.charset), (None, Charset::UTF_8));
    /// ```
    pub const fn new(text: &'t [u8], span: Span) -> Reference<'t> {
        Reference {
            text,
            span,
            wrapper: Wrapper::None,
            schemes: Schemes::Any,
            base: None,
            charset: Charset::UTF_8,
            context: OwnedContext::nothing(),
        }
    }
}

/// A range of the input.
///
/// ```
/// use urisieve::item::Span;
/// let span = Span { offset: 10, length: 5 };
/// assert_eq!(span.offset + span.length, 15);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Raw bytes from the start of the input to the first byte.
    pub offset: u64,
    /// Raw bytes.
    pub length: u64,
}

/// The schemes by which a [`Reference`] is a URI (F1).
///
/// ```
/// use urisieve::delimit::{Cleaning, Config, Delimiter, Refusal};
/// use urisieve::item::Schemes;
/// let delimiter = Delimiter::new(Config::default());
/// let mut cleaning = Cleaning::default();
/// assert!(delimiter.reference(b"skype:joe", Schemes::Any, &mut cleaning).is_ok());
/// let refused = delimiter.reference(b"title: a", Schemes::Known, &mut cleaning);
/// assert_eq!(refused, Err(Refusal::Text));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Schemes {
    /// Any scheme by S1, and relative references: attributes that hold URLs,
    /// header fields, subfields for URIs.
    #[default]
    Any,
    /// S2 or S3 must accept the whole value, otherwise it is text: JSON strings in markup, other
    /// attributes and fields.
    Known,
    /// The same for a value of data, which may have a quotation mark inside; a list of URIs is
    /// text, and so is what has U+FFFD.
    Value,
}

/// The encoding of a document. The URL Standard encodes the query of a relative
/// reference in it.
///
/// ```
/// use urisieve::item::Charset;
/// assert_eq!(Charset::default(), Charset::UTF_8);
/// assert_eq!(Charset::named("windows-1252").name(), "windows-1252");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Charset(&'static str);

impl Charset {
    /// UTF-8. Documents in UTF-16 also have queries in UTF-8.
    pub const UTF_8: Charset = Charset("UTF-8");

    /// Returns the encoding with this name in the Encoding Standard (section 4.2).
    ///
    /// ```
    /// use urisieve::item::Charset;
    /// assert_eq!(Charset::named("UTF-8"), Charset::UTF_8);
    /// ```
    pub const fn named(name: &'static str) -> Charset {
        Charset(name)
    }

    /// Returns the name of the encoding in the Encoding Standard.
    ///
    /// ```
    /// assert_eq!(urisieve::item::Charset::UTF_8.name(), "UTF-8");
    /// ```
    pub const fn name(self) -> &'static str {
        self.0
    }
}

impl Default for Charset {
    fn default() -> Charset {
        Charset::UTF_8
    }
}
