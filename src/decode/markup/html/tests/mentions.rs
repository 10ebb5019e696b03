//! Texts of a page.

use super::*;

#[test]
fn texts() {
    check_mentions(
        "<!DOCTYPE html 'http://a/'><p title='http://b/' class=c>http://d/?&amp;e</p><!-- http://f/ -->",
        &[
            ("#comment", " html 'http://a/'"),
            ("P@/title", "http://b/"),
            ("#text", "http://d/?&e"),
            ("#comment", " http://f/ "),
        ],
    );
    check_mentions("<p>a</p>b :c<i d='e: f' g=:h>", &[("I@/d", "e: f")]);
    check_mentions(
        "<title>http://a/<b></title><xmp>http://b/&amp;<i></xmp><script>http://c/&amp;</script>",
        &[
            ("#text", "http://a/<b>"),
            ("#text", "http://b/&amp;<i>"),
            ("#script", "http://c/&amp;"),
        ],
    );
    check_mentions(
        "<base href='http://a/'><p style='b:c(d)' itemtype=http&#58;//e/>",
        &[
            ("BASE@/href", "http://a/"),
            ("P@/style", "b:c(d)"),
            ("P@/itemtype", "http://e/"),
        ],
    );
    // A tag that the end cuts off continues no text.
    check_mentions("&shy;<wbr><a href=b:", &[("#text", "<a href=b:")]);
    check_mentions(
        "<p style='a:url(b);c:d'>",
        &[("P@/style", "a:url("), ("P@/style", ");c:d")],
    );
    check_mentions(
        "a</>http://b/<p c=http://d/",
        &[("#text", "http://b/"), ("#text", "<p c=http://d/")],
    );
    assert_eq!(find("<p>a:b</p><p class=a:b>", Mentions::None), []);
}

#[test]
fn breaks_in_words_are_removed() {
    check_mentions(
        "ht<wbr>tp://a/b<WBR x>&shy;c\u{AD}d &amp;<wbr>e<b>f://g",
        &[("#text", "http://a/bcd &e"), ("#text", "f://g")],
    );
    let found = find("x<wbr>http://a/&shy;b<wbr>", Mentions::WithColon);
    let raw = "x<wbr>http://a/&shy;b";
    assert_eq!(
        found,
        [Found::Mention(
            "#text".into(),
            "xhttp://a/b".into(),
            raw.into()
        )]
    );
    let found = find("at a.example<wbr>/b and c<wbr>d<b>", Mentions::All);
    assert!(matches!(&found[..], [Found::Mention(_, text, _)] if text == "at a.example/b and cd"));
    // A long text is written in parts.
    let page = format!("http://a/{}", "b<wbr>".repeat(30_000));
    let found = find_with(
        Html::new(Mentions::WithColon.into(), 0),
        page.as_bytes(),
        &[1000],
    );
    let text = format!("http://a/{}", "b".repeat(30_000));
    assert!(matches!(&found[..], [Found::Mention(_, found, _)] if *found == text));
}

/// `-i text` finds these URIs, so none may be lost.
#[test]
fn uris_in_the_place_of_names() {
    for (page, wanted) in [
        ("a <http://b/c> d", &[("#text", "<http://b/c>")][..]),
        (
            "<http://b/c?d=e&amp;f g=h:i>",
            &[("#text", "<http://b/c?d=e&f g=h:i>")],
        ),
        (
            "<HTTP://b/\n  c/src=d>",
            &[("#text", "<HTTP://b/\n  c/src=d>")],
        ),
        ("<Mailto:a@b.c>", &[("#text", "<Mailto:a@b.c>")]),
        ("<urn:isbn:1/>", &[("#text", "<urn:isbn:1/>")]),
        // A value with its own position keeps it.
        (
            "<http://b/ itemtype='http://c/' http://d/>",
            &[
                ("#text", "<http://b/ "),
                ("HTTP:@/itemtype", "http://c/"),
                ("#text", "http://d/>"),
            ],
        ),
        (
            "<a href=\"\"http://b/\" title='c:d'>",
            &[("#text", "http://b/\" "), ("A@/title", "c:d")],
        ),
        ("<a x mailto:b@c.d>", &[("#text", "mailto:b@c.d>")]),
        // These have a colon, but are not URIs.
        ("<svg:a b=c:d>", &[("SVG:A@/b", "c:d")]),
        ("<http:/b/c><http:><a v-on:click=b><a ://b>", &[]),
        (
            "</a http://b/ c='d:e'>",
            &[("#text", " http://b/ c='d:e'>")],
        ),
        ("</a\n>:", &[]),
    ] {
        check_mentions(page, wanted);
    }
    check_links(
        "<http://a/b/src=c?href=d href=e src=f><http:/ src=g>",
        &[("HTTP:@/href", "e"), ("HTTP:@/src", "g")],
    );
    let all = find("<www.a.example/b><a.b c='d'><a.b/src=c>", Mentions::All);
    let texts = ["<www.a.example/b>", "<a.b ", "<a.b/"].map(str::to_owned);
    for text in texts {
        let mention = Found::Mention("#text".into(), text.clone(), text);
        assert!(all.contains(&mention), "{all:?}");
    }
}

#[test]
fn the_second_of_equal_attributes_is_text() {
    let page = "<a href=b HREF='http://c/' title=x href=d title='http://e/'>";
    check_links(page, &[("A@/href", "b")]);
    check_mentions(page, &[("A@/href", "http://c/"), ("A@/title", "http://e/")]);
    // There are enough attributes that they are sorted.
    let names: String = (0..100).map(|number| format!(" a{number}")).collect();
    check_mentions(
        &format!("<a{names} b=1 b='http://c/' a7=http://d/>"),
        &[("A@/b", "http://c/"), ("A@/a7", "http://d/")],
    );
}
