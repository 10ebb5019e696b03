//! The values that fields of records should hold.

/// The kind of value that a field of a record should hold.
///
/// ```
/// use urisieve::catalog::check::{ExpectedValue, check};
/// assert_eq!(check("10.1000/182", ExpectedValue::Doi).codes().count(), 0);
/// assert_eq!(check("10.1000/182", ExpectedValue::Uri).codes().next(), Some("missing-scheme"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExpectedValue {
    /// A URI: MARC 856 u, a column of links, 024 with `$2 uri` or `urn`.
    #[default]
    Uri,
    /// The same in a subfield in which blanks around the value are data: ISO 2709,
    /// MARCBreaker text, PICA+.
    Subfield,
    /// An ISBN and perhaps a remark: MARC 020 a.
    Isbn,
    /// An ISSN and perhaps a remark: MARC 022 a.
    Issn,
    /// A DOI with or without a scheme: MARC 024 with `$2 doi`.
    Doi,
    /// A Handle or another identifier that needs no scheme.
    Name,
    /// An identifier with its source before it: `(DE-588)118540238`.
    Authority,
    /// A number that is known to be wrong, or a link that is known to be dead: its name is
    /// not checked.
    Cancelled,
    /// Text for people: MARC 856 x and z.
    Note,
}
