//! Level `syntax`: equivalences of the generic syntax beyond case (RFC 3986 section
//! 6.2.2): percent-encoded unreserved characters, dot segments, the colon of an empty
//! port; and IRIs, which are URIs with other characters (RFC 3987). Strings without a scheme
//! are not URIs and are unchanged.

use super::lexical;
use super::switches::Switches;
use crate::syntax::{Components, class, has_dot_segments, iri, pct, remove_dot_segments};
use std::ops::Range;

/// Returns the unreserved character that is percent-encoded at `at`.
fn unreserved_at(text: &[u8], at: usize) -> Option<u8> {
    match text.get(at..at + 3)? {
        [b'%', high, low] => {
            let byte = pct::hex_value(*high)? << 4 | pct::hex_value(*low)?;
            class::UNRESERVED.has(byte).then_some(byte)
        }
        _ => None,
    }
}

/// Whether `byte` after `left` would complete a broken `%` to a `%XX`, which a second
/// pass would decode. `%%341` is unchanged.
fn mends(byte: u8, left: &[u8]) -> bool {
    byte.is_ascii_hexdigit()
        && match left {
            [.., b'%'] => true,
            [.., b'%', digit] => digit.is_ascii_hexdigit(),
            _ => false,
        }
}

/// Returns the range in which percent-encoded unreserved characters are decoded.
///
/// In a `urn:` without a valid NID, the text in place of the NID is unchanged:
/// `urn:%61b:c` would become a URN, to which other rules apply.
pub(super) fn find_encoded(_: &Switches, uri: &[u8], parts: &Components) -> Option<Range<usize>> {
    let last = memchr::memrchr(b'%', uri)?;
    let scheme = parts.scheme(uri)?;
    let mut start = scheme.len() + 1;
    let path = parts.path(uri);
    if scheme.eq_ignore_ascii_case(b"urn") && !parts.has_authority() && !path.starts_with(b"/") {
        start += memchr::memchr(b':', path).unwrap_or(0);
    }
    let rest = uri.get(start..)?;
    let first = memchr::memchr_iter(b'%', rest)
        .find(|&at| unreserved_at(rest, at).is_some_and(|byte| !mends(byte, &rest[..at])))?;
    Some(start + first..uri.len().min(last + 3))
}

/// Decodes each percent-encoded unreserved character once.
pub(super) fn decode(_: &Switches, _: &Components, text: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    let mut copied = 0;
    for at in memchr::memchr_iter(b'%', text) {
        let Some(byte) = unreserved_at(text, at) else {
            continue;
        };
        out.extend_from_slice(&text[copied..at]);
        copied = at;
        if !mends(byte, &out[start..]) {
            out.push(byte);
            copied += 3;
        }
    }
    out.extend_from_slice(&text[copied..]);
}

/// Returns the userinfo, when it has characters above U+007F.
pub(super) fn find_iri_userinfo(
    _: &Switches,
    uri: &[u8],
    parts: &Components,
) -> Option<Range<usize>> {
    parts.scheme(uri)?;
    let len = parts.userinfo(uri)?.len();
    let end = parts.host_range().start - 1;
    from_first_character(uri, end - len..end)
}

/// Returns the text after the host, when it has characters above U+007F. The host itself is
/// left to level `scheme`, as names are mapped otherwise.
///
/// The path of a `urn:` that is not a URN is unchanged: encoded, it could become a URN, to
/// which other rules apply.
pub(super) fn find_iri_rest(_: &Switches, uri: &[u8], parts: &Components) -> Option<Range<usize>> {
    let scheme = parts.scheme(uri)?;
    let is_urn = scheme.eq_ignore_ascii_case(b"urn") && !parts.has_authority();
    let start = match (is_urn, parts.has_authority()) {
        (true, _) => parts.path_range().end,
        (_, true) => parts.host_range().end,
        _ => parts.path_range().start,
    };
    from_first_character(uri, start..uri.len())
}

/// Returns the part of a range that begins with its first character above U+007F.
fn from_first_character(uri: &[u8], range: Range<usize>) -> Option<Range<usize>> {
    let text = &uri[range.clone()];
    let is_character = |&at: &usize| !text[at].is_ascii() && iri::decode(&text[at..]).is_some();
    let first = match text.is_ascii() {
        true => None,
        false => (0..text.len()).find(is_character),
    };
    Some(range.start + first?..range.end)
}

/// Percent-encodes the UTF-8 of the characters above U+007F (RFC 3987 section 3.1). Bytes
/// that are not UTF-8 are unchanged.
pub(super) fn encode_characters(_: &Switches, _: &Components, mut text: &[u8], out: &mut Vec<u8>) {
    while let Some(&byte) = text.first() {
        let character = match byte.is_ascii() {
            true => None,
            false => iri::decode(text),
        };
        let len = character.map_or(1, |(_, len)| len);
        let (bytes, rest) = text.split_at(len);
        match character {
            Some(_) => out.extend(bytes.iter().flat_map(|&byte| pct::encoded(byte))),
            None => out.push(byte),
        }
        text = rest;
    }
}

/// Returns the path, when it has dot segments to be removed.
pub(super) fn find_dots(_: &Switches, uri: &[u8], parts: &Components) -> Option<Range<usize>> {
    let path = parts.path(uri);
    if path.first() != Some(&b'/') || parts.scheme(uri).is_none() || !has_dot_segments(path) {
        return None;
    }
    let guarded = !parts.has_authority() && path.starts_with(b"/.//");
    (!guarded || has_dot_segments(&path[2..])).then(|| parts.path_range())
}

/// Removes dot segments. Without an authority, a path that would then begin with "//"
/// keeps a "/." before it (RFC 3986 section 3.3).
pub(super) fn remove_dots(_: &Switches, parts: &Components, path: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    remove_dot_segments(path, out);
    if !parts.has_authority() && out[start..].starts_with(b"//") {
        out.extend_from_slice(b"/.");
        out[start..].rotate_right(2);
    }
}

/// Returns the range of the colon of an empty port.
pub(super) fn find_empty_port(
    _: &Switches,
    uri: &[u8],
    parts: &Components,
) -> Option<Range<usize>> {
    let empty = parts.port(uri)?.is_empty() && parts.scheme(uri).is_some();
    empty.then(|| parts.host_range().end..parts.path_range().start)
}

/// A quick test that no rule of this level changes `uri`, whose case is normal. Without
/// it each rule has to search.
#[inline]
pub(super) fn is_plain(uri: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', uri) else {
        return false;
    };
    let rest = &uri[colon + 1..];
    let path = match rest.strip_prefix(b"//") {
        Some(tail) => {
            let end = tail.iter().position(|b| matches!(b, b'/' | b'?' | b'#'));
            let (authority, path) = tail.split_at(end.unwrap_or(tail.len()));
            if authority.last() == Some(&b':') {
                return false;
            }
            path
        }
        None => rest,
    };
    memchr::memchr(b'%', rest).is_none()
        && rest.is_ascii()
        && memchr::memchr_iter(b'.', path).all(|at| at == 0 || path[at - 1] != b'/')
}

/// Returns the host, when it is not in lower case: decoding may produce capital
/// letters.
pub(super) fn find_upper_host(
    _: &Switches,
    uri: &[u8],
    parts: &Components,
) -> Option<Range<usize>> {
    let host = parts.host_range();
    (!lexical::is_lower(&uri[host.clone()])).then_some(host)
}

/// Appends the text in lower case outside `%XX`.
pub(super) fn lower(_: &Switches, _: &Components, text: &[u8], out: &mut Vec<u8>) {
    lexical::push_lower(text, out);
}

#[cfg(test)]
mod tests {
    use crate::canonicalize::{Canonicalizer, Level};

    #[test]
    fn iris_are_the_uris_that_they_stand_for() {
        let canonicalizer = Canonicalizer::new(Level::Syntax);
        for (iri, expect) in [
            (
                "https://a.example/école?q=é#日",
                "https://a.example/%C3%A9cole?q=%C3%A9#%E6%97%A5",
            ),
            (
                "http://é:ü@é.example:ä/",
                "http://%C3%A9:%C3%BC@é.example:%C3%A4/",
            ),
            ("mailto:é@ü.example", "mailto:%C3%A9@%C3%BC.example"),
            ("x:😀", "x:%F0%9F%98%80"),
            // Not normalized: NFC and NFD stay apart.
            ("http://h/e\u{301}", "http://h/e%CC%81"),
            ("http://h/%é/%4é", "http://h/%%C3%A9/%4%C3%A9"),
            ("http://h/../é/./%65", "http://h/%C3%A9/e"),
            ("http://h/%C3%A9", "http://h/%C3%A9"),
            // Not a URI, and what could become a URN.
            ("//h/é", "//h/é"),
            ("urn:LEX:É", "urn:LEX:É"),
            ("urn:LEX:É?é", "urn:LEX:É?%C3%A9"),
            ("urn://h/é", "urn://h/%C3%A9"),
        ] {
            let mut buffer = Vec::new();
            let canonical = canonicalizer.canonicalize(iri.as_bytes(), &mut buffer);
            assert_eq!(String::from_utf8_lossy(canonical), expect, "{iri}");
            assert!(canonicalizer.is_canonical(expect.as_bytes()), "{expect}");
            assert_eq!(canonicalizer.is_canonical(iri.as_bytes()), iri == expect);
        }
        let mut buffer = Vec::new();
        let canonical = canonicalizer.canonicalize(b"http://h/\xE9\xC3\xA9\xC3", &mut buffer);
        assert_eq!(canonical, b"http://h/\xE9%C3%A9\xC3");
    }

    /// Text that could become a NID is unchanged; other text is decoded.
    #[test]
    fn what_is_no_urn_is_decoded_after_the_place_of_the_nid() {
        let canonicalizer = Canonicalizer::new(Level::Syntax);
        for (uri, expect) in [
            ("urn:%61b:%63", "urn:%61b:c"),
            ("urn:-%61:%63", "urn:-%61:c"),
            ("urn:%61b", "urn:ab"),
            ("urn:/%61:%63", "urn:/a:c"),
            ("urn://%7E//b:c", "urn://~//b:c"),
            ("urn://h/%61:%63", "urn://h/a:c"),
        ] {
            let mut buffer = Vec::new();
            let canonical = canonicalizer.canonicalize(uri.as_bytes(), &mut buffer);
            assert_eq!(String::from_utf8_lossy(canonical), expect, "{uri}");
        }
    }
}
