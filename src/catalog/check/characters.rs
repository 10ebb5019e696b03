//! Characters that do not belong to an address: invisible ones, punctuation around it, HTML
//! codes, and those that are percent-encoded.

use super::draft::{Draft, trimmed};
use crate::syntax::{Components, pct, scheme, steps};
use std::fmt::Write;

/// control-char
pub(super) fn invisible(draft: &mut Draft) {
    // Most values are of ASCII, of which no character is searched.
    let is_visible = draft.value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if !is_visible && draft.value.contains(is_invisible) {
        let visible = draft.value.replace(is_invisible, "");
        draft.hit("control-char", Some(trimmed(&visible).to_owned()));
    }
}

/// outer-blank
pub(super) fn outer(draft: &mut Draft, is_padded: bool) {
    if is_padded {
        let value = draft.value.to_string();
        draft.hit("outer-blank", Some(value));
    }
}

fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{AD}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

/// Brackets and quotes that are around an address.
const PAIRS: [(char, char); 9] = [
    ('<', '>'),
    ('(', ')'),
    ('"', '"'),
    ('\'', '\''),
    ('“', '”'),
    ('„', '“'),
    ('‘', '’'),
    ('«', '»'),
    ('»', '«'),
];

/// trailing-punct
pub(super) fn punctuation(draft: &mut Draft) {
    if is_bare(draft.value.as_bytes()) {
        return;
    }
    let mut rest = &*draft.value;
    for _ in 0..NESTED {
        let Some(less) = without_punctuation(rest) else {
            break;
        };
        rest = trimmed(less);
    }
    if rest.len() < draft.value.len() {
        let repaired = rest.to_owned();
        draft.hit("trailing-punct", Some(repaired));
    }
}

/// Whether the ends of a value show that it has no punctuation around it, and no label.
fn is_bare(value: &[u8]) -> bool {
    let (Some(first), Some(last)) = (value.first(), value.last()) else {
        return true;
    };
    first.is_ascii_alphanumeric()
        && (last.is_ascii_alphanumeric() || *last == b'/')
        && value.get(3) != Some(&b':')
}

/// The number of times that punctuation around a value is removed in one pass, and that
/// HTML codes are decoded. Each time takes the length of the value. Values that are nested
/// more deeply have no suggestion.
const NESTED: usize = 16;

fn without_punctuation(value: &str) -> Option<&str> {
    steps::count(value.len());
    let fits = |rest: &&str| rest.chars().any(char::is_alphanumeric);
    for (open, close) in PAIRS {
        let inner = value.strip_prefix(open).and_then(|v| v.strip_suffix(close));
        // `(a) b (c)`: these two are not a pair.
        let is_pair = |inner: &&str| open == close || is_balanced(inner, [open], close);
        if let Some(inner) = inner.filter(is_pair).filter(fits) {
            return Some(inner);
        }
    }
    let label = value
        .get(..4)
        .filter(|label| label.eq_ignore_ascii_case("url:"));
    if let Some(rest) = label.map(|_| &value[4..]).filter(fits) {
        return Some(rest);
    }
    let lone = |c: char| matches!(c, '<' | '"' | '“' | '„');
    if let Some(rest) = value.strip_prefix(lone).filter(fits) {
        return Some(rest);
    }
    let rest = without_end(value);
    Some(rest).filter(|rest| rest.len() < value.len() && fits(rest))
}

/// Returns `value` without the punctuation of one kind at its end.
fn without_end(value: &str) -> &str {
    let without_unbalanced = |open: char, close: char| {
        let excess = value
            .matches(close)
            .count()
            .saturating_sub(value.matches(open).count());
        let run = value.len() - value.trim_end_matches(close).len();
        &value[..value.len() - run.min(excess)]
    };
    match value.chars().next_back() {
        Some('.') if value.contains("/wiki/") => value,
        Some(';') if ends_in_reference(value) => value,
        Some(':') if scheme::prefix_len(value.as_bytes()) == Some(value.len() - 1) => value,
        Some('"') if value.matches('"').count().is_multiple_of(2) => value,
        // The mark may end a quotation inside of the address.
        Some('”') if is_balanced(value, ['“', '„'], '”') => value,
        Some(last @ ('.' | ',' | ';' | ':' | '"' | '”')) => value.trim_end_matches(last),
        Some(')') => without_unbalanced('(', ')'),
        Some('>') => without_unbalanced('<', '>'),
        _ => value,
    }
}

/// Whether `value` has a sign that opens for each that closes.
fn is_balanced<const N: usize>(value: &str, open: [char; N], close: char) -> bool {
    let (mut depth, mut least) = (0, 0);
    for c in value.chars() {
        depth += i32::from(open.contains(&c)) - i32::from(c == close);
        least = least.min(depth);
    }
    least == 0 && depth == 0
}

fn ends_in_reference(value: &str) -> bool {
    value.rfind('&').is_some_and(|at| {
        let text = &value[at..];
        reference(text).is_some_and(|(_, len)| len == text.len())
    })
}

/// char-reference
pub(super) fn references(draft: &mut Draft) {
    let mut value = draft.value.clone();
    for _ in 0..NESTED {
        let Some(decoded) = decoded(&value) else {
            break;
        };
        value = decoded.into();
    }
    if value != draft.value {
        draft.hit("char-reference", Some(trimmed(&value).to_owned()));
    }
}

/// Returns `value` with its character references decoded once.
fn decoded(value: &str) -> Option<String> {
    steps::count(value.len());
    let mut out = String::new();
    let mut rest = value;
    let mut found = false;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match reference(rest) {
            Some((c, len)) => {
                found = true;
                out.extend(c.filter(|c| !is_invisible(*c)));
                rest = &rest[len..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    found.then_some(out)
}

/// Returns the character of the reference at the start of `text`, and its length.
fn reference(text: &str) -> Option<(Option<char>, usize)> {
    let end = text.bytes().take(12).position(|b| b == b';')?;
    let body = text.get(1..end)?;
    let c = match body {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{A0}',
        _ => {
            let number = body.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) if hex.bytes().all(|b| b.is_ascii_hexdigit()) => {
                    u32::from_str_radix(hex, 16).ok()?
                }
                None if number.bytes().all(|b| b.is_ascii_digit()) => number.parse().ok()?,
                _ => return None,
            };
            return Some((char::from_u32(code), end + 1));
        }
    };
    Some((Some(c), end + 1))
}

/// bad-char, unencoded-bracket, non-ascii, bad-percent, double-encoded, tilde-encoded
pub(super) fn encode(draft: &mut Draft) {
    let is_bad = |c: char| matches!(c, '<' | '>' | '"' | '\\' | '^' | '`' | '{' | '|' | '}');
    if draft.value.contains(is_bad) {
        let repaired = match in_authority(&draft.value, '\\') {
            // As browsers read it.
            true => Some(draft.value.replace('\\', "/")),
            false => {
                let value = &*draft.value;
                // One of a pair may be the end of text around the address.
                let is_paired = is_balanced(value, ['<'], '>')
                    && is_balanced(value, ['{'], '}')
                    && value.matches('"').count().is_multiple_of(2);
                is_paired.then(|| percent_encoded(value, is_bad))
            }
        };
        draft.hit("bad-char", repaired);
    }
    let literal = ip_literal(&draft.value);
    let outside = |at: usize, c: char| matches!(c, '[' | ']') && !literal.contains(&at);
    if draft.value.char_indices().any(|(at, c)| outside(at, c)) {
        let mut encoded = String::new();
        for (at, c) in draft.value.char_indices() {
            match outside(at, c) {
                true => push_encoded(c, &mut encoded),
                false => encoded.push(c),
            }
        }
        let is_paired = is_balanced(&draft.value, ['['], ']');
        draft.hit("unencoded-bracket", Some(encoded).filter(|_| is_paired));
    }
    if !draft.value.is_ascii() {
        let encoded = ascii(&draft.value);
        draft.hit("non-ascii", encoded);
    }
    if pct::first_broken(draft.value.as_bytes()).is_some() {
        draft.hit("bad-percent", None);
    }
    if let Some(once) = encoded_once(&draft.value) {
        draft.hit("double-encoded", Some(once));
    }
    let is_web = ["http:", "https:", "ftp:"]
        .iter()
        .any(|scheme| starts(&draft.value, scheme));
    if is_web && draft.value.contains('%') {
        let plain = replaced(&draft.value, &[("%7e", "~"), ("%5f", "_")]);
        if plain != draft.value {
            draft.hit("tilde-encoded", Some(plain));
        }
    }
}

/// Whether `sign` is in the authority of an address, which it ends for some readers.
fn in_authority(value: &str, sign: char) -> bool {
    let authority = Components::parse(value.as_bytes()).authority(value.as_bytes());
    authority.is_some_and(|authority| authority.contains(&(sign as u8)))
}

fn starts(value: &str, prefix: &str) -> bool {
    value
        .get(..prefix.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(prefix))
}

/// Returns `value` with the texts of each pair, in any case, replaced.
fn replaced(value: &str, pairs: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = value;
    while let Some(c) = rest.chars().next() {
        let pair = pairs.iter().find(|(from, _)| starts(rest, from));
        match pair {
            Some((from, to)) => {
                out.push_str(to);
                rest = &rest[from.len()..];
            }
            None => {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

fn push_encoded(c: char, out: &mut String) {
    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
        // Writing to a string does not fail.
        let _ = write!(out, "%{byte:02X}");
    }
}

pub(super) fn percent_encoded(value: &str, is_encoded: impl Fn(char) -> bool) -> String {
    let mut out = String::new();
    for c in value.chars() {
        match is_encoded(c) {
            true => push_encoded(c, &mut out),
            false => out.push(c),
        }
    }
    out
}

/// The range of an IP literal, with its brackets.
fn ip_literal(value: &str) -> std::ops::Range<usize> {
    let range = Components::parse(value.as_bytes()).host_range();
    match value.get(range.clone()) {
        Some(host) if host.starts_with('[') && host.ends_with(']') => range,
        _ => 0..0,
    }
}

/// Returns `value` with A-labels in its host and `%XX` elsewhere. `None` for dashes and
/// quotes, which replace other characters.
fn ascii(value: &str) -> Option<String> {
    let is_stand_in = |c: char| matches!(c, '\u{2010}'..='\u{2015}' | '\u{2018}'..='\u{201F}' | '\u{2032}'..='\u{2034}' | '\u{2039}' | '\u{203A}' | '\u{2212}' | '\u{AB}' | '\u{B4}' | '\u{BB}' | '\u{FFFD}');
    if value.contains(is_stand_in) {
        return None;
    }
    let range = Components::parse(value.as_bytes()).host_range();
    let host = value.get(range.clone())?;
    let elsewhere = |text: &str| percent_encoded(text, |c| !c.is_ascii());
    let label = match host.is_ascii() {
        true => host.to_owned(),
        // The time for a label grows with the square of its length; real hosts are
        // shorter.
        false if host.len() > HOST_MAX => return None,
        false => idna::domain_to_ascii(host).ok()?,
    };
    Some(elsewhere(&value[..range.start]) + &label + &elsewhere(&value[range.end..]))
}

/// The longest host that may become ASCII: 253 characters of 4 bytes.
const HOST_MAX: usize = 253 * 4;

/// The number of times that an address may be encoded in another one.
const LAYERS: usize = 8;

/// Returns `value` with `%hh` for `%25hh`; `None` if `value` has no `%25hh`, or if a whole
/// address is encoded in it.
fn encoded_once(value: &str) -> Option<String> {
    let address = |text: &str| {
        let mut text = text.to_ascii_lowercase();
        for _ in 0..LAYERS {
            text = text.replace("%25", "%");
        }
        text.contains("%3a%2f")
    };
    let mut out = String::new();
    let mut rest = value;
    let mut found = false;
    while let Some(at) = rest.find("%25") {
        let after = &rest.as_bytes()[at + 3..];
        let is_twice = after.len() > 1 && after[..2].iter().all(u8::is_ascii_hexdigit);
        found |= is_twice;
        out.push_str(&rest[..at + if is_twice { 1 } else { 3 }]);
        rest = &rest[at + 3..];
    }
    out.push_str(rest);
    (found && !address(value)).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bare_values_have_no_punctuation(value in "(url:|URL:|\\(|<|\"|)[ -~“”]{0,9}[.,;:/)a]?") {
            prop_assert!(!is_bare(value.as_bytes()) || without_punctuation(&value).is_none());
        }
    }
}
