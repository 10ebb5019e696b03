//! The laws of equivalence as property tests: E1 to E6 at every level, with every
//! combination of switches; E7 as a table of pairs.

mod hold;

use super::resolver::Resolvers;
use super::{Canonicalizer, Level, Step};
#[cfg(feature = "marc")]
use crate::syntax::Outlook;
#[cfg(feature = "marc")]
use crate::syntax::plain_url::UsualUrl;
use crate::syntax::{Components, has_dot_segments, pct, urn, validate, validate_iri};
use hold::canonical;
use proptest::prelude::*;

/// A choice of switches.
fn switches() -> impl Strategy<Value = Canonicalizer> {
    let lists: [&[&str]; 5] = [&[], &["@tracking"], &["a*"], &["%62", "?"], &["*"]];
    (any::<[bool; 6]>(), proptest::sample::select(lists.to_vec())).prop_map(|(on, dropped)| {
        Canonicalizer::default()
            .keep_components(on[0])
            .strip_fragment(on[1])
            .sort_query(on[2])
            .fold_https(on[3])
            .strip_www(on[4])
            .isbn13(on[5])
            .drop_params(dropped)
            .unwrap()
    })
}

/// Generates URIs in which everything that a rule depends on is frequent.
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

fn text(uri: &[u8]) -> String {
    String::from_utf8_lossy(uri).into_owned()
}

/// URLs of resolvers, in spellings that are recognized only at some level.
fn carriers() -> impl Strategy<Value = Vec<u8>> {
    let host = "(http|HTTPS)://(|www\\.)(urn\\.fi|urn%2Efi|%55rn.fi|doi.org|d%4fi.org|ｕrn.fi|n2t.net)(|:|:80|:0443|:080)";
    let path = "/(|\\./|a/\\.\\./|%2e/)";
    let name = "(urn|URN|u%72n):(isbn|nbn|ab):(0395363411|[a-z%42/?#-]{1,6})|10.1000/[a-z%2F/?#-]{0,4}|ark:/12345/x";
    (host, path, name, "(|\\?a=1)").prop_map(|(h, p, n, q)| format!("{h}{p}{n}{q}").into_bytes())
}

proptest! {
    #[cfg(feature = "marc")]
    #[test]
    fn usual_urls_are_their_form_at_each_level(
        origin in "https?://(localhost|www\\.|)[a-z][a-z0-9.-]{0,6}(|\\.|\\.xn--[a-z0-9]{0,4})",
        rest in "(|/)((/|/\\.|\\.|\\.\\.|%41|%C3%A9|#|\\?)|[a-zA-Z0-9&=,;~:@!-]){0,9}",
    ) {
        let uri = [origin, rest].concat().into_bytes();
        let look = |at| Outlook::of(&uri, at);
        let usual = UsualUrl::of(&uri, look).filter(|&url| Canonicalizer::is_form_at_each_level(&uri, url));
        for &level in Level::ALL {
            let is_form = Canonicalizer::new(level).canonical(&uri) == uri;
            prop_assert!(usual.is_none() || is_form, "{}", text(&uri));
        }
    }

    #[test]
    fn e1_idempotent_and_e6_proven(uri in uris(), switches in switches()) {
        hold::idempotent_and_proven(&switches, &uri);
    }

    #[test]
    fn e2_each_level_is_coarser(uri in uris(), switches in switches()) {
        hold::coarser(&switches, &uri);
    }

    #[test]
    fn e3_valid_stays_valid(uri in uris(), switches in switches()) {
        hold::valid_stays_valid(&switches, &uri);
    }

    #[test]
    fn e4_a_broken_percent_stays(uri in uris()) {
        hold::broken_percent_stays(&uri);
    }

    #[test]
    fn e5_urns_stay_apart_from_other_uris(uri in uris(), switches in switches()) {
        hold::urns_stay_apart(&switches, &uri);
    }

    #[test]
    fn e7_canonical_forms_keep_what_differs(uri in uris()) {
        hold::differences_stay(&uri);
    }

    #[test]
    fn steps_lead_to_the_canonical_form(uri in uris(), switches in switches()) {
        hold::steps_lead_there(&switches, &uri);
    }

    #[test]
    fn switches_do_not_touch_urns(uri in uris(), switches in switches(), keep in any::<bool>(), isbn13 in any::<bool>()) {
        hold::switches_leave_urns(&switches, &uri, keep, isbn13);
    }

    #[test]
    fn carriers_obey_the_laws(uri in carriers(), switches in switches()) {
        let switches = switches.unwrap_resolvers(Resolvers::built_in());
        hold::idempotent_and_proven(&switches, &uri);
        hold::coarser(&switches, &uri);
        hold::valid_stays_valid(&switches, &uri);
        hold::steps_lead_there(&switches, &uri);
    }
}

/// Law E7: pairs that differ by the specifications. The last column is the switch that
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
    ("http://h/\u{c7}", "http://h/%C7", ""),
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
            "drop_params" => base.drop_params(["@tracking"]).unwrap(),
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
        for &level in Level::ALL {
            for name in switches {
                if !name.is_empty() && name == *merged_by {
                    continue;
                }
                let canonicalizer = switched(name).at(level);
                let (a, b) = (a.as_bytes(), b.as_bytes());
                let (a, b) = (canonical(&canonicalizer, a), canonical(&canonicalizer, b));
                assert_ne!(text(&a), text(&b), "{level} {name}");
            }
        }
    }
}

/// A switch has the effect in the table above.
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
