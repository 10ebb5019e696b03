//! The context of a finding: the statements of the formats around it. The types borrow
//! their data; a batch keeps an [`OwnedContext`](super::OwnedContext), and the exchanges of
//! its lines.

use super::{Exchange, Matched, RequestPart, Timestamp, UtcOffset};

/// The statements of the formats around a finding about its place. Fields that do not
/// apply are `None`.
///
/// ```
/// use urisieve::{Sieve, item::Context};
/// let mut contexts = 0;
/// Sieve::builder().build().for_each(b"http://a.example/", |finding| {
///     assert_eq!(finding.context, Context::default());
///     contexts += 1;
/// })?;
/// assert_eq!(contexts, 1);
/// # Ok::<(), urisieve::Error>(())
/// ```
///
/// Contexts are made from the default:
///
/// ```
/// use urisieve::item::Context;
/// let mut context = Context::default();
/// context.header = Some(b"location");
/// assert!(context.header.is_some() && context.warc.is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Context<'c> {
    /// The record of a web archive.
    pub warc: Option<Warc<'c>>,
    /// The name of the member of an archive; offsets then count from the start of the
    /// member.
    pub member: Option<&'c [u8]>,
    /// The name of the header field: of HTTP (RFC 9110 section 5.1) in lower case, of mail as
    /// it is written.
    pub header: Option<&'c [u8]>,
    /// The element and attribute of a link.
    pub link: Option<Link<'c>>,
    /// The part of a mail (RFC 2046), numbered as in RFC 9051 section 6.4.5: `2.1` is the
    /// first part of the second.
    pub part: Option<&'c [u8]>,
    /// The `Message-ID` of the mail (RFC 5322 section 3.6.4), without its angle brackets, at
    /// most 998 bytes.
    pub message_id: Option<&'c [u8]>,
    /// The instant that the `Date` of the mail states (RFC 5322 section 3.6.1).
    pub message_date: Option<Timestamp>,
    /// The value in a JSON text, as a JSON Pointer (RFC 6901).
    pub pointer: Option<&'c [u8]>,
    /// The number of the row of a table, from 1; the header counts.
    pub row: Option<u64>,
    /// The name of the column of a table, or its number where it has no name.
    pub field: Option<&'c [u8]>,
    /// The field of a catalogue record.
    pub marc: Option<Marc<'c>>,
    /// The request that a line of a log states.
    pub request: Option<Request<'c>>,
    /// The entries of lists that match it.
    pub matched: Option<Matched<'c>>,
}

impl Context<'_> {
    /// Whether nothing is known.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        let Context {
            warc: None,
            member: None,
            header: None,
            link: None,
            part: None,
            message_id: None,
            message_date: None,
            pointer: None,
            row: None,
            field: None,
            marc: None,
            request: None,
            matched: None,
        } = self
        else {
            return false;
        };
        true
    }
}

/// The request that a line of a log states, and the part of the line that has the finding.
///
/// ```
/// use urisieve::item::{Request, RequestPart};
/// let mut request = Request::default();
/// request.part = RequestPart::Target;
/// assert!(request.exchange.is_empty());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request<'c> {
    /// The part of the line.
    pub part: RequestPart,
    /// The statements of the line about the exchange.
    pub exchange: Exchange<'c>,
}

/// A record of a web archive. Fields that its header lacks are empty.
///
/// ```
/// use urisieve::{Sieve, input::Source};
/// let archive = b"WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 17\r\n\r\n\
///     http://a.example/\r\n\r\n";
/// Sieve::builder().build().for_each_in([Source::Slice(archive)], |finding| {
///     let warc = finding.context.warc.unwrap();
///     assert_eq!((warc.kind, warc.offset, finding.offset), (&b"resource"[..], 0, 0));
/// })?;
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warc<'c> {
    /// The number of records before it in its input.
    pub number: u64,
    /// The offset of the record in bytes from the start of the stored input; in a
    /// compressed archive, that of the member that contains it.
    pub offset: u64,
    /// `WARC-Record-ID`, without its angle brackets.
    pub record_id: &'c [u8],
    /// `WARC-Type`.
    pub kind: &'c [u8],
    /// `WARC-Date`, or the date of an ARC record.
    pub date: &'c [u8],
    /// `WARC-Target-URI`, or the URL of an ARC record.
    pub target_uri: &'c [u8],
}

impl Warc<'_> {
    /// Returns the time that its date means: by RFC 3339, or 14 digits in ARC. `None` for a
    /// date without a time of day.
    ///
    /// ```
    /// use urisieve::item::Warc;
    /// let mut record = Warc::default();
    /// record.date = b"20200102030405";
    /// assert_eq!(record.time().unwrap().to_string(), "2020-01-02T03:04:05Z");
    /// ```
    pub fn time(&self) -> Option<Timestamp> {
        let date = self.date.trim_ascii();
        let spelled = match date {
            [y @ .., a, b, c, d, e, f, g, h, i, j] if y.len() == 4 => [
                y[0], y[1], y[2], y[3], b'-', *a, *b, b'-', *c, *d, b'T', *e, *f, b':', *g, *h,
                b':', *i, *j,
            ],
            _ => return Timestamp::parse(date, UtcOffset::UTC),
        };
        Timestamp::parse(&spelled, UtcOffset::UTC)
    }
}

/// The position of a link in markup.
///
/// ```
/// use urisieve::item::Link;
/// let mut link = Link::default();
/// link.path = b"A@/href";
/// assert!(link.rel.is_empty());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Link<'c> {
    /// The element in upper case, `@/` and the attribute, as in WAT files.
    pub path: &'c [u8],
    /// The value of its `rel`; empty without one.
    pub rel: &'c [u8],
    /// Whether the page asks that it is not followed: `nofollow`, `ugc` or `sponsored`
    /// on the element, or `nofollow` for the whole page.
    pub nofollow: bool,
}

/// A field of a catalogue record. Fields that the record lacks are empty.
///
/// ```
/// use urisieve::item::Marc;
/// let mut marc = Marc::default();
/// (marc.tag, marc.ind1, marc.ind2, marc.subfield) = (b"856", b"4", b"0", b"u");
/// assert_eq!(marc.record_no, 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Marc<'c> {
    /// The number of the record in its input, from 1.
    pub record_no: u64,
    /// The control number of the record.
    pub record_id: &'c [u8],
    /// The title of the record.
    pub title: &'c [u8],
    /// The tag of the field.
    pub tag: &'c [u8],
    /// The first indicator of the field.
    pub ind1: &'c [u8],
    /// The second indicator of the field.
    pub ind2: &'c [u8],
    /// The code of the subfield.
    pub subfield: &'c [u8],
    /// The number of the field among those of its tag, from 1.
    pub occurrence: u64,
    /// The offset of the record, in bytes from the start of the input.
    pub record_offset: u64,
}
