//! The request line and its target (G4; RFC 9112 section 3).

use crate::syntax::class::SCHEME;
use std::ops::Range;

/// The greatest length of a method.
const METHOD_MAX: usize = 32;

/// A request line, in ranges of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RequestLine {
    pub method: Range<usize>,
    pub target: Range<usize>,
}

impl RequestLine {
    /// Reads `method target HTTP/d.d`. Blanks inside belong to the target. Without a protocol
    /// the method must be in capitals.
    pub(super) fn of(text: &[u8]) -> Option<RequestLine> {
        // Methods are short.
        let begin = &text[..text.len().min(METHOD_MAX + 1)];
        let method = begin.iter().position(|byte| *byte == b' ')?;
        if !is_method(&text[..method]) {
            return None;
        }
        let end = match without_protocol(text) {
            Some(end) => end,
            None if text[..method].iter().all(u8::is_ascii_uppercase) => text.len(),
            None => return None,
        };
        let target = method + 1..end;
        let is_request =
            target.start < target.end && is_target_of(&text[..method], &text[target.clone()]);
        is_request.then_some(RequestLine {
            method: 0..method,
            target,
        })
    }
}

/// Returns where ` HTTP/d` or ` HTTP/d.d` begins at the end of `text`.
fn without_protocol(text: &[u8]) -> Option<usize> {
    let (rest, digits) = match text {
        [rest @ .., b' ', b'H', b'T', b'T', b'P', b'/', a, b'.', c] => (rest, [a, c]),
        [rest @ .., b' ', b'H', b'T', b'T', b'P', b'/', a] => (rest, [a, a]),
        _ => return None,
    };
    let is_version = digits.iter().all(|digit| digit.is_ascii_digit());
    is_version.then_some(rest.len())
}

/// Whether `text` is a method: a token (RFC 9110 section 5.6.2) of at most 32 bytes.
pub(super) fn is_method(text: &[u8]) -> bool {
    let is_of_token = |b: &u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(b);
    (1..=METHOD_MAX).contains(&text.len()) && text.iter().all(is_of_token)
}

/// Whether `text` is a target of a request with this method.
pub(super) fn is_target_of(method: &[u8], text: &[u8]) -> bool {
    is_target(text) || is_absolute(text) || (method == b"CONNECT" && authority(text).is_some())
}

/// Whether `text` is a target in origin form, or `*`.
pub(super) fn is_target(text: &[u8]) -> bool {
    text.first() == Some(&b'/') || text == b"*"
}

/// Whether `text` begins with `scheme://` and one byte more.
pub(super) fn is_absolute(text: &[u8]) -> bool {
    if !text.first().is_some_and(u8::is_ascii_alphabetic) {
        return false;
    }
    let scheme = text.iter().take_while(|byte| SCHEME.has(**byte)).count();
    text[scheme..]
        .strip_prefix(b"://")
        .is_some_and(|rest| !rest.is_empty())
}

/// Splits `host:port`, where the port is a number.
pub(super) fn authority(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memrchr(b':', text)?;
    let (host, port) = (&text[..colon], &text[colon + 1..]);
    let is_port = (1..=5).contains(&port.len()) && port.iter().all(u8::is_ascii_digit);
    (is_port && !host.is_empty()).then_some((host, port))
}

/// Returns the offset of the quotation mark that closes the field at the start of `text`
/// (G4): an even number of backslashes is before it, and `follows` accepts the text after it.
/// Quotation marks may stand inside.
pub(super) fn closing_quote(text: &[u8], follows: impl Fn(&[u8]) -> bool) -> Option<usize> {
    memchr::memchr_iter(b'"', text).find(|&at| {
        let slashes = text[..at].iter().rev().take_while(|b| **b == b'\\').count();
        slashes % 2 == 0 && follows(&text[at + 1..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_lines() {
        for (text, method, target) in [
            ("GET / HTTP/1.1", "GET", "/"),
            ("GET /a b HTTP/1.1", "GET", "/a b"),
            ("GET /a", "GET", "/a"),
            ("GET /a HTTP/x", "GET", "/a HTTP/x"),
            ("PATCHp /products/42 HTTP/2", "PATCHp", "/products/42"),
            ("OPTIONS * HTTP/1.0", "OPTIONS", "*"),
            ("CONNECT [::1]:25 HTTP/1.1", "CONNECT", "[::1]:25"),
            ("GET HTTP://a.example HTTP/1.1", "GET", "HTTP://a.example"),
        ] {
            let line = RequestLine::of(text.as_bytes()).unwrap();
            assert_eq!((&text[line.method], &text[line.target]), (method, target));
        }
    }

    #[test]
    fn garbage_is_no_request_line() {
        for text in [
            "",
            "-",
            "GET",
            "GET ",
            "GET index.php HTTP/1.1",
            "Get /a",
            "\\x16\\x03\\x01 / HTTP/1.1",
            "<SCRIPT>http://x.example/</SCRIPT> / HTTP/1.1",
            "GET a:25 HTTP/1.1",
            "GET http:// HTTP/1.1",
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA / HTTP/1.1",
        ] {
            assert_eq!(RequestLine::of(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_quote_inside_does_not_close() {
        let ends = |text: &[u8]| text.starts_with(b" 200");
        assert_eq!(closing_quote(b"a \"b\" c\" 200", ends), Some(7));
        assert_eq!(closing_quote(b"a\\\" 200\" 200", ends), Some(7));
        assert_eq!(closing_quote(b"a\\\\\" 200", ends), Some(3));
        assert_eq!(closing_quote(b"a\" 404", ends), None);
    }
}
