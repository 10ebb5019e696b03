//! Pages of any content and length: the result does not depend on the pieces, and the
//! time is linear.

use super::*;
use crate::syntax::steps;
use proptest::prelude::*;

/// A page of which no markup is passed.
#[derive(Debug)]
struct EveryToken(Html);

impl Decode for EveryToken {
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        self.0.read::<false>(bytes, last, out)
    }
}

#[test]
fn long_things_are_cut() {
    let unsupported = |page: &str| {
        let mut found = find_with(
            Html::new(Mentions::WithColon.into(), 0),
            page.as_bytes(),
            &[50_000],
        );
        let whole = find_with(
            Html::new(Mentions::WithColon.into(), 0),
            page.as_bytes(),
            &[page.len()],
        );
        assert_eq!(found, whole);
        found.retain(|found| !matches!(found, Found::Mention(_, text, _) if text.len() > 100));
        found
    };
    let long = "x ".repeat(700_000);
    let found = unsupported(&format!("<a href=a {long} href=b>http://c/"));
    assert!(
        matches!(&found[..], [Found::Unsupported(_), Found::Link(_, a, ..), .., Found::Mention(_, c, _)]
        if a == "a" && c == "http://c/"),
        "{found:?}"
    );
    let found = unsupported(&format!("<b {long}></b>"));
    assert!(matches!(&found[..], [Found::Unsupported(_)]), "{found:?}");
    let found = unsupported(&format!(
        "<style>url(a){long}url(b)</style><style>url(c)</style>"
    ));
    assert!(
        matches!(&found[..], [Found::Link(_, a, ..), Found::Unsupported(_), Found::Link(_, c, ..)]
        if a == "a" && c == "c"),
        "{found:?}"
    );
    // The part that is cut off is not a reference.
    let found = unsupported(&format!("<style>{long}url({}", "y".repeat(1 << 20)));
    assert!(matches!(&found[..], [Found::Unsupported(_)]), "{found:?}");
}

#[test]
fn steps_are_linear() {
    for unit in [
        "<a href=b>",
        "url(b)",
        "\"http://a/\",",
        "a, ",
        "&amp;",
        "<wbr>",
        "\u{AD}",
        "http://a/ ",
        "<iframe srcdoc='",
    ] {
        for start in [
            "",
            "<style>",
            "<p style=\"",
            "<img srcset=\"",
            "<script type=application/ld+json>[",
            "<p>",
        ] {
            let look = |text: &[u8]| {
                drop(find_with(
                    Html::new(Mentions::WithColon.into(), 0),
                    text,
                    &[64],
                ))
            };
            let [one, two] = [4_000, 8_000].map(|len| steps::of_text(start, unit, len, look));
            assert!(
                two <= 2 * one + one / 5 + 100,
                "{start:?} {unit:?}: {one} and {two} steps"
            );
        }
    }
}

proptest! {
    #[test]
    fn pieces_change_nothing(
        parts in prop::collection::vec(prop::sample::select(vec![
            "<a href=b", "<a href='", "\"", "'", ">", "<", " ", "<base href=c>", "<style>", "</style>", "url(x)",
            "<script>", "<script type=application/ld+json>", "</script>", "{\"a\":\"http://b/\"}", "<!--", "-->",
            "<img srcset=\"a 1x, b\">", "<iframe srcdoc=\"&lt;a href=b>", "&amp;", "http://d/", "<wbr>", "&shy;", "\u{AD}",
            "<p style='e:url(f\\29)'>", "<template>", "</template>", "<svg>", "</svg>", "<title>", "</title>", "a:b", "\0",
            "<meta http-equiv=refresh content='1;url=g'>", "<meta name=robots content=nofollow>", "\u{e9}", "\\",
            "<http://i/", "</j k:l ", "<a m:// n='", " href=", "src=o href=p",
        ]), 0..24),
        sizes in prop::collection::vec(1usize..9, 1..20),
        mentions in prop::sample::select(vec![Mentions::None, Mentions::WithColon, Mentions::All]),
    ) {
        let page = parts.concat();
        let whole = find_with(Html::new(mentions.into(), 0), page.as_bytes(), &[page.len().max(1)]);
        prop_assert_eq!(find_with(Html::new(mentions.into(), 0), page.as_bytes(), &sizes), whole);
    }

    #[test]
    fn passed_markup_changes_nothing(
        parts in prop::collection::vec(prop::sample::select(vec![
            "</b>", "</B>", "</p >", "</p/>", "</a:b>", "</", "<b>", "<i class=\"c d\">", "<div id='e'>", "<br/>", "<p f>",
            "<i g=h>", "<div class=\"http://i/\">", "<div class='&amp;'>", "<a href=j>", "<a title=k>", "<l m:=n>",
            "<img src=\"o\" alt=\"p\">", "<base href=q>", "<meta name=robots content=nofollow>", "<wbr>", "<WBR>", "<w>",
            "text", "x y\n", "http://r/", "http:", "//s/", "t:", "&amp;", "&#58;", "\u{AD}", "\u{e9}", "<", ">", "\"", " = ",
            "<title>", "</title>", "<script>", "</script>", "<style>", "</style>", "<template>", "</template>",
            "<svg>", "</svg>", "<math>", "<!-- u -->", "<!v>", "<?w>", "<![CDATA[x]]>", "<textarea>", "<plaintext>",
            "a text of more than sixty-four bytes, so that its end is not looked for by words",
        ]), 0..24),
        sizes in prop::collection::vec(1usize..9, 1..20),
        mentions in prop::sample::select(vec![Mentions::None, Mentions::WithColon, Mentions::All]),
    ) {
        let page = parts.concat();
        let every = find_with(EveryToken(Html::new(mentions.into(), 0)), page.as_bytes(), &[page.len().max(1)]);
        for sizes in [&[page.len().max(1)][..], &sizes] {
            prop_assert_eq!(&find_with(Html::new(mentions.into(), 0), page.as_bytes(), sizes), &every);
        }
    }

    #[test]
    fn any_bytes_are_read(page in prop::collection::vec(any::<u8>(), 0..80), start in 0usize..4) {
        let start = ["", "<a href=\"", "<style>url(", "<script type=application/ld+json>[\""][start];
        let page = [start.as_bytes(), &page].concat();
        let encodings = [encoding_rs::UTF_8, encoding_rs::WINDOWS_1252, encoding_rs::GB18030];
        for encoding in encodings {
            let decode = |sizes: &[usize]| {
                let mut html = Html::new(Mentions::All.into(), 0);
                html.set_encoding(Converter::new(encoding));
                find_with(html, &page, sizes)
            };
            prop_assert_eq!(decode(&[1]), decode(&[page.len()]));
        }
    }
}
