//! Judges URIs apart from their place in a text: the value of a record that should be
//! a URI, and the name of a URN.

use crate::canonicalize::namespace;
use crate::item::{Problem, Problems};
use crate::syntax::class::{URI, are_all, has_boundary_or_bracket, is_boundary};
use crate::syntax::urn::{self, Registration};
use crate::syntax::{Components, host, pct, scheme, validate};

/// Returns the problems of a URN: its syntax, its namespace, its name in the
/// namespace. Other URIs have no problems here.
#[inline]
pub(in crate::engine) fn of_urn(uri: &[u8]) -> Problems {
    match uri {
        [u, r, n, b':', ..] if [*u, *r, *n].eq_ignore_ascii_case(b"urn") => judge_urn(uri),
        _ => Problems::NONE,
    }
}

/// Returns the problem of a finding that may be affected by damage. `place` is its raw
/// offset and length; from the raw offset `doubt` on the text may be damaged.
pub(in crate::engine) fn of_damage(doubt: Option<u64>, place: (u64, u64)) -> Problems {
    let (offset, len) = place;
    match doubt {
        Some(from) if offset + len > from => Problem::Suspect.into(),
        _ => Problems::NONE,
    }
}

/// Returns the problems of `uri`, whose scheme is `urn`.
fn judge_urn(uri: &[u8]) -> Problems {
    let (Some(nid), Some(len)) = (urn::nid(uri), urn::assigned_name_len(uri)) else {
        return Problem::BadUrn.into();
    };
    let mut problems = Problems::NONE;
    let nss = &uri[4 + nid.len() + 1..len];
    if !urn::is_nss(nss) {
        problems |= Problem::BadUrn;
    }
    let rest = &uri[len..];
    if rest.first() == Some(&b'?') && !matches!(rest.get(1), Some(b'+' | b'=')) {
        problems |= Problem::BadComponent;
    }
    match urn::registration(nid) {
        Registration::Informal => problems |= Problem::NidInformal,
        Registration::Experimental => problems |= Problem::NidExperimental,
        Registration::Reserved => problems |= Problem::NidReserved,
        Registration::Unregistered => problems |= Problem::NidUnregistered,
        _ => {}
    }
    for problem in namespace::defects(nid, nss).filter_map(|d| Problem::of_code(d.code())) {
        problems |= problem;
    }
    problems
}

/// Returns whether a value is read as a URI, even if something is wrong with it. Such a
/// value begins with a scheme (S1), has no [boundary](crate::syntax::class::is_boundary), and
/// brackets in its host are those of an IP address (B8). So lists are read, which have every
/// URI that is found in text.
///
/// ```
/// use urisieve::is_uri;
/// assert!(is_uri(b"http://a.example/?q={term}") && is_uri(b"http://a.example/%zz"));
/// assert!(!is_uri(b"n/a") && !is_uri(b"http://a.example/b c"));
/// assert!(is_uri(b"http://[::1]/") && !is_uri(b"http://[::1/"));
/// ```
pub fn is_uri(value: &[u8]) -> bool {
    let Some(len) = scheme::prefix_len(value) else {
        return false;
    };
    // Nearly every URI has neither.
    !has_boundary_or_bracket(value) || !has_boundary(value) && !has_bad_host(value, len)
}

/// Returns whether a value is read as a URI where only what is valid by RFC 3986 counts, as
/// with [`Config::strict`](crate::delimit::Config::strict).
///
/// ```
/// use urisieve::is_strict_uri;
/// assert!(is_strict_uri(b"http://a.example/") && !is_strict_uri(b"http://a.example/%zz"));
/// assert!(!is_strict_uri("http://b\u{FC}cher.example/".as_bytes()));
/// ```
pub fn is_strict_uri(value: &[u8]) -> bool {
    is_uri(value) && validate(value).is_ok()
}

/// Returns the problems of a value that should be a URI or an IRI, whether or not it
/// [is read as one](is_uri). A URN is also checked against the rules of its namespace
/// (RFC 8141).
///
/// ```
/// use urisieve::{problems_of, item::Problem};
/// assert!(problems_of(b"http://a.example/").is_empty());
/// assert!(problems_of(b"urn:issn:0259-0001").has(Problem::IssnCheck));
/// ```
pub fn problems_of(value: &[u8]) -> Problems {
    judged(value).1
}

/// Returns whether a value is read as a URI, and its problems.
pub(in crate::engine) fn judged(value: &[u8]) -> (bool, Problems) {
    let scheme_len = scheme::prefix_len(value);
    let mut problems = Problems::NONE;
    let is_plain = is_plain(value);
    if !is_plain {
        problems |= Problem::BadChar;
    }
    let Some(len) = scheme_len else {
        return (false, problems | Problem::NoScheme.into());
    };
    if !is_plain && has_boundary(value) {
        return (false, problems);
    }
    if pct::first_broken(value).is_some() {
        problems |= Problem::BadPercent;
    }
    if value[len + 1..].starts_with(b"//") {
        if has_bad_host(value, len) {
            return (false, problems | Problem::BadHost.into());
        }
        let parts = Components::parse(value);
        let is_number = |port: &[u8]| port.iter().all(u8::is_ascii_digit);
        let host = parts.host(value).unwrap_or_default();
        if !is_plain && has_template(host) {
            // I25: the colon of `${env:USER}` begins no port.
            problems |= Problem::TemplateHost;
        } else if parts.port(value).is_some_and(|port| !is_number(port)) {
            problems |= Problem::BadPort;
        }
        let authority = parts.authority(value).unwrap_or_default();
        if memchr::memchr_iter(b'@', authority).nth(1).is_some() {
            problems |= Problem::BadUserinfo;
        }
    }
    (true, problems | of_urn(value))
}

/// B8: returns whether the host of `value`, whose scheme has `scheme_len` bytes, has brackets
/// that are not those of an IP address.
fn has_bad_host(value: &[u8], scheme_len: usize) -> bool {
    let Some(rest) = value[scheme_len + 1..].strip_prefix(b"//") else {
        return false;
    };
    let end = memchr::memchr3(b'/', b'?', b'#', rest).unwrap_or(rest.len());
    if memchr::memchr2(b'[', b']', &rest[..end]).is_none() {
        return false;
    }
    let host = Components::parse(value).host(value).unwrap_or_default();
    memchr::memchr2(b'[', b']', host).is_some() && !has_template(host) && !host::is_ip_literal(host)
}

/// I25: returns whether a host has a template, whose characters are no part of a name.
fn has_template(host: &[u8]) -> bool {
    memchr::memmem::find(host, b"${").is_some()
}

fn has_boundary(value: &[u8]) -> bool {
    value.iter().any(|&byte| is_boundary(byte))
}

/// Returns whether every byte of `value` is allowed in a URI or an IRI (B2).
fn is_plain(value: &[u8]) -> bool {
    static PLAIN: [bool; 256] = {
        let mut table = URI.table();
        let mut byte = 128;
        while byte < 256 {
            table[byte] = true;
            byte += 1;
        }
        table
    };
    are_all(value, &PLAIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(problems: Problems) -> Vec<&'static str> {
        problems.iter().map(Problem::code).collect()
    }

    #[test]
    fn values() {
        for (value, expect) in [
            ("http://a.example/", &[][..]),
            ("http://bücher.example/", &[]),
            ("a", &["no-scheme"]),
            ("", &["no-scheme"]),
            ("c:/x", &["no-scheme"]),
            ("http://a/b c", &["bad-char"]),
            ("http://a:b/{c}%", &["bad-char", "bad-port", "bad-percent"]),
            ("http://a/{b} %", &["bad-char"]),
            ("a b", &["bad-char", "no-scheme"]),
            ("http://a/%zz", &["bad-percent"]),
            ("http://a:b/", &["bad-port"]),
            ("http://a.${env:b}/", &["bad-char", "template-host"]),
            ("http://a@b@c/", &["bad-userinfo"]),
            ("http://[::1", &["bad-host"]),
            ("http://[x]/", &["bad-host"]),
            ("http://a[b]/", &["bad-host"]),
            ("ssh://u@[b/c", &["bad-host"]),
            ("http://a%zz/", &["bad-percent"]),
            ("http://a/[b", &[]),
            ("http://-/", &[]),
            ("http://[::1]:80/", &[]),
            ("http://u@a%2Db:80/", &[]),
            ("http:///b", &[]),
            ("file:///b", &[]),
            ("http://a@b/@c@", &[]),
            ("urn:example:a?b", &["bad-component"]),
            ("urn:isbn:0395363412", &["isbn-check"]),
        ] {
            assert_eq!(codes(problems_of(value.as_bytes())), expect, "{value}");
            assert_eq!(
                is_uri(value.as_bytes()),
                judged(value.as_bytes()).0,
                "{value}"
            );
        }
    }

    #[test]
    fn names() {
        for (uri, expect) in [
            ("URN:isbn:0395363411?+r", &[][..]),
            ("http://a/", &[]),
            ("urn:x:a", &["bad-urn"]),
            ("urn:example:a?", &["bad-component"]),
            ("urn:example:a?=q?b#f?c", &[]),
            ("urn:example:a#f?b", &[]),
            ("urn:urn-7:a", &["nid-informal"]),
            ("urn:X-a:b", &["nid-experimental"]),
            ("urn:nosuch:b", &["nid-unregistered"]),
            ("urn:nosuch:b#%zz", &["nid-unregistered"]),
        ] {
            assert_eq!(codes(of_urn(uri.as_bytes())), expect, "{uri}");
        }
    }

    #[test]
    fn every_defect_has_its_problem() {
        for (nid, nss) in [
            ("isbn", "0395363412"),
            ("isbn", "1"),
            ("isbn", "1234567890128"),
            ("issn", "0259-0001"),
            ("issn", "1"),
            ("uuid", "1"),
            ("oid", "a"),
            ("nbn", "-"),
            ("eidr", "10.5240:x"),
            ("isan", "x"),
            ("fdc", "x"),
            ("smpte", "x"),
            ("gsma", "imei:1"),
        ] {
            for defect in namespace::defects(nid.as_bytes(), nss.as_bytes()) {
                assert!(
                    Problem::of_code(defect.code()).is_some(),
                    "{}",
                    defect.code()
                );
            }
        }
    }
}
