//! Looks for bytes at which a mark may be. A text without them has no marks.
//!
//! A disguised scheme is noticed at the separator behind it: there are fewer of these than of
//! its letters.

use super::sight::Sight;
use super::{lookups, marks, schemes};
use crate::syntax::class;

/// Whether something in `raw` may be a mark, alone or with others.
pub(super) fn are_in(raw: &[u8]) -> bool {
    let mut sight = Sight::new(raw);
    raw.iter()
        .enumerate()
        .any(|(at, &byte)| IS_ANCHOR[usize::from(byte)] && is_mark(&mut sight, at, byte))
}

/// The bytes that [`is_mark`] is asked about.
static IS_ANCHOR: [bool; 256] = class::table_of(b"[({])\\:/_dD&%$\xE2\xE3\xEF");

fn is_mark(sight: &mut Sight, at: usize, byte: u8) -> bool {
    let text = sight.text;
    let before = at.checked_sub(1).map_or(0, |at| text[at]);
    match byte {
        b'[' | b'(' | b'{' => {
            marks::may_be_bracketed(sight, at)
                && (marks::dot(sight, at, 'a').is_some()
                    || marks::sign_of_authority(sight, at).is_some())
                || schemes::in_brackets(sight, at).is_some()
                // The slash may be escaped.
                || matches!(text.get(at + 1), Some(b':' | b'/' | b'\\'))
                || byte == b'[' && matches!(before, b'/' | b'@') && sight.begins_label(at + 1)
        }
        b']' | b')' => before == b'.' && sight.begins_label(at + 1),
        b'\\' => {
            sight.is(at + 1, b'.') && sight.begins_label(at + 2)
                || matches!(before, b':' | b']' | b')' | b'}' | b';') && sight.is(at + 1, b'\\')
                || schemes::may_end(&text[..at])
        }
        b':' => schemes::may_end(&text[..at]),
        b'/' | b'_' => sight.is(at + 1, byte) && schemes::may_end(&text[..at]),
        b'&' => marks::any_reference(sight, at).is_some(),
        b'%' => sight.word(at, "%3A%2F%2F").is_some(),
        b'$' => lookups::resolve(sight, at, &mut Vec::new()).is_some(),
        b'd' | b'D' => matches!(before, b' ' | b'\t') && sight.word(at, "dot").is_some(),
        _ => marks::dot(sight, at, 'a').is_some(),
    }
}
