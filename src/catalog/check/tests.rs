//! Properties of repairs, for values composed of the patterns of the rows.

use super::{CHECKS, CheckRow, ExpectedValue, Severity, check, repair};
use crate::syntax::{Components, steps};
use proptest::prelude::*;
use proptest::sample::select;

const PIECES: &[&str] = &[
    "http://",
    "https:",
    "http:/",
    "http//",
    "htp://",
    "ftp;//",
    "urn:",
    "urn:isbn:",
    "isbn:",
    "doi:",
    "10.1000/",
    "10.",
    "www.",
    "ftp.",
    "a.example",
    "a.b/",
    "cat",
    "/",
    "//",
    "\\",
    ":",
    ".",
    ",",
    ";",
    "|",
    " ",
    "\u{a0}",
    "\t",
    "\u{200b}",
    "(",
    ")",
    "<",
    ">",
    "\"",
    "'",
    "\u{201c}",
    "\u{201d}",
    "URL:",
    "&amp;",
    "&amp;amp;",
    "&lt;",
    "&#46;",
    "&#x9;",
    "&nbsp;",
    "&",
    "%",
    "%7E",
    "%257E",
    "%25",
    "%2525",
    "%3A%2F%2F",
    "[",
    "]",
    "{",
    "}",
    "^",
    "\u{e9}",
    "b\u{fc}cher.example",
    "\u{2013}",
    "@",
    "u:p@",
    "anonymous@",
    "#",
    "?",
    "=",
    "?u=",
    "login?url=",
    "login?qurl=http%3A%2F%2F",
    "libproxy.",
    "0-www.a.com.",
    "go.openathens.net/?url=",
    "2020/",
    "doi.org/",
    "doi:doi:",
    "0451450523",
    "0451450524",
    "nbn:de:",
    "nbn:de:a-1",
    "urn:x:",
    "a",
    "1",
    "lib@a.example",
    "[::1]",
    "/wiki/",
];

fn value() -> impl Strategy<Value = String> {
    let pieces = proptest::collection::vec(select(PIECES), 0..9);
    prop_oneof![
        4 => pieces.prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
    ]
}

fn expected() -> impl Strategy<Value = ExpectedValue> {
    select(
        &[
            ExpectedValue::Uri,
            ExpectedValue::Uri,
            ExpectedValue::Isbn,
            ExpectedValue::Issn,
            ExpectedValue::Doi,
            ExpectedValue::Name,
            ExpectedValue::Cancelled,
            ExpectedValue::Note,
        ][..],
    )
}

proptest! {
    /// After all repairs no further repair applies, and no code of a repair is found
    /// again.
    #[test]
    fn repairs_are_complete(value in value(), expected in expected()) {
        let checked = check(&value, expected);
        let Some(suggestion) = &checked.suggestion else {
            return Ok(());
        };
        let again = check(suggestion, expected);
        prop_assert_eq!(&again.suggestion, &None, "{:?}", suggestion);
        for hit in checked.hits.iter().filter(|hit| hit.may_fix) {
            let code = hit.row.code;
            prop_assert!(!again.codes().any(|other| other == code), "{} in {:?}", code, suggestion);
        }
    }

    /// A suggestion has none of the defects that were repaired, and no error or warning that
    /// the value did not have.
    #[test]
    fn a_suggestion_is_better(value in value(), expected in expected()) {
        is_better(&value, expected)?;
    }

    /// Whatever is wrong with the signs around the parts of an address, a suggestion has the
    /// host and the path that a person reads.
    #[test]
    fn a_suggestion_keeps_host_and_path(
        scheme in select(&["http", "https", "HTTP"][..]),
        host in select(&["a.example", "www.b.example", "dx.doi.org"][..]),
        path in select(&["/1", "/a/b.pdf", "/10.1000/182", "/x(1)", ""][..]),
        sign in select(SIGNS),
        around in select(AROUND),
        behind in select(BEHIND),
    ) {
        let separator = match sign.contains('\\') {
            true => path.replace('/', "\\"),
            false => path.to_owned(),
        };
        let value = format!("{}{scheme}{sign}{host}{separator}{behind}{}", around.0, around.1);
        is_better(&value, ExpectedValue::Uri)?;
        let suggestion = check(&value, ExpectedValue::Uri).suggestion;
        let is_right = |text: &String| check(text, ExpectedValue::Uri).hits.is_empty();
        // Others still say that they are wrong.
        if let Some(suggestion) = suggestion.filter(is_right) {
            let parts = Components::parse(suggestion.as_bytes());
            let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
            let found = parts.host(suggestion.as_bytes()).map(text);
            prop_assert_eq!(found.as_deref(), Some(host), "{} {}", &value, &suggestion);
            prop_assert_eq!(text(parts.path(suggestion.as_bytes())), path, "{} {}", &value, &suggestion);
        }
    }

    #[test]
    fn a_value_without_codes_is_left_alone(value in value(), expected in expected()) {
        let checked = check(&value, expected);
        if checked.hits.is_empty() {
            prop_assert_eq!(checked.suggestion, None);
            prop_assert_eq!(repair(&value, expected, |_| true), None);
        }
    }

    /// Defects that may be repaired without a person are only repaired by the chosen
    /// rows.
    #[test]
    fn only_chosen_rows_repair(value in value(), expected in expected(), number in 0..CHECKS.len()) {
        let chosen = |row: &CheckRow| row.code == CHECKS[number].code;
        if repair(&value, expected, chosen).is_some() {
            prop_assert!(CHECKS[number].may_fix);
        }
    }
}

/// The signs between a scheme and a host, right and wrong.
const SIGNS: &[&str] = &[
    "://", ":/", ":", "//", ";//", "//:", ": //", ":/ /", ":// ", ":\\\\", ":\\", " ://", ":://",
    ":///",
];
/// Text around an address, and behind it.
const AROUND: &[(&str, &str)] = &[
    ("", ""),
    ("<", ">"),
    ("(", ")"),
    ("“", "”"),
    ("\"", "\""),
    ("URL: ", ""),
    (" ", " "),
    ("", " "),
    ("(", ""),
    ("<", ""),
    ("[", "]"),
];
const BEHIND: &[&str] = &["", ".", ",", "]", ")", "}", "\"", "”", ">", ";", " .", " ]"];

/// Whether the suggestion for `value` is better than it.
fn is_better(value: &str, expected: ExpectedValue) -> Result<(), TestCaseError> {
    let checked = check(value, expected);
    let Some(suggestion) = &checked.suggestion else {
        return Ok(());
    };
    let again = check(suggestion, expected);
    for hit in &again.hits {
        let is_known = checked.codes().any(|code| code == hit.row.code);
        let is_serious = hit.row.severity >= Severity::Warning;
        prop_assert!(
            is_known || !is_serious,
            "{:?} {:?}: {}",
            value,
            suggestion,
            hit.row.code
        );
        let was_repaired = hit.may_fix && is_known;
        prop_assert!(
            !was_repaired,
            "{:?} {:?}: {}",
            value,
            suggestion,
            hit.row.code
        );
    }
    Ok(())
}

/// A value that a repair would make worse has no suggestion, or another one.
#[test]
fn no_repair_makes_a_value_worse() {
    for (value, suggestion) in [
        ("http: //a.example/1", None),
        ("http:\\\\a.example\\b", Some("http://a.example/b")),
        ("http://a.example\\b", Some("http://a.example/b")),
        ("https//:a.example/1", Some("https://a.example/1")),
        ("http://a.example/“x”", None),
        ("http://a.example/\"x\"", Some("http://a.example/%22x%22")),
        ("http://a.example/1]", None),
        ("http://a.example/{1", None),
        ("https://dx.doi.org/10.1000 /182", None),
        (
            "dx.doi.org/10.1000 /182",
            Some("http://dx.doi.org/10.1000 /182"),
        ),
        ("http://a.example/a /b.pdf", None),
        ("urn:nbn:de:101:1-2 .3", None),
        (
            "http://a.example/a b.pdf",
            Some("http://a.example/a%20b.pdf"),
        ),
    ] {
        let found = check(value, ExpectedValue::Uri).suggestion;
        assert_eq!(found.as_deref(), suggestion, "{value}");
        if let Some(found) = found {
            is_better(value, ExpectedValue::Uri).unwrap();
            assert_eq!(check(&found, ExpectedValue::Uri).suggestion, None);
        }
    }
}

#[test]
fn codes_are_unique() {
    for (at, row) in CHECKS.iter().enumerate() {
        assert!(CHECKS[..at].iter().all(|other| other.code != row.code));
        assert_eq!(CheckRow::of_code(row.code), Some(row));
    }
}

/// A value of twice the length takes twice as many steps.
#[test]
fn hostile_values_take_linear_time() {
    const LEN: usize = 100 << 10;
    for (start, piece) in [
        ("http://a.example/", " "),
        ("", "http://"),
        ("http://a.example/", "&amp;"),
        ("http://a.example/&", "amp;"),
        ("http://a.example/", "%25"),
        ("http://", "\u{FC}\u{E9}"),
        ("URL:", "URL:"),
        ("doi:", "doi:"),
        ("a", ".,;:"),
        ("", "<\""),
    ] {
        let steps = |len| {
            steps::of_text(start, piece, len, |text| {
                let text = std::str::from_utf8(text).unwrap();
                check(text, ExpectedValue::Uri);
            })
        };
        let (one, two) = (steps(LEN), steps(2 * LEN));
        assert!(one > 0 && two * 10 <= one * 22, "{piece:?}: {one}, {two}");
    }
    let nested = |len: usize| {
        steps::of_text("", "x", 1, |_| {
            let text = "(".repeat(len) + "a" + &")".repeat(len);
            check(&text, ExpectedValue::Uri);
        })
    };
    let (one, two) = (nested(LEN), nested(2 * LEN));
    assert!(one > 0 && two * 10 <= one * 22, "{one}, {two}");
}
