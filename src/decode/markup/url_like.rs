//! Values of attributes in which scripts keep references (`data-src`), and other things: which
//! of them are like a reference?

use crate::syntax::scheme;

/// Whether `value` is like a reference: it begins with a scheme and a colon, with `/`, `./`,
/// `../` or `?`, or its first segment has a dot. A text in Base64 is not, because no UTF-8
/// is coded as `/…`, and the alphabet has neither a colon nor a dot.
pub(super) fn is_url_like(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    if matches!(value.first(), Some(b'/' | b'?')) || scheme::prefix_len(value).is_some() {
        return true;
    }
    let mut segments = value.split(|byte| matches!(byte, b'/' | b'?' | b'#'));
    let first = segments.next().unwrap_or_default();
    let is_dots = first.iter().all(|byte| *byte == b'.');
    match is_dots {
        true => matches!(first, b"." | b"..") && value.get(first.len()) == Some(&b'/'),
        false => first.contains(&b'.'),
    }
}

/// Whether `value` is an address of a module, not its name: it begins with `/`, `./`, `../` or
/// a scheme (HTML Standard, "resolve a URL-like module specifier").
pub(super) fn is_address(value: &[u8]) -> bool {
    let starts = [&b"/"[..], b"./", b"../"];
    starts.iter().any(|start| value.starts_with(start)) || scheme::prefix_len(value).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_like_references() {
        for value in [
            "http://a.example/",
            "HTTPS:x",
            "//a.example/x",
            "/x",
            "./x",
            "../x",
            "?q=1",
            " a.jpg ",
            "cdn.example/x",
            "a.html#top",
            "my photo.jpg",
        ] {
            assert!(is_url_like(value.as_bytes()), "{value}");
        }
        for value in [
            "",
            "x",
            "true",
            "images/a.jpg",
            "#top",
            ".",
            "..",
            "...",
            "aHR0cHM6Ly9hLmV4YW1wbGUv",
            "eyJhIjoxfQ==",
            "{\"a\":1}",
        ] {
            assert!(!is_url_like(value.as_bytes()), "{value}");
        }
    }
}
