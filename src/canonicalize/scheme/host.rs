//! Hosts at level `scheme`: IPv6 addresses in the form of RFC 5952, and names in other
//! scripts as A-labels for DNS.

use super::idn::{Denied, Mapped, to_ascii};
use crate::canonicalize::scratch::Scratch;
use crate::canonicalize::switches::Switches;
use crate::syntax::{Components, class, pct};
use std::fmt::{self, Write};
use std::net::Ipv6Addr;
use std::ops::Range;

/// The longest text of an address: `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255`.
const IPV6_MAX: usize = 45;

/// An address being written.
struct Ipv6Text {
    text: [u8; IPV6_MAX],
    len: usize,
}

impl Write for Ipv6Text {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let end = self.len + part.len();
        let room = self.text.get_mut(self.len..end).ok_or(fmt::Error)?;
        room.copy_from_slice(part.as_bytes());
        self.len = end;
        Ok(())
    }
}

impl Ipv6Text {
    /// Formats `text` as in RFC 5952, by the standard library. An IPv4 address is
    /// written in dots only after the prefix `::ffff:0:0/96`.
    fn new(text: &[u8]) -> Option<Ipv6Text> {
        let address: Ipv6Addr = std::str::from_utf8(text).ok()?.parse().ok()?;
        let mut written = Ipv6Text {
            text: [0; IPV6_MAX],
            len: 0,
        };
        write!(written, "{address}").ok()?;
        Some(written)
    }

    fn as_bytes(&self) -> &[u8] {
        &self.text[..self.len]
    }
}

/// Returns an IPv6 address that is not in the form of RFC 5952, without its brackets
/// and without its zone.
pub(in crate::canonicalize) fn find_ipv6(
    _: &Switches,
    uri: &[u8],
    parts: &Components,
) -> Option<Range<usize>> {
    parts.scheme(uri)?;
    let host = parts.host_range();
    let inner = uri[host.clone()].strip_prefix(b"[")?.strip_suffix(b"]")?;
    let zone = memchr::memmem::find(inner, b"%25").unwrap_or(inner.len());
    let address = &inner[..zone];
    let start = host.start + 1;
    (Ipv6Text::new(address)?.as_bytes() != address).then_some(start..start + zone)
}

/// Writes an address in the form of RFC 5952.
pub(in crate::canonicalize) fn write_ipv6(
    _: &Switches,
    _: &Components,
    text: &[u8],
    out: &mut Vec<u8>,
) {
    match Ipv6Text::new(text) {
        Some(address) => out.extend_from_slice(address.as_bytes()),
        None => out.extend_from_slice(text),
    }
}

/// Returns a host with characters above U+007F that UTS 46 can map. They may be
/// percent-encoded: `b%C3%BCcher.example` is the same name in a URI (RFC 3986 section
/// 3.2.2, RFC 3987 section 3.1). A host with any other percent-encoding, or with bytes
/// that are not UTF-8, is unchanged.
pub(in crate::canonicalize) fn find_u_label(
    _: &Switches,
    uri: &[u8],
    parts: &Components,
) -> Option<Range<usize>> {
    let host = parts.host_range();
    let text = &uri[host.clone()];
    if text.iter().all(|&b| b.is_ascii() && b != b'%') || parts.scheme(uri).is_none() {
        return None;
    }
    let mut check = Check {
        len: 0,
        is_name: true,
    };
    (map(text, &mut check) && check.is_name && check.len > 0).then_some(host)
}

/// Writes a host as A-labels.
pub(in crate::canonicalize) fn write_a_label(
    _: &Switches,
    _: &Components,
    host: &[u8],
    out: &mut Vec<u8>,
) {
    struct Bytes<'v>(&'v mut Vec<u8>);
    impl Write for Bytes<'_> {
        fn write_str(&mut self, part: &str) -> fmt::Result {
            self.0.extend_from_slice(part.as_bytes());
            Ok(())
        }
    }
    let start = out.len();
    if !map(host, &mut Bytes(out)) {
        out.truncate(start);
        out.extend_from_slice(host);
    }
}

/// A sink that detects characters that are not allowed in a `reg-name`. Writing never
/// fails, because the mapping does not expect errors.
struct Check {
    len: usize,
    is_name: bool,
}

impl Write for Check {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.len += part.len();
        self.is_name &= part.bytes().all(|b| class::REG_NAME.has(b));
        Ok(())
    }
}

/// Maps `host` to A-labels; returns whether that was possible.
fn map(host: &[u8], sink: &mut impl Write) -> bool {
    let mut decoded = Scratch::new(host);
    let Some(len) = decode_above_ascii(decoded.as_mut_slice()) else {
        return false;
    };
    let name = &decoded.as_slice()[..len];
    if name.is_ascii() || std::str::from_utf8(name).is_err() {
        return false;
    }
    to_ascii(name, Denied::Nothing, sink) == Some(Mapped::Written)
}

/// Decodes percent-encoded octets above 0x7F in place; returns the new length, or
/// `None` if there is another "%".
fn decode_above_ascii(text: &mut [u8]) -> Option<usize> {
    let (mut from, mut to) = (0, 0);
    while from < text.len() {
        let mut byte = text[from];
        if byte == b'%' {
            let digit = |at: usize| pct::hex_value(*text.get(at)?);
            byte = digit(from + 1)? << 4 | digit(from + 2)?;
            if byte.is_ascii() {
                return None;
            }
            from += 2;
        }
        text[to] = byte;
        (from, to) = (from + 1, to + 1);
    }
    Some(to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn a_labels(host: &[u8]) -> Option<String> {
        let mut out = String::new();
        map(host, &mut out).then_some(out)
    }

    #[cfg(feature = "idn")]
    #[test]
    fn names_of_other_scripts() {
        for (host, expect) in [
            ("bücher.example", Some("xn--bcher-kva.example")),
            ("b%C3%BCcher.example", Some("xn--bcher-kva.example")),
            ("bu\u{308}cher.example", Some("xn--bcher-kva.example")),
            ("straße.example", Some("xn--strae-oqa.example")),
            ("日本。example.", Some("xn--wgv71a.example.")),
            ("a_ü.example", Some("xn--a_-yka.example")),
            ("é%2C.example", None),
            ("é%41.example", None),
            ("é%.example", None),
            ("%E9.example", None),
            ("xn--é.example", None),
            ("a.example", None),
        ] {
            assert_eq!(a_labels(host.as_bytes()).as_deref(), expect, "{host}");
        }
    }

    #[test]
    fn what_maps_to_a_delimiter_stays() {
        for host in ["a／b", "a＠é", "a：80", "a％41", "é＃", "＂é", "é？"] {
            let uri = format!("http://{host}/");
            let parts = Components::parse(uri.as_bytes());
            let found = find_u_label(&Switches::default(), uri.as_bytes(), &parts);
            assert_eq!(found, None, "{host}");
        }
    }

    #[cfg(feature = "idn")]
    #[test]
    fn only_the_host_of_a_uri_is_mapped_to_something() {
        for (uri, is_mapped) in [
            ("http://é.example/", true),
            ("//é.example/", false),
            ("http://\u{ad}/", false),
            ("http://\u{ad}\u{200b}/", false),
        ] {
            let parts = Components::parse(uri.as_bytes());
            let found = find_u_label(&Switches::default(), uri.as_bytes(), &parts);
            assert_eq!(found.is_some(), is_mapped, "{uri}");
        }
    }

    proptest! {
        #[test]
        fn every_spelling_of_an_address_is_written_alike(address in any::<[u16; 8]>(), zeros in any::<u8>()) {
            let mut groups = address;
            for (at, group) in groups.iter_mut().enumerate() {
                if zeros >> at & 1 == 1 {
                    *group = 0;
                }
            }
            let long = groups.map(|group| format!("{group:04X}")).join(":");
            let written = Ipv6Text::new(long.as_bytes()).unwrap();
            let text = std::str::from_utf8(written.as_bytes()).unwrap();
            prop_assert_eq!(text.parse::<Ipv6Addr>().unwrap().segments(), groups);
            let again = Ipv6Text::new(text.as_bytes()).unwrap();
            prop_assert_eq!(again.as_bytes(), text.as_bytes());
        }

        #[test]
        fn no_host_is_too_strange(host in "\\PC{0,40}", bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            for host in [host.as_bytes(), &bytes] {
                if let Some(name) = a_labels(host) {
                    prop_assert!(name.is_ascii());
                }
            }
        }
    }
}
