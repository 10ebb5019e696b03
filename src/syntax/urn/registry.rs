//! The namespaces in the IANA registry, as a sorted table.

use super::{Document, NamespaceKind, compare_nids, kind};

/// The formal namespaces of the registry as of January 2018, later ones that are known
/// for certain, and the informal ones, each with the RFCs that register it, if any. The
/// list is in byte order, and not complete after 2018.
const NAMESPACES: [(&str, &str); 78] = [
    ("3gpp", "RFC 5279"),
    ("3gpp2", "RFC 8464"),
    ("adid", "RFC 8107"),
    ("alert", "RFC 7462"),
    ("bbf", "RFC 8057"),
    ("broadband-forum-org", "RFC 8057"),
    ("c2pa", ""),
    ("cablelabs", "RFC 6289"),
    ("ccsds", ""),
    ("cgi", "RFC 5138"),
    ("clei", "RFC 4152"),
    ("ddi", ""),
    ("dev", "RFC 9039"),
    ("dgiwg", "RFC 6288"),
    ("dslforum-org", "RFC 8057"),
    ("dvb", "RFC 5328"),
    ("ebu", "RFC 5174"),
    ("eidr", "RFC 7972"),
    ("epc", "RFC 5134"),
    ("epcglobal", "RFC 5134"),
    ("etsi", "RFC 8515"),
    ("eurosystem", "RFC 7207"),
    ("example", "RFC 6963"),
    ("fdc", "RFC 4198"),
    ("fipa", "RFC 3616"),
    ("geant", "RFC 4926"),
    ("globus", ""),
    ("gsma", "RFC 7254"),
    ("hbbtv", "RFC 7528"),
    ("ieee", "RFC 8069"),
    ("ietf", "RFC 2648, RFC 3553"),
    ("iptc", "RFC 3937"),
    ("isan", "RFC 4246"),
    ("isbn", "RFC 3187, RFC 8254"),
    ("iso", "RFC 5141"),
    ("issn", "RFC 3044, RFC 8254"),
    ("ivis", "RFC 4617"),
    ("lei", ""),
    ("lex", "RFC 9676"),
    ("liberty", "RFC 3622"),
    ("mace", "RFC 3613"),
    ("mef", "RFC 7818"),
    ("mpeg", "RFC 3614"),
    ("mrn", ""),
    ("nan", ""),
    ("nato", ""),
    ("nbn", "RFC 8458"),
    ("nena", "RFC 6061"),
    ("newsml", "RFC 3085"),
    ("nfc", "RFC 4729"),
    ("nzl", "RFC 4350"),
    ("oasis", "RFC 3121"),
    ("ogc", "RFC 5165"),
    ("ogf", ""),
    ("oid", "RFC 3061"),
    ("oipf", "RFC 6893"),
    ("oma", "RFC 4358"),
    ("pin", "RFC 3043"),
    ("publicid", "RFC 3151"),
    ("s1000d", "RFC 4688"),
    ("schac", "RFC 6338"),
    ("service", "RFC 5031"),
    ("smpte", "RFC 5119"),
    ("swift", "RFC 3615"),
    ("tva", "RFC 4195"),
    ("uci", "RFC 4179"),
    ("ucode", "RFC 6588"),
    ("urn-1", ""),
    ("urn-2", ""),
    ("urn-3", ""),
    ("urn-4", ""),
    ("urn-5", ""),
    ("urn-6", ""),
    ("urn-7", "RFC 6050"),
    ("uuid", "RFC 4122, RFC 9562"),
    ("web3d", "RFC 3541"),
    ("xmlorg", "RFC 3120"),
    ("xmpp", "RFC 4854"),
];

/// Whether a namespace is registered.
///
/// ```
/// use urisieve::syntax::urn::{Registration, registration};
/// assert_eq!(registration(b"ISBN"), Registration::Registered);
/// assert_eq!(registration(b"hl7-org"), Registration::Unregistered);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Registration {
    /// A formal namespace of the table.
    Registered,
    /// An informal namespace of the table: `urn-1` to `urn-7`.
    Informal,
    /// `X-…`, which is never registered (RFC 8141 section 5.1).
    Experimental,
    /// A NID that no namespace may have, or that is reserved for country codes.
    Reserved,
    /// Not in the table.
    Unregistered,
}

impl Registration {
    /// Returns the name, for reports.
    ///
    /// ```
    /// use urisieve::syntax::urn::Registration;
    /// assert_eq!(Registration::Unregistered.name(), "unregistered");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Registration::Registered => "registered",
            Registration::Informal => "informal",
            Registration::Experimental => "experimental",
            Registration::Reserved => "reserved",
            Registration::Unregistered => "unregistered",
        }
    }
}

/// Returns whether the namespace `nid`, of any case, is registered. The kinds are those
/// of RFC 8141 section 5.
///
/// ```
/// use urisieve::syntax::urn::{Registration, registration};
/// assert_eq!(registration(b"urn-7"), Registration::Informal);
/// assert_eq!(registration(b"urn-8"), Registration::Unregistered);
/// assert_eq!(registration(b"x-a"), Registration::Experimental);
/// ```
pub fn registration(nid: &[u8]) -> Registration {
    match (kind(Document::Rfc8141, nid), position(nid)) {
        (NamespaceKind::Informal, Some(_)) => Registration::Informal,
        (_, Some(_)) => Registration::Registered,
        (NamespaceKind::Experimental, None) => Registration::Experimental,
        (NamespaceKind::Reserved | NamespaceKind::Country, None) => Registration::Reserved,
        (NamespaceKind::Formal | NamespaceKind::Informal, None) => Registration::Unregistered,
    }
}

/// Returns the RFCs that register the namespace `nid`; `None` when it is not in the
/// table or was registered without an RFC.
///
/// ```
/// use urisieve::syntax::urn;
/// assert_eq!(urn::reference(b"uuid"), Some("RFC 4122, RFC 9562"));
/// assert_eq!(urn::reference(b"lei"), None);
/// ```
pub fn reference(nid: &[u8]) -> Option<&'static str> {
    position(nid)
        .map(|at| NAMESPACES[at].1)
        .filter(|reference| !reference.is_empty())
}

/// Returns the registered namespaces in byte order, each with the document that
/// registers it, which is empty without an RFC.
///
/// ```
/// use urisieve::syntax::urn;
/// assert!(urn::namespaces().any(|(nid, reference)| nid == "nbn" && reference == "RFC 8458"));
/// ```
pub fn namespaces() -> impl Iterator<Item = (&'static str, &'static str)> {
    NAMESPACES.into_iter()
}

fn position(nid: &[u8]) -> Option<usize> {
    NAMESPACES
        .binary_search_by(|(lower, _)| compare_nids(lower, nid))
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_found_in_any_case() {
        assert!(NAMESPACES.is_sorted_by(|a, b| a.0 < b.0));
        for (nid, _) in NAMESPACES {
            let informal = nid.starts_with("urn-");
            let expect = [Registration::Registered, Registration::Informal][usize::from(informal)];
            assert_eq!(registration(nid.to_uppercase().as_bytes()), expect, "{nid}");
        }
    }

    #[test]
    fn what_is_not_in_the_table() {
        for (nid, expect) in [
            ("hl7-org", Registration::Unregistered),
            ("urn", Registration::Unregistered),
            ("urn-08", Registration::Reserved),
            ("fi", Registration::Reserved),
            ("xn--a", Registration::Reserved),
            ("", Registration::Reserved),
        ] {
            assert_eq!(registration(nid.as_bytes()), expect, "{nid}");
        }
    }
}
