//! Chooses the decoder of an input or a body: by the settings, by a stated type, by its first
//! bytes.

use super::content_reading::ContentReading;
use super::event::{Decode, Output};
use super::format::InputFormat;
use super::format::head::InputHead;
use super::http::Http;
#[cfg(feature = "html")]
use super::mail::mail_part_decoder;
use super::text::text_decoder;
use super::wat::Wat;
use crate::item::{MailPartKind, Part, UtcOffset};

/// The beginnings of media types of mail whose content is text, unless they are of a format.
const TEXTS: [&[u8]; 3] = [b"text/", b"message/", b"multipart/"];

/// Media types that do not name a format: the bytes decide.
const UNKNOWN: [&str; 4] = ["", "unknown/unknown", "application/unknown", "*/*"];

/// The settings by which content is decoded.
///
/// ```
/// use urisieve::decode::{FormatReading, Mentions};
/// let reading = FormatReading::default();
/// assert_eq!((reading.format, reading.content.mentions), (None, Mentions::WithColon));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FormatReading {
    /// The format of every input that is not an archive; `None` where it is detected. With
    /// [`InputFormat::text`] nothing is decoded, also in archives.
    pub format: Option<&'static InputFormat>,
    /// The offset from UTC of times in logs that state none (G14).
    pub zone: UtcOffset,
    /// How the content of a format is decoded.
    pub content: ContentReading,
}

/// The format of an input, as far as it is known before its first byte.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ExpectedFormat {
    /// The format that was chosen; `None` where the first bytes decide.
    pub chosen: Option<&'static InputFormat>,
    /// The format that its name states, unless the first bytes show another one.
    pub named: Option<&'static InputFormat>,
    /// The format of what is text by its first bytes and by its name.
    pub implied: Option<&'static InputFormat>,
    /// The input is a text in memory: tables are not detected.
    pub is_text: bool,
    /// Whether any element of HTML at its beginning makes it a document: links are looked for.
    pub fragments: bool,
}

impl ExpectedFormat {
    /// Returns the media type by which an input that begins with `head` is read. The inner
    /// `None` means text; the outer one is returned while more bytes are needed. `whole` means
    /// that no bytes follow `head`.
    pub(crate) fn media_type(self, head: &[u8], whole: bool) -> Option<Option<&'static str>> {
        let head = InputHead {
            bytes: head,
            whole,
            is_resource: false,
            tables: self.named.or(self.implied).is_none() && !self.is_text,
            fragments: self.fragments,
        };
        let format = match self.chosen {
            Some(format) => format,
            None => match InputFormat::detect(head)? {
                format if format.is_text() => self.named.or(self.implied).unwrap_or(format),
                format => format,
            },
        };
        Some((!format.is_text()).then(|| format.media_type()))
    }

    /// Returns the format that an input seems to be in that begins with `head` and is read as
    /// text; `None` where this was chosen.
    pub(crate) fn seeming(self, head: &[u8]) -> Option<&'static InputFormat> {
        let is_open = self.chosen.is_none() && self.implied.is_none() && !self.is_text;
        is_open.then(|| InputFormat::seeming(head)).flatten()
    }
}

/// Returns the decoder of `part`, by its media type and by the container around it.
/// Without a stated type the first bytes decide the format; all other parts are decoded as
/// text.
///
/// ```
/// use urisieve::decode::{Event, Output, FormatReading, decoder};
/// use urisieve::item::Part;
/// let mut out = Output::default();
/// decoder(&Part::default(), &FormatReading::default()).push(b"text", true, &mut out);
/// assert_eq!(out.events, [Event::Text(4)]);
/// ```
pub fn decoder(part: &Part, reading: &FormatReading) -> Box<dyn Decode> {
    let record = part.context.warc.as_ref();
    let is_metadata = record.is_some_and(|r| r.kind.eq_ignore_ascii_case(b"metadata"));
    #[cfg(feature = "html")]
    if let Some(mail) = &part.mail {
        let content = || mail_content(part, reading);
        return mail_part_decoder(part, (mail, &reading.content), content);
    }
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

/// Returns the decoder of a part that is neither a message nor a WAT record.
fn content_decoder(part: &Part, reading: &FormatReading) -> Box<dyn Decode> {
    if reading.format.is_some_and(InputFormat::is_text) {
        return text_decoder();
    }
    match InputFormat::of(part) {
        Some(format) => format.decoder(part, &reading.content),
        None if UNKNOWN.iter().any(|unknown| part.is(unknown)) => {
            Box::new(Sniffed::new(part, reading))
        }
        None => text_decoder(),
    }
}

/// Returns the decoder of the content of a part of a mail; `None` where it is text. The first
/// bytes decide about a type that is of no format (MIME Sniffing Standard).
#[cfg(feature = "html")]
fn mail_content(part: &Part, reading: &FormatReading) -> Option<Box<dyn Decode>> {
    if reading.format.is_some_and(InputFormat::is_text) {
        return None;
    }
    let essence = Part::essence(&part.media_type).to_ascii_lowercase();
    let is_text = |prefix: &&[u8]| essence.starts_with(prefix);
    match InputFormat::of(part) {
        Some(format) if format.is_text() || !format.is_searched() => None,
        Some(format) => Some(format.decoder(part, &reading.content)),
        None if TEXTS.iter().any(is_text) => None,
        None => Some(Box::new(Sniffed::new(part, reading))),
    }
}

/// A body of unknown type, whose first bytes decide which decoder reads it.
#[derive(Debug)]
struct Sniffed {
    part: Part,
    /// The format of what is text by its first bytes, where its name or the fields that were
    /// selected say so.
    expected: Option<&'static InputFormat>,
    reading: ContentReading,
    decoder: Option<Box<dyn Decode>>,
}

/// Returns the format that the name of a member of an archive states.
fn format_of_member(part: &Part) -> Option<&'static InputFormat> {
    let path = part.context.member.as_deref()?;
    let name = path.rsplit(|byte| *byte == b'/').next()?;
    // The name of a compressed file ends with that of its compression.
    let stem = name.iter().rposition(|byte| *byte == b'.');
    match part.codings.is_empty() {
        true => InputFormat::of_name(name),
        false => InputFormat::of_name(&name[..stem?]),
    }
}

impl Sniffed {
    fn new(part: &Part, reading: &FormatReading) -> Sniffed {
        Sniffed {
            part: part.clone(),
            expected: format_of_member(part)
                .or_else(|| InputFormat::named(reading.content.fields.implies()?)),
            reading: reading.content.clone(),
            decoder: None,
        }
    }
}

impl Decode for Sniffed {
    fn has_lines(&self) -> bool {
        self.decoder
            .as_ref()
            .is_some_and(|decoder| decoder.has_lines())
    }

    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        if self.decoder.is_none() {
            let head = InputHead {
                bytes,
                whole: last,
                is_resource: true,
                tables: self.expected.is_none(),
                fragments: false,
            };
            let format = InputFormat::detect(head).map(|format| match format.is_text() {
                true => self.expected.unwrap_or(format),
                false => format,
            });
            self.decoder = format.map(|format| format.decoder(&self.part, &self.reading));
        }
        match &mut self.decoder {
            Some(decoder) => decoder.push(bytes, last, out),
            None => 0,
        }
    }
}

/// Whether `part` is one of a mail that may be an archive: its type is of no format (T9).
pub(crate) fn is_attachment(part: &Part) -> bool {
    let Some(mail) = &part.mail else {
        return false;
    };
    let is_text = |prefix: &&[u8]| {
        let begin = part.media_type.get(..prefix.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(prefix))
    };
    mail.kind == (MailPartKind::Body { quoted: false })
        && !part.media_type.is_empty()
        && !TEXTS.iter().any(is_text)
        && InputFormat::of(part).is_none()
}

/// Whether `part` may contain parts of the same kind, nested to any depth.
///
/// ```
/// use urisieve::{decode::is_message, item::Part};
/// let part = Part { media_type: b"message/http".to_vec(), ..Part::default() };
/// assert!(is_message(&part) && !is_message(&Part::default()));
/// ```
pub fn is_message(part: &Part) -> bool {
    match &part.mail {
        Some(mail) => mail.kind == MailPartKind::Message,
        None => part.is("application/http") || part.is("message/http"),
    }
}
