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
    // A long text is written in parts.
    let page = format!("http://a/{}", "b<wbr>".repeat(30_000));
    let found = find_with(Html::new(Mentions::WithColon), page.as_bytes(), &[1000]);
    let text = format!("http://a/{}", "b".repeat(30_000));
    assert!(matches!(&found[..], [Found::Mention(_, found, _)] if *found == text));
}
