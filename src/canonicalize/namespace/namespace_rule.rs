//! The trait that every namespace implements. Each rule has its own file.

use super::defect::Defect;

/// The rules of a namespace for its names.
///
/// The argument is an NSS that is normalized lexically (digits of `%XX` in upper case)
/// and matches the rule `NSS` of RFC 8141; methods that write are called only for an
/// NSS of the namespace's shape. Their output must also have the shape, must be its own
/// canonical form, and must keep `%XX` unchanged.
///
/// ```
/// use urisieve::canonicalize::namespace::{self, NamespaceRule};
/// let issn: &dyn NamespaceRule = namespace::rule(b"issn").unwrap();
/// assert!(issn.has_shape(b"0259-000x") && !issn.has_shape(b"0259"));
/// ```
pub trait NamespaceRule: Sync {
    /// Returns the NID, in lower case.
    ///
    /// ```
    /// use urisieve::canonicalize::namespace;
    /// assert_eq!(namespace::rule(b"ISBN").unwrap().nid(), "isbn");
    /// ```
    fn nid(&self) -> &'static str;

    /// Returns the document that contains the rule, with the section if known.
    ///
    /// ```
    /// use urisieve::canonicalize::namespace;
    /// assert_eq!(namespace::rule(b"nbn").unwrap().source(), "RFC 8458 section 4.3");
    /// ```
    fn source(&self) -> &'static str;

    /// Returns the rule in a few words.
    ///
    /// ```
    /// use urisieve::canonicalize::namespace;
    /// assert_eq!(namespace::rule(b"epc").unwrap().summary(), "exact");
    /// ```
    fn summary(&self) -> &'static str;

    /// Whether the rule applies to this NSS. Others are unchanged.
    ///
    /// ```
    /// use urisieve::canonicalize::namespace;
    /// assert!(!namespace::rule(b"isbn").unwrap().has_shape(b"%30395363411"));
    /// ```
    fn has_shape(&self, nss: &[u8]) -> bool;

    /// Whether [`write`](NamespaceRule::write) would not change `nss`.
    ///
    /// ```
    /// use urisieve::canonicalize::namespace;
    /// assert!(!namespace::rule(b"mef").unwrap().is_canonical(b"A"));
    /// ```
    fn is_canonical(&self, nss: &[u8]) -> bool;

    /// Appends the canonical form of `nss` to `out`.
    ///
    /// ```
    /// use urisieve::canonicalize::namespace;
    /// let mut out = Vec::new();
    /// namespace::rule(b"mpeg").unwrap().write(b"MPEG7:Schema", &mut out);
    /// assert_eq!(out, b"mpeg7:Schema");
    /// ```
    fn write(&self, nss: &[u8], out: &mut Vec<u8>);

    /// Returns a defect of `nss`, such as a wrong check digit. A defect does not change
    /// the key.
    ///
    /// ```
    /// use urisieve::canonicalize::namespace;
    /// let defect = namespace::rule(b"issn").unwrap().defect(b"2070-1722").unwrap();
    /// assert_eq!(defect.code(), "issn-check");
    /// ```
    fn defect(&self, nss: &[u8]) -> Option<Defect> {
        let _ = nss;
        None
    }
}
