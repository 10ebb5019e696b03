//! Wrappers (W1 to W8).

use super::*;

#[test]
fn appendix_e_gives_its_three_uris() {
    let input = "I saw it at \"http://www.w3.example/Addressing/\",\nbut a copy may be at \
                 <ftp://ds.internic.\nnet/rfc/>.  Mind <http://www.ics.example/pub/\nietf/x.html#W>.\n";
    assert_eq!(
        texts(input),
        [
            "http://www.w3.example/Addressing/",
            "ftp://ds.internic.net/rfc/",
            "http://www.ics.example/pub/ietf/x.html#W"
        ]
    );
}

#[test]
fn w1_angle_brackets() {
    let input = "<http://a/x.> <http://a/y)> <urn:example:a,b.> &lt;http://b/é…&gt; <http://c/x y>";
    assert_eq!(
        texts(input),
        [
            "http://a/x.",
            "http://a/y)",
            "urn:example:a,b.",
            "http://b/é…",
            "http://c/x"
        ]
    );
    let found = extract(b"<http://a/\xff>", &Options::default()).found;
    assert_eq!(found[0].text, b"http://a/\xff");
    assert_eq!(codes(found[0].marks.problems), ["bad-utf8"]);
    assert_eq!(codes(only("<http://a/]x>").marks.problems), ["bad-char"]);
}

#[test]
fn w2_quotes() {
    let input = "\"http://a/x.\" 'http://b/it' it's 'http://c/d', “http://e/f.” «http://g/h» „http://i/.“ `http://j/!`";
    assert_eq!(
        texts(input),
        [
            "http://a/x.",
            "http://b/it",
            "http://c/d",
            "http://e/f.",
            "http://g/h",
            "http://i/.",
            "http://j/!"
        ]
    );
    let found = only("\"http://a/DNB|0417\"");
    assert_eq!(found.text, b"http://a/DNB|0417");
    assert_eq!(codes(found.marks.problems), ["bad-char"]);
    let found = only("http://a/DNB|0417");
    assert_eq!(found.text, b"http://a/DNB");
    assert_eq!(codes(found.marks.problems), ["cut"]);
    assert_eq!(codes(only("http://a/x\\y").marks.problems), ["cut"]);
    assert_eq!(only("\"http://a/x y\"").marks.wrapper, Wrapper::None);
}

#[test]
fn w3_brackets() {
    assert_eq!(
        texts(
            "(https://w.example/Quine_(computing)). [x](https://b/a_b) [http://c] {http://d} url(http://e/f?)"
        ),
        [
            "https://w.example/Quine_(computing)",
            "https://b/a_b",
            "http://c",
            "http://d",
            "http://e/f?"
        ]
    );
    let found = only("(http://a.example/x; more)");
    assert_eq!(
        (found.marks.wrapper, &found.text[..]),
        (Wrapper::None, &b"http://a.example/x"[..])
    );
    assert_eq!(
        texts("[http://[::1]/] [http://a/[1].]"),
        ["http://[::1]/", "http://a/[1]."]
    );
    assert_eq!(texts("(http://a/[x)"), ["http://a/"]);
    assert_eq!(
        texts("http://w.example/Quine_(computing)) x"),
        ["http://w.example/Quine_(computing)"]
    );
}

#[test]
fn w4_line_breaks_in_wrappers_are_removed() {
    let found = only("<http://a/very/\r\n   long/path?x=1&\r\n\ty=2>");
    assert_eq!(found.text, b"http://a/very/long/path?x=1&y=2");
    assert_eq!(
        (found.marks.wrapped, found.offset, found.length),
        (2, 1, 39)
    );
    assert_eq!(texts("\"http://a/part/\n  two\""), ["http://a/part/two"]);
    assert_eq!(texts("\"http://a/part and\nmore\""), ["http://a/part"]);
    assert_eq!(
        texts("if a <http://x/ and no closing\nbracket"),
        ["http://x/"]
    );
    assert_eq!(
        texts("\"http://a/ns\n  http://b/ns.xsd\""),
        ["http://a/ns", "http://b/ns.xsd"]
    );
    assert_eq!(texts("\"http://a/x'\n'y\""), ["http://a/x"]);
    assert_eq!(
        texts("\"http://a/x|\ny\" \\\"http://a/x\ny\\\""),
        ["http://a/x", "http://a/x"]
    );
    let with = |wrap| Options {
        wrap,
        ..Options::default()
    };
    assert_eq!(
        texts_with("<http://a/b c>", &with(Wrap::Any)),
        ["http://a/bc"]
    );
    assert_eq!(
        texts_with("\"http://a/b c\"", &with(Wrap::Any)),
        ["http://a/b"]
    );
    assert_eq!(
        texts_with("<http://a/b\nc>", &with(Wrap::Off)),
        ["http://a/b"]
    );
}

#[test]
fn w4_folding_has_limits() {
    let lines = |count: usize| format!("<http://a/{}>", "\nb".repeat(count));
    assert_eq!(only(&lines(20)).marks.wrapped, 20);
    assert_eq!(only(&lines(21)).marks.wrapped, 0);
    let bytes = |count: usize| format!("<http://a/\n{}>", "b".repeat(count));
    assert_eq!(only(&bytes(8182)).marks.wrapped, 1);
    assert_eq!(only(&bytes(8183)).marks.wrapped, 0);
}

#[test]
fn w5_leaders_and_page_furniture_are_removed() {
    for input in [
        "> > see <http://a/one/\n> > two>",
        "# see <http://a/one/\n# two>",
        "x\n/* <http://a/one/\n * two>",
        "<http://a/one/\n\n\n  two>",
        "<http://a/one/\n\nSmith    [Page 3]\n\x0c\nRFC 1\n\n   two>",
    ] {
        assert_eq!(texts(input), ["http://a/one/two"], "{input}");
    }
    assert_eq!(texts("# <http://a/one\n#two>"), ["http://a/one#two"]);
}

#[test]
fn w6_hyphens_before_line_breaks() {
    let input = "<http://a/pre-\n  fix>";
    let with = |hyphen| Options {
        hyphen,
        ..Options::default()
    };
    assert!(only(input).marks.hyphen_break);
    assert_eq!(texts(input), ["http://a/pre-fix"]);
    assert_eq!(texts_with(input, &with(Hyphen::Drop)), ["http://a/prefix"]);
    assert_eq!(
        texts_with(input, &with(Hyphen::Both)),
        ["http://a/pre-fix", "http://a/prefix"]
    );
}

#[test]
fn w7_without_a_wrapper_no_line_is_joined() {
    assert_eq!(texts("http://a/one/\ntwo three"), ["http://a/one/"]);
}

#[test]
fn w8_subfields_are_a_wrapper() {
    let input = "$uhttp://a/r$zFull ƒuurn:nbn:de:1-2ƒmB $http://b/$c";
    assert_eq!(
        texts(input),
        ["http://a/r", "urn:nbn:de:1-2", "http://b/$c"]
    );
    assert_eq!(
        run(input, &Options::default())[0].marks.wrapper,
        Wrapper::Field
    );
}
