//! The documents that define URNs, and their names.

use std::fmt;
use std::str::FromStr;

/// A document that defines URNs.
///
/// ```
/// use urisieve::syntax::urn::Document;
/// assert_eq!("draft2010".parse(), Ok(Document::Draft2010));
/// assert_eq!(Document::default().name(), "rfc8141");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Document {
    /// RFC 2141, May 1997.
    Rfc2141,
    /// draft-ah-rfc2141bis-urn-00, March 2010.
    Draft2010,
    /// draft-ietf-urnbis-rfc2141bis-urn-14, 2015.
    Draft2015,
    /// RFC 8141, April 2017.
    #[default]
    Rfc8141,
}

impl Document {
    /// The documents from old to new.
    ///
    /// ```
    /// use urisieve::syntax::urn::Document;
    /// assert_eq!(Document::ALL.len(), 4);
    /// ```
    pub const ALL: [Document; 4] = [
        Document::Rfc2141,
        Document::Draft2010,
        Document::Draft2015,
        Document::Rfc8141,
    ];

    /// Returns the name that flags use.
    ///
    /// ```
    /// use urisieve::syntax::urn::Document;
    /// let names = Document::ALL.map(Document::name);
    /// assert_eq!(names, ["rfc2141", "draft2010", "draft2015", "rfc8141"]);
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Document::Rfc2141 => "rfc2141",
            Document::Draft2010 => "draft2010",
            Document::Draft2015 => "draft2015",
            Document::Rfc8141 => "rfc8141",
        }
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Document {
    type Err = UnknownDocument;

    fn from_str(name: &str) -> Result<Document, UnknownDocument> {
        Document::ALL
            .into_iter()
            .find(|document| document.name() == name)
            .ok_or_else(|| UnknownDocument(name.to_owned()))
    }
}

/// The error for an unknown name of a document.
///
/// ```
/// use urisieve::syntax::urn::Document;
/// let error = "rfc1".parse::<Document>().unwrap_err();
/// assert!(error.to_string().starts_with(r#"no document is called "rfc1""#));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDocument(String);

impl fmt::Display for UnknownDocument {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "no document is called {:?}; the documents are", self.0)?;
        Document::ALL
            .iter()
            .try_for_each(|document| write!(f, " {document}"))
    }
}

impl std::error::Error for UnknownDocument {}
