//! The ends of bare URIs (B1 to B9).

use super::*;

#[test]
fn b1_characters_beyond_ascii() {
    assert_eq!(
        texts(
            "http://müller.example/straße?q=日本 http://a/x。次 http://a/y，z http://b/4和 http://a/x►y"
        ),
        [
            "http://müller.example/straße?q=日本",
            "http://a/x",
            "http://a/y",
            "http://b/4",
            "http://a/x"
        ]
    );
    assert_eq!(
        texts("\"https://b/d’écran–2.png\""),
        ["https://b/d’écran–2.png"]
    );
    let joined = "http://a/é\u{200d}é\u{200d}x";
    assert_eq!(texts(joined), ["http://a/é\u{200d}é"]);
    let options = Options {
        ascii: true,
        ..Options::default()
    };
    assert_eq!(
        texts_with("http://a/straße <http://b/é>", &options),
        ["http://a/stra", "http://b/"]
    );
}

#[test]
fn b2_square_brackets() {
    for uri in [
        "http://[2001:DB8::1]:80/p",
        "http://a/?a[]=1&b[k]=2",
        "http://u@[::1]/",
    ] {
        assert_eq!(texts(uri), [uri]);
    }
    assert_eq!(
        texts("http://a[1] http://a/x[y http://a/(z"),
        ["http://a", "http://a/x", "http://a/(z"]
    );
    assert_eq!(
        texts("http://evil[.]example/ http://{h}/ http://a.b[dot]c http://[::1"),
        NOTHING
    );
    let far = |count: usize| format!("http://a/[{}]c", "b".repeat(count));
    assert_eq!(only(&far(4095)).length, 4107);
    assert_eq!(only(&far(4096)).length, 9);
}

#[test]
fn b3_trailing_punctuation() {
    assert_eq!(
        texts(
            "http://a/l,n; http://a/end... **http://a/b** http://a/q? _http://a/u_ http://a/v_ http://a/d- http://a/e="
        ),
        [
            "http://a/l,n",
            "http://a/end",
            "http://a/b",
            "http://a/q",
            "http://a/u",
            "http://a/v_",
            "http://a/d-",
            "http://a/e="
        ]
    );
    assert_eq!(
        texts("http://a/x( http://a/(x)( http://a/x)."),
        ["http://a/x", "http://a/(x)", "http://a/x"]
    );
}

#[test]
fn b4_character_references() {
    assert_eq!(
        texts(
            "&lt;http://a/x&gt; &quot;http://b/y&quot; http://c/?a=1&amp;b=2 &amp;quot;http://d/.&amp;quot;"
        ),
        [
            "http://a/x",
            "http://b/y",
            "http://c/?a=1&amp;b=2",
            "http://d/."
        ]
    );
    assert_eq!(
        texts(
            "http://a/x&nbsp;y http://b/q?a&amp; http://c/z&q;,&q; http://d/&#39; http://e/&#64;x"
        ),
        [
            "http://a/x",
            "http://b/q?a",
            "http://c/z",
            "http://d/",
            "http://e/&#64;x"
        ]
    );
}

#[test]
fn b5_escapes_are_undone() {
    let input = r#"{"u":"https:\/\/a\/v1?a=1\u0026b=2","v":"https:\u002f\\u002fx\\\\u002f","m":"see \"http://q/.\""}"#;
    assert_eq!(
        texts(input),
        ["https://a/v1?a=1&b=2", "https://x/", "http://q/."]
    );
    assert_eq!(
        texts(
            r"'http://a/s?alt\x3drss' /http:\/\/cdn\.b\.example/ {http://c/x\_y} http://d/\% http://e/\n http\u003a//f/\ud83d\ude00"
        ),
        [
            "http://a/s?alt=rss",
            "http://c/x_y",
            "http://d/",
            "http://e/",
            "http://f/😀"
        ]
    );
    assert_eq!(
        texts(r"http://a/\ud83d http://b/\x80 http://c/\\\\\/x"),
        ["http://a/", "http://b/", "http://c/"]
    );
    let found = only(r"x http:\/\/a\/.");
    assert_eq!((found.offset, found.length), (2, 12));
}

#[test]
fn b6_broken_percent_encoding() {
    let input = "http://a/%zz http://a/100% http://a/%E4";
    assert_eq!(
        texts(input),
        ["http://a/%zz", "http://a/100%", "http://a/%E4"]
    );
    assert_eq!(codes(only("http://a/%zz").marks.problems), ["bad-percent"]);
    let options = Options {
        strict: true,
        ..Options::default()
    };
    assert_eq!(texts_with(input, &options), ["http://a/%E4"]);
}

#[test]
fn b7_too_long_candidates_are_counted() {
    let options = Options {
        max_length: 12,
        ..Options::default()
    };
    let input = "x http://a/bcd http://a/bcde http://a/http://b/ aaaaaaaaaaaaaaahttp://c/";
    let extraction = extract(input.as_bytes(), &options);
    assert_eq!(extraction.too_long, [15, 29]);
    let texts: Vec<&[u8]> = extraction.found.iter().map(|f| &f.text[..]).collect();
    assert_eq!(texts, [&b"http://a/bcd"[..], b"http://c/"]);
}

#[test]
fn b8_hosts() {
    assert_eq!(
        texts("http://. http://.. http://, https:// http://- http://%s/x http://::1/z http://[x]/"),
        NOTHING
    );
    assert_eq!(
        texts("http://a:99999/x http://a_b.example/ redis://:pw@cache").len(),
        3
    );
    assert_eq!(
        codes(only("ssh://git@a.example:o/r.git").marks.problems),
        ["bad-port"]
    );
}

#[test]
fn b9_lists() {
    assert_eq!(
        texts(
            "http://a/1,http://b/2;https://c/3,doi:10.1/x,note:x http://d.examplehttp://e.example/"
        ),
        [
            "http://a/1",
            "http://b/2",
            "https://c/3",
            "doi:10.1/x,note:x",
            "http://d.example",
            "http://e.example/"
        ]
    );
    assert_eq!(
        texts("http://http://x.example/ \"http://a/1,http://b/2\""),
        ["http://x.example/", "http://a/1,http://b/2"]
    );
}
