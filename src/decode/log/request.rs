//! The request that a line or record states, as it is handed to the engine.

use super::request_line::is_absolute;
use super::url::{LogEscape, write_referer};
use super::value::{HostField, is_nothing};
use crate::item::{Exchange, RequestPart, Timestamp};
use std::ops::Range;

/// The request of a line or record. Ranges are those of the line.
///
/// ```
/// assert_eq!(urisieve::decode::LogRequest::default(), Default::default());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogRequest {
    /// The URL that was asked for, and whether it is [plain](crate::syntax::plain_url).
    pub(crate) url: (Vec<u8>, bool),
    /// The place of the target.
    pub(crate) target: Range<usize>,
    /// The target as written, without the escapes of the format around it; empty where that is
    /// the text of the line.
    pub(crate) written: Vec<u8>,
    /// The URL of the referer, and whether it is plain; of no meaning where its place is empty.
    pub(crate) referer: (Vec<u8>, bool),
    /// The place of the referer.
    pub(crate) referer_at: Range<usize>,
    /// The query and the host where they are fields of their own, which are not searched
    /// (G11). An empty range has no meaning.
    pub(crate) silent: [Range<usize>; 2],
    method: Vec<u8>,
    client: Vec<u8>,
    status: Option<u16>,
    time: Option<Timestamp>,
}

impl LogRequest {
    /// Sets the place of the target and the silent values of a line that is read anew. Nothing
    /// else is stated.
    pub(super) fn begin(&mut self, target: Range<usize>, silent: [Range<usize>; 2]) {
        self.target = target;
        self.silent = silent;
        self.written.clear();
        self.referer_at = 0..0;
        self.method.clear();
        self.client.clear();
        self.status = None;
        self.time = None;
    }

    /// Sets the referer to `text`, if it is absolute, at this place.
    pub(super) fn set_referer(&mut self, text: &[u8], place: Range<usize>, escape: LogEscape) {
        if !is_absolute(text) {
            return;
        }
        self.referer_at = place;
        let (url, is_plain) = &mut self.referer;
        // Many requests in a row have the same one.
        if !*is_plain || url != text {
            url.clear();
            *is_plain = write_referer(text, escape, url);
        }
    }

    /// Sets the parts of the exchange, each as it is written.
    pub(super) fn set_exchange(
        &mut self,
        (method, status, client): (&[u8], &[u8], &[u8]),
        time: Option<Timestamp>,
    ) {
        self.method.extend_from_slice(method);
        self.status = read_status(status);
        self.client.extend_from_slice(client_of(client));
        self.time = time;
    }

    /// The exchange, as far as the line states it.
    pub(crate) fn exchange(&self) -> Exchange<'_> {
        let part = |bytes| Some(bytes).filter(|bytes: &&[u8]| !bytes.is_empty());
        Exchange {
            method: part(&self.method),
            status: self.status,
            time: self.time,
            client: part(&self.client),
        }
    }

    /// The places of the values of the line that are not searched as text, with the part that
    /// each is; `None` where it gives nothing (G11).
    pub(crate) fn values(&self) -> [(&Range<usize>, Option<RequestPart>); 4] {
        let [query, host] = &self.silent;
        [
            (&self.target, Some(RequestPart::Target)),
            (&self.referer_at, Some(RequestPart::Referer)),
            (query, None),
            (host, None),
        ]
    }

    /// Whether one of these values is in this range of the line.
    pub(crate) fn has_value_in(&self, range: Range<usize>) -> bool {
        let mut values = self.values().into_iter();
        values.any(|(value, _)| value.start < range.end && range.start < value.end)
    }

    /// Changes all ranges.
    pub(crate) fn map(&mut self, place: impl Fn(Range<usize>) -> Range<usize>) {
        let [query, host] = &mut self.silent;
        for range in [&mut self.target, &mut self.referer_at, query, host] {
            *range = place(range.clone());
        }
    }
}

/// Reads a status code; `000` states nothing.
fn read_status(text: &[u8]) -> Option<u16> {
    let [a, b, c] = *text else {
        return None;
    };
    let digit = |byte: u8| byte.is_ascii_digit().then(|| u16::from(byte - b'0'));
    let status = digit(a)? * 100 + digit(b)? * 10 + digit(c)?;
    (status > 0).then_some(status)
}

/// Returns the first client of a list, without its port.
fn client_of(text: &[u8]) -> &[u8] {
    let end = memchr::memchr(b',', text).unwrap_or(text.len());
    let first = text[..end].trim_ascii();
    if is_nothing(first) {
        return b"";
    }
    match HostField::of(first) {
        Some(field) => {
            let host = field.host;
            let bare = host.strip_prefix(b"[").unwrap_or(host);
            bare.strip_suffix(b"]").unwrap_or(bare)
        }
        None => first,
    }
}
