//! The marks that stand for a sign of a host, a path or an address (I8), each with its end.

use super::sight::Sight;

/// The words that stand for a dot between brackets.
const DOTS: [&str; 6] = [".", "dot", "d0t", "punkt", "punto", ","];

/// The words that stand for other signs between brackets.
const AT_SIGNS: [&str; 2] = ["@", "at"];
const COLONS: [&str; 1] = [":"];
const OTHERS: [&str; 2] = ["-", "/"];

/// The first bytes of the words between brackets, in lower case.
static FIRSTS: [bool; 256] = {
    let mut firsts = [false; 256];
    let lists: [&[&str]; 4] = [&DOTS, &AT_SIGNS, &COLONS, &OTHERS];
    let mut list = 0;
    while list < lists.len() {
        let mut word = 0;
        while word < lists[list].len() {
            firsts[lists[list][word].as_bytes()[0] as usize] = true;
            word += 1;
        }
        list += 1;
    }
    firsts
};

/// Most blanks inside brackets, and around a mark.
const BLANKS: usize = 4;

/// The characters that look like a dot, in UTF-8.
const WIDE_DOTS: [[u8; 3]; 4] = [
    [0xE3, 0x80, 0x82], // U+3002
    [0xEF, 0xBC, 0x8E], // U+FF0E
    [0xEF, 0xBD, 0xA1], // U+FF61
    [0xE2, 0x80, 0xA4], // U+2024
];

/// The references that stand for a sign of a URI.
const REFERENCES: [(&str, u8); 3] = [("colon", b':'), ("period", b'.'), ("sol", b'/')];

/// A mark for a dot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dot {
    pub end: usize,
    /// It counts without another one beside it.
    pub is_strong: bool,
}

/// Whether the brackets at `at` may be a mark for a sign, by the first byte inside: most brackets
/// have another one.
pub(super) fn may_be_bracketed(sight: &mut Sight, at: usize) -> bool {
    let Some((_, from, _)) = opened(sight, at) else {
        return false;
    };
    let first = sight.byte(from);
    first.is_some_and(|byte| FIRSTS[usize::from(byte.to_ascii_lowercase())])
}

/// Returns the bracket at `at`, the offset of what is inside, and whether the bracket is doubled.
fn opened(sight: &mut Sight, at: usize) -> Option<(u8, usize, bool)> {
    let open = sight.byte(at).filter(|byte| b"[({".contains(byte))?;
    let twice = sight.is(at + 1, open);
    let from = sight.blanks(at + 1 + usize::from(twice), BLANKS);
    Some((open, from, twice))
}

/// Returns the end of the brackets at `at`, of one kind or another, with one of `words` inside;
/// the number of the word; and the opener.
fn bracketed(sight: &mut Sight, at: usize, words: &[&str]) -> Option<(usize, usize, u8)> {
    let (open, from, twice) = opened(sight, at)?;
    words.iter().enumerate().find_map(|(number, word)| {
        let end = sight.word(from, word)?;
        let end = sight.blanks(end, BLANKS);
        let closes = sight.any_of(end, b"])}") && (!twice || sight.any_of(end + 1, b"])}"));
        closes.then_some((end + 1 + usize::from(twice), number, open))
    })
}

/// Returns the mark for a dot between brackets at `at`.
fn bracketed_dot(sight: &mut Sight, at: usize) -> Option<Dot> {
    let (end, word, open) = bracketed(sight, at, &DOTS)?;
    let is_strong = !(open == b'(' && DOTS[word] == ",");
    Some(Dot { end, is_strong })
}

/// Returns the mark for a dot at `at`, behind `before`, the character before it. A weak one is
/// between two labels.
pub(super) fn dot(sight: &mut Sight, at: usize, before: char) -> Option<Dot> {
    let first = sight.byte(at)?;
    let is_between = before.is_ascii_alphanumeric() || !before.is_ascii();
    let strong = match first {
        b'[' | b'(' | b'{' => bracketed_dot(sight, at),
        b'&' => reference(sight, at, b'.').map(|end| Dot {
            end,
            is_strong: true,
        }),
        _ => None,
    };
    if let Some(found) = strong.filter(|found| found.is_strong) {
        let end = sight.blanks(found.end, BLANKS);
        // I8: blanks around it make it weak.
        let is_apart = end > found.end && is_between && sight.begins_label(end);
        return Some(match is_apart {
            true => Dot {
                end,
                is_strong: false,
            },
            false => found,
        });
    }
    if !is_between {
        return None;
    }
    let end = match first {
        b' ' | b'\t' => apart(sight, at)?,
        b'[' | b'(' if sight.is(at + 1, b'.') => at + 2,
        b'.' if sight.any_of(at + 1, b"])") => at + 2,
        b'\\' if sight.is(at + 1, b'.') => at + 2,
        0xE2 | 0xE3 | 0xEF => {
            let wide = [first, sight.byte(at + 1)?, sight.byte(at + 2)?];
            let is_ascii = |byte: Option<u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric());
            let is_dot = WIDE_DOTS.contains(&wide) && before.is_ascii_alphanumeric();
            return (is_dot && is_ascii(sight.byte(at + 3))).then_some(Dot {
                end: at + 3,
                is_strong: false,
            });
        }
        _ => strong?.end,
    };
    sight.begins_label(end).then_some(Dot {
        end,
        is_strong: false,
    })
}

/// Returns the end of a mark between blanks, or of ` dot `.
fn apart(sight: &mut Sight, at: usize) -> Option<usize> {
    let word = sight.blanks(at, BLANKS);
    let end = match sight.word(word, "dot") {
        Some(end) if sight.any_of(end, b" \t") => end,
        _ => bracketed_dot(sight, word)?.end,
    };
    Some(sight.blanks(end, BLANKS))
}

/// Returns the end of the mark for `@` at `at`.
pub(super) fn at_sign(sight: &mut Sight, at: usize) -> Option<usize> {
    bracketed(sight, at, &AT_SIGNS).map(|found| found.0)
}

/// Returns the end of the mark for `@` at `at`, with blanks around it.
pub(super) fn at_sign_apart(sight: &mut Sight, at: usize) -> Option<usize> {
    let from = sight.blanks(at, BLANKS);
    let end = at_sign(sight, from)?;
    Some(sight.blanks(end, BLANKS))
}

/// Returns the sign that a mark of an authority means, other than a dot, and its end.
pub(super) fn sign_of_authority(sight: &mut Sight, at: usize) -> Option<(u8, usize)> {
    if sight.is(at, b'&') {
        return any_reference(sight, at);
    }
    if let Some(end) = at_sign(sight, at) {
        return Some((b'@', end));
    }
    if let Some((end, _, b'[' | b'(')) = bracketed(sight, at, &COLONS) {
        return Some((b':', end));
    }
    match bracketed(sight, at, &OTHERS) {
        Some((end, word, b'[')) => Some((b"-/"[word], end)),
        _ => None,
    }
}

/// Returns the sign that a mark of a path means, and its end. These marks count
/// everywhere.
pub(super) fn sign_of_path(sight: &mut Sight, at: usize) -> Option<(u8, usize)> {
    let words = [
        ("[.]", b'.'),
        ("[dot]", b'.'),
        ("[/]", b'/'),
        ("[:]", b':'),
        ("[@]", b'@'),
    ];
    words
        .into_iter()
        .find_map(|(word, sign)| Some((sign, sight.word(at, word)?)))
}

/// Returns the sign that the character reference at `at` means, and its end.
pub(super) fn any_reference(sight: &mut Sight, at: usize) -> Option<(u8, usize)> {
    let signs = [b':', b'.', b'/'];
    signs
        .into_iter()
        .find_map(|sign| Some((sign, reference(sight, at, sign)?)))
}

/// Returns the end of the character reference for `sign` at `at`.
pub(super) fn reference(sight: &mut Sight, at: usize, sign: u8) -> Option<usize> {
    if !sight.is(at, b'&') {
        return None;
    }
    let end = if sight.is(at + 1, b'#') {
        let is_hex = sight.any_of(at + 2, b"xX");
        let (from, radix) = match is_hex {
            true => (at + 3, 16),
            false => (at + 2, 10),
        };
        let mut end = from;
        let mut value = 0;
        while end < from + 6
            && let Some(digit) = sight.byte(end).and_then(|b| char::from(b).to_digit(radix))
        {
            value = value * radix + digit;
            end += 1;
        }
        (end > from && value == u32::from(sign)).then_some(end)?
    } else {
        let name = |sight: &mut Sight, (name, of): (&str, u8)| {
            let end = sight.word(at + 1, name)?;
            (of == sign).then_some(end)
        };
        REFERENCES.into_iter().find_map(|row| name(sight, row))?
    };
    sight.is(end, b';').then_some(end + 1)
}
