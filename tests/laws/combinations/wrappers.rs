//! URIs in quotes and brackets, and over several lines.

use super::*;

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

/// B1, B2: bytes that are not UTF-8, and characters that some options keep out.
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
