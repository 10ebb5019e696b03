//! Marks of defanging in or right after an authority, which void a candidate that is read
//! as written (I24): the host would be a wrong one. And the pairs of a list `NAME=URI`
//! (I28).

use crate::escape::kept_reference_before;
use crate::syntax::class::ALPHA;
use crate::syntax::steps;

/// The words that stand for `.`, `@` and `:` between brackets.
const WORDS: [&[u8]; 9] = [
    b".", b",", b":", b"@", b"at", b"dot", b"d0t", b"punkt", b"punto",
];

/// Most blanks between a bracket and the word.
const BLANKS: usize = 4;

/// Most bytes of the name and of the value of a pair.
const NAME_MAX: usize = 32;
const VALUE_MAX: usize = 100;

/// Returns whether a mark between brackets begins with the bracket at the start of `text`,
/// such as `[.]`, `( dot )` or `((@))`, and whether more text might change the answer.
pub(super) fn is_bracketed(text: &[u8]) -> (bool, bool) {
    let (open, close) = match text.first() {
        Some(b'[') => (b'[', b']'),
        Some(b'(') => (b'(', b')'),
        _ => return (false, text.is_empty()),
    };
    let mut at = 1 + usize::from(text.get(1) == Some(&open));
    let twice = at == 2;
    at += blanks(&text[at..]);
    let rest = &text[at..];
    let fits =
        |word: &&&[u8]| rest.len() >= word.len() && rest[..word.len()].eq_ignore_ascii_case(word);
    let Some(word) = WORDS.iter().find(fits) else {
        let begins = |word: &&[u8]| {
            rest.len() < word.len() && rest.eq_ignore_ascii_case(&word[..rest.len()])
        };
        return (false, WORDS.iter().any(begins));
    };
    at += word.len();
    at += blanks(&text[at..]);
    match &text[at..] {
        [first, ..] if *first != close => (false, false),
        [_, second, ..] if twice => (*second == close, false),
        [_, ..] if !twice => (true, false),
        _ => (false, true),
    }
}

/// Returns whether a mark begins with the bracket at the start of `text`: between brackets,
/// or one-sided, as in `evil[.example`. The flag is that of [`is_bracketed`].
pub(super) fn begins(text: &[u8]) -> (bool, bool) {
    let (found, touched_end) = is_bracketed(text);
    match text {
        _ if found => (true, false),
        [_, b'.' | b'@' | b':', next, ..] if next.is_ascii_alphanumeric() => (true, false),
        [_, b'.' | b'@' | b':'] | [_] => (false, true),
        _ => (false, touched_end),
    }
}

fn blanks(text: &[u8]) -> usize {
    let text = text.iter().take(BLANKS);
    text.take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// I28: returns the `,` or `;` that separates pairs, when the candidate at `start` is the
/// value of one, and another one is directly before it: `a=1;url=http://…`.
pub(super) fn separator_before(text: &[u8], start: usize) -> Option<u8> {
    let left = text[..start].strip_suffix(b"=")?;
    let is_name = |b: &&u8| of_name(**b);
    let len = left
        .iter()
        .rev()
        .take(NAME_MAX + 1)
        .take_while(is_name)
        .count();
    steps::count(len);
    let name = left.len() - len;
    if len == 0 || len > NAME_MAX || !begins_name(left[name]) {
        return None;
    }
    let left = &left[..name];
    let left = left.strip_suffix(b" ").unwrap_or(left);
    let (&sign, value) = left.split_last()?;
    let is_reference = sign == b';' && kept_reference_before(text, left.len()).is_some();
    if !matches!(sign, b',' | b';') || is_reference {
        return None;
    }
    let of_value = |b: &&u8| !matches!(**b, 0..=b' ' | 0x7F | b',' | b';');
    let len = value
        .iter()
        .rev()
        .take(VALUE_MAX)
        .take_while(of_value)
        .count();
    steps::count(len);
    let pair = &value[value.len() - len..];
    let parts = |w: &[u8]| of_name(w[0]) && w[1] == b'=';
    pair.windows(3).any(parts).then_some(sign)
}

/// I28: returns whether `text` begins with `NAME=`, and whether more text might change the
/// answer.
pub(super) fn begins_pair(text: &[u8]) -> (bool, bool) {
    let len = text
        .iter()
        .take(NAME_MAX + 1)
        .take_while(|b| of_name(**b))
        .count();
    steps::count(len);
    if !text.first().is_none_or(|&b| begins_name(b)) || len > NAME_MAX {
        return (false, false);
    }
    (len > 0 && text.get(len) == Some(&b'='), text.len() == len)
}

fn begins_name(byte: u8) -> bool {
    ALPHA.has(byte) || byte == b'_'
}

fn of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_differ_from_other_brackets() {
        for mark in [
            "[.]", "(.)", "[dot]", "( DOT )", "((.))", "[[at]]", "[,]", "(@)", "[:]", "(punto)",
        ] {
            assert_eq!(is_bracketed(mark.as_bytes()), (true, false), "{mark}");
            for len in 1..mark.len() {
                assert_eq!(
                    is_bracketed(&mark.as_bytes()[..len]),
                    (false, true),
                    "{mark} {len}"
                );
            }
        }
        for other in ["[1]", "(see", "[.)", "[dotted]", "((.)x", "()", "[   ]"] {
            assert_eq!(begins(other.as_bytes()), (false, false), "{other}");
        }
        assert_eq!(begins(b"[.com"), (true, false));
        assert_eq!(begins(b"[. c"), (false, false));
        assert_eq!(begins(b"[."), (false, true));
    }

    #[test]
    fn pairs_have_one_separator() {
        let before = |text: &str| separator_before(text.as_bytes(), text.len());
        assert_eq!(before("src=192.0.2.1;url="), Some(b';'));
        assert_eq!(before("x a=b, url="), Some(b','));
        assert_eq!(before("url="), None);
        assert_eq!(before("x;url="), None);
        assert_eq!(before("a=;url="), None);
        assert_eq!(before("x?a=1&amp;url="), None);
        assert_eq!(before("x?a=1&#038;url="), None);
        assert_eq!(before("a=b;  url="), None);
        assert_eq!(before("a=b;1="), None);
        assert_eq!(begins_pair(b"status=2"), (true, false));
        assert_eq!(begins_pair(b"status"), (false, true));
        assert_eq!(begins_pair(b"status;"), (false, false));
        assert_eq!(begins_pair(b"=1"), (false, false));
    }
}
