//! `urn:nbn:` (RFC 8458): a prefix up to the first hyphen, which is a country code and
//! codes of sub-namespaces; then a number that the library chooses. The prefix is
//! case-insensitive, the number exact.

use super::{Defect, NamespaceRule, fold};

pub(super) struct Nbn;

impl NamespaceRule for Nbn {
    fn nid(&self) -> &'static str {
        "nbn"
    }

    fn source(&self) -> &'static str {
        "RFC 8458 section 4.3"
    }

    fn summary(&self) -> &'static str {
        "prefix up to the first `-` case-insensitive, rest exact"
    }

    fn has_shape(&self, nss: &[u8]) -> bool {
        prefix(nss).is_some()
    }

    fn is_canonical(&self, nss: &[u8]) -> bool {
        prefix(nss).is_none_or(fold::is_folded)
    }

    fn write(&self, nss: &[u8], out: &mut Vec<u8>) {
        let prefix = prefix(nss).unwrap_or_default();
        fold::write(prefix, out);
        out.extend_from_slice(&nss[prefix.len()..]);
    }

    fn defect(&self, nss: &[u8]) -> Option<Defect> {
        const SHAPE: Defect = Defect::new(
            "nbn-shape",
            "an NBN is a country code of two letters, codes of sub-namespaces after colons, a hyphen and a number",
        );
        const COUNTRY: Defect = Defect::new(
            "nbn-country",
            "the NBN does not begin with a country code of ISO 3166-1",
        );
        match prefix(nss) {
            None => Some(SHAPE),
            Some([a, b, ..]) if is_country([*a, *b]) => None,
            Some(_) => Some(COUNTRY),
        }
    }
}

/// `iso_cc *(":" subspace) "-" number`: returns the text before the hyphen.
fn prefix(nss: &[u8]) -> Option<&[u8]> {
    let prefix = &nss[..memchr::memchr(b'-', nss)?];
    let mut codes = prefix.split(|byte| *byte == b':');
    let country = codes.next()?;
    let shape = country.len() == 2
        && country.iter().all(u8::is_ascii_alphabetic)
        && codes.all(|code| !code.is_empty() && code.iter().all(u8::is_ascii_alphanumeric))
        && nss.len() > prefix.len() + 1;
    shape.then_some(prefix)
}

fn is_country(code: [u8; 2]) -> bool {
    let code = code.map(|byte| byte.to_ascii_lowercase());
    COUNTRIES
        .as_bytes()
        .chunks_exact(3)
        .any(|known| known[..2] == code)
}

/// The codes of ISO 3166-1 alpha-2, as of 2024, each with a blank.
const COUNTRIES: &str = "ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi \
    bj bl bm bn bo bq br bs bt bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz \
    de dj dk dm do dz ec ee eg eh er es et fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq \
    gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn \
    kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp mq mr ms \
    mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt \
    pw py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st sv sx sy sz tc td tf \
    tg th tj tk tl tm tn to tr tt tv tw tz ua ug um us uy uz va vc ve vg vi vn vu wf ws ye yt za zm \
    zw ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_countries() {
        let codes: Vec<&str> = COUNTRIES.split_whitespace().collect();
        assert_eq!((codes.len(), COUNTRIES.len()), (249, 747));
        assert!(codes.is_sorted_by(|a, b| a < b));
        assert!(is_country(*b"FI") && is_country(*b"zw") && !is_country(*b"uk"));
    }

    #[test]
    fn shapes() {
        for (nss, expect) in [
            ("fi-fe201003181510", None),
            ("DE:101:1-201102033592", None),
            ("at:at-ubi:2-1", None),
            ("nl:ui:10-1887/123", None),
            ("xx-1", Some("nbn-country")),
            ("fi:x", Some("nbn-shape")),
            ("fi-", Some("nbn-shape")),
            ("f-1", Some("nbn-shape")),
            ("fi:-1", Some("nbn-shape")),
            ("fi:%41-1", Some("nbn-shape")),
            ("12-1", Some("nbn-shape")),
        ] {
            assert_eq!(
                Nbn.defect(nss.as_bytes()).map(Defect::code),
                expect,
                "{nss}"
            );
        }
    }
}
