//! Identifiers that are names: DOIs, Handles and the articles of arXiv. The end of a DOI
//! or a Handle is left to the rules of URIs.

use super::ahead::{Ahead, blanks_before, char_before, gap_before, is_word_before, may_begin};
use super::found::{Identified, push};
use crate::item::IdentifierKind;
use crate::syntax::identifier::{ARCHIVES, CURRENCIES, is_currency_sign};

/// The greatest length of the part before the first `/` of a DOI or Handle.
const PREFIX_MAX: usize = 64;

/// The greatest length of a date after a prefix that may be the beginning of the date.
const DATE_MAX: usize = 10;

/// The start of a name, and what may void it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NameStart {
    pub at: usize,
    /// The prefix may be a month and a year: a date after it voids the name.
    pub may_be_date: bool,
}

/// Returns the start of the DOI whose `10.` is at `at`.
pub(super) fn doi(ahead: &mut Ahead, at: usize) -> Option<NameStart> {
    let text = ahead.text;
    let is_fraction = at > 1 && text[at - 1] == b'.' && text[at - 2].is_ascii_digit();
    if is_fraction || !may_begin(text, at) {
        return None;
    }
    let registrant = doi_prefix(ahead, at)?;
    let is_introduced = is_introduced(text, at);
    if !is_introduced && is_price(text, at) {
        return None;
    }
    let registrant = &text[at + 3..registrant];
    let is_year =
        registrant.len() == 4 && matches!(registrant, [b'1', b'9', ..] | [b'2', b'0', ..]);
    Some(NameStart {
        at,
        may_be_date: is_year && !is_introduced,
    })
}

/// Returns the end of the prefix of a DOI at `at`, which a `/` follows.
pub(super) fn doi_prefix(ahead: &mut Ahead, at: usize) -> Option<usize> {
    let start = ahead.word(at, "10.")?;
    let number = ahead.digits(start, 10);
    if !(4..=9).contains(&(number - start)) {
        return actionable_isbn(ahead, start);
    }
    let mut end = number;
    while ahead.byte(end) == Some(b'.') && end - at < PREFIX_MAX {
        let next = ahead.digits(end + 1, PREFIX_MAX);
        if next == end + 1 {
            return None;
        }
        end = next;
    }
    (end - at <= PREFIX_MAX && slash(ahead, end)).then_some(end)
}

/// `97[89].d{2,8}/`: the prefix of an ISBN-A after `10.`.
fn actionable_isbn(ahead: &mut Ahead, start: usize) -> Option<usize> {
    let dot = ahead
        .word(start, "978")
        .or_else(|| ahead.word(start, "979"))?;
    let number = ahead.word(dot, ".")?;
    let end = ahead.digits(number, 9);
    ((2..=8).contains(&(end - number)) && slash(ahead, end)).then_some(end)
}

/// Whether a `/`, perhaps escaped (B5), is at `at`.
fn slash(ahead: &mut Ahead, at: usize) -> bool {
    let escape = (0..5)
        .take_while(|i| ahead.byte(at + i) == Some(b'\\'))
        .count();
    escape <= 4 && ahead.byte(at + escape) == Some(b'/')
}

/// Whether `doi` or `doi.org/` is before `at`.
fn is_introduced(text: &[u8], at: usize) -> bool {
    is_word_before(text, at, "doi.org/") || is_word_before(text, gap_before(text, at), "doi")
}

/// Whether `text` is only the word before an identifier, or the prefix of such a word:
/// `doi: `, `orcid.org/`, `e-`.
pub(super) fn is_label(text: &[u8]) -> bool {
    let is_one_of = |labels: &[&str], text: &[u8]| {
        labels
            .iter()
            .any(|label| text.eq_ignore_ascii_case(label.as_bytes()))
    };
    is_one_of(&["", "e", "p", "l", "e-", "p-", "l-"], text)
        || is_one_of(&["doi.org/", "dx.doi.org/", "orcid.org/"], text)
        || is_one_of(&["doi", "orcid"], &text[..gap_before(text, text.len())])
}

/// Whether a currency is before `at`.
fn is_price(text: &[u8], at: usize) -> bool {
    let end = blanks_before(text, at);
    match char_before(text, end) {
        Some(sign) if is_currency_sign(sign) => true,
        Some('.') => CURRENCIES
            .iter()
            .any(|word| is_word_before(text, end - 1, word)),
        _ => CURRENCIES
            .iter()
            .any(|word| is_word_before(text, end, word)),
    }
}

/// Whether the part after the first `/` of a name is a month or a year, or a date that
/// begins with one.
pub(super) fn is_date(suffix: &[u8]) -> bool {
    let mut parts = suffix.split(|byte| matches!(byte, b'.' | b'-' | b'/'));
    let is_number =
        |part: &[u8]| (1..=4).contains(&part.len()) && part.iter().all(u8::is_ascii_digit);
    let first = parts.next().unwrap_or_default();
    let is_month = match first {
        [month] | [b'0', month] => (b'1'..=b'9').contains(month),
        [b'1', month] => (b'0'..=b'2').contains(month),
        _ => false,
    };
    let is_year = first.len() == 4 && (first.starts_with(b"19") || first.starts_with(b"20"));
    suffix.len() <= DATE_MAX && is_number(first) && (is_month || is_year) && parts.all(is_number)
}

/// Returns the start of the Handle whose word `hdl` or `handle:` begins at `at`.
pub(super) fn handle(ahead: &mut Ahead, at: usize) -> Option<NameStart> {
    if !may_begin(ahead.text, at) {
        return None;
    }
    let (start, is_weak) = match ahead.word(at, "handle:") {
        Some(end) => (ahead.gap(end), true),
        None => match ahead.word(at, "hdl.handle.net/") {
            Some(end) => (end, false),
            None => {
                let end = ahead.word(at, "hdl")?;
                let start = ahead.gap(end);
                if start == end {
                    return None;
                }
                (start, false)
            }
        },
    };
    let number = ahead.digits(start, PREFIX_MAX);
    let mut end = number;
    while ahead.byte(end) == Some(b'.') && end - start < PREFIX_MAX {
        let from = end + 1;
        end = from;
        while end < from + PREFIX_MAX && ahead.byte(end).is_some_and(|b| b.is_ascii_alphanumeric())
        {
            end += 1;
        }
        if end == from {
            return None;
        }
    }
    let least = if is_weak && end == number { 4 } else { 2 };
    let fits = number - start >= least && end - start <= PREFIX_MAX && slash(ahead, end);
    fits.then_some(NameStart {
        at: start,
        may_be_date: false,
    })
}

/// Reads the article whose word `arXiv` begins at `at`.
pub(super) fn arxiv(ahead: &mut Ahead, at: usize, uri: &mut Vec<u8>) -> Option<Identified> {
    if !may_begin(ahead.text, at) {
        return None;
    }
    let word = ahead.word(at, "arxiv")?;
    let start = match ahead.word(word, ".org/abs/") {
        Some(start) => start,
        None => {
            let mut start = word;
            for _ in 0..3 {
                start = match ahead.byte(start) {
                    Some(b':') => start + 1,
                    _ => ahead.is_blank(start).unwrap_or(start),
                };
            }
            if start == word {
                return None;
            }
            start
        }
    };
    let number = numbered(ahead, start).or_else(|| archived(ahead, start))?;
    let mut end = number;
    if ahead.byte(end) == Some(b'v') {
        let version = ahead.digits(end + 1, 3);
        if version > end + 1 {
            end = version;
        }
    }
    if !ahead.ends_number(end) {
        return None;
    }
    push(IdentifierKind::Arxiv, &ahead.text[start..end], uri);
    Some(Identified::new(IdentifierKind::Arxiv, start..end))
}

/// `YYMM.NNNN` from April 2007 to December 2014, `YYMM.NNNNN` since.
fn numbered(ahead: &mut Ahead, at: usize) -> Option<usize> {
    let dot = ahead.digits(at, 4);
    if dot != at + 4 || ahead.byte(dot) != Some(b'.') {
        return None;
    }
    let end = ahead.digits(dot + 1, 6);
    let month = &ahead.text[at..dot];
    if !matches!(&month[2..], [b'0', b'1'..=b'9'] | [b'1', b'0'..=b'2']) {
        return None;
    }
    let fits = match end - dot - 1 {
        4 => (&b"0704"[..]..=b"1412").contains(&month),
        5 => month >= &b"1501"[..],
        _ => false,
    };
    fits.then_some(end)
}

/// `hep-th/9901001`, `math.GT/0309136`
fn archived(ahead: &mut Ahead, at: usize) -> Option<usize> {
    let mut end = at;
    while end < at + 9 && matches!(ahead.byte(end), Some(b'a'..=b'z' | b'-')) {
        end += 1;
    }
    let name = &ahead.text[at..end];
    if !ARCHIVES.iter().any(|archive| archive.as_bytes() == name) {
        return None;
    }
    if ahead.byte(end) == Some(b'.') {
        let is_class = |byte: Option<u8>| byte.is_some_and(|b| b.is_ascii_uppercase() || b == b'-');
        if !is_class(ahead.byte(end + 1)) || !is_class(ahead.byte(end + 2)) {
            return None;
        }
        end += 3;
    }
    if ahead.byte(end) != Some(b'/') {
        return None;
    }
    let last = ahead.digits(end + 1, 8);
    (last == end + 8).then_some(last)
}
