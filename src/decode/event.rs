//! What a decoder says of the bytes that are pushed into it.

use crate::item::{Encoding, Part, Wrapper};
use std::fmt::Debug;

/// What the next bytes of a body are. The lengths of all events together are the
/// bytes that were read.
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
    /// So many bytes are the format's own: nothing is looked for in them.
    Skipped(usize),
    /// So many bytes are text to scan. It goes on from text directly before it.
    Text(usize),
    /// So many bytes became text to scan, the next of [`Output::text`]. It goes on from
    /// text directly before it.
    Decoded {
        /// The number of bytes that were read.
        raw: usize,
        /// The length of the text.
        len: usize,
        /// How it leads back to the raw bytes.
        encoding: Encoding,
    },
    /// Bytes that are one URI reference.
    Reference(Delimited),
    /// A body begins that lies in this one.
    Part(Part),
    /// So many bytes are of that body.
    Body(usize),
    /// That body is over.
    PartEnd,
    /// Something is wrong with the format, and what was read may be wrong.
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
    /// Its length in bytes.
    pub len: usize,
    /// The wrapper that the text shows.
    pub wrapper: Wrapper,
    /// The header field that it is the value of, in lower case.
    pub header: Option<&'static str>,
}

/// What a decoder gives. It is used again and again.
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
    /// What the bytes are, in their order.
    pub events: Vec<Event>,
    /// The texts of [`Event::Decoded`], one after the other.
    pub text: Vec<u8>,
}

impl Output {
    /// Forgets what was given.
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

/// Decodes one body, in pieces of any size: the same bytes give the same events,
/// but that a text, a body or what is skipped may come in several.
///
/// ```
/// use urisieve::decode::{Decode, Output, decoder};
/// use urisieve::item::Part;
/// let part = Part { media_type: b"message/http".to_vec(), ..Part::default() };
/// let mut http = decoder(&part);
/// // Not before the head is whole.
/// assert_eq!(http.push(b"HTTP/1.1 200 OK\r\n", false, &mut Output::default()), 0);
/// ```
pub trait Decode: Debug + Send {
    /// Reads from `bytes`, which nothing follows when they are the `last`, and adds what
    /// they are to `out`. Gives how many were read; the others are to be pushed
    /// again, with more. All of the last ones are read.
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize;
}
