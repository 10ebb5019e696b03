//! The URL to which an `onclick` leads, if the script has no other effect: it assigns a
//! literal to `location`, or begins with `window.open` of one. These are the two
//! patterns of ia-web-commons, which writes WAT files; other scripts are text.

use std::ops::Range;

/// The objects whose `location` is assigned.
const OWNERS: [&[u8]; 5] = [b"window.", b"top.", b"document.", b"self.", b"parent."];

/// The number of characters of a URL.
const CHARS: std::ops::RangeInclusive<usize> = 3..=256;

/// Returns the range of the URL in the value of an `onclick`.
pub(super) fn url(text: &[u8]) -> Option<Range<usize>> {
    let script = without(text, b"javascript:").unwrap_or(text);
    let (rest, is_assigned) = match assigned(script) {
        Some(rest) => (rest, true),
        None => (opened(script)?, false),
    };
    let start = text.len() - rest.len();
    let len = memchr::memchr2(b'\'', b'"', rest)?;
    let is_over = match (&rest[len + 1..], is_assigned) {
        (after, true) => after.is_empty(),
        (after, false) => matches!(after, [b',' | b')', ..]),
    };
    let is_closed = rest[len] == text[start - 1];
    // Every byte that does not continue a UTF-8 sequence is a character.
    let chars = rest[..len].iter().filter(|&&b| b & 0xC0 != 0x80).count();
    (is_over && is_closed && CHARS.contains(&chars)).then_some(start..start + len)
}

/// Returns the text after `location = '`.
fn assigned(script: &[u8]) -> Option<&[u8]> {
    let owner = OWNERS.into_iter().find_map(|owner| without(script, owner));
    let rest = without(owner.unwrap_or(script), b"location")?;
    let rest = without(rest, b".href").unwrap_or(rest);
    let rest = without_blanks(rest).strip_prefix(b"=")?;
    without_blanks(rest).strip_prefix(b"'")
}

/// Returns the text after `window.open('`.
fn opened(script: &[u8]) -> Option<&[u8]> {
    let rest = without(script, b"window").or_else(|| without(script, b"parent"))?;
    match without(rest, b".open(")? {
        [b'\'' | b'"', rest @ ..] => Some(rest),
        _ => None,
    }
}

/// Returns `text` without `word` at its start, which may be in any case.
fn without<'t>(text: &'t [u8], word: &[u8]) -> Option<&'t [u8]> {
    let (start, rest) = text.split_at_checked(word.len())?;
    start.eq_ignore_ascii_case(word).then_some(rest)
}

/// Returns `text` without blanks at its start. As in regular expressions, the vertical tab
/// is one.
fn without_blanks(text: &[u8]) -> &[u8] {
    let blanks = text
        .iter()
        .take_while(|&&b| matches!(b, b'\t'..=b'\r' | b' '));
    &text[blanks.count()..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn scripts() {
        for (script, wanted) in [
            ("location='a.b'", Some("a.b")),
            ("location.href = 'a b'", Some("a b")),
            ("JavaScript:Window.Location.HREF\n=\t'a.b'", Some("a.b")),
            ("parent.location='a.b'", Some("a.b")),
            ("window.open('a.b','w')", Some("a.b")),
            ("parent.open(\"a.b\")", Some("a.b")),
            (
                "javascript:window.open('\u{e9}\u{e9}\u{e9}'); return false",
                Some("\u{e9}\u{e9}\u{e9}"),
            ),
            // Something follows.
            ("location='a.b';", None),
            ("location='a.b' ", None),
            ("window.open('a.b' ,'w')", None),
            ("window.open('a.b'+x)", None),
            // Other quotes.
            ("location=\"a.b\"", None),
            ("location='a.b\"", None),
            ("window.open('a.b\")", None),
            ("window.open( 'a.b')", None),
            // Other lengths.
            ("location='ab'", None),
            ("location='\u{e9}\u{e9}'", None),
            // Other objects.
            ("top.open('a.b')", None),
            ("open('a.b')", None),
            ("my.location='a.b'", None),
            (" location='a.b'", None),
            ("locations='a.b'", None),
            ("go('a.b')", None),
            ("location='a.b", None),
            ("", None),
        ] {
            let found = url(script.as_bytes()).map(|range| &script[range]);
            assert_eq!(found, wanted, "{script:?}");
        }
        for (len, is_url) in [(256, true), (257, false)] {
            let script = format!("location='{}'", "a".repeat(len));
            assert_eq!(url(script.as_bytes()).is_some(), is_url);
        }
    }

    proptest! {
        #[test]
        fn the_url_is_inside(
            parts in prop::collection::vec(prop::sample::select(vec![
                "javascript:", "window", "location", ".open(", ".href", "=", "'", "\"", " ", "abc", ")", ",",
            ]), 0..9),
        ) {
            let script = parts.concat();
            if let Some(range) = url(script.as_bytes()) {
                prop_assert!(script[range.clone()].len() >= 3);
                prop_assert!(!script[range].contains(['\'', '"']));
            }
        }
    }
}
