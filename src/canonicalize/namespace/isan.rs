//! `urn:isan:` (RFC 4246): case-insensitive. The hyphens are part of the name: no
//! document allows to ignore them.

use super::{Defect, NamespaceRule, fold};
use crate::syntax::check_digit;

pub(super) struct Isan;

impl NamespaceRule for Isan {
    fn nid(&self) -> &'static str {
        "isan"
    }

    fn source(&self) -> &'static str {
        "RFC 4246"
    }

    fn summary(&self) -> &'static str {
        "case-insensitive"
    }

    fn has_shape(&self, nss: &[u8]) -> bool {
        nss.iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    }

    fn is_canonical(&self, nss: &[u8]) -> bool {
        fold::is_folded(nss)
    }

    fn write(&self, nss: &[u8], out: &mut Vec<u8>) {
        fold::write(nss, out);
    }

    fn defect(&self, nss: &[u8]) -> Option<Defect> {
        const SHAPE: Defect = Defect::new(
            "isan-shape",
            "an ISAN is 16 hexadecimal digits and a check character, then 8 for a version and another one",
        );
        const CHECK: Defect = Defect::new("isan-check", "a check character of the ISAN is wrong");
        let mut text = [0; 26];
        let mut len = 0;
        for &byte in nss.iter().filter(|byte| **byte != b'-') {
            match text.get_mut(len) {
                Some(place) => *place = byte,
                None => return Some(SHAPE),
            }
            len += 1;
        }
        let (root, version) = (&text[..16], &text[17..25]);
        let is_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
        let shape = is_hex(root)
            && text[16].is_ascii_alphanumeric()
            && match len {
                17 => true,
                26 => is_hex(version) && text[25].is_ascii_alphanumeric(),
                _ => false,
            };
        if !shape {
            return Some(SHAPE);
        }
        // The second character checks root and version without the first check
        // character.
        let valid = check_digit::is_mod_37_36(text[..17].iter().copied())
            && (len == 17 || check_digit::is_mod_37_36(root.iter().chain(&text[17..]).copied()));
        (!valid).then_some(CHECK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_and_check_characters() {
        for (nss, expect) in [
            ("0000-0001-8947-0000-8-0000-0000-D", None),
            ("1881-66C7-3420-6541-Y-9F3A-0245-O", None),
            ("1881-66C7-3420-6541-9-9F3A-0245-U", Some("isan-check")),
            ("0000-0001-8947-0000-8", None),
            ("000000018947000080000000d0", Some("isan-check")),
            ("00000001894700008000000000d", Some("isan-shape")),
            ("0000-0001-8947-0000-9", Some("isan-check")),
            ("0000-0001-8947-0000-8-0000-0000-E", Some("isan-check")),
            ("0000-0001-8947-0000", Some("isan-shape")),
            ("0000-0001-8947-000G-8", Some("isan-shape")),
            ("0000-0001-8947-0000-8-000G-0000-D", Some("isan-shape")),
            ("0000-0001-8947-0000-8-0000-0000-.", Some("isan-shape")),
            ("", Some("isan-shape")),
        ] {
            assert_eq!(
                Isan.defect(nss.as_bytes()).map(Defect::code),
                expect,
                "{nss}"
            );
        }
        assert!(Isan.has_shape(b"0000-0001-8947-000G"));
        assert!(!Isan.has_shape(b"0000-0001-8947-000G."));
    }
}
