//! Chooses the decoder of a body.

#[cfg(feature = "marc")]
use super::catalogue::{CatalogueFormat, catalogue_decoder, catalogue_of_input};
use super::event::Decode;
#[cfg(not(feature = "html"))]
use super::event::{Event, Output};
use super::http::Http;
#[cfg(feature = "html")]
use super::markup::{Language, robots_decoder};
use super::mentions::Mentions;
#[cfg(feature = "html")]
use super::sniff::{markup_decoder, markup_of_input};
use super::text::text_decoder;
use super::wat::Wat;
use crate::item::Part;
#[cfg(feature = "html")]
use crate::syntax::Components;

/// The media type of an input that is a robots.txt. No type is registered for it.
const ROBOTS: &str = "text/robots";

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
    /// No input: HTML is read as text, too.
    Off,
    /// Every input that is not an archive is HTML.
    Html,
    /// Every input that is not an archive is XML.
    Xml,
    /// Every input that is not an archive is a robots.txt (RFC 9309).
    Robots,
    /// Every input that is not an archive is a catalogue in this format.
    #[cfg(feature = "marc")]
    Catalogue(CatalogueFormat),
}

impl Markup {
    /// Returns the media type by which an input that begins with `head` is read. The inner
    /// `None` means text; the outer one is returned while more bytes are needed. `whole`
    /// says that nothing follows `head`.
    pub(crate) fn media_type(self, head: &[u8], whole: bool) -> Option<Option<&'static str>> {
        match self {
            Markup::Off => Some(None),
            Markup::Html => Some(Some("text/html")),
            Markup::Xml => Some(Some("text/xml")),
            Markup::Robots => Some(Some(ROBOTS)),
            #[cfg(feature = "marc")]
            Markup::Catalogue(format) => Some(Some(format.media_type())),
            Markup::Auto => detected(head, whole),
        }
    }
}

/// Returns the media type that the first bytes of an input show, with the meaning of
/// [`Markup::media_type`].
#[cfg(feature = "html")]
fn detected(head: &[u8], whole: bool) -> Option<Option<&'static str>> {
    #[cfg(feature = "marc")]
    if let Some(format) = catalogue_of_input(head, whole)? {
        return Some(Some(format.media_type()));
    }
    markup_of_input(head, whole).map(|language| language.map(Language::media_type))
}

#[cfg(not(feature = "html"))]
fn detected(_: &[u8], _: bool) -> Option<Option<&'static str>> {
    Some(None)
}

/// How markup is decoded.
///
/// ```
/// use urisieve::decode::{Markup, MarkupReading, Mentions};
/// let reading = MarkupReading::default();
/// assert_eq!((reading.markup, reading.mentions), (Markup::Auto, Mentions::WithColon));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarkupReading {
    /// What is markup.
    pub markup: Markup,
    /// Which texts are wanted beside links.
    pub mentions: Mentions,
}

/// Returns the decoder of `part`, by its media type and by what contains it. Where
/// nothing states a type, the first bytes decide whether it is markup; everything else
/// is decoded as text.
///
/// ```
/// use urisieve::decode::{Event, MarkupReading, Output, decoder};
/// use urisieve::item::Part;
/// let mut out = Output::default();
/// decoder(&Part::default(), MarkupReading::default()).push(b"text", true, &mut out);
/// assert_eq!(out.events, [Event::Text(4)]);
/// ```
pub fn decoder(part: &Part, reading: MarkupReading) -> Box<dyn Decode> {
    let record = part.context.warc.as_ref();
    let is_metadata = record.is_some_and(|r| r.kind.eq_ignore_ascii_case(b"metadata"));
    if is_message(part) {
        return Box::new(Http::new(part.clone(), None));
    }
    if part.is("application/json") && is_metadata {
        return Box::new(Wat::new());
    }
    // Without a media type the beginning of a record decides.
    let content = content_decoder(part, reading);
    match part.media_type.is_empty() && record.is_some() {
        true => Box::new(Http::new(part.clone(), Some(content))),
        false => content,
    }
}

/// Returns the decoder of what is neither a message nor a WAT record.
#[cfg(feature = "html")]
fn content_decoder(part: &Part, reading: MarkupReading) -> Box<dyn Decode> {
    if reading.markup == Markup::Off {
        return text_decoder();
    }
    #[cfg(feature = "marc")]
    if let Some(format) = CatalogueFormat::of_media_type(&part.media_type) {
        return catalogue_decoder(format, part, reading.mentions);
    }
    if is_robots(part) {
        return robots_decoder();
    }
    markup_decoder(part, reading.mentions).unwrap_or_else(text_decoder)
}

#[cfg(not(feature = "html"))]
fn content_decoder(part: &Part, reading: MarkupReading) -> Box<dyn Decode> {
    let stated = reading.markup.media_type(b"", true).flatten();
    let is_archived = part.context.warc.is_some() || part.context.member.is_some();
    let text = text_decoder();
    match stated.is_some_and(|stated| part.is(stated)) && !is_archived {
        true => Box::new(MarkupAsText {
            text,
            is_named: false,
        }),
        false => text,
    }
}

/// Reads an input as text that is stated to be markup, which this build cannot decode. That
/// is a loss.
#[cfg(not(feature = "html"))]
#[derive(Debug)]
struct MarkupAsText {
    text: Box<dyn Decode>,
    /// The loss was named.
    is_named: bool,
}

#[cfg(not(feature = "html"))]
impl Decode for MarkupAsText {
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        if !std::mem::replace(&mut self.is_named, true) {
            let cause = "this program was built without it, so the input is read as text";
            out.events.push(Event::Unsupported(cause));
        }
        self.text.push(bytes, last, out)
    }
}

/// Whether `part` is a robots.txt (RFC 9309 section 2.3): an input that is read as one, or
/// the content of a successful response for that path.
#[cfg(feature = "html")]
fn is_robots(part: &Part) -> bool {
    let record = part.context.warc.as_deref();
    let is_at = |uri: &[u8]| {
        let parts = Components::parse(uri);
        parts.path(uri) == b"/robots.txt"
    };
    part.is(ROBOTS)
        || part.status == Some(200) && record.is_some_and(|record| is_at(&record.target_uri))
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

#[cfg(all(test, not(feature = "html")))]
mod tests {
    use super::*;

    /// An input that is stated to be markup is read as text, and that is said once.
    #[test]
    fn markup_that_is_not_built_in_is_named() {
        for (markup, is_named) in [
            (Markup::Auto, false),
            (Markup::Off, false),
            (Markup::Html, true),
            (Markup::Xml, true),
            (Markup::Robots, true),
        ] {
            let media_type = markup.media_type(b"", true).flatten();
            let part = Part {
                media_type: media_type.unwrap_or_default().as_bytes().to_vec(),
                ..Part::default()
            };
            let reading = MarkupReading {
                markup,
                ..MarkupReading::default()
            };
            let (mut decoder, mut out) = (decoder(&part, reading), Output::default());
            // The first byte does not decide the encoding.
            assert_eq!(decoder.push(b"\0", false, &mut out), 0);
            assert_eq!(decoder.push(b"\0a", true, &mut out), 2);
            let named = out.events.iter();
            let named = named.filter(|event| matches!(event, Event::Unsupported(_)));
            assert_eq!(named.count(), usize::from(is_named), "{markup:?}");
        }
    }
}
