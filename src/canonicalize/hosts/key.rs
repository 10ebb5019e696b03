//! The key of one host: an address by value, or a name in lower case, as A-labels and
//! without the dot at its end.

use super::number;
use crate::canonicalize::scheme::idn::{Denied, Mapped, to_ascii};
use crate::canonicalize::scratch::Scratch;
use crate::syntax::pct;
use std::net::IpAddr;

/// A host as it is compared: spellings of one host have the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostKey<'h> {
    /// An address. `[::ffff:192.0.2.1]` is IPv4.
    Address(IpAddr),
    /// A name. One that the host parser rejects is its bytes, decoded and in lower case.
    Name(&'h [u8]),
}

/// Calls `then` with the key of `host`, which has neither userinfo nor port.
pub(crate) fn with_key<R>(host: &[u8], then: impl FnOnce(HostKey) -> R) -> R {
    if host.first() == Some(&b'[') {
        return match literal(host) {
            Some(address) => then(HostKey::Address(address)),
            None => then(HostKey::Name(Lower::new(host).name())),
        };
    }
    if host.iter().all(|&b| is_plain(b)) {
        return then(of_ascii(host));
    }
    let mut decoded = Scratch::new(host);
    let len = decode(decoded.as_mut_slice());
    let decoded = &decoded.as_slice()[..len];
    let mut written = Scratch::new(b"");
    match to_ascii(decoded, Denied::OfUrls, &mut written) {
        Some(Mapped::Written) => then(of_ascii(written.as_slice())),
        Some(Mapped::Unchanged) => then(of_ascii(decoded)),
        None => then(HostKey::Name(Lower::new(decoded).name())),
    }
}

/// Whether the host parser keeps `byte`.
pub(super) fn is_plain(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_')
}

/// Returns the key of a host that the mapping of names leaves unchanged.
fn of_ascii(host: &[u8]) -> HostKey<'_> {
    match number::ipv4(host) {
        Some(address) => HostKey::Address(address.into()),
        None => HostKey::Name(without_dot(host)),
    }
}

/// Returns the address of a literal in brackets. A zone (RFC 6874) does not belong to its
/// value. Mail domains write `[192.0.2.1]` and `[IPv6:2001:db8::1]` (RFC 5321 section 4.1.3).
fn literal(host: &[u8]) -> Option<IpAddr> {
    let inner = host.strip_prefix(b"[")?.strip_suffix(b"]")?;
    let inner = match inner.split_at_checked(5) {
        Some((tag, rest)) if tag.eq_ignore_ascii_case(b"IPv6:") => rest,
        _ => inner,
    };
    let len = memchr::memchr(b'%', inner).unwrap_or(inner.len());
    let address: IpAddr = std::str::from_utf8(&inner[..len]).ok()?.parse().ok()?;
    Some(address.to_canonical())
}

/// A host that the parser rejects, in lower case.
struct Lower(Scratch);

impl Lower {
    fn new(host: &[u8]) -> Lower {
        let mut text = Scratch::new(host);
        text.as_mut_slice().make_ascii_lowercase();
        Lower(text)
    }

    fn name(&self) -> &[u8] {
        without_dot(self.0.as_slice())
    }
}

/// Returns a name without the dot at its end.
fn without_dot(name: &[u8]) -> &[u8] {
    name.strip_suffix(b".").unwrap_or(name)
}

/// Decodes every `%XX` in place; returns the new length.
fn decode(text: &mut [u8]) -> usize {
    let (mut from, mut to) = (0, 0);
    while let Some(&byte) = text.get(from) {
        let digit = |at: usize| text.get(at).and_then(|&b| pct::hex_value(b));
        let encoded = (byte == b'%').then(|| digit(from + 1).zip(digit(from + 2)));
        text[to] = match encoded.flatten() {
            Some((high, low)) => {
                from += 2;
                high << 4 | low
            }
            None => byte,
        };
        (from, to) = (from + 1, to + 1);
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(host: &str) -> String {
        with_key(host.as_bytes(), |key| match key {
            HostKey::Address(address) => format!("<{address}>"),
            HostKey::Name(name) => String::from_utf8_lossy(name).into_owned(),
        })
    }

    #[cfg(feature = "idn")]
    #[test]
    fn one_key_for_every_spelling() {
        for (spellings, wanted) in [
            (
                &[
                    "evil.example",
                    "EVIL.example.",
                    "%65vil%2Eexample",
                    "ｅvil。example",
                ][..],
                "evil.example",
            ),
            (
                &[
                    "bücher.example",
                    "BÜCHER.example",
                    "xn--bcher-kva.example",
                    "b%C3%BCcher.example",
                ],
                "xn--bcher-kva.example",
            ),
            (
                &[
                    "127.0.0.1",
                    "0x7f.1",
                    "2130706433",
                    "0177.0.0.1",
                    "127.0.0.1.",
                    "[::ffff:127.0.0.1]",
                    "[::FFFF:7f00:1]",
                    "%31%32%37.1",
                    "１２７.1",
                    "[127.0.0.1]",
                ],
                "<127.0.0.1>",
            ),
            (
                &[
                    "[2001:db8::1]",
                    "[2001:DB8:0:0:0:0:0:1]",
                    "[2001:db8::1%25eth0]",
                    "[IPv6:2001:db8::1]",
                ],
                "<2001:db8::1>",
            ),
            // The parser rejects these; their bytes are compared.
            (&["a%2Fb.example", "A%2fB.Example."], "a/b.example"),
            (&["1.2.3.256", "1.2.3.256."], "1.2.3.256"),
            (&["xn--a.example", "XN--A.example"], "xn--a.example"),
            (&["[v1.A:b]", "[V1.a:B]"], "[v1.a:b]"),
            (&["a%zz", "A%ZZ"], "a%zz"),
            // One dot only, and a hyphen or `_` anywhere.
            (&["a.example.."], "a.example."),
            (&["-r3---sn_a.example"], "-r3---sn_a.example"),
            (&["", "."], ""),
        ] {
            for spelling in spellings {
                assert_eq!(key(spelling), wanted, "{spelling}");
            }
        }
    }

    proptest! {
        /// The oracle is the `url` crate.
        #[test]
        #[cfg(feature = "html")]
        fn the_url_standard_reads_the_same(host in "([a-cA-C1ü。.ß%_x-]|%[46]1|xn--){1,12}") {
            if let Ok(wanted) = url::Host::parse(&host) {
                let wanted = match wanted {
                    url::Host::Domain(name) => name.strip_suffix('.').unwrap_or(&name).to_owned(),
                    url::Host::Ipv4(address) => format!("<{address}>"),
                    url::Host::Ipv6(address) => format!("<{address}>"),
                };
                prop_assert_eq!(key(&host), wanted);
            }
        }

        #[test]
        fn no_host_is_too_strange(host in proptest::collection::vec(any::<u8>(), 0..700)) {
            with_key(&host, |_| ());
        }
    }
}
