//! What the namespaces of URNs make equal beyond RFC 8141 section 3.1. Here only
//! the base rule: the NSS is compared as it is.

/// Whether [`write()`] would change nothing of `nss`.
pub(super) fn is_canonical(_nid: &[u8], _nss: &[u8]) -> bool {
    true
}

/// Appends the canonical form of `nss` to `out`. The NID is in lower case, the
/// digits of percent-encoding in upper case.
pub(super) fn write(_nid: &[u8], nss: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(nss);
}
