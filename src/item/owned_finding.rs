//! Findings that own their data, for those who keep them.

use super::owned::OwnedContext;
use super::{
    Context, Exchange, Finding, LineColumn, Marks, Matched, Request, RequestPart, Timestamp,
};
use super::{Problems, Wrapper};
use crate::syntax::{Kind, Parts};
use std::ops::Range;

/// A finding that owns its data. [`Finding::to_owned`] makes it.
///
/// ```
/// use urisieve::Sieve;
/// let mut kept = Vec::new();
/// Sieve::builder().build().for_each(b"see HTTP://a.example/", |finding| {
///     kept.push(finding.to_owned());
/// })?;
/// assert_eq!((&kept[0].uri[..], kept[0].offset), (&b"http://a.example/"[..], 4));
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnedFinding {
    /// The canonical form.
    pub uri: Vec<u8>,
    /// The spelling as written, where it was asked for; else the canonical form.
    pub original: Vec<u8>,
    /// The number of the input, from 0.
    pub input: usize,
    /// The raw offset in the input, in bytes; see [`Finding::offset`].
    pub offset: u64,
    /// The raw length, in bytes.
    pub length: u64,
    /// The line and the column, where they were asked for.
    pub place: Option<LineColumn>,
    /// The marks of the URI.
    pub marks: Marks,
    /// The number of occurrences, where they are counted.
    pub count: Option<u64>,
    /// The other spelling of a URI with a hyphen before a line break (W6).
    pub alternative: Option<Vec<u8>>,
    /// See [`Finding::gateway`].
    pub gateway: Option<Vec<u8>>,
    /// See [`Finding::nested_in`].
    pub nested_in: Option<Vec<u8>>,
    /// The page of a link.
    pub source: Option<Vec<u8>>,
    /// The time of the first occurrence of a counted class.
    pub first_seen: Option<Timestamp>,
    /// The time of its last occurrence.
    pub last_seen: Option<Timestamp>,
    /// See [`Finding::sources`].
    pub sources: Option<u64>,
    /// The statements of the formats around the finding.
    pub context: OwnedContext,
    /// The request that its line states.
    pub request: Option<OwnedRequest>,
    /// The bytes of the entries of lists that match it, as in [`Matched`].
    pub matched: Option<Vec<u8>>,
}

/// A [`Request`] that owns its data.
///
/// ```
/// use urisieve::item::{OwnedRequest, Request};
/// let owned = OwnedRequest::from(Request::default());
/// assert_eq!(owned.as_request(), Request::default());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnedRequest {
    /// The part of the line that has the finding.
    pub part: RequestPart,
    /// The method of the request.
    pub method: Option<Vec<u8>>,
    /// The status of the response.
    pub status: Option<u16>,
    /// The time of the request.
    pub time: Option<Timestamp>,
    /// The client that sent the request.
    pub client: Option<Vec<u8>>,
}

impl From<Request<'_>> for OwnedRequest {
    fn from(request: Request<'_>) -> OwnedRequest {
        let Exchange {
            method,
            status,
            time,
            client,
        } = request.exchange;
        OwnedRequest {
            part: request.part,
            method: method.map(<[u8]>::to_vec),
            status,
            time,
            client: client.map(<[u8]>::to_vec),
        }
    }
}

impl OwnedRequest {
    /// Returns the request, which borrows its data.
    ///
    /// ```
    /// use urisieve::item::{OwnedRequest, RequestPart};
    /// assert_eq!(OwnedRequest::default().as_request().part, RequestPart::Text);
    /// ```
    pub fn as_request(&self) -> Request<'_> {
        Request {
            part: self.part,
            exchange: Exchange {
                method: self.method.as_deref(),
                status: self.status,
                time: self.time,
                client: self.client.as_deref(),
            },
        }
    }
}

impl OwnedFinding {
    /// Returns the finding, which borrows its data.
    ///
    /// ```
    /// use urisieve::item::Finding;
    /// let finding = Finding::new(b"http://a.example/");
    /// assert_eq!(finding.to_owned().as_finding(), finding);
    /// ```
    pub fn as_finding(&self) -> Finding<'_> {
        Finding {
            uri: &self.uri,
            original: &self.original,
            input: self.input,
            offset: self.offset,
            length: self.length,
            place: self.place,
            marks: self.marks,
            count: self.count,
            alternative: self.alternative.as_deref(),
            gateway: self.gateway.as_deref(),
            nested_in: self.nested_in.as_deref(),
            source: self.source.as_deref(),
            first_seen: self.first_seen,
            last_seen: self.last_seen,
            sources: self.sources,
            context: Context {
                request: self.request.as_ref().map(OwnedRequest::as_request),
                matched: self.matched.as_deref().map(Matched::of),
                ..self.context.as_context()
            },
        }
    }
}

/// The methods of [`Finding`].
impl OwnedFinding {
    /// As [`Finding::start`].
    pub fn start(&self) -> u64 {
        self.as_finding().start()
    }

    /// As [`Finding::end`].
    pub fn end(&self) -> u64 {
        self.as_finding().end()
    }

    /// As [`Finding::range`].
    ///
    /// ```
    /// use urisieve::item::Finding;
    /// let mut kept = Finding::new(b"urn:a-b:c").to_owned();
    /// (kept.offset, kept.length) = (4, 9);
    /// assert_eq!((kept.range(), kept.uri_str()), (4..13, Some("urn:a-b:c")));
    /// ```
    pub fn range(&self) -> Range<u64> {
        self.as_finding().range()
    }

    /// As [`Finding::uri_str`].
    pub fn uri_str(&self) -> Option<&str> {
        self.as_finding().uri_str()
    }

    /// As [`Finding::parts`].
    pub fn parts(&self) -> Parts<'_> {
        self.as_finding().parts()
    }

    /// As [`Finding::kind`].
    pub fn kind(&self) -> Kind {
        self.as_finding().kind()
    }

    /// As [`Finding::wrapper`].
    pub fn wrapper(&self) -> Wrapper {
        self.marks.wrapper
    }

    /// As [`Finding::problems`].
    pub fn problems(&self) -> Problems {
        self.marks.problems
    }
}

impl Finding<'_> {
    /// Returns a finding that owns its data, and can be kept.
    ///
    /// ```
    /// use urisieve::item::Finding;
    /// let kept = Finding::new(b"http://a.example/").to_owned();
    /// assert_eq!(kept.uri, b"http://a.example/");
    /// ```
    pub fn to_owned(&self) -> OwnedFinding {
        OwnedFinding::from(*self)
    }
}

impl From<Finding<'_>> for OwnedFinding {
    fn from(finding: Finding<'_>) -> OwnedFinding {
        OwnedFinding {
            uri: finding.uri.to_vec(),
            original: finding.original.to_vec(),
            input: finding.input,
            offset: finding.offset,
            length: finding.length,
            place: finding.place,
            marks: finding.marks,
            count: finding.count,
            alternative: finding.alternative.map(<[u8]>::to_vec),
            gateway: finding.gateway.map(<[u8]>::to_vec),
            nested_in: finding.nested_in.map(<[u8]>::to_vec),
            source: finding.source.map(<[u8]>::to_vec),
            first_seen: finding.first_seen,
            last_seen: finding.last_seen,
            sources: finding.sources,
            context: finding.context.into(),
            request: finding.context.request.map(OwnedRequest::from),
            matched: finding
                .context
                .matched
                .map(|matched| matched.bytes().to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Link, Marc, UtcOffset, Warc};
    use super::*;

    #[test]
    fn nothing_is_lost() {
        let time = Timestamp::parse(b"2030-01-02T03:04:05Z", UtcOffset::UTC);
        let finding = Finding {
            original: b"HTTP://a/",
            input: 1,
            offset: 2,
            length: 3,
            place: Some(LineColumn { line: 4, column: 5 }),
            count: Some(6),
            alternative: Some(b"http://b/"),
            gateway: Some(b"slack"),
            nested_in: Some(b"http://b/"),
            source: Some(b"http://c/"),
            first_seen: time,
            last_seen: time,
            sources: Some(2),
            context: Context {
                warc: Some(Warc {
                    number: 7,
                    target_uri: b"http://d/",
                    ..Warc::default()
                }),
                member: Some(b"e"),
                header: Some(b"f"),
                link: Some(Link {
                    path: b"g",
                    rel: b"h",
                    nofollow: true,
                }),
                part: Some(b"i"),
                message_id: Some(b"a@b"),
                message_date: Timestamp::since_1970(7, 0),
                pointer: Some(b"j"),
                row: Some(3),
                field: Some(b"l"),
                marc: Some(Marc {
                    record_no: 8,
                    title: b"k",
                    ..Marc::default()
                }),
                request: Some(Request {
                    part: RequestPart::Referer,
                    exchange: Exchange {
                        method: Some(b"GET"),
                        status: Some(200),
                        time,
                        client: Some(b"l"),
                    },
                }),
                matched: Some(Matched::of(b"m")),
            },
            ..Finding::new(b"http://a/")
        };
        assert_eq!(finding.to_owned().as_finding(), finding);
    }
}
