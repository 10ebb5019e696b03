//! The tokens of JSON and of its dialects (J1), one at a time. A token is not checked: the
//! decoder decides what it means.

use crate::syntax::steps;

/// The longest string that is read as one. A longer one is text (J7).
pub(super) const STRING_MAX: usize = 1 << 20;

/// The longest name or number that is read as one.
const WORD_MAX: usize = 4 << 10;

/// A token at the start of a text, with its length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonToken {
    /// Blanks, and separators of records (RFC 7464).
    Blank(usize),
    Comma,
    Colon,
    /// Whether an object begins, and not an array.
    Open {
        object: bool,
    },
    /// Whether an object ends, and not an array.
    Close {
        object: bool,
    },
    /// A string, with its quotes.
    String {
        len: usize,
        escaped: bool,
    },
    /// A string that a line break or the end of the text ends.
    TornString,
    /// A string of more than [`STRING_MAX`] bytes.
    LongString,
    /// The two bytes that begin a comment: one that ends with its line, or one that ends with
    /// `*/`.
    Comment {
        line: bool,
    },
    /// A name, a number or other text.
    Word(usize),
    /// A word that is too long to be a name or a number.
    LongWord,
}

impl JsonToken {
    /// The number of its bytes; `None` for a token of which only the beginning is known.
    pub(super) fn known_len(self) -> Option<usize> {
        match self {
            JsonToken::Open { .. }
            | JsonToken::Close { .. }
            | JsonToken::Comma
            | JsonToken::Colon => Some(1),
            JsonToken::Blank(len) | JsonToken::Word(len) | JsonToken::String { len, .. } => {
                Some(len)
            }
            JsonToken::TornString
            | JsonToken::LongString
            | JsonToken::LongWord
            | JsonToken::Comment { .. } => None,
        }
    }
}

/// Returns the token at the start of `text`, which is not empty; `None` while more bytes are
/// needed. No bytes follow when it is the `last` text. `known` is the number of bytes of the
/// token that were searched and do not end it.
pub(super) fn token(text: &[u8], last: bool, known: &mut usize) -> Option<JsonToken> {
    let found = match text[0] {
        b'{' => JsonToken::Open { object: true },
        b'[' => JsonToken::Open { object: false },
        b'}' => JsonToken::Close { object: true },
        b']' => JsonToken::Close { object: false },
        b',' => JsonToken::Comma,
        b':' => JsonToken::Colon,
        quote @ (b'"' | b'\'') => string(text, quote, last, known)?,
        byte if is_blank(byte) => {
            let len = text.iter().take_while(|byte| is_blank(**byte)).count();
            steps::count(len);
            JsonToken::Blank(len)
        }
        b'/' => match text.get(1) {
            Some(b'/') => JsonToken::Comment { line: true },
            Some(b'*') => JsonToken::Comment { line: false },
            None if !last => return None,
            _ => word(text, last)?,
        },
        _ => word(text, last)?,
    };
    *known = 0;
    Some(found)
}

/// Whether a byte separates tokens: blanks of JSON, and the separator of RFC 7464.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x1E)
}

fn string(text: &[u8], quote: u8, last: bool, known: &mut usize) -> Option<JsonToken> {
    let mut at = (*known).max(1);
    let (searched, mut escaped) = (at, false);
    loop {
        let found = memchr::memchr3(quote, b'\\', b'\n', &text[at..]);
        steps::count(found.unwrap_or(text.len() - at) + 1);
        let Some(found) = found else {
            *known = text.len();
            break;
        };
        at += found;
        if at > STRING_MAX {
            break;
        }
        match text[at] {
            b'\n' => return Some(JsonToken::TornString),
            byte if byte == quote => {
                // Escapes in the bytes that were searched before may be forgotten.
                escaped |= memchr::memchr(b'\\', &text[1..searched]).is_some();
                let len = at + 1;
                return Some(JsonToken::String { len, escaped });
            }
            _ => {
                *known = at;
                escaped = true;
                at += match text[at + 1..] {
                    [b'\r', b'\n', ..] => 3,
                    [b'\r'] | [] => break,
                    _ => 2,
                };
            }
        }
    }
    match text.len() > STRING_MAX {
        true => Some(JsonToken::LongString),
        false => last.then_some(JsonToken::TornString),
    }
}

fn word(text: &[u8], last: bool) -> Option<JsonToken> {
    let ends = |byte: &u8| {
        is_blank(*byte) || matches!(byte, b',' | b':' | b'{' | b'}' | b'[' | b']' | b'"' | b'\'')
    };
    let within = &text[..text.len().min(WORD_MAX + 1)];
    let len = within.iter().position(ends);
    steps::count(len.unwrap_or(within.len()));
    match len {
        Some(len) if len <= WORD_MAX => Some(JsonToken::Word(len.max(1))),
        _ if within.len() > WORD_MAX => Some(JsonToken::LongWord),
        _ => last.then_some(JsonToken::Word(text.len())),
    }
}

/// Whether a word is a number or a literal, also of JSON5: the value of a line can be one.
pub(super) fn is_value(word: &[u8]) -> bool {
    let number = word.strip_prefix(b"-").or(word.strip_prefix(b"+"));
    let number = number.unwrap_or(word);
    let is_literal = [&b"true"[..], b"false", b"null", b"NaN", b"Infinity"].contains(&number);
    is_literal || is_hexadecimal(number) || is_decimal(number)
}

fn is_hexadecimal(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"0x").or(word.strip_prefix(b"0X"));
    digits.is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit))
}

fn is_decimal(word: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(word);
    let mut rest = &word[whole..];
    let mut fraction = 0;
    if let Some(after) = rest.strip_prefix(b".") {
        fraction = digits(after);
        rest = &after[fraction..];
    }
    if whole + fraction == 0 {
        return false;
    }
    if let [b'e' | b'E', after @ ..] = rest {
        let signed = after.strip_prefix(b"-").or(after.strip_prefix(b"+"));
        rest = signed.unwrap_or(after);
        return !rest.is_empty() && digits(rest) == rest.len();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_end_where_they_end() {
        let string = |len, escaped| Some(JsonToken::String { len, escaped });
        for (text, last, wanted) in [
            ("\"a\"b", false, string(3, false)),
            ("'a\"'b", false, string(4, false)),
            ("\"a\\\"\"", false, string(5, true)),
            ("\"a\\\r\nb\"", false, string(7, true)),
            ("\"a\\\nb\"", false, string(6, true)),
            ("\"a\\", false, None),
            ("\"a\\\r", false, None),
            ("\"a", false, None),
            ("\"a", true, Some(JsonToken::TornString)),
            ("\"a\nb\"", false, Some(JsonToken::TornString)),
            ("/", false, None),
            ("/", true, Some(JsonToken::Word(1))),
            ("//", false, Some(JsonToken::Comment { line: true })),
            ("/*", false, Some(JsonToken::Comment { line: false })),
            ("ab", false, None),
            ("ab", true, Some(JsonToken::Word(2))),
            ("ab:", false, Some(JsonToken::Word(2))),
            (" \x1E\nx", false, Some(JsonToken::Blank(3))),
        ] {
            assert_eq!(token(text.as_bytes(), last, &mut 0), wanted, "{text:?}");
        }
        for (len, wanted) in [
            (STRING_MAX - 1, string(STRING_MAX + 1, false)),
            (STRING_MAX, Some(JsonToken::LongString)),
        ] {
            let text = format!("\"{}\"", "a".repeat(len));
            assert_eq!(token(text.as_bytes(), true, &mut 0), wanted);
        }
    }

    /// The bytes that are known to be inside a string are not searched again.
    #[test]
    fn pieces_of_a_string_are_linear() {
        let text = format!("\"{}\"", "ab\\n".repeat(1000));
        let mut known = 0;
        let steps = steps::of_text("", "x", 1, |_| {
            for len in 1..text.len() {
                assert_eq!(token(&text.as_bytes()[..len], false, &mut known), None);
            }
        });
        assert!(steps < 8 * text.len(), "{steps}");
    }

    #[test]
    fn values_are_numbers_and_literals() {
        for word in [
            "0",
            "-1.5e+3",
            "+.5",
            "5.",
            "true",
            "null",
            "-Infinity",
            "NaN",
            "0xFf",
            "1E9",
        ] {
            assert!(is_value(word.as_bytes()), "{word}");
        }
        for word in ["", "-", ".", "1e", "2024-01-01", "1.2.3", "a", "0x", "True"] {
            assert!(!is_value(word.as_bytes()), "{word}");
        }
    }
}
