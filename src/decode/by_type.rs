//! Chooses the decoder of a body.

use super::event::Decode;
use super::http::Http;
use super::text::TextDecoder;
use super::utf16::Beginning;
use super::wat::Wat;
use crate::item::Part;

/// Which inputs are read as markup.
///
/// ```
/// use urisieve::{decode::Markup, engine::{Mode, Sieve}};
/// let page = br#"<!doctype html><p title="&#x3A;">http:&#47;/a.example/</p>"#;
/// for (markup, found) in [(Markup::Auto, 1), (Markup::Off, 0)] {
///     let sieve = Sieve::builder().markup(markup).build();
///     assert_eq!(sieve.for_each(page, |_| {})?.distinct, found);
/// }
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Markup {
    /// Those that begin like HTML or XML, and the records of archives that state such a
    /// media type or whose first bytes show one.
    #[default]
    Auto,
    /// None: HTML is text, too.
    Off,
    /// Every input that is no archive is HTML.
    Html,
    /// Every input that is no archive is XML.
    Xml,
    /// Every input that is no archive is a robots.txt (RFC 9309).
    Robots,
}

impl Markup {
    /// Returns the media type as which an input is read that begins with `head`, after
    /// whose `beginning` its text follows. The inner `None` stands for text; the outer one
    /// is returned while more bytes are needed. Nothing follows `head` when it is the
    /// `whole` input.
    pub(crate) fn media_type(
        self,
        head: &[u8],
        beginning: Beginning,
        whole: bool,
    ) -> Option<Option<&'static str>> {
        match self {
            Markup::Off => Some(None),
            Markup::Html => Some(Some("text/html")),
            Markup::Xml => Some(Some("text/xml")),
            Markup::Robots => Some(Some("text/robots")),
            Markup::Auto => sniffed(head, beginning, whole),
        }
    }
}

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
fn sniffed(head: &[u8], beginning: Beginning, _whole: bool) -> Option<Option<&'static str>> {
    let _ = (head, beginning);
    Some(None)
}
