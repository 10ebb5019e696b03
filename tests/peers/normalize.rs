//! Normalization of valid URIs: level `syntax` against fluent-uri, without its default
//! ports, and iri-string; level `scheme` against the URL Standard's serialization by
//! the crate url. oxiri does not normalize.

use iri_string::types::UriStr;
use proptest::prelude::*;
use proptest::string::string_regex;
use std::net::{Ipv4Addr, Ipv6Addr};
use urisieve::canonicalize::{Canonicalizer, Level};
use urisieve::syntax::{Components, has_dot_segments, urn, validate};

fn canonical(level: Level, uri: &str) -> String {
    let mut buffer = Vec::new();
    let canonicalizer = Canonicalizer::new(level);
    let uri = canonicalizer.canonicalize(uri.as_bytes(), &mut buffer);
    String::from_utf8(uri.to_vec()).unwrap()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Peer {
    FluentUri,
    IriString,
    /// The URL Standard's serialization, brought to our level `scheme`: it decodes
    /// nothing in paths and queries.
    Url,
    /// The URL Standard's serialization of our canonical form.
    UrlOfOurs,
}

use Peer::{FluentUri, Url, UrlOfOurs};

impl Peer {
    const OF_SYNTAX: [Peer; 2] = [FluentUri, Peer::IriString];
    const OF_SCHEME: [Peer; 2] = [Url, UrlOfOurs];

    fn level(self) -> Level {
        match self {
            FluentUri | Peer::IriString => Level::Syntax,
            Url | UrlOfOurs => Level::Scheme,
        }
    }

    /// The peer's result for a valid URI; `None` when it rejects the URI.
    fn normalize(self, uri: &str) -> Option<String> {
        match self {
            FluentUri => {
                let normalizer =
                    fluent_uri::normalize::Normalizer::new().default_port_with(|_| None);
                let uri = fluent_uri::Uri::parse(uri).unwrap();
                Some(normalizer.normalize(&uri).unwrap().into_string())
            }
            Peer::IriString => {
                let normalized = UriStr::new(uri).unwrap().normalize().and_normalize();
                normalized.ensure_rfc3986_normalizable().ok()?;
                Some(normalized.to_string())
            }
            Url => {
                let url = url::Url::parse(uri).ok()?;
                Some(canonical(Level::Scheme, url.as_str()))
            }
            UrlOfOurs => {
                let url = url::Url::parse(&canonical(Level::Scheme, uri)).ok()?;
                Some(url.into())
            }
        }
    }
}

/// A canonical form in parts that can be replaced, to say what a peer's answer is
/// when only these differ.
#[derive(Clone, Debug, PartialEq)]
struct Parts {
    scheme: String,
    userinfo: Option<String>,
    host: Option<String>,
    port: Option<String>,
    path: String,
    query: Option<String>,
    fragment: Option<String>,
}

impl Parts {
    fn of(uri: &str) -> Parts {
        let bytes = uri.as_bytes();
        let parts = Components::parse(bytes);
        let text = |part: &[u8]| String::from_utf8(part.to_vec()).unwrap();
        Parts {
            scheme: parts.scheme(bytes).map(text).unwrap_or_default(),
            userinfo: parts.userinfo(bytes).map(text),
            host: parts.host(bytes).map(text),
            port: parts.port(bytes).map(text),
            path: text(parts.path(bytes)),
            query: parts.query(bytes).map(text),
            fragment: parts.fragment(bytes).map(text),
        }
    }

    fn ipv6(&self) -> Option<Ipv6Addr> {
        let inner = self.host.as_ref()?.strip_prefix('[')?.strip_suffix(']')?;
        inner.parse().ok()
    }
}

/// Why `peer` may return `theirs` for `uri`, for which the result here is `ours`;
/// `None` when it may not. Each arm states what else must be equal.
fn accepted(peer: Peer, uri: &str, ours: &str, theirs: Option<&str>) -> Option<&'static str> {
    let (u, o) = (Parts::of(uri), Parts::of(ours));
    if peer.level() == Level::Syntax && urn::nid(uri.as_bytes()).is_some() {
        return Some("a URN is equal by RFC 8141: nothing is decoded, its end does not count");
    }
    if peer.level() == Level::Syntax && place_of_nid(&o).is_some() {
        return Some("what could become a NID by decoding is kept, or a URN would come of it");
    }
    let rootless = o.host.is_none() && !u.path.starts_with('/');
    let loses_dots = rootless && has_dot_segments_when_decoded(&u.path);
    let Some(theirs) = theirs else {
        return match peer {
            Peer::IriString if ours.starts_with(&format!("{}:/.//", o.scheme)) => {
                Some("it refuses what section 3.3 forbids, here there is a guard")
            }
            Peer::IriString if loses_dots => {
                Some("without the dots of a rootless path section 3.3 forbids what is left")
            }
            Url | UrlOfOurs => refused_as_url(&o),
            _ => None,
        };
    };
    let t = Parts::of(theirs);
    match peer {
        FluentUri => {
            let address = o.ipv6()?;
            let host = Some(format!("[{address}]"));
            (t == Parts { host, ..o })
                .then_some("it writes IPv6 by RFC 5952, here level scheme does")
        }
        Peer::IriString => {
            let path = t.path.clone();
            if loses_dots && t == (Parts { path, ..o.clone() }) {
                return Some("it removes the dots of a rootless path, 6.2.2.3 is for hierarchies");
            }
            let host = t.host.clone();
            let same_host = t.host.as_ref()?.eq_ignore_ascii_case(o.host.as_ref()?);
            (same_host && o.host.as_ref()?.contains('%') && t == Parts { host, ..o }).then_some(
                "a host with octets above 7F keeps its case: RFC 3987 5.3.2.1, not RFC 3986",
            )
        }
        Url | UrlOfOurs => as_url(&o, &t),
    }
}

/// The text in place of an invalid NID, when it has percent-encoding.
fn place_of_nid(o: &Parts) -> Option<&str> {
    let generic = o.scheme != "urn" || o.host.is_some() || o.path.starts_with('/');
    let place = o.path.split_once(':')?.0;
    (!generic && place.contains('%')).then_some(place)
}

/// Whether a path has dot segments, some of them percent-encoded.
fn has_dot_segments_when_decoded(path: &str) -> bool {
    has_dot_segments(path.replace("%2e", ".").replace("%2E", ".").as_bytes())
}

/// Why a URI of RFC 3986 is not a URL by the URL Standard.
fn refused_as_url(o: &Parts) -> Option<&'static str> {
    let host = o.host.as_deref().unwrap_or_default();
    if host.is_empty() {
        Some("a URL of http has a host")
    } else if o
        .port
        .as_ref()
        .is_some_and(|port| port.parse::<u16>().is_err())
    {
        Some("a port has 16 bits")
    } else if host.starts_with('[') {
        (o.ipv6().is_none()).then_some("it knows no addresses of future versions")
    } else if host.contains('%') {
        Some("a host is decoded, and must then be a name")
    } else if host
        .rsplit('.')
        .find(|label| !label.is_empty())?
        .starts_with(|c: char| c.is_ascii_digit())
    {
        Some("what ends in a number must be an IPv4 address")
    } else {
        host.contains("xn--").then_some("an A-label must decode")
    }
}

/// Whether a segment of `path` is a letter and a colon.
fn has_drive_letter(path: &str) -> bool {
    let is_drive = |segment: &str| matches!(segment.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic());
    path.split('/').any(is_drive)
}

/// Why the URL Standard's serialization may differ: some of its own rewritings,
/// and nothing else.
fn as_url(o: &Parts, t: &Parts) -> Option<&'static str> {
    let mut reason = None;
    let mut left = o.clone();
    if o.path != t.path && has_drive_letter(&t.path) {
        left.path = t.path.clone();
        reason = Some(
            "a segment \"C:\" is a drive to the crate, which \"..\" does not leave, whatever the scheme",
        );
    }
    if o.port != t.port
        && o.port.as_ref().is_some_and(|port| {
            port.trim_start_matches('0')
                == t.port
                    .as_deref()
                    .unwrap_or_default()
                    .trim_start_matches('0')
        })
    {
        left.port = t.port.clone();
        reason = Some("a port loses its zeros");
    }
    let encoded = |text: &Option<String>, of: &str| {
        text.as_ref().map(|text| {
            let encode = |c: char| match of.contains(c) {
                true => format!("%{:02X}", u32::from(c)),
                false => c.to_string(),
            };
            text.chars().map(encode).collect::<String>()
        })
    };
    if o.query != t.query && t.query == encoded(&o.query, "'") {
        left.query = t.query.clone();
        reason = Some("\"'\" is encoded in a query");
    }
    if o.userinfo != t.userinfo {
        let (user, password) = match o.userinfo.as_ref()?.split_once(':') {
            Some((user, password)) => (user, Some(password)),
            None => (o.userinfo.as_deref()?, None),
        };
        let of = ";=:";
        let user = encoded(&Some(user.to_owned()), of)?;
        let password = encoded(&password.map(str::to_owned), of).filter(|text| !text.is_empty());
        let written = match (&*user, &password) {
            ("", None) => None,
            (_, None) => Some(user),
            (_, Some(password)) => Some(format!("{user}:{password}")),
        };
        if t.userinfo == written {
            left.userinfo = t.userinfo.clone();
            reason = Some("userinfo is encoded, and left out where it is empty");
        }
    }
    if o.host != t.host {
        let (ours, theirs) = (o.host.as_ref()?, t.host.as_ref()?);
        reason = if o.ipv6().is_some() && o.ipv6() == t.ipv6() {
            Some("an IPv4-mapped address is written in hexadecimal")
        } else if theirs.parse::<Ipv4Addr>().is_ok() && ours.parse::<Ipv4Addr>().is_err() {
            Some("numbers are read as an IPv4 address")
        } else if ours.contains('%') && !theirs.contains('%') {
            Some("a host is decoded")
        } else {
            None
        };
        reason?;
        left.host = t.host.clone();
    }
    (left == *t).then_some(reason?)
}

fn compare(peers: &[Peer], uri: &str) -> Result<(), TestCaseError> {
    for &peer in peers {
        let ours = canonical(peer.level(), uri);
        let theirs = peer.normalize(uri);
        let theirs = theirs.as_deref();
        if theirs != Some(&*ours) && accepted(peer, uri, &ours, theirs).is_none() {
            let report = theirs.unwrap_or("nothing");
            let failed = format!("{uri:?}: {ours} here, {report} by {peer:?}");
            return Err(TestCaseError::fail(failed));
        }
    }
    Ok(())
}

/// Each accepted difference still exists; one that a peer has fixed must leave the
/// list.
#[test]
fn accepted_differences_are_there() {
    let mut reasons = std::collections::HashSet::new();
    for (peer, uri, theirs) in [
        (FluentUri, "urn:ab:%61?+r", Some("urn:ab:a?+r")),
        (Peer::IriString, "urn:ab:%61?+r", Some("urn:ab:a?+r")),
        (FluentUri, "x://[1:0:0::A]", Some("x://[1::a]")),
        (FluentUri, "urn:%61b:c", Some("urn:ab:c")),
        (Url, "http://h/C:/..", Some("http://h/C:/")),
        (Peer::IriString, "x:/a/..//b", None),
        (Peer::IriString, "x:a/../b", Some("x:/b")),
        (Peer::IriString, "x:a/..//b", None),
        (Peer::IriString, "x://%C3%A9.A", Some("x://%C3%A9.A")),
        (Url, "http://u@/", None),
        (Url, "http://h:65536/", None),
        (Url, "http://[v1.a]/", None),
        (Url, "http://h%2F/", None),
        (Url, "http://a.1.2.3.4.5/", None),
        (Url, "http://xn--a/", None),
        (Url, "http://h:08080/", Some("http://h:8080/")),
        (Url, "http://h/?'", Some("http://h/?%27")),
        (Url, "http://:@h/", Some("http://h/")),
        (Url, "http://a;@h/", Some("http://a%3B@h/")),
        (
            UrlOfOurs,
            "http://[::ffff:1.2.3.4]/",
            Some("http://[::ffff:102:304]/"),
        ),
        (Url, "http://127.1/", Some("http://127.0.0.1/")),
        (Url, "http://h%2C/", Some("http://h,/")),
    ] {
        let ours = canonical(peer.level(), uri);
        assert_eq!(peer.normalize(uri).as_deref(), theirs, "{peer:?}: {uri}");
        assert_ne!(Some(&*ours), theirs);
        let reason = accepted(peer, uri, &ours, theirs);
        assert!(reason.is_some(), "{peer:?}: {uri}");
        reasons.insert(reason);
    }
    assert_eq!(reasons.len(), 20, "an example for each reason");
}

/// A difference without a reason is not accepted.
#[test]
fn other_differences_are_not_accepted() {
    for (peer, uri, theirs) in [
        (FluentUri, "x://[1:0:0::A]/p", Some("x://[1::a]/")),
        (FluentUri, "x:/a/..//b", None),
        (Peer::IriString, "x://h/A", Some("x://h/a")),
        (Peer::IriString, "x:/a/../b", Some("x:/a/../b")),
        (Peer::IriString, "x://%C3%A9.A/b", Some("x://%C3%A9.A/c")),
        (Url, "http://h/", None),
        (Url, "http://h/?'a", Some("http://h/?%27b")),
        (Url, "http://u@h/", Some("http://h/")),
        (Url, "http://h%2C/a", Some("http://h,/b")),
        (Url, "http://h:08080/", Some("http://h:80/")),
    ] {
        let ours = canonical(peer.level(), uri);
        assert_eq!(accepted(peer, uri, &ours, theirs), None, "{peer:?}: {uri}");
    }
}

const ESCAPES: &str = "(%7[eE]|%41|%61|%2[eE]|%2[fF]|%[cC]3%[aA]9|%25|%e9|%2D)";

fn regex(pattern: String) -> impl Strategy<Value = String> {
    string_regex(&pattern).unwrap()
}

/// What follows the authority.
fn tail() -> impl Strategy<Value = String> {
    regex(format!(
        "(/(|\\.|\\.\\.|a|B|b:;=|C:|[.a]{{0,3}}|['!@]|{ESCAPES}|%2e\\.|\\.%2E|%2E)){{0,6}}\
         (|\\?|\\?(a|B|&|=|/|\\?|'|\\.\\.|{ESCAPES}){{0,4}})\
         (|#|#(a|'|/\\.\\.|{ESCAPES}){{0,3}})"
    ))
}

/// A valid URI of any scheme.
fn uris() -> impl Strategy<Value = String> {
    let scheme = "(x|Foo|a\\+b|HTTP|urn)";
    let userinfo = regex(format!("(|||([uU:;]|{ESCAPES}){{0,3}}@)"));
    let name = regex(format!(
        "(|h|H\\.Example|(a|B|\\.|{ESCAPES}){{0,4}}|192\\.0\\.2\\.1|1\\.2\\.3\\.%34)"
    ));
    let host = prop_oneof![2 => name, 1 => ipv6()];
    let hierarchical = (scheme, userinfo, host, "(||:|:80|:0080|:65537)", tail())
        .prop_map(|(s, u, h, p, tail)| format!("{s}://{u}{h}{p}{tail}"));
    let other = (scheme, "(|a|\\.|\\.\\.|ab:B|%2e|%41)", tail())
        .prop_map(|(s, start, tail)| format!("{s}:{start}{tail}"));
    prop_oneof![2 => hierarchical, 1 => other]
        .prop_filter("valid", |uri| validate(uri.as_bytes()).is_ok())
}

/// An address in one of its many spellings.
fn ipv6() -> impl Strategy<Value = String> {
    let groups = |count| {
        let group = "(0|00|0000|1|A|dB8|ffff|0A0)";
        prop::collection::vec(group, count).prop_map(|groups| groups.join(":"))
    };
    prop_oneof![
        groups(8..9).prop_map(|all| format!("[{all}]")),
        (groups(0..4), groups(0..4)).prop_map(|(a, b)| format!("[{a}::{b}]")),
        Just("[::FFFF:192.0.2.1]".to_owned()),
        Just("[::ffff:C000:201]".to_owned()),
        Just("[0:0::64:FF9B:192.0.2.33]".to_owned()),
        Just("[v1.A:!]".to_owned()),
    ]
}

/// A valid `http` or `https` URI.
fn web() -> impl Strategy<Value = String> {
    let userinfo = regex(format!("(|||||([uU:;=]|{ESCAPES}){{0,3}}@)"));
    let name = regex(format!(
        "(h|H\\.Example|www\\.h\\.|192\\.0\\.2\\.1|(a|B|c\\.|{ESCAPES}){{1,4}}|xn--bcher-kva\\.A|\
         b%C3%BCcher\\.a|B%c3%9Ccher\\.a|[0-9.x]{{1,6}}|a[,!']b)"
    ));
    let host = prop_oneof![4 => name, 1 => ipv6()];
    let port = "(|||:|:80|:0080|:443|:08080|:65536)";
    ("(http|HTTPS|https)", userinfo, host, port, tail())
        .prop_map(|(s, u, h, p, tail)| format!("{s}://{u}{h}{p}{tail}"))
        .prop_filter("valid", |uri| validate(uri.as_bytes()).is_ok())
}

proptest! {
    #[test]
    fn same_forms_by_generic_syntax(uri in uris()) {
        compare(&Peer::OF_SYNTAX, &uri)?;
    }

    #[test]
    fn same_forms_of_the_web(uri in web()) {
        compare(&Peer::OF_SYNTAX, &uri)?;
        compare(&Peer::OF_SCHEME, &uri)?;
    }
}
