//! Chooses the decoder of a body.

use super::event::Decode;
use super::http::Http;
use super::text::TextDecoder;
use super::wat::Wat;
use crate::item::Part;

/// Returns the decoder of `part`, by its media type and by what contains it. A part of
/// unknown type is decoded as text.
///
/// ```
/// use urisieve::decode::{Event, Output, decoder};
/// use urisieve::item::Part;
/// let mut out = Output::default();
/// decoder(&Part::default()).push(b"text", true, &mut out);
/// assert_eq!(out.events, [Event::Text(4)]);
/// ```
pub fn decoder(part: &Part) -> Box<dyn Decode> {
    let record = part.context.warc.as_ref();
    let is_metadata = record.is_some_and(|r| r.kind.eq_ignore_ascii_case(b"metadata"));
    if is_message(part) {
        return Box::new(Http::new(part.clone(), true));
    }
    if part.is("application/json") && is_metadata {
        return Box::new(Wat::new());
    }
    // Without a media type the beginning of a record decides.
    match part.media_type.is_empty() && record.is_some() {
        true => Box::new(Http::new(part.clone(), false)),
        false => text_decoder(),
    }
}

/// Returns the decoder of text.
///
/// ```
/// use urisieve::decode::{Output, text_decoder};
/// let mut out = Output::default();
/// text_decoder().push(b"\xFF\xFEa\0", true, &mut out);
/// assert_eq!(out.text, b"a");
/// ```
pub fn text_decoder() -> Box<dyn Decode> {
    Box::new(TextDecoder::default())
}

/// Whether `part` may contain parts of its own kind, nested to any depth.
///
/// ```
/// use urisieve::{decode::is_message, item::Part};
/// let part = Part { media_type: b"message/http".to_vec(), ..Part::default() };
/// assert!(is_message(&part) && !is_message(&Part::default()));
/// ```
pub fn is_message(part: &Part) -> bool {
    part.is("application/http") || part.is("message/http")
}
