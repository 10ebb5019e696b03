//! `urn:smpte:` (RFC 5119): a universal label (`ul:`) is hexadecimal and
//! case-insensitive; the other sub-namespaces are exact.

use super::{Defect, NamespaceRule, fold};

pub(super) struct Smpte;

impl NamespaceRule for Smpte {
    fn nid(&self) -> &'static str {
        "smpte"
    }

    fn source(&self) -> &'static str {
        "RFC 5119"
    }

    fn summary(&self) -> &'static str {
        "`ul:` case-insensitive, others exact"
    }

    fn has_shape(&self, nss: &[u8]) -> bool {
        is_label(nss) && groups(nss)
    }

    fn is_canonical(&self, nss: &[u8]) -> bool {
        fold::is_folded(nss)
    }

    fn write(&self, nss: &[u8], out: &mut Vec<u8>) {
        fold::write(nss, out);
    }

    fn defect(&self, nss: &[u8]) -> Option<Defect> {
        (is_label(nss) && !groups(nss)).then_some(Defect::new(
            "smpte-shape",
            "a universal label is four groups of 8 hexadecimal digits with dots between them",
        ))
    }
}

fn is_label(nss: &[u8]) -> bool {
    fold::at_colon(nss).0.eq_ignore_ascii_case(b"ul")
}

fn groups(nss: &[u8]) -> bool {
    nss.len() == 38
        && nss[3..].iter().enumerate().all(|(at, byte)| match at {
            8 | 17 | 26 => *byte == b'.',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_label_is_folded() {
        assert!(Smpte.has_shape(b"UL:060E2B34.04010101.0D010101.01020101"));
        assert!(!Smpte.has_shape(b"ul:060E2B34.0401010G.0D010101.01020101"));
        assert!(!Smpte.has_shape(b"um:060E2B34.04010101.0D010101.01020101"));
    }

    #[test]
    fn shapes() {
        assert!(Smpte.has_shape(b"ul:060E2B34.01040101.01010101.01010101"));
        assert!(!Smpte.has_shape(b"umid:060A2B34.01010105.01010D20.13000000"));
        assert!(Smpte.defect(b"umid:X").is_none());
        assert_eq!(Smpte.defect(b"ul:060E2B34").unwrap().code(), "smpte-shape");
    }
}
