//! URIs that nobody opens by mistake (R1).

use crate::syntax::Components;

/// Appends `uri` as security reports write it: `hxxp` for `http`, and `[.]` for
/// every dot of the host. Reading it back with `--refang` gives `uri`.
///
/// ```
/// use urisieve::output::defang;
/// let mut out = Vec::new();
/// defang(b"https://a.example/b.c", &mut out);
/// assert_eq!(out, b"hxxps://a[.]example/b.c");
/// ```
pub fn defang(uri: &[u8], out: &mut Vec<u8>) {
    let parts = Components::parse(uri);
    let host = parts.host_range();
    let scheme = parts.scheme(uri).unwrap_or_default();
    let mut at = 0;
    if let [h, t1, t2, p, rest @ ..] = scheme
        && [*h, *t1, *t2, *p].eq_ignore_ascii_case(b"http")
        && matches!(rest, [] | [b's' | b'S'])
    {
        out.extend_from_slice(&[*h, b'x', b'x', *p]);
        at = 4;
    }
    for dot in memchr::memchr_iter(b'.', &uri[host.clone()]) {
        out.extend_from_slice(&uri[at..host.start + dot]);
        out.extend_from_slice(b"[.]");
        at = host.start + dot + 1;
    }
    out.extend_from_slice(&uri[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scheme_and_host_alone() {
        for (uri, expect) in [
            (
                "http://1.2.3.4:80/a.b?c.d",
                "hxxp://1[.]2[.]3[.]4:80/a.b?c.d",
            ),
            ("HTTPS://u.v@H.example", "HxxPS://u.v@H[.]example"),
            ("ftp://a.b/", "ftp://a[.]b/"),
            ("urn:a-b:c.d", "urn:a-b:c.d"),
            ("httpx://a/", "httpx://a/"),
        ] {
            let mut out = Vec::new();
            defang(uri.as_bytes(), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expect);
        }
    }
}
