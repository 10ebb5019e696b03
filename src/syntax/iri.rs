//! Characters above U+007F, as IRIs contain them in real text: which of them are
//! allowed in a URI without a wrapper, and which inside one (rule B1). Data: general
//! categories of Unicode 16 and scripts.

use unicode_general_category::{GeneralCategory as G, get_general_category};
use unicode_script::{Script, UnicodeScript};

/// Returns the first character of `text` and its length in bytes; `None` when `text` is
/// empty or does not begin with well-formed UTF-8.
///
/// ```
/// use urisieve::syntax::iri;
/// assert_eq!(iri::decode("éa".as_bytes()), Some(('é', 2)));
/// assert_eq!(iri::decode(b"\xC3"), None);
/// ```
#[inline]
pub fn decode(text: &[u8]) -> Option<(char, usize)> {
    let first = *text.first()?;
    let len = utf8_len(first)?;
    let c = std::str::from_utf8(text.get(..len)?).ok()?.chars().next()?;
    Some((c, len))
}

/// Returns the length of the UTF-8 sequence that begins with `first`; `None` when no
/// sequence begins with this byte.
///
/// ```
/// use urisieve::syntax::iri;
/// assert_eq!(iri::utf8_len("日".as_bytes()[0]), Some(3));
/// assert_eq!(iri::utf8_len(0x80), None);
/// ```
#[inline]
pub fn utf8_len(first: u8) -> Option<usize> {
    match first {
        0..=0x7F => Some(1),
        0xC2..=0xDF => Some(2),
        0xE0..=0xEF => Some(3),
        0xF0..=0xF4 => Some(4),
        _ => None,
    }
}

/// Whether `c`, above U+00A0, is allowed in a bare URI: categories L, N, M, S, Pd and
/// Pc and U+00B7, but not U+FFFD and not U+2500 to U+25FF. The two joiners U+200C and
/// U+200D depend on their neighbours and are not in this set.
///
/// ```
/// use urisieve::syntax::iri;
/// assert!(iri::is_bare('é') && iri::is_bare('日'));
/// assert!(!iri::is_bare('»') && !iri::is_bare('。'));
/// ```
pub fn is_bare(c: char) -> bool {
    if c <= '\u{A0}' || c == '\u{FFFD}' || ('\u{2500}'..='\u{25FF}').contains(&c) {
        return false;
    }
    c == '\u{B7}'
        || matches!(
            get_general_category(c),
            G::UppercaseLetter
                | G::LowercaseLetter
                | G::TitlecaseLetter
                | G::ModifierLetter
                | G::OtherLetter
                | G::DecimalNumber
                | G::LetterNumber
                | G::OtherNumber
                | G::NonspacingMark
                | G::SpacingMark
                | G::EnclosingMark
                | G::MathSymbol
                | G::CurrencySymbol
                | G::ModifierSymbol
                | G::OtherSymbol
                | G::DashPunctuation
                | G::ConnectorPunctuation
        )
}

/// Whether `c` is a joiner (U+200C, U+200D), which is part of a bare URI only between
/// two characters of [`is_bare`].
///
/// ```
/// use urisieve::syntax::iri;
/// assert!(iri::is_joiner('\u{200D}') && !iri::is_bare('\u{200D}'));
/// assert!(!iri::is_joiner('\u{200B}'));
/// ```
pub fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200C}' | '\u{200D}')
}

/// Whether `c` is allowed in a URI inside a wrapper: every character above U+00A0
/// except whitespace, bidi controls and U+FFFD.
///
/// ```
/// use urisieve::syntax::iri;
/// assert!(iri::is_wrapped('»') && iri::is_wrapped('。'));
/// assert!(!iri::is_wrapped('\u{3000}') && !iri::is_wrapped('\u{202E}'));
/// ```
pub fn is_wrapped(c: char) -> bool {
    c > '\u{A0}'
        && c != '\u{FFFD}'
        && !c.is_whitespace()
        && !matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Whether `c` ends a bare URI when an ASCII letter or digit is directly before it:
/// Han, kana, Hangul and Thai are written without blanks, so such a character begins
/// the text after the URI.
///
/// ```
/// use urisieve::syntax::iri;
/// assert!(iri::is_unspaced_script('を') && iri::is_unspaced_script('日'));
/// assert!(!iri::is_unspaced_script('é'));
/// ```
pub fn is_unspaced_script(c: char) -> bool {
    matches!(
        c.script(),
        Script::Han | Script::Hiragana | Script::Katakana | Script::Hangul | Script::Thai
    ) || matches!(c, '\u{30FC}' | '\u{FF70}')
}

/// Whether `c` is a `ucschar` of RFC 3987 section 2.2, which `iunreserved` adds to the
/// characters of a URI.
///
/// ```
/// use urisieve::syntax::iri;
/// assert!(iri::is_ucschar('é') && iri::is_ucschar('\u{A0}'));
/// assert!(!iri::is_ucschar('a') && !iri::is_ucschar('\u{FFFD}'));
/// ```
pub fn is_ucschar(c: char) -> bool {
    match c {
        '\u{A0}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFEF}' => true,
        // Planes 1 to 14 without their last two code points; plane 14 begins late.
        '\u{10000}'..='\u{DFFFF}' | '\u{E1000}'..='\u{EFFFF}' => c as u32 & 0xFFFF < 0xFFFE,
        _ => false,
    }
}

/// Whether `c` is an `iprivate` of RFC 3987 section 2.2, which is allowed in a query.
///
/// ```
/// use urisieve::syntax::iri;
/// assert!(iri::is_private('\u{E000}') && !iri::is_private('é'));
/// ```
pub fn is_private(c: char) -> bool {
    matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{FFFFD}' | '\u{100000}'..='\u{10FFFD}')
}

/// Whether `c` is decoded where a URI is percent-encoded, or in Base64, inside another one; what
/// no URI may have is not.
pub(crate) fn is_decoded(c: char) -> bool {
    !c.is_control() && !c.is_whitespace() && !"<>\"`{}|\\^".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_characters() {
        for c in ['ü', '日', '–', '⁀', '€', '↑', '😀', '·', '١', '\u{301}'] {
            assert!(is_bare(c), "{c:?}");
        }
        for c in [
            '\u{A0}', '。', '”', '’', '«', '►', '\u{FFFD}', '…', '\u{200D}', '\u{200E}', '）',
        ] {
            assert!(!is_bare(c), "{c:?}");
        }
    }

    #[test]
    fn wrapped_characters() {
        for c in ['’', '。', '…', '►', '\u{200D}'] {
            assert!(is_wrapped(c), "{c:?}");
        }
        for c in [
            '\u{A0}', '\u{3000}', '\u{2028}', '\u{200F}', '\u{FFFD}', '\u{85}',
        ] {
            assert!(!is_wrapped(c), "{c:?}");
        }
    }

    #[test]
    fn decode_refuses_what_is_not_utf8() {
        assert_eq!(decode("é".as_bytes()), Some(('é', 2)));
        for bad in [&b"\xC3"[..], b"\xFF", b"\xE0\x80\x80", b"\xED\xA0\x80", b""] {
            assert_eq!(decode(bad), None);
        }
    }
}
