//! Where URIs begin: schemes, hosts without one, and what is before them.

use super::*;
use crate::thorough;

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

/// W4: a scheme over two lines, broken anywhere.
#[test]
fn schemes_over_two_lines() {
    for (number, uri) in OPAQUE.into_iter().enumerate() {
        let (name, tail) = uri.split_once(':').unwrap();
        for end in thorough::part(0..=name.len(), 2, number) {
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
    for (number, uri) in OPAQUE.into_iter().enumerate() {
        let (name, tail) = uri.split_once(':').unwrap();
        for len in thorough::part([0, 1, 124, 126, 127, 128, 129, 512], 4, number) {
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
    for len in (1..=70).chain([100]).step_by(thorough::step(3)) {
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

/// R1: a host that continues after a dot between blanks, and schemes that were torn.
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
