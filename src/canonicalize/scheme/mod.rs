//! Level `scheme`, the rules that whole families of schemes share (RFC 3986 section
//! 6.2.3): default ports, the empty path, the host of `file:`. Hosts and single schemes
//! have files of their own.

pub(super) mod doi;
pub(super) mod host;
pub(super) mod idn;
pub(super) mod mailto;
pub(super) mod tel;

use crate::canonicalize::switches::Switches;
use crate::syntax::{Components, scheme};
use std::ops::Range;

/// Schemes whose specification says that an empty path is `/`: RFC 9110 section
/// 4.2.3, RFC 6455 section 3, RFC 7252 section 6.3; `ftp` by RFC 3986.
const EMPTY_PATH_IS_ROOT: [&[u8]; 7] =
    [b"http", b"https", b"ws", b"wss", b"ftp", b"coap", b"coaps"];

/// Returns the port with its colon, when it is the scheme's default. Ports are numbers:
/// `:0080` is port 80. `sip:` and `sips:` have no default port here: with and without
/// `:5060` they differ (RFC 3261 section 19.1.4).
pub(in crate::canonicalize) fn find_default_port(
    switches: &Switches,
    uri: &[u8],
    parts: &Components,
) -> Option<Range<usize>> {
    let port = port_number(parts.port(uri)?)?;
    let scheme = parts.scheme(uri)?;
    let default = scheme::find(scheme)?.default_port;
    // `https://h:443`, `https://h`, `http://h`: when the schemes are equal,
    // `http://h:443` is also equal.
    let folded = switches.fold_https && scheme == b"http" && port == 443;
    (port == default || folded).then(|| parts.host_range().end..parts.path_range().start)
}

/// A port as a number above 0; `None` for text that is not a number, and for numbers
/// that are too large.
pub(crate) fn port_number(digits: &[u8]) -> Option<u16> {
    let mut port = 0u16;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        port = port.checked_mul(10)?.checked_add(u16::from(digit - b'0'))?;
    }
    (port > 0).then_some(port)
}

/// Returns the range of an empty path that means `/`.
pub(in crate::canonicalize) fn find_empty_path(
    _: &Switches,
    uri: &[u8],
    parts: &Components,
) -> Option<Range<usize>> {
    let empty = parts.has_authority()
        && parts.path(uri).is_empty()
        && EMPTY_PATH_IS_ROOT.contains(&parts.scheme(uri)?);
    empty.then(|| parts.path_range())
}

/// Writes the path of the root.
pub(in crate::canonicalize) fn root(_: &Switches, _: &Components, _: &[u8], out: &mut Vec<u8>) {
    out.push(b'/');
}

/// Returns the authority of `file://localhost/`, which is equal to an empty one (RFC
/// 8089 section 2).
pub(in crate::canonicalize) fn find_localhost(
    _: &Switches,
    uri: &[u8],
    parts: &Components,
) -> Option<Range<usize>> {
    let local = parts.scheme(uri) == Some(b"file")
        && parts.authority(uri) == Some(b"localhost")
        && !parts.path(uri).is_empty();
    local.then(|| parts.host_range())
}

/// A quick test that no rule of this level changes `uri`, which is canonical at level
/// `syntax`. False leaves it open.
#[inline]
pub(in crate::canonicalize) fn is_plain(uri: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', uri) else {
        return false;
    };
    match &uri[..colon] {
        b"mailto" | b"tel" | b"file" | b"urn" => return false,
        b"doi" if uri.iter().any(u8::is_ascii_uppercase) => return false,
        _ => {}
    }
    let Some(tail) = uri[colon + 1..].strip_prefix(b"//") else {
        return true;
    };
    for &byte in tail {
        match byte {
            b'/' => return true,
            b'?' | b'#' | b':' | b'[' | b'%' | 0x80.. => return false,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_ports_are_these_and_no_others() {
        let mut rows: Vec<(&str, u16)> = scheme::all()
            .iter()
            .filter(|row| row.default_port != 0)
            .map(|row| (row.name, row.default_port))
            .collect();
        rows.sort_unstable();
        assert_eq!(
            rows,
            [
                ("coap", 5683),
                ("coaps", 5684),
                ("dict", 2628),
                ("dns", 53),
                ("ftp", 21),
                ("gopher", 70),
                ("http", 80),
                ("https", 443),
                ("imap", 143),
                ("ipp", 631),
                ("ldap", 389),
                ("nfs", 2049),
                ("nntp", 119),
                ("pop", 110),
                ("rtsp", 554),
                ("telnet", 23),
                ("ws", 80),
                ("wss", 443),
            ]
        );
    }

    #[test]
    fn ports_are_numbers() {
        assert_eq!(port_number(b"00000000080"), Some(80));
        for none in ["", "0", "65536", "65616", "8x", "+80"] {
            assert_eq!(port_number(none.as_bytes()), None, "{none}");
        }
    }
}
