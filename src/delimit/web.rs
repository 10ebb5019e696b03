//! The start of most candidates: recognizes `http` or `https` before `://` by one
//! comparison, and the meaning of the byte before it by one table. When more bytes
//! matter, `start` decides.

use super::start::{self, Opener, OpenerForm, Opening};
use crate::syntax::class::is_of_leader;

/// The meaning of a byte directly before `http`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// The scheme may start elsewhere.
    Unsure,
    /// The scheme starts after the byte, and no wrapper opens.
    Nothing,
    /// The scheme starts after the byte, a blank; a prefix may precede the blank.
    Blank,
    /// The byte opens a wrapper, which this other byte closes.
    Opener(u8),
    /// The scheme may start elsewhere, after an ANSI sequence (S4).
    Ansi,
    /// The byte may be the last one of an opener.
    Part,
}

static BEFORE: [Before; 256] = {
    let mut table = [Before::Nothing; 256];
    let mut i = 0;
    while i < 256 {
        let byte = i as u8;
        table[i] = match byte {
            b'+' | b'-' | b'.' | b'$' | 0x1F => Before::Unsure,
            _ if byte.is_ascii_alphanumeric() => Before::Unsure,
            // The last bytes of `ƒ` and `‡` (W8).
            0x92 | 0xA1 => Before::Unsure,
            b' ' | b'\t' | b'\n' | b'\r' | 0x0C => Before::Blank,
            b'"' | b'\'' | b'`' => Before::Opener(byte),
            b'<' => Before::Opener(b'>'),
            b'(' => Before::Opener(b')'),
            b'{' => Before::Opener(b'}'),
            b'[' | b';' | b':' | b'?' => Before::Ansi,
            // The last bytes of typographic quotes.
            0x98 | 0x9C | 0x9E | 0xAB => Before::Part,
            _ => Before::Nothing,
        };
        i += 1;
    }
    table
};

/// Whether a byte before a blank (bit 0) or before a line break (bit 1) that precedes a
/// candidate may belong to a prefix or to an opener (S5, W4).
static BEFORE_BLANK: [u8; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = match i as u8 {
            b':' | b';' | b'<' | b' ' | b'\t' | b'\n' | b'\r' | 0x0C => 3,
            byte if is_of_leader(byte) => 1,
            _ => 0,
        };
        i += 1;
    }
    table
};

/// Returns the start of the `http` or `https` before the `://` at `colon`, and the prefix
/// and opener before it; `None` when the scheme is, or may be, another one.
#[inline(always)]
pub(super) fn web_before(text: &[u8], colon: usize) -> Option<(usize, Opening)> {
    let Some(from) = colon.checked_sub(b"https".len()) else {
        return text
            .starts_with(b"http://")
            .then(|| without_opener(0, None));
    };
    let word: &[u8; 8] = text.get(from..colon + 3)?.try_into().ok()?;
    let at = if word == b"https://" {
        from
    } else if word[1..] == *b"http://" {
        from + 1
    } else {
        return None;
    };
    let Some(&[second, before]) = text[..at].last_chunk() else {
        return (at == 0).then(|| without_opener(0, None));
    };
    let is_certain = match BEFORE[before as usize] {
        Before::Unsure => return None,
        Before::Nothing => true,
        Before::Blank => {
            let is_break = !matches!(before, b' ' | b'\t');
            BEFORE_BLANK[second as usize] >> u8::from(is_break) & 1 == 0
        }
        Before::Opener(closer) => {
            // `=` is of a prefix before `<` only (S5).
            if second == b'\\' || (second == b'=' && before == b'<') {
                return Some((at, start::opening_before(text, at)));
            }
            return Some((at, opening(at, before, closer)));
        }
        Before::Ansi if before == b'[' => {
            if matches!(second, 0x1B | b'b' | b'B' | b'3' | b'e') {
                return None;
            }
            return Some((at, opening(at, before, b']')));
        }
        Before::Ansi => {
            if matches!(second, b'0'..=b'9' | b';' | b':' | b'?' | b'[') {
                return None;
            }
            before == b'?'
        }
        Before::Part => false,
    };
    if !is_certain {
        return Some((at, start::opening_before(text, at)));
    }
    Some(without_opener(at, Some(before)))
}

/// Returns the start and the opening of a candidate at `at` behind a byte that opens nothing, or
/// at the start of its text.
#[inline(always)]
fn without_opener(at: usize, before: Option<u8>) -> (usize, Opening) {
    let opening = Opening {
        url_prefix: false,
        opener: None,
        start: at,
        before,
        above: None,
    };
    (at, opening)
}

/// Returns the opening of a candidate at `at` after a raw opener.
fn opening(at: usize, opener: u8, closer: u8) -> Opening {
    Opening {
        url_prefix: false,
        opener: Some(Opener {
            char: opener as char,
            closer: closer as char,
            form: OpenerForm::Raw,
        }),
        start: at - 1,
        before: Some(opener),
        above: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the result of the general rules for the same colon.
    fn by_the_rules(text: &[u8], colon: usize) -> Option<(usize, Opening)> {
        let scheme = start::scheme_before(text, colon).filter(|s| s.field.is_none())?;
        Some((scheme.at, start::opening_before(text, scheme.at)))
    }

    /// Asserts that `left` before `http` and `https` is judged as by the rules, and returns how
    /// often it is judged.
    fn judged(left: &[u8]) -> usize {
        let mut known = 0;
        for name in ["http", "https"] {
            let text = [left, name.as_bytes(), b"://a"].concat();
            let colon = left.len() + name.len();
            if let Some(found) = web_before(&text, colon) {
                known += 1;
                assert_eq!(Some(found), by_the_rules(&text, colon), "{text:?}");
            }
        }
        known
    }

    #[test]
    fn all_pairs_of_bytes_before_are_judged_as_by_the_rules() {
        assert_eq!(judged(b""), 2);
        let mut known = 0;
        for first in 0..=255u8 {
            for second in 0..=255 {
                for left in [
                    &b""[..],
                    b"\x1b",
                    b"\x1b[",
                    b"URL:",
                    b"&quot",
                    b"\\x1b",
                    b"\xE2\x80",
                    b"<",
                    b"<\n",
                    b"<\n> ",
                    b"&lt",
                ] {
                    known += judged(&[left, &[first, second]].concat());
                }
            }
        }
        assert!(known > 600_000, "{known}");
    }

    #[test]
    fn other_schemes_are_left_to_the_rules() {
        for text in [
            "  ftp://a",
            "  HTTP://a",
            "  xhttp://a",
            "  http:/a",
            "xhttp://a",
            "ftp://a",
            "ttp://a",
        ] {
            let colon = text.find(':').unwrap();
            assert_eq!(web_before(text.as_bytes(), colon), None, "{text}");
        }
    }
}
