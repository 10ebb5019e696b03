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
    let is_yes = |value: &[u8]| value.eq_ignore_ascii_case(b"yes");
    let is_flowed = |value: &[u8]| value.eq_ignore_ascii_case(b"flowed");
    let mut text: Box<dyn Decode> = Box::new(TextDecoder::default());
    if is_folded(part) {
        text = Box::new(Transcoded::whole(FoldedLines, text, OffsetMap::IDENTITY));
    } else if parameters.get(b"format").is_some_and(is_flowed)
        && parameters.get(b"delsp").is_some_and(is_yes)
    {
        let lines = FlowedText::default();
        text = Box::new(Transcoded::whole(lines, text, OffsetMap::IDENTITY));
    }
    let charset = TextCharset::of(parameters.get(b"charset"));
    let map = charset.map();
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
    types.iter().any(|folded| part.is(folded))
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
