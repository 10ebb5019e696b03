//! The places in a URI that name a host: its authority, the addresses of `mailto:`, `sip:`
//! and `xmpp:`, and those of the URI inside another one.

use super::key::{HostKey, is_plain, with_key};
use super::port_number;
use crate::syntax::{Components, nested, scheme};

/// Schemes after whose colon another URI follows.
const OUTER: [&[u8]; 5] = [b"blob", b"view-source", b"feed", b"jar", b"jdbc"];
/// The depth at which URIs inside URIs are read.
const DEPTH_MAX: usize = 8;
/// Header fields of `mailto:` whose values are addresses (RFC 6068 section 2).
const ADDRESS_FIELDS: [&[u8]; 3] = [b"to", b"cc", b"bcc"];

/// A host that a URI names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostSite<'h> {
    pub key: HostKey<'h>,
    /// The port, or the default one of the scheme; `None` where neither is known.
    pub port: Option<u16>,
}

/// Whether `test` returns true for a host of `uri`, in any spelling and at any level.
#[inline]
pub(crate) fn any_site(uri: &[u8], mut test: impl FnMut(HostSite) -> bool) -> bool {
    match usual(uri) {
        Some(site) => test(site),
        None => any_site_of_all(uri, &mut test),
    }
}

/// Returns the host of a URI of the web with nothing else in its authority, whose name is its
/// own key: most URIs are such ones.
fn usual(uri: &[u8]) -> Option<HostSite<'_>> {
    let rest = uri.strip_prefix(b"http")?;
    let (rest, port) = match rest.strip_prefix(b"s") {
        Some(rest) => (rest, 443),
        None => (rest, 80),
    };
    let rest = rest.strip_prefix(b"://")?;
    let end = rest.iter().position(|&byte| !is_plain(byte));
    let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
    // A number may be an address.
    let last = name.rsplit(|&byte| byte == b'.').next()?;
    let is_name = last.first().is_some_and(u8::is_ascii_lowercase);
    let key = HostKey::Name(name);
    let port = Some(port);
    (is_name && matches!(after, [] | [b'/' | b'?' | b'#', ..])).then_some(HostSite { key, port })
}

fn any_site_of_all(uri: &[u8], test: &mut dyn FnMut(HostSite) -> bool) -> bool {
    let mut visit = |host: &[u8], port| with_key(host, |key| test(HostSite { key, port }));
    let Some(Inner {
        uri,
        parts,
        of_jdbc,
    }) = innermost(uri)
    else {
        return false;
    };
    let scheme = parts.scheme(uri).unwrap_or_default();
    let is = |name: &[u8]| scheme.eq_ignore_ascii_case(name);
    if let Some(authority) = parts.authority(uri) {
        // Properties may hold an "@": `jdbc:sqlserver://h:1433;password=a@b`.
        let ends: &[u8] = if of_jdbc { b";" } else { b"" };
        let authority = before(authority, ends);
        let start = memchr::memrchr(b'@', authority).map_or(0, |at| at + 1);
        if in_authority(scheme, &authority[start..], &mut visit) {
            return true;
        }
        // RFC 5122: the authority is the account that is used, the path the one that is meant.
        let address = parts.path(uri).strip_prefix(b"/").unwrap_or_default();
        return is(b"xmpp") && visit(after_at(before(address, b"/")).1, None);
    }
    let rest = &uri[scheme.len() + 1..];
    if is(b"mailto") {
        in_mail(parts.path(uri), parts.query(uri), &mut visit)
    } else if is(b"sip") || is(b"sips") {
        // RFC 3261 section 25.1: users may contain `;` and `?`.
        let start = memchr::memchr(b'@', rest).map_or(0, |at| at + 1);
        in_authority(scheme, before(&rest[start..], b"?#/"), &mut visit)
    } else if is(b"xmpp") {
        visit(after_at(before(parts.path(uri), b"/")).1, None)
    } else {
        false
    }
}

/// A visitor of a host and its port, which returns true to end the search.
type Visit<'v> = dyn FnMut(&[u8], Option<u16>) -> bool + 'v;

/// The URI whose hosts count.
struct Inner<'u> {
    uri: &'u [u8],
    parts: Components,
    /// Whether it stands behind `jdbc:`.
    of_jdbc: bool,
}

/// Returns the URI inside of the schemes that have another one, or `uri` itself. Behind
/// `jdbc:` any scheme may precede the authority: `jdbc:mysql:replication://h/`.
fn innermost(mut uri: &[u8]) -> Option<Inner<'_>> {
    let mut of_jdbc = false;
    for _ in 0..DEPTH_MAX {
        let parts = Components::parse(uri);
        let scheme = parts.scheme(uri)?;
        let is_outer = OUTER.iter().any(|name| scheme.eq_ignore_ascii_case(name));
        if parts.has_authority() || !is_outer && !of_jdbc {
            return Some(Inner {
                uri,
                parts,
                of_jdbc,
            });
        }
        of_jdbc |= scheme.eq_ignore_ascii_case(b"jdbc");
        uri = &uri[scheme.len() + 1..];
    }
    None
}

/// Visits the hosts of an authority without its userinfo. Schemes that are not of the web
/// may list several: `mongodb://h1:1,h2:2/d`, and parameters: `aaa://h:1;transport=tcp` (B8).
fn in_authority(scheme: &[u8], hosts: &[u8], visit: &mut Visit) -> bool {
    // I1: after a template its rest.
    let hosts = match memchr::memrchr(b'}', hosts) {
        Some(at) => &hosts[at + 1..],
        None => hosts,
    };
    let default = || scheme::find(scheme).map(|row| row.default_port);
    let mut visit_one = |text: &[u8]| {
        let literal = match text.first() {
            Some(b'[') => memchr::memchr(b']', text).map_or(0, |at| at + 1),
            _ => 0,
        };
        let len = memchr::memchr(b':', &text[literal..]).map_or(text.len(), |at| literal + at);
        let port = match text.get(len + 1..) {
            None | Some([]) => default().filter(|&port| port > 0),
            Some(digits) => port_number(digits),
        };
        visit(&text[..len], port)
    };
    match nested::is_special(scheme) {
        true => visit_one(hosts),
        false => before(hosts, b";").split(|&b| b == b',').any(visit_one),
    }
}

/// Visits the hosts of the addresses of a `mailto:` URI, those in header fields too.
fn in_mail(path: &[u8], query: Option<&[u8]>, visit: &mut Visit) -> bool {
    let mut in_list = |list| {
        let mut hosts = addresses(list).map(after_at);
        hosts.any(|(is_address, host)| is_address && visit(host, None))
    };
    let mut fields = query.unwrap_or_default().split(|&b| b == b'&');
    in_list(path)
        || fields.any(|field| {
            let name = before(field, b"=");
            let is_it = |one: &&[u8]| name.eq_ignore_ascii_case(one);
            ADDRESS_FIELDS.iter().any(is_it) && in_list(&field[name.len()..])
        })
}

/// Returns the addresses of a list. Its commas may be percent-encoded.
fn addresses(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(list);
    std::iter::from_fn(move || {
        let text = rest?;
        let comma = memchr::memchr2_iter(b',', b'%', text).find_map(|at| match &text[at..] {
            [b',', ..] => Some((at, at + 1)),
            [b'%', b'2', b'c' | b'C', ..] => Some((at, at + 3)),
            _ => None,
        });
        rest = comma.map(|(_, next)| &text[next..]);
        Some(comma.map_or(text, |(end, _)| &text[..end]))
    })
}

/// Returns whether `address` has an "@", which may be percent-encoded, and the text after
/// the last one.
fn after_at(address: &[u8]) -> (bool, &[u8]) {
    let literal = memchr::memrchr(b'@', address).map(|at| at + 1);
    let encoded = || memchr::memmem::rfind(address, b"%40").map(|at| at + 3);
    match literal.or_else(encoded) {
        Some(start) => (true, &address[start..]),
        None => (false, address),
    }
}

/// Returns `text` up to the first of some bytes.
fn before<'t>(text: &'t [u8], ends: &[u8]) -> &'t [u8] {
    let end = text.iter().position(|byte| ends.contains(byte));
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn usual_uris_have_the_hosts_that_all_have(
            uri in "https?://([a0x]\\.?|1|ff|-|_|:8|@|A|%41|é){0,6}[/?#.\\\\]?[a:@]{0,2}",
        ) {
            if let Some(HostSite { key, port }) = usual(uri.as_bytes()) {
                let mut seen = 0;
                any_site_of_all(uri.as_bytes(), &mut |site| {
                    seen += 1;
                    assert_eq!(site, HostSite { key, port });
                    false
                });
                assert_eq!(seen, 1);
            }
        }
    }

    fn sites(uri: &str) -> Vec<String> {
        let mut sites = Vec::new();
        let ended = any_site(uri.as_bytes(), |site| {
            let host = match site.key {
                HostKey::Address(address) => format!("<{address}>"),
                HostKey::Name(name) => String::from_utf8_lossy(name).into_owned(),
            };
            sites.push(match site.port {
                Some(port) => format!("{host}:{port}"),
                None => host,
            });
            false
        });
        assert!(!ended, "{uri}");
        sites
    }

    #[test]
    fn hosts_and_ports_of_every_kind_of_uri() {
        for (uri, wanted) in [
            ("http://U:p@A.example./x@y", &["a.example:80"][..]),
            ("HTTPS://a.example:/", &["a.example:443"]),
            ("http://a.example:0080/", &["a.example:80"]),
            ("http://a.example:x/", &["a.example"]),
            ("http://evil.example:80@good.example/", &["good.example:80"]),
            ("http://a.example,b.example/", &["a.example,b.example:80"]),
            ("x://[2001:DB8::1]:8080/", &["<2001:db8::1>:8080"]),
            ("x://[2001:db8::1/", &["[2001"]),
            ("mongodb://u@h1:1,h2,[::1]:3/d", &["h1:1", "h2", "<::1>:3"]),
            ("aaa://h.example:6666;transport=tcp", &["h.example:6666"]),
            ("aaa://h.example;transport=tcp", &["h.example"]),
            ("file:///etc/hosts", &[""]),
            (
                "ldap://x.${env:USER}.oast.example:1389/a",
                &[".oast.example:1389"],
            ),
            ("urn:isbn:1", &[]),
            ("tag:a.example,2001:x", &[]),
            ("", &[]),
            ("//a/", &[]),
            // Mail
            ("MAILTO:Joe@A.Example", &["a.example"]),
            (
                "mailto:a@b.example,eve@Evil.example?subject=x@y.example",
                &["b.example", "evil.example"],
            ),
            (
                "mailto:?TO=a%40b.example%2Cc@d.example&x=e@f.example&bcc=g@h.example",
                &["b.example", "d.example", "h.example"],
            ),
            ("mailto:a%40x@b.example", &["b.example"]),
            ("mailto:evil.example@b.example", &["b.example"]),
            ("mailto:?to=evil.example", &[]),
            (
                "mailto:a@[192.0.2.1],b@[IPv6:::1]",
                &["<192.0.2.1>", "<::1>"],
            ),
            // Calls and messages
            ("sip:bob@A.example:5060;transport=tcp", &["a.example:5060"]),
            ("sips:a;b?c@a.example?d=e", &["a.example"]),
            ("sip:a.example", &["a.example"]),
            ("sip:x@[::1]:5061", &["<::1>:5061"]),
            ("xmpp:x@a.example/home@b", &["a.example"]),
            ("xmpp:a.example?message", &["a.example"]),
            (
                "xmpp://guest@a.example/support@b.example/x?y",
                &["a.example", "b.example"],
            ),
            // URIs inside
            ("view-source:http://a.example/", &["a.example:80"]),
            ("view-source:blob:https://a.example/0", &["a.example:443"]),
            ("jar:http://a.example/a.jar!/B", &["a.example:80"]),
            ("feed://a.example/", &["a.example"]),
            ("jdbc:postgresql://h1:5432,h2/d?user=x", &["h1:5432", "h2"]),
            ("jdbc:mysql:replication://h1/d", &["h1"]),
            ("jdbc:sqlserver://h:1433;password=a@b", &["h:1433"]),
            (
                "view-source:view-source:view-source:view-source:view-source:view-source:view-source:view-source:http://a.example/",
                &[],
            ),
        ] {
            assert_eq!(sites(uri), wanted, "{uri}");
        }
    }

    #[test]
    fn the_first_one_ends_the_search() {
        let mut seen = 0;
        assert!(any_site(b"mailto:a@b,c@d,e@f", |_| {
            seen += 1;
            seen == 2
        }));
        assert_eq!(seen, 2);
    }
}
