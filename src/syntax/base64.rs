//! Base64 as URLs have it (RFC 4648 sections 4 and 5): both alphabets, with or without padding.

/// Appends the bytes of `text`; `None` where it is not Base64.
pub(crate) fn decode(text: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let text = without_padding(text);
    if text.len() % 4 == 1 {
        return None;
    }
    let (mut bits, mut count) = (0u32, 0);
    for &byte in text {
        bits = bits << 6 | u32::from(digit(byte)?);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    Some(())
}

/// Returns `text` without the signs at its end that only fill it up.
pub(crate) fn without_padding(text: &[u8]) -> &[u8] {
    &text[..text.len() - text.iter().rev().take_while(|&&b| b == b'=').count()]
}

/// Returns the value of a digit.
pub(crate) fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}
