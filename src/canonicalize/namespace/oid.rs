//! `urn:oid:` (RFC 3061): numbers with dots between them, compared exactly.

use super::{Defect, NamespaceRule};

pub(super) struct Oid;

impl NamespaceRule for Oid {
    fn nid(&self) -> &'static str {
        "oid"
    }

    fn source(&self) -> &'static str {
        "RFC 3061"
    }

    fn summary(&self) -> &'static str {
        "exact"
    }

    fn has_shape(&self, nss: &[u8]) -> bool {
        is_oid(nss)
    }

    fn is_canonical(&self, _: &[u8]) -> bool {
        true
    }

    fn write(&self, nss: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(nss);
    }

    fn defect(&self, nss: &[u8]) -> Option<Defect> {
        (!is_oid(nss)).then_some(Defect::new(
            "oid-shape",
            "an OID is numbers without leading zeros, with dots between them",
        ))
    }
}

fn is_oid(nss: &[u8]) -> bool {
    nss.split(|byte| *byte == b'.').all(|number| match number {
        [] | [b'0', _, ..] => false,
        digits => digits.iter().all(u8::is_ascii_digit),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        assert!(
            is_oid(b"1.3.6.1") && is_oid(b"2.16.840.1.113883.10.20.22.4.500") && is_oid(b"0.0")
        );
        for bad in ["", "1.02.3", "1..2", ".1", "1.", "1.a"] {
            assert!(!is_oid(bad.as_bytes()), "{bad}");
        }
    }
}
