//! Addresses that do not lead a reader anywhere: hosts of inside networks, resolvers without
//! an identifier, files of one computer, scripts, sessions.

use super::draft::Draft;
use crate::canonicalize::resolver;
use crate::syntax::{Components, steps};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The parts of an address that rows check.
fn parts(value: &str) -> (&str, &str, std::ops::Range<usize>) {
    let bytes = value.as_bytes();
    let parts = Components::parse(bytes);
    let scheme = value.split(':').next().unwrap_or_default();
    let scheme = if parts.scheme(bytes).is_some() {
        scheme
    } else {
        ""
    };
    let host = parts
        .host(bytes)
        .and_then(|host| std::str::from_utf8(host).ok());
    (scheme, host.unwrap_or_default(), parts.host_range())
}

fn begins(text: impl AsRef<[u8]>, word: &str) -> bool {
    text.as_ref()
        .get(..word.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()))
}

/// bad-address, private-address
pub(super) fn address(draft: &mut Draft) {
    let value = draft.value.clone();
    let (_, host, _) = parts(&value);
    if is_no_address(host) {
        draft.hit("bad-address", None);
    } else if is_inside(host) {
        draft.hit("private-address", None);
    }
}

/// Whether a host looks like an IPv4 address, but has a group over 255.
fn is_no_address(host: &str) -> bool {
    let is_group = |group: &str| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit());
    let is_over = |group: &str| group.parse::<u32>().map_or(true, |number| number > 255);
    host.split('.').count() == 4 && host.split('.').all(is_group) && host.split('.').any(is_over)
}

/// Whether a host is only known inside of a network (RFC 1918, 3927, 4193, 4291, 6598, 6761,
/// 6762).
pub(super) fn is_inside(host: &str) -> bool {
    let literal = host
        .strip_prefix('[')
        .and_then(|inner| inner.strip_suffix(']'));
    let address = match literal {
        Some(inner) => {
            let inner = inner.split('%').next().unwrap_or_default();
            inner.parse::<Ipv6Addr>().ok().map(IpAddr::V6)
        }
        None => host.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
    };
    match address {
        Some(IpAddr::V4(address)) => {
            let [one, two, ..] = address.octets();
            address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || one == 100 && (64..128).contains(&two)
        }
        Some(IpAddr::V6(address)) => {
            let first = address.segments()[0];
            first & 0xFE00 == 0xFC00 || first & 0xFFC0 == 0xFE80
        }
        None => {
            let host = host.strip_suffix('.').unwrap_or(host);
            let at = host.len().saturating_sub(".local".len());
            host.eq_ignore_ascii_case("localhost")
                || host.get(at..).is_some_and(|end| begins(end, ".local"))
        }
    }
}

/// second-hash
pub(super) fn hash(draft: &mut Draft) {
    if draft.value.matches('#').count() > 1 {
        draft.hit("second-hash", None);
    }
}

/// resolver-alone, doubled-resolver
pub(super) fn resolver(draft: &mut Draft) {
    let value = draft.value.clone();
    let (scheme, host, range) = parts(&value);
    if !(begins(scheme, "http") && resolver::is_built_in(host)) {
        return;
    }
    let rest = &value[range.end..];
    if matches!(rest, "" | "/") {
        draft.hit("resolver-alone", None);
        return;
    }
    let mut inner = rest;
    let mut found = None;
    while let Some(path) = inner.strip_prefix('/') {
        steps::count(path.len().min(resolver::HOST_MAX));
        // The name of a DOI with its own scheme is a row of its own.
        let path = match path.get(..4) {
            Some(head) if head.eq_ignore_ascii_case("hdl:") => {
                found = Some(format!("{}/{}", &value[..range.end], &path[4..]));
                break;
            }
            _ => path,
        };
        let without = ["https://", "http://"]
            .into_iter()
            .find(|word| begins(path, word));
        let name = &path[without.map_or(0, str::len)..];
        let end = name.find(['/', '?', '#']).unwrap_or(name.len());
        if !resolver::is_built_in(&name[..end]) || end == name.len() {
            break;
        }
        found = Some(match without {
            Some(_) => path.to_owned(),
            None => format!("{scheme}://{path}"),
        });
        inner = &name[end..];
    }
    if let Some(found) = found {
        draft.hit("doubled-resolver", Some(found));
    }
}

/// local-file
pub(super) fn file(draft: &mut Draft) {
    if !begins(&*draft.value, "file:") {
        return;
    }
    let path = draft.value["file:".len()..].trim_start_matches(['/', '\\']);
    if matches!(path.as_bytes(), [letter, b':' | b'|', ..] if letter.is_ascii_alphabetic()) {
        draft.hit("local-file", None);
    }
}

/// script: returns whether the value is one.
pub(super) fn script(draft: &mut Draft) -> bool {
    let words = ["javascript:", "vbscript:", "data:"];
    let is_script = words.iter().any(|word| begins(&*draft.value, word));
    if is_script {
        draft.hit("script", None);
    }
    is_script
}

/// session-id
pub(super) fn session(draft: &mut Draft) {
    if let Some(without) = without_session(&draft.value) {
        draft.hit("session-id", Some(without));
    }
}

/// Parameters that hold the number of a session, whatever it is.
const SESSIONS: [&str; 8] = [
    "phpsessid",
    "jsessionid",
    "aspsessionid",
    "cfid",
    "cftoken",
    "sessionid",
    "session_id",
    "sessid",
];
/// Parameters that hold one if their value is a long number.
const LONG_SESSIONS: [&str; 3] = ["sid", "session", "s"];
/// The least number of hexadecimal digits of such a number.
const SESSION_MIN: usize = 16;

/// Whether `parameter` is the number of a session.
fn is_session(parameter: &[u8]) -> bool {
    let Some(sign) = parameter.iter().position(|&byte| byte == b'=') else {
        return false;
    };
    let (name, value) = (&parameter[..sign], &parameter[sign + 1..]);
    let is_it = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
    let is_long = value.len() >= SESSION_MIN && value.iter().all(u8::is_ascii_hexdigit);
    !value.is_empty()
        && (SESSIONS.iter().any(|known| is_it(known))
            || begins(name, "aspsessionid")
            || is_long && LONG_SESSIONS.iter().any(|known| is_it(known)))
}

/// Whether an address has parameters of sessions.
pub(super) fn has_session(value: &str) -> bool {
    // Most addresses have no parameters.
    if memchr::memchr(b'=', value.as_bytes()).is_none() {
        return false;
    }
    let rest = &value.as_bytes()[..value.find('#').unwrap_or(value.len())];
    let (path, query) = match memchr::memchr(b'?', rest) {
        Some(at) => rest.split_at(at + 1),
        None => (rest, &b""[..]),
    };
    let segments = path.split(|&byte| byte == b'/');
    let mut in_path = segments.flat_map(|segment| segment.split(|&byte| byte == b';').skip(1));
    in_path.any(is_session) || query.split(|&byte| byte == b'&').any(is_session)
}

/// Returns an address without the parameters of sessions; `None` where it has none.
fn without_session(value: &str) -> Option<String> {
    if !has_session(value) {
        return None;
    }
    let (rest, fragment) = match value.find('#') {
        Some(at) => value.split_at(at),
        None => (value, ""),
    };
    let (path, query) = match rest.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (rest, None),
    };
    let mut out = String::with_capacity(value.len());
    for (number, segment) in path.split('/').enumerate() {
        out.push_str(if number > 0 { "/" } else { "" });
        for (number, parameter) in segment.split(';').enumerate() {
            if number == 0 || !is_session(parameter.as_bytes()) {
                out.push_str(if number > 0 { ";" } else { "" });
                out.push_str(parameter);
            }
        }
    }
    let parameters = query.into_iter().flat_map(|query| query.split('&'));
    let kept: Vec<&str> = parameters
        .filter(|one| !is_session(one.as_bytes()))
        .collect();
    if !kept.is_empty() {
        out.push('?');
        out.push_str(&kept.join("&"));
    }
    out.push_str(fragment);
    Some(out)
}
