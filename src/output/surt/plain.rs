//! The plain form: the host reversed, everything else unchanged.

use crate::syntax::{Components, host, pct};

/// Appends the SURT of `uri` to `out`: the host's labels in reverse order with commas
/// between them and in lower case, its port, `@` and the userinfo if there are any,
/// `)`, and the rest unchanged. The scheme is left out. IP addresses are not reversed.
/// A URI without a host, such as `mailto:` and `urn:`, is unchanged.
///
/// Web archives index by another key, for joins: [`archive_surt`](super::archive_surt).
///
/// ```
/// use urisieve::output::plain_surt;
/// for (uri, expect) in [
///     ("http://www.Example.com:8080/a?q#f", "com,example,www:8080)/a?q#f"),
///     ("ftp://joe@a.example/", "example,a@joe)/"),
///     ("http://192.0.2.1/", "192.0.2.1)/"),
///     ("http://[2001:db8::1]/", "[2001:db8::1])/"),
///     ("urn:isbn:0395363411", "urn:isbn:0395363411"),
/// ] {
///     let mut out = Vec::new();
///     plain_surt(uri.as_bytes(), &mut out);
///     assert_eq!(out, expect.as_bytes());
/// }
/// ```
pub fn plain_surt(uri: &[u8], out: &mut Vec<u8>) {
    let parts = Components::parse(uri);
    let name = match parts.host(uri) {
        Some(name) if !name.is_empty() && parts.scheme(uri).is_some() => name,
        _ => return out.extend_from_slice(uri),
    };
    if name[0] == b'[' || host::is_ipv4(name) {
        push_lower(name, out);
    } else {
        for (at, label) in name.rsplit(|&b| b == b'.').enumerate() {
            if at > 0 {
                out.push(b',');
            }
            push_lower(label, out);
        }
    }
    let path = parts.path_range().start;
    out.extend_from_slice(&uri[parts.host_range().end..path]);
    if let Some(userinfo) = parts.userinfo(uri) {
        out.push(b'@');
        out.extend_from_slice(userinfo);
    }
    out.push(b')');
    out.extend_from_slice(&uri[path..]);
}

/// Appends text in lower case, except for the digits of percent-encoding.
fn push_lower(text: &[u8], out: &mut Vec<u8>) {
    out.extend(text.iter().enumerate().map(|(at, byte)| {
        let digit = (1..3).any(|back| at >= back && pct::is_encoded(text, at - back));
        if digit {
            *byte
        } else {
            byte.to_ascii_lowercase()
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(uri: &str) -> String {
        let mut out = Vec::new();
        plain_surt(uri.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn hosts_are_reversed_and_the_rest_stays() {
        for (uri, expect) in [
            ("http://archive.org/goo/?b&a", "org,archive)/goo/?b&a"),
            ("https://WWW.a%C3%89.B", "b,a%C3%89,www)"),
            ("http://a", "a)"),
            ("http://a?q", "a)?q"),
            ("http://a.b.:80/", ",b,a:80)/"),
            ("http://u:p@a.b:81/x.y", "b,a:81@u:p)/x.y"),
            ("http://1.2.3/", "3,2,1)/"),
            ("file:///a.b/c", "file:///a.b/c"),
            ("mailto:Joe@A.B", "mailto:Joe@A.B"),
            ("dns:archive.org", "dns:archive.org"),
            ("a.b/c", "a.b/c"),
        ] {
            assert_eq!(text(uri), expect, "{uri}");
        }
    }

    proptest! {
        #[test]
        fn hosts_of_one_domain_sort_together(
            name in "[a-z]{1,3}\\.[a-z]{2}", subs in proptest::collection::vec("([a-z]{1,3}\\.){0,2}", 2..5),
            other in "[a-z]{1,3}\\.[a-z]{2}",
        ) {
            prop_assume!(name != other);
            let mut list: Vec<String> = subs.iter().map(|sub| text(&format!("http://{sub}{name}/"))).collect();
            list.push(text(&format!("http://{other}/")));
            list.sort();
            let place = list.iter().position(|key| *key == text(&format!("http://{other}/"))).unwrap();
            prop_assert!(place == 0 || place == list.len() - 1);
        }
    }
}
