//! Namespaces whose first component is compared without regard to case.

use super::{NamespaceRule, fold};

/// The rule of a namespace in which the text before the first ":" is case-insensitive
/// and the text after it exact.
///
/// ```
/// use urisieve::canonicalize::namespace::{FirstComponent, NamespaceRule};
/// let mut out = Vec::new();
/// FirstComponent::new("tva", "RFC 4195").write(b"MetaData:2002", &mut out);
/// assert_eq!(out, b"metadata:2002");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FirstComponent {
    nid: &'static str,
    source: &'static str,
}

impl FirstComponent {
    /// Creates the rule of `nid`, which the document `source` registers.
    ///
    /// ```
    /// use urisieve::canonicalize::namespace::{FirstComponent, NamespaceRule};
    /// assert!(FirstComponent::new("ebu", "RFC 5174").is_canonical(b"metadata:Cs"));
    /// ```
    pub const fn new(nid: &'static str, source: &'static str) -> FirstComponent {
        FirstComponent { nid, source }
    }
}

impl NamespaceRule for FirstComponent {
    fn nid(&self) -> &'static str {
        self.nid
    }

    fn source(&self) -> &'static str {
        self.source
    }

    fn summary(&self) -> &'static str {
        "first component case-insensitive, rest exact"
    }

    fn has_shape(&self, _: &[u8]) -> bool {
        true
    }

    fn is_canonical(&self, nss: &[u8]) -> bool {
        fold::is_folded(fold::at_colon(nss).0)
    }

    fn write(&self, nss: &[u8], out: &mut Vec<u8>) {
        let (first, rest) = fold::at_colon(nss);
        fold::write(first, out);
        out.extend_from_slice(rest);
    }
}
