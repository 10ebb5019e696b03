//! `tel:` (RFC 3966 section 4): visual separators are removed from the number, from an
//! extension and from a context that is a number; everything is written in lower case.
//! Other text is unchanged, so `tel:call-me` is not `tel:callme`.

use crate::canonicalize::lexical;
use crate::canonicalize::switches::Switches;
use crate::syntax::{Components, pct};
use std::ops::Range;

/// Returns the number with its parameters, when it is not in canonical form.
pub(in crate::canonicalize) fn find(
    _: &Switches,
    uri: &[u8],
    parts: &Components,
) -> Option<Range<usize>> {
    let path = parts.path(uri);
    if parts.scheme(uri) != Some(b"tel") || parts.has_authority() || !is_subscriber(path) {
        return None;
    }
    let changes = !lexical::is_lower(path)
        || pieces(path).any(|(_, number)| number.iter().any(|&b| is_separator(b)));
    changes.then(|| parts.path_range())
}

/// Writes the canonical form of a number with its parameters.
pub(in crate::canonicalize) fn write(_: &Switches, _: &Components, path: &[u8], out: &mut Vec<u8>) {
    for (at, (name, number)) in pieces(path).enumerate() {
        if at > 0 {
            out.push(b';');
        }
        lexical::push_lower(name, out);
        let number = lexical::lower(number).map(|(_, to)| to);
        out.extend(number.filter(|&b| !is_separator(b)));
    }
}

/// `visual-separator = "-" / "." / "(" / ")"`
fn is_separator(byte: u8) -> bool {
    matches!(byte, b'-' | b'.' | b'(' | b')')
}

/// Whether `path` begins with `global-number-digits` or `local-number-digits`.
fn is_subscriber(path: &[u8]) -> bool {
    let number = path.split(|&b| b == b';').next().unwrap_or_default();
    match number.strip_prefix(b"+") {
        Some(global) => is_digits(global, |b| b.is_ascii_digit()),
        None => is_digits(number, |b| b.is_ascii_hexdigit() || b == b'*'),
    }
}

/// Whether `text` consists of digits and visual separators, with at least one digit.
/// The `#` of a local number is written as `%23`.
fn is_digits(text: &[u8], is_digit: impl Fn(u8) -> bool + Copy) -> bool {
    let mut digits = 0;
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'%' if is_digit(b'*')
                && pct::is_encoded(text, at)
                && &text[at + 1..at + 3] == b"23" =>
            {
                digits += 1;
                at += 2;
            }
            byte if is_separator(byte) => {}
            byte if is_digit(byte) => digits += 1,
            _ => return false,
        }
        at += 1;
    }
    digits > 0
}

/// Returns the number and the parameters, each in two halves; visual separators are
/// significant in the second one.
fn pieces(path: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    path.split(|&b| b == b';').enumerate().map(|(at, piece)| {
        if at == 0 {
            return (&piece[..0], piece);
        }
        let value = memchr::memchr(b'=', piece).map_or(piece.len(), |at| at + 1);
        let (name, number) = piece.split_at(value);
        let digits = |text: &[u8]| is_digits(text, |b| b.is_ascii_digit());
        let means_digits = if name.eq_ignore_ascii_case(b"ext=") {
            digits(number)
        } else {
            name.eq_ignore_ascii_case(b"phone-context=")
                && number.strip_prefix(b"+").is_some_and(digits)
        };
        if means_digits {
            (name, number)
        } else {
            (piece, &piece[..0])
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::canonicalize::{Canonicalizer, Level};

    #[test]
    fn the_number_sign_of_a_local_number_is_a_digit() {
        let canonicalizer = Canonicalizer::new(Level::Scheme);
        for (uri, expect) in [
            ("tel:-%23", "tel:%23"),
            ("tel:*1-%2323", "tel:*1%2323"),
            ("tel:%23A-%23", "tel:%23a%23"),
            ("tel:%24-1", "tel:%24-1"),
            ("tel:12-%23x", "tel:12-%23x"),
            ("tel:1-%2", "tel:1-%2"),
            ("tel:+1-%23", "tel:+1-%23"),
            ("tel:--", "tel:--"),
        ] {
            let mut buffer = Vec::new();
            let got = canonicalizer.canonicalize(uri.as_bytes(), &mut buffer);
            assert_eq!(String::from_utf8_lossy(got), expect, "{uri}");
        }
    }
}
