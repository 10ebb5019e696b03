//! `urn:ietf:` (RFC 2648): the whole NSS is case-insensitive. The names below
//! `params:` came later (RFC 3553) and are exact, as XML namespaces must be.

use super::{NamespaceRule, fold};

pub(super) struct Ietf;

impl NamespaceRule for Ietf {
    fn nid(&self) -> &'static str {
        "ietf"
    }

    fn source(&self) -> &'static str {
        "RFC 2648, RFC 3553"
    }

    fn summary(&self) -> &'static str {
        "case-insensitive, but `params:` exact"
    }

    fn has_shape(&self, nss: &[u8]) -> bool {
        !fold::at_colon(nss).0.eq_ignore_ascii_case(b"params")
    }

    fn is_canonical(&self, nss: &[u8]) -> bool {
        fold::is_folded(nss)
    }

    fn write(&self, nss: &[u8], out: &mut Vec<u8>) {
        fold::write(nss, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn params_have_no_shape_in_any_case() {
        assert!(Ietf.has_shape(b"RFC:2648") && Ietf.has_shape(b"paramset:A"));
        assert!(!Ietf.has_shape(b"params:xml:ns:xmpp-Tls") && !Ietf.has_shape(b"PARAMS:A"));
    }
}
