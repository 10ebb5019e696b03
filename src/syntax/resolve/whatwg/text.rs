//! The input of the basic URL parser: characters, without those that it skips.

use std::borrow::Cow;

/// Returns the bytes as characters; bytes that are not UTF-8 are percent-encoded.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    Cow::Owned(text)
}

/// Removes control characters and blanks at both ends, and tabs and line breaks
/// anywhere ("basic URL parser", steps 1 to 3).
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    let text = text.trim_matches(|c: char| c <= ' ');
    match text.contains(['\t', '\n', '\r']) {
        true => Cow::Owned(text.replace(['\t', '\n', '\r'], "")),
        false => Cow::Borrowed(text),
    }
}

/// Splits `text` after its scheme and colon.
pub(super) fn split_scheme(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let begins = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    (begins && scheme.chars().all(is_scheme)).then_some((scheme, rest))
}
