//! MARC-8 and ISO 5426: sets that escape sequences designate, and marks that precede
//! their letters. Each subfield starts with the initial sets.

use super::characters::{
    ANSEL, ASCII, EACC, ISO_5426, SetCharacter, character, east_asian, is_set,
};
use super::pieces::{TextPiece, TextPieces, WAITING_MAX};
use std::ops::Range;

pub(in crate::decode::catalog) const ESCAPE: u8 = 0x1B;

/// WaitingMarks that wait for the letter after them.
#[derive(Default)]
struct WaitingMarks(Vec<TextPiece>);

impl WaitingMarks {
    fn letter(&mut self, char: char, raw: Range<usize>, decoded: &mut TextPieces) {
        decoded.push(char, raw);
        decoded.append(&mut self.0);
    }

    fn character(
        &mut self,
        found: Option<SetCharacter>,
        raw: Range<usize>,
        decoded: &mut TextPieces,
    ) {
        match found {
            Some(SetCharacter {
                char,
                combines: true,
            }) => {
                if self.0.len() == WAITING_MAX {
                    decoded.append(&mut self.0);
                }
                self.0.push(TextPiece { char, raw });
            }
            Some(SetCharacter { char, .. }) => self.letter(char, raw, decoded),
            None => {
                decoded.append(&mut self.0);
                decoded.lose(raw);
            }
        }
    }
}

/// Decodes MARC-8.
pub(in crate::decode::catalog) fn decode(raw: &[u8], decoded: &mut TextPieces) {
    let (mut g0, mut g1) = (ASCII, ANSEL);
    let mut marks = WaitingMarks::default();
    let mut at = 0;
    while let Some(&byte) = raw.get(at) {
        let rest = &raw[at..];
        if byte == ESCAPE {
            match Designation::of(rest) {
                Some(Designation { is_g1, set, len }) => {
                    *(if is_g1 { &mut g1 } else { &mut g0 }) = set;
                    at += len;
                }
                None => {
                    marks.character(None, at..at + 1, decoded);
                    at += 1;
                }
            }
            continue;
        }
        let set = if byte < 0x80 { g0 } else { g1 };
        let mut len = 1;
        match byte {
            0x00..=0x20 | 0x7F => marks.letter(char::from(byte), at..at + 1, decoded),
            // WaitingMarks of a part that is not sorted, and joiners.
            0x88 => decoded.push('\u{98}', at..at + 1),
            0x89 => decoded.push('\u{9C}', at..at + 1),
            0x8D => decoded.push('\u{200D}', at..at + 1),
            0x8E => decoded.push('\u{200C}', at..at + 1),
            0x80..=0xA0 | 0xFF => marks.character(None, at..at + 1, decoded),
            _ if set == EACC => {
                let code = rest.first_chunk::<3>();
                // Only the code that other bytes interrupt is lost.
                let code = code.filter(|code| code.iter().all(|byte| byte & 0x7F > 0x20));
                len = if code.is_some() { 3 } else { 1 };
                let char = code.and_then(|code| east_asian(*code));
                let found = char.map(|char| SetCharacter {
                    char,
                    combines: false,
                });
                marks.character(found, at..at + len, decoded);
            }
            b'&' if set == ASCII => match reference(rest) {
                Some((char, found)) => {
                    len = found;
                    marks.letter(char, at..at + len, decoded);
                }
                None => marks.letter('&', at..at + 1, decoded),
            },
            _ => marks.character(character(set, byte), at..at + 1, decoded),
        }
        at += len;
    }
    decoded.append(&mut marks.0);
}

/// Decodes ISO 5426 above ISO 646.
pub(in crate::decode::catalog) fn decode_iso5426(raw: &[u8], decoded: &mut TextPieces) {
    let mut marks = WaitingMarks::default();
    for (at, &byte) in raw.iter().enumerate() {
        let raw = at..at + 1;
        match byte {
            0x88 => decoded.push('\u{98}', raw),
            0x89 => decoded.push('\u{9C}', raw),
            0..=0x7F => marks.letter(char::from(byte), raw, decoded),
            _ => marks.character(character(ISO_5426, byte), raw, decoded),
        }
    }
    decoded.append(&mut marks.0);
}

/// An escape sequence that designates a set.
pub(in crate::decode::catalog) struct Designation {
    pub is_g1: bool,
    pub set: u8,
    pub len: usize,
}

impl Designation {
    /// Reads the designation at the start of `bytes`.
    pub fn of(bytes: &[u8]) -> Option<Designation> {
        let designates = |is_g1, set, len| is_set(set).then_some(Designation { is_g1, set, len });
        match *bytes.get(1..)? {
            [b's', ..] => designates(false, ASCII, 2),
            [set @ (b'g' | b'b' | b'p'), ..] => designates(false, set, 2),
            [b'(' | b',', b'!', set, ..] => designates(false, set, 4),
            [b')' | b'-', b'!', set, ..] => designates(true, set, 4),
            [b'(' | b',', set, ..] => designates(false, set, 3),
            [b')' | b'-', set, ..] => designates(true, set, 3),
            [b'$', b'(' | b',', EACC, ..] => designates(false, EACC, 4),
            [b'$', b')' | b'-', EACC, ..] => designates(true, EACC, 4),
            [b'$', EACC, ..] => designates(false, EACC, 3),
            _ => None,
        }
    }
}

/// Reads a reference by number, `&#xHHHH;`; returns its character and its length.
pub(in crate::decode::catalog) fn reference(bytes: &[u8]) -> Option<(char, usize)> {
    let digits = bytes.strip_prefix(b"&#x")?;
    let len = digits.iter().take(7).position(|&byte| byte == b';')?;
    let digits = std::str::from_utf8(&digits[..len]).ok()?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let number = u32::from_str_radix(digits, 16).ok()?;
    Some((char::from_u32(number)?, "&#x".len() + len + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &[u8]) -> (String, bool) {
        let mut pieces = Vec::new();
        let mut decoded = TextPieces {
            pieces: &mut pieces,
            is_lossy: false,
            written: None,
        };
        decode(raw, &mut decoded);
        let is_lossy = decoded.is_lossy;
        (pieces.iter().map(|piece| piece.char).collect(), is_lossy)
    }

    fn check(raw: &[u8], wanted: &str) {
        assert_eq!(text(raw), (wanted.to_owned(), false), "{raw:x?}");
    }

    #[test]
    fn sets_are_designated() {
        check(b"\x1B(Na\x1B(Bb", "\u{410}b");
        check(b"\x1B(2`a\x1Bsa", "\u{5D0}\u{5D1}a");
        check(b"\x1B$1!0! !0!\x1B(B.", "\u{4E00} \u{4E00}.");
        check(b"\x1B$)1\xA1\xB0\xA1a", "\u{4E00}a");
        check(b"\x1B$,1!0!", "\u{4E00}");
        check(b"\x1Bb2\x1Bsx\x1Bp2\x1Bs", "\u{2082}x\u{B2}");
        check(b"\x1Bga\x1Bs", "\u{3B1}");
        check(b"\x1B)3\xC7", "\u{627}");
        check(b"\x1B)!E\xB2", "\u{F8}");
        check(b"\x1B-N\xC1", "\u{430}");
    }

    #[test]
    fn marks_follow_their_letters() {
        check(b"\xE2e", "e\u{301}");
        check(b"\xE2\xF2e", "e\u{301}\u{323}");
        check(b"e\xE2", "e\u{301}");
        check(b"\xE2 a", " \u{301}a");
        check(b"\x88The \x89x", "\u{98}The \u{9C}x");
    }

    #[test]
    fn references_by_number_are_decoded() {
        check(
            b"a&#x0F;b &#xE000 &#xZZ; &#x;",
            "a\u{F}b &#xE000 &#xZZ; &#x;",
        );
        check(b"&#x6F22;&amp;", "\u{6F22}&amp;");
    }

    #[test]
    fn what_is_unknown_is_replaced() {
        for (raw, wanted) in [
            (&b"a\x1B"[..], "a\u{FFFD}"),
            (b"\x1B$1!!", "\u{FFFD}\u{FFFD}"),
            (b"\x1B$1!!!", "\u{FFFD}"),
            (b"\x1B(X", "\u{FFFD}(X"),
            (b"\xAF\xFFa", "\u{FFFD}\u{FFFD}a"),
        ] {
            assert_eq!(text(raw), (wanted.to_owned(), true), "{raw:x?}");
        }
    }
}
