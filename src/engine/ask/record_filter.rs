//! Which records of web archives are read: by their type, by the status of their HTTP
//! response, by the media type of their content.

use super::uri_selection::UnusableName;
use crate::decode::is_message;
use crate::item::{MediaRanges, Part};
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Selects records of web archives; the others are not read, and [`Stats::filtered`]
/// counts them. Inputs that are no web archives are read. Without a condition every
/// record is.
///
/// [`Stats::filtered`]: crate::engine::Stats::filtered
///
/// ```
/// use urisieve::{RecordFilter, Sieve, input::Source};
/// let archive = b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 17\r\n\r\n\
///     http://a.example/\r\n\r\n";
/// let filter = RecordFilter::new().kind("response").kind("revisit");
/// let stats = Sieve::builder().records(filter).build().for_each_in([Source::Slice(archive)], |_| {})?;
/// assert_eq!((stats.distinct, stats.filtered), (0, 1));
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordFilter {
    kinds: Vec<String>,
    statuses: Vec<RangeInclusive<u16>>,
    media_types: MediaRanges,
}

/// Whether a record is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum RecordVerdict {
    Read,
    Filtered,
    /// The head of its HTTP message decides.
    Open,
}

impl RecordVerdict {
    fn of(reads: bool) -> RecordVerdict {
        match reads {
            true => RecordVerdict::Read,
            false => RecordVerdict::Filtered,
        }
    }
}

/// Status codes of HTTP (RFC 9110 section 15): `404`, or `4xx` for all of a class.
///
/// ```
/// use urisieve::StatusCodes;
/// assert_eq!("4xx".parse(), Ok(StatusCodes(400..=499)));
/// assert!("4x".parse::<StatusCodes>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusCodes(pub RangeInclusive<u16>);

impl FromStr for StatusCodes {
    type Err = UnusableName;

    fn from_str(text: &str) -> Result<StatusCodes, UnusableName> {
        let wrong = || UnusableName::new(text, "not a status code; write a code like 404, or 4xx");
        let codes = match text.trim().as_bytes() {
            [first @ b'1'..=b'9', b'x' | b'X', b'x' | b'X'] => {
                let class = 100 * u16::from(first - b'0');
                Some(class..=class + 99)
            }
            [b'1'..=b'9', rest @ ..] if rest.len() == 2 && rest.iter().all(u8::is_ascii_digit) => {
                text.trim().parse().ok().map(|code| code..=code)
            }
            _ => None,
        };
        codes.map(StatusCodes).ok_or_else(wrong)
    }
}

/// A media type, or all of a type: `text/html`, `text/*` (RFC 9110 section 12.5.1), in lower
/// case and without parameters.
///
/// ```
/// use urisieve::MediaRange;
/// assert_eq!("Text/*".parse(), Ok(MediaRange("text/*".to_owned())));
/// assert!("html".parse::<MediaRange>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaRange(pub String);

impl FromStr for MediaRange {
    type Err = UnusableName;

    fn from_str(text: &str) -> Result<MediaRange, UnusableName> {
        let is_token = |part: &str| {
            let is_char = |byte: u8| byte.is_ascii_graphic() && !b"/;,*".contains(&byte);
            !part.is_empty() && part.bytes().all(is_char)
        };
        match text.trim().split_once('/') {
            Some((first, second)) if is_token(first) && (second == "*" || is_token(second)) => {
                Ok(MediaRange(text.trim().to_ascii_lowercase()))
            }
            _ => {
                let why =
                    "not a media type; write a name like text/html or text/*, without parameters";
                Err(UnusableName::new(text, why))
            }
        }
    }
}

impl RecordFilter {
    /// Creates a filter that selects every record.
    ///
    /// ```
    /// use urisieve::RecordFilter;
    /// assert_eq!(RecordFilter::new(), RecordFilter::default());
    /// ```
    pub fn new() -> RecordFilter {
        RecordFilter::default()
    }

    /// Selects records of this `WARC-Type`, and of others that are added. Records of ARC
    /// are responses.
    ///
    /// ```
    /// use urisieve::RecordFilter;
    /// assert_ne!(RecordFilter::new().kind("response"), RecordFilter::new());
    /// ```
    pub fn kind(mut self, kind: impl Into<String>) -> RecordFilter {
        self.kinds.push(kind.into());
        self
    }

    /// Selects HTTP responses with one of these status codes (RFC 9110 section 15), and
    /// others that are added. Other records are left out then.
    ///
    /// ```
    /// use urisieve::{RecordFilter, Sieve, input::Source};
    /// let archive = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 41\r\n\r\n\
    ///     HTTP/1.1 404 Not\r\nLocation: http://a/\r\n\r\n\r\n\r\n";
    /// for (statuses, found) in [(200..=299, 0), (400..=499, 1)] {
    ///     let sieve = Sieve::builder().records(RecordFilter::new().statuses(statuses));
    ///     assert_eq!(sieve.build().for_each_in([Source::Slice(archive)], |_| {})?.distinct, found);
    /// }
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn statuses(mut self, statuses: RangeInclusive<u16>) -> RecordFilter {
        self.statuses.push(statuses);
        self
    }

    /// Selects records of this media type, such as `text/html` or `text/*`, and of others
    /// that are added. It is that of `WARC-Identified-Payload-Type`, otherwise that of
    /// the content by its `Content-Type`; parameters do not count. Parts of mail of these types
    /// are read even if they usually hold no text, such as images.
    ///
    /// ```
    /// use urisieve::RecordFilter;
    /// let filter = RecordFilter::new().media_type("text/html").media_type("image/*");
    /// # drop(filter);
    /// ```
    pub fn media_type(mut self, media_type: impl Into<String>) -> RecordFilter {
        self.media_types = self.media_types.with(media_type);
        self
    }

    /// Judges a record at its beginning.
    pub(in crate::engine) fn begin(&self, part: &Part) -> RecordVerdict {
        let Some(record) = &part.context.warc else {
            return RecordVerdict::Read;
        };
        let is_kind = |kind: &String| record.kind.eq_ignore_ascii_case(kind.as_bytes());
        if !(self.kinds.is_empty() || self.kinds.iter().any(is_kind)) {
            return RecordVerdict::Filtered;
        }
        if !part.identified.is_empty() && !self.has_type(&part.identified) {
            return RecordVerdict::Filtered;
        }
        let has_head = is_message(part) || part.media_type.is_empty();
        match has_head && !(self.statuses.is_empty() && self.media_types.is_empty()) {
            true => RecordVerdict::Open,
            false => RecordVerdict::of(self.judge(part, None)),
        }
    }

    /// Judges the record `part` by its HTTP `message`, if it has one.
    pub(in crate::engine) fn decide(&self, part: &Part, message: Option<&Part>) -> RecordVerdict {
        RecordVerdict::of(self.judge(part, message))
    }

    fn judge(&self, part: &Part, message: Option<&Part>) -> bool {
        let status = message.and_then(|message| message.status);
        let has_status = |range: &RangeInclusive<u16>| status.is_some_and(|s| range.contains(&s));
        let media_type = match part.identified.is_empty() {
            true => &message.unwrap_or(part).media_type,
            false => &part.identified,
        };
        (self.statuses.is_empty() || self.statuses.iter().any(has_status))
            && self.has_type(media_type)
    }

    fn has_type(&self, media_type: &[u8]) -> bool {
        self.media_types.is_empty() || self.media_types.has(media_type)
    }

    /// The media types of its conditions.
    pub(in crate::engine) fn media_types(&self) -> &MediaRanges {
        &self.media_types
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Builder, Mode, Pairs, Sieve};
    use crate::input::Source;
    use proptest::prelude::*;

    /// Returns a record with these fields in its header, and this block.
    fn record(fields: &str, block: &str) -> String {
        let length = block.len();
        format!("WARC/1.0\r\n{fields}Content-Length: {length}\r\n\r\n{block}\r\n\r\n")
    }

    fn response(number: u16, status: &str, media_type: &str) -> String {
        let head =
            format!("HTTP/1.1 {status}\r\nLocation: http://head{number}/\r\n{media_type}\r\n");
        record(
            "WARC-Type: response\r\nContent-Type: application/http;msgtype=response\r\n",
            &format!("{head}http://body{number}/"),
        )
    }

    fn archive() -> String {
        [
            response(1, "200 OK", "Content-Type: text/html; charset=utf-8\r\n"),
            response(2, "404", "Content-Type: TEXT/Plain\r\n"),
            response(3, "301 Moved", ""),
            record(
                "WARC-Type: request\r\nContent-Type: application/http\r\n",
                "GET / HTTP/1.1\r\n\r\nhttp://body4/",
            ),
            record(
                "WARC-Type: conversion\r\nContent-Type: text/plain\r\n",
                "http://body5/",
            ),
            record(
                "WARC-Type: resource\r\nContent-Type: text/plain\r\n\
                 WARC-Identified-Payload-Type: image/svg+xml\r\n",
                "http://body6/",
            ),
            // Without a type, the beginning decides whether it is a message.
            record("WARC-Type: resource\r\n", "http://body7/"),
            record(
                "WARC-Type: response\r\n",
                "HTTP/1.0 204 No\r\nContent-Type: text/html\r\n\r\nhttp://body8/",
            ),
        ]
        .concat()
    }

    fn found(sieve: Builder<Sieve>, text: &str) -> (String, u64) {
        let mut found = String::new();
        let source = Source::Slice(text.as_bytes());
        let stats = sieve.build().for_each_in([source], |finding| {
            let uri = String::from_utf8_lossy(finding.uri);
            found += uri.trim_start_matches("http://").trim_end_matches('/');
            found.push(' ');
        });
        (found, stats.unwrap().filtered)
    }

    #[test]
    fn status_codes() {
        for (code, wanted) in [
            ("404", Some(404..=404)),
            ("2xx", Some(200..=299)),
            ("5XX", Some(500..=599)),
            ("2x", None),
            ("20x", None),
            ("2000", None),
            ("0xx", None),
            ("+20", None),
            ("", None),
        ] {
            let codes = code.parse().ok().map(|StatusCodes(codes)| codes);
            assert_eq!(codes, wanted, "{code}");
        }
    }

    #[test]
    fn media_ranges() {
        for name in ["text/html", "Text/*", "image/svg+xml"] {
            assert_eq!(name.parse(), Ok(MediaRange(name.to_ascii_lowercase())));
        }
        for wrong in [
            "",
            "html",
            "*/*",
            "text/",
            "/html",
            "text/html;a=b",
            "a/b/c",
        ] {
            assert!(wrong.parse::<MediaRange>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn records_that_are_read() {
        let filter = RecordFilter::new;
        for (filter, wanted, filtered) in [
            (
                filter(),
                "head1 body1 head2 body2 head3 body3 body4 body5 body6 body7 body8 ",
                0,
            ),
            (
                filter().kind("RESPONSE"),
                "head1 body1 head2 body2 head3 body3 body8 ",
                4,
            ),
            (
                filter().kind("request").kind("resource"),
                "body4 body6 body7 ",
                5,
            ),
            (filter().statuses(200..=299), "head1 body1 body8 ", 6),
            (
                filter().statuses(404..=404).statuses(301..=301),
                "head2 body2 head3 body3 ",
                6,
            ),
            (filter().media_type("text/html"), "head1 body1 body8 ", 6),
            (
                filter().media_type("text/*"),
                "head1 body1 head2 body2 body5 body8 ",
                4,
            ),
            (filter().media_type("image/svg+xml"), "body6 ", 7),
            (
                filter().media_type("text/html").statuses(200..=200),
                "head1 body1 ",
                7,
            ),
            (filter().media_type("text/html").kind("revisit"), "", 8),
        ] {
            let sieve = Sieve::builder().records(filter.clone());
            assert_eq!(
                found(sieve, &archive()),
                (wanted.to_owned(), filtered),
                "{filter:?}"
            );
        }
        let text = Sieve::builder().records(filter().kind("response"));
        assert_eq!(found(text, "http://a/"), ("a ".to_owned(), 0));
    }

    #[test]
    fn filtered_records_are_no_pages() {
        let text = record(
            "WARC-Type: response\r\nWARC-Target-URI: http://a/\r\n",
            "HTTP/1.1 404\r\n\r\n",
        );
        let node = |uri: &[u8], key: &mut Vec<u8>| {
            key.extend_from_slice(uri);
            true
        };
        for (statuses, rows) in [(200..=299, ""), (400..=499, "a ")] {
            let sieve = Sieve::builder().links(Pairs::new().nodes(node));
            let sieve = sieve.records(RecordFilter::new().statuses(statuses));
            assert_eq!(found(sieve, &text).0, rows);
        }
    }

    proptest! {
        #[test]
        fn blocks_change_nothing(block_size in 1usize..400, threads in 1usize..3) {
            for filter in [
                RecordFilter::new().statuses(200..=399),
                RecordFilter::new().media_type("text/*"),
            ] {
                let sieve = || Sieve::builder().mode(Mode::All).records(filter.clone());
                let cut = sieve().block_size(block_size).threads(threads);
                prop_assert_eq!(found(cut, &archive()), found(sieve(), &archive()));
            }
        }
    }
}
