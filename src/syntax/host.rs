//! Hosts (RFC 3986 section 3.2.2): IP literals, IPv4 addresses, registered names. Only
//! the syntax decides, not a list of top-level domains.

use super::class::{HEXDIG, REG_NAME, SUB_DELIMS, UNRESERVED};
use super::{iri, pct};

/// Whether `host`, brackets included, is `"[" ( IPv6address / IPvFuture ) "]"`;
/// a zone (RFC 6874, `%25` and a name) may follow the address.
///
/// ```
/// use urisieve::syntax::host;
/// assert!(host::is_ip_literal(b"[2001:db8::1]"));
/// assert!(host::is_ip_literal(b"[fe80::1%25eth0]"));
/// assert!(!host::is_ip_literal(b"2001:db8::1"));
/// ```
pub fn is_ip_literal(host: &[u8]) -> bool {
    let Some(inner) = host
        .strip_prefix(b"[")
        .and_then(|rest| rest.strip_suffix(b"]"))
    else {
        return false;
    };
    if let [b'v' | b'V', ..] = inner {
        return is_ip_future(inner);
    }
    let address = match memchr::memmem::find(inner, b"%25") {
        Some(zone) if inner.len() > zone + 3 => {
            let name = &inner[zone + 3..];
            let plain = |at: usize| UNRESERVED.has(name[at]) || name[at] == b'%';
            if !(0..name.len()).all(plain) || pct::first_broken(name).is_some() {
                return false;
            }
            &inner[..zone]
        }
        _ => inner,
    };
    is_ipv6(address)
}

/// Whether `text` is an `IPvFuture`:
/// `"v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )`
///
/// ```
/// use urisieve::syntax::host;
/// assert!(host::is_ip_future(b"v1.fe80::a+en1"));
/// assert!(!host::is_ip_future(b"v.a") && !host::is_ip_future(b"v1."));
/// ```
pub fn is_ip_future(text: &[u8]) -> bool {
    let [b'v' | b'V', rest @ ..] = text else {
        return false;
    };
    let Some(dot) = memchr::memchr(b'.', rest) else {
        return false;
    };
    let (version, tail) = (&rest[..dot], &rest[dot + 1..]);
    !version.is_empty()
        && version.iter().all(|&b| HEXDIG.has(b))
        && !tail.is_empty()
        && tail
            .iter()
            .all(|&b| UNRESERVED.or(SUB_DELIMS).has(b) || b == b':')
}

/// Whether `text` is an `IPv6address`: up to eight groups, one `::`, and a
/// dotted quad in place of the last two groups.
///
/// ```
/// use urisieve::syntax::host;
/// assert!(host::is_ipv6(b"::ffff:192.0.2.1"));
/// assert!(!host::is_ipv6(b"2001:db8::1::2"));
/// ```
pub fn is_ipv6(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|s| s.parse::<std::net::Ipv6Addr>().is_ok())
}

/// Whether `text` is an `IPv4address`: four decimal octets without leading zeros.
///
/// ```
/// use urisieve::syntax::host;
/// assert!(host::is_ipv4(b"192.0.2.1"));
/// assert!(!host::is_ipv4(b"192.0.2.01") && !host::is_ipv4(b"192.0.2.256"));
/// ```
pub fn is_ipv4(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|s| s.parse::<std::net::Ipv4Addr>().is_ok())
}

/// The kind of a host, by the alternatives of the rule `host` (RFC 3986 section 3.2.2).
///
/// ```
/// use urisieve::syntax::host::HostKind;
/// assert_eq!(HostKind::of(b"a.example"), HostKind::RegName);
/// assert_eq!(HostKind::of(b"[2001:db8::1]"), HostKind::IPv6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostKind {
    /// `IPv4address`, four decimal octets.
    IPv4,
    /// `"[" IPv6address "]"`, with or without a zone (RFC 6874).
    IPv6,
    /// `"[" IPvFuture "]"`.
    IPvFuture,
    /// `reg-name`, and every other host: `1.2.3.256` is a name.
    RegName,
    /// The empty name, as in `file:///`.
    Empty,
}

impl HostKind {
    /// Returns the kind of `host`, including its brackets. The first alternative that
    /// matches wins, as the RFC requires. A literal without a valid address is
    /// classified as an invalid name.
    ///
    /// ```
    /// use urisieve::syntax::host::HostKind;
    /// assert_eq!(HostKind::of(b"192.0.2.1"), HostKind::IPv4);
    /// assert_eq!(HostKind::of(b"127.1"), HostKind::RegName);
    /// assert_eq!(HostKind::of(b"[v1.a]"), HostKind::IPvFuture);
    /// assert_eq!(HostKind::of(b""), HostKind::Empty);
    /// ```
    pub fn of(host: &[u8]) -> HostKind {
        match host {
            [] => HostKind::Empty,
            [b'[', b'v' | b'V', ..] if is_ip_literal(host) => HostKind::IPvFuture,
            [b'[', ..] if is_ip_literal(host) => HostKind::IPv6,
            _ if is_ipv4(host) => HostKind::IPv4,
            _ => HostKind::RegName,
        }
    }

    /// Returns the ABNF rule of the kind, for people to read.
    ///
    /// ```
    /// use urisieve::syntax::host::HostKind;
    /// assert_eq!(HostKind::IPv4.name(), "IPv4address");
    /// assert_eq!(HostKind::Empty.name(), "empty");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            HostKind::IPv4 => "IPv4address",
            HostKind::IPv6 => "IPv6address",
            HostKind::IPvFuture => "IPvFuture",
            HostKind::RegName => "reg-name",
            HostKind::Empty => "empty",
        }
    }
}

/// Whether `host` is accepted as the host of an extracted URI (rule B8): an IP literal,
/// or a registered name with at least one letter or digit. A well-formed `%XX` and
/// every letter or digit above U+007F count as letters; dashes, marks and symbols do
/// not. A host with a broken `%` is rejected.
///
/// ```
/// use urisieve::syntax::host;
/// assert!(host::is_plausible(b"a_b.example"));
/// assert!(host::is_plausible(b"[2001:db8::1]"));
/// assert!(!host::is_plausible(b".") && !host::is_plausible(b"%s"));
/// assert!(!host::is_plausible("☃".as_bytes()));
/// ```
pub fn is_plausible(host: &[u8]) -> bool {
    if host.first() == Some(&b'[') {
        return is_ip_literal(host);
    }
    // Nearly every host is plain: one letter or digit and no percent-encoding.
    if host.first().is_some_and(u8::is_ascii_alphanumeric) && !host.contains(&b'%') {
        return true;
    }
    let mut has_letter = false;
    let mut at = 0;
    while at < host.len() {
        match host[at] {
            b'%' => {
                if !pct::is_encoded(host, at) {
                    return false;
                }
                has_letter = true;
                at += 2;
            }
            b if b.is_ascii_alphanumeric() => has_letter = true,
            b if b >= 0x80 => {
                if let Some((c, len)) = iri::decode(&host[at..]) {
                    has_letter |= c.is_alphanumeric();
                    at += len - 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    has_letter
}

/// Whether every byte of `host` is allowed in `reg-name` (RFC 3986): no IP literal, no
/// byte above 0x7F, no broken `%`.
///
/// ```
/// use urisieve::syntax::host;
/// assert!(host::is_reg_name(b"a%2Db.example"));
/// assert!(!host::is_reg_name(b"[::1]") && !host::is_reg_name("é.example".as_bytes()));
/// ```
pub fn is_reg_name(host: &[u8]) -> bool {
    host.iter().all(|&b| REG_NAME.has(b) || b == b'%') && pct::first_broken(host).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ip_literals() {
        for good in [
            "[::1]",
            "[2001:DB8::1]",
            "[::ffff:192.0.2.1]",
            "[v1.a:b]",
            "[fe80::1%25eth0]",
        ] {
            assert!(is_ip_literal(good.as_bytes()), "{good}");
        }
        for bad in [
            "[]",
            "[foo]",
            "[1::2::3]",
            "[v.x]",
            "[::1",
            "::1",
            "[fe80::1%eth0]",
            "[::1%25]",
        ] {
            assert!(!is_ip_literal(bad.as_bytes()), "{bad}");
        }
    }

    #[test]
    fn plausible_names_have_a_letter_or_digit() {
        for good in ["a", "1", "%41", "m\u{fc}ller", "\u{2191}ba", "-a-", "a..b"] {
            assert!(is_plausible(good.as_bytes()), "{good}");
        }
        for bad in [
            "", "-", "..", "_", "%", "%zz", "a%", "$&", "–", "☃", "\u{301}",
        ] {
            assert!(!is_plausible(bad.as_bytes()), "{bad}");
        }
    }
}
