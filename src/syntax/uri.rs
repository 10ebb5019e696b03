//! Validity by the grammar of RFC 3986 (appendix A, rule `URI`), with the place
//! and the rule of the first violation.

use super::class::{self, Class, PERCENT};
use super::{Components, host, pct};

/// Where and by which rule of RFC 3986 a string is no URI.
///
/// ```
/// use urisieve::syntax::{Violation, validate};
/// let violation = validate(b"urn:a b").unwrap_err();
/// let Violation { offset, rule } = violation;
/// assert_eq!((offset, rule), (5, "path"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Byte offset from the start of the string.
    pub offset: usize,
    /// Name of the ABNF rule that the string breaks there.
    pub rule: &'static str,
}

/// Checks that `uri` matches the rule `URI` of RFC 3986 appendix A.
///
/// # Errors
/// The first [`Violation`] from the left.
///
/// ```
/// use urisieve::syntax::validate;
/// assert!(validate(b"http://a.example/?q#f").is_ok());
/// let violation = validate(b"http://a.example/%zz").unwrap_err();
/// assert_eq!((violation.offset, violation.rule), (17, "pct-encoded"));
/// ```
pub fn validate(uri: &[u8]) -> Result<(), Violation> {
    let parts = Components::parse(uri);
    let Some(scheme) = parts.scheme(uri) else {
        return Err(Violation {
            offset: 0,
            rule: "scheme",
        });
    };
    let mut at = scheme.len() + 1;
    if let Some(authority) = parts.authority(uri) {
        if let Some(userinfo) = parts.userinfo(uri) {
            check(userinfo, class::REG_NAME, b":", at + 2, "userinfo")?;
        }
        let range = parts.host_range();
        let name = &uri[range.clone()];
        if name.first() == Some(&b'[') {
            if !host::is_ip_literal(name) {
                return Err(Violation {
                    offset: range.start,
                    rule: "IP-literal",
                });
            }
        } else {
            check(name, class::REG_NAME, b"", range.start, "reg-name")?;
        }
        if let Some(port) = parts.port(uri) {
            check_plain(port, class::DIGIT, range.end + 1, "port")?;
        }
        at = scheme.len() + 3 + authority.len();
    }
    let path = parts.path(uri);
    check(path, class::PCHAR, b"/", at, "path")?;
    at += path.len();
    if let Some(query) = parts.query(uri) {
        at += 1;
        check(query, class::QUERY, b"", at, "query")?;
        at += query.len();
    }
    if let Some(fragment) = parts.fragment(uri) {
        check(fragment, class::QUERY, b"", at + 1, "fragment")?;
    }
    Ok(())
}

fn check(
    text: &[u8],
    class: Class,
    also: &[u8],
    base: usize,
    rule: &'static str,
) -> Result<(), Violation> {
    for (at, &byte) in text.iter().enumerate() {
        let rule = match byte {
            b'%' if !pct::is_encoded(text, at) => "pct-encoded",
            _ if class.or(PERCENT).has(byte) || also.contains(&byte) => continue,
            _ => rule,
        };
        return Err(Violation {
            offset: base + at,
            rule,
        });
    }
    Ok(())
}

fn check_plain(
    text: &[u8],
    class: Class,
    base: usize,
    rule: &'static str,
) -> Result<(), Violation> {
    match text.iter().position(|&b| !class.has(b)) {
        None => Ok(()),
        Some(at) => Err(Violation {
            offset: base + at,
            rule,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_place_and_rule() {
        for (uri, offset, rule) in [
            ("a b", 0, "scheme"),
            ("http://a@b@c/", 8, "userinfo"),
            ("http://[x]/", 7, "IP-literal"),
            ("http://h:o/", 9, "port"),
            ("http://h/a|b", 10, "path"),
            ("http://h/?a[b", 11, "query"),
            ("http://h/#a#b", 11, "fragment"),
            ("http://h/\u{e9}", 9, "path"),
            ("http://%4/", 7, "pct-encoded"),
        ] {
            let got = validate(uri.as_bytes()).unwrap_err();
            assert_eq!((got.offset, got.rule), (offset, rule), "{uri}");
        }
        for uri in [
            "urn:isbn:1",
            "a:",
            "http://",
            "file:///x",
            "http://u:p@[::1]:/;a=(b)?#",
        ] {
            assert_eq!(validate(uri.as_bytes()), Ok(()), "{uri}");
        }
    }
}
