//! Identifiers that are numbers with a check digit: ISBN, ISSN and ORCID, and the lists
//! of them after one word.

use super::ahead::{Ahead, char_before, may_begin};
use super::found::{Identified, push};
use crate::item::IdentifierKind;
use crate::syntax::check_digit::{is_mod_11, is_mod_11_2, mod_10};
use std::ops::RangeInclusive;

/// The digits of the ranges from which ORCIDs are taken, without the check digit.
const ORCIDS: [RangeInclusive<&[u8; 15]>; 2] = [
    b"000000015000000"..=b"000000035000000",
    b"000900000000000"..=b"000900100000000",
];

/// Reads the ISBN or ISSN whose word begins at `at`.
pub(super) fn after_word(
    ahead: &mut Ahead,
    at: usize,
    kind: IdentifierKind,
    uri: &mut Vec<u8>,
) -> Option<Identified> {
    let text = ahead.text;
    let prefixes: &[u8] = match kind {
        IdentifierKind::Isbn => b"ep",
        _ => b"epl",
    };
    let is_prefix = |byte: u8| prefixes.contains(&byte.to_ascii_lowercase());
    let begins =
        may_begin(text, at) || at > 0 && is_prefix(text[at - 1]) && may_begin(text, at - 1);
    if !begins {
        return None;
    }
    let mut end = ahead.word(at, kind.name())?;
    if matches!(ahead.byte(end), Some(b's' | b'S')) {
        end += 1;
    }
    let ends = [Some(end), suffix(ahead, end, kind)];
    ends.into_iter().flatten().find_map(|end| {
        let mut number = ahead.gap(end);
        if let Some(remark) = ahead.remark(number) {
            number = ahead.gap(remark);
        }
        read(ahead, number, kind, uri)
    })
}

/// Returns the end of `-13`, `10` after ISBN or of `-L` after ISSN.
fn suffix(ahead: &mut Ahead, at: usize, kind: IdentifierKind) -> Option<usize> {
    let at = match ahead.byte(at)? {
        b'-' | b' ' => at + 1,
        _ => at,
    };
    match kind {
        IdentifierKind::Isbn => ahead.word(at, "10").or_else(|| ahead.word(at, "13")),
        _ => ahead.word(at, "L"),
    }
}

/// Reads the number that follows another one, which ends at `at`, in a list.
pub(super) fn next_of_list(
    ahead: &mut Ahead,
    at: usize,
    kind: IdentifierKind,
    uri: &mut Vec<u8>,
) -> Option<Identified> {
    let mut end = ahead.blanks(at);
    if let Some(remark) = ahead.remark(end) {
        end = ahead.blanks(remark);
    }
    let separator = end;
    if matches!(ahead.byte(end), Some(b',' | b';' | b'/')) {
        end = ahead.blanks(end + 1);
    }
    if let Some(word) = ahead.word(end, "and")
        && ahead.is_blank(word).is_some()
    {
        end = ahead.blanks(word);
    }
    if end == separator {
        return None;
    }
    let found = read(ahead, end, kind, uri)?;
    let is_span = kind == IdentifierKind::Issn && is_span_of_years(&uri[uri.len() - 8..]);
    (!is_span).then_some(found)
}

/// Whether the eight digits of an ISSN are rather two years.
fn is_span_of_years(digits: &[u8]) -> bool {
    let (from, to) = digits.split_at(4);
    let is_year = |year: &[u8]| (&b"1400"[..]..=b"2099").contains(&year) && year[3] != b'X';
    is_year(from) && is_year(to) && from <= to
}

fn read(
    ahead: &mut Ahead,
    at: usize,
    kind: IdentifierKind,
    uri: &mut Vec<u8>,
) -> Option<Identified> {
    let end = match kind {
        IdentifierKind::Isbn => {
            let (digits, len, end) = isbn(ahead, at)?;
            push(kind, &digits[..len], uri);
            end
        }
        _ => {
            let (digits, end) = issn(ahead, at)?;
            push(kind, &digits, uri);
            end
        }
    };
    Some(Identified::new(kind, at..end))
}

/// Returns the digits of the ISBN at `at`, their number, and its end.
fn isbn(ahead: &mut Ahead, at: usize) -> Option<([u8; 13], usize, usize)> {
    let (mut digits, mut ends) = ([0; 13], [0; 13]);
    let (mut len, mut next) = (0, at);
    while len < digits.len() {
        let digit = match ahead.byte(next) {
            Some(byte @ b'0'..=b'9') => byte,
            Some(b'x' | b'X') if len == 9 => b'X',
            _ => break,
        };
        (digits[len], ends[len]) = (digit, next + 1);
        len += 1;
        next += 1;
        if digit == b'X' {
            break;
        }
        if let Some(after) = ahead.dash(next).or_else(|| ahead.is_blank(next)) {
            next = after;
        }
    }
    [13, 10].into_iter().find_map(|count| {
        let end = ends[count - 1];
        let fits = count <= len && is_isbn(&digits[..count]) && ahead.ends_number(end);
        fits.then_some((digits, count, end))
    })
}

fn is_isbn(digits: &[u8]) -> bool {
    match digits {
        [b'9', b'7', b'8', ..] | [b'9', b'7', b'9', b'1'..=b'9', ..] if digits.len() == 13 => {
            mod_10(&digits[..12]) == digits[12]
        }
        _ => digits.len() == 10 && is_mod_11(digits),
    }
}

/// Returns the digits of the ISSN at `at`, and its end.
fn issn(ahead: &mut Ahead, at: usize) -> Option<([u8; 8], usize)> {
    let half = ahead.digits(at, 4);
    let rest = ahead.dash(half).unwrap_or(half);
    let last = ahead.digits(rest, 3);
    if half != at + 4 || last != rest + 3 {
        return None;
    }
    let check = ahead.byte(last)?.to_ascii_uppercase();
    if !check.is_ascii_digit() && check != b'X' {
        return None;
    }
    let text = ahead.text;
    let mut digits = [check; 8];
    digits[..4].copy_from_slice(&text[at..half]);
    digits[4..7].copy_from_slice(&text[rest..last]);
    (is_mod_11(&digits) && ahead.ends_number(last + 1)).then_some((digits, last + 1))
}

/// Reads the ORCID at `at`.
pub(super) fn orcid(ahead: &mut Ahead, at: usize, uri: &mut Vec<u8>) -> Option<Identified> {
    let text = ahead.text;
    let goes_on = at > 1
        && text[at - 1] == b'-'
        && char_before(text, at - 1).is_some_and(|c| c.is_ascii_alphanumeric());
    if goes_on || !may_begin(text, at) {
        return None;
    }
    let mut digits = [0; 16];
    let mut next = at;
    for (number, digit) in digits.iter_mut().enumerate() {
        if number > 0 && number % 4 == 0 {
            if ahead.byte(next) != Some(b'-') {
                return None;
            }
            next += 1;
        }
        *digit = match ahead.byte(next)? {
            b'x' | b'X' if number == 15 => b'X',
            byte if byte.is_ascii_digit() => byte,
            _ => return None,
        };
        next += 1;
    }
    let body = digits.first_chunk()?;
    let is_known = ORCIDS.iter().any(|range| range.contains(&body));
    let is_part = ahead.byte(next) == Some(b'-')
        && ahead
            .byte(next + 1)
            .is_some_and(|byte| byte.is_ascii_alphanumeric());
    if !is_known || !is_mod_11_2(&digits) || is_part || !ahead.ends_number(next) {
        return None;
    }
    push(IdentifierKind::Orcid, &text[at..next - 1], uri);
    uri.push(digits[15]);
    Some(Identified::new(IdentifierKind::Orcid, at..next))
}
