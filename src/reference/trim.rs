//! Punctuation at the end of a bare URI (B3).

use super::unit::reference;

/// How many bytes of `text` stay. `before` is the byte directly before the URI.
pub fn trimmed_len(text: &[u8], before: Option<u8>) -> usize {
    let mut text = text;
    while let [head @ .., last] = text {
        text = match last {
            b';' => kept_reference(text).unwrap_or(head),
            b'.' | b',' | b':' | b'!' | b'?' | b'\'' | b'"' | b'*' => head,
            // An open parenthesis that is last is never closed.
            b'(' => head,
            b'_' | b'~' if before == Some(*last) => head,
            _ => break,
        };
    }
    text.len()
}

/// B4: what stands before the character reference at the end of `text`.
fn kept_reference(text: &[u8]) -> Option<&[u8]> {
    let least = text.len().saturating_sub(16);
    let at = (least..text.len()).find(|&at| {
        let amp = matches!(&text[at..], b"&amp;" | b"&amp;amp;");
        amp || reference(text, at).is_some_and(|(_, end)| end == text.len())
    })?;
    Some(&text[..at])
}
