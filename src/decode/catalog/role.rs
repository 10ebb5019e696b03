//! The kinds of values that subfields and columns hold.

/// The kind of value that a subfield holds.
///
/// ```
/// use urisieve::decode::FieldRole;
/// assert_eq!(FieldRole::Isbn.name(), "isbn");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldRole {
    /// A URI.
    Uri,
    /// A URI that no longer works.
    DeadUri,
    /// A URI or other text: only a value that is a URI as a whole counts.
    MaybeUri,
    /// A number of the kind that the field states: 024 and its like.
    Number,
    /// An ISBN.
    Isbn,
    /// An ISBN that is cancelled or wrong; its check digit is not checked.
    WrongIsbn,
    /// An ISSN.
    Issn,
    /// An ISSN that is cancelled or wrong; its check digit is not checked.
    WrongIssn,
    /// An ISBN or an ISSN, by its digits.
    BookOrSerial,
    /// A URN without a scheme, or with one.
    Urn,
    /// A DOI.
    Doi,
    /// A Handle.
    Handle,
    /// A public note.
    Note,
    /// Another text that may have addresses in it.
    Text,
    /// The text of a link.
    LinkText,
    /// The materials that a link is for.
    Materials,
}

impl FieldRole {
    /// The name of the role.
    ///
    /// ```
    /// assert_eq!(urisieve::decode::FieldRole::LinkText.name(), "link_text");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            FieldRole::Uri => "uri",
            FieldRole::DeadUri => "dead uri",
            FieldRole::MaybeUri => "uri if it is one as a whole",
            FieldRole::Number => "number",
            FieldRole::Isbn => "isbn",
            FieldRole::WrongIsbn => "wrong isbn",
            FieldRole::Issn => "issn",
            FieldRole::WrongIssn => "wrong issn",
            FieldRole::BookOrSerial => "isbn or issn",
            FieldRole::Urn => "urn",
            FieldRole::Doi => "doi",
            FieldRole::Handle => "handle",
            FieldRole::Note => "note",
            FieldRole::Text => "text",
            FieldRole::LinkText => "link_text",
            FieldRole::Materials => "materials",
        }
    }

    /// Whether the value identifies something.
    ///
    /// ```
    /// use urisieve::decode::FieldRole;
    /// assert!(FieldRole::Doi.is_identifier() && !FieldRole::Note.is_identifier());
    /// ```
    pub const fn is_identifier(self) -> bool {
        !matches!(
            self,
            FieldRole::Note | FieldRole::Text | FieldRole::LinkText | FieldRole::Materials
        )
    }
}
