//! Character references (rule B4) in plain text: decimal, hexadecimal and the names of
//! delimiters, each also with `&amp;` for its `&` (HTML inside HTML).

use super::names::is_of_html4;

/// A character reference: the character and the number of raw bytes.
///
/// ```
/// use urisieve::escape::{CharReference, reference};
/// let (found, _) = reference(b"&lt;http", 0);
/// assert_eq!(found, Some(CharReference { char: '<', len: 4 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CharReference {
    /// The character.
    pub char: char,
    /// Raw bytes from `&` to `;`, both included.
    pub len: usize,
}

/// Names of delimiters, and Angular's `q`.
const NAMES: [(&[u8], char); 12] = [
    (b"quot", '"'),
    (b"lt", '<'),
    (b"gt", '>'),
    (b"apos", '\''),
    (b"nbsp", '\u{A0}'),
    (b"ldquo", '“'),
    (b"rdquo", '”'),
    (b"lsquo", '‘'),
    (b"rsquo", '’'),
    (b"laquo", '«'),
    (b"raquo", '»'),
    (b"q", '"'),
];

/// The length of the longest of these names, and of `amp`, in bytes.
pub(crate) const NAME_MAX: usize = 5;
const _: () = {
    let mut i = 0;
    while i < NAMES.len() {
        assert!(NAMES[i].0.len() <= NAME_MAX);
        i += 1;
    }
};

/// The longest reference in bytes: `&amp;#1114111;` or `&amp;#x10ffff;`.
pub const KEPT_MAX: usize = 32;

/// Reads the reference that begins at `text[at]`, an `&`. Only `&amp;` is not decoded:
/// it encodes a character that is allowed in a URI, and is kept. The flag is true when
/// the end of `text` was reached, so that more text might change the result.
///
/// ```
/// use urisieve::escape::reference;
/// let char = |text: &[u8]| reference(text, 0).0.map(|found| found.char);
/// assert_eq!(char(b"&#x3c;"), Some('<'));
/// assert_eq!(char(b"&amp;gt;"), Some('>'));
/// assert_eq!(char(b"&amp;"), None);
/// assert_eq!(reference(b"&quo", 0), (None, true));
/// ```
pub fn reference(text: &[u8], at: usize) -> (Option<CharReference>, bool) {
    let (double, truncated) = amp(text, at);
    if truncated {
        return (None, true);
    }
    if double {
        let (found, truncated) = body(text, at + 5);
        return (
            found.map(|(char, len)| CharReference { char, len: len + 5 }),
            truncated,
        );
    }
    let (found, truncated) = body(text, at + 1);
    (
        found.map(|(char, len)| CharReference { char, len: len + 1 }),
        truncated,
    )
}

/// Whether `&amp;` begins at `text[at]`; the flag is that of [`reference()`].
///
/// ```
/// use urisieve::escape::starts_amp;
/// assert_eq!(starts_amp(b"?a&amp;b", 2), (true, false));
/// assert_eq!(starts_amp(b"?a&am", 2), (false, true));
/// ```
pub fn starts_amp(text: &[u8], at: usize) -> (bool, bool) {
    amp(text, at)
}

fn amp(text: &[u8], at: usize) -> (bool, bool) {
    let rest = &text[at..];
    let have = rest.len().min(5);
    let same = rest[..have] == b"&amp;"[..have];
    (same && have == 5, same && have < 5)
}

/// Reads the text after `&`: a number or a name, and `;`. The length includes the `;`.
fn body(text: &[u8], at: usize) -> (Option<(char, usize)>, bool) {
    let rest = &text[at..];
    if rest.first() == Some(&b'#') {
        return number(rest);
    }
    let mut truncated = rest.is_empty();
    for (name, char) in NAMES {
        let have = rest.len().min(name.len());
        if rest[..have] != name[..have] {
            continue;
        }
        match rest.get(name.len()) {
            Some(b';') => return (Some((char, name.len() + 1)), false),
            Some(_) => {}
            None => truncated = true,
        }
    }
    (None, truncated)
}

fn number(rest: &[u8]) -> (Option<(char, usize)>, bool) {
    let hex = matches!(rest.get(1), Some(b'x' | b'X'));
    let (start, most, radix) = if hex { (2, 6, 16) } else { (1, 7, 10) };
    let mut value = 0u32;
    let mut digits = 0;
    loop {
        let Some(&byte) = rest.get(start + digits) else {
            return (None, true);
        };
        let digit = (byte as char).to_digit(radix);
        match (byte, digit) {
            (b';', _) if digits > 0 => {
                let found = char::from_u32(value).map(|c| (c, start + digits + 1));
                return (found, false);
            }
            (_, Some(digit)) if digits < most => {
                value = value * radix + digit;
                digits += 1;
            }
            _ => return (None, false),
        }
    }
}

/// Returns the reference that ends directly before `end`, if any.
///
/// ```
/// use urisieve::escape::reference_before;
/// assert_eq!(reference_before(b"a&quot;b", 7).unwrap().char, '"');
/// assert_eq!(reference_before(b"a;b", 2), None);
/// ```
pub fn reference_before(text: &[u8], end: usize) -> Option<CharReference> {
    let at = ampersand_before(text, end)?;
    reference(text, at).0.filter(|found| at + found.len == end)
}

/// Returns the length of the reference that ends directly before `end`, including all
/// names of HTML 4.
///
/// ```
/// use urisieve::escape::{kept_reference_before, reference_before};
/// assert_eq!(kept_reference_before(b"?a=1&amp;b", 9), Some(5));
/// assert_eq!(reference_before(b"?a=1&amp;b", 9), None);
/// ```
pub fn kept_reference_before(text: &[u8], end: usize) -> Option<usize> {
    let at = ampersand_before(text, end)?;
    if let Some(found) = reference_before(text, end) {
        return Some(found.len);
    }
    let mut body = &text[at + 1..end - 1];
    while let Some(rest) = body.strip_prefix(b"amp;") {
        body = rest;
    }
    is_of_html4(body).then_some(end - at)
}

fn ampersand_before(text: &[u8], end: usize) -> Option<usize> {
    if end == 0 || text[end - 1] != b';' {
        return None;
    }
    let from = end.saturating_sub(KEPT_MAX);
    memchr::memrchr(b'&', &text[from..end]).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        for (text, char, len) in [
            ("&quot;", '"', 6),
            ("&#60;x", '<', 5),
            ("&#x3C;", '<', 6),
            ("&amp;gt;", '>', 8),
            ("&q;", '"', 3),
            ("&#8217;s", '’', 7),
        ] {
            let found = reference(text.as_bytes(), 0).0;
            assert_eq!(found, Some(CharReference { char, len }), "{text}");
            assert_eq!(reference_before(text.as_bytes(), len), found);
        }
        for text in [
            "&amp;",
            "&quot",
            "&copy;",
            "&#;",
            "&#x;",
            "&#xD800;",
            "&#12345678;",
            "&b=1;",
        ] {
            assert_eq!(reference(text.as_bytes(), 0).0, None, "{text}");
        }
    }

    #[test]
    fn every_cut_short_reference_says_so() {
        for whole in ["&quot;", "&#60;", "&#x3C;", "&amp;gt;", "&q;"] {
            for len in 1..whole.len() {
                assert!(reference(&whole.as_bytes()[..len], 0).1, "{whole} {len}");
            }
        }
        assert!(!reference(b"&b=1", 0).1);
    }

    #[test]
    fn kept_references_end_in_a_semicolon() {
        assert_eq!(kept_reference_before(b"a&amp;", 6), Some(5));
        assert_eq!(kept_reference_before(b"a&amp;amp;", 10), Some(9));
        assert_eq!(kept_reference_before(b"a&amp;amp;amp;lt;", 17), Some(16));
        assert_eq!(kept_reference_before(b"a&#38;", 6), Some(5));
        assert_eq!(kept_reference_before(b"a&eacute;", 9), Some(8));
        assert_eq!(kept_reference_before(b"a;", 2), None);
        assert_eq!(kept_reference_before(b"a&b;", 4), None);
    }
}
