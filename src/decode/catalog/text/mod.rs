//! The text of a subfield from its bytes: characters of MARC-8 and ISO 5426, mnemonics,
//! doubled signs, character references. The text is in normalization form C, and a map
//! leads back to the bytes. Text that decoding does not change is not copied.

pub(in crate::decode::catalog) mod characters;
pub(in crate::decode::catalog) mod marc8;
mod mnemonics;
mod pieces;

use crate::decode::markup::TextMaker;
use crate::escape::References;
use crate::item::OffsetMap;
use crate::syntax::class::each_is;
use pieces::{NormalizedText, TextPiece, TextPieces};
use std::ops::Range;
use unicode_normalization::{IsNormalized, is_nfc_quick};

/// The form in which a text is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::decode::catalog) enum TextForm {
    #[default]
    Utf8,
    Marc8,
    Iso5426,
    /// A set that is not supported: only ASCII is known.
    Ascii,
    /// UTF-8 with mnemonics in braces.
    Mrk,
    /// UTF-8, with this sign doubled.
    Doubled(u8),
    /// The content of an element, with references, CDATA sections and comments.
    Xml,
    /// XML as written, with references.
    XmlSource,
}

/// Makes texts, in memory that is reused.
#[derive(Debug, Default)]
pub(in crate::decode::catalog) struct TextReader {
    pieces: Vec<TextPiece>,
    maker: TextMaker,
}

/// The result of reading a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::decode::catalog) struct ReadText {
    /// Whether the text is the raw bytes, and was not written.
    pub is_plain: bool,
    /// Whether bytes were unknown or malformed, and became U+FFFD.
    pub is_lossy: bool,
}

impl ReadText {
    const PLAIN: ReadText = ReadText {
        is_plain: true,
        is_lossy: false,
    };
}

impl TextReader {
    /// The maker of texts of XML, which knows the encoding of its document.
    pub fn maker(&mut self) -> &mut TextMaker {
        &mut self.maker
    }

    /// Appends the text of `raw` to `out`, unless it is `raw`, and writes the map back to
    /// the bytes into the empty `map`.
    #[inline]
    pub fn read(
        &mut self,
        form: TextForm,
        raw: &[u8],
        out: &mut Vec<u8>,
        map: Option<&mut OffsetMap>,
    ) -> ReadText {
        match is_plain(form, raw) {
            true => ReadText::PLAIN,
            false => self.decode(form, raw, out, map),
        }
    }

    /// Reads a text that is not plain ASCII.
    fn decode(
        &mut self,
        form: TextForm,
        raw: &[u8],
        out: &mut Vec<u8>,
        map: Option<&mut OffsetMap>,
    ) -> ReadText {
        self.pieces.clear();
        let mut decoded = TextPieces {
            pieces: &mut self.pieces,
            is_lossy: false,
            written: Some(NormalizedText::new(out, map)),
        };
        match form {
            TextForm::Marc8 => marc8::decode(raw, &mut decoded),
            TextForm::Iso5426 => marc8::decode_iso5426(raw, &mut decoded),
            TextForm::Ascii => {
                for (at, &byte) in raw.iter().enumerate() {
                    match byte.is_ascii() {
                        true => decoded.push(char::from(byte), at..at + 1),
                        false => decoded.lose(at..at + 1),
                    }
                }
            }
            TextForm::Xml => xml(&mut self.maker, raw, &mut decoded),
            TextForm::XmlSource => xml_text(&mut self.maker, (raw, 0), &mut decoded, true),
            TextForm::Utf8 | TextForm::Mrk | TextForm::Doubled(_) => {
                let text = std::str::from_utf8(raw);
                let is_normal = |text: &str| is_nfc_quick(text.chars()) == IsNormalized::Yes;
                if !has_escapes(form, raw) && text.is_ok_and(is_normal) {
                    return ReadText::PLAIN;
                }
                match form {
                    TextForm::Mrk => mnemonics::decode(raw, &mut decoded),
                    TextForm::Doubled(sign) => utf8(raw, Some(sign), &mut decoded),
                    _ => utf8(raw, None, &mut decoded),
                }
            }
        }
        decoded.write();
        ReadText {
            is_plain: false,
            is_lossy: decoded.is_lossy,
        }
    }
}

/// Whether `raw` is ASCII that is the text itself.
#[inline]
fn is_plain(form: TextForm, raw: &[u8]) -> bool {
    match form {
        TextForm::Marc8 => each_is(raw, |b| (b < 0x80) & (b != 0x1B) & (b != b'&')),
        _ => raw.is_ascii() && !has_escapes(form, raw),
    }
}

/// Whether ASCII in this form may not be the text itself.
fn has_escapes(form: TextForm, raw: &[u8]) -> bool {
    match form {
        TextForm::Utf8 | TextForm::Iso5426 | TextForm::Ascii => false,
        TextForm::Marc8 => memchr::memchr2(0x1B, b'&', raw).is_some(),
        TextForm::Mrk => memchr::memchr(b'{', raw).is_some(),
        TextForm::Doubled(sign) => memchr::memchr(sign, raw).is_some(),
        TextForm::Xml => memchr::memchr2(b'&', b'<', raw).is_some(),
        TextForm::XmlSource => memchr::memchr(b'&', raw).is_some(),
    }
}

/// Decodes UTF-8 in which `sign` is doubled.
fn utf8(raw: &[u8], sign: Option<u8>, decoded: &mut TextPieces) {
    let mut at = 0;
    for chunk in raw.utf8_chunks() {
        let mut chars = chunk.valid().chars().peekable();
        while let Some(char) = chars.next() {
            let from = at;
            at += char.len_utf8();
            let is_sign = |char: &char| sign.is_some_and(|sign| *char == char::from(sign));
            if is_sign(&char) && chars.next_if(is_sign).is_some() {
                at += 1;
            }
            decoded.push(char, from..at);
        }
        let malformed = chunk.invalid().len();
        if malformed > 0 {
            decoded.lose(at..at + malformed);
            at += malformed;
        }
    }
}

/// Decodes the content of an element, or the value of an attribute.
fn xml(maker: &mut TextMaker, raw: &[u8], decoded: &mut TextPieces) {
    for part in content_parts(raw) {
        let text = (&raw[part.text.clone()], part.text.start);
        xml_text(maker, text, decoded, !part.is_literal);
    }
}

/// A part of the content of an element: a text, or markup between two texts.
#[derive(Clone, Debug)]
pub(in crate::decode::catalog) struct ContentPart {
    /// The text; empty in tags and comments.
    pub text: Range<usize>,
    /// Whether references have no meaning in the part.
    is_literal: bool,
    /// Whether the part is a tag, or an instruction.
    pub is_tag: bool,
}

/// Splits the content of an element, or the value of an attribute.
pub(in crate::decode::catalog) fn content_parts(raw: &[u8]) -> impl Iterator<Item = ContentPart> {
    const CDATA: (&[u8], &[u8]) = (b"<![CDATA[", b"]]>");
    const COMMENT: (&[u8], &[u8]) = (b"<!--", b"-->");
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = raw.get(at..).filter(|rest| !rest.is_empty())?;
        let marked = |(open, close): (&[u8], &[u8])| {
            rest.strip_prefix(open).map(|inner| {
                let len = memchr::memmem::find(inner, close);
                let end = len.map_or(rest.len(), |len| open.len() + len + close.len());
                (open.len()..open.len() + len.unwrap_or(inner.len()), end)
            })
        };
        let (text, is_literal, is_tag, end) = if let Some((inner, end)) = marked(CDATA) {
            (inner, true, false, end)
        } else if let Some((_, end)) = marked(COMMENT) {
            (0..0, true, false, end)
        } else if rest[0] == b'<' {
            let end = memchr::memchr(b'>', rest).map_or(rest.len(), |at| at + 1);
            (0..0, true, true, end)
        } else {
            let end = memchr::memchr(b'<', rest).unwrap_or(rest.len());
            (0..end, false, false, end)
        };
        let text = at + text.start..at + text.end;
        at += end;
        Some(ContentPart {
            text,
            is_literal,
            is_tag,
        })
    })
}

/// Decodes a text of XML, whose bytes begin at `from`.
fn xml_text(
    maker: &mut TextMaker,
    (raw, from): (&[u8], usize),
    decoded: &mut TextPieces,
    has_references: bool,
) {
    let source = maker.text(raw, has_references.then_some(References::Xml));
    let identity = OffsetMap::IDENTITY;
    let mut places = source.map.unwrap_or(&identity).places(source.text);
    let mut read = 0;
    for chunk in source.text.utf8_chunks() {
        for char in chunk.valid().chars() {
            let (start, len) = places.span(read..read + char.len_utf8());
            read += char.len_utf8();
            let raw = from + start as usize;
            decoded.push(char, raw..raw + len as usize);
            // The replacement character may also be in the text itself.
            decoded.is_lossy |= char == char::REPLACEMENT_CHARACTER && len < 3;
        }
        read += chunk.invalid().len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_normalization::UnicodeNormalization;

    /// Returns the text and the raw offset of each of its bytes.
    fn read(form: TextForm, raw: &[u8]) -> (String, Vec<u64>, bool) {
        let (mut out, mut map) = (b"x".to_vec(), OffsetMap::IDENTITY);
        let read = TextReader::default().read(form, raw, &mut out, Some(&mut map));
        let text = if read.is_plain { raw } else { &out[1..] };
        let mut places = map.places(text);
        let offsets = (0..=text.len()).map(|at| places.raw(at)).collect();
        (
            String::from_utf8(text.to_vec()).unwrap(),
            offsets,
            read.is_lossy,
        )
    }

    fn check(form: TextForm, raw: &[u8], text: &str, offsets: &[u64], is_lossy: bool) {
        assert_eq!(
            read(form, raw),
            (text.to_owned(), offsets.to_vec(), is_lossy),
            "{raw:x?}"
        );
    }

    #[test]
    fn texts_lead_back_to_their_bytes() {
        check(
            TextForm::Marc8,
            b"a\xE2eb",
            "a\u{E9}b",
            &[0, 1, 1, 3, 4],
            false,
        );
        check(
            TextForm::Iso5426,
            b"\xC2e:",
            "\u{E9}:",
            &[0, 0, 2, 3],
            false,
        );
        check(
            TextForm::Utf8,
            "ae\u{301}:".as_bytes(),
            "a\u{E9}:",
            &[0, 1, 1, 4, 5],
            false,
        );
        check(
            TextForm::Utf8,
            "a\u{E9}:".as_bytes(),
            "a\u{E9}:",
            &[0, 1, 2, 3, 4],
            false,
        );
        check(
            TextForm::Utf8,
            b"a\xFFb",
            "a\u{FFFD}b",
            &[0, 1, 1, 1, 2, 3],
            true,
        );
        check(
            TextForm::Ascii,
            b"\xE2eb",
            "\u{FFFD}eb",
            &[0, 0, 0, 1, 2, 3],
            true,
        );
        check(TextForm::Mrk, b"a{dollar}b", "a$b", &[0, 1, 9, 10], false);
        check(
            TextForm::Doubled(b'$'),
            b"a$$b",
            "a$b",
            &[0, 1, 3, 4],
            false,
        );
        check(TextForm::Xml, b"a&amp;b", "a&b", &[0, 1, 6, 7], false);
        check(
            TextForm::Xml,
            b"a<![CDATA[&b]]><!-- c -->d",
            "a&bd",
            &[0, 10, 11, 25, 26],
            false,
        );
        check(
            TextForm::Marc8,
            b"a&#x00E9;b",
            "a\u{E9}b",
            &[0, 1, 1, 9, 10],
            false,
        );
    }

    /// The text that waits to be written is bounded, and its divisions do not change
    /// the result.
    #[test]
    fn long_texts_are_those_of_their_parts() {
        let unit = "ae\u{301}\u{323}\u{e9}";
        let text = unit.repeat(10_000);
        let (normal, offsets, _) = read(TextForm::Utf8, text.as_bytes());
        assert_eq!(normal, text.nfc().collect::<String>());
        assert_eq!(offsets.last(), Some(&(text.len() as u64)));
        // One letter with very many marks.
        let marks = "a".to_owned() + &"\u{323}".repeat(1 << 18);
        let mut texts = TextReader::default();
        let mut out = Vec::new();
        texts.read(TextForm::Utf8, marks.as_bytes(), &mut out, None);
        assert!(texts.pieces.capacity() < 1 << 14 && out.len() >= 1 << 18);
        let marks = b"\xE2".repeat(1 << 18);
        texts.read(TextForm::Marc8, &marks, &mut out, None);
        texts.read(TextForm::Mrk, &b"{acute}".repeat(1 << 15), &mut out, None);
        assert!(texts.pieces.capacity() < 1 << 14);
    }

    #[test]
    fn marks_that_normalization_orders_are_one_unit() {
        // A dot below precedes an acute accent in canonical order.
        let text = "a\u{301}\u{323}b";
        let (normal, offsets, _) = read(TextForm::Utf8, text.as_bytes());
        assert_eq!(normal, text.nfc().collect::<String>());
        assert_eq!((offsets[0], offsets[offsets.len() - 2]), (0, 5));
    }
}
