//! Namespaces that are known to have no rule other than the base rule.

use super::NamespaceRule;

/// The rule of a namespace whose NSS is compared octet by octet. The rule distinguishes
/// a namespace whose registration was read from an unknown one.
///
/// ```
/// use urisieve::canonicalize::namespace::{Exact, NamespaceRule};
/// assert!(Exact::new("ogc", "RFC 5165").is_canonical(b"def:CRS:a"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Exact {
    nid: &'static str,
    source: &'static str,
}

impl Exact {
    /// Creates the rule of `nid`, which the document `source` registers.
    ///
    /// ```
    /// use urisieve::canonicalize::namespace::{Exact, NamespaceRule};
    /// assert_eq!(Exact::new("mace", "RFC 3613").nid(), "mace");
    /// ```
    pub const fn new(nid: &'static str, source: &'static str) -> Exact {
        Exact { nid, source }
    }
}

impl NamespaceRule for Exact {
    fn nid(&self) -> &'static str {
        self.nid
    }

    fn source(&self) -> &'static str {
        self.source
    }

    fn summary(&self) -> &'static str {
        "exact"
    }

    fn has_shape(&self, _: &[u8]) -> bool {
        true
    }

    fn is_canonical(&self, _: &[u8]) -> bool {
        true
    }

    fn write(&self, nss: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(nss);
    }
}
