//! The notes of the decoder of mail: departures from its rules, which are counted, and limits
//! that are exceeded, which are losses.

/// A departure of a mail from its rules, or a limit that it exceeds.
///
/// ```
/// use urisieve::decode::MailNote;
/// assert_eq!(MailNote::Open.loss(), None);
/// assert!(MailNote::Depth.loss().is_some());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MailNote {
    /// A line of a header is not a field (RFC 5322 section 2.2).
    Header,
    /// The boundary of a multipart is missing, or was not found (RFC 2046 section 5.1).
    Boundary,
    /// A multipart has no end (RFC 2046 section 5.1.1).
    Open,
    /// A transfer coding is unknown (RFC 2045 section 6.1).
    Coding,
    /// A part is not read: its type holds no text.
    NotRead,
    /// A multipart or a message is too deep in others.
    Depth,
    /// The characters of a text that are not ASCII are not read.
    Charset,
    /// A field is too long: its rest is not read.
    Field,
}

impl MailNote {
    /// Returns the cause of the loss; `None` for a note that is only counted.
    ///
    /// ```
    /// use urisieve::decode::MailNote;
    /// assert!(MailNote::Field.loss().unwrap().contains("256 KiB"));
    /// ```
    pub const fn loss(self) -> Option<&'static str> {
        match self {
            MailNote::Header
            | MailNote::Boundary
            | MailNote::Open
            | MailNote::Coding
            | MailNote::NotRead => None,
            MailNote::Depth => Some("depth: more than 64 multiparts and messages in each other"),
            MailNote::Charset => Some("charset: the text has characters of one that is not read"),
            MailNote::Field => Some("field: longer than 256 KiB"),
        }
    }
}
