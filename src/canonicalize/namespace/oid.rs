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
            "an OID is numbers without leading zeros, with dots between them; the first is 0, 1 or \
             2, and the second is below 40 after 0 and 1",
        ))
    }
}

fn is_oid(nss: &[u8]) -> bool {
    let mut arcs = nss.split(|byte| *byte == b'.');
    let is_number = |number: &[u8]| match number {
        [] | [b'0', _, ..] => false,
        digits => digits.iter().all(u8::is_ascii_digit),
    };
    arcs.clone().all(is_number) && has_root(arcs.next(), arcs.next())
}

/// Whether an arc of this number is below one of the three roots (RFC 3061 section 3, ITU-T
/// X.660): the encoding of the first two as one number leaves no others.
fn has_root(root: Option<&[u8]>, second: Option<&[u8]>) -> bool {
    let is_low = |arc: &[u8]| matches!(arc, [_] | [b'0'..=b'3', _]);
    match root {
        Some(b"0" | b"1") => second.is_none_or(is_low),
        Some(b"2") => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        for good in [
            "1.3.6.1",
            "2.16.840.1.113883.10.20.22.4.500",
            "0.0",
            "0",
            "1.39",
            "2.40",
            "2.999.1",
        ] {
            assert!(is_oid(good.as_bytes()), "{good}");
        }
        for bad in [
            "", "1.02.3", "1..2", ".1", "1.", "1.a", "3.1", "3", "10.1", "0.40", "1.100", "1.40.1",
        ] {
            assert!(!is_oid(bad.as_bytes()), "{bad}");
        }
    }
}
