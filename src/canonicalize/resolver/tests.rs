//! The table, the laws and the errors of resolvers. The levels test how an unwrapped
//! name is normalized.

use super::*;
use crate::canonicalize::{Canonicalizer, Level};
use crate::syntax::validate;
use proptest::prelude::*;

fn inner(uri: &str) -> Option<String> {
    let mut out = b"before ".to_vec();
    let found = Resolvers::built_in().unwrap(uri.as_bytes(), &mut out);
    assert_eq!(found, Resolvers::built_in().carries(uri.as_bytes()));
    assert!(found || out == b"before ");
    found.then(|| String::from_utf8(out.split_off(7)).unwrap())
}

#[test]
fn the_table_is_in_the_order_of_hosts() {
    assert!(BUILT_IN.is_sorted_by(|a, b| (a.0, a.1, a.2) < (b.0, b.1, b.2)));
}

#[test]
fn names_in_paths() {
    for (uri, expect) in [
        (
            "http://nbn-resolving.de/urn:nbn:de:gbv:3:4-4745",
            "urn:nbn:de:gbv:3:4-4745",
        ),
        (
            "https://www.nbn-resolving.org:443/urn:nbn:de:1-2?x#y",
            "urn:nbn:de:1-2",
        ),
        ("HTTP://URN.FI:80/URN:NBN:fi-fe1", "URN:NBN:fi-fe1"),
        (
            "http://urn.fi/urn:a-name-of-two-and-thirty-letters:b",
            "urn:a-name-of-two-and-thirty-letters:b",
        ),
        ("http://urn.fi:/urn:nbn:fi-fe1%2c", "urn:nbn:fi-fe1%2c"),
        (
            "http://digital.bibliothek.uni-halle.de/urn/urn:nbn:de:gbv:3:4-4745",
            "urn:nbn:de:gbv:3:4-4745",
        ),
        (
            "https://urn.nsk.hr/urn:nbn:hr:168:123",
            "urn:nbn:hr:168:123",
        ),
        (
            "http://dx.doi.org/10.1002/(SICI)1096%3C1::AID-X%3E3.0",
            "doi:10.1002/(SICI)1096%3C1::AID-X%3E3.0",
        ),
        ("https://doi.org/doi:10.1000/182#p", "doi:10.1000/182"),
        ("https://doi.org/10.1000.10/AbC/d", "doi:10.1000.10/AbC/d"),
        ("http://hdl.handle.net/2027/mdp.39015", "hdl:2027/mdp.39015"),
        ("http://hdl.handle.net/loc.music/x", "hdl:loc.music/x"),
        (
            "https://n2t.net/ark:/13030/tf5p30086k",
            "ark:/13030/tf5p30086k",
        ),
        (
            "https://n2t.net/ark:13030/tf5p30086k?info",
            "ark:13030/tf5p30086k",
        ),
    ] {
        assert_eq!(inner(uri).as_deref(), Some(expect), "{uri}");
    }
}

#[test]
fn names_in_queries_are_decoded_once() {
    for (uri, expect) in [
        (
            "http://urn.kb.se/resolve?urn=urn:nbn:se:uu:diva-1",
            "urn:nbn:se:uu:diva-1",
        ),
        (
            "http://urn.kb.se/resolve?a=b&urn=urn%3anbn%3ase%3auu%3adiva-1&c",
            "urn:nbn:se:uu:diva-1",
        ),
        (
            "http://resolver.kb.nl/resolve?urn=urn:x-y:%C3%BC%20%2f",
            "urn:x-y:%C3%BC%20/",
        ),
        (
            "http://resolver.kb.nl/resolve?urn=urn:x-y:a%252Cb",
            "urn:x-y:a%2Cb",
        ),
        (
            "http://resolver.kb.nl/resolve?urn=urn:x-y:a%25zz",
            "urn:x-y:a%25zz",
        ),
        (
            "http://resolver.kb.nl/resolve?urn=urn:x-y:a%23f",
            "urn:x-y:a#f",
        ),
        (
            "http://resolver.kb.nl/resolve?urn=urn:x-y:a%23f%23g",
            "urn:x-y:a#f%23g",
        ),
        (
            "http://resolver.kb.nl/resolve?urn=urn:x-y:a+b",
            "urn:x-y:a+b",
        ),
        (
            "https://nbn-resolving.org/resolver?identifier=urn:nbn:de:1-2&verb=redirect",
            "urn:nbn:de:1-2",
        ),
        (
            "http://persistent-identifier.nl?identifier=urn:nbn:nl:ui:10-1",
            "urn:nbn:nl:ui:10-1",
        ),
    ] {
        assert_eq!(inner(uri).as_deref(), Some(expect), "{uri}");
    }
}

#[test]
fn what_carries_nothing() {
    for uri in [
        "http://nbn-resolving.de/",
        "http://nbn-resolving.de/x/urn:nbn:de:1-2",
        "http://nbn-resolving.de:8080/urn:nbn:de:1-2",
        "https://nbn-resolving.de:80/urn:nbn:de:1-2",
        "http://joe@urn.fi/urn:nbn:fi-1",
        "http://xurn.fi/urn:nbn:fi-1",
        "ftp://urn.fi/urn:nbn:fi-1",
        "http://urn.fi/urn%3Anbn:fi-1",
        "http://urn.fi/urn:x:1",
        "http://urn.fi/urn:nbn:",
        "http://urn.fi/urn:nbn:/a",
        "http://urn.fi/urn:nbn:fi-1[",
        "http://urn.fi/urn:nbn:fi-%zz",
        "http://urn.fi/urn:a2345678901234567890123456789012x:b",
        "http://resolver.kb.nl/resolve?urn=ddd:010",
        "http://resolver.kb.nl/other?urn=urn:nbn:nl:ui:10-1",
        "http://resolver.kb.nl/resolve?xurn=urn:nbn:nl:ui:10-1",
        "https://doi.org/10.1000",
        "https://doi.org/10.1000/",
        "https://doi.org/10.10/x",
        "https://doi.org/10.1000%2F182",
        "https://doi.org/about/x",
        "http://hdl.handle.net/api/handles/1/2",
        "https://n2t.net/ark:/1/2",
        "https://n2t.net/e/about.html",
        "http",
        "https:",
        "urn:nbn:fi-1",
        "",
    ] {
        assert_eq!(inner(uri), None, "{uri}");
    }
}

/// The rules of a level may turn a URL into the URL of a resolver.
#[cfg(feature = "idn")]
#[test]
fn what_a_level_makes_a_carrier_is_unwrapped() {
    let lexical = Canonicalizer::default().unwrap_resolvers(Resolvers::built_in());
    for (uri, level, expect) in [
        (
            "http://urn%2Efi/URN:nbn:fi-1",
            Level::Syntax,
            "urn:nbn:fi-1",
        ),
        (
            "http://urn.fi/x/../URN:nbn:fi-1",
            Level::Syntax,
            "urn:nbn:fi-1",
        ),
        (
            "http://doi.org/%31%30.1000/a%2f",
            Level::Syntax,
            "doi:10.1000/a%2F",
        ),
        (
            "http://urn.fi:0080/urn:nbn:fi-1",
            Level::Scheme,
            "urn:nbn:fi-1",
        ),
        ("http://ｕrn.fi/urn:nbn:fi-1", Level::Scheme, "urn:nbn:fi-1"),
    ] {
        let finer = lexical.clone().at(Level::Lexical);
        assert!(
            finer.is_canonical(uri.as_bytes()) || uri.contains("%2f"),
            "{uri}"
        );
        let canonicalizer = lexical.clone().at(level);
        let mut buffer = Vec::new();
        let canonical = canonicalizer.canonicalize(uri.as_bytes(), &mut buffer);
        assert_eq!(String::from_utf8_lossy(canonical), expect, "{uri}");
        let steps = canonicalizer.steps(uri.as_bytes());
        let last = steps.last().map(|step| &step.after[..]);
        assert_eq!(last, Some(expect.as_bytes()), "{uri}");
    }
    let folds = lexical.at(Level::None).fold_https(true);
    let mut buffer = Vec::new();
    let canonical = folds.canonicalize(b"https://urn.fi:80/urn:nbn:fi-1", &mut buffer);
    assert_eq!(canonical, b"urn:nbn:fi-1");
}

#[test]
fn a_file_adds_resolvers() {
    let mut resolvers = Resolvers::built_in();
    let text = "# mine\r\n\n  WWW.A.example/id/  urn\nzz.example/f?name= ark\na.example/ doi\n";
    resolvers.add(text).unwrap();
    for (uri, expect) in [
        ("http://a.example/id/urn:ab:c", "urn:ab:c"),
        ("http://www.A.example/10.1000/x", "doi:10.1000/x"),
        (
            "http://zz.example/f?name=ark%3A%2F12345%2Fx",
            "ark:/12345/x",
        ),
        ("http://urn.fi/urn:nbn:fi-1", "urn:nbn:fi-1"),
    ] {
        let mut out = Vec::new();
        assert!(resolvers.unwrap(uri.as_bytes(), &mut out), "{uri}");
        assert_eq!(out, expect.as_bytes());
    }
}

#[test]
fn errors_name_the_line_and_add_nothing() {
    for (text, line, reason) in [
        ("a.example/ urn\nb.example/", 2, LineError::Words),
        ("a.example/ urn x", 1, LineError::Words),
        ("\na.example/ isbn", 2, LineError::Names),
        ("/x urn", 1, LineError::Host),
        ("http://a.example/ urn", 1, LineError::Host),
        ("a.example urn", 1, LineError::Path),
        ("a.example/#x urn", 1, LineError::Path),
        ("a.example/?x urn", 1, LineError::Parameter),
        ("a.example/?= urn", 1, LineError::Parameter),
        ("a.example/?a=b&c= urn", 1, LineError::Parameter),
    ] {
        let mut resolvers = Resolvers::built_in();
        let error = resolvers.add(text).unwrap_err();
        assert_eq!((error.line, error.reason), (line, reason), "{text}");
        assert_eq!(resolvers, Resolvers::built_in());
    }
}

fn urls() -> impl Strategy<Value = String> {
    let place = prop::sample::select(vec![
        "http://urn.fi/",
        "HTTPS://urn.kb.se/resolve?urn=",
        "http://doi.org/",
        "http://hdl.handle.net/",
        "http://n2t.net/",
        "http://a.example/",
    ]);
    let name = prop_oneof![
        "(urn|URN)(:|%3A)[a-z]{2,3}(:|%3a)[a-zA-Z%2530/?#:-]{0,12}",
        "(doi:)?10\\.[0-9]{3,5}/[a-z%2F/?#-]{0,6}",
        "(ark:/?|hdl:|http://urn.fi/)?[a-z0-9.]{4,6}/[a-z%2F/?#]{0,6}",
    ];
    (place, name).prop_map(|(place, name)| format!("{place}{name}"))
}

proptest! {
    /// E1 and E6: no URL can be unwrapped twice, before or after the levels.
    #[test]
    fn what_is_taken_out_carries_nothing(uri in urls()) {
        if let Some(inner) = inner(&uri) {
            let resolvers = Resolvers::built_in();
            prop_assert!(!resolvers.carries(inner.as_bytes()));
            let mut buffer = Vec::new();
            let canonicalizer = Canonicalizer::default();
            let canonical = canonicalizer.canonicalize(inner.as_bytes(), &mut buffer);
            prop_assert!(!resolvers.carries(canonical));
        }
    }

    /// E2: the level before, then unwrapping, equals unwrapping and then the level.
    #[test]
    fn a_level_first_changes_nothing(uri in urls()) {
        let canonicalizer = Canonicalizer::default();
        let mut buffer = Vec::new();
        let normalized = canonicalizer.canonicalize(uri.as_bytes(), &mut buffer);
        let normalized = std::str::from_utf8(normalized).unwrap();
        let key = |inner: &String| {
            canonicalizer.canonicalize(inner.as_bytes(), &mut Vec::new()).to_vec()
        };
        prop_assert_eq!(inner(normalized).as_ref().map(key), inner(&uri).as_ref().map(key));
    }

    /// E3: a valid URL carries a valid URI.
    #[test]
    fn valid_stays_valid(uri in urls()) {
        let inner = inner(&uri).filter(|_| validate(uri.as_bytes()).is_ok());
        if let Some(inner) = inner {
            let mut buffer = Vec::new();
            for &level in Level::ALL {
                let uri = Canonicalizer::new(level).canonicalize(inner.as_bytes(), &mut buffer);
                prop_assert_eq!(validate(uri), Ok(()), "{}", level);
            }
        }
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..32)) {
        for place in ["", "http://urn.fi/urn:nbn:", "http://urn.kb.se/resolve?urn=urn:", "http://doi.org/10.1000/"] {
            let uri = [place.as_bytes(), &bytes].concat();
            let mut out = Vec::new();
            let found = Resolvers::built_in().unwrap(&uri, &mut out);
            prop_assert_eq!(found, !out.is_empty());
        }
    }
}

#[test]
fn places_of_a_file_are_taken_exactly() {
    let mut resolvers = Resolvers::built_in();
    let places = [
        "r.example/?q= urn",
        "s.example/p?q= urn",
        "t.example/ hdl",
        "u.example/ ark",
        "v.example/ doi",
    ];
    resolvers.add(&places.join("\n")).unwrap();
    for (uri, expect) in [
        ("http://r.example/?q=urn:ab:c", Some("urn:ab:c")),
        ("http://r.example?q=urn:ab:c", Some("urn:ab:c")),
        ("http://r.example/x?q=urn:ab:c", None),
        ("http://s.example/p?q=urn:ab:c", Some("urn:ab:c")),
        ("http://s.example?q=urn:ab:c", None),
        ("http://s.example/?q=urn:ab:c", None),
        ("http://t.example/2027/x", Some("hdl:2027/x")),
        ("http://u.example/ark:/12345/x", Some("ark:/12345/x")),
        ("http://u.example/ark:/1234~/x", None),
        ("http://v.example/10.1000/182", Some("doi:10.1000/182")),
        ("http://v.example/10.10~0/182", None),
    ] {
        let mut out = Vec::new();
        let found = resolvers.unwrap(uri.as_bytes(), &mut out);
        let found = found.then(|| String::from_utf8_lossy(&out));
        assert_eq!(found.as_deref(), expect, "{uri}");
    }
    let error = Resolvers::built_in().add("\nw.example/ isbn").unwrap_err();
    assert_eq!(error.line(), 2);
    let expect = "line 2: the second word is not urn, doi, hdl or ark";
    assert_eq!(error.to_string(), expect);
}

proptest! {
    /// A host alone shows that a URL is not that of a resolver.
    #[test]
    fn bare_hosts_are_those_of_components(
        scheme in "(https?|HTTPS?|ftp|http:|)://",
        user in "(|u@|u:p@|\\[)",
        host in "(www\\.|WWW\\.|)(doi\\.org|DOI\\.org|urn\\.fi|a\\.b|\\[::1\\]|)",
        port in "(|:|:80|:443|:8080)",
        path in "(|/|\\?|#)(10\\.1000/182|urn:nbn:fi-1|/doi\\.org/10\\.1/2)?",
    ) {
        let uri = [&*scheme, &user, &host, &port, &path].concat().into_bytes();
        let found = Resolvers::built_in().carries(&uri);
        let slowly = web_url(&uri).and_then(|parts| {
            let all = Resolvers::built_in();
            let host = parts.host(&uri)?.to_vec();
            all.of_host(&host).find_map(|resolver| resolver.find(&parts, &uri))?;
            Some(())
        });
        prop_assert_eq!(found, slowly.is_some(), "{}", String::from_utf8_lossy(&uri));
    }
}
