//! L5 on every combination of a few pieces: texts where what is read ahead, a limit or
//! the piece beside it decides. Random texts seldom hold them.

use super::agrees;
use urisieve::reference::{Hyphen, Options, Wrap};

/// Returns every text that has one piece of each of `parts`.
fn products(parts: &[&[&str]]) -> Vec<String> {
    let mut texts = vec![String::new()];
    for pieces in parts {
        let with = |text: String| pieces.iter().map(move |piece| text.clone() + piece);
        texts = texts.into_iter().flat_map(with).collect();
    }
    texts
}

/// Asserts law L5 for every text that has one piece of each of `parts`.
fn agree(options: &Options, parts: &[&[&str]]) {
    for text in products(parts) {
        agrees(text.as_bytes(), options);
    }
}

fn default() -> Options {
    Options::default()
}

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

/// S3: an opaque URI for each scheme that has a shape, and others.
const OPAQUE: [&str; 35] = [
    "urn:ab:",
    "mailto:joe@b.",
    "mailto:b/@",
    "news:b.c",
    "tel:+123",
    "sms:1",
    "doi:10.1/",
    "hdl:1/",
    "ark:/12345/",
    "isbn:0395363411",
    "issn:0259-000X",
    "magnet:?xt=",
    "magnet:?xs=",
    "tag:a,2001:",
    "info:lccn/",
    "sip:a@b",
    "sips:a.b",
    "xmpp:a@",
    "cid:a@b",
    "mid:a@b",
    "geo:1,2",
    "did:a:b",
    "pkg:a/b",
    "swh:1:",
    "bitcoin:175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W",
    "view-source:http://a/",
    "jdbc:ab://c/",
    "feed:https:/",
    "blob:x:",
    "jar:file:/",
    "file:/a",
    "http://a/",
    "about:b",
    "slack:b",
    "acme:b",
];

fn more_opaque() -> Options {
    Options {
        opaque_all: true,
        opaque: vec!["acme".to_owned()],
        ..default()
    }
}

/// W4: a scheme over two lines, broken anywhere.
#[test]
fn schemes_over_two_lines() {
    for uri in OPAQUE {
        let (name, tail) = uri.split_once(':').unwrap();
        for end in 0..=name.len() {
            let (one, two) = name.split_at(end);
            let starts = &["<", "<URL:", "&lt;", "&quot;", "\\u003c", "\""];
            let breaks = &["\n", " \r\n > ", "\n\n", " "];
            let parts: &[&[&str]] = &[
                starts,
                &[one],
                breaks,
                &[two],
                &[":"],
                &[tail],
                &["c> c&gt; &quot; \\u003e", "c&quot;"],
            ];
            agree(&default(), parts);
            agree(&more_opaque(), &parts[1..]);
        }
    }
}

/// S3: the shape of an opaque URI is judged by what is read first.
#[test]
fn long_opaque_uris() {
    for uri in OPAQUE {
        let (name, tail) = uri.split_once(':').unwrap();
        for len in [0, 1, 124, 126, 127, 128, 129, 512] {
            let (name, long) = (name.to_owned() + ":", "b".repeat(len));
            let firsts = &["", ":", "#", "@", ")", "<1:2>", "<1:2>a.", "\u{e9}", "-"];
            agree(
                &more_opaque(),
                &[
                    &[&name],
                    firsts,
                    &[tail, ""],
                    &[&long],
                    &["", "@c.d"],
                    &[" d"],
                ],
            );
            agree(&default(), &[&[&name], &[tail, ""], &[&long], &[" d"]]);
        }
    }
    for len in (1..=70).chain([100]) {
        let inner = "b".repeat(len);
        agree(
            &default(),
            &[
                &["x view-source:", "jar:"],
                &[&inner],
                &["://c/", ":/c", ":c"],
                &[" d"],
            ],
        );
    }
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

/// S4, S5, S7: what is before a URI.
#[test]
fn what_is_before() {
    let options = Options {
        abbreviated: true,
        nested: true,
        ..default()
    };
    let before = &[
        "",
        "%3D",
        "%253D",
        "%",
        "\\n",
        "\\x3d",
        "\\u003d",
        "\\fB",
        "\x1b[1m",
        "\\x1b[31m",
        "\x1f",
        "\x1fu",
        "\\(aq",
        "$",
        "$u",
        "\u{192}",
        "\u{192}u",
        "\u{2021}u",
        "a",
        "a-",
        "1",
        ".",
        "@",
        "~",
        "URL:",
        "URL=<",
        "URL=\\x3c",
        "URL=\\\\x3c",
        "URL=\\u003c",
        "URL=&lt;",
        "\\x22",
        "\\\\u0022",
        "=\\x22",
        "('",
        "\u{201e}",
        "[",
        "git+",
    ];
    let starts = &[
        "http://a.example/b",
        "HTTPS://a.example",
        "www.a.example/b",
        "www.a.b-urn:ab:c/urn:d1:e",
        "ftp.a.b/x_urn:ab:c",
        "urn:ab:c",
    ];
    let ends = &[
        "",
        "\\x3e",
        "\\u003e",
        ">",
        "\\\\u0022",
        "\n  c\"",
        "]",
        "\u{201c}",
    ];
    agree(&options, &[&["", "> "], before, starts, ends, &[" d\n"]]);
}

/// W1: quotes that also may be part of a URI, after one another.
#[test]
fn typographic_quotes() {
    let quotes = &["", "\u{201c}", "\u{201e}", "\u{2018}", "\u{ab}", "&ldquo;"];
    let closers = &["", "\u{201d}", "\u{201c}", "\u{2019}", "\u{bb}", "&rdquo;"];
    let between = &["", " ", "<1:2>", "\\\"", "\\'", "\\u201d", "\n", "&amp;"];
    let parts: &[&[&str]] = &[
        quotes,
        &["http://a/b"],
        closers,
        between,
        quotes,
        &["http://c/"],
        closers,
        &[" d"],
    ];
    agree(&default(), parts);
    for max_length in 9..14 {
        let short = Options {
            max_length,
            ..default()
        };
        agree(
            &short,
            &[
                quotes,
                &["http://a/b"],
                between,
                between,
                closers,
                &["\u{201d} c"],
            ],
        );
    }
}

/// W4, W6, W7: what is before and after a line break in a string.
#[test]
fn line_breaks_in_strings() {
    for hyphen in [Hyphen::Keep, Hyphen::Both] {
        let options = Options {
            hyphen,
            nested: hyphen == Hyphen::Both,
            ..default()
        };
        let starts = &["\"http://", "x = \"http://", "<http://", "\"urn:ab:"];
        let ends = &[
            "", "a", "a/b-", "a/b'", "a/b\\'", "a/b&#39;", "a/\\x1fc", "a/{",
        ];
        let breaks = &["\n", "\r\n  ", " \n > "];
        let rests = &[
            "b",
            "b\\xe9",
            "b\\x22",
            "'b",
            "\\'b",
            "`b",
            "b-\nc",
            "http://c/",
            "b/http://c/",
            "b'",
            "",
        ];
        let tails = &["", "\"", ">", " \""];
        agree(&options, &[starts, ends, breaks, rests, tails, &[" d\n"]]);
    }
}

/// W4: what is in parentheses after their only line break.
#[test]
fn line_breaks_in_parentheses() {
    let starts = &["(http://", "(git://"];
    let ends = &["", "a", "a.example/b", "a/b-", "a/("];
    let rests = &[
        "",
        "b",
        "(c",
        "(c)",
        "(c)/d",
        "c)",
        "<1:2>",
        "<1.2:3>",
        "<1.2:3>b.c",
        "&amp;",
        "&#233;",
        "&#233;.",
        "&lt;",
        "\\)",
        "b.c",
        "\n",
        " ",
        "\u{e9}",
    ];
    let more = &["", "b", "/", "\nc", ")"];
    agree(
        &default(),
        &[
            &["x "],
            starts,
            ends,
            &["\n"],
            rests,
            more,
            &[")", "))", ") d)"],
            &[" y"],
        ],
    );
}

/// B1, B2: bytes that are no UTF-8, and characters that some options keep out.
#[test]
fn odd_bytes_in_wrappers() {
    let starts: [&[u8]; 6] = [
        b"\"http://",
        b"'http://",
        b"<http://",
        b"\"urn:",
        b"(http://",
        b"\"http://[::1",
    ];
    let ends: [&[u8]; 9] = [
        b"\xff",
        b"\xc3",
        b"\xc3\xa9",
        b"\\xff",
        b"\n\xff",
        b"\nb\xff",
        b"\n \xc3\xa9",
        b"\\x1f\nb",
        b"&#233;",
    ];
    for (start, end) in starts.iter().flat_map(|start| ends.map(|end| (start, end))) {
        for middle in [&b""[..], b"a", b"ab:c", b"a.example/b"] {
            for tail in [&b"d"[..], b"d\"", b"d'", b"d>", b"\xffd\"", b"d)", b"]/\""] {
                for (ascii, wrap) in [(false, Wrap::Lines), (true, Wrap::Any)] {
                    let options = Options {
                        ascii,
                        wrap,
                        ..default()
                    };
                    let text = [start, middle, end, tail, b" e\n"].concat();
                    agrees(&text, &options);
                }
            }
        }
    }
}

/// R1: a host that goes on after a dot between blanks, and schemes that were torn.
#[test]
fn hosts_with_blanks() {
    let [seven, eight, nine] = [7, 8, 9].map(|len| " ".repeat(len));
    let blanks = &["", " ", "\t ", &seven, &eight, &nine, "\n", "b"];
    let starts = &[
        "http://evil9",
        "HTTP://evil9",
        "ftp://evil/x",
        "<http://evil",
        "urn:ab:c",
    ];
    let ends = &["example/", "Example", "9", ".b", ""];
    let names = &[
        "ttp", "ttps", "tp", "xp", "xxps", "ps", "TPS", "gopher", "http", "ttpss",
    ];
    for refang in [true, false] {
        let options = Options {
            refang,
            ..default()
        };
        let least = if refang { 0 } else { ends.len() - 1 };
        agree(
            &options,
            &[
                &["x "],
                starts,
                blanks,
                &[".", "", ","],
                blanks,
                &ends[least..],
            ],
        );
        agree(
            &options,
            &[
                &["ht_", "", "<ht\n"],
                names,
                &["://", ":\\/\\/"],
                &["a.example/ b>"],
            ],
        );
    }
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
            for dots in [0, 1, 62, 63, 64, 65, 66, 67] {
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
        for len in (1000..1030).chain(1080..1110) {
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

/// W4: wrapped URIs about as long as the limit of folds, wherever they stand.
#[test]
fn about_the_limit_of_folds() {
    for wrap_limit_bytes in [0, 15, 30] {
        for wrap_limit_lines in [0, 1, 20] {
            let options = Options {
                wrap_limit_bytes,
                wrap_limit_lines,
                ..default()
            };
            for len in 0..22 {
                let path = "x".repeat(len);
                let starts = &["<http://a/", "some words before <http://a/"];
                let breaks = &["\n", "\n  ", "\n[Page 3]\n", "\n\x0c\n"];
                agree(
                    &options,
                    &[starts, breaks, &[&path], &[">", "\nb>", " "], &[" c\nd\n"]],
                );
            }
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
