//! The content of a part of a mail: which decoder reads it, and what is undone before.

use super::fields::HeaderFields;
use super::flowed::{FlowedText, FoldedLines};
use super::parameters::Parameters;
use super::quoted::QuotedPrintable;
use super::reader::Mail;
use super::text::TextCharset;
use crate::decode::content_reading::ContentReading;
use crate::decode::event::{Decode, Output};
use crate::decode::markup::Transcoded;
use crate::decode::text::TextDecoder;
use crate::item::{MailPart, MailPartKind, OffsetMap, Part};
use std::sync::Arc;

/// Returns the decoder of a part of a mail. `content` returns the decoder by its type; `None`
/// where it is text.
pub(in crate::decode) fn mail_part_decoder(
    part: &Part,
    (mail, reading): (&MailPart, &ContentReading),
    content: impl FnOnce() -> Option<Box<dyn Decode>>,
) -> Box<dyn Decode> {
    let is_quoted = match mail.kind {
        MailPartKind::Header => {
            return Box::new(HeaderFields {
                mentions: reading.mentions,
                stops: Arc::clone(&reading.stops),
            });
        }
        MailPartKind::Message => return Box::new(Mail::new(part.clone(), reading)),
        MailPartKind::Body { quoted } => quoted,
    };
    let content = content().unwrap_or_else(|| mail_text_decoder(part));
    match is_quoted {
        true => Box::new(Transcoded::whole(
            QuotedPrintable,
            content,
            OffsetMap::IDENTITY,
        )),
        false => content,
    }
}

/// Returns the decoder of a text, by its charset and by how its lines are written.
pub(in crate::decode) fn mail_text_decoder(part: &Part) -> Box<dyn Decode> {
    let parameters = Parameters::read(&part.media_type);
    let charset = TextCharset::of(parameters.get(b"charset"));
    let (text, map) = (TextDecoder::default(), charset.map());
    if is_folded(part) {
        let lines = Transcoded::whole(FoldedLines, text, OffsetMap::IDENTITY);
        return Box::new(Transcoded::whole(charset, lines, map));
    }
    let is_given = |name: &[u8], value: &[u8]| {
        let given = parameters.get(name);
        given.is_some_and(|given| given.eq_ignore_ascii_case(value))
    };
    if is_given(b"format", b"flowed") && is_given(b"delsp", b"yes") {
        let lines = Transcoded::whole(FlowedText::default(), text, OffsetMap::IDENTITY);
        return Box::new(Transcoded::whole(charset, lines, map));
    }
    Box::new(Transcoded::whole(charset, text, map))
}

/// Whether a text is a calendar or a card.
fn is_folded(part: &Part) -> bool {
    let types = [
        "text/calendar",
        "text/vcard",
        "text/x-vcard",
        "text/directory",
    ];
    let essence = Part::essence(&part.media_type);
    let is_type = |folded: &&str| essence.eq_ignore_ascii_case(folded.as_bytes());
    types.iter().any(is_type)
}

impl Decode for Box<dyn Decode> {
    fn has_lines(&self) -> bool {
        (**self).has_lines()
    }

    fn begin_at(&mut self, offset: u64) {
        (**self).begin_at(offset);
    }

    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        (**self).push(bytes, last, out)
    }
}
