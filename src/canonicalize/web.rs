//! Two switches for the web: `https` counts as `http`, and a leading `www.` of a host
//! is ignored. No specification requires them; they are never implied.

use super::switches::Switches;
use crate::syntax::{Components, pct};
use std::ops::Range;

/// Returns the range of the `s` of `https`.
pub(super) fn find_https(_: &Switches, uri: &[u8], parts: &Components) -> Option<Range<usize>> {
    let https = parts.scheme(uri)?.eq_ignore_ascii_case(b"https");
    https.then_some(4..5)
}

/// Returns the leading `www.` of the host, or all of them if it is repeated: otherwise
/// the result would not be canonical.
pub(super) fn find_www(_: &Switches, uri: &[u8], parts: &Components) -> Option<Range<usize>> {
    let scheme = parts.scheme(uri)?;
    if !scheme.eq_ignore_ascii_case(b"http") && !scheme.eq_ignore_ascii_case(b"https") {
        return None;
    }
    let host = parts.host_range();
    let mut end = host.start;
    while let Some((www, rest)) = uri[end..host.end].split_at_checked(4)
        && www.eq_ignore_ascii_case(b"www.")
        && is_name(rest)
    {
        end += 4;
    }
    (end > host.start).then_some(host.start..end)
}

/// Whether `rest` is a host without its `www.`: a name with an ASCII letter, which no
/// later rule removes. So `www.192.0.2.1` is unchanged.
fn is_name(rest: &[u8]) -> bool {
    let letter = |at: usize| {
        let encoded = (1..3).any(|back| at >= back && pct::is_encoded(rest, at - back));
        rest[at].is_ascii_alphabetic() && !encoded
    };
    rest.first() != Some(&b'[') && (0..rest.len()).any(letter)
}

#[cfg(test)]
mod tests {
    use crate::canonicalize::Canonicalizer;

    #[test]
    fn www_goes_before_a_name_alone() {
        let canonicalizer = Canonicalizer::default().strip_www(true);
        for (uri, expect) in [
            ("http://www.a.example/", "http://a.example/"),
            ("http://WWW.www.b/", "http://b/"),
            ("http://www.%C3%A9x/", "http://%C3%A9x/"),
            // Digits of an encoded byte are not letters of the name.
            ("http://www.%C3%A9/", "http://www.%C3%A9/"),
            ("http://www.1%AB/", "http://www.1%AB/"),
            ("http://www.192.0.2.1/", "http://www.192.0.2.1/"),
            ("http://www.[::a]/", "http://www.[::a]/"),
            ("ftp://www.a.example/", "ftp://www.a.example/"),
        ] {
            let mut buffer = Vec::new();
            let got = canonicalizer.canonicalize(uri.as_bytes(), &mut buffer);
            assert_eq!(String::from_utf8_lossy(got), expect, "{uri}");
        }
    }
}
