//! The host of the key: IDNA 2003, numbers of IPv4, labels in reverse.

use super::escapes::{escape, push_decoded, retain_from};
use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};

/// The most bytes of a label.
const LABEL: usize = 63;

/// Appends `host` with its labels reversed, without `www.` when `without_www` is set.
/// Returns false when nothing is left.
pub(super) fn push_reversed(host: &[u8], without_www: bool, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    push_decoded(host, out);
    if !out[start..].is_ascii()
        && let Some(name) = to_ascii(&out[start..])
    {
        out.truncate(start);
        out.extend_from_slice(name.as_bytes());
    }
    trim_dots(out, start);
    if let Some(address) = ipv4(&out[start..]) {
        out.truncate(start);
        for (at, byte) in address.to_be_bytes().into_iter().enumerate() {
            if at > 0 {
                out.push(b'.');
            }
            push_number(byte, out);
        }
    }
    if without_www {
        let www = www_len(&out[start..]);
        out.drain(start..start + www);
    }
    escape(out, start);
    let name = &mut out[start..];
    name.reverse();
    for label in name.split_mut(|&b| b == b'.') {
        label.reverse();
    }
    for byte in &mut *name {
        if *byte == b'.' {
            *byte = b',';
        }
    }
    out.len() > start
}

/// Removes the dots at both ends, and every second one of repeated dots.
fn trim_dots(out: &mut Vec<u8>, start: usize) {
    while out.len() > start && out.ends_with(b".") {
        out.pop();
    }
    let dots = out[start..].iter().take_while(|&&b| b == b'.').count();
    out.drain(start..start + dots);
    let mut is_after_dot = false;
    retain_from(out, start, |byte| {
        let is_second = byte == b'.' && is_after_dot;
        is_after_dot = byte == b'.' && !is_second;
        !is_second
    });
}

/// Returns the length of `www.` or `www2.` before a name.
fn www_len(name: &[u8]) -> usize {
    let Some(rest) = name.strip_prefix(b"www") else {
        return 0;
    };
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    match rest.get(digits) {
        Some(b'.') => 3 + digits + 1,
        _ => 0,
    }
}

fn push_number(byte: u8, out: &mut Vec<u8>) {
    for unit in [100, 10, 1] {
        if byte >= unit || unit == 1 {
            out.push(b'0' + byte / unit % 10);
        }
    }
}

/// Parses an address of one to four numbers: one alone is decimal and counts modulo
/// 2^32; of several, those that begin with 0 are octal, and the last one fills the
/// remaining bytes. Where the first begins with 0, no number has an 8 or a 9.
fn ipv4(name: &[u8]) -> Option<u32> {
    let is_number = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    let count = name.split(|&b| b == b'.').take(5).count();
    if count > 4 || !name.split(|&b| b == b'.').all(is_number) {
        return None;
    }
    if count == 1 {
        let digit =
            |sum: u32, digit: &u8| sum.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
        return Some(name.iter().fold(0, digit));
    }
    if name[0] == b'0' && name.iter().any(|digit| matches!(digit, b'8' | b'9')) {
        return None;
    }
    let mut address = 0;
    for (at, part) in name.split(|&b| b == b'.').enumerate() {
        let radix = if part[0] == b'0' { 8 } else { 10 };
        let bytes = if at + 1 == count { 5 - count } else { 1 };
        let value = part.iter().try_fold(0_u64, |sum, digit| {
            let digit = u64::from(digit - b'0');
            let sum = sum * radix + digit;
            (digit < radix && sum < 1 << (8 * bytes)).then_some(sum)
        })?;
        address = address << (8 * bytes) | value;
    }
    u32::try_from(address).ok()
}

/// Applies the operation ToASCII of IDNA 2003 (RFC 3490 section 4.1) to `name`, without
/// bytes that are not UTF-8. Returns `None` where it fails: then the name is unchanged.
fn to_ascii(name: &[u8]) -> Option<String> {
    let text: String = name.utf8_chunks().map(|chunk| chunk.valid()).collect();
    let is_dot = |c: char| matches!(c, '.' | '\u{3002}' | '\u{FF0E}' | '\u{FF61}');
    let body = match text.char_indices().next_back() {
        Some((at, last)) if is_dot(last) => &text[..at],
        _ => &text[..],
    };
    if text.is_ascii() && body.is_empty() {
        return text.is_empty().then_some(text);
    }
    let mut ascii = String::with_capacity(text.len());
    for (at, label) in body.split(is_dot).enumerate() {
        if at > 0 {
            ascii.push('.');
        }
        let start = ascii.len();
        push_label(label, &mut ascii)?;
        if !(1..=LABEL).contains(&(ascii.len() - start)) {
            return None;
        }
    }
    Some(ascii)
}

fn push_label(label: &str, ascii: &mut String) -> Option<()> {
    if label.is_ascii() {
        ascii.push_str(label);
        return Some(());
    }
    // UTS 46 keeps or rejects characters that IDNA 2003 maps.
    let mut mapped = String::with_capacity(label.len());
    for character in label.chars() {
        match character {
            'ß' | 'ẞ' => mapped.push_str("ss"),
            'ς' => mapped.push('σ'),
            // RFC 3454 appendix B.1.
            '\u{AD}'
            | '\u{34F}'
            | '\u{1806}'
            | '\u{180B}'..='\u{180D}'
            | '\u{200B}'..='\u{200D}'
            | '\u{2060}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}' => {}
            '\u{2024}'..='\u{2026}' => {
                let dots = u32::from(character) - 0x2023;
                mapped.extend((0..dots).map(|_| '.'));
            }
            _ => mapped.push(character),
        }
    }
    if mapped.is_ascii() {
        ascii.push_str(&mapped);
        return Some(());
    }
    // RFC 3454 section 6: a label with a right-to-left letter has such letters at both
    // ends; the bidi rule of UTS 46 allows more.
    let mut ends = mapped.chars();
    let first = ends.next()?;
    let last = ends.next_back().unwrap_or(first);
    if mapped.chars().any(is_right_to_left) && !(is_right_to_left(first) && is_right_to_left(last))
    {
        return None;
    }
    let answer = Uts46::new().to_ascii(
        mapped.as_bytes(),
        AsciiDenyList::EMPTY,
        Hyphens::Allow,
        DnsLength::Ignore,
    );
    ascii.push_str(&answer.ok()?);
    Some(())
}

/// RFC 3454 appendix D.1.
fn is_right_to_left(character: char) -> bool {
    matches!(u32::from(character),
        0x05BE | 0x05C0 | 0x05C3 | 0x05D0..=0x05EA | 0x05F0..=0x05F4 | 0x061B | 0x061F
        | 0x0621..=0x063A | 0x0640..=0x064A | 0x066D..=0x066F | 0x0671..=0x06D5 | 0x06DD
        | 0x06E5..=0x06E6 | 0x06FA..=0x06FE | 0x0700..=0x070D | 0x0710 | 0x0712..=0x072C
        | 0x0780..=0x07A5 | 0x07B1 | 0x200F | 0xFB1D | 0xFB1F..=0xFB28 | 0xFB2A..=0xFB36
        | 0xFB38..=0xFB3C | 0xFB3E | 0xFB40..=0xFB41 | 0xFB43..=0xFB44 | 0xFB46..=0xFBB1
        | 0xFBD3..=0xFD3D | 0xFD50..=0xFD8F | 0xFD92..=0xFDC7 | 0xFDF0..=0xFDFC
        | 0xFE70..=0xFE74 | 0xFE76..=0xFEFC)
}
