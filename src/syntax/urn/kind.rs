//! The kinds of namespaces, as each document defines them. Whether a namespace is
//! registered is another question (see `registry`).

use super::Document;

/// The kind of the namespace of a NID.
///
/// ```
/// use urisieve::syntax::urn::{Document, NamespaceKind, kind};
/// assert_eq!(kind(Document::Rfc8141, b"ISBN"), NamespaceKind::Formal);
/// assert_eq!(kind(Document::Rfc8141, b"X-a"), NamespaceKind::Experimental);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NamespaceKind {
    /// A NID that its owner chose.
    Formal,
    /// `urn-` and a number that IANA assigned (RFC 8141 section 5.2).
    Informal,
    /// `X-…` (RFC 3406 section 3.1). RFC 8141 section 5.1 registers none of them.
    Experimental,
    /// Two letters, alone or before `-…`: reserved for country codes.
    Country,
    /// A NID that no namespace may have.
    Reserved,
}

impl NamespaceKind {
    /// Returns the name, for reports.
    ///
    /// ```
    /// use urisieve::syntax::urn::NamespaceKind;
    /// assert_eq!(NamespaceKind::Informal.name(), "informal");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            NamespaceKind::Formal => "formal",
            NamespaceKind::Informal => "informal",
            NamespaceKind::Experimental => "experimental",
            NamespaceKind::Country => "country",
            NamespaceKind::Reserved => "reserved",
        }
    }
}

/// Returns the kind of `nid`, which matches the rule `NID` of `document`.
///
/// The documents of 1997 and 2010 leave the kinds to RFC 2611 and RFC 3406, and reserve
/// `urn`. The documents of 2015 and 2017 list names that a formal NID must not have,
/// and that list contains `urn-…` and two letters before two hyphens, but not `urn`.
///
/// ```
/// use urisieve::syntax::urn::{Document, NamespaceKind, kind};
/// assert_eq!(kind(Document::Rfc2141, b"urn"), NamespaceKind::Reserved);
/// assert_eq!(kind(Document::Draft2015, b"urn"), NamespaceKind::Formal);
/// assert_eq!(kind(Document::Rfc8141, b"fi"), NamespaceKind::Country);
/// assert_eq!(kind(Document::Rfc8141, b"xn--a"), NamespaceKind::Reserved);
/// ```
pub fn kind(document: Document, nid: &[u8]) -> NamespaceKind {
    let old = matches!(document, Document::Rfc2141 | Document::Draft2010);
    if old && nid.eq_ignore_ascii_case(b"urn") {
        return NamespaceKind::Reserved;
    }
    if let Some((head, number)) = nid.split_at_checked(4)
        && head.eq_ignore_ascii_case(b"urn-")
    {
        return match number {
            [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit) => {
                NamespaceKind::Informal
            }
            _ => NamespaceKind::Reserved,
        };
    }
    match nid {
        [b'x' | b'X', b'-', ..] => NamespaceKind::Experimental,
        [a, b, b'-', b'-', ..] if !old && letters(*a, *b) => NamespaceKind::Reserved,
        [a, b] | [a, b, b'-', ..] if letters(*a, *b) => NamespaceKind::Country,
        [] | [_] | [_, _] => NamespaceKind::Reserved,
        _ => NamespaceKind::Formal,
    }
}

fn letters(a: u8, b: u8) -> bool {
    a.is_ascii_alphabetic() && b.is_ascii_alphabetic()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_document() {
        use Document::{Draft2010, Draft2015, Rfc2141, Rfc8141};
        use NamespaceKind::{Country, Experimental, Formal, Informal, Reserved};
        for (nid, old, new) in [
            ("isbn", Formal, Formal),
            ("3gpp", Formal, Formal),
            ("URN", Reserved, Formal),
            ("urn-7", Informal, Informal),
            ("urn-07", Reserved, Reserved),
            ("urn-x", Reserved, Reserved),
            ("x-foo", Experimental, Experimental),
            ("fi", Country, Country),
            ("de-1a", Country, Country),
            ("xn--abc", Country, Reserved),
            ("ab--c", Country, Reserved),
            ("a1", Reserved, Reserved),
            ("x", Reserved, Reserved),
            ("a1-b", Formal, Formal),
        ] {
            for document in [Rfc2141, Draft2010] {
                assert_eq!(kind(document, nid.as_bytes()), old, "{document} {nid}");
            }
            for document in [Draft2015, Rfc8141] {
                assert_eq!(kind(document, nid.as_bytes()), new, "{document} {nid}");
            }
        }
    }
}
