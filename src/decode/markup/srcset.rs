//! The URLs of `srcset` and `imagesrcset` (HTML Standard, "parse a srcset attribute").
//! Descriptors are skipped, not judged: an image that a browser does not load is also a
//! link.

use crate::syntax::masks::near::each_of;
use crate::syntax::steps;
use std::ops::Range;

const BLANKS: [u8; 5] = *b" \t\n\x0C\r";

/// Returns the URLs of the value of a `srcset`.
pub(super) fn urls(text: &[u8]) -> Srcset<'_> {
    Srcset { text, at: 0 }
}

/// The URLs of a `srcset`, in their order.
#[derive(Debug)]
pub(super) struct Srcset<'t> {
    text: &'t [u8],
    at: usize,
}

impl Iterator for Srcset<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let from = self.at;
        let start = from + len_while(&self.text[from..], is_separator);
        let rest = &self.text[start..];
        let end = each_of(BLANKS, rest)
            .next()
            .map_or(self.text.len(), |len| start + len);
        let url = &self.text[start..end];
        let commas = url.iter().rev().take_while(|&&byte| byte == b',').count();
        self.at = match commas {
            0 => end + descriptors_len(&self.text[end..]),
            _ => end,
        };
        steps::count(self.at - from);
        (start < end).then_some(start..end - commas)
    }
}

/// Whether a byte separates the candidates of a `srcset`.
fn is_separator(byte: u8) -> bool {
    byte == b',' || BLANKS.contains(&byte)
}

/// Returns the length of the descriptors at the start of `text`: up to a comma outside
/// of parentheses, which do not nest.
fn descriptors_len(text: &[u8]) -> usize {
    let mut in_parentheses = false;
    len_while(text, |byte| {
        match byte {
            b'(' => in_parentheses = true,
            b')' => in_parentheses = false,
            _ => {}
        }
        in_parentheses || byte != b','
    })
}

/// Returns the number of bytes before the first one that `goes_on` refuses.
fn len_while(text: &[u8], mut goes_on: impl FnMut(u8) -> bool) -> usize {
    let end = text.iter().position(|&byte| !goes_on(byte));
    end.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> Vec<&str> {
        urls(text.as_bytes()).map(|range| &text[range]).collect()
    }

    #[test]
    fn candidates() {
        for (text, wanted) in [
            ("", &[][..]),
            (" , ,\n", &[]),
            ("a", &["a"]),
            ("a,", &["a"]),
            ("a,,, b", &["a", "b"]),
            ("a,b 1x,c", &["a,b", "c"]),
            ("a 1x 2w 3h , b", &["a", "b"]),
            ("a 1x,b 2x", &["a", "b"]),
            ("a (b, c) d, e", &["a", "e"]),
            ("a ((b), c), d), e", &["a", "c)", "d)", "e"]),
            ("a (b, c", &["a"]),
            ("a ), b", &["a", "b"]),
            ("data:,z 1x,\th\n2x", &["data:,z", "h"]),
            ("a\u{a0}b", &["a\u{a0}b"]),
        ] {
            assert_eq!(shown(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn steps_are_linear() {
        for unit in ["a ", "a,", "(", " (,", ",", " ", "a 1x,"] {
            let look = |text: &[u8]| urls(text).for_each(drop);
            assert!(steps::of_text("a (", unit, 1000, look) <= 1100);
            assert!(steps::of_text("", unit, 1000, look) <= 1100);
        }
    }

    proptest! {
        #[test]
        fn urls_are_in_order(text in "[ ,()a1\n\u{e9}]{0,40}") {
            let mut end = 0;
            for range in urls(text.as_bytes()) {
                prop_assert!(end <= range.start && range.start < range.end);
                let url = &text[range.clone()];
                prop_assert!(!url.starts_with(',') && !url.ends_with(','));
                prop_assert!(!url.contains(|c: char| c.is_ascii_whitespace()));
                end = range.end;
            }
        }
    }
}
