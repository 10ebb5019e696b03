//! Plain URLs: common `http` and `https` URLs without problems, which need no further look.

use super::Outlook;
use super::class::{QUERY, are_all};
use super::masks::UriStops;

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

/// The signs of a byte behind an origin: it is not allowed there, its bytes are looked at, or it
/// may divide a list.
const REFUSED: u8 = 1;
const ODD: u8 = 2;
const DIVIDES: u8 = 4;

/// The signs of each byte.
static SIGNS: [u8; 256] = {
    let mut signs = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        signs[byte] = match byte as u8 {
            b'%' | b'#' => ODD,
            b',' | b';' => DIVIDES,
            _ if REST[byte] => 0,
            _ => REFUSED,
        };
        byte += 1;
    }
    signs
};

/// A usual URL: a plain origin, and behind it nothing, or a path, a query and a fragment in
/// characters that are allowed there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UsualUrl {
    /// Whether the hexadecimal digits of its percent-encodings are in upper case.
    pub is_folded: bool,
    /// Whether it has a `,` or `;`.
    pub may_be_list: bool,
    /// Whether it has a path, and neither a percent-encoding nor a fragment.
    pub is_plain_path: bool,
}

impl UsualUrl {
    /// Returns whether `text` is a usual URL with a host of less than [`Outlook::LEN`] bytes, and
    /// how it is written. `look` returns the outlook of `text` from an offset on.
    #[inline]
    pub(crate) fn of(text: &[u8], look: impl Fn(usize) -> Outlook) -> Option<UsualUrl> {
        let host = host_at(text)?;
        let first = look(host);
        let host_len = first.host_len();
        if host_len >= Outlook::LEN
            || !text.get(host)?.is_ascii_lowercase()
            || first.has_upper_host()
        {
            return None;
        }
        let rest = &text[host + host_len..];
        if !matches!(rest.first(), None | Some(b'/' | b'?' | b'#')) {
            return None;
        }
        let mut stops = UriStops::new(host, first, look);
        let mut signs = 0;
        while let Some(&byte) = text.get(stops.next()) {
            signs |= SIGNS[usize::from(byte)];
        }
        if stops.has_percent(text.len()) {
            signs |= ODD;
        }
        let is_folded = match signs & (REFUSED | ODD) {
            0 => true,
            ODD => digits_are_folded(rest)?,
            _ => return None,
        };
        Some(UsualUrl {
            is_folded,
            may_be_list: signs & DIVIDES != 0,
            is_plain_path: rest.first() == Some(&b'/') && signs & ODD == 0,
        })
    }
}

/// Returns whether all percent-encodings have digits in upper case; `None` if one is broken, or
/// if there is a second `#`.
fn digits_are_folded(text: &[u8]) -> Option<bool> {
    let (mut are_folded, mut has_fragment) = (true, false);
    for at in memchr::memchr2_iter(b'%', b'#', text) {
        if text[at] == b'#' {
            if std::mem::replace(&mut has_fragment, true) {
                return None;
            }
            continue;
        }
        let digits = text.get(at + 1..at + 3)?;
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        are_folded &= !digits.iter().any(u8::is_ascii_lowercase);
    }
    Some(are_folded)
}

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

/// Whether `text` is a relative reference that begins with a path or a query, in characters that
/// are allowed there and in a fragment, and without an authority.
#[inline]
pub(crate) fn is_relative(text: &[u8]) -> bool {
    let ends_name = |byte: &u8| matches!(byte, b':' | b'/' | b'?' | b'#');
    let begins = match text {
        [] | [b'#', ..] | [b'/', b'/', ..] => false,
        _ => text.iter().copied().find(|byte| ends_name(byte)) != Some(b':'),
    };
    let add = |signs, byte: &u8| signs | SIGNS[usize::from(*byte)];
    begins && text.iter().fold(0, add) & REFUSED == 0
}

/// Returns the length of the `http://` or `https://` at the start of `text`.
#[inline]
pub(crate) fn host_at(text: &[u8]) -> Option<usize> {
    match text {
        [b'h', b't', b't', b'p', b's', b':', b'/', b'/', ..] => Some(8),
        [b'h', b't', b't', b'p', b':', b'/', b'/', ..] => Some(7),
        _ => None,
    }
}

/// Returns the length of `http://` or `https://` and the letters in lower case, digits, dots and
/// hyphens behind it, of which the first is a letter.
#[inline]
pub(crate) fn origin_len(text: &[u8]) -> Option<usize> {
    let rest = &text[host_at(text)?..];
    let is_other = |b: &u8| !HOST[usize::from(*b)];
    let len = rest.iter().position(is_other).unwrap_or(rest.len());
    let begins = rest.first().is_some_and(u8::is_ascii_lowercase);
    begins.then_some(text.len() - rest.len() + len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::select;

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

    fn of(text: &str) -> Option<UsualUrl> {
        let text = text.as_bytes();
        UsualUrl::of(text, |at| Outlook::of(text, at))
    }

    #[test]
    fn usual_urls() {
        let usual = |is_folded, may_be_list| Some((is_folded, may_be_list));
        for (text, wanted) in [
            ("http://a.example", usual(true, false)),
            ("https://a.example/b?c#d", usual(true, false)),
            ("http://a.example#", usual(true, false)),
            ("http://a.example/%C3%A9#%2F", usual(true, false)),
            ("http://a.example/%c3%A9", usual(false, false)),
            ("http://a.example/a,b;%aa", usual(false, true)),
            ("http://a.example/#a#b", None),
            ("http://a.example/%", None),
            ("http://a.example/%4", None),
            ("http://a.example/%4g", None),
            ("http://a.example/a|b", None),
            ("http://a.example/[", None),
            ("http://a.example:80/", None),
            ("http://A.example/", None),
            ("http://", None),
            ("http:///", None),
        ] {
            let found = of(text);
            let found = found.map(|url| (url.is_folded, url.may_be_list));
            assert_eq!(found, wanted, "{text}");
        }
        for (text, wanted) in [
            ("http://a.example", false),
            ("http://a.example?b", false),
            ("http://a.example/b?c", true),
            ("http://a.example/%41", false),
            ("http://a.example/#b", false),
        ] {
            let found = of(text);
            assert_eq!(found.map(|url| url.is_plain_path), Some(wanted), "{text}");
        }
    }

    /// The same by one look at each byte.
    fn by_bytes(text: &[u8]) -> Option<UsualUrl> {
        let rest = &text[origin_len(text)?..];
        let signs = rest
            .iter()
            .fold(0, |signs, byte| signs | SIGNS[usize::from(*byte)]);
        if !matches!(rest.first(), None | Some(b'/' | b'?' | b'#')) || signs & REFUSED != 0 {
            return None;
        }
        Some(UsualUrl {
            is_folded: digits_are_folded(rest)?,
            may_be_list: signs & DIVIDES != 0,
            is_plain_path: rest.first() == Some(&b'/') && signs & ODD == 0,
        })
    }

    proptest! {
        #[test]
        fn each_byte_counts(
            host in "(a|[a-z0-9.-]{0,70}|[a-zA-Z_:@]{0,3})",
            pieces in prop::collection::vec(select(vec![
                "/", "?", "#", "b", "long/path/of/thirty/characters/", "%C3", "%c3", "%", ",", ";", "&", "[", " ",
                "\u{e9}", "=", "(", "'", "\"", "|",
            ]), 0..12),
        ) {
            let text = format!("http://{host}{}", pieces.concat());
            let wanted = by_bytes(text.as_bytes());
            if host.len() < Outlook::LEN {
                prop_assert_eq!(of(&text), wanted, "{}", text);
            } else {
                prop_assert!(of(&text).is_none() || of(&text) == wanted);
            }
        }
    }
}
