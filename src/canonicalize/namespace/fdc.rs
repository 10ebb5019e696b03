//! `urn:fdc:` (RFC 4198): a domain name, a date and a name that the owner chooses. Only
//! the domain name is case-insensitive.

use super::{Defect, NamespaceRule, fold};

pub(super) struct Fdc;

impl NamespaceRule for Fdc {
    fn nid(&self) -> &'static str {
        "fdc"
    }

    fn source(&self) -> &'static str {
        "RFC 4198"
    }

    fn summary(&self) -> &'static str {
        "ProviderId lower case, rest exact"
    }

    fn has_shape(&self, nss: &[u8]) -> bool {
        is_fdc(nss)
    }

    fn is_canonical(&self, nss: &[u8]) -> bool {
        fold::is_folded(fold::at_colon(nss).0)
    }

    fn write(&self, nss: &[u8], out: &mut Vec<u8>) {
        let (provider, rest) = fold::at_colon(nss);
        fold::write(provider, out);
        out.extend_from_slice(rest);
    }

    fn defect(&self, nss: &[u8]) -> Option<Defect> {
        (!is_fdc(nss)).then_some(Defect::new(
            "fdc-shape",
            "an FDC name is a domain name, a date of 4, 6 or 8 digits and a name, with colons between them",
        ))
    }
}

fn is_fdc(nss: &[u8]) -> bool {
    let mut parts = nss.splitn(3, |byte| *byte == b':');
    let (Some(provider), Some(date), Some([_, ..])) = (parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    !provider.is_empty()
        && provider.iter().all(in_name)
        && matches!(date.len(), 4 | 6 | 8)
        && date.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        assert!(is_fdc(b"Example.COM:20040315:ABC") && is_fdc(b"example.net:200406:ivr:51089"));
        for bad in [
            "Example.COM",
            "Example.COM:ABC",
            "a:2004:",
            "a_b:2004:c",
            ":2004:c",
            "a:20041:c",
        ] {
            assert!(!is_fdc(bad.as_bytes()), "{bad}");
        }
    }
}
