//! The rules of equivalence of URN namespaces (RFC 8141 section 3.1: a namespace may
//! merge names that the base rule distinguishes, and must not split those that it
//! merges).
//!
//! One file for each namespace or family, and one line in `RULES`. To add a namespace,
//! implement [`NamespaceRule`] for a unit struct in a new file, or use a family
//! ([`Folded`], [`FirstComponent`], [`Exact`]), and insert it into the
//! table in byte order.

mod defect;
mod eidr;
mod exact;
mod fdc;
mod first_component;
pub(super) mod fold;
mod folded;
mod gsma;
mod ietf;
mod isan;
mod isbn;
mod issn;
mod namespace_rule;
mod nbn;
mod oid;
mod smpte;
mod uuid;

pub use defect::Defect;
pub use exact::Exact;
pub use first_component::FirstComponent;
pub use folded::Folded;
pub use isbn::isbn13;
pub use namespace_rule::NamespaceRule;

use crate::syntax::urn;
use std::sync::LazyLock;

/// The rules, in the order of their NIDs. A namespace that is not listed has only the
/// base rule.
static RULES: &[&dyn NamespaceRule] = &[
    &Exact::new("3gpp", "RFC 5279"),
    &Folded::new("adid", "RFC 8107"),
    &Folded::new("alert", "RFC 7462"),
    &Folded::new("clei", "RFC 4152"),
    &Exact::new("dev", "RFC 9039 section 3.2.1"),
    &Folded::new("dvb", "RFC 5328"),
    &FirstComponent::new("ebu", "RFC 5174"),
    &eidr::Eidr,
    &Exact::new("epc", "RFC 5134"),
    &Exact::new("epcglobal", "RFC 5134"),
    &Folded::new("etsi", "RFC 8515"),
    &fdc::Fdc,
    &Exact::new("fipa", "RFC 3616"),
    &Exact::new("geant", "RFC 4926"),
    &gsma::Gsma,
    &Folded::new("hbbtv", "RFC 7528"),
    &Folded::new("ieee", "RFC 8069"),
    &ietf::Ietf,
    &isan::Isan,
    &isbn::Isbn,
    &issn::Issn,
    &Folded::new("ivis", "RFC 4617"),
    &Folded::new("lex", "RFC 9676"),
    &Exact::new("liberty", "RFC 3622"),
    &Exact::new("mace", "RFC 3613"),
    &Folded::new("mef", "RFC 7818"),
    &FirstComponent::new("mpeg", "RFC 3614"),
    &nbn::Nbn,
    &Folded::new("newsml", "RFC 3085"),
    &Folded::new("nzl", "RFC 4350"),
    &Exact::new("oasis", "RFC 3121"),
    &Exact::new("ogc", "RFC 5165"),
    &oid::Oid,
    &Folded::new("oipf", "RFC 6893"),
    &Folded::new("pin", "RFC 3043"),
    &Exact::new("publicid", "RFC 3151"),
    &Folded::new("s1000d", "RFC 4688"),
    &Exact::new("schac", "RFC 6338"),
    &Folded::new("service", "RFC 5031"),
    &smpte::Smpte,
    &Exact::new("swift", "RFC 3615"),
    &FirstComponent::new("tva", "RFC 4195"),
    &Exact::new("ucode", "RFC 6588"),
    &Folded::new("urn-7", "RFC 6050"),
    &uuid::Uuid,
    &Exact::new("web3d", "RFC 3541"),
    &Exact::new("xmlorg", "RFC 3120"),
    &Exact::new("xmpp", "RFC 4854"),
];

/// Returns all rules, in the order of their NIDs.
///
/// ```
/// use urisieve::canonicalize::namespace;
/// assert!(namespace::all().iter().any(|rule| rule.nid() == "isbn"));
/// ```
pub fn all() -> &'static [&'static dyn NamespaceRule] {
    RULES
}

/// Returns the rule of the namespace `nid`, of any case. `None` when only the base rule
/// applies.
///
/// ```
/// use urisieve::canonicalize::namespace;
/// assert!(namespace::rule(b"UUID").is_some());
/// assert!(namespace::rule(b"example").is_none());
/// ```
pub fn rule(nid: &[u8]) -> Option<&'static dyn NamespaceRule> {
    match nid {
        // Most names of catalogues.
        b"isbn" => return Some(&isbn::Isbn),
        b"issn" => return Some(&issn::Issn),
        _ => {}
    }
    let at = BEGINNINGS.binary_search(&beginning(nid)).ok()?;
    let rule = RULES[at];
    nid.eq_ignore_ascii_case(rule.nid().as_bytes())
        .then_some(rule)
}

/// The first bytes of the NIDs of the rules, by which one is found; no two have the same.
static BEGINNINGS: LazyLock<Vec<u64>> = LazyLock::new(|| {
    RULES
        .iter()
        .map(|rule| beginning(rule.nid().as_bytes()))
        .collect()
});

/// Returns the first eight bytes of a NID, the first one highest. The bit that makes letters small
/// is set in digits and hyphens, too.
fn beginning(nid: &[u8]) -> u64 {
    const LEN: usize = size_of::<u64>();
    let first = nid.iter().take(LEN);
    let all = first.fold(0, |all: u64, byte| all << 8 | u64::from(byte | 0x20));
    all.unbounded_shl(8 * LEN.saturating_sub(nid.len()) as u32)
}

/// Returns the rule that applies to this name.
fn applicable(nid: &[u8], nss: &[u8]) -> Option<&'static dyn NamespaceRule> {
    rule(nid).filter(|rule| urn::is_nss(nss) && rule.has_shape(nss))
}

/// Appends the canonical form of `nss` in the namespace `nid` to `out`; `nss` itself
/// when the namespace has no rule or `nss` does not have its shape. `nss` is normalized
/// lexically and has no components.
///
/// ```
/// use urisieve::canonicalize::namespace;
/// let mut out = b"urn:isbn:".to_vec();
/// namespace::write(b"isbn", b"0-8044-2957-x", &mut out);
/// assert_eq!(out, b"urn:isbn:080442957X");
/// ```
pub fn write(nid: &[u8], nss: &[u8], out: &mut Vec<u8>) {
    match applicable(nid, nss) {
        Some(rule) => rule.write(nss, out),
        None => out.extend_from_slice(nss),
    }
}

/// Whether [`write()`] would append `nss` unchanged.
///
/// ```
/// use urisieve::canonicalize::namespace;
/// assert!(namespace::is_canonical(b"issn", b"0259000X"));
/// assert!(!namespace::is_canonical(b"issn", b"0259-000X"));
/// ```
pub fn is_canonical(nid: &[u8], nss: &[u8]) -> bool {
    applicable(nid, nss).is_none_or(|rule| rule.is_canonical(nss))
}

/// Returns the defects of the name `nss` in the namespace `nid`, in any spelling. They
/// do not change the key.
///
/// ```
/// use urisieve::canonicalize::namespace;
/// assert_eq!(namespace::defects(b"isbn", b"978-3-16-148410-0").count(), 0);
/// assert_eq!(namespace::defects(b"oid", b"1.02.3").count(), 1);
/// ```
pub fn defects(nid: &[u8], nss: &[u8]) -> impl Iterator<Item = Defect> + use<> {
    rule(nid).and_then(|rule| rule.defect(nss)).into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the canonical form, and checks all laws for it.
    fn canonical(nid: &str, nss: &str) -> String {
        let mut out = b"before".to_vec();
        write(nid.as_bytes(), nss.as_bytes(), &mut out);
        let once = out.split_off(6);
        assert_eq!(out, b"before");
        assert!(is_canonical(nid.as_bytes(), &once), "{nid}:{nss}");
        assert_eq!(
            is_canonical(nid.as_bytes(), nss.as_bytes()),
            once == nss.as_bytes()
        );
        write(nid.as_bytes(), &once, &mut out);
        assert_eq!(out[6..], once, "{nid}:{nss}");
        String::from_utf8(once).unwrap()
    }

    #[test]
    fn the_table_is_sorted_by_lower_case_nids() {
        assert!(RULES.is_sorted_by(|a, b| a.nid() < b.nid()));
        assert!(BEGINNINGS.is_sorted_by(|a, b| a < b));
        for other in [
            "",
            "publicids",
            "epcgloba",
            "epcglobalx",
            "\u{9}sbn",
            "urn-",
            "isb",
        ] {
            assert!(super::rule(other.as_bytes()).is_none(), "{other}");
        }
        for rule in RULES {
            assert_eq!(rule.nid(), rule.nid().to_ascii_lowercase());
            assert!(rule.source().starts_with("RFC "), "{}", rule.nid());
            assert_eq!(
                super::rule(rule.nid().to_uppercase().as_bytes())
                    .unwrap()
                    .nid(),
                rule.nid()
            );
        }
    }

    #[test]
    fn every_rule_is_of_a_registered_namespace() {
        for rule in RULES {
            let wanted = match rule.nid() {
                "urn-7" => urn::Registration::Informal,
                _ => urn::Registration::Registered,
            };
            let registration = urn::registration(rule.nid().as_bytes());
            assert_eq!(registration, wanted, "{}", rule.nid());
        }
    }

    #[test]
    fn digits_of_percent_encoding_stay() {
        assert_eq!(canonical("nzl", "A%C3%A9B"), "a%C3%A9b");
        assert_eq!(
            canonical("urn-7", "3gpp-Service.ims.icsi.MMTEL"),
            "3gpp-service.ims.icsi.mmtel"
        );
        assert_eq!(canonical("mpeg", "A%2F:B%2F"), "a%2F:B%2F");
        assert_eq!(canonical("gsma", "A%2F;VERS=0"), "a%2F;vers=0");
    }

    #[test]
    fn what_is_no_nss_is_left_alone() {
        assert_eq!(canonical("nzl", "A%ZZ"), "A%ZZ");
        assert_eq!(canonical("nzl", "A b"), "A b");
        assert_eq!(canonical("nzl", "Ü"), "Ü");
        assert_eq!(canonical("nzl", ""), "");
    }

    /// Names that often have the shape of their namespace.
    fn names() -> impl Strategy<Value = (String, String)> {
        let nid = prop::sample::select(RULES.iter().map(|rule| rule.nid()).collect::<Vec<_>>());
        let nss = prop_oneof![
            "[a-fA-FxX0-9:;.%-]{0,16}",
            "[0-9]{1,5}-?[0-9]{1,7}-?[0-9]{1,3}-?[0-9xX]",
            "97[89]-?[0-9]{1,5}-?[0-9]{1,7}-?[0-9]{1,3}-?[0-9]",
            "[0-9]{4}-?[0-9]{3}[0-9xX]",
            "[a-zA-Z]{2}(:[a-zA-Z0-9]{1,4}){0,2}-[a-zA-Z%2F-]{0,6}",
            "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
            "(imei|IMEI):[0-9]{8}-[0-9]{6}-[0-9](;(vers|VERS|svn)=[0-9]{1,2}){0,3}",
            "(params|PARAMS|rfc|RFC):[A-Za-z0-9:]{0,8}",
            "(ul|UL|umid):[0-9A-F]{8}(\\.[0-9a-fA-F]{8}){3}",
            "[A-Za-z]{1,6}\\.[A-Za-z]{2,3}:[0-9]{4,8}:[A-Za-z]{1,4}",
        ];
        (nid.prop_map(str::to_owned), nss)
    }

    proptest! {
        #[test]
        fn e1_idempotent_and_e6_proven((nid, nss) in names()) {
            canonical(&nid, &nss);
        }

        /// E2: applying the level before first does not change the result of a level.
        #[test]
        fn e2_coarser_than_lexical((nid, nss) in names()) {
            use crate::canonicalize::Canonicalizer;
            let uri = format!("URN:{}:{nss}", nid.to_uppercase());
            let mut buffer = Vec::new();
            let lexical = Canonicalizer::default().canonicalize(uri.as_bytes(), &mut buffer);
            if let Some(lower) = urn::nid(lexical) {
                prop_assert_eq!(lower, nid.as_bytes());
                let once = canonical(&nid, std::str::from_utf8(&lexical[5 + nid.len()..]).unwrap());
                let again = format!("urn:{nid}:{once}");
                prop_assert!(Canonicalizer::default().is_canonical(again.as_bytes()));
            }
        }

        /// A canonical form keeps the defect, and is still an NSS (E3).
        #[test]
        fn what_is_wrong_stays_wrong((nid, nss) in names()) {
            if urn::is_nss(nss.as_bytes()) {
                let once = canonical(&nid, &nss);
                prop_assert!(urn::is_nss(once.as_bytes()));
                let of = |nss: &str| defects(nid.as_bytes(), nss.as_bytes()).next();
                if rule(nid.as_bytes()).unwrap().has_shape(nss.as_bytes()) {
                    prop_assert_eq!(of(&once), of(&nss));
                }
            }
        }

        #[test]
        fn any_bytes(nss in prop::collection::vec(any::<u8>(), 0..20)) {
            for rule in RULES {
                let nid = rule.nid().as_bytes();
                let mut out = Vec::new();
                write(nid, &nss, &mut out);
                prop_assert_eq!(is_canonical(nid, &nss), out == nss);
                prop_assert!(defects(nid, &nss).count() <= 1);
            }
        }
    }
}
