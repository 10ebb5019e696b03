//! Percent-encoding (RFC 3986 section 2.1): `pct-encoded = "%" HEXDIG HEXDIG`.

use std::borrow::Cow;

/// Whether a well-formed `%XX` begins at `at`.
///
/// ```
/// use urisieve::syntax::pct;
/// assert!(pct::is_encoded(b"a%2fb", 1));
/// assert!(!pct::is_encoded(b"a%2", 1) && !pct::is_encoded(b"a%2g", 1));
/// ```
#[inline]
pub fn is_encoded(text: &[u8], at: usize) -> bool {
    matches!(text.get(at..at + 3), Some([b'%', a, b]) if a.is_ascii_hexdigit() && b.is_ascii_hexdigit())
}

/// Returns the value of one hexadecimal digit of any case.
///
/// ```
/// use urisieve::syntax::pct;
/// assert_eq!((pct::hex_value(b'f'), pct::hex_value(b'F')), (Some(15), Some(15)));
/// assert_eq!(pct::hex_value(b'g'), None);
/// ```
#[inline]
pub fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// Returns the `%XX` of a byte, with digits in upper case.
#[inline]
pub(crate) fn encoded(byte: u8) -> [u8; 3] {
    let digit = |value: u8| b"0123456789ABCDEF"[usize::from(value)];
    [b'%', digit(byte >> 4), digit(byte & 15)]
}

/// Returns the offset of the first `%` in `text` without two hexadecimal digits.
///
/// ```
/// use urisieve::syntax::pct;
/// assert_eq!(pct::first_broken(b"/a%20b"), None);
/// assert_eq!(pct::first_broken(b"/100%"), Some(4));
/// ```
pub fn first_broken(text: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'%', text).find(|&at| !is_encoded(text, at))
}

/// Whether each `%` in `text` begins a percent-encoding with digits in upper case, as RFC 3986
/// section 6.2.2.1 wants them.
pub(crate) fn is_folded(text: &[u8]) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'F');
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'%', rest) {
        rest = &rest[at..];
        // The characters of other alphabets are several encodings in a row.
        while let [b'%', tail @ ..] = rest {
            match tail {
                [a, b, tail @ ..] if is_digit(a) && is_digit(b) => rest = tail,
                _ => return false,
            }
        }
    }
    true
}

/// Returns `text` with every well-formed `%XX` decoded, borrowed if it has no `%XX`.
///
/// ```
/// use urisieve::syntax::pct;
/// assert_eq!(&*pct::decode(b"a%2Fb%zz"), b"a/b%zz");
/// ```
pub fn decode(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr_iter(b'%', text).find(|&at| is_encoded(text, at)) else {
        return Cow::Borrowed(text);
    };
    let mut out = text[..first].to_vec();
    let mut rest = &text[first..];
    while let [byte, tail @ ..] = rest {
        rest = match rest {
            [b'%', a, b, tail @ ..] if is_encoded(rest, 0) => {
                let value = |digit: &u8| hex_value(*digit).unwrap_or_default();
                out.push(value(a) << 4 | value(b));
                tail
            }
            _ => {
                out.push(*byte);
                tail
            }
        };
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_digits_in_upper_case_are_folded() {
        for (text, is_it) in [
            ("", true),
            ("/a", true),
            ("%C3%A9", true),
            ("/%20%2F/%41b", true),
            ("/%c3", false),
            ("/%C3%a9", false),
            ("/%20/%2f", false),
            ("%", false),
            ("%4", false),
            ("%41%", false),
            ("%zz", false),
        ] {
            assert_eq!(is_folded(text.as_bytes()), is_it, "{text}");
        }
    }
}
