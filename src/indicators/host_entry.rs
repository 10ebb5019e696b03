//! Hosts as users and their lists write them (rule I5): a host with or without those below
//! it, an address, a block of addresses.

use crate::canonicalize::hosts::port_number;
use crate::syntax::host;
use std::net::IpAddr;

/// An entry that selects hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostEntry<'e> {
    pub place: HostPlace<'e>,
    pub reach: Reach,
    /// The only port that matches; `None` where any does.
    pub port: Option<u16>,
}

/// The place that an entry names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostPlace<'e> {
    /// A host in any spelling.
    Host(&'e str),
    /// The addresses that have the first bits of this one, by their number. An IPv4
    /// address is never written as IPv6.
    Block(IpAddr, u8),
}

/// Which names an entry matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// `host`, `.host`: the name and those below it.
    WithBelow,
    /// `=host`: the name alone.
    Alone,
    /// `*.host`: names below it.
    Below,
}

impl<'e> HostEntry<'e> {
    /// Reads an entry without blanks around it and without marks of defanging. `None` for a
    /// text that is not one; whether the name is a host is left open.
    pub(crate) fn parse(text: &'e str) -> Option<HostEntry<'e>> {
        let (reach, text) = match text.as_bytes() {
            [b'=', ..] => (Reach::Alone, &text[1..]),
            [b'*', b'.', ..] => (Reach::Below, &text[2..]),
            [b'.', ..] => (Reach::WithBelow, &text[1..]),
            _ => (Reach::WithBelow, text),
        };
        let block = may_be_address(text).then(|| block(text)).flatten();
        let (place, port) = match block {
            Some(place) => (place, None),
            None => {
                let (host, port) = split_port(text)?;
                (HostPlace::Host(host), port)
            }
        };
        Some(HostEntry { place, reach, port })
    }
}

/// Returns the entry that most lines are: a host of letters, digits, hyphens and dots. A line
/// that begins with a letter and has a dot, and nothing else, has no other form.
pub(crate) fn usual(line: &str) -> Option<HostEntry<'_>> {
    let bytes = line.as_bytes();
    let is_usual = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-');
    let begins = bytes.first().is_some_and(u8::is_ascii_alphabetic);
    let is_host = begins && bytes.contains(&b'.') && bytes.iter().all(is_usual);
    is_host.then_some(HostEntry {
        place: HostPlace::Host(line),
        reach: Reach::WithBelow,
        port: None,
    })
}

/// Whether `text` may begin with an address: only such texts are parsed.
pub(crate) fn may_be_address(text: &str) -> bool {
    let first = text.as_bytes().first();
    first.is_some_and(|b| b.is_ascii_digit() || matches!(b, b'[' | b':'))
        || first.is_some_and(u8::is_ascii_hexdigit) && text.contains(':')
}

/// Reads an address, or a block in CIDR notation; bits behind its length do not count.
fn block(text: &str) -> Option<HostPlace<'static>> {
    let (address, len) = match text.split_once('/') {
        Some((address, len)) if len.bytes().all(|b| b.is_ascii_digit()) => {
            (address, Some(len.parse::<u8>().ok()?))
        }
        Some(_) => return None,
        None => (text, None),
    };
    let in_brackets = address
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let address: IpAddr = in_brackets.unwrap_or(address).parse().ok()?;
    let bits = if address.is_ipv4() { 32 } else { 128 };
    let len = len.unwrap_or(bits);
    match address.to_canonical() {
        _ if len > bits => None,
        short if short.is_ipv4() && len + 32 >= bits => {
            Some(HostPlace::Block(short, len + 32 - bits))
        }
        _ => Some(HostPlace::Block(address, len)),
    }
}

/// Splits a port off a host; `None` for a port that is not a number.
fn split_port(text: &str) -> Option<(&str, Option<u16>)> {
    let literal = text.rfind(']').map_or(0, |at| at + 1);
    match text[literal..].split_once(':') {
        Some((between, port)) => {
            let port = port_number(port.as_bytes())?;
            Some((&text[..literal + between.len()], Some(port)))
        }
        None => Some((text, None)),
    }
}

/// Whether `key`, the key of an entry's host, can be that of a host in a URI.
pub(crate) fn is_name(key: &[u8]) -> bool {
    let is_dot = |end: Option<&u8>| end == Some(&b'.');
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_.~".contains(b);
    let named = key.iter().all(plain) && key.iter().any(u8::is_ascii_alphanumeric);
    named && !is_dot(key.first()) && !is_dot(key.last()) || host::is_ip_literal(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_every_form() {
        let host = |host: &'static str| HostPlace::Host(host);
        let block = |address: &str, len| HostPlace::Block(address.parse().unwrap(), len);
        for (text, place, reach, port) in [
            ("a.example", host("a.example"), Reach::WithBelow, None),
            (".a.example", host("a.example"), Reach::WithBelow, None),
            (
                "=a.example:8080",
                host("a.example"),
                Reach::Alone,
                Some(8080),
            ),
            (
                "*.a.example:443",
                host("a.example"),
                Reach::Below,
                Some(443),
            ),
            ("0x7f.1", host("0x7f.1"), Reach::WithBelow, None),
            ("192.0.2.1", block("192.0.2.1", 32), Reach::WithBelow, None),
            (
                "192.0.2.1:80",
                host("192.0.2.1"),
                Reach::WithBelow,
                Some(80),
            ),
            (
                "192.0.2.77/24",
                block("192.0.2.77", 24),
                Reach::WithBelow,
                None,
            ),
            ("0.0.0.0/0", block("0.0.0.0", 0), Reach::WithBelow, None),
            (
                "2001:DB8::1",
                block("2001:db8::1", 128),
                Reach::WithBelow,
                None,
            ),
            (
                "[2001:db8::]/32",
                block("2001:db8::", 32),
                Reach::WithBelow,
                None,
            ),
            (
                "[2001:db8::1]",
                block("2001:db8::1", 128),
                Reach::WithBelow,
                None,
            ),
            (
                "[2001:db8::1]:80",
                host("[2001:db8::1]"),
                Reach::WithBelow,
                Some(80),
            ),
            (
                "::ffff:192.0.2.1",
                block("192.0.2.1", 32),
                Reach::WithBelow,
                None,
            ),
            (
                "::ffff:192.0.2.0/120",
                block("192.0.2.0", 24),
                Reach::WithBelow,
                None,
            ),
            ("::ffff:0:0/96", block("0.0.0.0", 0), Reach::WithBelow, None),
            (
                "::ffff:0:0/95",
                block("::ffff:0:0", 95),
                Reach::WithBelow,
                None,
            ),
        ] {
            let entry = HostEntry { place, reach, port };
            assert_eq!(HostEntry::parse(text), Some(entry), "{text}");
        }
        for text in ["a:b", "a:", "a:0", "a:65536", "a:1:2"] {
            assert_eq!(HostEntry::parse(text), None, "{text}");
        }
    }
}
