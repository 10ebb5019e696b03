//! The exchange of HTTP that a line of a log or a record of an archive states: who asked
//! with which method, when, and with which status it was answered.

use super::Timestamp;

/// An exchange, as a line of a log or a record of an archive states it (G14). Parts that it
/// does not state are `None`.
///
/// ```
/// use urisieve::item::Exchange;
/// let mut exchange = Exchange::default();
/// exchange.status = Some(404);
/// assert!(!exchange.is_empty() && exchange.method.is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exchange<'e> {
    /// The method (RFC 9110 section 9), as written.
    pub method: Option<&'e [u8]>,
    /// The status code (RFC 9110 section 15).
    pub status: Option<u16>,
    /// The time of the line or the record.
    pub time: Option<Timestamp>,
    /// The address or the name of the client, without a port: the first of a list.
    pub client: Option<&'e [u8]>,
}

impl Exchange<'_> {
    /// Whether nothing is stated.
    ///
    /// ```
    /// assert!(urisieve::item::Exchange::default().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        *self == Exchange::default()
    }
}

/// The part of a line with a request in which a finding is.
///
/// ```
/// use urisieve::item::RequestPart;
/// assert_eq!(RequestPart::Referer.name(), "referer");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RequestPart {
    /// The request itself: the URL that was asked for (G7).
    Target,
    /// The referer (G11).
    Referer,
    /// All other text of the line.
    #[default]
    Text,
}

impl RequestPart {
    /// Every part.
    pub const ALL: &'static [RequestPart] =
        &[RequestPart::Target, RequestPart::Referer, RequestPart::Text];

    /// Returns the name of the part in records.
    ///
    /// ```
    /// assert_eq!(urisieve::item::RequestPart::Target.name(), "target");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            RequestPart::Target => "target",
            RequestPart::Referer => "referer",
            RequestPart::Text => "text",
        }
    }
}
