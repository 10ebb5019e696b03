//! URIs inside URIs (S6, I13): the fast path and the slow reference read the same ones, however
//! the text is divided, and what is encoded is found as it was.

use super::harness::{DIVISIONS, Rules, Run, Way, agrees_divided};
use super::texts;
use crate::random;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD, Engine};
use proptest::prelude::*;
use proptest::sample::select;
use urisieve::delimit::Config;
use urisieve::item::NestedBy;
use urisieve::reference::Options;
use urisieve::{Mode, Sieve};

/// Pieces of URIs, of their codings and of what is around them.
const PIECES: &[&str] = &[
    "http://a.example/",
    "http://b.example",
    "https://u:p@c.example:80/x",
    "http:",
    "https:/",
    "mailto:joe@d.example",
    "urn:isbn:0395363411",
    "www.e.example/",
    "file:/f",
    "jar:http://g.example/!/h",
    ":",
    "//",
    "/",
    "?",
    "?u=",
    "&",
    "&v=",
    "#",
    "=",
    "==",
    "x",
    "A",
    "+",
    "-",
    "_",
    ".",
    "%3A",
    "%3a",
    "%2F",
    "%2f%2F",
    "%25",
    "%253A",
    "%252F%252F",
    "%2525253A%2525252F%2525252F",
    "%3F",
    "%3D",
    "%26",
    "%23",
    "%68",
    "%20",
    "%0A",
    "%3C",
    "%C3%BC",
    "%C3",
    "%BC",
    "%",
    "%2",
    "http%3A%2F%2Fi.example%2F",
    "http:%2F%2Fj.example",
    "http%253A%252F%252Fk.example%252F%253Fa%253Db%2526c",
    "aHR0cDovL2wuZXhhbXBsZS94",
    "aHR0cDovL20uZXhhbXBsZT91PWh0dHAlM0ElMkYlMkZuLmV4YW1wbGU",
    "aHR0cDovL28uZXhhbXBsZS9h4pyT8J-YgA==",
    "aHR0cDovL3AuZXhhbXBsZS//",
    "aHR0cHM",
    "ZnRwOi8vcS5leGFtcGxl",
    "d3d3LnIuZXhhbXBsZQ",
    "d3d3L",
    "aHR0c",
    "\\/",
    "&amp;",
    "&#x2F;",
    "\u{fc}",
    "\n ",
    " ",
    "<",
    ">",
    "\"",
    "(",
    ")",
];

/// A candidate with URIs inside it, each encoded a number of times.
fn wrapped() -> impl Strategy<Value = String> {
    let leaf = proptest::collection::vec(select(PIECES), 0..5).prop_map(|pieces| pieces.concat());
    leaf.prop_recursive(4, 16, 3, |inner| {
        let coded = (inner, 0u8..5).prop_map(|(text, coding)| match coding {
            0 => text,
            1 => percent(&text),
            2 => percent(&percent(&text)),
            3 => BASE64_URL_SAFE_NO_PAD.encode(text),
            _ => percent(&BASE64_STANDARD.encode(text)),
        });
        let before = select(&["http://s.example/", "http://t.example/?u=", "/p?q&r=", ""][..]);
        let after = select(&["", "&v=1", "/y", "#z", "?w", "="][..]);
        let part = (before, coded, after);
        proptest::collection::vec(part, 1..3).prop_map(|parts| {
            parts
                .into_iter()
                .map(|(a, b, c)| [a, &b, c].concat())
                .collect()
        })
    })
}

fn percent(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let start = select(
        &[
            "http://a.example/",
            "<http://a.example/?u=",
            "mailto:a@b.example?",
            "",
        ][..],
    );
    (start, wrapped()).prop_map(|(start, wrapped)| [start, &wrapped, "\n"].concat().into_bytes())
}

proptest! {
    #![proptest_config(random::cases(100))]

    /// L1, L5: the URIs inside URIs are those of the slow reference, however the text is divided.
    #[test]
    fn encoded_uris_are_found_as_by_the_reference(
        text in text(), mut rules in texts::rules(), base64: bool, block in 1usize..200, threads in 1usize..3,
    ) {
        rules.0.nested = true;
        rules.0.nested_base64 = base64;
        let run = Run { text: &text, rules: &rules, way: Way::Slice, block, threads };
        run.agrees();
    }

    /// What is encoded up to eight times is found as it was.
    #[test]
    fn what_is_encoded_is_found(
        path in "[a-z/?=&#.~%!-]{0,20}[a-z]", times in 1usize..=8, in_path: bool, base64: bool,
    ) {
        let uri = format!("http://b.example/{path}");
        let mut value = match base64 {
            true => BASE64_URL_SAFE_NO_PAD.encode(&uri),
            false => uri.clone(),
        };
        for _ in usize::from(base64)..times {
            value = percent(&value);
        }
        let text = match in_path {
            true => format!("http://a.example/{value}/x?y"),
            false => format!("http://a.example/?u={value}&v"),
        };
        let config = Config::default().nested(true).nested_base64(base64);
        let sieve = Sieve::builder().delimit(config).originals(true).mode(Mode::All).build();
        let mut found = Vec::new();
        sieve.for_each(text.as_bytes(), |finding| {
            let outer = finding.nested_in.map(<[u8]>::to_vec);
            found.push((finding.original.to_vec(), outer, finding.marks.nested_by));
        }).unwrap();
        let by = match base64 {
            true => NestedBy::Base64,
            false => NestedBy::Percent,
        };
        let inner = &found[1];
        prop_assert_eq!(String::from_utf8_lossy(&inner.0), uri);
        prop_assert_eq!(inner.1.as_deref(), Some(text.as_bytes()));
        prop_assert_eq!(inner.2, Some(by));
    }
}

/// Every place of a coding, with all that may be around it.
#[test]
fn all_codings_at_all_places() {
    for base64 in [false, true] {
        let rules = Rules(Options {
            nested: true,
            nested_base64: base64,
            ..Options::default()
        });
        for before in [
            "/",
            "?",
            "?u=",
            "/u=",
            "#",
            "#u=",
            "/x%2F",
            "?x%26u%3D",
            "/http://",
        ] {
            for piece in PIECES {
                for after in [
                    "",
                    "/y",
                    "&v",
                    "?w",
                    "#z",
                    "=",
                    "%2F",
                    "&u=http%3A%2F%2Fc.example",
                ] {
                    let text = format!("http://a.example{before}{piece}{after} x");
                    agrees_divided(text.as_bytes(), &rules, &DIVISIONS[..1]);
                }
            }
        }
    }
}
