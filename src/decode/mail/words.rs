//! Encoded words (RFC 2047): text of a field in another charset, as base64 or in the form of
//! quoted-printable. Words with the same charset are joined before they are decoded, so that
//! they may divide a character.

use super::super::markup::{Converter, MappedText};
use crate::item::{Encoding as Relation, OffsetMap};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};
use std::ops::Range;

/// An encoded word.
struct EncodedWord<'t> {
    range: Range<usize>,
    charset: &'static Encoding,
    is_base64: bool,
    /// The offset of the encoded text, and the text.
    at: usize,
    text: &'t [u8],
}

/// Returns the text of `value` with its encoded words decoded, and the map to it; `None`
/// where it has none (M4).
pub(super) fn decode_words(value: &[u8]) -> Option<MappedText> {
    let mut next = find_word(value, 0)?;
    let mut out = MappedText::default();
    let mut at = 0;
    loop {
        push_raw(value, at..next.range.start, &mut out);
        // The words that follow with blanks between them and the same charset.
        let mut words = vec![next];
        let following = loop {
            let last = words.last().map_or(at, |word| word.range.end);
            let Some(word) = find_word(value, last) else {
                break None;
            };
            let is_near = value[last..word.range.start]
                .iter()
                .all(u8::is_ascii_whitespace);
            let is_joined = words
                .first()
                .is_some_and(|first| first.charset == word.charset);
            match is_near && is_joined {
                true => words.push(word),
                false if is_near => break Some((word, true)),
                false => break Some((word, false)),
            }
        };
        at = words.last().map_or(at, |word| word.range.end);
        push_words(&words, &mut out);
        match following {
            None => break,
            Some((word, is_near)) => {
                if is_near {
                    at = word.range.start;
                }
                next = word;
            }
        }
    }
    push_raw(value, at..value.len(), &mut out);
    Some(out)
}

/// Decodes bytes in a charset; `None` where it is not known.
pub(super) fn decode_bytes(charset: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
    let encoding = Encoding::for_label_no_replacement(charset)?;
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    Some(text.into_owned().into_bytes())
}

/// Appends text that is written as it is.
fn push_raw(value: &[u8], range: Range<usize>, out: &mut MappedText) {
    let at = out.text.len();
    out.map.push(at, range.start as u64, Relation::Raw);
    out.text.extend_from_slice(&value[range]);
}

/// Returns the first encoded word from `from` on, in a known charset.
fn find_word(value: &[u8], from: usize) -> Option<EncodedWord<'_>> {
    // A value is short: a search for one byte begins faster than that for two.
    let marks = memchr::memchr_iter(b'?', &value[from..]).map(|at| from + at);
    let mut starts = marks.filter(|at| *at > from && value[at - 1] == b'=');
    starts.find_map(|at| word_at(value, at - 1))
}

/// Returns the encoded word at `at`: `=?charset?B|Q?text?=` without a blank.
fn word_at(value: &[u8], at: usize) -> Option<EncodedWord<'_>> {
    let rest = &value[at + 2..];
    let charset_len = memchr::memchr(b'?', rest)?;
    let is_base64 = match rest.get(charset_len + 1)? {
        b'B' | b'b' => true,
        b'Q' | b'q' => false,
        _ => return None,
    };
    let text = rest.get(charset_len + 2..)?.strip_prefix(b"?")?;
    let len = memchr::memchr(b'?', text)?;
    let text_at = at + 2 + charset_len + 3;
    if text.get(len + 1) != Some(&b'=') {
        return None;
    }
    let (charset, text) = (&rest[..charset_len], &text[..len]);
    if charset.iter().chain(text).any(u8::is_ascii_whitespace) {
        return None;
    }
    // A language may follow the charset (RFC 2231 section 5).
    let label = charset.split(|&b| b == b'*').next().unwrap_or_default();
    Some(EncodedWord {
        range: at..text_at + len + 2,
        charset: Encoding::for_label_no_replacement(label)?,
        is_base64,
        at: text_at,
        text,
    })
}

/// Appends the text of words with one charset. A word in base64 has no bytes of its own, so
/// the text of words of which one is in base64 covers them all (O1).
fn push_words(words: &[EncodedWord], out: &mut MappedText) {
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return;
    };
    let mut bytes = Vec::new();
    let mut map = OffsetMap::IDENTITY;
    for word in words {
        match word.is_base64 {
            true => push_base64(word.text, &mut bytes),
            false => push_q(word, first.range.start, &mut bytes, &mut map),
        }
    }
    let mut text = Vec::new();
    let mut own = OffsetMap::IDENTITY;
    let charset = first.charset;
    let is_changed = if [UTF_16LE, UTF_16BE, ISO_2022_JP].contains(&charset) {
        let (decoded, _) = charset.decode_without_bom_handling(&bytes);
        text.extend_from_slice(decoded.as_bytes());
        true
    } else {
        Converter::new(charset).convert(&bytes, &mut text, Some(&mut own))
    };
    let is_stateful = !charset.is_ascii_compatible();
    if !is_changed {
        text.clone_from(&bytes);
    }
    let at = out.text.len();
    if words.iter().any(|word| word.is_base64) || is_stateful {
        let span = first.range.start..last.range.end;
        let [len, raw_len] = [text.len(), span.len()].map(|len| len as u32);
        out.map.push(at, span.start as u64, Relation::Raw);
        out.map.push_unit(at, span.start as u64, len, raw_len);
    } else {
        let composed = match charset == UTF_8 && !is_changed {
            true => map,
            false => own.compose(&text, &map, &bytes),
        };
        out.map.append(at, first.range.start as u64, &composed);
    }
    out.text.extend_from_slice(&text);
}

/// Appends the bytes of a word in the form of quoted-printable, and their places, which count
/// from `base`.
fn push_q(word: &EncodedWord, base: usize, bytes: &mut Vec<u8>, map: &mut OffsetMap) {
    let text_at = word.at - base;
    map.push(bytes.len(), text_at as u64, Relation::Raw);
    let mut at = 0;
    while let Some(&byte) = word.text.get(at) {
        let hex = |at: usize| Some(char::from(*word.text.get(at)?).to_digit(16)? as u8);
        let raw = (text_at + at) as u64;
        match (byte, hex(at + 1), hex(at + 2)) {
            (b'=', Some(high), Some(low)) => {
                map.push_unit(bytes.len(), raw, 1, 3);
                bytes.push(high << 4 | low);
                at += 3;
            }
            _ => {
                bytes.push(if byte == b'_' { b' ' } else { byte });
                at += 1;
            }
        }
    }
}

/// Appends the bytes of base64. Other bytes are skipped.
fn push_base64(text: &[u8], out: &mut Vec<u8>) {
    let (mut bits, mut count) = (0_u32, 0);
    for &byte in text {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        count += 1;
        if count % 4 != 1 {
            let shift = match count % 4 {
                2 => 4,
                3 => 2,
                _ => 0,
            };
            out.push((bits >> shift) as u8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text, and the raw bytes of the range of `found` in it.
    fn decoded(value: &str, found: &str) -> (String, String) {
        let MappedText { text, map } = decode_words(value.as_bytes()).unwrap();
        let text = String::from_utf8(text).unwrap();
        let at = text.find(found).unwrap();
        let (from, len) = map.places(text.as_bytes()).span(at..at + found.len());
        let raw = &value[from as usize..(from + len) as usize];
        (text.clone(), raw.to_owned())
    }

    #[test]
    fn words_have_their_bytes() {
        for (value, found, text, raw) in [
            ("a =?utf-8?Q?b=3Ac_d?= e", "b:c", "a b:c d e", "b=3Ac"),
            (
                "=?utf-8?q?a=C3?=\r\n =?UTF-8?Q?=A9b?= c",
                "\u{e9}b",
                "a\u{e9}b c",
                "=C3?=\r\n =?UTF-8?Q?=A9b",
            ),
            (
                "x =?utf-8?B?c2Vl?= =?utf-8?B?IG1l?= y",
                "see me",
                "x see me y",
                "=?utf-8?B?c2Vl?= =?utf-8?B?IG1l?=",
            ),
            (
                "<=?iso-8859-1*fr?Q?caf=E9?=>",
                "caf\u{e9}",
                "<caf\u{e9}>",
                "caf=E9",
            ),
            ("=?utf-8?Q?a?= =?latin1?Q?b?=", "b", "ab", "b"),
            (
                "=?nothing?Q?a?= =?utf-8?Q?b?= z",
                "b z",
                "=?nothing?Q?a?= b z",
                "b?= z",
            ),
        ] {
            assert_eq!(
                decoded(value, found),
                (text.to_owned(), raw.to_owned()),
                "{value}"
            );
        }
        for none in [
            "a",
            "=?utf-8?X?a?=",
            "=?utf-8?Q?a b?=",
            "=?utf-8?Q?a",
            "=?x?Q?a?=",
        ] {
            assert!(decode_words(none.as_bytes()).is_none(), "{none}");
        }
    }
}
