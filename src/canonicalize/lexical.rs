//! Level `lexical`: case normalization (RFC 3986 section 6.2.2.1) and lexical
//! equivalence of URNs (RFC 8141 section 3.1), without the cuts.

use crate::syntax::{Components, pct, urn};

/// Whether [`write()`] would not change `uri`.
#[inline]
pub(super) fn is_canonical(uri: &[u8]) -> bool {
    if uri.first() == Some(&b'/') {
        return is_canonical_in_parts(uri);
    }
    let mut at = 0;
    loop {
        match uri.get(at) {
            Some(b':') => break,
            Some(b'A'..=b'Z') | None => return is_canonical_in_parts(uri),
            Some(_) => at += 1,
        }
    }
    if at == 3
        && let Some(nid) = urn::nid(uri)
    {
        return !nid.iter().any(u8::is_ascii_uppercase) && pct_is_upper(uri);
    }
    let rest = &uri[at + 1..];
    if let Some(authority) = rest.strip_prefix(b"//") {
        for &byte in authority {
            match byte {
                b'/' | b'?' | b'#' => break,
                b'A'..=b'Z' | b'%' | b'@' => {
                    let parts = Components::parse(uri);
                    let host = &uri[parts.host_range()];
                    if !is_lower(host) {
                        return false;
                    }
                    break;
                }
                _ => {}
            }
        }
    }
    pct_is_upper(uri)
}

/// Writes the canonical form of `uri`.
pub(super) fn write(uri: &[u8], out: &mut Vec<u8>) {
    if let Some(nid) = urn::nid(uri) {
        let nid_end = 4 + nid.len();
        push_lower(&uri[..nid_end], out);
        return push_upper_pct(&uri[nid_end..], out);
    }
    let parts = Components::parse(uri);
    let scheme_len = parts.scheme(uri).map_or(0, <[u8]>::len);
    push_lower(&uri[..scheme_len], out);
    let host = parts.host_range();
    push_upper_pct(&uri[scheme_len..host.start.max(scheme_len)], out);
    push_lower(&uri[host.clone()], out);
    push_upper_pct(&uri[host.end.max(scheme_len)..], out);
}

/// The same for a URI that does not begin with a scheme in lower case.
#[cold]
fn is_canonical_in_parts(uri: &[u8]) -> bool {
    let parts = Components::parse(uri);
    let lower = |text: &[u8]| !text.iter().any(u8::is_ascii_uppercase);
    parts.scheme(uri).is_none_or(lower) && is_lower(&uri[parts.host_range()]) && pct_is_upper(uri)
}

/// Whether `text` is in lower case, except for the digits of every well-formed `%XX`,
/// which are in upper case.
#[inline]
pub(super) fn is_lower(text: &[u8]) -> bool {
    lower(text).all(|(from, to)| from == to)
}

/// Returns the bytes of a text, each with its normalized form: lower case, but upper
/// case inside a well-formed `%XX`. From a template of a host on, such as `${hostName}` (I25),
/// nothing is changed: names of variables may differ in case only.
pub(super) fn lower(text: &[u8]) -> impl Iterator<Item = (u8, u8)> + '_ {
    let mut within = Within::Name;
    text.iter()
        .enumerate()
        .map(move |(at, &byte)| match within {
            Within::Name => {
                if byte == b'%' && pct::is_encoded(text, at) {
                    within = Within::Digits(2);
                } else if byte == b'$' && text.get(at + 1) == Some(&b'{') {
                    within = Within::Template;
                }
                (byte, byte.to_ascii_lowercase())
            }
            Within::Digits(left) => {
                within = if left > 1 {
                    Within::Digits(left - 1)
                } else {
                    Within::Name
                };
                (byte, byte.to_ascii_uppercase())
            }
            Within::Template => (byte, byte),
        })
}

/// Where the next byte of a host is: the rule for its case.
#[derive(Clone, Copy)]
enum Within {
    Name,
    /// Before this number of digits of a `%XX`.
    Digits(u8),
    Template,
}

/// Appends the bytes of `text` in the form that [`lower`] returns.
pub(super) fn push_lower(text: &[u8], out: &mut Vec<u8>) {
    if memchr::memchr2(b'%', b'$', text).is_some() {
        return out.extend(lower(text).map(|(_, to)| to));
    }
    let start = out.len();
    out.extend_from_slice(text);
    out[start..].make_ascii_lowercase();
}

/// Whether the digits of every well-formed `%XX` are in upper case.
pub(super) fn pct_is_upper(text: &[u8]) -> bool {
    memchr::memchr_iter(b'%', text).all(|at| {
        let lower = |i: usize| text.get(i).is_some_and(u8::is_ascii_lowercase);
        !(lower(at + 1) || lower(at + 2)) || !pct::is_encoded(text, at)
    })
}

/// Appends `text` with the digits of every well-formed `%XX` in upper case.
pub(super) fn push_upper_pct(text: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(text);
    for at in memchr::memchr_iter(b'%', text) {
        if pct::is_encoded(text, at) {
            out[start + at + 1..start + at + 3].make_ascii_uppercase();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(uri: &str) -> String {
        let mut out = Vec::new();
        write(uri.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn case_of_scheme_host_and_hexadecimal_digits() {
        for (uri, expect) in [
            (
                "HTTP://User:Pw@EXAMPLE.com:80/A?B#C",
                "http://User:Pw@example.com:80/A?B#C",
            ),
            (
                "http://%c3%BC.Example/%7e%zz%4",
                "http://%C3%BC.example/%7E%zz%4",
            ),
            ("http://A%zZ.%c/", "http://a%zz.%c/"),
            ("http://[2001:DB8::A]/", "http://[2001:db8::a]/"),
            ("URN:EXAMPLE:A%2c?+r%2c", "urn:example:A%2C?+r%2C"),
            ("URN:x:A?q", "urn:x:A?q"),
            ("MAILTO:Joe@Example.COM", "mailto:Joe@Example.COM"),
            ("ldap://X.${Env:User}.A/", "ldap://x.${Env:User}.A/"),
            ("http://%c3%bc@H/", "http://%C3%BC@h/"),
        ] {
            assert_eq!(canonical(uri), expect, "{uri}");
            assert!(is_canonical(expect.as_bytes()), "{expect}");
            assert!(!is_canonical(uri.as_bytes()) || uri == expect, "{uri}");
        }
    }
}
