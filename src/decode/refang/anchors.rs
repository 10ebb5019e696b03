//! Looks for bytes at which a mark may be. A text without them has no marks.

use super::sight::{Sight, is_break};
use super::{lookups, marks};

/// Whether something in `raw` may be a mark, alone or with others.
pub(super) fn are_in(raw: &[u8]) -> bool {
    let mut sight = Sight::new(raw);
    raw.iter()
        .enumerate()
        .any(|(at, &byte)| IS_ANCHOR[usize::from(byte)] && is_mark(&mut sight, at, byte))
}

/// The bytes that [`is_mark`] is asked about.
static IS_ANCHOR: [bool; 256] = {
    let mut table = [false; 256];
    let anchors = b"[({])\\xXhHfFsSmMdD*_&%$/\xE2\xE3\xEF";
    let mut at = 0;
    while at < anchors.len() {
        table[anchors[at] as usize] = true;
        at += 1;
    }
    table
};

fn is_mark(sight: &mut Sight, at: usize, byte: u8) -> bool {
    let text = sight.text;
    let before = at.checked_sub(1).map_or(0, |at| text[at]);
    match byte {
        b'[' | b'(' | b'{' => {
            marks::dot(sight, at, 'a').is_some()
                || marks::sign_of_authority(sight, at).is_some()
                || begins_word(sight, at + 1)
                || matches!(text.get(at + 1), Some(b':' | b'/'))
                || byte == b'[' && matches!(before, b'/' | b'@') && sight.begins_label(at + 1)
        }
        b']' | b')' => before == b'.' && sight.begins_label(at + 1),
        b'\\' => {
            sight.is(at + 1, b'.') && sight.begins_label(at + 2)
                || matches!(before, b':' | b']' | b')' | b'}' | b';') && sight.is(at + 1, b'\\')
        }
        b'&' => marks::any_reference(sight, at).is_some(),
        b'%' => sight.word(at, "%3A%2F%2F").is_some(),
        b'$' => lookups::resolve(sight, at, &mut Vec::new()).is_some(),
        b'd' | b'D' => matches!(before, b' ' | b'\t') && sight.word(at, "dot").is_some(),
        b'/' | b'_' | b'*' => false,
        byte if !byte.is_ascii() => marks::dot(sight, at, 'a').is_some(),
        _ => begins_word(sight, at) || sight.any_of(at + 1, b" \t"),
    }
}

/// Whether a disguised scheme may begin at `at`, or one in brackets.
fn begins_word(sight: &mut Sight, at: usize) -> bool {
    let Some(first) = sight.byte(at) else {
        return false;
    };
    let next = |sight: &mut Sight, signs: &[u8]| {
        let byte = sight.byte(at + 1);
        byte.is_some_and(|byte| signs.contains(&byte.to_ascii_lowercase()))
    };
    let is_plain = |sight: &mut Sight| sight.word(at, "http").or(sight.word(at, "ftp")).is_some();
    match first.to_ascii_lowercase() {
        _ if is_break(first) => false,
        b'h' => {
            next(sight, b"xz*_")
                || sight.word(at, "htx").is_some()
                || sight.word(at, "htp").is_some()
                || sight.word(at, "ht_").is_some()
                || at > 0 && matches!(sight.text[at - 1], b'[' | b'(' | b'{') && is_plain(sight)
        }
        b'f' => {
            next(sight, b"x")
                || sight.word(at, "ftx").is_some()
                || at > 0 && matches!(sight.text[at - 1], b'[' | b'(' | b'{') && is_plain(sight)
        }
        b's' => next(sight, b"x") || sight.word(at, "sft").is_some(),
        b'm' => sight.word(at, "meow").is_some(),
        b'x' => sight.word(at, "xxxx").is_some(),
        _ => false,
    }
}
