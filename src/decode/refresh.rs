//! The URL of a refresh: of the HTTP field `Refresh` and of `<meta http-equiv=refresh>`
//! (HTML Standard, "shared declarative refresh steps"). How long to wait does not
//! matter here.

use std::ops::Range;

/// Returns the range of the URL in the value of a refresh, such as `5; url=/a`.
pub(super) fn url(value: &[u8]) -> Option<Range<usize>> {
    let rest = value.trim_ascii_start();
    if !matches!(rest, [b'0'..=b'9' | b'.', ..]) {
        return None;
    }
    let digits = rest
        .iter()
        .take_while(|b| b.is_ascii_digit() || **b == b'.');
    let rest = &rest[digits.count()..];
    let is_apart = |b: &u8| b.is_ascii_whitespace() || matches!(b, b';' | b',');
    rest.first().filter(|b| is_apart(b))?;
    let rest = match rest.trim_ascii_start() {
        [b';' | b',', rest @ ..] => rest.trim_ascii_start(),
        rest => rest,
    };
    if rest.is_empty() {
        return None;
    }
    let start = |rest: &[u8]| value.len() - rest.len();
    let rest = match named(rest) {
        Some(rest) => rest,
        None if rest[0].eq_ignore_ascii_case(&b'u') => return Some(start(rest)..value.len()),
        None => rest,
    };
    Some(match rest {
        [quote @ (b'"' | b'\''), rest @ ..] => {
            let len = memchr::memchr(*quote, rest).unwrap_or(rest.len());
            start(rest)..start(rest) + len
        }
        _ => start(rest)..value.len(),
    })
}

/// Returns the text after `url =` at the start of `text`.
fn named(text: &[u8]) -> Option<&[u8]> {
    let (name, rest) = text.split_at_checked(3)?;
    let rest = name.eq_ignore_ascii_case(b"url").then_some(rest)?;
    let rest = rest.trim_ascii_start().strip_prefix(b"=")?;
    Some(rest.trim_ascii_start())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values() {
        for (value, wanted) in [
            ("5; url=/a", Some("/a")),
            ("0.5;URL = 'a b' c", Some("a b")),
            ("  1  ,  URL  =  next", Some("next")),
            ("1.9..5.; url='foo bar'baz", Some("foo bar")),
            ("0; \"q\"x", Some("q")),
            ("0; 'q", Some("q")),
            (".; a", Some("a")),
            ("1 x;url=e", Some("x;url=e")),
            ("1;; a", Some("; a")),
            ("1 urls", Some("urls")),
            ("1;url 'a'", Some("url 'a'")),
            ("2; ufoo", Some("ufoo")),
            ("2; u'foo'", Some("u'foo'")),
            ("1;url=", Some("")),
            ("1;url=''", Some("")),
            ("1;url", Some("url")),
            ("1;u", Some("u")),
            ("0;url=a ", Some("a ")),
            ("", None),
            ("30", None),
            ("30 ", None),
            ("1;", None),
            ("1 , ", None),
            ("1url=a", None),
            ("url=b", None),
            (";url=b", None),
            ("+1; url=c", None),
            ("-1; url=c", None),
        ] {
            let found = url(value.as_bytes()).map(|range| &value[range]);
            assert_eq!(found, wanted, "{value:?}");
        }
    }

    proptest! {
        #[test]
        fn the_url_is_inside(value in "[ 1.;,'\"ur=l\u{e9}]{0,20}") {
            if let Some(range) = url(value.as_bytes()) {
                prop_assert!(value.get(range).is_some());
            }
        }
    }
}
