//! The rules of the RFCs, transcribed a second time: UTF-8, percent-encoding, hosts,
//! NIDs and the rule `URI` of RFC 3986 appendix A. Of `syntax` only data is used: the
//! byte classes and the scheme table. The callers choose the texts to check.

use crate::syntax::class::{ALPHA, Class, DIGIT, HEXDIG, PCHAR, REG_NAME, SUB_DELIMS, UNRESERVED};
use crate::syntax::scheme;

/// S1: the longest scheme.
pub const SCHEME_MAX: usize = 64;

/// Returns the row of a scheme in the table, ignoring case.
pub fn row(name: &[u8]) -> Option<&'static scheme::Scheme> {
    let same = |row: &&scheme::Scheme| row.name.as_bytes().eq_ignore_ascii_case(name);
    scheme::all().iter().find(same)
}

/// Whether a scheme is in the table.
pub fn is_known(name: &[u8]) -> bool {
    row(name).is_some()
}

/// Returns the first character of `text` and its length, when `text` begins with UTF-8.
pub fn first_char(text: &[u8]) -> Option<(char, usize)> {
    let valid = |len: usize| std::str::from_utf8(text.get(..len)?).ok()?.chars().next();
    (1..=4).find_map(|len| Some((valid(len)?, len)))
}

/// `pct-encoded = "%" HEXDIG HEXDIG`: whether one is at `at`.
pub fn is_pct_encoded(text: &[u8], at: usize) -> bool {
    let digit = |at: usize| text.get(at).is_some_and(|&b| HEXDIG.has(b));
    text.get(at) == Some(&b'%') && digit(at + 1) && digit(at + 2)
}

/// Whether every `%` in `text` begins a `pct-encoded` (B6).
pub fn is_well_encoded(text: &[u8]) -> bool {
    (0..text.len()).all(|at| text[at] != b'%' || is_pct_encoded(text, at))
}

/// `*( class / pct-encoded )`
fn is_run(text: &[u8], class: Class) -> bool {
    let belongs = |&b: &u8| class.has(b) || b == b'%';
    text.iter().all(belongs) && is_well_encoded(text)
}

/// B8: whether `host` is valid as the host of a URI: an IP literal, an IPv4 address, or
/// a name that contains a letter, a digit or a `pct-encoded`, and no other `%`.
pub fn is_host(host: &[u8]) -> bool {
    match host.strip_prefix(b"[") {
        Some(literal) => literal
            .strip_suffix(b"]")
            .is_some_and(|address| is_ipv6_with_zone(address) || is_ipvfuture(address)),
        None => is_ipv4(host) || is_well_encoded(host) && names_something(host),
    }
}

/// B8: whether a name contains a letter, a digit or a `%`.
fn names_something(name: &[u8]) -> bool {
    (0..name.len()).any(|at| {
        let letter = first_char(&name[at..]).is_some_and(|(c, _)| c.is_alphanumeric());
        letter || name[at] == b'%'
    })
}

/// RFC 6874 section 2: `IPv6addrz = IPv6address "%25" ZoneID` with
/// `ZoneID = 1*( unreserved / pct-encoded )`, or an `IPv6address` alone.
fn is_ipv6_with_zone(text: &[u8]) -> bool {
    let Some(mark) = text.iter().position(|&b| b == b'%') else {
        return is_ipv6(text);
    };
    let zone = text[mark..].strip_prefix(b"%25").unwrap_or_default();
    is_ipv6(&text[..mark]) && !zone.is_empty() && is_run(zone, UNRESERVED)
}

/// `IPvFuture = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )`
fn is_ipvfuture(text: &[u8]) -> bool {
    let mut parts = text.splitn(2, |&b| b == b'.');
    let (version, address) = (parts.next(), parts.next());
    let digits = version.and_then(|v| v.strip_prefix(b"v").or(v.strip_prefix(b"V")));
    let hexadecimal = |digits: &[u8]| !digits.is_empty() && digits.iter().all(|&b| HEXDIG.has(b));
    let allowed = |&b: &u8| UNRESERVED.or(SUB_DELIMS).has(b) || b == b':';
    digits.is_some_and(hexadecimal)
        && address.is_some_and(|text| !text.is_empty() && text.iter().all(allowed))
}

/// The nine alternatives of `IPv6address`: eight pieces of 16 bits (`h16`), the last
/// two possibly as an `IPv4address`; one `::` replaces one or more pieces.
fn is_ipv6(text: &[u8]) -> bool {
    let mark = text.windows(2).position(|pair| pair == b"::");
    match mark {
        None => pieces(text, true) == Some(8),
        Some(mark) => {
            let before = match &text[..mark] {
                [] => Some(0),
                before => pieces(before, false),
            };
            let after = match &text[mark + 2..] {
                [] => Some(0),
                after => pieces(after, true),
            };
            matches!((before, after), (Some(before), Some(after)) if before + after <= 7)
        }
    }
}

/// Returns the number of pieces in a part of an IPv6 address: `h16 *( ":" h16 )`, where
/// the last two may be an `IPv4address`.
fn pieces(text: &[u8], may_end_in_ipv4: bool) -> Option<usize> {
    let parts: Vec<&[u8]> = text.split(|&b| b == b':').collect();
    let (last, others) = parts.split_last()?;
    // `h16 = 1*4HEXDIG`
    let is_h16 =
        |part: &&[u8]| (1..=4).contains(&part.len()) && part.iter().all(|&b| HEXDIG.has(b));
    if !others.iter().all(is_h16) {
        return None;
    }
    if is_h16(last) {
        Some(others.len() + 1)
    } else {
        (may_end_in_ipv4 && is_ipv4(last)).then_some(others.len() + 2)
    }
}

/// `IPv4address = dec-octet "." dec-octet "." dec-octet "." dec-octet`
fn is_ipv4(text: &[u8]) -> bool {
    let mut octets = text.split(|&b| b == b'.');
    octets.clone().count() == 4 && octets.all(is_dec_octet)
}

/// `dec-octet`: 0 to 255 without leading zeros.
fn is_dec_octet(text: &[u8]) -> bool {
    match text {
        [a] => DIGIT.has(*a),
        [b'1'..=b'9', b] => DIGIT.has(*b),
        [b'1', b, c] => DIGIT.has(*b) && DIGIT.has(*c),
        [b'2', b'0'..=b'4', c] => DIGIT.has(*c),
        [b'2', b'5', b'0'..=b'5'] => true,
        _ => false,
    }
}

/// RFC 8141 section 2, the text after `urn:`: `NID ":" NSS` with `NID = (alphanum)
/// 0*30(ldh) (alphanum)` and `NSS = pchar *(pchar / "/")`. Of the NSS only the first
/// byte is checked, because B6 allows any `%`.
pub fn is_name(text: &[u8]) -> bool {
    let mut parts = text.splitn(2, |&b| b == b':');
    let (Some(nid), Some(nss)) = (parts.next(), parts.next()) else {
        return false;
    };
    let alphanum = |b: &u8| ALPHA.or(DIGIT).has(*b);
    let is_nid = match nid {
        [first, ldh @ .., last] => {
            alphanum(first)
                && ldh.len() <= 30
                && ldh.iter().all(|b| alphanum(b) || *b == b'-')
                && alphanum(last)
        }
        _ => false,
    };
    is_nid && nss.first().is_some_and(|&b| PCHAR.has(b) || b == b'%')
}

/// `URI = scheme ":" hier-part [ "?" query ] [ "#" fragment ]`
pub fn is_uri(text: &[u8]) -> bool {
    let (text, fragment) = split_off(text, b'#');
    let (text, query) = split_off(text, b'?');
    let (scheme, Some(hier_part)) = split_off(text, b':') else {
        return false;
    };
    let slash_question = |text: &[u8]| {
        text.split(|&b| b == b'/' || b == b'?')
            .all(|part| is_run(part, PCHAR))
    };
    is_scheme(scheme)
        && is_hier_part(hier_part)
        && query.is_none_or(slash_question)
        && fragment.is_none_or(slash_question)
}

/// Splits `text` at the first `mark`, if any.
pub fn split_off(text: &[u8], mark: u8) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|&b| b == mark) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )`
pub fn is_scheme(text: &[u8]) -> bool {
    let follows = |&b: &u8| ALPHA.or(DIGIT).has(b) || b"+-.".contains(&b);
    text.first().is_some_and(|&b| ALPHA.has(b)) && text.iter().all(follows)
}

/// `hier-part = "//" authority path-abempty / path-absolute / path-rootless /
/// path-empty`: without an authority any segments except a leading `//`.
fn is_hier_part(text: &[u8]) -> bool {
    let segments = |path: &[u8]| path.split(|&b| b == b'/').all(|part| is_run(part, PCHAR));
    match text.strip_prefix(b"//") {
        None => segments(text),
        Some(rest) => {
            let (authority, path) = split_off(rest, b'/');
            is_authority(authority) && path.is_none_or(segments)
        }
    }
}

/// `authority = [ userinfo "@" ] host [ ":" port ]`
fn is_authority(text: &[u8]) -> bool {
    let (userinfo, text) = match split_off(text, b'@') {
        (userinfo, Some(rest)) => (userinfo, rest),
        (text, None) => (&b""[..], text),
    };
    // `userinfo = *( unreserved / pct-encoded / sub-delims / ":" )`
    let mut userinfo = userinfo.split(|&b| b == b':');
    let is_port = |port: &[u8]| port.iter().all(|&b| DIGIT.has(b));
    let host_and_port = match text.strip_prefix(b"[") {
        Some(rest) => {
            let (literal, rest) = split_off(rest, b']');
            let port = match rest {
                Some([]) => Some(&b""[..]),
                Some([b':', port @ ..]) => Some(port),
                _ => None,
            };
            (is_ipv6(literal) || is_ipvfuture(literal)) && port.is_some_and(is_port)
        }
        None => {
            let (name, port) = split_off(text, b':');
            is_run(name, REG_NAME) && port.is_none_or(is_port)
        }
    };
    userinfo.all(|part| is_run(part, REG_NAME)) && host_and_port
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{host, iri, pct, urn, validate};
    use proptest::prelude::*;

    proptest! {
        /// Both transcriptions of a rule return the same result.
        #[test]
        fn hosts_are_judged_alike(
            host in "\\[([0-9a-g:.]{0,12}|[vV][0-9a-g]{0,2}\\.?[!a:]{0,2})(%|%25|%2)?[-a%4é]{0,3}\\]?|[-._~%4aé–'|☃]{0,5}"
        ) {
            prop_assert_eq!(is_host(host.as_bytes()), host::is_plausible(host.as_bytes()));
        }

        #[test]
        fn any_ipv6_address(
            text in "(([0-9a-fA-F]{1,5}:|:){0,8}([0-9a-f]{0,4}|[0-9]{1,3}(\\.[0-9]{1,3}){2,4}))"
        ) {
            prop_assert_eq!(is_ipv6(text.as_bytes()), host::is_ipv6(text.as_bytes()));
        }

        #[test]
        fn any_ipv4_address(text in "[0-9]{1,4}(\\.[0-9]{1,3}){2,4}|[0-9.]{5,9}") {
            prop_assert_eq!(is_ipv4(text.as_bytes()), host::is_ipv4(text.as_bytes()));
        }

        #[test]
        fn any_name(text in "([-a_9]{0,4}|[-a9]{30,33}):?[%:/?@é!a]{0,2}") {
            prop_assert_eq!(is_name(text.as_bytes()), urn::nid_len(text.as_bytes()).is_some());
        }

        #[test]
        fn any_uri(
            text in "[a1+]{0,3}:?(//)?([ua:@%4]{0,4}@)?([a%4é|.]{0,4}|\\[([0-9:.]{0,7}|v[1g]\\.[a!]?)\\]?)(:[0-9a]{0,2})?[/a:@%4?#\\[é{]{0,8}"
        ) {
            prop_assert_eq!(is_uri(text.as_bytes()), validate(text.as_bytes()).is_ok());
        }

        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..6)) {
            prop_assert_eq!(first_char(&bytes), iri::decode(&bytes));
            prop_assert_eq!(is_well_encoded(&bytes), pct::first_broken(&bytes).is_none());
            prop_assert_eq!(is_host(&bytes), host::is_plausible(&bytes));
        }
    }

    #[test]
    fn characters() {
        assert_eq!(first_char("éa".as_bytes()), Some(('é', 2)));
        assert_eq!(first_char("😀".as_bytes()), Some(('😀', 4)));
        for bad in [&b""[..], b"\xC3", b"\xFF", b"\xE0\x80\x80", b"\xED\xA0\x80"] {
            assert_eq!(first_char(bad), None);
        }
    }
}
