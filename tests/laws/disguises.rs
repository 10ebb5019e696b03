//! Disguised URIs (I8 to I10): the fast path and the slow reference read the same marks, however
//! the text is divided.

use super::harness::{DIVISIONS, Rules, Run, Way, agrees_divided, check, reference};
use super::texts;
use crate::random;
use proptest::prelude::*;
use proptest::sample::select;
use urisieve::reference::Options;

/// Pieces of marks, and of what is around them.
const PIECES: &[&str] = &[
    "hxxp",
    "hXXps",
    "htxp",
    "hxtps",
    "hzzp",
    "hxxx",
    "h**p",
    "h__ps",
    "ht_tp",
    "htp",
    "hxp",
    "meow",
    "xxxx",
    "fxp",
    "ftx",
    "sxtp",
    "sftx",
    "http",
    "https",
    "ftp",
    "mailto",
    "sip",
    "x",
    "git+http",
    "[http]",
    "(https)",
    "{hxxp}",
    "h x x p : / / ",
    "h t t p s ://",
    "f t p : //",
    ":",
    "://",
    "//",
    "__",
    ":// ",
    "[:]//",
    "(:)//",
    "[://]",
    "{://}",
    ":[//]",
    "[:/]/",
    ":[/][/]",
    ":\\\\",
    ":\\/\\/",
    "[.]",
    "(.)",
    "{.}",
    "[dot]",
    "(DOT)",
    "[d0t]",
    "{punkt}",
    "[punto]",
    "[,]",
    "(,)",
    "[[.]]",
    "[ . ]",
    "[.)",
    "[.",
    ".]",
    "(.",
    ".)",
    "\\.",
    " [.] ",
    " dot ",
    "\u{3002}",
    "\u{FF0E}",
    "\u{FF61}",
    "\u{2024}",
    "[@]",
    "(at)",
    "{ at }",
    " [at] ",
    "[[at]]",
    "[:]",
    "(:)",
    "[-]",
    "[/]",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    "&#58;",
    "&#46;",
    "&#x2F;",
    "&colon;",
    "&period;",
    "&sol;",
    "&amp;",
    "&",
    "http%3A%2F%2F",
    "https%3a%2f%2fb.example%2F%3Fa%3D1",
    "%2F",
    "%20",
    "%25",
    "%",
    "${lower:l}",
    "${upper:D}",
    "${::-j}",
    "${env:X:-a}",
    "${${::-l}ower:p}",
    "${jndi:",
    "${",
    "dap",
    "mi",
    "[evil.example]",
    "[v1.x]",
    "[::1]",
    "2001:db8",
    "::1",
    "1.2.3",
    "4",
    "evil",
    "example",
    "a",
    "b.example",
    "www",
    "com",
    ".",
    ",",
    "@",
    "joe",
    "u:p",
    "8080",
    "/",
    "?q=",
    "#",
    "\\",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "<",
    ">",
    "\"",
    "'",
    "\u{e9}",
    "\u{4e2d}",
    "\u{201c}",
    "`",
    "-",
    "_",
    "|",
    "=",
    ";",
];

fn text() -> impl Strategy<Value = Vec<u8>> {
    let pieces = proptest::collection::vec(select(PIECES), 0..16);
    pieces.prop_map(|pieces| pieces.concat().into_bytes())
}

/// A host with one mark or more, and what may be before and after it.
fn host() -> impl Strategy<Value = Vec<u8>> {
    let part = |texts: &'static [&'static str]| select(texts);
    (
        part(&[
            "", "see ", "<", "\"", "(", "a=", "hxxp://", "h**ps://", "http:// ", "//", "hxxp__",
            "x:",
        ]),
        part(&["", "u:p[@]", "joe@", "eve[at]", "joe (at) "]),
        proptest::collection::vec(
            (
                part(&["evil", "www", "a-b", "1", "192", "db8"]),
                part(&[".", "[.]", " [.] ", " dot ", "[.", "(.)", "&#46;", "[:]"]),
            ),
            1..5,
        ),
        part(&["example", "com", "4", "foo", "1", "xn--p1ai"]),
        part(&[
            "",
            "[:]80",
            "(:)8080/x",
            "[/]a[.]b",
            "/a[.]b?u=hxxp://c[.]d",
            "(x)",
            "@",
            ". Next",
            "\nple[.]com>",
        ]),
    )
        .prop_map(|(before, user, labels, last, after)| {
            let labels: String = labels
                .iter()
                .flat_map(|(label, dot)| [*label, *dot])
                .collect();
            [before, user, &labels, last, after, "\n"]
                .concat()
                .into_bytes()
        })
}

/// The rules, with marks undone.
fn rules() -> impl Strategy<Value = Rules> {
    texts::rules().prop_map(|Rules(options)| {
        Rules(Options {
            refang: true,
            ..options
        })
    })
}

/// A text that ends anywhere, with a byte that is not UTF-8.
fn torn() -> impl Strategy<Value = Vec<u8>> {
    let place = any::<prop::sample::Index>;
    (text(), any::<u8>(), place(), place()).prop_map(|(mut text, byte, at, end)| {
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
        agrees_divided(&text, &rules, &DIVISIONS);
    }

    #[test]
    fn l5_hosts_with_marks(hosts in proptest::collection::vec(host(), 1..4), rules in rules()) {
        agrees_divided(&hosts.concat(), &rules, &DIVISIONS);
    }
}

proptest! {
    #![proptest_config(random::cases(20))]

    #[test]
    fn l1_every_way_of_reading(text in text(), rules in rules(), steps in texts::steps()) {
        check(&text, &rules, &steps);
    }
}

/// Marks of a text that is cut are as far away as they may be.
#[test]
fn l1_long_marks() {
    let rules = Rules(Options {
        refang: true,
        ..Options::default()
    });
    for text in [
        format!(
            "hxxp://{}example/{} ",
            "a[.]".repeat(300),
            "b[.]".repeat(300)
        ),
        format!("{}[.]example ", "a.".repeat(198)),
        format!("{}[.]example ", "a.".repeat(210)),
        format!("http://{}evil.example/ ", "${lower:a}".repeat(70)),
        format!(
            "<hxxp://{}evil.example/{}\n{}> ",
            "${lower:a}".repeat(60),
            "b[.]".repeat(900),
            "c[.]".repeat(900)
        ),
        format!(
            "https%3A%2F%2Fa.example%2F{}&x[.]example",
            "%41".repeat(500)
        ),
        "${".repeat(400),
        "[[".repeat(400),
        "h x ".repeat(300),
        "<http:[".repeat(200),
    ] {
        let wanted = reference(text.as_bytes(), &rules);
        for block in [1, 7, 300, 1000, 64 << 10] {
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
}
