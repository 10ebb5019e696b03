//! `urn:eidr:` (RFC 7972): a DOI prefix, a colon and the rest of the DOI, all
//! case-insensitive. A content identifier (10.5240) has a check character.

use super::{Defect, NamespaceRule, fold};
use crate::syntax::check_digit;

pub(super) struct Eidr;

impl NamespaceRule for Eidr {
    fn nid(&self) -> &'static str {
        "eidr"
    }

    fn source(&self) -> &'static str {
        "RFC 7972"
    }

    fn summary(&self) -> &'static str {
        "case-insensitive"
    }

    fn has_shape(&self, nss: &[u8]) -> bool {
        is_eidr(nss)
    }

    fn is_canonical(&self, nss: &[u8]) -> bool {
        fold::is_folded(nss)
    }

    fn write(&self, nss: &[u8], out: &mut Vec<u8>) {
        fold::write(nss, out);
    }

    fn defect(&self, nss: &[u8]) -> Option<Defect> {
        const SHAPE: Defect = Defect::new(
            "eidr-shape",
            "an EIDR is a DOI prefix, a colon and groups of 4 hexadecimal digits; after 10.5240: five, and a check character",
        );
        const CHECK: Defect = Defect::new("eidr-check", "the check character of the EIDR is wrong");
        let content = nss.strip_prefix(b"10.5240:");
        if !is_eidr(nss) || content.is_some_and(|text| !is_content(text)) {
            return Some(SHAPE);
        }
        content
            .filter(|text| !check_digit::is_mod_37_36(text.iter().copied()))
            .map(|_| CHECK)
    }
}

fn is_eidr(nss: &[u8]) -> bool {
    let (prefix, rest) = fold::at_colon(nss);
    prefix
        .strip_prefix(b"10.")
        .is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
        && rest.len() > 1
        && rest[1..]
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

/// Five groups of four hexadecimal digits and a check character.
fn is_content(text: &[u8]) -> bool {
    text.len() == 26
        && text.iter().enumerate().all(|(at, byte)| match at {
            4 | 9 | 14 | 19 | 24 => *byte == b'-',
            25 => byte.is_ascii_alphanumeric(),
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_and_check_characters() {
        for (nss, expect) in [
            ("10.5240:7791-8534-2C23-9030-8610-5", None),
            ("10.5240:7791-8534-2c23-9030-8610-5", None),
            ("10.5237:9241-B6BE", None),
            ("10.5240:7791-8534-2C23-9030-8610-6", Some("eidr-check")),
            ("10.5240:7791-8534-2C23-9030-8610", Some("eidr-shape")),
            ("10.5240:F592-58D1-A4D9-E968-5435-L", None),
            ("10.5240:f592-58d1-a4d9-e968-5435-l", None),
            ("10.5240:F592-58D1-A4D9-E968-543G-L", Some("eidr-shape")),
            ("10.5240/7791-8534-2C23-9030-8610-5", Some("eidr-shape")),
            ("10.5237:", Some("eidr-shape")),
            ("10.5237:A_B", Some("eidr-shape")),
            ("10.:A", Some("eidr-shape")),
            ("10.5x:A", Some("eidr-shape")),
            ("", Some("eidr-shape")),
        ] {
            assert_eq!(
                Eidr.defect(nss.as_bytes()).map(Defect::code),
                expect,
                "{nss}"
            );
        }
        let sentence = Eidr.defect(b"").unwrap().to_string();
        assert!(sentence.starts_with("an EIDR is a DOI prefix"));
    }

    /// Any other value is compared octet by octet.
    #[test]
    fn only_what_has_the_shape_is_folded() {
        use crate::canonicalize::namespace;
        for (nss, expect) in [
            ("10.5237:AB-C", "10.5237:ab-c"),
            ("10.5237/AB-C", "10.5237/AB-C"),
            ("10.5237:A_B", "10.5237:A_B"),
        ] {
            let mut out = Vec::new();
            namespace::write(b"eidr", nss.as_bytes(), &mut out);
            assert_eq!(String::from_utf8_lossy(&out), expect);
            let is_canonical = namespace::is_canonical(b"eidr", nss.as_bytes());
            assert_eq!(is_canonical, nss == expect, "{nss}");
        }
    }
}
