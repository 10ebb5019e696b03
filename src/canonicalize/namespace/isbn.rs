//! `urn:isbn:` (RFC 3187, and RFC 8254 for the form of 13 digits): hyphens are ignored,
//! `x` is `X`. The forms of 10 and of 13 digits are different names; [`isbn13`]
//! converts one to the other.

use super::{Defect, NamespaceRule};
use crate::syntax::check_digit;

pub(super) struct Isbn;

impl NamespaceRule for Isbn {
    fn nid(&self) -> &'static str {
        "isbn"
    }

    fn source(&self) -> &'static str {
        "RFC 3187 section 5, RFC 8254"
    }

    fn summary(&self) -> &'static str {
        "hyphens removed, `x` is `X`"
    }

    fn has_shape(&self, nss: &[u8]) -> bool {
        digits(nss).is_some()
    }

    fn is_canonical(&self, nss: &[u8]) -> bool {
        !nss.iter().any(|byte| matches!(byte, b'-' | b'x'))
    }

    fn write(&self, nss: &[u8], out: &mut Vec<u8>) {
        if self.is_canonical(nss) {
            return out.extend_from_slice(nss);
        }
        out.extend(
            nss.iter()
                .filter(|byte| **byte != b'-')
                .map(u8::to_ascii_uppercase),
        );
    }

    fn defect(&self, nss: &[u8]) -> Option<Defect> {
        const SHAPE: Defect = Defect::new(
            "isbn-shape",
            "an ISBN has 10 digits, the last of which may be X, or 13",
        );
        const PREFIX: Defect = Defect::new(
            "isbn-prefix",
            "an ISBN of 13 digits begins with 978 or with 979, but 979-0 is for printed music",
        );
        const CHECK: Defect = Defect::new("isbn-check", "the check digit of the ISBN is wrong");
        match digits(nss) {
            None => Some(SHAPE),
            Some((digits, 10)) => (!check_digit::is_mod_11(&digits[..10])).then_some(CHECK),
            Some((digits @ ([b'9', b'7', b'8', ..] | [b'9', b'7', b'9', b'1'..=b'9', ..]), _)) => {
                (check_digit::mod_10(&digits[..12]) != digits[12]).then_some(CHECK)
            }
            Some(_) => Some(PREFIX),
        }
    }
}

/// Returns the ISBN-13 of an ISBN-10: 978, its first nine digits and a new check digit.
/// `None` when `nss` is not an ISBN-10 or has a wrong check digit: a new one would hide
/// the error, and two misprints would become one valid number.
///
/// ```
/// use urisieve::canonicalize::namespace::isbn13;
/// assert_eq!(isbn13(b"0-395-36341-1"), Some(*b"9780395363416"));
/// assert_eq!(isbn13(b"0-395-36341-X"), None);
/// assert_eq!(isbn13(b"9780395363416"), None);
/// ```
pub fn isbn13(nss: &[u8]) -> Option<[u8; 13]> {
    let (isbn10, 10) = digits(nss)? else {
        return None;
    };
    if !check_digit::is_mod_11(&isbn10[..10]) {
        return None;
    }
    let mut isbn13 = *b"9780000000000";
    isbn13[3..12].copy_from_slice(&isbn10[..9]);
    isbn13[12] = check_digit::mod_10(&isbn13[..12]);
    Some(isbn13)
}

/// Returns the digits of an ISBN without hyphens and their number, 10 or 13. Hyphens
/// are allowed only between two digits. `None` when it is not an ISBN.
fn digits(nss: &[u8]) -> Option<([u8; 13], usize)> {
    let mut digits = [0; 13];
    let mut len = 0;
    let mut after_digit = false;
    for &byte in nss {
        match byte {
            b'0'..=b'9' | b'x' | b'X' => {
                *digits.get_mut(len)? = byte;
                len += 1;
                after_digit = true;
            }
            b'-' if after_digit => after_digit = false,
            _ => return None,
        }
    }
    let last = digits[..len].last()?;
    let is_x = !last.is_ascii_digit();
    let before = digits[..len - 1].iter().all(u8::is_ascii_digit);
    (after_digit && before && (len == 10 || len == 13 && !is_x)).then_some((digits, len))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(nss: &str) -> Option<&'static str> {
        Isbn.defect(nss.as_bytes()).map(Defect::code)
    }

    #[test]
    fn shapes_and_check_digits() {
        for (nss, expect) in [
            ("0395363411", None),
            ("080442957x", None),
            ("0-8044-2957-X", None),
            ("978-3-16-148410-0", None),
            ("979-10-90636-07-1", None),
            ("0-395-36341-X", Some("isbn-check")),
            ("9783161484101", Some("isbn-check")),
            ("979-0-2600-0043-8", Some("isbn-prefix")),
            ("9771234567898", Some("isbn-prefix")),
            ("039536341", Some("isbn-shape")),
            ("97803953634161", Some("isbn-shape")),
            ("-0395363411", Some("isbn-shape")),
            ("0395363411-", Some("isbn-shape")),
            ("0--395363411", Some("isbn-shape")),
            ("978039536341X", Some("isbn-shape")),
            ("03953634X1", Some("isbn-shape")),
            ("%30395363411", Some("isbn-shape")),
            ("", Some("isbn-shape")),
        ] {
            assert_eq!(code(nss), expect, "{nss}");
            assert_eq!(
                Isbn.has_shape(nss.as_bytes()),
                expect != Some("isbn-shape"),
                "{nss}"
            );
        }
    }

    #[test]
    fn the_form_of_13_digits() {
        assert_eq!(isbn13(b"080442957x"), Some(*b"9780804429573"));
        assert_eq!(isbn13(b"0804429570"), None);
        assert_eq!(isbn13(b"x"), None);
    }
}
