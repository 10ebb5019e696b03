//! The laws of equivalence as property tests: E1 to E6 at every level, with every
//! combination of switches; E7 as a table of pairs.

use super::{Canonicalizer, Level, Step};
use crate::syntax::{Components, urn, validate};
use proptest::prelude::*;

/// A choice of switches.
fn switches() -> impl Strategy<Value = Canonicalizer> {
    let lists: [&[&str]; 5] = [&[], &["@tracking"], &["a*"], &["%62", "?"], &["*"]];
    (any::<[bool; 5]>(), proptest::sample::select(lists.to_vec())).prop_map(|(on, dropped)| {
        Canonicalizer::default()
            .keep_components(on[0])
            .strip_fragment(on[1])
            .sort_query(on[2])
            .fold_https(on[3])
            .strip_www(on[4])
            .drop_params(dropped)
    })
}

/// Nothing that any rule looks at is rare here.
fn uris() -> impl Strategy<Value = Vec<u8>> {
    let scheme = "(http|HTTPS|https|http|ws|file|FILE|foo|a-b|coap|sip|x%41|)";
    let userinfo = "(|||[uU%:.4a1]{0,5}@)";
    let host = "(|h|H.example|www\\.|WWW.www.a.b|%77ww.a|w%57W.%41|localhost|LOCALHOST|%6Cocalhost|ｌocalhost|\
                192.0.2.1|www.192.0.2.1|www.１.2.3.4|www.é|é.example|%C3%A9.b|%c3%A9|%E9|a。b|ＷＷＷ.a|www.\u{ad}|\
                xn--9ca|\\[::0:1\\]|\\[::FFFF:c000:201\\]|\\[1:0:0:2:0:0:0:3%25e%6E0\\]|\\[v1.A\\]|www.\\[::1\\]|\
                [aA.%4é1\\[\\]-]{0,6})";
    let port = "(||:|:80|:0080|:443|:[0-9a:]{0,3})";
    let path = "((/|/\\.|/\\.\\.|/%2e|/a|/B|//|/%2E%2e/|/%%34%31|/%4|/%7e|;a=1|~|é|%zz){0,6}|[/.%4125eE]{0,9})";
    let query = "(|\\?|\\?((a|b|%61|%62|utm_x|%75tm_y|gclid|c|%)?(=[a-cA=%5é]{0,2})?[&;]?){0,6})";
    let fragment = "(|||#|#[a/.%6f?é]{0,4})";
    let hierarchical = (scheme, userinfo, host, port, path, query, fragment)
        .prop_map(|(s, u, h, p, path, q, f)| format!("{s}://{u}{h}{p}{path}{q}{f}"));
    let rooted = (scheme, path, query, fragment).prop_map(|(s, p, q, f)| format!("{s}:{p}{q}{f}"));
    let urn = "(urn|URN|Urn):(ab|AB|a-b|a|%61b|a%2Db|isbn|-a|//H)(:|)[a-cA%25:/.~é]{0,8}(|\\?[+=]?[aA%2b&]{0,3})(|#x)";
    let opaque = "(mailto|MAILTO):([jJ]@[xX.%41]{1,4},?){0,3}(|\\?a=B)|(mailto|tel):[jJ@,\\[X\\].é-]{0,8}|\
                  (tel|TEL):(\\+|)[0-9a-cA.()*-]{0,6}(|%23)(;(ext|EXT|phone-context|isub)=(\\+|)[0-9A-b.-]{0,4}){0,2}";
    let mixed = "(http|HTTPS|urn|URN|mailto|x)(:|://)[a-zA-Z0-9%:@/?#.\\[\\]ü-]{0,24}";
    prop_oneof![
        6 => hierarchical.prop_map(String::into_bytes),
        2 => rooted.prop_map(String::into_bytes),
        2 => urn.prop_map(String::into_bytes),
        2 => opaque.prop_map(String::into_bytes),
        2 => mixed.prop_map(String::into_bytes),
        1 => proptest::collection::vec(any::<u8>(), 0..40),
        1 => "[:/?#%.@a4A]{0,12}".prop_map(String::into_bytes),
    ]
}

fn at(switches: &Canonicalizer, level: Level) -> Canonicalizer {
    let mut canonicalizer = switches.clone();
    canonicalizer.level = level;
    canonicalizer.settle()
}

fn canonical(canonicalizer: &Canonicalizer, uri: &[u8]) -> Vec<u8> {
    let mut buffer = Vec::new();
    canonicalizer.canonicalize(uri, &mut buffer).to_vec()
}

fn text(uri: &[u8]) -> String {
    String::from_utf8_lossy(uri).into_owned()
}

/// Whether `uri` is a URI once its characters above U+007F are percent-encoded.
fn is_iri(uri: &[u8]) -> bool {
    let Ok(iri) = std::str::from_utf8(uri) else {
        return false;
    };
    let encode = |c: char| match c {
        '\0'..='\x7F' => c.to_string(),
        _ => c.to_string().bytes().map(|b| format!("%{b:02X}")).collect(),
    };
    validate(iri.chars().map(encode).collect::<String>().as_bytes()).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5_000, ..ProptestConfig::default() })]

    #[test]
    fn e1_idempotent_and_e6_proven(uri in uris(), switches in switches()) {
        for level in Level::ALL {
            let canonicalizer = at(&switches, level);
            let once = canonical(&canonicalizer, &uri);
            prop_assert_eq!(text(&canonical(&canonicalizer, &once)), text(&once), "{}", level);
            prop_assert!(canonicalizer.is_canonical(&once));
            prop_assert_eq!(canonicalizer.is_canonical(&uri), once == uri, "{}: {}", level, text(&uri));
        }
    }

    #[test]
    fn e2_each_level_is_coarser(uri in uris(), switches in switches()) {
        for (fine, coarse) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            let (fine, coarse) = (at(&switches, Level::ALL[fine]), at(&switches, Level::ALL[coarse]));
            let by_way = canonical(&coarse, &canonical(&fine, &uri));
            prop_assert_eq!(text(&by_way), text(&canonical(&coarse, &uri)), "{} {}", fine.level, coarse.level);
        }
    }

    #[test]
    fn e3_valid_stays_valid(uri in uris(), switches in switches()) {
        for level in Level::ALL {
            let once = canonical(&at(&switches, level), &uri);
            if validate(&uri).is_ok() {
                prop_assert_eq!(validate(&once), Ok(()), "{}", text(&once));
            }
            if is_iri(&uri) {
                prop_assert!(is_iri(&once), "{}", text(&once));
            }
        }
    }

    #[test]
    fn e4_a_broken_percent_stays(uri in uris()) {
        let broken = |uri: &[u8]| {
            memchr::memchr_iter(b'%', uri).filter(|&at| !crate::syntax::pct::is_encoded(uri, at)).count()
        };
        // Dot segments may take a broken one away.
        let dots = crate::syntax::has_dot_segments(&canonical(&Canonicalizer::default(), &uri)) || uri.contains(&b'.')
            || uri.windows(3).any(|triple| triple.eq_ignore_ascii_case(b"%2e"));
        if urn::nid(&uri).is_none() && !dots {
            for level in Level::ALL {
                let once = canonical(&Canonicalizer::new(level), &uri);
                prop_assert_eq!(broken(&once), broken(&uri), "{}", text(&once));
            }
        }
    }

    #[test]
    fn e5_urns_stay_apart_from_what_is_none(uri in uris(), switches in switches()) {
        for level in Level::ALL {
            let once = canonical(&at(&switches, level), &uri);
            prop_assert_eq!(urn::nid(&once).is_some(), urn::nid(&uri).is_some(), "{}", text(&once));
        }
    }

    /// What a rule changes in one component does not become part of another.
    #[test]
    fn components_stay_what_they_are(uri in uris()) {
        for level in Level::ALL {
            let once = canonical(&Canonicalizer::new(level), &uri);
            let (a, b) = (Components::parse(&uri), Components::parse(&once));
            if urn::nid(&uri).is_some() {
                continue;
            }
            prop_assert_eq!(a.scheme(&uri).is_some(), b.scheme(&once).is_some());
            prop_assert_eq!(a.has_authority(), b.has_authority());
            prop_assert_eq!(a.userinfo(&uri).is_some(), b.userinfo(&once).is_some());
            prop_assert_eq!(a.query(&uri).is_some(), b.query(&once).is_some());
            prop_assert_eq!(a.fragment(&uri).is_some(), b.fragment(&once).is_some());
        }
    }

    #[test]
    fn steps_lead_to_the_canonical_form(uri in uris(), switches in switches()) {
        for level in Level::ALL {
            let canonicalizer = at(&switches, level);
            let mut now = uri.clone();
            for Step { name, before, after, .. } in canonicalizer.steps(&uri) {
                prop_assert_eq!(&before, &now);
                prop_assert_ne!(&before, &after, "{} changes nothing", name);
                now = after;
            }
            prop_assert_eq!(text(&now), text(&canonical(&canonicalizer, &uri)));
        }
    }

    #[test]
    fn switches_do_not_touch_urns(uri in uris(), switches in switches(), keep in any::<bool>()) {
        if urn::nid(&uri).is_some() {
            for level in Level::ALL {
                let switched = canonical(&at(&switches.clone().keep_components(keep), level), &uri);
                let plain = canonical(&Canonicalizer::new(level).keep_components(keep), &uri);
                prop_assert_eq!(text(&switched), text(&plain));
            }
        }
    }
}

/// Law E7: what specifications say differs. The last column is the switch that
/// makes a pair equal.
const DISTINCT: &[(&str, &str, &str)] = &[
    ("http://h/a%2Fb", "http://h/a/b", ""),
    ("http://h/%2C", "http://h/,", ""),
    ("http://h/%21", "http://h/!", ""),
    ("http://h/%27%28%29%2A", "http://h/'()*", ""),
    ("http://h/%25zz", "http://h/%zz", ""),
    ("http://h/%2541", "http://h/%41", ""),
    ("http://h/%%34%31", "http://h/%41", ""),
    ("http://h/?", "http://h/", ""),
    ("http://h/#", "http://h/", "strip_fragment"),
    ("http://h//a", "http://h/a", ""),
    ("http://h/a//b", "http://h/a/b", ""),
    ("http://h/d", "http://h/d/", ""),
    ("http://h/A", "http://h/a", ""),
    ("http://h/?A", "http://h/?a", ""),
    ("http://U@h/", "http://u@h/", ""),
    ("http://u@h/", "http://h/", ""),
    ("http://@h/", "http://h/", ""),
    ("http://:@h/", "http://h/", ""),
    ("http://h/?a=1&b=2", "http://h/?b=2&a=1", "sort_query"),
    ("http://h/?a=1&a=2", "http://h/?a=2&a=1", ""),
    ("http://h/?k", "http://h/?k=", ""),
    ("http://h/?q=a+b", "http://h/?q=a%20b", ""),
    ("http://h/?q=%E9", "http://h/?q=%EF%BF%BD", ""),
    ("http://h/?q=C%CC%A7", "http://h/?q=%C3%87", ""),
    ("http://h/C\u{327}", "http://h/\u{c7}", ""),
    ("http://h/\u{c7}", "http://h/%C3%87", ""),
    ("http://h./", "http://h/", ""),
    ("http://h/", "https://h/", "fold_https"),
    ("https://h:80/", "https://h/", "fold_https"),
    ("http://www.h.example/", "http://h.example/", "strip_www"),
    ("sip:b@h", "sip:b@h:5060", ""),
    ("sip:b@h", "sips:b@h", ""),
    ("sip:b@h;Transport=udp", "sip:b@h;transport=udp", ""),
    ("tag:h,2005:A", "tag:h,2005:a", ""),
    ("tag:H,2005:a", "tag:h,2005:a", ""),
    ("tag:h,2005:%61", "tag:h,2005:b", ""),
    ("urn:example:%61", "urn:example:a", ""),
    ("urn:example:a/./b", "urn:example:a/b", ""),
    ("urn:example:a/../b", "urn:example:b", ""),
    ("urn:isbn:0395363411", "urn:isbn:9780395363416", ""),
    ("urn:nbn:fi-x", "urn:nbn:fi:x", ""),
    ("urn:%61b:c", "urn:ab:c", ""),
    ("foo://h", "foo://h/", ""),
    ("foo://h:80/", "foo://h/", ""),
    ("http://127.1/", "http://127.0.0.1/", ""),
    ("http://h/a\\b", "http://h/a/b", ""),
    ("mailto:J@h", "mailto:j@h", ""),
    ("mailto:a@h?subject=A", "mailto:a@h?subject=a", ""),
    ("tel:+1816", "tel:1816", ""),
    ("tel:call-me", "tel:callme", ""),
    ("file:///etc", "file://host/etc", ""),
    ("x:a/../b", "x:b", ""),
    ("x:/.//a", "x:/a", ""),
];

#[test]
fn e7_what_differs_by_specification_differs_here() {
    let switched = |name: &str| {
        let base = Canonicalizer::default();
        match name {
            "strip_fragment" => base.strip_fragment(true),
            "sort_query" => base.sort_query(true),
            "fold_https" => base.fold_https(true),
            "strip_www" => base.strip_www(true),
            "drop_params" => base.drop_params(["@tracking"]),
            _ => base,
        }
    };
    let switches = [
        "",
        "strip_fragment",
        "sort_query",
        "fold_https",
        "strip_www",
        "drop_params",
    ];
    for (a, b, merged_by) in DISTINCT {
        for level in Level::ALL {
            for name in switches {
                if !name.is_empty() && name == *merged_by {
                    continue;
                }
                let canonicalizer = at(&switched(name), level);
                let (a, b) = (a.as_bytes(), b.as_bytes());
                let (a, b) = (canonical(&canonicalizer, a), canonical(&canonicalizer, b));
                assert_ne!(text(&a), text(&b), "{level} {name}");
            }
        }
    }
}

/// A switch does what the table above says of it.
#[test]
fn e7_switches_merge_what_they_name() {
    let every = Canonicalizer::new(Level::Scheme)
        .strip_fragment(true)
        .sort_query(true)
        .fold_https(true)
        .strip_www(true);
    for (a, b, merged_by) in DISTINCT {
        if !merged_by.is_empty() {
            let (a, b) = (
                canonical(&every, a.as_bytes()),
                canonical(&every, b.as_bytes()),
            );
            assert_eq!(text(&a), text(&b));
        }
    }
}
