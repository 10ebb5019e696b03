//! `urn:gsma:` (RFC 7254): case-insensitive. An IMEI without `;vers=` has the version
//! 0, so `;vers=0` is redundant.

use super::{Defect, NamespaceRule, fold};

pub(super) struct Gsma;

impl NamespaceRule for Gsma {
    fn nid(&self) -> &'static str {
        "gsma"
    }

    fn source(&self) -> &'static str {
        "RFC 7254"
    }

    fn summary(&self) -> &'static str {
        "case-insensitive, `;vers=0` of an IMEI ignored"
    }

    fn has_shape(&self, _: &[u8]) -> bool {
        true
    }

    fn is_canonical(&self, nss: &[u8]) -> bool {
        fold::is_folded(nss) && !(is_imei(nss) && parameters(nss).any(is_version_0))
    }

    fn write(&self, nss: &[u8], out: &mut Vec<u8>) {
        if !is_imei(nss) {
            return fold::write(nss, out);
        }
        let mut parts = nss.split(|byte| *byte == b';');
        fold::write(parts.next().unwrap_or_default(), out);
        for parameter in parts.filter(|part| !is_version_0(part)) {
            out.push(b';');
            fold::write(parameter, out);
        }
    }

    fn defect(&self, nss: &[u8]) -> Option<Defect> {
        let (_, name) = fold::at_colon(nss);
        let name = name.split(|byte| *byte == b';').next().unwrap_or_default();
        let shape = name.len() == 18
            && name.iter().enumerate().all(|(at, byte)| match at {
                0 => *byte == b':',
                9 | 16 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        (is_imei(nss) && !shape).then_some(Defect::new(
            "imei-shape",
            "an IMEI is 8 digits, 6 digits and 1 digit, with hyphens between them",
        ))
    }
}

fn is_imei(nss: &[u8]) -> bool {
    fold::at_colon(nss).0.eq_ignore_ascii_case(b"imei")
}

fn parameters(nss: &[u8]) -> impl Iterator<Item = &[u8]> {
    nss.split(|byte| *byte == b';').skip(1)
}

fn is_version_0(parameter: &[u8]) -> bool {
    parameter.eq_ignore_ascii_case(b"vers=0")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(nss: &str) -> String {
        let mut out = Vec::new();
        Gsma.write(nss.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn version_0_says_nothing() {
        assert_eq!(
            canonical("IMEI:90420156-025763-0;Vers=0;SVN=42"),
            "imei:90420156-025763-0;svn=42"
        );
        assert_eq!(
            canonical("imei:90420156-025763-0;vers=0;vers=0"),
            "imei:90420156-025763-0"
        );
        assert_eq!(
            canonical("imei:90420156-025763-0;vers=01"),
            "imei:90420156-025763-0;vers=01"
        );
        assert_eq!(canonical("foo:A;vers=0"), "foo:a;vers=0");
    }

    #[test]
    fn shapes() {
        assert!(Gsma.defect(b"imei:90420156-025763-0;svn=42").is_none());
        assert!(Gsma.defect(b"foo").is_none());
        for bad in [
            "imei:90420156-025763-",
            "imei:904201560257630",
            "IMEI:x0420156-025763-0",
            "imei",
        ] {
            assert_eq!(
                Gsma.defect(bad.as_bytes()).unwrap().code(),
                "imei-shape",
                "{bad}"
            );
        }
    }
}
