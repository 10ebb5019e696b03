//! Attributes that hold a list of URLs: `ping`, `profile` and `archive` of `object` are
//! separated by blanks, `archive` of `applet` by commas. Judging the URLs is left to
//! others.

use std::ops::Range;

/// Returns the URLs of a list that blanks separate.
pub(super) fn by_blanks(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let urls = ranges(text, |byte| byte.is_ascii_whitespace());
    urls.filter(|range| !range.is_empty())
}

/// Returns the URLs of a list that commas separate, without the blanks around them.
pub(super) fn by_commas(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let urls = ranges(text, |byte| byte == b',').map(|range| trimmed(text, range));
    urls.filter(|range| !range.is_empty())
}

/// Returns `range` of `text` without the blanks at its edges.
pub(super) fn trimmed(text: &[u8], range: Range<usize>) -> Range<usize> {
    let inside = &text[range.clone()];
    let start = range.start + (inside.len() - inside.trim_ascii_start().len());
    start..start + inside.trim_ascii().len()
}

/// Returns the stretches between separators.
fn ranges(
    text: &[u8],
    is_separator: impl Fn(u8) -> bool + Copy,
) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    text.split(move |&byte| is_separator(byte)).map(move |url| {
        let range = at..at + url.len();
        at = range.end + 1;
        range
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str, urls: impl Iterator<Item = Range<usize>>) -> Vec<&str> {
        urls.map(|range| &text[range]).collect()
    }

    #[test]
    fn lists() {
        for (text, blanks, commas) in [
            ("", &[][..], &[][..]),
            (" a  b\tc\n", &["a", "b", "c"], &["a  b\tc"]),
            ("a, b c ,,d", &["a,", "b", "c", ",,d"], &["a", "b c", "d"]),
        ] {
            assert_eq!(shown(text, by_blanks(text.as_bytes())), blanks);
            assert_eq!(shown(text, by_commas(text.as_bytes())), commas);
        }
    }

    proptest! {
        #[test]
        fn urls_are_in_order(text in "[ ,a\n\u{e9}]{0,30}") {
            for urls in [by_blanks(text.as_bytes()).collect::<Vec<_>>(), by_commas(text.as_bytes()).collect()] {
                let mut end = 0;
                for range in urls {
                    prop_assert!(end <= range.start && range.start < range.end);
                    prop_assert!(text.is_char_boundary(range.start) && range.end <= text.len());
                    end = range.end;
                }
            }
        }
    }
}
