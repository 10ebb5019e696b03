//! A URL as gateways look at it, and the decoding of what it wraps.

use crate::syntax::{iri, pct};

/// The parts of a URL that gateways look at.
pub(super) struct GatewayUrl<'u> {
    pub uri: &'u [u8],
    pub host: &'u [u8],
    pub path: &'u [u8],
    pub query: &'u [u8],
}

impl<'u> GatewayUrl<'u> {
    /// Returns the value of a parameter.
    pub(super) fn parameter(&self, name: &str) -> Option<&'u [u8]> {
        self.query.split(|&byte| byte == b'&').find_map(|pair| {
            let at = memchr::memchr(b'=', pair)?;
            (&pair[..at] == name.as_bytes()).then_some(&pair[at + 1..])
        })
    }

    pub(super) fn is_host(&self, name: &str) -> bool {
        self.host.eq_ignore_ascii_case(name.as_bytes())
    }

    /// Whether the host is below this one, which begins with a dot.
    pub(super) fn is_below(&self, name: &str) -> bool {
        let at = self.host.len().checked_sub(name.len());
        at.is_some_and(|at| at > 0 && self.host[at..].eq_ignore_ascii_case(name.as_bytes()))
    }

    pub(super) fn is_google(&self) -> bool {
        let head = self.host.get(..11);
        head.is_some_and(|head| head.eq_ignore_ascii_case(b"www.google."))
    }
}

/// Appends percent-decoded text. What no URI may have stays encoded.
pub(super) fn push_decoded(text: &[u8], out: &mut Vec<u8>) {
    let from = out.len();
    let mut at = 0;
    while at < text.len() {
        let byte = match text[at..] {
            [b'%', high, low, ..] => pct::hex_value(high).zip(pct::hex_value(low)),
            _ => None,
        };
        match byte {
            Some((high, low)) => {
                out.push(high << 4 | low);
                at += 3;
            }
            None => {
                out.push(text[at]);
                at += 1;
            }
        }
    }
    let decoded = out.split_off(from);
    push_uri(&decoded, out);
}

/// Whether `text` has only characters that a URI may have: it was not decoded from other data.
pub(super) fn is_of_uri(text: &[u8]) -> bool {
    str::from_utf8(text).is_ok_and(|text| text.chars().all(iri::is_decoded))
}

fn push_uri(text: &[u8], out: &mut Vec<u8>) {
    for chunk in text.utf8_chunks() {
        for char in chunk.valid().chars() {
            let mut buffer = [0; 4];
            let bytes = char.encode_utf8(&mut buffer).as_bytes();
            match iri::is_decoded(char) {
                true => out.extend_from_slice(bytes),
                false => bytes.iter().for_each(|&byte| push_encoded(byte, out)),
            }
        }
        chunk
            .invalid()
            .iter()
            .for_each(|&byte| push_encoded(byte, out));
    }
}

fn push_encoded(byte: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let digits = [byte >> 4, byte & 15].map(|digit| DIGITS[usize::from(digit)]);
    out.extend_from_slice(&[b'%', digits[0], digits[1]]);
}
