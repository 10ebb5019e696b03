//! Identifiers without a scheme. Each is read from the text as written; the end of a DOI or
//! a Handle is decided by the rules of URIs for a text in which its scheme precedes it.

mod chars;
mod host;

pub(super) use chars::Number;
use chars::{char_at, char_before, joins, prefix_of};

use super::options::Options;
use super::{start, trim};
use crate::item::IdentifierKind;
use crate::syntax::identifier::{ARCHIVES, CURRENCIES, is_currency_sign};
use crate::syntax::top_level::is_known;

/// The identifier that begins at an offset.
pub(super) enum Identifier {
    /// A whole identifier.
    Number(Number),
    /// A DOI or a Handle whose end is not known yet.
    Name(Name),
}

/// The start of a name, and the text that is judged, with a scheme before it.
pub(super) struct Name {
    pub kind: IdentifierKind,
    pub from: usize,
    pub text: Vec<u8>,
    /// The offset of the scheme in `text`, and that of the name.
    pub scheme: usize,
    pub body: usize,
    pub may_be_date: bool,
}

impl Name {
    /// Whether `text`, with its scheme, is an identifier.
    pub fn holds(&self, text: &[u8]) -> bool {
        let slash = text.iter().position(|&b| b == b'/');
        let suffix = slash.map_or(&[][..], |at| &text[at + 1..]);
        let is_word = |&b: &u8| b.is_ascii_alphanumeric() || !b.is_ascii();
        suffix.iter().any(is_word) && !(self.may_be_date && is_date(suffix))
    }
}

/// Returns the identifier whose word or first digits begin at `at`, or whose `@` is there.
pub(super) fn at(text: &[u8], at: usize, options: &Options) -> Option<Identifier> {
    let rest = &text[at..];
    let has = |kind: IdentifierKind| options.identifiers.has(kind);
    if let Some(number) = host::at(text, at).filter(|number| has(number.kind)) {
        return Some(Identifier::Number(number));
    }
    let begins = |word: &str| word_len(rest, word).is_some();
    if begins("isbn") && has(IdentifierKind::Isbn) {
        after_word(text, at, IdentifierKind::Isbn).map(Identifier::Number)
    } else if begins("issn") && has(IdentifierKind::Issn) {
        after_word(text, at, IdentifierKind::Issn).map(Identifier::Number)
    } else if begins("arxiv") && has(IdentifierKind::Arxiv) {
        arxiv(text, at).map(Identifier::Number)
    } else if begins("0000-000") || begins("0009-00") {
        let orcid = orcid(text, at).filter(|_| has(IdentifierKind::Orcid));
        orcid.map(Identifier::Number)
    } else if begins("hdl") || begins("handle:") {
        let from = handle(text, at).filter(|_| has(IdentifierKind::Handle))?;
        Some(Identifier::Name(named(
            text,
            from,
            IdentifierKind::Handle,
            options,
        )))
    } else if begins("10.") && has(IdentifierKind::Doi) {
        doi(text, at, options).map(Identifier::Name)
    } else if begins("@") && has(IdentifierKind::Email) {
        address(text, at).map(Identifier::Number)
    } else {
        None
    }
}

/// Returns the number after the one that ends at `at` in a list.
pub(super) fn next_of_list(text: &[u8], at: usize, kind: IdentifierKind) -> Option<Number> {
    let mut end = skip(text, at, "");
    if let Some(remark) = remark(text, end) {
        end = skip(text, remark, "");
    }
    let rest = text.get(end..)?;
    let mut next = end;
    if matches!(rest.first(), Some(b',' | b';' | b'/')) {
        next = skip(text, end + 1, "");
    }
    if let Some(len) = word_len(&text[next..], "and")
        && skip(text, next + len, "") > next + len
    {
        next = skip(text, next + len, "");
    }
    let number = (next > end).then(|| number(text, next, kind)).flatten()?;
    let digits = &number.uri[number.uri.len() - 8..];
    let year = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<u32>().ok();
    if let (Some(from @ 1400..=2099), Some(to @ 1400..=2099)) =
        (year(&digits[..4]), year(&digits[4..]))
        && from <= to
        && kind == IdentifierKind::Issn
    {
        return None;
    }
    Some(number)
}

/// The length of `word`, in any case, at the start of `text`.
fn word_len(text: &[u8], word: &str) -> Option<usize> {
    let head = text.get(..word.len())?;
    head.eq_ignore_ascii_case(word.as_bytes())
        .then_some(word.len())
}

/// Whether no letter or digit is before `at`, except for the tail of an escape (S4).
fn is_free(text: &[u8], at: usize) -> bool {
    !char_before(text, at).is_some_and(joins) || start::follows_escape(text, at)
}

/// Skips at most three blanks and `signs`.
fn skip(text: &[u8], at: usize, signs: &str) -> usize {
    let mut end = at;
    for _ in 0..3 {
        match char_at(text, end) {
            Some(c) if " \t\u{A0}".contains(c) || signs.contains(c) => end += c.len_utf8(),
            _ => break,
        }
    }
    end
}

/// The same before `at`.
fn skip_back(text: &[u8], at: usize, signs: &str) -> usize {
    let mut start = at;
    for _ in 0..3 {
        match char_before(text, start) {
            Some(c) if " \t\u{A0}".contains(c) || signs.contains(c) => start -= c.len_utf8(),
            _ => break,
        }
    }
    start
}

/// Returns the end of the remark in parentheses at `at`.
fn remark(text: &[u8], at: usize) -> Option<usize> {
    let body = text.get(at..)?.strip_prefix(b"(")?;
    let len = body.iter().position(|&b| b == b')')?;
    let body = &body[..len];
    let end = at + len + 2;
    let is_bad = |b: &u8| b.is_ascii_control() || b"(/\\<>\"".contains(b);
    let digits = body.iter().filter(|b| b.is_ascii_digit()).count();
    let mut chars = 0;
    let mut i = 0;
    while i < body.len() {
        let at = at + 1 + i;
        let opens_uri = body[i] == b':' && i + 1 < len && skip(text, at + 1, "") == at + 1;
        let is_host = ["www.", "ftp."]
            .iter()
            .any(|w| word_len(&text[at..], w).is_some());
        if opens_uri || is_host {
            return None;
        }
        i += char_at(text, at).map_or(1, char::len_utf8);
        chars += 1;
    }
    (chars <= 24 && digits < 8 && !body.iter().any(is_bad)).then_some(end)
}

fn is_dash(c: char) -> bool {
    c == '-' || c == '\u{2212}' || ('\u{2010}'..='\u{2015}').contains(&c)
}

/// Whether a number ends at `at`.
fn ends(text: &[u8], at: usize) -> bool {
    match char_at(text, at) {
        Some(c) if is_dash(c) => !text.get(at + c.len_utf8()).is_some_and(u8::is_ascii_digit),
        Some(c) => !joins(c),
        None => true,
    }
}

fn after_word(text: &[u8], at: usize, kind: IdentifierKind) -> Option<Number> {
    let letters = if kind == IdentifierKind::Isbn {
        "eEpP"
    } else {
        "eEpPlL"
    };
    let prefixed = char_before(text, at).is_some_and(|c| letters.contains(c));
    if !(is_free(text, at) || prefixed && is_free(text, at - 1)) {
        return None;
    }
    let word = at + 4 + usize::from(matches!(text.get(at + 4), Some(b's' | b'S')));
    let suffixes = match kind {
        IdentifierKind::Isbn => &["", "10", "-10", " 10", "13", "-13", " 13"][..],
        _ => &["", "L", "-L", " L"],
    };
    suffixes.iter().find_map(|suffix| {
        let end = word + word_len(&text[word..], suffix)?;
        let mut from = skip(text, end, ":=#");
        if let Some(remark) = remark(text, from) {
            from = skip(text, remark, ":=#");
        }
        number(text, from, kind)
    })
}

fn number(text: &[u8], from: usize, kind: IdentifierKind) -> Option<Number> {
    let lengths = match kind {
        IdentifierKind::Isbn => &[13usize, 10][..],
        _ => &[8],
    };
    lengths.iter().find_map(|&len| {
        let mut digits = Vec::new();
        let mut at = from;
        while digits.len() < len {
            let c = char_at(text, at)?;
            let between = match kind {
                IdentifierKind::Isbn => is_dash(c) || " \t\u{A0}".contains(c),
                _ => is_dash(c) && digits.len() == 4,
            };
            if between && !digits.is_empty() {
                at += c.len_utf8();
            }
            match text.get(at)? {
                b @ b'0'..=b'9' => digits.push(*b),
                b'x' | b'X' if digits.len() + 1 == len && len < 13 => digits.push(b'X'),
                _ => return None,
            }
            at += 1;
        }
        let uri = [kind.prefix().as_bytes(), &digits].concat();
        let to = at;
        (has_right_check_digit(&digits) && ends(text, to)).then_some(Number {
            kind,
            uri,
            from,
            to,
        })
    })
}

/// The value of a digit; `X` is ten.
fn value(digit: u8) -> u32 {
    char::from(digit).to_digit(10).unwrap_or(10)
}

fn has_right_check_digit(digits: &[u8]) -> bool {
    if digits.len() == 13 {
        let book = digits.starts_with(b"978") || digits.starts_with(b"979") && digits[3] != b'0';
        let weigh = |(i, &d): (usize, &u8)| value(d) * if i % 2 == 0 { 1 } else { 3 };
        return book && digits.iter().enumerate().map(weigh).sum::<u32>() % 10 == 0;
    }
    let weigh = |(i, &d): (usize, &u8)| value(d) * (digits.len() - i) as u32;
    digits.iter().enumerate().map(weigh).sum::<u32>() % 11 == 0
}

fn orcid(text: &[u8], from: usize) -> Option<Number> {
    let written = text.get(from..from + 19)?;
    let to = from + 19;
    let mut digits = Vec::new();
    for (i, &byte) in written.iter().enumerate() {
        match (i % 5, byte) {
            (4, b'-') => {}
            (0..4, b'0'..=b'9') => digits.push(byte),
            (_, b'x' | b'X') if i == 18 => digits.push(b'X'),
            _ => return None,
        }
    }
    // ISO 7064 MOD 11-2
    let sum = digits[..15]
        .iter()
        .fold(0, |sum, &d| (sum + value(d)) * 2 % 11);
    let check = (12 - sum % 11) % 11;
    let body: u64 = std::str::from_utf8(&digits[..15]).ok()?.parse().ok()?;
    let known = (15_000_000..=35_000_000).contains(&body)
        || (900_000_000_000..=900_100_000_000).contains(&body);
    let goes_on = char_before(text, from) == Some('-')
        && char_before(text, from - 1).is_some_and(|c| c.is_ascii_alphanumeric());
    let is_begun = matches!(text.get(to..), Some([b'-', next, ..]) if next.is_ascii_alphanumeric());
    let is_part = goes_on || is_begun;
    let fits = value(digits[15]) == check && known && ends(text, to) && !is_part;
    let uri = [b"https://orcid.org/", &written.to_ascii_uppercase()[..]].concat();
    let kind = IdentifierKind::Orcid;
    (fits && is_free(text, from)).then_some(Number {
        kind,
        uri,
        from,
        to,
    })
}

fn arxiv(text: &[u8], at: usize) -> Option<Number> {
    let word = at + 5;
    let from = match word_len(&text[word..], ".org/abs/") {
        Some(len) => word + len,
        None => skip(text, word, ":"),
    };
    let mut to = number_of_article(text, from)?;
    if text.get(to) == Some(&b'v') {
        let version = &text[to + 1..];
        let len = version
            .iter()
            .take(3)
            .take_while(|b| b.is_ascii_digit())
            .count();
        to += if len > 0 { len + 1 } else { 0 };
    }
    let kind = IdentifierKind::Arxiv;
    let uri = [kind.prefix().as_bytes(), &text[from..to]].concat();
    let fits = from > word && is_free(text, at) && ends(text, to);
    fits.then_some(Number {
        kind,
        uri,
        from,
        to,
    })
}

/// Returns the end of the number of an article without its version.
fn number_of_article(text: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let digits = |at: usize| {
        let rest = rest.get(at..).unwrap_or_default();
        rest.iter().take_while(|b| b.is_ascii_digit()).count()
    };
    if digits(0) == 4 && rest.get(4) == Some(&b'.') {
        let month: u32 = std::str::from_utf8(&rest[..4]).ok()?.parse().ok()?;
        let fits = match digits(5) {
            4 => (704..=1412).contains(&month),
            5 => month >= 1501,
            _ => false,
        };
        let end = from + 5 + digits(5);
        return (fits && (1..=12).contains(&(month % 100))).then_some(end);
    }
    let name = rest
        .iter()
        .take_while(|&&b| b.is_ascii_lowercase() || b == b'-')
        .count();
    let archive = std::str::from_utf8(&rest[..name]).ok()?;
    if !ARCHIVES.contains(&archive) {
        return None;
    }
    let class = match rest.get(name..name + 3) {
        Some([b'.', class @ ..]) if class.iter().all(|&b| b.is_ascii_uppercase() || b == b'-') => 3,
        _ => 0,
    };
    let slash = name + class;
    let fits = rest.get(slash) == Some(&b'/') && digits(slash + 1) == 7;
    fits.then_some(from + slash + 8)
}

/// Returns the start of the Handle after the word at `at`.
fn handle(text: &[u8], at: usize) -> Option<usize> {
    let rest = &text[at..];
    let is_weak = word_len(rest, "handle:").is_some();
    let from = if let Some(len) = word_len(rest, "handle:") {
        skip(text, at + len, ":=#")
    } else if let Some(len) = word_len(rest, "hdl.handle.net/") {
        at + len
    } else {
        skip(text, at + 3, ":=#")
    };
    let prefix = prefix(text, from)?;
    let mut parts = prefix.split(|&b| b == b'.');
    let number = parts.next()?;
    let words = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_alphanumeric);
    let least = if is_weak && number == prefix { 4 } else { 2 };
    let fits = number.len() >= least && number.iter().all(u8::is_ascii_digit);
    (fits && parts.all(words) && from > at + 3 && is_free(text, at)).then_some(from)
}

/// Returns the part before the `/`, which may be escaped, of the name at `from`.
fn prefix(text: &[u8], from: usize) -> Option<&[u8]> {
    let rest = text.get(from..)?;
    let len = rest
        .iter()
        .position(|&b| !b.is_ascii_alphanumeric() && b != b'.')?;
    let escape = rest[len..].iter().take_while(|&&b| b == b'\\').count();
    let fits = len <= 64 && escape <= 4 && rest.get(len + escape) == Some(&b'/');
    fits.then_some(&rest[..len])
}

/// Whether a DOI begins at `from`: returns its registrant.
fn registrant(text: &[u8], from: usize) -> Option<&[u8]> {
    let registrant = prefix(text, from)?.strip_prefix(b"10.")?;
    let mut parts = registrant.split(|&b| b == b'.');
    let first = parts.next()?;
    let is_number = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    let is_long = |part: &[u8], lengths: std::ops::RangeInclusive<usize>| {
        is_number(part) && lengths.contains(&part.len())
    };
    let is_book = (first == b"978" || first == b"979")
        && parts
            .clone()
            .next()
            .is_some_and(|part| is_long(part, 2..=8))
        && parts.clone().count() == 1;
    (is_book || is_long(first, 4..=9) && parts.all(is_number)).then_some(registrant)
}

fn doi(text: &[u8], from: usize, options: &Options) -> Option<Name> {
    let registrant = registrant(text, from)?;
    let before = &text[..from];
    let is_fraction = matches!(before, [.., b'0'..=b'9', b'.']);
    if is_fraction || !is_free(text, from) {
        return None;
    }
    let ends_in = |end: usize, word: &str| {
        let start = end.checked_sub(word.len());
        start.is_some_and(|start| {
            word_len(&text[start..end], word).is_some()
                && !char_before(text, start).is_some_and(joins)
        })
    };
    let introduced = ends_in(from, "doi.org/") || ends_in(skip_back(text, from, ":=#"), "doi");
    let mut end = skip_back(text, from, "");
    let sign = char_before(text, end).is_some_and(is_currency_sign);
    end -= usize::from(char_before(text, end) == Some('.'));
    let priced = sign || CURRENCIES.iter().any(|word| ends_in(end, word));
    if priced && !introduced {
        return None;
    }
    let is_year =
        |text: &[u8]| text.len() == 4 && (text.starts_with(b"19") || text.starts_with(b"20"));
    Some(Name {
        may_be_date: !introduced && is_year(registrant),
        ..named(text, from, IdentifierKind::Doi, options)
    })
}

/// Whether `suffix` is a date that begins with a month or a year.
fn is_date(suffix: &[u8]) -> bool {
    let parts: Vec<_> = suffix.split(|b| b".-/".contains(b)).collect();
    let number = |part: &&[u8]| match part.len() {
        1..=4 => std::str::from_utf8(part)
            .ok()?
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then_some(()),
        _ => None,
    };
    if suffix.len() > 10 || !parts.iter().all(|part| number(part).is_some()) {
        return false;
    }
    let first: u32 = std::str::from_utf8(parts[0])
        .unwrap_or_default()
        .parse()
        .unwrap_or(0);
    match parts[0].len() {
        4 => (1900..=2099).contains(&first),
        1 | 2 => (1..=12).contains(&first),
        _ => false,
    }
}

/// Returns the name at `from` as the rules of URIs judge it: with its scheme, and without
/// the next DOI of a list.
fn named(text: &[u8], from: usize, kind: IdentifierKind, options: &Options) -> Name {
    let mut rest = &text[from..];
    if kind == IdentifierKind::Doi {
        let far = rest
            .len()
            .min(options.max_length.max(1024).saturating_add(256));
        let follows = |&at: &usize| {
            b",;".contains(&rest[at - 1])
                && trim::kept_reference(&rest[..at]).is_none()
                && registrant(&rest[..far], at).is_some()
        };
        if let Some(next) = (1..far).find(follows) {
            rest = &rest[..next - 1];
        }
    }
    let emphasis = text[..from].last().copied().filter(|b| b"_~".contains(b));
    let before: Vec<u8> = emphasis.into_iter().collect();
    let scheme = before.len();
    let head = [&before[..], kind.prefix().as_bytes()].concat();
    Name {
        kind,
        from,
        body: head.len(),
        text: [&head[..], rest].concat(),
        scheme,
        may_be_date: false,
    }
}

/// I12: the address whose `@` is at `at`.
fn address(text: &[u8], at: usize) -> Option<Number> {
    let after = &text[at + 1..];
    let is_name = |c: char| joins(c) || ".-".contains(c);
    let mut host = prefix_of(after, is_name);
    if let Some(dots) = host.windows(2).position(|pair| pair == b"..") {
        host = &host[..dots + 1];
    }
    let is_short = host.len() < 255;
    let is_sign = |b: &&u8| b".-".contains(*b);
    host = &host[..host.len() - host.iter().rev().take_while(is_sign).count()];
    let labels: Vec<_> = host.split(|&b| b == b'.').collect();
    let fits = |label: &&[u8]| {
        let hyphens = label.first() == Some(&b'-') || label.last() == Some(&b'-');
        !label.is_empty() && label.len() < 64 && !hyphens
    };
    let is_host = labels.len() > 1 && labels.iter().all(fits) && is_short;
    if !is_host || !is_known(labels[labels.len() - 1]) {
        return None;
    }
    let to = at + 1 + host.len();
    let next = text.get(to).copied();
    let is_path = |b: &u8| b.is_ascii_alphanumeric() || b"/~._:".contains(b);
    if matches!(next, Some(b'@' | b'('))
        || next == Some(b':') && text.get(to + 1).is_some_and(is_path)
    {
        return None;
    }
    let from = local_part(text, at, next)?;
    // In `<…>` a name is whole.
    let begun = text[..from].iter().rposition(|b| *b == b'<');
    let head = &text[begun.map_or(from, |at| at + 1)..from];
    let atom = |b: &u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(b);
    if next == Some(b'>') && (1..=64).contains(&head.len()) && head.iter().all(atom) {
        return None;
    }
    let kind = IdentifierKind::Email;
    let uri = [b"mailto:", &text[from..to]].concat();
    Some(Number {
        kind,
        uri,
        from,
        to,
    })
}

/// Returns the start of the part before the `@` at `at`, of an address that `next` follows.
fn local_part(text: &[u8], at: usize, next: Option<u8>) -> Option<usize> {
    let mut run = at;
    while let Some(c) = char_before(text, run).filter(|&c| joins(c) || "._+-~'".contains(c)) {
        run -= c.len_utf8();
    }
    let escape = start::escape_tail(text, run, at);
    let is_void = match text[..run] {
        [.., b'@' | b'&' | b'$' | b'}'] | [.., b'/', b'/'] => true,
        [.., b'%'] => escape == 0,
        [.., b'!' | b'#' | b'*' | b'?' | b'^'] => char_before(text, run - 1).is_some_and(joins),
        _ => false,
    };
    if is_void || at - run > 64 {
        return None;
    }
    let code = match &text[run..run + escape] {
        [b'u', digits @ ..] => std::str::from_utf8(digits).ok(),
        _ => None,
    };
    let code = code.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    if code.and_then(char::from_u32).is_some_and(joins) {
        return None;
    }
    let mut from = run + escape;
    // The last sign that does not belong to a name.
    let letter = |at: usize| text[at].is_ascii_alphabetic();
    let parts = |i: usize| match text[i] {
        b'\'' => i == run + escape || next == Some(b'\'') || !letter(i - 1) || !letter(i + 1),
        b'.' => text[i + 1] == b'.',
        _ => false,
    };
    if let Some(last) = (from..at).rev().find(|&i| parts(i)) {
        from = last + 1;
    }
    let dropped = if next == Some(b'_') { "._+-~" } else { ".+-~" };
    while dropped.as_bytes().contains(&text[from]) {
        from += 1;
    }
    let is_open = next == Some(b'_') && !text[..from].ends_with(b"_");
    let word = |b: &u8| b.is_ascii_alphanumeric() || *b > 0x7F;
    let is_atom = !text[..at].ends_with(b".") && text[from..at].iter().any(word);
    (is_atom && !is_open).then_some(from)
}
