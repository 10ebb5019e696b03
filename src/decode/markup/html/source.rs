//! The text of a value: its bytes converted to UTF-8, its character references decoded,
//! with one map that leads back to the bytes. Text that does not change is not copied.

use super::super::convert::Converter;
use super::super::tokens::ByteMarks;
use crate::escape::{References, decode_references_at};
use crate::item::OffsetMap;
use crate::syntax::masks::near::each_of;
use std::ops::Range;

/// U+00AD, which may be anywhere in a word.
const SOFT_HYPHEN: [u8; 2] = *b"\xC2\xAD";

/// The text of a value.
#[derive(Clone, Copy, Debug)]
pub(in crate::decode) struct SourceText<'t> {
    pub text: &'t [u8],
    /// The way to the bytes; `None` where the text is the bytes.
    pub map: Option<&'t OffsetMap>,
}

/// Makes texts of bytes, in memory that is reused.
#[derive(Debug, Default)]
pub(in crate::decode) struct TextMaker {
    converter: Converter,
    converted: Vec<u8>,
    converted_map: OffsetMap,
    decoded: Vec<u8>,
    decoded_map: OffsetMap,
    map: OffsetMap,
}

/// A text that is joined from parts.
#[derive(Debug, Default)]
pub(in crate::decode::markup) struct Joined {
    text: Vec<u8>,
    map: OffsetMap,
    /// The map of a part.
    part: OffsetMap,
}

impl TextMaker {
    pub fn set_converter(&mut self, converter: Converter) {
        self.converter = converter;
    }

    /// The encoding of the document.
    #[cfg(feature = "marc")]
    pub fn converter(&self) -> Converter {
        self.converter
    }

    /// Returns the text of `raw`, whose bytes have these marks.
    #[inline]
    pub fn marked_text<'t>(
        &'t mut self,
        (raw, marks): (&'t [u8], ByteMarks),
        references: Option<References>,
    ) -> SourceText<'t> {
        match (references, marks) {
            (Some(_), ByteMarks::Ampersand) => self.changed_text(raw, references),
            _ => self.text(raw, references.filter(|_| marks.may_have_reference())),
        }
    }

    /// Returns the text of `raw`. Without `references`, `&` has no meaning.
    #[inline]
    pub fn text<'t>(&'t mut self, raw: &'t [u8], references: Option<References>) -> SourceText<'t> {
        // No other character has the byte of an ampersand.
        let references = references.filter(|_| memchr::memchr(b'&', raw).is_some());
        match references.is_none() && Converter::is_text(raw) {
            true => SourceText {
                text: raw,
                map: None,
            },
            false => self.changed_text(raw, references),
        }
    }

    fn changed_text<'t>(
        &'t mut self,
        raw: &'t [u8],
        references: Option<References>,
    ) -> SourceText<'t> {
        self.converted.clear();
        self.converted_map.clear();
        let converted = (&mut self.converted, Some(&mut self.converted_map));
        let is_converted = self.converter.convert(raw, converted.0, converted.1);
        let text = if is_converted { &self.converted } else { raw };
        let Some(references) = references else {
            let map = is_converted.then_some(&self.converted_map);
            return SourceText { text, map };
        };
        self.decoded.clear();
        self.decoded_map.clear();
        let map = &mut self.decoded_map;
        let mut is_changed = false;
        decode_references_at(
            text,
            each_of(*b"&", text),
            references,
            &mut self.decoded,
            |at, raw, len, raw_len| {
                map.push_unit(at, raw, len, raw_len);
                is_changed = true;
            },
        );
        let map = match (is_converted, is_changed) {
            (false, false) => return SourceText { text, map: None },
            (true, false) => &self.converted_map,
            (false, true) => &self.decoded_map,
            (true, true) => {
                let converted = (&self.converted_map, &self.converted[..]);
                self.decoded_map.compose_into(
                    &self.decoded,
                    converted.0,
                    converted.1,
                    &mut self.map,
                );
                &self.map
            }
        };
        SourceText {
            text: &self.decoded,
            map: Some(map),
        }
    }
}

impl Joined {
    /// Removes everything.
    pub fn clear(&mut self) {
        self.text.clear();
        self.map.clear();
    }

    /// Appends `source`, whose bytes begin at the raw offset `raw`, without soft hyphens.
    pub fn push(&mut self, source: SourceText, raw: u64) {
        let identity = OffsetMap::IDENTITY;
        let map = source.map.unwrap_or(&identity);
        let mut places = map.places(source.text);
        let mut add = |range: Range<usize>| {
            let start = places.part_into(range.clone(), &mut self.part);
            self.map.append(self.text.len(), raw + start, &self.part);
            self.text.extend_from_slice(&source.text[range]);
        };
        let mut at = 0;
        for found in memchr::memmem::find_iter(source.text, &SOFT_HYPHEN) {
            add(at..found);
            at = found + SOFT_HYPHEN.len();
        }
        add(at..source.text.len());
    }

    /// Returns the text.
    pub fn source(&self) -> SourceText<'_> {
        SourceText {
            text: &self.text,
            map: Some(&self.map),
        }
    }
}

impl SourceText<'_> {
    /// Whether the text has soft hyphens.
    pub fn has_soft_hyphens(&self) -> bool {
        let [first, second] = SOFT_HYPHEN;
        memchr::memchr_iter(first, self.text).any(|at| self.text.get(at + 1) == Some(&second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw_offsets(source: SourceText) -> Vec<u64> {
        let map = source.map.cloned().unwrap_or_default();
        let mut places = map.places(source.text);
        (0..=source.text.len()).map(|at| places.raw(at)).collect()
    }

    #[test]
    fn texts_lead_back_to_their_bytes() {
        let mut maker = TextMaker::default();
        let references = Some(References::HtmlAttribute);
        let plain = maker.text("a&b\u{e9}".as_bytes(), references);
        assert_eq!((plain.text, plain.map), ("a&b\u{e9}".as_bytes(), None));
        let decoded = maker.text(b"a&amp;b", references);
        assert_eq!(
            (decoded.text, raw_offsets(decoded)),
            (&b"a&b"[..], vec![0, 1, 6, 7])
        );
        let kept = maker.text(b"a&amp;b", None);
        assert_eq!((kept.text, kept.map), (&b"a&amp;b"[..], None));
        maker.set_converter(Converter::new(encoding_rs::WINDOWS_1252));
        let converted = maker.text(b"\xE9&amp;\xE9", references);
        assert_eq!(converted.text, "\u{e9}&\u{e9}".as_bytes());
        assert_eq!(raw_offsets(converted), [0, 1, 1, 6, 7, 7]);
    }

    #[test]
    fn parts_are_joined_without_soft_hyphens() {
        let mut maker = TextMaker::default();
        let mut joined = Joined::default();
        joined.push(maker.text(b"a&shy;b&amp;", Some(References::HtmlText)), 0);
        joined.push(maker.text("c\u{AD}d".as_bytes(), None), 20);
        let source = joined.source();
        assert_eq!(source.text, b"ab&cd");
        assert_eq!(raw_offsets(source), [0, 6, 7, 20, 23, 24]);
    }
}
