//! Escapes of roff in manual pages (rule B5): `\&` before a dot, `\:` before a character
//! of a URI, and the names of `~`. Other formats have these letters too, so a line must
//! show that it is one of roff.

use crate::syntax::class::URI;
use crate::syntax::steps;

/// The number of bytes before and after an escape in which its line is examined.
const ROFF_SIGHT: usize = 256;

/// Reads the escape of roff that begins at `text[at]`, a backslash: the character that
/// belongs to the URI, and the length in raw bytes. The flag is true when the end of `text`
/// was reached, so that more text might change the result.
pub(super) fn roff(text: &[u8], at: usize) -> (Option<(char, usize)>, bool) {
    let rest = &text[at..];
    let (found, truncated) = match rest {
        [_, b'&', b'.', ..] => (Some(('.', 3)), false),
        [_, b':', next, ..] if URI.has(*next) => (Some((*next as char, 3)), false),
        [_, b'(', b't', b'i', ..] => (Some(('~', 4)), false),
        [_, b'[', b't', b'i', b']', ..] => (Some(('~', 5)), false),
        [_] | [_, b'&' | b':' | b'(' | b'['] | [_, b'(' | b'[', b't'] | [_, b'[', b't', b'i'] => {
            (None, true)
        }
        _ => (None, false),
    };
    let Some((_, len)) = found else {
        return (None, truncated);
    };
    let (is_roff, truncated) = is_of_roff(text, at, len);
    (found.filter(|_| is_roff), truncated)
}

/// Returns whether the line of the escape at `at`, of `len` bytes, begins with a dot or has
/// another escape of roff, and whether more text might change the answer.
fn is_of_roff(text: &[u8], at: usize, len: usize) -> (bool, bool) {
    let floor = at.saturating_sub(ROFF_SIGHT);
    let left = &text[floor..at];
    let line = memchr::memrchr3(b'\n', b'\r', 0x0C, left).map(|last| last + 1);
    let start = line.or((floor == 0).then_some(0));
    let left = &left[line.unwrap_or(0)..];
    steps::count(left.len());
    let begins = |from: &[u8]| begins_escape(from).0;
    if start.is_some() && left.first() == Some(&b'.')
        || memchr::memchr_iter(b'\\', left).any(|slash| begins(&text[at - left.len() + slash..]))
    {
        return (true, false);
    }
    let right = &text[at + len..];
    let sight = &right[..right.len().min(ROFF_SIGHT)];
    let end = memchr::memchr3(b'\n', b'\r', 0x0C, sight);
    let line = &sight[..end.unwrap_or(sight.len())];
    steps::count(line.len());
    let mut truncated = end.is_none() && right.len() < ROFF_SIGHT;
    for slash in memchr::memchr_iter(b'\\', line) {
        let (is_escape, at_end) = begins_escape(&right[slash..]);
        if is_escape {
            return (true, false);
        }
        truncated |= at_end;
    }
    (false, truncated)
}

/// Returns whether `text`, which begins with a backslash, begins with an escape of roff: a
/// hyphen, a zero-width mark, a named character or string, a change of font. The flag is that
/// of [`roff`].
fn begins_escape(text: &[u8]) -> (bool, bool) {
    match text {
        [_, b'-' | b'&' | b':' | b'|' | b'^', ..] => (true, false),
        [_, b'(' | b'*', first, ..] => {
            let opens = *first == b'(' || *first == b'[';
            (
                first.is_ascii_alphanumeric() || text[1] == b'*' && opens,
                false,
            )
        }
        [_, b'f', b'B' | b'I' | b'R' | b'P' | b'(' | b'[', ..] => (true, false),
        [_, b'[', first, ..] => (first.is_ascii_alphabetic(), false),
        [_] | [_, b'(' | b'*' | b'f' | b'['] => (false, true),
        _ => (false, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_roff_has_a_dot_or_another_escape() {
        for (text, wanted) in [
            ("x\\&.c\n", None),
            (".B x\\&.c\n", Some('.')),
            ("y\n.B x\\&.c\n", Some('.')),
            (".B y\nx\\&.c\n", None),
            ("a\\-b\nx\\&.c\n", None),
            ("a\\-b x\\&.c\n", Some('.')),
            ("x\\&.c a\\-b\n", Some('.')),
            ("x\\&.c\na\\-b\n", None),
            ("x\\:/c\\:d\n", Some('/')),
            ("x\\: c\\:d\n", None),
            (".x\\(tiy\n", Some('~')),
            (".x\\(tay\n", None),
            (".x\\[ti]y\n", Some('~')),
            ("\\fBx\\&.c\n", Some('.')),
            ("\\*(Aqx\\&.c\n", Some('.')),
            ("\\[rs]x\\&.c\n", Some('.')),
            ("\\nx\\&.c\n", None),
            (".x\\&c\n", None),
            ("http://a\\:80/\n", None),
        ] {
            let bytes = text.as_bytes();
            let escape = ["\\&", "\\: c", "\\:", "\\(t", "\\[ti"];
            let at = escape.iter().find_map(|escape| text.find(escape)).unwrap();
            assert_eq!(roff(bytes, at).0.map(|found| found.0), wanted, "{text:?}");
        }
    }

    #[test]
    fn the_line_is_examined_within_a_bound() {
        for (count, wanted) in [(ROFF_SIGHT - 2, true), (ROFF_SIGHT - 1, false)] {
            let text = format!("\\-{}\\&.c\n", "x".repeat(count));
            assert_eq!(roff(text.as_bytes(), 2 + count).0.is_some(), wanted);
        }
        for (count, wanted) in [(ROFF_SIGHT - 1, true), (ROFF_SIGHT, false)] {
            let text = format!("\\&.{}\\-", "x".repeat(count));
            assert_eq!(
                roff(text.as_bytes(), 0),
                (wanted.then_some(('.', 3)), false)
            );
        }
    }

    #[test]
    fn every_cut_short_escape_says_so() {
        for whole in [
            "\\[ti]x\\-",
            "\\(ti\\fB",
            "\\:/ \\*(Aq",
            "\\&.x\\(aq",
            "\\&.\n",
        ] {
            for len in 1..whole.len() {
                let (found, truncated) = roff(&whole.as_bytes()[..len], 0);
                assert!(truncated || found.is_some(), "{whole} {len}");
            }
        }
    }
}
