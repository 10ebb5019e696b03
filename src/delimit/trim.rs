//! Trailing punctuation of a bare candidate (B3).

use crate::escape::kept_reference_before;

/// The length that is left of `text` without its trailing punctuation.
/// `before` is the raw byte directly before the candidate: `_` and `~` go only
/// when it is the same (emphasis). A "(" that is last is unbalanced and goes too.
pub(super) fn trimmed_len(text: &[u8], before: Option<u8>) -> usize {
    let mut len = text.len();
    while let Some(&last) = text[..len].last() {
        match last {
            b'.' | b',' | b':' | b'!' | b'?' | b'\'' | b'"' | b'*' | b'(' => len -= 1,
            b';' => len -= kept_reference_before(text, len).unwrap_or(1),
            b'_' | b'~' if before == Some(last) => len -= 1,
            _ => break,
        }
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation() {
        let left = |text: &str, before| text[..trimmed_len(text.as_bytes(), before)].to_owned();
        assert_eq!(left("a/b...", None), "a/b");
        assert_eq!(left("a_", Some(b'_')), "a");
        assert_eq!(left("a_", Some(b'*')), "a_");
        assert_eq!(left("a&amp;", None), "a");
        assert_eq!(left("a&amp;.", None), "a");
        assert_eq!(left("a;b;", None), "a;b");
        assert_eq!(left("a(.", None), "a");
        assert_eq!(left("a()", None), "a()");
        assert_eq!(left("a-/=&+#%41$@", None), "a-/=&+#%41$@");
    }
}
