//! `urn:issn:` (RFC 3044): the hyphen is ignored, `x` is `X`.

use super::{Defect, NamespaceRule};
use crate::syntax::check_digit;

pub(super) struct Issn;

impl NamespaceRule for Issn {
    fn nid(&self) -> &'static str {
        "issn"
    }

    fn source(&self) -> &'static str {
        "RFC 3044 section 5"
    }

    fn summary(&self) -> &'static str {
        "hyphen removed, `x` is `X`"
    }

    fn has_shape(&self, nss: &[u8]) -> bool {
        digits(nss).is_some()
    }

    fn is_canonical(&self, nss: &[u8]) -> bool {
        nss.len() == 8 && nss[7] != b'x'
    }

    fn write(&self, nss: &[u8], out: &mut Vec<u8>) {
        if let Some(digits) = digits(nss) {
            out.extend_from_slice(&digits);
        }
    }

    fn defect(&self, nss: &[u8]) -> Option<Defect> {
        match digits(nss) {
            None => Some(Defect::new(
                "issn-shape",
                "an ISSN has 8 digits, the last of which may be X, and may have a hyphen after the fourth",
            )),
            Some(digits) => (!check_digit::is_mod_11(&digits)).then_some(Defect::new(
                "issn-check",
                "the check digit of the ISSN is wrong",
            )),
        }
    }
}

/// Returns the eight digits of an ISSN, "X" in upper case.
fn digits(nss: &[u8]) -> Option<[u8; 8]> {
    let (head, tail) = nss.split_at_checked(4)?;
    let tail: &[u8; 4] = tail.strip_prefix(b"-").unwrap_or(tail).try_into().ok()?;
    let [tail @ .., last] = tail;
    let plain = head.iter().chain(tail).all(u8::is_ascii_digit);
    if !plain || !matches!(last, b'0'..=b'9' | b'x' | b'X') {
        return None;
    }
    let mut digits = [last.to_ascii_uppercase(); 8];
    digits[..4].copy_from_slice(head);
    digits[4..7].copy_from_slice(tail);
    Some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_and_check_digits() {
        for (nss, expect) in [
            ("0259-000X", None),
            ("0259000x", None),
            ("1560-1560", None),
            ("2070-1722", Some("issn-check")),
            ("025-9000X", Some("issn-shape")),
            ("0259--000X", Some("issn-shape")),
            ("0259-000", Some("issn-shape")),
            ("0259-00X0", Some("issn-shape")),
            ("", Some("issn-shape")),
        ] {
            assert_eq!(
                Issn.defect(nss.as_bytes()).map(Defect::code),
                expect,
                "{nss}"
            );
        }
    }
}
