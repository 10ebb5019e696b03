//! The meaning of single values of a line: hosts with ports, schemes, marks for nothing.

use crate::syntax::host::{is_ipv4, is_ipv6};

/// A host with its port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HostField<'t> {
    pub host: &'t [u8],
    pub port: Option<&'t [u8]>,
}

impl<'t> HostField<'t> {
    /// Reads the value of a field for hosts (G9); `None` if it is no host.
    pub(super) fn of(text: &'t [u8]) -> Option<HostField<'t>> {
        if let Some(rest) = text.strip_prefix(b"[") {
            let end = memchr::memchr(b']', rest)?;
            let port = match &rest[end + 1..] {
                b"" => None,
                [b':', port @ ..] if is_port(port) => Some(port),
                _ => return None,
            };
            return is_ipv6(&rest[..end]).then_some(HostField {
                host: &text[..end + 2],
                port,
            });
        }
        let Some(colon) = memchr::memchr(b':', text) else {
            return is_name(text).then_some(HostField {
                host: text,
                port: None,
            });
        };
        let (host, port) = (&text[..colon], &text[colon + 1..]);
        if is_name(host) && (port.is_empty() || is_port(port)) {
            let port = Some(port).filter(|port| !port.is_empty());
            return Some(HostField { host, port });
        }
        is_ipv6(text).then_some(HostField {
            host: text,
            port: None,
        })
    }

    /// Whether it is the address of a machine.
    pub(super) fn is_address(self) -> bool {
        let begins_with_digit = self.host.first().is_some_and(u8::is_ascii_digit);
        memchr::memchr(b':', self.host).is_some() || begins_with_digit && is_ipv4(self.host)
    }
}

/// Whether `text` is the name of a host: `[A-Za-z0-9._-]` or UTF-8, but not `_`.
fn is_name(text: &[u8]) -> bool {
    // All bytes are looked up, without a branch for each: 1 is set by bytes of no name, 2 by
    // those beyond ASCII.
    let kinds = text
        .iter()
        .fold(0, |kinds, byte| kinds | NAME_KINDS[usize::from(*byte)]);
    kinds & 1 == 0
        && !is_nothing(text)
        && text != b"_"
        && text.len() <= 255
        && (kinds == 0 || std::str::from_utf8(text).is_ok())
}

/// 0 for `[A-Za-z0-9._-]`, 2 beyond ASCII, 1 for others.
static NAME_KINDS: [u8; 256] = {
    let mut kinds = [2; 256];
    let mut byte = 0u8;
    while byte < 0x80 {
        let is_of_name = byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        kinds[byte as usize] = !is_of_name as u8;
        byte += 1;
    }
    kinds
};

/// Whether `byte` is one of `[A-Za-z0-9._-]`.
#[inline]
fn is_of_name(byte: u8) -> bool {
    NAME_KINDS[usize::from(byte)] == 0
}

/// Returns the number of bytes of `[A-Za-z0-9._-]` at the start of `text`.
pub(super) fn name_len(text: &[u8]) -> usize {
    let is_other = |byte: &u8| !is_of_name(*byte);
    text.iter().position(is_other).unwrap_or(text.len())
}

pub(super) fn is_port(text: &[u8]) -> bool {
    (1..=5).contains(&text.len()) && text.iter().all(u8::is_ascii_digit)
}

/// Whether a value states nothing.
pub(super) fn is_nothing(text: &[u8]) -> bool {
    match text {
        b"" | b"-" => true,
        [b'n' | b'(', ..] => matches!(text, b"null" | b"(empty)"),
        _ => false,
    }
}

/// The schemes of requests, each with its port, which is left out (G8).
const WEB_SCHEMES: [(&[u8], &[u8]); 5] = [
    (b"http", b"80"),
    (b"https", b"443"),
    (b"ws", b"80"),
    (b"wss", b"443"),
    (b"ftp", b"21"),
];

/// Whether `text` is a scheme of requests.
pub(super) fn is_web_scheme(text: &[u8]) -> bool {
    let mut known = WEB_SCHEMES.iter();
    known.any(|(scheme, _)| scheme.eq_ignore_ascii_case(text))
}

/// Whether `port` is the one of `scheme`.
pub(super) fn is_port_of(port: &[u8], scheme: &[u8]) -> bool {
    let mut known = WEB_SCHEMES.iter();
    known.any(|(name, default)| *default == port && name.eq_ignore_ascii_case(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_fields() {
        let read = |text: &str| {
            let found = HostField::of(text.as_bytes())?;
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
            Some((text(found.host), found.port.map(text)))
        };
        for (text, host, port) in [
            ("a.example", "a.example", ""),
            ("a.example:80", "a.example", "80"),
            ("a.example:", "a.example", ""),
            ("localhost", "localhost", ""),
            ("caf\u{e9}.example", "caf\u{e9}.example", ""),
            ("2001:db8::1", "2001:db8::1", ""),
            ("[2001:db8::1]:8080", "[2001:db8::1]", "8080"),
        ] {
            let port = Some(port.to_owned()).filter(|port| !port.is_empty());
            assert_eq!(read(text), Some((host.to_owned(), port)), "{text}");
        }
        for text in [
            "",
            "-",
            "_",
            "a b",
            "a/b",
            "a:b",
            "[::1",
            "[x]",
            "a.example:x",
            "a@b",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
