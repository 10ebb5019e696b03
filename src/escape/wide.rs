//! Lines in UTF-16 in a text that is an extension of ASCII, as a program leaves them that
//! appends in another encoding. They are known by their bytes alone, wherever reading begins.

/// The number of characters that show UTF-16.
pub(crate) const SHOWN_BY: usize = 4;

/// Whether `byte` is a character of a line of ASCII, or an end of a line.
pub(crate) fn is_of_ascii_text(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~')
}

/// Returns where the first text in UTF-16 begins: four characters of ASCII, each followed by a
/// NUL. Text in the other byte order has them, too, from the end of the line before it on.
///
/// ```
/// use urisieve::escape::wide_at;
/// assert_eq!(wide_at(b"one\nt\0w\0o\0!\0"), Some(4));
/// assert_eq!(wide_at(b"one\0two\0"), None);
/// ```
pub fn wide_at(text: &[u8]) -> Option<usize> {
    for nul in memchr::memchr_iter(0, text) {
        // Most NULs are none of a text.
        if text.get(nul + 2) != Some(&0) || nul == 0 || text[nul - 1] == 0 {
            continue;
        }
        let (units, _) = text[nul - 1..].as_chunks::<2>();
        let first = units.get(..SHOWN_BY);
        if first.is_some_and(|units| units.iter().all(is_ascii_unit)) {
            return Some(nul - 1);
        }
    }
    None
}

/// Whether a unit of UTF-16 is a character of ASCII.
fn is_ascii_unit(unit: &[u8; 2]) -> bool {
    unit[1] == 0 && is_of_ascii_text(unit[0])
}

/// Returns the offset from which `text` may be the beginning of UTF-16 that is longer: its last
/// characters, if they are fewer than those that [`wide_at`] needs. A single byte at the end is
/// the same character in both encodings.
pub(crate) fn wide_may_begin(text: &[u8]) -> usize {
    let is_begun = |at: &usize| {
        let (units, half) = text[*at..].as_chunks::<2>();
        units.iter().all(is_ascii_unit) && half.iter().all(|b| is_of_ascii_text(*b))
    };
    let from = text.len().saturating_sub(2 * SHOWN_BY - 1);
    let to = text.len().saturating_sub(1);
    (from..to).find(is_begun).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_characters_show_it() {
        for (text, at) in [
            (&b"a\0b\0c\0d\0"[..], Some(0)),
            (b"x\na\0b\0c\0d\0", Some(2)),
            (b"\0a\0b\0c\0d\0", Some(1)),
            (b"a\0b\0c\0d", None),
            (b"a\0b\0c\0\x01\0", None),
            (b"\0\0\0\0\0\0\0\0", None),
            (b"one\0two\0three\0", None),
        ] {
            assert_eq!(wide_at(text), at, "{text:?}");
        }
        for (text, at) in [
            (&b"ab"[..], 2),
            (b"ab\0", 1),
            (b"a\0b\0c\0d", 0),
            (b"xa\0b\0c\0", 1),
            (b"\0\0", 2),
            (b"", 0),
        ] {
            assert_eq!(wide_may_begin(text), at, "{text:?}");
        }
    }
}
