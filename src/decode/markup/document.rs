//! A document of markup whose encoding is not known yet: waits for the bytes that decide
//! it, and passes the document on to the decoder of its language.

use super::super::event::{Decode, Event, Output};
use super::charset::{DocumentEncoding, Language};
use super::convert::Converter;
use super::iso_2022_jp::Iso2022Jp;
use super::transcode::{SourceEncoding, Transcoded};
use crate::item::Part;

/// A decoder of markup.
pub(in crate::decode) trait MarkupDecoder: Decode {
    /// The language that it decodes.
    const LANGUAGE: Language;

    /// Sets the encoding of the values and texts of the document. Comes before the first
    /// bytes, without the byte-order mark.
    fn set_encoding(&mut self, converter: Converter);
}

/// Settles the encoding of a document.
#[derive(Debug)]
pub(in crate::decode) struct MarkupDocument<D> {
    media_type: Vec<u8>,
    /// The offset of its first byte.
    at: u64,
    stage: DocumentStage<D>,
}

#[derive(Debug)]
enum DocumentStage<D> {
    /// The encoding is not known. The decoder is taken out once it is.
    Undecided(Option<D>),
    Split(D),
    Transcoded(Box<Transcoded<SourceEncoding, D>>),
}

impl<D: MarkupDecoder> MarkupDocument<D> {
    /// Creates a decoder of the document that `part` describes, by `decoder`.
    pub fn new(part: &Part, decoder: D) -> MarkupDocument<D> {
        MarkupDocument {
            media_type: part.media_type.clone(),
            at: 0,
            stage: DocumentStage::Undecided(Some(decoder)),
        }
    }
}

impl<D: MarkupDecoder> Decode for MarkupDocument<D> {
    fn begin_at(&mut self, offset: u64) {
        self.at = offset;
    }

    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        let mut mark = 0;
        if let DocumentStage::Undecided(decoder) = &mut self.stage {
            let known = DocumentEncoding::of(bytes, last, &self.media_type, D::LANGUAGE);
            let Some((encoding, mut decoder)) =
                known.and_then(|known| Some((known, decoder.take()?)))
            else {
                return 0;
            };
            mark = encoding.mark;
            decoder.begin_at(self.at + mark as u64);
            if mark > 0 {
                out.events.push(Event::Skipped(mark));
            }
            out.events.push(Event::Charset(encoding.charset()));
            let source = match (encoding.compatible_with_ascii(), encoding.utf16()) {
                (Some(encoding), _) => {
                    decoder.set_encoding(Converter::new(encoding));
                    None
                }
                (None, Some(endian)) => Some(SourceEncoding::Utf16(endian)),
                (None, None) => Some(SourceEncoding::Iso2022Jp(Iso2022Jp::default())),
            };
            self.stage = match source {
                None => DocumentStage::Split(decoder),
                Some(source) => {
                    decoder.set_encoding(Converter::default());
                    DocumentStage::Transcoded(Box::new(Transcoded::new(source, decoder)))
                }
            };
        }
        let bytes = &bytes[mark..];
        mark + match &mut self.stage {
            DocumentStage::Undecided(_) => 0,
            DocumentStage::Split(decoder) => decoder.push(bytes, last, out),
            DocumentStage::Transcoded(decoder) => decoder.push(bytes, last, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::event::{MarkupValue, ValueKind};

    /// Writes all bytes as one value at the end, converted.
    #[derive(Debug, Default)]
    struct Whole(Converter);

    impl Decode for Whole {
        fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
            if !last {
                return 0;
            }
            if !self.0.convert(bytes, &mut out.text, None) {
                out.text.extend_from_slice(bytes);
            }
            let len = out.text.len();
            let mut value = MarkupValue::new(bytes.len(), ValueKind::Text { continues: false });
            value.decoded = Some(crate::decode::DecodedValue { len, map: None });
            out.events.push(Event::Value(value));
            bytes.len()
        }
    }

    impl MarkupDecoder for Whole {
        const LANGUAGE: Language = Language::Html;

        fn set_encoding(&mut self, converter: Converter) {
            self.0 = converter;
        }
    }

    #[test]
    fn documents_become_utf8() {
        for (label, mark, shown) in [
            ("windows-1252", &b""[..], "windows-1252"),
            ("shift_jis", b"", "Shift_JIS"),
            ("utf-8", b"\xEF\xBB\xBF", "UTF-8"),
            ("iso-2022-jp", b"", "ISO-2022-JP"),
            ("utf-16le", b"\xFF\xFE", "UTF-8"),
            ("utf-16be", b"", "UTF-8"),
        ] {
            let text = if label == "windows-1252" {
                "<p>é€"
            } else {
                "<p>日本"
            };
            let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
            let bytes = match label {
                "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
                "utf-16be" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
                _ => encoding.encode(text).0.into_owned(),
            };
            let document = [mark, &bytes].concat();
            let media_type = format!("text/html; charset={label}").into_bytes();
            let part = Part {
                media_type,
                ..Part::default()
            };
            let mut decoder = MarkupDocument::new(&part, Whole::default());
            let mut out = Output::default();
            let read = decoder.push(&document[..4], false, &mut out);
            assert_eq!(read, mark.len());
            assert_eq!(
                read + decoder.push(&document[read..], true, &mut out),
                document.len()
            );
            assert_eq!(out.text, text.as_bytes(), "{label}");
            let lengths = |event: &Event| match event {
                Event::Skipped(len) => *len,
                Event::Value(value) => value.skipped + value.raw,
                _ => 0,
            };
            assert_eq!(
                out.events.iter().map(lengths).sum::<usize>(),
                document.len()
            );
            let charset = crate::item::Charset::named(shown);
            assert!(
                out.events.contains(&Event::Charset(charset)),
                "{:?}",
                out.events
            );
        }
    }
}
