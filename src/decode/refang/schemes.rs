//! Disguised schemes, and what means `://` (I8, I9).

use super::marks;
use super::sight::{Sight, is_break};

/// The words for http; with an `s` behind them they are for https.
const HTTP: [&str; 12] = [
    "hxxp", "htxp", "hxtp", "hzzp", "hxxx", "h**p", "h__p", "ht_tp", "htp", "hxp", "meow", "xxxx",
];

/// The words for other schemes.
const OTHERS: [(&str, &str); 4] = [
    ("fxp", "ftp"),
    ("ftx", "ftp"),
    ("sxtp", "sftp"),
    ("sftx", "sftp"),
];

/// The words for schemes, each with its last bytes, which most texts do not have.
const DISGUISED: [(&str, [u8; TAIL]); HTTP.len() + OTHERS.len()] = {
    let mut rows = [("", [0; TAIL]); HTTP.len() + OTHERS.len()];
    let mut row = 0;
    while row < rows.len() {
        let word = match row < HTTP.len() {
            true => HTTP[row],
            false => OTHERS[row - HTTP.len()].0,
        };
        rows[row] = match word.as_bytes().last_chunk() {
            Some(tail) => (word, *tail),
            None => panic!("a word is too short"),
        };
        row += 1;
    }
    rows
};

/// The letters with which a scheme begins, disguised or not, in lower case: a bit for each.
const FIRSTS: u32 = {
    let mut firsts = 0;
    let mut row = 0;
    while row < DISGUISED.len() + PLAIN.len() {
        let word = match row < DISGUISED.len() {
            true => DISGUISED[row].0,
            false => PLAIN[row - DISGUISED.len()],
        };
        firsts |= letter(word.as_bytes()[0]);
        row += 1;
    }
    firsts
};

/// Whether a scheme may begin with `byte`, disguised or not.
pub(super) const fn begins_scheme(byte: u8) -> bool {
    FIRSTS & letter(byte) != 0
}

/// Returns the bit of a letter, in any case; none for another byte.
const fn letter(byte: u8) -> u32 {
    match byte.to_ascii_lowercase() {
        byte @ b'a'..=b'z' => 1 << (byte - b'a'),
        _ => 0,
    }
}

/// The number of bytes of the shortest word for a scheme.
const TAIL: usize = 3;

/// The schemes that may be in brackets, or have a weak separator beside a strong mark. The
/// longer of two is first.
const PLAIN: [&str; 5] = ["https", "http", "ftps", "ftp", "sftp"];

/// Most bytes behind a weak separator in which a dot is looked for.
const HOST_SIGHT: usize = 256;

/// Most blanks behind a separator.
const BLANKS: usize = 8;

/// Most blanks between the letters of a scheme.
const LETTER_BLANKS: usize = 2;

/// A scheme and the text after it up to the authority.
#[derive(Clone, Copy, Debug)]
pub(super) struct SchemeMark {
    /// The end of the scheme, where the separator begins.
    pub scheme_end: usize,
    pub scheme: &'static str,
    pub separator: Option<SeparatorMark>,
}

/// A text that means `://`.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeparatorMark {
    pub end: usize,
    /// It is not `://`.
    pub is_marked: bool,
    /// It is `:\\`: backslashes in the path are slashes.
    pub backslashes: bool,
}

/// Returns the disguised scheme at `at` and its separator. `is_apart`: no letter or digit is
/// before it.
pub(super) fn disguised(sight: &mut Sight, at: usize, is_apart: bool) -> Option<SchemeMark> {
    let first = sight.byte(at)?.to_ascii_lowercase();
    if first == b'[' || first == b'(' || first == b'{' {
        return bracketed(sight, at);
    }
    let of_http = HTTP.into_iter().map(|word| (word, "http"));
    for (word, scheme) in of_http.chain(OTHERS) {
        if word.as_bytes()[0] != first || !is_apart && word != "hxxp" {
            continue;
        }
        let Some(end) = sight.word(at, word) else {
            continue;
        };
        let with_s = (scheme == "http" && sight.any_of(end, b"sS")).then_some((end + 1, "https"));
        for (end, scheme) in [with_s, Some((end, scheme))].into_iter().flatten() {
            let separator = separator(sight, end, |sight, from| has_dot(sight, from, false));
            // A colon alone is enough for the commonest one.
            if separator.is_some() || word == "hxxp" && begins_colon(sight, end) {
                return Some(SchemeMark {
                    scheme_end: end,
                    scheme,
                    separator,
                });
            }
        }
    }
    match is_apart {
        true => weakly_separated(sight, at).or_else(|| spaced(sight, at)),
        false => None,
    }
}

fn begins_colon(sight: &mut Sight, at: usize) -> bool {
    sight.any_of(at, b":\\") || sight.is(at, b'[') && sight.is(at + 1, b':')
}

/// Returns a scheme in brackets, such as `[http]`.
fn bracketed(sight: &mut Sight, at: usize) -> Option<SchemeMark> {
    let (scheme_end, scheme) = in_brackets(sight, at)?;
    let separator = separator(sight, scheme_end, |sight, from| has_dot(sight, from, false))?;
    Some(SchemeMark {
        scheme_end,
        scheme,
        separator: Some(separator),
    })
}

/// Returns the end of the brackets at `at` with a scheme inside, and the scheme.
pub(super) fn in_brackets(sight: &mut Sight, at: usize) -> Option<(usize, &'static str)> {
    let (end, scheme) = all_words(sight, at + 1).find(|(end, _)| sight.any_of(*end, b"])}"))?;
    Some((end + 1, scheme))
}

/// Whether a disguised scheme may end where `text` does, its letters together or apart.
pub(super) fn may_end(text: &[u8]) -> bool {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let blanks = text.iter().rev().take_while(|byte| is_blank(byte)).count();
    let [before @ .., last] = &text[..text.len() - blanks] else {
        return false;
    };
    if !matches!(last.to_ascii_lowercase(), b'p' | b'x' | b'w' | b's') {
        return false;
    }
    if blanks > 0 || before.last().is_some_and(is_blank) {
        return before.last().is_some_and(is_blank);
    }
    let without_s = match last.eq_ignore_ascii_case(&b's') {
        true => before,
        false => text,
    };
    let Some(last) = without_s.last_chunk() else {
        return false;
    };
    let last: [u8; TAIL] = last.map(|byte| byte.to_ascii_lowercase());
    let mut ending = DISGUISED.iter().filter(|word| word.1 == last);
    ending.any(|(word, _)| {
        let from = without_s.len().checked_sub(word.len());
        from.is_some_and(|from| without_s[from..].eq_ignore_ascii_case(word.as_bytes()))
    })
}

/// Returns the ends of the schemes that may be read at `at`, disguised or not.
fn all_words(sight: &mut Sight, at: usize) -> impl Iterator<Item = (usize, &'static str)> + use<> {
    let mut found = [None; 3];
    if !sight.byte(at).is_some_and(begins_scheme) {
        return found.into_iter().flatten();
    }
    let plain = PLAIN.into_iter().map(|word| (word, word));
    let of_http = HTTP.into_iter().map(|word| (word, "http"));
    let mut word = |word: &str| sight.word(at, word);
    if let Some((end, scheme)) = plain
        .chain(of_http)
        .chain(OTHERS)
        .find_map(|(text, scheme)| Some((word(text)?, scheme)))
    {
        found[0] = Some((end, scheme));
        if scheme == "http" && sight.any_of(end, b"sS") {
            found[1] = Some((end + 1, "https"));
        }
    }
    found.into_iter().flatten()
}

/// I9: returns a scheme that is written as it is, with a weak separator, if a strong mark is in
/// the host behind it.
fn weakly_separated(sight: &mut Sight, at: usize) -> Option<SchemeMark> {
    let (end, scheme) = PLAIN
        .into_iter()
        .find_map(|word| Some((sight.word(at, word)?, word)))?;
    if sight.is(end, b':') && !sight.any_of(end + 3, b" \t") {
        return None;
    }
    let separator = separator(sight, end, |sight, from| has_dot(sight, from, true))?;
    separator.is_marked.then_some(SchemeMark {
        scheme_end: end,
        scheme,
        separator: Some(separator),
    })
}

/// Returns a scheme whose letters are apart: `h x x p : / /`.
fn spaced(sight: &mut Sight, at: usize) -> Option<SchemeMark> {
    if !sight.any_of(at + 1, b" \t") {
        return None;
    }
    let plain = PLAIN.into_iter().map(|word| (word, word));
    let of_http = HTTP.into_iter().map(|word| (word, "http"));
    for (word, scheme) in plain.chain(of_http).chain(OTHERS) {
        let mut end = at;
        let mut letters = word.bytes().enumerate();
        let is_there = letters.all(|(number, letter)| {
            let from = match number {
                0 => end,
                _ => sight.blanks(end, LETTER_BLANKS),
            };
            let is_apart = number == 0 || from > end;
            end = from + 1;
            let byte = sight.byte(from);
            is_apart && byte.is_some_and(|byte| byte.eq_ignore_ascii_case(&letter))
        });
        if !is_there {
            continue;
        }
        let s = sight.blanks(end, LETTER_BLANKS);
        let with_s = scheme == "http" && s > end && sight.any_of(s, b"sS");
        let (end, scheme) = match with_s {
            true => (s + 1, "https"),
            false => (end, scheme),
        };
        let mut to = end;
        let is_separated = b"://".iter().all(|&sign| {
            let from = sight.blanks(to, LETTER_BLANKS);
            to = from + 1;
            sight.is(from, sign)
        });
        let to = sight.blanks(to, BLANKS);
        if is_separated && sight.begins_label(to) && has_dot(sight, to, false) {
            return Some(SchemeMark {
                scheme_end: end,
                scheme,
                separator: Some(SeparatorMark {
                    end: to,
                    is_marked: true,
                    backslashes: false,
                }),
            });
        }
    }
    None
}

/// Returns the separator at `at`. A weak one counts if `may_be_host` accepts the text behind
/// it.
fn separator(
    sight: &mut Sight,
    at: usize,
    may_be_host: impl Fn(&mut Sight, usize) -> bool,
) -> Option<SeparatorMark> {
    let strong = strong_separator(sight, at);
    let (from, weak) = match strong {
        Some(strong) => (strong.end, sight.blanks(strong.end, BLANKS)),
        None if sight.is(at, b'/') && sight.is(at + 1, b'/') => (at, at + 2),
        None if sight.is(at, b'_') && sight.is(at + 1, b'_') => (at, at + 2),
        None => return None,
    };
    if weak > from && sight.begins_label(weak) && may_be_host(sight, weak) {
        return Some(SeparatorMark {
            end: weak,
            is_marked: true,
            backslashes: strong.is_some_and(|strong| strong.backslashes),
        });
    }
    strong
}

/// Returns the `://` at `at`, whose signs may be in brackets or references, or `:\\`.
pub(super) fn strong_separator(sight: &mut Sight, at: usize) -> Option<SeparatorMark> {
    let mut end = at;
    let mut left = &b"://"[..];
    let mut is_marked = false;
    while let Some(&sign) = left.first() {
        let is_colon_read = left.len() == 2;
        if is_colon_read
            && sight.is(end, b'\\')
            && sight.is(end + 1, b'\\')
            && sight.begins_label(end + 2)
        {
            return Some(SeparatorMark {
                end: end + 2,
                is_marked: true,
                backslashes: true,
            });
        }
        if let Some((next, is_reference)) = sign_at(sight, end, sign) {
            is_marked |= is_reference;
            end = next;
            left = &left[1..];
        } else if sight.any_of(end, b"[({") {
            let mut inside = end + 1;
            while let Some((next, _)) = left.first().and_then(|&sign| sign_at(sight, inside, sign))
            {
                inside = next;
                left = &left[1..];
            }
            if inside == end + 1 || !sight.any_of(inside, b"])}") {
                return None;
            }
            is_marked = true;
            end = inside + 1;
        } else {
            return None;
        }
    }
    Some(SeparatorMark {
        end,
        is_marked,
        backslashes: false,
    })
}

/// Returns the end of the separator at `at` behind a scheme that is written as it is; blanks may
/// be behind one with a mark.
pub(super) fn behind_scheme(sight: &mut Sight, at: usize) -> Option<SeparatorMark> {
    let strong = strong_separator(sight, at)?;
    match strong.is_marked {
        true => separator(sight, at, |sight, from| has_dot(sight, from, false)),
        false => Some(strong),
    }
}

/// Returns the end of `sign` at `at`, which may be escaped (`\/`) or a reference, and whether it
/// is a reference.
fn sign_at(sight: &mut Sight, at: usize, sign: u8) -> Option<(usize, bool)> {
    match sight.byte(at)? {
        byte if byte == sign => Some((at + 1, false)),
        b'\\' if sign == b'/' => {
            let escapes = 1 + usize::from(sight.is(at + 1, b'\\'));
            sight
                .is(at + escapes, b'/')
                .then_some((at + escapes + 1, false))
        }
        b'&' => marks::reference(sight, at, sign).map(|end| (end, true)),
        _ => None,
    }
}

/// Whether the host at `at` has a dot, or with `strongly` a strong mark for one.
fn has_dot(sight: &mut Sight, at: usize, strongly: bool) -> bool {
    for place in at..at + HOST_SIGHT {
        let Some(byte) = sight.byte(place) else {
            return false;
        };
        match byte {
            b'/' | b'?' | b'#' => return false,
            byte if is_break(byte) => return false,
            b'.' if !strongly => return true,
            b'[' | b'(' | b'{' | b'&'
                if marks::dot(sight, place, ' ').is_some_and(|dot| dot.is_strong) =>
            {
                return true;
            }
            _ => {}
        }
    }
    false
}
