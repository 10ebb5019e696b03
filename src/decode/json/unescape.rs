//! The escapes in a string of JSON (RFC 8259 section 7), and those that JSON5 adds.

use crate::item::{Encoding, OffsetMap};

/// Appends `text`, the inside of a string, without its escapes, and completes its map. Half of
/// a surrogate pair becomes U+FFFD; an escaped character that needs no escape is kept, and an
/// escaped line break is removed (JSON5 section 5.2).
pub(in crate::decode) fn unescape(text: &[u8], out: &mut Vec<u8>, mut map: Option<&mut OffsetMap>) {
    let from = out.len();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &text[at..]) {
        out.extend_from_slice(&text[at..at + found]);
        at += found;
        let place = out.len() - from;
        let broken = match text[at + 1..] {
            [b'\r', b'\n', ..] => 3,
            [b'\n', ..] => 2,
            _ => 0,
        };
        if broken > 0 {
            at += broken;
            if let Some(map) = &mut map {
                map.push(place, at as u64, Encoding::Raw);
            }
            continue;
        }
        let mut utf8 = [0; 4];
        let (unit, len) = match escape(&text[at..]) {
            Some((char, len)) => (char.encode_utf8(&mut utf8).as_bytes(), len),
            // A backslash at the end of a text.
            None if at + 1 == text.len() => (&text[at..], 1),
            // The first byte of a character outside ASCII.
            None => (&text[at + 1..at + 2], 2),
        };
        if let Some(map) = &mut map {
            map.push_unit(place, at as u64, unit.len() as u32, len as u32);
        }
        out.extend_from_slice(unit);
        at += len;
    }
    out.extend_from_slice(&text[at..]);
}

/// Returns the character of the escape at the start of `text`, and its length.
pub(in crate::decode) fn escape(text: &[u8]) -> Option<(char, usize)> {
    let char = match *text.get(1)? {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return Some(unicode(text).unwrap_or(('u', 2))),
        b'x' => return Some(hexadecimal(text).unwrap_or(('x', 2))),
        byte if byte.is_ascii() => char::from(byte),
        _ => return None,
    };
    Some((char, 2))
}

/// Returns the character of `\uXXXX` or of a surrogate pair, and its length. A lone
/// surrogate is not a character.
fn unicode(text: &[u8]) -> Option<(char, usize)> {
    let first = unit(text)?;
    if let Some(char) = char::from_u32(first) {
        return Some((char, 6));
    }
    let second = unit(&text[6..]).filter(|unit| (0xDC00..0xE000).contains(unit));
    let pair = second
        .filter(|_| first < 0xDC00)
        .and_then(|second| char::from_u32(0x10000 + ((first - 0xD800) << 10 | (second - 0xDC00))));
    Some(pair.map_or((char::REPLACEMENT_CHARACTER, 6), |char| (char, 12)))
}

/// Returns the character of `\xXX`, and its length (JSON5 section 5.1).
fn hexadecimal(text: &[u8]) -> Option<(char, usize)> {
    let digit = |at: usize| char::from(*text.get(at)?).to_digit(16);
    let char = char::from_u32(digit(2)? << 4 | digit(3)?)?;
    Some((char, 4))
}

/// Returns the number of `\uXXXX` at the start of `text`.
fn unit(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(br"\u")?.get(..4)?;
    digits.iter().try_fold(0, |value, &digit| {
        Some(value << 4 | char::from(digit).to_digit(16)?)
    })
}

/// Returns the number of bytes at the start of `raw` that `len` bytes of its text are.
#[cfg(feature = "html")]
pub(in crate::decode) fn raw_len(raw: &[u8], len: usize) -> usize {
    let (mut at, mut text) = (0, 0);
    while text < len && at < raw.len() {
        let unit = match raw[at] {
            b'\\' => escape(&raw[at..]).map(|(char, escaped)| (char.len_utf8(), escaped)),
            _ => None,
        };
        let (utf8, escaped) = unit.unwrap_or((1, 1));
        text += utf8;
        at += escaped;
    }
    at
}

#[cfg(all(test, feature = "html"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unescaped(raw: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        unescape(raw, &mut text, None);
        text
    }

    proptest! {
        #[test]
        fn texts_come_back(text in "[a\"\\\\/\n\u{e9}\u{1F600} ]{0,12}", from in 0usize..30, to in 0usize..30) {
            let escaped: String = text.encode_utf16().map(|unit| match unit {
                b if b == u16::from(b'a') => "a".to_owned(),
                b if b == u16::from(b'/') => "\\/".to_owned(),
                _ => format!("\\u{unit:04x}"),
            }).collect();
            let raw = escaped.as_bytes();
            prop_assert_eq!(String::from_utf8(unescaped(raw)).unwrap(), text.clone());
            if let Some(part) = text.get(from..to.max(from)) {
                let range = raw_len(raw, from)..raw_len(raw, to.max(from));
                prop_assert_eq!(String::from_utf8(unescaped(&raw[range])).unwrap(), part);
            }
        }
    }
}
