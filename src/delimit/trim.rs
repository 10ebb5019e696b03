//! Trailing punctuation of a bare candidate (B3).

use super::read::Unit;
use crate::escape::kept_reference_before;
use crate::syntax::steps;

/// Returns the length of `text` without its trailing punctuation. `before` is the raw
/// byte directly before the candidate: `_` and `~` are removed only when `before` is the
/// same character (emphasis). A "(" at the end is unbalanced, and is also removed.
/// `after` is the raw byte directly after the run: `--` before a `>` ends a comment in
/// markup. With `hyphens` a `-` is removed, too (`tel:`, `sms:`).
pub(super) fn trimmed_len(
    text: &[u8],
    before: Option<u8>,
    after: Option<u8>,
    hyphens: bool,
) -> usize {
    let mut len = text.len();
    if after == Some(b'>') && text.ends_with(b"--") {
        len -= 2;
    }
    while let Some(&last) = text[..len].last() {
        match last {
            b'.' | b',' | b':' | b'!' | b'?' | b'\'' | b'"' | b'*' | b'(' => len -= 1,
            b';' => len -= kept_reference_before(text, len).unwrap_or(1),
            b'_' | b'~' if before == Some(last) => len -= 1,
            b'&' if text[..len].ends_with(b"&&") => len -= 2,
            b'-' if hyphens => len -= 1,
            _ => break,
        }
    }
    steps::count(text.len() - len);
    len
}

/// B3: returns whether a unit that belongs to a candidate is kept at its end.
pub(super) fn is_never_trimmed(unit: Unit) -> bool {
    match unit {
        Unit::Char { char, .. } => !char.is_ascii() || matches!(char, '[' | ']' | ')'),
        _ => false,
    }
}

/// B3: returns whether these bytes of a path, query or fragment are trimmed at its end, or
/// may belong to what follows (B5, B8).
pub(super) fn may_be_trimmed(plain: &[u8]) -> bool {
    let punctuation = |b: &u8| {
        matches!(
            b,
            b'.' | b','
                | b':'
                | b'!'
                | b'?'
                | b'\''
                | b'*'
                | b';'
                | b'('
                | b'_'
                | b'~'
                | b'-'
                | b'#'
                | b'$'
                | b'E'
        )
    };
    plain.iter().all(punctuation)
}

/// B2: returns the start of the `[…]` at the end of the path or fragment of `text`, which
/// is the text of a link in AsciiDoc; `None` when there is no `[…]`. `from` is the end of
/// the authority, or the start of the path of a URI without an authority.
pub(super) fn label_start(text: &[u8], from: usize) -> Option<usize> {
    let mut open = 0usize;
    for at in (from..text.len()).rev() {
        steps::count(1);
        match text[at] {
            b']' => open += 1,
            b'[' if open == 1 => {
                let before = &text[from..at];
                steps::count(before.len());
                let in_query = before.contains(&b'?') && !before.contains(&b'#');
                // Without an authority it may be a host: `sip:alice@[::1]`.
                let is_host = matches!(before.last(), None | Some(b'@'));
                let stays = is_host || in_query && stays_in_query(before);
                return (!stays).then_some(at);
            }
            b'[' => open = open.checked_sub(1)?,
            _ if open == 0 => return None,
            _ => {}
        }
    }
    None
}

/// B2: returns whether a `[…]` after `before`, the part of a query, belongs to a key or is
/// all of a value.
fn stays_in_query(before: &[u8]) -> bool {
    let ends = |b: &u8| matches!(b, b'?' | b'&' | b';');
    let parameter = before.rsplit(ends).next().unwrap_or_default();
    !parameter.contains(&b'=') || parameter.ends_with(b"=")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels() {
        fn left(text: &str) -> Option<&str> {
            label_start(text.as_bytes(), 10).map(|at| &text[..at])
        }
        assert_eq!(left("http://a.b/x[y]"), Some("http://a.b/x"));
        assert_eq!(left("http://a.b/[x[y]]"), Some("http://a.b/"));
        assert_eq!(left("http://a.b/?q#x[]"), Some("http://a.b/?q#x"));
        assert_eq!(left("http://a.b/?q[]"), None);
        assert_eq!(left("http://a.b/?q=[y]"), None);
        assert_eq!(left("http://a.b/?q=x[y]"), Some("http://a.b/?q=x"));
        assert_eq!(left("http://a.b/?q=x&f[y]"), None);
        assert_eq!(left("http://a.b/?q=x&amp;f[y]"), None);
        assert_eq!(left("http://a.b/?q=x#f[y]"), Some("http://a.b/?q=x#f"));
        assert_eq!(left("http://a.b/x[y]z"), None);
        assert_eq!(left("http://[::1]"), None);
        assert_eq!(label_start(b"sip:[::1]", 4), None);
        assert_eq!(label_start(b"sip:a@[::1]", 4), None);
        assert_eq!(label_start(b"", 0), None);
        assert_eq!(label_start(b"]", 0), None);
    }

    #[test]
    fn punctuation() {
        let left = |text: &str, before| {
            text[..trimmed_len(text.as_bytes(), before, None, false)].to_owned()
        };
        assert_eq!(left("a/b...", None), "a/b");
        assert_eq!(left("a_", Some(b'_')), "a");
        assert_eq!(left("a_", Some(b'*')), "a_");
        assert_eq!(left("a&amp;", None), "a");
        assert_eq!(left("a&amp;.", None), "a");
        assert_eq!(left("a;b;", None), "a;b");
        assert_eq!(left("a(.", None), "a");
        assert_eq!(left("a()", None), "a()");
        assert_eq!(trimmed_len(b"a.--", None, Some(b'>'), false), 1);
        assert_eq!(trimmed_len(b"a.--", None, Some(b'<'), false), 4);
        assert_eq!(left("a-/=&+#%41$@", None), "a-/=&+#%41$@");
        assert_eq!(left("a&&", None), "a");
        assert_eq!(left("a.&&.", None), "a");
        assert_eq!(left("a&&&", None), "a&");
        assert_eq!(trimmed_len(b"tel:1-.-", None, None, true), 5);
    }
}
