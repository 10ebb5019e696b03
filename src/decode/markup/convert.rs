//! Conversion of values and texts to UTF-8, with a map back to the raw bytes, from
//! encodings in which markup can be split on raw bytes. Documents in UTF-16 and
//! ISO-2022-JP are converted as a whole by `transcode`.

use super::map_writer::MapWriter;
use crate::item::{Encoding as Relation, OffsetMap};
use encoding_rs::{BIG5, Decoder, DecoderResult, EUC_JP, Encoding, GB18030, GBK, SHIFT_JIS, UTF_8};

/// The replacement character in UTF-8.
const REPLACEMENT: &[u8] = b"\xEF\xBF\xBD";

/// Converts the values and texts of a document to UTF-8. Its encoding is any of the
/// Encoding Standard except UTF-16 and ISO-2022-JP: no byte of a character outside ASCII
/// is one of `< > " ' & = ; / - ! ?` or a blank, so that markup can be split on raw
/// bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::decode) struct Converter {
    encoding: &'static Encoding,
}

impl Default for Converter {
    fn default() -> Converter {
        Converter { encoding: UTF_8 }
    }
}

impl Converter {
    /// Creates a converter from `encoding`, an extension of ASCII.
    pub fn new(encoding: &'static Encoding) -> Converter {
        Converter { encoding }
    }

    /// Returns `text` in the encoding of the document; a character that the encoding lacks
    /// becomes a reference by its number.
    #[cfg(feature = "marc")]
    pub fn written<'t>(&self, text: &'t str) -> std::borrow::Cow<'t, [u8]> {
        self.encoding.encode(text).0
    }

    /// Whether `bytes` are the text in each encoding: ASCII. Most values are short, so the last
    /// bytes are looked at as a word even if some of them were looked at before.
    #[inline]
    pub fn is_text(bytes: &[u8]) -> bool {
        const HIGH: u64 = u64::MAX / 0xFF * 0x80;
        let (words, rest) = bytes.as_chunks();
        let all = words
            .iter()
            .fold(0, |all, word| all | u64::from_ne_bytes(*word));
        let last = match bytes.last_chunk() {
            Some(last) => u64::from_ne_bytes(*last),
            None => rest.iter().fold(0, |all, byte| all | u64::from(*byte)),
        };
        (all | last) & HIGH == 0
    }

    /// Appends the text of `raw`, a value or a text of the document, to `out`, and writes
    /// the map from this text to `raw` into the empty `map`. Malformed bytes become
    /// U+FFFD. Returns false without writing when `raw` already is the text: ASCII, or
    /// valid UTF-8 in a UTF-8 document.
    pub fn convert(&self, raw: &[u8], out: &mut Vec<u8>, map: Option<&mut OffsetMap>) -> bool {
        if Converter::is_text(raw) {
            return false;
        }
        if self.encoding == UTF_8 {
            return repair(raw, out, map);
        }
        if !self.encoding.is_single_byte() {
            self.convert_characters(raw, out, map);
            return true;
        }
        let mut decoder = self.encoding.new_decoder_without_bom_handling();
        let from = out.len();
        reserve(&decoder, raw.len(), from, out);
        let (_, _, written, _) = decoder.decode_to_utf8(raw, &mut out[from..], true);
        out.truncate(from + written);
        if let Some(map) = map {
            map.push(0, 0, Relation::OneByte);
        }
        true
    }

    /// Converts from an encoding with characters of several bytes.
    fn convert_characters(&self, raw: &[u8], out: &mut Vec<u8>, map: Option<&mut OffsetMap>) {
        let mut writer = map.map(|map| MapWriter::new(map, Relation::Raw, 0));
        let mut decoder = self.encoding.new_decoder_without_bom_handling();
        let start = out.len();
        let (mut read, mut at) = (0, start);
        // The start of the valid characters that are not in the map yet.
        let (mut raw_from, mut from) = (0, start);
        loop {
            reserve(&decoder, raw.len() - read, at, out);
            let (result, taken, written) =
                decoder.decode_to_utf8_without_replacement(&raw[read..], &mut out[at..], true);
            read += taken;
            at += written;
            let (malformed, after) = match result {
                DecoderResult::Malformed(malformed, after) => (malformed, after as usize),
                DecoderResult::InputEmpty => (0, 0),
                DecoderResult::OutputFull => continue,
            };
            let raw_to = read - after - malformed as usize;
            if let Some(writer) = &mut writer {
                let (valid, text) = (&raw[raw_from..raw_to], &out[from..at]);
                self.map_characters((valid, raw_from), (text, from - start), writer);
            }
            if malformed == 0 {
                break;
            }
            if let Some(writer) = &mut writer {
                let place = (at - start, raw_to as u64);
                writer.unit(place, REPLACEMENT.len(), malformed.into());
            }
            out[at..at + REPLACEMENT.len()].copy_from_slice(REPLACEMENT);
            at += REPLACEMENT.len();
            (raw_from, from) = (read - after, at);
        }
        out.truncate(at);
    }

    /// Writes the map of the valid characters `raw`, at the offset `raw_from`, whose text
    /// is at `from`.
    fn map_characters(
        &self,
        (raw, raw_from): (&[u8], usize),
        (text, from): (&[u8], usize),
        writer: &mut MapWriter,
    ) {
        let (mut read, mut at) = (0, 0);
        while read < raw.len() {
            let ascii = Encoding::ascii_valid_up_to(&raw[read..]);
            if ascii > 0 {
                let place = (from + at, (raw_from + read) as u64);
                writer.ascii(place, ascii);
                (read, at) = (read + ascii, at + ascii);
                continue;
            }
            let rest = &raw[read..];
            let (raw_len, chars) = self.character(rest);
            let len = (0..chars).fold(0, |len, _| len + utf8_len(text.get(at + len)));
            let place = (from + at, (raw_from + read) as u64);
            match (raw_len, chars) {
                (1, 1) => writer.encoded(place, Relation::OneByte, 1),
                (2, 1) => writer.encoded(place, Relation::TwoBytes, 2),
                _ => writer.unit(place, len, raw_len),
            }
            (read, at) = (read + raw_len, at + len);
        }
    }

    /// Returns the length of the valid character outside ASCII at the start of `raw`, and
    /// the number of characters of Unicode that it is converted to.
    fn character(&self, raw: &[u8]) -> (usize, usize) {
        let (first, second) = (raw[0], raw.get(1).copied().unwrap_or_default());
        if self.encoding == SHIFT_JIS && matches!(first, 0x80 | 0xA1..=0xDF) {
            return (1, 1);
        }
        if self.encoding == EUC_JP && first == 0x8F {
            return (3, 1);
        }
        if self.encoding == GBK || self.encoding == GB18030 {
            return match (first, second) {
                (0x80, _) => (1, 1),
                (_, b'0'..=b'9') => (4, 1),
                _ => (2, 1),
            };
        }
        // A letter and its accent.
        let is_pair =
            self.encoding == BIG5 && first == 0x88 && matches!(second, 0x62 | 0x64 | 0xA3 | 0xA5);
        (2, if is_pair { 2 } else { 1 })
    }
}

/// Makes room in `out` for the text of `len` more bytes at `at`.
fn reserve(decoder: &Decoder, len: usize, at: usize, out: &mut Vec<u8>) {
    // Room for bytes inside the decoder, and for one replacement character.
    const MORE: usize = 16;
    let most = decoder
        .max_utf8_buffer_length(len)
        .unwrap_or(usize::MAX / 2);
    if out.len() < at + most {
        out.resize(at + most + MORE, 0);
    }
}

/// Returns the length of the character of valid UTF-8 that begins with `first`.
fn utf8_len(first: Option<&u8>) -> usize {
    match first {
        Some(0xF0..) => 4,
        Some(0xE0..) => 3,
        Some(0xC0..) => 2,
        _ => 1,
    }
}

/// Appends `raw` with each malformed sequence replaced, unless it is valid UTF-8.
fn repair(raw: &[u8], out: &mut Vec<u8>, mut map: Option<&mut OffsetMap>) -> bool {
    if std::str::from_utf8(raw).is_ok() {
        return false;
    }
    let (start, mut read) = (out.len(), 0);
    for chunk in raw.utf8_chunks() {
        let valid = chunk.valid().as_bytes();
        out.extend_from_slice(valid);
        read += valid.len();
        let malformed = chunk.invalid().len();
        if malformed > 0 {
            let at = out.len() - start;
            out.extend_from_slice(REPLACEMENT);
            if let Some(map) = &mut map {
                let len = REPLACEMENT.len() as u32;
                map.push_unit(at, read as u64, len, malformed as u32);
            }
            read += malformed;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every encoding of the Encoding Standard in which markup is split on raw bytes.
    fn encodings() -> Vec<&'static Encoding> {
        let names = "utf-8 ibm866 iso-8859-2 iso-8859-8 koi8-r macintosh windows-874 windows-1252 \
            windows-1258 x-mac-cyrillic x-user-defined gbk gb18030 big5 euc-jp shift_jis euc-kr";
        let of = |name: &str| Encoding::for_label(name.as_bytes()).unwrap();
        names.split_whitespace().map(of).collect()
    }

    /// Decodes `raw` only by the crate.
    fn whole_text(encoding: &'static Encoding, raw: &[u8]) -> Vec<u8> {
        let (text, _) = encoding.decode_without_bom_handling(raw);
        text.into_owned().into_bytes()
    }

    fn converted(encoding: &'static Encoding, raw: &[u8]) -> (Vec<u8>, OffsetMap) {
        // The earlier content is kept.
        let (mut text, mut map) = (b"before".to_vec(), OffsetMap::IDENTITY);
        match Converter::new(encoding).convert(raw, &mut text, Some(&mut map)) {
            true => (text.split_off(6), map),
            false => (raw.to_vec(), map),
        }
    }

    /// The raw bytes of each character can be converted again to that character.
    fn check_map(encoding: &'static Encoding, raw: &[u8]) {
        let (bytes, map) = converted(encoding, raw);
        assert_eq!(
            bytes,
            whole_text(encoding, raw),
            "{} {raw:x?}",
            encoding.name()
        );
        let text = String::from_utf8(bytes).unwrap();
        let mut places = map.places(text.as_bytes());
        let mut end = 0;
        for (at, char) in text.char_indices() {
            let (from, len) = places.span(at..at + char.len_utf8());
            let next = from + len;
            assert!(from == end || next == end, "{map:?} of {raw:x?}");
            end = next;
            let again = whole_text(encoding, &raw[from as usize..next as usize]);
            let again = String::from_utf8(again).unwrap();
            assert!(
                again.contains(char),
                "{char:?} of {raw:x?} by {}",
                encoding.name()
            );
        }
        assert_eq!(end, raw.len() as u64);
    }

    /// No byte of a character outside ASCII is one at which markup is split.
    #[test]
    fn markup_can_be_split_on_raw_bytes() {
        for encoding in encodings() {
            for byte in b"<>\"'&=;/-!?# \t\n\r\x0C" {
                for lead in 0x80..=0xFF {
                    for before in [
                        &[lead][..],
                        &[lead, b'0', 0x81],
                        &[0x8F, lead],
                        &[lead, b'0'],
                    ] {
                        let text = whole_text(encoding, &[before, &[*byte]].concat());
                        assert_eq!(text.last(), Some(byte), "{} {lead:x}", encoding.name());
                    }
                }
            }
        }
    }

    #[test]
    fn maps_have_few_runs() {
        let runs = |encoding: &'static Encoding, text: &str| {
            let (raw, _, lossy) = encoding.encode(text);
            assert!(!lossy);
            check_map(encoding, &raw);
            let (text, map) = converted(encoding, &raw);
            let mut places = map.places(text.as_slice());
            assert_eq!(places.span(0..text.len()), (0, raw.len() as u64));
            map.runs()
        };
        assert_eq!(runs(encoding_rs::WINDOWS_1252, &"aé€".repeat(99)), 1);
        assert_eq!(runs(SHIFT_JIS, &"a日本".repeat(99)), 1);
        assert_eq!(runs(SHIFT_JIS, &"日本ｱｲｳ".repeat(9)), 18);
        assert_eq!(runs(GBK, &"a中文".repeat(99)), 1);
        assert_eq!(runs(BIG5, &"a中文".repeat(99)), 1);
        assert_eq!(runs(encoding_rs::EUC_KR, &"a한글".repeat(99)), 1);
    }

    #[test]
    fn text_that_needs_no_conversion_is_left_alone() {
        let mut text = Vec::new();
        for (encoding, raw) in [(SHIFT_JIS, &b"a\\~"[..]), (UTF_8, "é".as_bytes())] {
            assert!(!Converter::new(encoding).convert(raw, &mut text, None));
        }
        assert!(text.is_empty());
    }

    fn raw() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![
            any::<u8>(),
            0x80u8..=0xFF,
            prop::sample::select(b"0a@{ \x88\x62\xA5\x8E\x8F\x80\xFF".to_vec()),
        ];
        prop::collection::vec(byte, 0..24)
    }

    #[test]
    fn every_byte_beyond_ascii_is_seen() {
        for len in 0..100 {
            let mut bytes = vec![0x7F; len];
            assert!(Converter::is_text(&bytes));
            for at in 0..len {
                bytes[at] = 0x80;
                assert!(!Converter::is_text(&bytes), "{at} of {len}");
                bytes[at] = 0;
            }
        }
    }

    proptest! {
        #[test]
        fn characters_have_their_bytes(raw in raw(), encoding in prop::sample::select(encodings())) {
            check_map(encoding, &raw);
        }
    }
}
