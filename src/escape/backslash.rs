//! Backslash escapes (rule B5): `\/`, `\uXXXX`, `\xXX`, `\-` of roff, `\_` and
//! `\#` of Markdown, `\=` of CEF, the control letters, a quote, a dot. JSON inside JSON doubles the
//! backslashes, so up to four in a row introduce one escape.

/// Most backslashes that introduce one escape.
pub const MAX_RUN: usize = 4;

/// The meaning of a backslash escape.
///
/// ```
/// use urisieve::escape::{Backslash, backslash};
/// let read = |text: &[u8]| backslash(text, 0, false).0;
/// assert_eq!(read(br"\u0026"), Backslash::Char('&', 6));
/// assert_eq!(read(br"\n"), Backslash::Excluded);
/// assert_eq!(read(br"\."), Backslash::RegexDot(2));
/// assert_eq!(read(br"\d"), Backslash::Unexplained);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backslash {
    /// A character, with the length of its escape in raw bytes.
    Char(char, usize),
    /// A character that URIs may not contain (`
    /// `, a lone surrogate, `\xE9`).
    Excluded,
    /// `\.`, a dot of a regular expression, with its length in raw bytes.
    RegexDot(usize),
    /// Not an escape of these formats.
    Unexplained,
}

/// Reads the escape that begins at `text[at]`, a backslash. `tex` allows the escapes of
/// TeX (`\% \& \~ \$`). The flag is true when the end of `text` was reached, so that
/// more text might change the result.
///
/// ```
/// use urisieve::escape::{Backslash, backslash};
/// assert_eq!(backslash(br"http:\/\/a", 5, false), (Backslash::Char('/', 2), false));
/// assert_eq!(backslash(br"a\%b", 1, true).0, Backslash::Char('%', 2));
/// assert!(backslash(br"a\u00", 1, false).1);
/// ```
pub fn backslash(text: &[u8], at: usize, tex: bool) -> (Backslash, bool) {
    let run = text[at..]
        .iter()
        .take(MAX_RUN + 1)
        .take_while(|&&b| b == b'\\')
        .count();
    if run > MAX_RUN {
        return (Backslash::Unexplained, false);
    }
    let body = at + run;
    let Some(&kind) = text.get(body) else {
        return (Backslash::Unexplained, true);
    };
    let short = |c: u8| (Backslash::Char(c as char, run + 1), false);
    match kind {
        b'/' | b'"' | b'\'' | b'-' | b'_' | b'#' | b'=' => short(kind),
        b'n' | b't' | b'r' | b'b' | b'f' | b'v' | b'a' | b'e' | b'0' => {
            (Backslash::Excluded, false)
        }
        b'.' => (Backslash::RegexDot(run + 1), false),
        b'%' | b'&' | b'~' | b'$' if tex && run == 1 => short(kind),
        b'x' => match hex(text, body + 1, 2) {
            Err(truncated) => (Backslash::Unexplained, truncated),
            Ok(value @ 0..=0x7F) => (Backslash::Char(value as u8 as char, run + 3), false),
            Ok(_) => (Backslash::Excluded, false),
        },
        b'u' => match hex(text, body + 1, 4) {
            Err(truncated) => (Backslash::Unexplained, truncated),
            Ok(high @ 0xD800..=0xDBFF) => low_surrogate(text, body + 5, run, high),
            Ok(value) => match char::from_u32(value) {
                Some(c) => (Backslash::Char(c, run + 5), false),
                None => (Backslash::Excluded, false),
            },
        },
        _ => (Backslash::Unexplained, false),
    }
}

/// Reads the second half of a surrogate pair: as many backslashes, `u`, a low
/// surrogate.
fn low_surrogate(text: &[u8], at: usize, run: usize, high: u32) -> (Backslash, bool) {
    for i in 0..run {
        match text.get(at + i) {
            None => return (Backslash::Excluded, true),
            Some(b'\\') => {}
            Some(_) => return (Backslash::Excluded, false),
        }
    }
    match text.get(at + run) {
        None => return (Backslash::Excluded, true),
        Some(b'u') => {}
        Some(_) => return (Backslash::Excluded, false),
    }
    match hex(text, at + run + 1, 4) {
        Err(truncated) => (Backslash::Excluded, truncated),
        Ok(low @ 0xDC00..=0xDFFF) => {
            let value = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            match char::from_u32(value) {
                Some(c) => (Backslash::Char(c, 2 * run + 10), false),
                None => (Backslash::Excluded, false),
            }
        }
        Ok(_) => (Backslash::Excluded, false),
    }
}

/// Returns the character that a group of TeX at `text[at]` encodes, an escape between
/// braces (`{\_}`) of four bytes. The flag is that of [`backslash`].
///
/// ```
/// use urisieve::escape::tex_group;
/// assert_eq!(tex_group(br"a{\_}b", 1), (Some('_'), false));
/// assert_eq!(tex_group(b"{a}", 0), (None, false));
/// assert_eq!(tex_group(br"{\_", 0), (None, true));
/// ```
pub fn tex_group(text: &[u8], at: usize) -> (Option<char>, bool) {
    match &text[at..] {
        [
            b'{',
            b'\\',
            c @ (b'_' | b'%' | b'#' | b'&' | b'~' | b'$'),
            b'}',
            ..,
        ] => (Some(*c as char), false),
        [b'{'] | [b'{', b'\\'] | [b'{', b'\\', b'_' | b'%' | b'#' | b'&' | b'~' | b'$'] => {
            (None, true)
        }
        _ => (None, false),
    }
}

/// Returns the byte of `\xXX` at `text[at]`, with a single backslash: four bytes, as
/// server logs write a byte. The flag is that of [`backslash`].
///
/// ```
/// use urisieve::escape::hex_byte;
/// assert_eq!(hex_byte(br"\xC3\xA9", 0), (Some(0xC3), false));
/// assert_eq!(hex_byte(br"\\x22", 0), (None, false));
/// assert_eq!(hex_byte(br"\x2", 0), (None, true));
/// ```
pub fn hex_byte(text: &[u8], at: usize) -> (Option<u8>, bool) {
    match &text[at..] {
        [b'\\'] => (None, true),
        [b'\\', b'x', ..] => match hex(text, at + 2, 2) {
            Ok(value) => (Some(value as u8), false),
            Err(truncated) => (None, truncated),
        },
        _ => (None, false),
    }
}

/// Returns the value of `digits` hexadecimal digits at `at`; the error is whether the
/// end of `text` was reached before another byte.
fn hex(text: &[u8], at: usize, digits: usize) -> Result<u32, bool> {
    let mut value = 0;
    for i in 0..digits {
        let digit = *text.get(at + i).ok_or(true)?;
        value = value << 4 | (digit as char).to_digit(16).ok_or(false)?;
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Backslash {
        backslash(text.as_bytes(), 0, false).0
    }

    #[test]
    fn escapes() {
        assert_eq!(read(r"\/x"), Backslash::Char('/', 2));
        assert_eq!(read(r"\\\/x"), Backslash::Char('/', 4));
        assert_eq!(read(r"\u0026b"), Backslash::Char('&', 6));
        assert_eq!(read(r"\\u00e9"), Backslash::Char('é', 7));
        assert_eq!(read(r"\ud83d\ude00"), Backslash::Char('😀', 12));
        assert_eq!(read(r"\ud83d/"), Backslash::Excluded);
        assert_eq!(read(r"\ude00"), Backslash::Excluded);
        assert_eq!(read(r"\x3d"), Backslash::Char('=', 4));
        assert_eq!(read(r"\xe9"), Backslash::Excluded);
        assert_eq!(read(r"\n"), Backslash::Excluded);
        assert_eq!(read(r"\."), Backslash::RegexDot(2));
        assert_eq!(read(r"\d"), Backslash::Unexplained);
        assert_eq!(read(r"\_"), Backslash::Char('_', 2));
        assert_eq!(read(r"\\-"), Backslash::Char('-', 3));
        assert_eq!(read(r"\#"), Backslash::Char('#', 2));
        assert_eq!(read(r"\="), Backslash::Char('=', 2));
        assert_eq!(read(r"\%"), Backslash::Unexplained);
        assert_eq!(backslash(br"\%", 0, true).0, Backslash::Char('%', 2));
        assert_eq!(read(r"\\\\\/"), Backslash::Unexplained);
    }

    #[test]
    fn every_cut_short_escape_says_so() {
        for whole in [r"\/", r"\u0026", r"\ud83d\ude00", r"\\x3d"] {
            for len in 1..whole.len() {
                assert!(
                    backslash(&whole.as_bytes()[..len], 0, false).1,
                    "{whole} {len}"
                );
            }
            assert!(!backslash(whole.as_bytes(), 0, false).1);
        }
    }
}
