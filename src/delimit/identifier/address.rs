//! E-mail addresses (I12): a dot-atom (RFC 5322 section 3.2.3) of the characters that are
//! common in names, `@`, and a domain under a top-level domain.
//!
//! A wrong address is worse than none. So the text before a name may be a sign that ends a
//! word, but none that belongs to longer addresses or to templates (`R&D@`, `%s@`, `$USER@`).

use super::ahead::{Ahead, char_before, continues};
use super::found::{Identified, push};
use crate::delimit::start::escape_tail;
use crate::item::IdentifierKind;
use crate::syntax::top_level;

/// The greatest number of bytes before `@` (RFC 5321 section 4.5.3.1.1).
const LOCAL_MAX: usize = 64;

/// The greatest number of bytes of a domain, and of one of its labels (RFC 1035 section 2.3.4).
const DOMAIN_MAX: usize = 253;
const LABEL_MAX: usize = 63;

/// Reads the address whose `@` is at `at`.
pub(super) fn address(ahead: &mut Ahead, at: usize, uri: &mut Vec<u8>) -> Option<Identified> {
    let run = local_run(ahead.text, at)?;
    let end = domain(ahead, at + 1)?;
    let start = local_start(ahead, run, at, end)?;
    if ahead.byte(end) == Some(b'>') && is_cut(ahead.text, start) {
        return None;
    }
    push(IdentifierKind::Email, &ahead.text[start..end], uri);
    Some(Identified::new(IdentifierKind::Email, start..end))
}

/// Returns the start of the characters of a name that end at `at`.
fn local_run(text: &[u8], at: usize) -> Option<usize> {
    let mut start = at;
    while let Some(char) = char_before(text, start)
        && (continues(char) || matches!(char, '.' | '_' | '+' | '-' | '~' | '\''))
    {
        start -= char.len_utf8();
        if at - start > LOCAL_MAX {
            return None;
        }
    }
    let is_whole = match char_before(text, start) {
        Some('@' | '&' | '$' | '}') => false,
        Some('%') => escape_tail(text, start, at) > 0,
        Some('/') => !text[..start].ends_with(b"//"),
        Some('!' | '#' | '*' | '?' | '^') => !char_before(text, start - 1).is_some_and(continues),
        _ => true,
    };
    let is_atom = start < at && text[at - 1] != b'.';
    (is_whole && is_atom).then_some(start)
}

/// Returns the start of the name in the run that begins at `run`.
fn local_start(ahead: &mut Ahead, run: usize, at: usize, end: usize) -> Option<usize> {
    let text = ahead.text;
    let after = ahead.byte(end);
    let first = run + escape_tail(text, run, at);
    if is_escaped_letter(&text[run..first]) {
        return None;
    }
    let is_letter = |at: usize| text[at].is_ascii_alphabetic();
    let ends_before = |place: usize| match text[place] {
        b'\'' => {
            let is_inside = place > first && is_letter(place - 1) && is_letter(place + 1);
            !is_inside || after == Some(b'\'')
        }
        b'.' => text[place + 1] == b'.',
        _ => false,
    };
    let sign = (first..at).rev().find(|&place| ends_before(place));
    let mut start = sign.map_or(first, |place| place + 1);
    let skips = |byte: &u8| match byte {
        b'.' | b'+' | b'-' | b'~' => true,
        // B3: `_` on both sides is emphasis.
        b'_' => after == Some(b'_'),
        _ => false,
    };
    start += text[start..at]
        .iter()
        .take_while(|byte| skips(byte))
        .count();
    let has_word = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let is_open = after == Some(b'_') && !text[..start].ends_with(b"_");
    (text[start..at].iter().any(has_word) && !is_open).then_some(start)
}

/// Whether the name that begins at `start` goes on before it to a `<`, which delimits the whole:
/// characters of atoms (RFC 5322 section 3.2.3) that are rare in names.
fn is_cut(text: &[u8], start: usize) -> bool {
    let is_atom =
        |byte: &&u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(byte);
    let before = &text[start.saturating_sub(LOCAL_MAX)..start];
    let more = before.iter().rev().take_while(is_atom).count();
    more > 0 && text[..start - more].ends_with(b"<")
}

/// Whether `escape` is `\uXXXX` for a letter or digit, without its backslash.
fn is_escaped_letter(escape: &[u8]) -> bool {
    let digits = escape.strip_prefix(b"u");
    let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
    let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    code.and_then(char::from_u32).is_some_and(continues)
}

/// Returns the end of the domain at `at`.
fn domain(ahead: &mut Ahead, at: usize) -> Option<usize> {
    let text = ahead.text;
    let mut end = at;
    let mut next = at;
    // The end is after the last letter or digit: signs at the end are punctuation.
    while let Some((char, len)) = ahead.char(next) {
        match char {
            '.' if text[..next].ends_with(b".") => break,
            '.' | '-' => {}
            _ if continues(char) => end = next + len,
            _ => break,
        }
        next += len;
        if next - at > DOMAIN_MAX + 1 {
            return None;
        }
    }
    match ahead.byte(end) {
        Some(b'@' | b'(') => return None,
        // `git@h.example:p`
        Some(b':') => {
            let is_path = |byte: u8| byte.is_ascii_alphanumeric() || b"/~._:".contains(&byte);
            if ahead.byte(end + 1).is_some_and(is_path) {
                return None;
            }
        }
        _ => {}
    }
    let is_label = |label: &[u8]| {
        (1..=LABEL_MAX).contains(&label.len()) && !label.starts_with(b"-") && !label.ends_with(b"-")
    };
    let mut labels = text[at..end].split(|&byte| byte == b'.');
    let last = labels.next_back()?;
    let has_more = labels.clone().next().is_some();
    (has_more && labels.all(is_label) && is_label(last) && top_level::is_known(last)).then_some(end)
}
