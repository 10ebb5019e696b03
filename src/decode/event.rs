//! The events by which a decoder describes the bytes that are pushed into it.

use crate::item::{Encoding, Part, Wrapper};
use std::fmt::Debug;

/// Describes the next bytes of a body. The lengths of all events add up to the bytes
/// that were read.
///
/// ```
/// use urisieve::decode::{Event, Output, decoder};
/// use urisieve::item::Part;
/// let mut out = Output::default();
/// let part = Part { media_type: b"application/http".to_vec(), ..Part::default() };
/// let mut http = decoder(&part);
/// let message = b"HTTP/1.1 301\r\nLocation: /b\r\n\r\nmoved";
/// assert_eq!(http.push(message, true, &mut out), message.len());
/// let is_reference = |event: &Event| matches!(event, Event::Reference(r) if r.len == 2);
/// assert!(out.events.iter().any(is_reference));
/// assert!(out.events.contains(&Event::Body(5)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// This many bytes belong to the format: they are not searched.
    Skipped(usize),
    /// This many bytes are text to scan. It continues the text directly before it.
    Text(usize),
    /// This many bytes were decoded to text to scan, the next of [`Output::text`]. It
    /// continues the text directly before it.
    Decoded {
        /// The number of bytes that were read.
        raw: usize,
        /// The length of the text.
        len: usize,
        /// The relation of the text to the raw bytes.
        encoding: Encoding,
    },
    /// Bytes that are one URI reference.
    Reference(Delimited),
    /// A body begins inside this one.
    Part(Part),
    /// This many bytes belong to the inner body.
    Body(usize),
    /// The inner body ends.
    PartEnd,
    /// The format is violated, and what was decoded may be wrong.
    Suspect(&'static str),
}

/// A URI reference that its format delimits.
///
/// ```
/// use urisieve::{decode::Delimited, item::Wrapper};
/// let target = Delimited { len: 5, wrapper: Wrapper::Angle, header: Some("link") };
/// assert_eq!(target.len, 5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delimited {
    /// The length in bytes.
    pub len: usize,
    /// The wrapper in the text.
    pub wrapper: Wrapper,
    /// The header field that contains it, in lower case.
    pub header: Option<&'static str>,
}

/// The output of a decoder, a buffer that is reused.
///
/// ```
/// use urisieve::decode::{Event, Output, decoder};
/// use urisieve::item::{Encoding, Part};
/// let mut out = Output::default();
/// decoder(&Part::default()).push(b"\xFF\xFEh\0i\0", true, &mut out);
/// let text = Event::Decoded { raw: 4, len: 2, encoding: Encoding::Utf16 };
/// assert_eq!((&out.events[..], &out.text[..]), (&[Event::Skipped(2), text][..], &b"hi"[..]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The events, in the order of the bytes.
    pub events: Vec<Event>,
    /// The texts of [`Event::Decoded`], one after the other.
    pub text: Vec<u8>,
}

impl Output {
    /// Removes all events and texts.
    ///
    /// ```
    /// let mut out = urisieve::decode::Output::default();
    /// out.text.push(b'a');
    /// out.clear();
    /// assert!(out.text.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.events.clear();
        self.text.clear();
    }
}

/// Decodes one body in pieces of any size. The same bytes yield the same events, except
/// that a text, a body or skipped bytes may be split into several events.
///
/// ```
/// use urisieve::decode::{Decode, Output, decoder};
/// use urisieve::item::Part;
/// let part = Part { media_type: b"message/http".to_vec(), ..Part::default() };
/// let mut http = decoder(&part);
/// // Nothing is decoded before the head is complete.
/// assert_eq!(http.push(b"HTTP/1.1 200 OK\r\n", false, &mut Output::default()), 0);
/// ```
pub trait Decode: Debug + Send {
    /// Reads from `bytes` and appends events to `out`; `last` says that nothing follows
    /// `bytes`. Returns how many bytes were read. The others must be pushed again,
    /// together with further bytes. When `last` is set, all bytes are read.
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize;
}
