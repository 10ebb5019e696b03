//! L1 and L5 for identifiers without a scheme: words, gaps, remarks, numbers and lists of
//! them, names and what voids them, in every order, cut at every place.

use super::harness::{DIVISIONS, Rules, Run, Step, Way, agrees_divided, check, reference};
use super::texts;
use crate::random;
use proptest::prelude::*;
use proptest::sample::select;
use urisieve::item::IdentifierKinds;
use urisieve::reference::Options;

/// Pieces of text that some rule of identifiers depends on.
const PIECES: &[&str] = &[
    "ISBN",
    "isbn",
    "ISBNs",
    "eISBN",
    "p-ISBN",
    "xISBN",
    "-13",
    " 10",
    "13",
    "ISSN",
    "e-ISSN",
    "lISSN",
    "ISSN-L",
    "ISSNs",
    " ",
    "  ",
    "\t",
    "\u{a0}",
    "\n",
    "\r\n",
    ":",
    ": ",
    "=",
    "#",
    "(",
    ")",
    "(pbk.)",
    "(v. 1 : alk. paper)",
    "(http://a/)",
    "(www.a.b)",
    "(12345678)",
    "(a:b)",
    "(a name of twenty-five chars)",
    "(\u{e9}\u{e9}\u{e9})",
    "0-8044-2957-x",
    "080442957X",
    "9783161484100",
    "978 3 16 148410 0",
    "978\u{2011}3\u{2010}16-148410-0",
    "9790260000438",
    "0-8044-2957-1",
    "0259-000X",
    "0259\u{2013}000x",
    "02590001",
    "2049-3630",
    "1950-1951",
    "1560-1560",
    "19501951",
    ",",
    ";",
    "/",
    ", ",
    "; ",
    " and ",
    "and",
    ", and ",
    "1",
    "a",
    "\u{e9}",
    "\u{65e5}",
    "-",
    "-1",
    ".",
    "_",
    "~",
    "*",
    "10.",
    "10.1000/",
    "10.1000/182",
    "10.1000.10/x",
    "10.1016/S0033-3182(10)71150-4",
    "10.1000\\/182",
    "10.1000/\\u00e9",
    "10.978.12/x",
    "10.979.123456789/x",
    "10.2020/",
    "10.2020/11.2020",
    "10.2020/13",
    "10.1920/2014",
    "11.2020",
    "10.5000/kg",
    "EUR ",
    "EUR",
    "\u{20ac}",
    "Rs. ",
    "$ ",
    "kr",
    "doi ",
    "DOI:",
    "doi: ",
    "doi.org/",
    "dx.doi.org/",
    "https://doi.org/",
    "<1::AID-AJPA1>",
    "<1>",
    "&quot;",
    "&amp;",
    "http://a.example/",
    "http://",
    "urn:isbn:",
    "isbn:",
    "ORCID ",
    "0000-0002-1825-0097",
    "0000-0002-1694-233x",
    "0000-0002-1825-0098",
    "0009-0001-2345-6789",
    "0000-0000-",
    "0000-0000-0000-0001",
    "0000",
    "hdl",
    "hdl ",
    "hdl:",
    "hdl.handle.net/",
    "handle:",
    "Handle: ",
    "2027/x",
    "20.500.12345/7",
    "12/24",
    "1234/5",
    "1.a/b",
    "x/y",
    "arXiv",
    "arXiv:",
    "arXiv ",
    "arxiv.org/abs/",
    "2101.00001",
    "2101.00001v2",
    "0704.0001",
    "0703.0001",
    "2113.00001",
    "1501.0001",
    "hep-th/9901001",
    "math.GT/0309136",
    "math.gt/0309136",
    "v1",
    "v",
    "@",
    "1.2.3.4",
    "192.0.2",
    ".01",
    "2001:DB8:0:0::1",
    "::",
    ":1",
    "::1:2:3",
    "B.a.example",
    "com.b.example",
    "read.md",
    ".rs",
    ".App",
    "e.g.so",
    "version ",
    "v",
    "==",
    "-x",
    "/24",
    "(",
    ".",
    "joe@a.example",
    "O'neil@a.example",
    "@a.example",
    "a.b",
    ".com",
    "+",
    "--",
    "%",
    "$",
    "}",
    "&",
    "_joe@a.example_",
    "<Online",
    ".b@a.example>",
    "a#",
    "!",
    "\\u00f6",
    "\\u003c",
    "mailto:",
    "//",
    "\\n",
    "\\u0041",
    "%41",
    "\x1fa",
    "\\",
    "\\/",
    "[.]",
    "10[.]1000/x",
    "[:]",
    "hxxp://",
    "www.",
    "\"",
    "'",
    "<",
    ">",
    "|",
    "\u{2028}",
];

fn text() -> impl Strategy<Value = Vec<u8>> {
    let pieces = proptest::collection::vec(select(PIECES), 0..16);
    pieces.prop_map(|pieces| pieces.concat().into_bytes())
}

/// The rules, with all kinds of identifiers.
fn rules() -> impl Strategy<Value = Rules> {
    texts::rules().prop_map(|Rules(options)| {
        Rules(Options {
            identifiers: IdentifierKinds::all(),
            ..options
        })
    })
}

/// A text with bytes that are not UTF-8, and one that ends anywhere.
fn torn() -> impl Strategy<Value = Vec<u8>> {
    (
        text(),
        any::<u8>(),
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
    )
        .prop_map(|(mut text, byte, at, end)| {
            if !text.is_empty() {
                let at = at.index(text.len());
                text[at] = byte;
                text.truncate(end.index(text.len() + 1));
            }
            text
        })
}

proptest! {
    #[test]
    fn l5_the_reference_agrees(text in text(), rules in rules()) {
        agrees_divided(&text, &rules, &DIVISIONS);
    }

    #[test]
    fn l5_in_torn_texts(text in torn(), rules in rules()) {
        agrees_divided(&text, &rules, &[(64 << 10, 1), (1, 1), (5, 1)]);
    }
}

proptest! {
    #![proptest_config(random::cases(20))]

    #[test]
    fn l1_every_way_of_reading(text in text(), rules in rules(), steps in texts::steps()) {
        check(&text, &rules, &steps);
    }
}

/// What comes after a list is found as it would be alone, wherever the text is cut.
#[test]
fn l1_long_lists_and_names() {
    let rules = Rules(Options {
        identifiers: IdentifierKinds::all(),
        max_length: 2000,
        ..Options::default()
    });
    let list = format!(
        "ISSN 0259-000X, 2049-3630 (print).{}",
        " / 0259-000X".repeat(50)
    );
    let dois = ["10.1000/182"; 300].join(";");
    for text in [
        list,
        dois,
        format!("10.1000/{} 10.1000/x", "y".repeat(5000)),
        format!("10.1000/{};10.1000/x", "y".repeat(1900)),
        format!("10.1000/{};10.1000/x", "y".repeat(2500)),
        format!("10.{}/x ", "1".repeat(300)),
        format!("10.1234{}/x ", ".1".repeat(100)),
        "ISBN ".repeat(500),
        "10.1000/".repeat(500),
    ] {
        let wanted = reference(text.as_bytes(), &rules);
        for block in [1, 7, 300, 64 << 10] {
            let run = Run {
                text: text.as_bytes(),
                rules: &rules,
                way: Way::Reader(vec![block]),
                block,
                threads: 1,
            };
            run.finds(&wanted);
        }
    }
    // The check of a run would pass if both found nothing.
    let count = reference(["10.1000/182"; 300].join(";").as_bytes(), &rules)
        .found
        .len();
    assert_eq!(count, 300);
    check(
        b"ISBN 080442957X, 9783161484100",
        &rules,
        &[Step::Write(1), Step::Pause],
    );
}
