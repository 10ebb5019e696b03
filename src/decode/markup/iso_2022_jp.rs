//! ISO-2022-JP, by the decoder of the Encoding Standard (section 12.2): escape sequences
//! choose the character set of the bytes after them. Every character keeps its raw
//! bytes, to which escape sequences do not belong.

use super::map_writer::{MapWriter, MappedText};
use crate::item::Encoding;
use encoding_rs::EUC_JP;

const ESCAPE: u8 = 0x1B;

/// The state between two characters.
#[derive(Debug, Default)]
pub(in crate::decode) struct Iso2022Jp {
    set: CharacterSet,
    /// Whether no character followed the last escape sequence. If so, another sequence
    /// is an error.
    escaped: bool,
}

#[derive(Clone, Copy, Debug, Default)]
enum CharacterSet {
    #[default]
    Ascii,
    Roman,
    Katakana,
    /// JIS X 0208: two bytes for each character.
    Kanji,
}

/// The text of a conversion.
struct ConvertedText<'t> {
    text: &'t mut Vec<u8>,
    map: MapWriter<'t>,
}

impl ConvertedText<'_> {
    /// Adds a character that has `len` raw bytes at `raw`.
    fn push(&mut self, char: char, raw: usize, len: usize) {
        let place = (self.text.len(), raw as u64);
        match len {
            1 if char.is_ascii() => self.map.ascii(place, 1),
            1 => self.map.encoded(place, Encoding::OneByte, 1),
            _ => self.map.encoded(place, Encoding::TwoBytes, 2),
        }
        self.text
            .extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

impl Iso2022Jp {
    /// Decodes whole characters at the start of `bytes`, which are at the raw offset `raw`
    /// of the map, and appends them. Returns the number of bytes that were decoded: of the
    /// `last` ones, all.
    pub fn decode(
        &mut self,
        (bytes, raw): (&[u8], usize),
        last: bool,
        MappedText { text, map }: &mut MappedText,
    ) -> usize {
        let mut at = 0;
        // The map begins anew, because it may have been cut.
        map.push(text.len(), raw as u64, Encoding::OneByte);
        let mut out = ConvertedText {
            text,
            map: MapWriter::new(map, Encoding::OneByte, raw as u64),
        };
        while at < bytes.len() {
            let rest = &bytes[at..];
            let taken = match rest[0] {
                ESCAPE => self.escape((rest, raw + at), last, &mut out),
                _ => self.character((rest, raw + at), last, &mut out),
            };
            if taken == 0 {
                break;
            }
            at += taken;
        }
        at
    }

    /// Reads an escape sequence, or a wrong one, at the start of `rest`. Returns 0 when
    /// more bytes are needed.
    fn escape(
        &mut self,
        (rest, raw): (&[u8], usize),
        last: bool,
        out: &mut ConvertedText,
    ) -> usize {
        let set = match *rest {
            [_, b'(', b'B', ..] => CharacterSet::Ascii,
            [_, b'(', b'J', ..] => CharacterSet::Roman,
            [_, b'(', b'I', ..] => CharacterSet::Katakana,
            [_, b'$', b'@' | b'B', ..] => CharacterSet::Kanji,
            [_] | [_, b'(' | b'$'] if !last => return 0,
            _ => {
                // The following bytes are text.
                self.escaped = false;
                out.push(char::REPLACEMENT_CHARACTER, raw, 1);
                return 1;
            }
        };
        self.set = set;
        if std::mem::replace(&mut self.escaped, true) {
            let place = (out.text.len(), raw as u64);
            let len = char::REPLACEMENT_CHARACTER.len_utf8();
            out.map.unit(place, len, 3);
            out.text.extend_from_slice("\u{FFFD}".as_bytes());
        }
        3
    }

    /// Reads the character at the start of `rest`. Returns 0 when more bytes are needed.
    fn character(
        &mut self,
        (rest, raw): (&[u8], usize),
        last: bool,
        out: &mut ConvertedText,
    ) -> usize {
        let first = rest[0];
        self.escaped = false;
        let damaged = (char::REPLACEMENT_CHARACTER, 1);
        let (char, len) = match (self.set, first) {
            (CharacterSet::Roman, b'\\') => ('¥', 1),
            (CharacterSet::Roman, b'~') => ('‾', 1),
            (CharacterSet::Ascii | CharacterSet::Roman, 0x0E | 0x0F | 0x80..) => damaged,
            (CharacterSet::Ascii | CharacterSet::Roman, _) => (char::from(first), 1),
            (CharacterSet::Katakana, 0x21..=0x5F) => {
                let char = char::from_u32(0xFF61 - 0x21 + u32::from(first));
                (char.unwrap_or(damaged.0), 1)
            }
            (CharacterSet::Kanji, 0x21..=0x7E) => match rest.get(1) {
                None if !last => return 0,
                None | Some(&ESCAPE) => damaged,
                Some(&second) => (kanji(first, second), 2),
            },
            (CharacterSet::Katakana | CharacterSet::Kanji, _) => damaged,
        };
        out.push(char, raw, len);
        len
    }
}

/// Returns a character of JIS X 0208, which EUC-JP writes with the high bits set.
fn kanji(first: u8, second: u8) -> char {
    if !matches!(second, 0x21..=0x7E) {
        return char::REPLACEMENT_CHARACTER;
    }
    let mut text = [0; 8];
    let mut decoder = EUC_JP.new_decoder_without_bom_handling();
    let (_, _, written, _) =
        decoder.decode_to_utf8(&[first | 0x80, second | 0x80], &mut text, true);
    let text = str::from_utf8(&text[..written]).unwrap_or_default();
    text.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::in_pieces::in_pieces;
    use crate::item::OffsetMap;
    use encoding_rs::ISO_2022_JP;
    use proptest::prelude::*;

    /// Returns the text of `bytes` in pieces of these sizes, and its map.
    fn decoded(bytes: &[u8], sizes: &[usize]) -> (String, OffsetMap) {
        let mut decoder = Iso2022Jp::default();
        let mut decoded = MappedText::default();
        in_pieces(bytes.len(), sizes, |window, last| {
            let from = window.start;
            decoder.decode((&bytes[window], from), last, &mut decoded)
        });
        let text = String::from_utf8(decoded.text).unwrap();
        (text, decoded.map)
    }

    fn check(bytes: &[u8], sizes: &[usize]) {
        let (text, map) = decoded(bytes, sizes);
        let (wanted, _) = ISO_2022_JP.decode_without_bom_handling(bytes);
        assert_eq!(text, wanted, "{bytes:x?}");
        let mut places = map.places(text.as_bytes());
        let mut end = 0;
        for (at, char) in text.char_indices() {
            let (from, len) = places.span(at..at + char.len_utf8());
            // Bytes between characters are escape sequences.
            let gap = &bytes[end as usize..from as usize];
            assert!(
                gap.chunks(3).all(|part| part[0] == ESCAPE),
                "{map:?} of {bytes:x?}"
            );
            end = from + len;
            if char.is_ascii() {
                assert_eq!(bytes[from as usize], char as u8);
                assert_eq!(len, 1);
            }
        }
    }

    #[test]
    fn escapes_choose_the_characters() {
        for bytes in [
            &b"a\x1B$BF|K\\\x1B(Bb"[..],
            b"\x1B(J\\~a\x1B(I1\x7F\x1B(Bx",
            b"\x1B$B\x1B(Ba",
            b"\x1B$BF\x1B(Ba",
            b"\x1B$BFa\nF|",
            b"\x1B$\x1B(C\x1B",
            b"\x1B$BF",
            b"\x0E\x80",
        ] {
            check(bytes, &[bytes.len()]);
            check(bytes, &[1]);
        }
        assert_eq!(decoded(b"\x1B$BF|K\\\x1B(Bb", &[9]).0, "日本b");
    }

    proptest! {
        #[test]
        fn text_is_that_of_the_crate(
            parts in prop::collection::vec(prop::sample::select(vec![
                &b"\x1B(B"[..], b"\x1B(J", b"\x1B(I", b"\x1B$B", b"\x1B$@", b"\x1B", b"(", b"$",
                b"a", b"\\~", b"F|", b"K\\", b"\n", b"\x80", b"\x0E", b"1", b"<a>",
            ]), 0..20),
            sizes in prop::collection::vec(1usize..5, 1..8),
        ) {
            check(&parts.concat(), &sizes);
        }
    }
}
