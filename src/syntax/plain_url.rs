//! Plain URLs: common `http` and `https` URLs without problems, which need no further look.

use super::class::{QUERY, are_all};

/// The bytes behind the origin.
static REST: [bool; 256] = QUERY.table();

/// The bytes of a host in lower case.
static HOST: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0u8;
    while byte < 0x80 {
        plain[byte as usize] = matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-');
        byte += 1;
    }
    plain
};

/// Whether `text` is a plain URL: a plain origin, and behind it nothing, or a path or a query
/// that [is plain](is_rest).
#[inline]
pub(crate) fn is_url(text: &[u8]) -> bool {
    origin_len(text).is_some_and(|len| {
        let rest = &text[len..];
        matches!(rest.first(), None | Some(b'/' | b'?')) && is_rest(rest)
    })
}

/// Whether `text` has only characters that are allowed in a path or a query, and no `%`.
#[inline]
pub(crate) fn is_rest(text: &[u8]) -> bool {
    are_all(text, &REST)
}

/// Returns the length of `http://` or `https://` and the letters in lower case, digits, dots and
/// hyphens behind it, of which the first is a letter.
#[inline]
pub(crate) fn origin_len(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"http")?;
    let rest = rest.strip_prefix(b"s").unwrap_or(rest);
    let rest = rest.strip_prefix(b"://")?;
    let is_other = |b: &u8| !HOST[usize::from(*b)];
    let len = rest.iter().position(is_other).unwrap_or(rest.len());
    let begins = rest.first().is_some_and(u8::is_ascii_lowercase);
    begins.then_some(text.len() - rest.len() + len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_urls() {
        for (text, is_plain) in [
            ("http://a.example", true),
            ("https://a.example/b?c=d:@/?", true),
            ("http://a-b.example?c", true),
            ("http://A.example/", false),
            ("http://1.example/", false),
            ("http://a.example:8080/", false),
            ("http://a.example/%41", false),
            ("http://a.example/#b", false),
            ("http://a.example/b c", false),
            ("HTTP://a.example/", false),
            ("ftp://a.example/", false),
            ("http:///a", false),
            ("http", false),
        ] {
            assert_eq!(is_url(text.as_bytes()), is_plain, "{text}");
        }
        assert_eq!(origin_len(b"https://a.example:1/"), Some(17));
    }
}
