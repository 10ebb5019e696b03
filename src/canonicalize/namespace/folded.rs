//! Namespaces whose NSS is compared without regard to case.

use super::{NamespaceRule, fold};

/// The rule of a namespace whose whole NSS is case-insensitive.
///
/// ```
/// use urisieve::canonicalize::namespace::{Folded, NamespaceRule};
/// let mut out = Vec::new();
/// Folded::new("service", "RFC 5031").write(b"SOS.fire", &mut out);
/// assert_eq!(out, b"sos.fire");
/// ```
pub struct Folded {
    nid: &'static str,
    source: &'static str,
}

impl Folded {
    /// Creates the rule of `nid`, which the document `source` registers.
    ///
    /// ```
    /// use urisieve::canonicalize::namespace::{Folded, NamespaceRule};
    /// assert!(!Folded::new("mef", "RFC 7818").is_canonical(b"Def"));
    /// ```
    pub const fn new(nid: &'static str, source: &'static str) -> Folded {
        Folded { nid, source }
    }
}

impl NamespaceRule for Folded {
    fn nid(&self) -> &'static str {
        self.nid
    }

    fn source(&self) -> &'static str {
        self.source
    }

    fn summary(&self) -> &'static str {
        "case-insensitive"
    }

    fn has_shape(&self, _: &[u8]) -> bool {
        true
    }

    fn is_canonical(&self, nss: &[u8]) -> bool {
        fold::is_folded(nss)
    }

    fn write(&self, nss: &[u8], out: &mut Vec<u8>) {
        fold::write(nss, out);
    }
}
