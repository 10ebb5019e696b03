//! `urn:uuid:` (RFC 4122 section 3, RFC 9562 section 4): compared as numbers, so
//! the case of the digits does not count.

use super::{Defect, NamespaceRule, fold};

pub(super) struct Uuid;

impl NamespaceRule for Uuid {
    fn nid(&self) -> &'static str {
        "uuid"
    }

    fn source(&self) -> &'static str {
        "RFC 4122 section 3, RFC 9562 section 4"
    }

    fn summary(&self) -> &'static str {
        "lower case"
    }

    fn has_shape(&self, nss: &[u8]) -> bool {
        is_uuid(nss)
    }

    fn is_canonical(&self, nss: &[u8]) -> bool {
        fold::is_folded(nss)
    }

    fn write(&self, nss: &[u8], out: &mut Vec<u8>) {
        fold::write(nss, out);
    }

    fn defect(&self, nss: &[u8]) -> Option<Defect> {
        (!is_uuid(nss)).then_some(Defect::new(
            "uuid-shape",
            "a UUID is 8-4-4-4-12 hexadecimal digits",
        ))
    }
}

fn is_uuid(nss: &[u8]) -> bool {
    nss.len() == 36
        && nss.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        assert!(is_uuid(b"F81D4FAE-7DEC-11D0-a765-00a0c91e6bf6"));
        for bad in [
            "f81d4fae-7dec-11d0-a765-00a0c91e6bf",
            "f81d4fae-7dec-11d0-a765-00a0c91e6bfg",
            "f81d4fae7dec11d0a76500a0c91e6bf6",
            "f81d4fae-7dec-11d0-a76-500a0c91e6bf6",
        ] {
            assert!(!is_uuid(bad.as_bytes()), "{bad}");
        }
    }
}
