//! Where URIs end: brackets, lists, limits and what follows.

use super::*;
use crate::thorough;

/// B2, B3, W3: a `[` belongs to a URI when its `]` follows.
#[test]
fn square_brackets() {
    let openers = &["", "(", "[", "{", "<", "\"", "'"];
    let inside = &[
        "",
        "x",
        "[",
        "]",
        "(",
        ")",
        "{\\_}",
        "&amp;",
        "&lt;",
        "&#39;",
        "&#233;",
        "\\\"",
        "\\u003c",
        "'",
        "\\'",
        ",http://c/",
        "\u{200d}",
        "\u{e9}\u{200d}\u{e9}",
        " ",
        "\n",
        "|",
        "<1:2>",
    ];
    let after = &["", "]", "[", "'", "\\'", ",http://c/"];
    let ends = &["]", "])", "]]", ")]", "}]", "]\"", "]>"];
    agree(
        &default(),
        &[
            openers,
            &["http://a.example/["],
            inside,
            after,
            ends,
            &[" y"],
        ],
    );
    agree(
        &default(),
        &[
            openers,
            &["http://a/b[c][", "urn:ab:["],
            inside,
            ends,
            &[" y"],
        ],
    );
}

/// B3, W3: brackets count to a depth of eight.
#[test]
fn deep_brackets() {
    for (open, close) in [("(", ")"), ("[", "]"), ("([", "])")] {
        for depth in 3..=10 {
            let (opens, closes) = (open.repeat(depth), close.repeat(depth));
            let less = &closes[close.len()..];
            let openers = &["", "(", "[", "{", "<"];
            let tails = &["", ")", "]", "}", "))", "]]", " ) ]"];
            agree(
                &default(),
                &[
                    openers,
                    &["http://a/"],
                    &[&opens],
                    &["x"],
                    &[&closes, less],
                    tails,
                    &[" y"],
                ],
            );
        }
    }
}

/// B8: a comma or semicolon belongs to an authority when an `@` follows.
#[test]
fn lists_in_an_authority() {
    let starts = &["http://", "(http://", "ftp://"];
    let commas = &[",", "\\u002c", "a;", "a,b\\u002c"];
    let inside = &[
        "", "b", ",", ";", "\\u002c", "&amp;", "&#233;", "&#39;", "&lt;", "'", "\\'", "/", "?",
        "[", "]", "\u{e9}", " ", "\"", ":80", "@",
    ];
    let after = &["", ",", "c", "]", "&#39;"];
    let ends = &["@d.example/ e", "c@d.example, e", "/c@d.example e"];
    agree(&default(), &[starts, commas, inside, after, ends]);
    for far in 1015..1030 {
        let user = "b".repeat(far);
        agree(
            &default(),
            &[&["http://,", "http://a;"], &[&user], &["@c.example/ d"]],
        );
    }
}

/// B3, B8: an authority that counts only if all that follows it is trimmed.
#[test]
fn a_question_mark_after_punctuation() {
    let starts = &["http://", "(http://", "_http://"];
    let hosts = &["a.example", "u@a", "a:80", ""];
    let marks = &["", ".", "*", "'", "(", "_", ":", "*.", "-", "\u{e9}."];
    let after = &[
        "", ".", "?", "(", ")", "_", "&", "$", "[", "]", "x", "/", ";", "'", "\\'", "\\u0021",
        "\u{e9}", "\u{200d}", "&amp;", "\\\"", "\\/", "\"", "<", "\u{201d}",
    ];
    agree(
        &default(),
        &[
            starts,
            hosts,
            marks,
            &["?"],
            after,
            &["", "x", "."],
            &[" y"],
        ],
    );
    agree(
        &default(),
        &[starts, hosts, marks, &["#", "/"], after, &[" y"]],
    );
    // S7: the last label of a host without a scheme is not empty.
    let abbreviated = Options {
        abbreviated: true,
        ..default()
    };
    let hosts = &["www.a.example", "www.a"];
    let marks = &["", ".", "..", ".:", ".*", ":"];
    let starts = &["", "(", "_"];
    agree(
        &abbreviated,
        &[
            starts,
            hosts,
            marks,
            &["?", "#"],
            after,
            &["", "x", "."],
            &[" y"],
        ],
    );
}

/// B9: what follows a comma or semicolon is another URI, judged by a few bytes.
#[test]
fn lists() {
    let words = &[
        "http", "x-http", "1http", "ab", "Default", "urn", "mailto", "magnet", "about", "file",
    ];
    let ends = &[
        "://b/",
        ":///b",
        "///b",
        ":/b",
        ":b",
        "://[",
        ":?b",
        ":b@c.d",
        "\\u003a//b",
        ":\\/\\/b",
        "://\u{e9}",
        "://\u{301}",
        "://\\'",
    ];
    for options in [default(), more_opaque()] {
        let starts = &["http://a.example/c", "(http://a/"];
        agree(
            &options,
            &[starts, &[",", ";URL:", ",uri: "], words, ends, &[" d"]],
        );
        for len in 110..132 {
            let (long, wide) = ("b".repeat(len), "\u{e9}".repeat(len / 2));
            let starts = &[
                "http://a/,mailto:",
                "http://a/;news:",
                "http://a/,cid:",
                "http://a/,urn:ab:",
            ];
            agree(
                &options,
                &[
                    starts,
                    &[&long, &wide],
                    &["@c.d", ".d", "\u{e9}@c"],
                    &[" e"],
                ],
            );
        }
    }
    for len in [1, 2, 30, 31, 32, 33, 34, 64] {
        let blanks = " ".repeat(len);
        agree(
            &default(),
            &[
                &["", "\n\nxyz "],
                &["http://a/,URL:"],
                &[&blanks],
                &["http://b/ c"],
            ],
        );
    }
    for len in 60..68 {
        let name = "b".repeat(len);
        agree(
            &default(),
            &[&["http://a/,"], &[&name], &["://c/ d", "http://c/ d"]],
        );
    }
}

/// W2: a DOI that a `<` before a digit may cut.
#[test]
fn a_less_than_sign_after_a_doi() {
    let starts = &["http://a.example", "doi:10.1/b", "10.1/b ftp://a"];
    let dois = &[
        "",
        "/10.1/b",
        "/10.1/bcd",
        "x10.1/b",
        "/x10.1/b",
        "/10./b",
        "?=10.b/",
        "/10.1b",
        "=10.1.2/",
        ":10.1/",
        "/10.",
        "?",
    ];
    let ends = &[
        "<1",
        "&lt;1",
        "<b",
        "&lt;b",
        "<1:2>",
        "<",
        "&lt;",
        "<1:2",
        "&lt;1:2&gt;",
        "&amp;lt;1",
        "\\u003c1",
    ];
    agree(
        &default(),
        &[&["x ", "(", "\""], starts, dois, ends, &[" c", "> c", ")"]],
    );
}

/// B7, B3: URIs about as long as the longest that is allowed.
#[test]
fn about_the_longest() {
    for max_length in [20, 1100] {
        let options = Options {
            max_length,
            ..default()
        };
        for len in max_length - 1..=max_length + 1 {
            let uri = format!("http://a.example/{}", "x".repeat(len - 17));
            for dots in thorough::part([0, 1, 62, 63, 64, 65, 66, 67], 3, len) {
                let dots = ".".repeat(dots);
                for (opener, closer) in [
                    ("", ""),
                    ("<", ">"),
                    ("\"", "\""),
                    ("(", ")"),
                    ("“", "”"),
                    ("[", "]"),
                ] {
                    agree(
                        &options,
                        &[
                            &[opener],
                            &[&uri],
                            &[&dots],
                            &[closer, ""],
                            &[" and http://b/"],
                        ],
                    );
                }
            }
        }
        for len in (1000..1030).chain(1080..1110).step_by(thorough::step(7)) {
            let blanks = " ".repeat(len);
            agree(
                &options,
                &[
                    &["", "a word "],
                    &["<http://a/"],
                    &[&blanks],
                    &["> b", "\n b> c"],
                ],
            );
        }
    }
}

/// B7: what follows a run that is too long.
#[test]
fn after_a_run_that_is_too_long() {
    let options = Options {
        max_length: 20,
        ..default()
    };
    let starts = &[
        "http://a/",
        "http://-/",
        "urn:ab:",
        "$uftp://a/",
        "\u{192}uurn:ab:",
        "(http://a/",
        "{http://a/",
        "http://a/(",
        "http://a/[",
    ];
    let long = "x".repeat(1200);
    let ends = &[
        "",
        "\u{e9}\u{200d}\u{e9}",
        "\u{65e5}",
        "\u{e9}x\u{65e5}",
        "\u{c0}\u{200d}\u{c0}",
        "\u{e9}\u{65e5}",
        "\u{200d}x",
        "\u{e9}",
        ")y",
        "((y)))z",
        "[x]y",
        "[y",
        "]",
        "$y",
        "\u{192}y",
        "{\\_}y",
        "\\_y\\",
        "<1:2>y",
        "<1y",
        ",http://b/",
        ",mailto:joe@b.example",
        ";y",
        "@",
        "&amp;y",
        "&#39;",
        "\\u00e9\u{200d}y",
        "'",
        "{y",
    ];
    agree(
        &options,
        &[
            &["x "],
            starts,
            &[&long, &long[..1060]],
            ends,
            &["", "zhttp://c/"],
            &[" and http://b/ c"],
        ],
    );
    let ends = &["", "/y", ",y", ")y", "\u{e9}"];
    agree(
        &options,
        &[&["http://a"], &[&long], ends, &[" and http://b/ c"]],
    );
}
