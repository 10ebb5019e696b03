//! Which decoder reads a body.

use super::event::Decode;
use super::http::Http;
use super::wat::Wat;
use crate::item::Part;

/// What decodes `part`, by its media type and by what holds it; `None` for text.
///
/// ```
/// use urisieve::{decode::decoder, item::Part};
/// let of = |media_type: &[u8]| Part { media_type: media_type.to_vec(), ..Part::default() };
/// assert!(decoder(&of(b"application/http; msgtype=response")).is_some());
/// assert!(decoder(&of(b"text/plain")).is_none());
/// ```
pub fn decoder(part: &Part) -> Option<Box<dyn Decode>> {
    let record = part.context.warc.as_ref();
    let is_metadata = record.is_some_and(|r| r.kind.eq_ignore_ascii_case(b"metadata"));
    if part.is("application/http") || part.is("message/http") {
        return Some(Box::new(Http::new(part.clone(), true)));
    }
    if part.is("application/json") && is_metadata {
        return Some(Box::new(Wat::new()));
    }
    // Who says nothing of a record lets its beginning say it.
    let is_open = part.media_type.is_empty() && record.is_some();
    is_open.then(|| Box::new(Http::new(part.clone(), false)) as Box<dyn Decode>)
}
