//! Escapes in the keys of archives: decoded as often as there are any, then encoded
//! again where a key cannot have the byte.

use crate::syntax::{pct, steps};
use memchr::memchr;

/// Appends `text` with its escapes decoded until none is left, in lower case. A decoded
/// byte may complete an escape that began before it.
pub(super) fn push_decoded(text: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    if memchr(b'%', text).is_none() {
        out.extend_from_slice(text);
    } else {
        for &byte in text {
            out.push(byte);
            while out.len() >= start + 3 && pct::is_encoded(out, out.len() - 3) {
                let at = out.len() - 3;
                let digit = |at: usize| pct::hex_value(out[at]).unwrap_or_default();
                let decoded = digit(at + 1) << 4 | digit(at + 2);
                out.truncate(at);
                out.push(decoded);
            }
        }
    }
    out[start..].make_ascii_lowercase();
}

/// Keeps the bytes from `start` on for which `keeps` returns true. The text before it, often
/// many keys, is not read.
pub(super) fn retain_from(out: &mut Vec<u8>, start: usize, mut keeps: impl FnMut(u8) -> bool) {
    steps::count(out.len() - start);
    let mut write = start;
    for read in start..out.len() {
        let byte = out[read];
        if keeps(byte) {
            out[write] = byte;
            write += 1;
        }
    }
    out.truncate(write);
}

/// Percent-encodes the same bytes as the package from `start` on, with digits in lower
/// case.
pub(super) fn escape(out: &mut Vec<u8>, start: usize) {
    let is_escaped = |byte: u8| byte <= b' ' || byte >= 0x7F || matches!(byte, b'#' | b'%');
    let count = out[start..].iter().filter(|&&b| is_escaped(b)).count();
    if count == 0 {
        return;
    }
    // From the end, so that no second buffer is needed.
    let (mut read, mut write) = (out.len(), out.len() + 2 * count);
    out.resize(write, 0);
    while read < write {
        read -= 1;
        let byte = out[read];
        if is_escaped(byte) {
            write -= 3;
            let digit = |value: u8| b"0123456789abcdef"[usize::from(value)];
            out[write] = b'%';
            out[write + 1] = digit(byte >> 4);
            out[write + 2] = digit(byte & 15);
        } else {
            write -= 1;
            out[write] = byte;
        }
    }
}
