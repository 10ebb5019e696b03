//! A document of markup whose encoding is not known yet: waits for the bytes that decide
//! it, and passes the document on to the decoder of its language.

use super::super::event::{Decode, Event, Output};
use super::charset::{DocumentEncoding, Language};
use super::convert::Converter;
use super::iso_2022_jp::Iso2022Jp;
use super::transcode::{Source, Transcoded};
use crate::item::Part;

/// A decoder of markup.
pub(in crate::decode) trait Markup: Decode {
    /// The language that it decodes.
    const LANGUAGE: Language;

    /// Sets the encoding of the values and texts of the document. Comes before the first
    /// bytes, without the byte-order mark.
    fn set_encoding(&mut self, converter: Converter);
}

/// Settles the encoding of a document.
#[derive(Debug)]
pub(in crate::decode) struct Document<D> {
    media_type: Vec<u8>,
    stage: Stage<D>,
}

#[derive(Debug)]
enum Stage<D> {
    /// The encoding is not known. The decoder is taken when it is.
    Undecided(Option<D>),
    Split(D),
    Transcoded(Box<Transcoded<D>>),
}

impl<D: Markup> Document<D> {
    /// Creates a decoder of the document that `part` describes, by `decoder`.
    pub fn new(part: &Part, decoder: D) -> Document<D> {
        Document {
            media_type: part.media_type.clone(),
            stage: Stage::Undecided(Some(decoder)),
        }
    }
}

impl<D: Markup> Decode for Document<D> {
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        let mut mark = 0;
        if let Stage::Undecided(decoder) = &mut self.stage {
            let known = DocumentEncoding::of(bytes, last, &self.media_type, D::LANGUAGE);
            let Some((encoding, mut decoder)) =
                known.and_then(|known| Some((known, decoder.take()?)))
            else {
                return 0;
            };
            mark = encoding.mark;
            if mark > 0 {
                out.events.push(Event::Skipped(mark));
            }
            out.events.push(Event::Charset(encoding.charset()));
            let source = match (encoding.compatible_with_ascii(), encoding.utf16()) {
                (Some(encoding), _) => {
                    decoder.set_encoding(Converter::new(encoding));
                    None
                }
                (None, Some(endian)) => Some(Source::Utf16(endian)),
                (None, None) => Some(Source::Iso2022Jp(Iso2022Jp::default())),
            };
            self.stage = match source {
                None => Stage::Split(decoder),
                Some(source) => {
                    decoder.set_encoding(Converter::default());
                    Stage::Transcoded(Box::new(Transcoded::new(source, decoder)))
                }
            };
        }
        let bytes = &bytes[mark..];
        mark + match &mut self.stage {
            Stage::Undecided(_) => 0,
            Stage::Split(decoder) => decoder.push(bytes, last, out),
            Stage::Transcoded(decoder) => decoder.push(bytes, last, out),
        }
    }
}
