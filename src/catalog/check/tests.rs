//! Properties of repairs, for values composed of the patterns of the rows.

use super::{CHECKS, CheckRow, ExpectedValue, check, repair};
use crate::syntax::steps;
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
