//! HTML: finds the references and texts of a page, token by token, and states the base
//! and the position of each. The references in a value are found by one algorithm for
//! each kind of value. Resolving is left to the engine.

mod attribute;
mod page;
mod positions;
mod source;
mod tag;
mod texts;
mod values;
mod writer;

pub(super) use attribute::AttributeKind;
pub(super) use page::{Html, PageReader};
pub(super) use positions::AttributePosition;
#[cfg(feature = "marc")]
pub(in crate::decode) use source::TextMaker;
pub(super) use tag::TagBytes;
pub(super) use values::{Surroundings, ValuePosition, ValueReading, ValueWriter};

use super::document::MarkupDocument;
use crate::decode::content_reading::ContentReading;
use crate::decode::event::Decode;
use crate::item::Part;

/// Returns the decoder of `part`, a page of HTML in any encoding. `reading` states which
/// of its texts are wanted beside its links.
///
/// ```
/// use urisieve::decode::{ContentReading, Event, Mentions, Output, html_decoder};
/// use urisieve::item::Part;
/// let part = Part { media_type: b"text/html; charset=utf-8".to_vec(), ..Part::default() };
/// let mut out = Output::default();
/// let mut reading = ContentReading::default();
/// reading.mentions = Mentions::None;
/// html_decoder(&part, &reading).push(b"<a href=/b>", true, &mut out);
/// let values = out.events.iter().filter_map(|event| match event {
///     Event::Value(value) => Some((value.raw, &value.link.as_ref()?.path[..])),
///     _ => None,
/// });
/// assert!(values.eq([(2, &b"A@/href"[..])]));
/// ```
pub fn html_decoder(part: &Part, reading: &ContentReading) -> Box<dyn Decode> {
    let around = Surroundings::of(reading);
    Box::new(MarkupDocument::new(part, Html::new(around, 0)))
}

#[cfg(test)]
mod tests;
