//! Pages and what is found in them, in pieces of any size.

use super::super::convert::Converter;
use super::super::document::MarkupDecoder;
use super::page::Html;
use crate::decode::event::{Decode, DocumentBase, Event, MarkupValue, Output, ValueKind};
use crate::decode::mentions::Mentions;
use crate::item::{OffsetMap, Schemes};
use crate::syntax::steps;
use proptest::prelude::*;

/// What is found: the path with relations, the text, and the bytes if they differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Link(String, String, String, u32),
    JsonLink(String, String, Option<String>),
    Mention(String, String, String),
    Base(u32, u32, String),
    Unsupported(&'static str),
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a decoder finds.
#[derive(Default)]
struct Finder {
    found: Vec<Found>,
    /// What was read.
    at: usize,
    /// Whether the last event can be continued as a text.
    in_text: bool,
}

impl Finder {
    fn add(&mut self, page: &[u8], out: &Output) {
        let mut text = &out.text[..];
        for event in &out.events {
            let was_text = std::mem::take(&mut self.in_text);
            match event {
                Event::Skipped(len) => self.at += len,
                Event::Value(value) => {
                    let raw = &page[self.at..self.at + value.raw];
                    self.at += value.raw;
                    let mut decoded = raw;
                    if let Some(of) = value.decoded {
                        (decoded, text) = text.split_at(of.len);
                        if let Some(map) = of.map {
                            check_map(&out.maps()[map], decoded, raw);
                        }
                    }
                    self.value(value, raw, decoded, was_text);
                }
                Event::Base(DocumentBase {
                    number,
                    parent,
                    reference,
                }) => {
                    self.found
                        .push(Found::Base(*number, *parent, shown(reference)));
                }
                Event::Unsupported(cause) => self.found.push(Found::Unsupported(cause)),
                other => panic!("{other:?}"),
            }
        }
        assert!(text.is_empty());
    }

    fn value(&mut self, value: &MarkupValue, raw: &[u8], text: &[u8], was_text: bool) {
        let link = value.link.as_ref().unwrap();
        let mut path = shown(&link.path);
        if !link.rel.is_empty() {
            path = format!("{path} {}", shown(&link.rel));
        }
        if link.nofollow {
            path += " !";
        }
        let (raw, text) = (shown(raw), shown(text));
        let found = match value.kind {
            ValueKind::Reference(Schemes::Any) => Found::Link(path, text, raw, value.base),
            ValueKind::Reference(Schemes::Known) => {
                let pointer = value.pointer.as_deref().map(shown);
                Found::JsonLink(path, text, pointer)
            }
            ValueKind::Text { continues } => {
                self.in_text = true;
                if let (true, Some(Found::Mention(last, before, bytes))) =
                    (continues, self.found.last_mut())
                {
                    assert!(was_text && *last == path);
                    *before += &text;
                    *bytes += &raw;
                    return;
                }
                assert!(!continues);
                Found::Mention(path, text, raw)
            }
        };
        self.found.push(found);
    }
}

/// The map of a text leads to its bytes, in order.
fn check_map(map: &OffsetMap, text: &[u8], raw: &[u8]) {
    let mut places = map.places(text);
    let mut end = 0;
    for at in 0..text.len() {
        let (from, len) = places.span(at..at + 1);
        assert!(
            from >= end || len == 0 || from + len == end,
            "{map:?} of {}",
            shown(text)
        );
        end = end.max(from + len);
    }
    assert!(
        end <= raw.len() as u64,
        "{map:?} of {} from {}",
        shown(text),
        shown(raw)
    );
}

/// Returns what is found in `page`, pushed in pieces of these sizes.
fn find_with(mut html: Html, page: &[u8], sizes: &[usize]) -> Vec<Found> {
    let mut finder = Finder::default();
    let mut sizes = sizes.iter().cycle();
    let (mut from, mut to) = (0, 0);
    let mut out = Output::default();
    loop {
        to = (to + sizes.next().unwrap()).min(page.len());
        let last = to == page.len();
        out.clear();
        from += html.push(&page[from..to], last, &mut out);
        finder.add(page, &out);
        assert_eq!(finder.at, from);
        if last {
            assert_eq!(from, page.len());
            return finder.found;
        }
    }
}

pub(super) fn find(page: &str, mentions: Mentions) -> Vec<Found> {
    let whole = find_with(Html::new(mentions), page.as_bytes(), &[page.len().max(1)]);
    for size in [1, 2, 7, 100] {
        let pieces = find_with(Html::new(mentions), page.as_bytes(), &[size]);
        assert_eq!(pieces, whole, "{page} by {size}");
    }
    whole
}

/// Checks the links of a page: their paths, texts, and bytes where these differ.
#[track_caller]
pub(super) fn check_links(page: &str, wanted: &[(&str, &str)]) {
    let links = |found: Vec<Found>| -> Vec<(String, String)> {
        let link = |found| match found {
            Found::Link(path, text, raw, _) if text == raw => Some((path, text)),
            Found::Link(path, text, raw, _) => Some((path, format!("{text} <- {raw}"))),
            Found::JsonLink(path, text, pointer) => {
                Some((path, format!("{text} {}", pointer.unwrap_or_default())))
            }
            _ => None,
        };
        found.into_iter().filter_map(link).collect()
    };
    let found = links(find(page, Mentions::None));
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|(path, text)| (&path[..], &text[..]))
        .collect();
    assert_eq!(found, wanted, "{page}");
    // Mentions change no link.
    for mentions in [Mentions::WithColon, Mentions::All] {
        let more = links(find(page, mentions));
        assert!(
            more.iter()
                .map(|(path, text)| (&path[..], &text[..]))
                .eq(found.iter().copied()),
            "{page}"
        );
    }
}

/// Checks the mentions of a page.
#[track_caller]
pub(super) fn check_mentions(page: &str, wanted: &[(&str, &str)]) {
    let found = find(page, Mentions::WithColon);
    let mentions = found.iter().filter_map(|found| match found {
        Found::Mention(path, text, _) => Some((&path[..], &text[..])),
        _ => None,
    });
    assert_eq!(mentions.collect::<Vec<_>>(), wanted, "{page}");
}

#[test]
fn urls_of_attributes() {
    check_links(
        "<a href=/b>x</a><A HREF='c d'>",
        &[("A@/href", "/b"), ("A@/href", "c d")],
    );
    check_links("<img src=\" \n a \t\" alt=x>", &[("IMG@/src", "a")]);
    check_links(
        "<a href=\"&#x2F;a?b&amp;c&copy=1\">",
        &[("A@/href", "/a?b&c&copy=1 <- &#x2F;a?b&amp;c&copy=1")],
    );
    check_links("<a href=\"&#32;a&#10;\">", &[("A@/href", "a")]);
    check_links(
        "<a href=''><a href><a href=' '>",
        &[("A@/href", ""), ("A@/href", "")],
    );
    check_links("<a href=one href=two title=x>", &[("A@/href", "one")]);
    check_links("<base href=/x/><a href=b>", &[("A@/href", "b")]);
    check_links(
        "<use xlink:HREF='#a' href=b>",
        &[("USE@/xlink:href", "#a"), ("USE@/href", "b")],
    );
    check_links(
        "<form action=a><p action=b><button formaction=c>",
        &[("FORM@/action", "a"), ("BUTTON@/formaction", "c")],
    );
    check_links(
        "<my-element data-href=a>",
        &[("MY-ELEMENT@/data-href", "a")],
    );
    check_links(
        "<img usemap=#m longdesc=a><video poster=b>",
        &[
            ("IMG@/usemap", "#m"),
            ("IMG@/longdesc", "a"),
            ("VIDEO@/poster", "b"),
        ],
    );
}

#[test]
fn lists_of_attributes() {
    check_links(
        "<a ping=' a&#32;b ' href=c>",
        &[("A@/ping", "a"), ("A@/ping", "b"), ("A@/href", "c")],
    );
    check_links(
        "<object archive='a  b'><applet archive='a b, c'>",
        &[
            ("OBJECT@/archive", "a"),
            ("OBJECT@/archive", "b"),
            ("APPLET@/archive", "a b"),
            ("APPLET@/archive", "c"),
        ],
    );
    check_links(
        "<img srcset='a&amp;,b 1x, c 2x'>",
        &[("IMG@/srcset", "a&,b <- a&amp;,b"), ("IMG@/srcset", "c")],
    );
    check_links(
        "<link imagesrcset='a 1x' rel='Preload  X'>",
        &[("LINK@/imagesrcset preload x", "a")],
    );
}

#[test]
fn style_sheets() {
    check_links(
        "<style>@import 'a';b{c:url(d\\29 e)}</style>",
        &[("STYLE/#text", "a"), ("STYLE/#text", "d)e <- d\\29 e")],
    );
    check_links(
        "<p style=\"a:url(&quot;b&quot;);c:url('d\\&amp;')\">",
        &[("P@/style", "b"), ("P@/style", "d& <- d\\&amp;")],
    );
    check_links(
        "<style>a{b:url(c&amp;d)}</style>",
        &[("STYLE/#text", "c&amp;d")],
    );
    check_links(
        "<svg><style>a{b:url(c&amp;d)}<![CDATA[e{f:url(g&amp;h)}]]></style></svg>url(i)",
        &[
            ("STYLE/#text", "c&d <- c&amp;d"),
            ("STYLE/#text", "g&amp;h"),
        ],
    );
    check_links(
        "<path marker-end='url(#a)' fill='url(b)'>",
        &[("PATH@/marker-end", "#a"), ("PATH@/fill", "b")],
    );
}

#[test]
fn scripts() {
    check_links(
        "<p onclick=\"location='/ab'\"><p onclick=\"go('b')\">",
        &[("P@/onclick", "/ab")],
    );
    let page = r#"<script type=" Application/LD+json ; x">{"a":"https:\/\/b/ ","c":["urn:d:e","f"]}</script>"#;
    check_links(
        page,
        &[
            ("SCRIPT/#jsonld", "https://b/  /a"),
            ("SCRIPT/#jsonld", "urn:d:e /c/0"),
        ],
    );
    check_links(
        "<script>'<a href=b>'</script><a href=c>",
        &[("A@/href", "c")],
    );
}

#[test]
fn metas_of_pages() {
    check_links(
        "<meta http-equiv=REFRESH content='1;url=&quot;a&quot;b'>",
        &[("META@/content", "a")],
    );
    check_links(
        "<meta content=a property=og:url><meta name=x content='https://b/'>",
        &[("META@/content", "a"), ("META@/content", "https://b/")],
    );
    check_links(
        "<meta name=x content='see https://b/'><meta http-equiv=refresh content=https://c/>",
        &[],
    );
    check_mentions(
        "<meta name=x content='see https://b/'>",
        &[("META@/content", "see https://b/")],
    );
}

#[test]
fn links_that_are_not_followed() {
    check_links(
        "<a href=a rel='X NoFollow'><area href=b rel=ugc><form action=c rel=sponsored><link href=d rel=nofollow>",
        &[
            ("A@/href x nofollow !", "a"),
            ("AREA@/href ugc !", "b"),
            ("FORM@/action sponsored !", "c"),
            ("LINK@/href nofollow", "d"),
        ],
    );
    check_links(
        "<a href=a><meta name=Robots content='noindex,none'><a href=b><form action=c><img src=d>",
        &[
            ("A@/href", "a"),
            ("A@/href !", "b"),
            ("FORM@/action", "c"),
            ("IMG@/src", "d"),
        ],
    );
}

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

fn bases(page: &str) -> Vec<String> {
    let show = |found| match found {
        Found::Link(_, text, _, base) => format!("{text} {base}"),
        Found::Base(number, parent, reference) => format!("{number}={reference} {parent}"),
        other => panic!("{other:?}"),
    };
    find(page, Mentions::None).into_iter().map(show).collect()
}

#[test]
fn the_first_base_governs_the_page() {
    assert_eq!(
        bases("<a href=a><base target=x><base href=' b&amp; '><base href=c><a href=d>"),
        ["1= b&  0", "a 1", "d 1"]
    );
    assert_eq!(
        bases("<a href=a><a href=http://b/>"),
        ["a 0", "http://b/ 0"]
    );
    assert_eq!(
        bases("<a href=http://b/><base href><a href=a>"),
        ["http://b/ 0", "1= 0", "a 1"]
    );
    assert_eq!(
        bases(
            "<template><base href=t></template><!--<base href=c>--><textarea><base href=r></textarea><a href=a>"
        ),
        ["a 0"]
    );
    assert_eq!(
        bases("<noscript><base href=b></noscript><svg><base href=s></svg><a href=http:c>"),
        ["1=b 0", "http:c 1"]
    );
}

#[test]
fn a_base_is_awaited_in_the_first_mebibyte() {
    let page = |len: usize| format!("<a href=a>{}<base href=b><a href=c>", "x".repeat(len));
    for (len, wanted) in [
        (900_000, ["1=b 0", "a 1", "c 1"]),
        (1_100_000, ["a 0", "1=b 0", "c 1"]),
    ] {
        let found = |size| {
            let found = find_with(Html::new(Mentions::None), page(len).as_bytes(), &[size]);
            found
                .into_iter()
                .map(|found| match found {
                    Found::Link(_, text, _, base) => format!("{text} {base}"),
                    Found::Base(number, parent, reference) => {
                        format!("{number}={reference} {parent}")
                    }
                    other => panic!("{other:?}"),
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(found(2_000_000), wanted);
        assert_eq!(found(10_007), wanted);
    }
}

#[test]
fn documents_in_attributes() {
    check_links(
        "<iframe srcdoc=\"&lt;a href=&quot;b?c=1&amp;amp;d&quot;>x&lt;img src=e>\" src=f>",
        &[
            ("A@/href", "b?c=1&d <- b?c=1&amp;amp;d"),
            ("IMG@/src", "e"),
            ("IFRAME@/src", "f"),
        ],
    );
    assert_eq!(
        bases("<iframe srcdoc='<a href=a>'></iframe><a href=b>"),
        ["a 0", "b 0"]
    );
    assert_eq!(
        bases("<iframe srcdoc='<a href=a><base href=b>'></iframe><a href=c><base href=d>"),
        ["1=d 0", "2=b 1", "a 2", "c 1"],
    );
    assert_eq!(
        bases(
            "<iframe srcdoc=\"<iframe srcdoc='<base href=a><a href=b>'></iframe><a href=c>\"></iframe>"
        ),
        ["3=a 0", "b 3", "c 0"]
    );
    // They are not nested deeply.
    let mut page = "<a href=b>".to_owned();
    for depth in 0..=9 {
        let escaped = page.replace('&', "&amp;").replace('"', "&quot;");
        page = format!("<iframe srcdoc=\"{escaped}\">");
        let found = find(&page, Mentions::None);
        let is_read = found.iter().any(|found| matches!(found, Found::Link(..)));
        let is_too_deep = found
            .iter()
            .any(|found| matches!(found, Found::Unsupported(_)));
        assert_eq!((is_read, is_too_deep), (depth < 8, depth >= 8), "{depth}");
    }
}

#[test]
fn encodings() {
    let decode = |page: &[u8], encoding| {
        let mut html = Html::new(Mentions::WithColon);
        html.set_encoding(Converter::new(encoding));
        find_with(html, page, &[3])
    };
    let found = decode(
        b"<a href='\xE9 &amp;'>\xE9 http://\xE9/<style>url(\xE9\\\xE9) a:b</style>",
        encoding_rs::WINDOWS_1252,
    );
    let texts: Vec<&str> = found
        .iter()
        .map(|found| match found {
            Found::Link(_, text, ..) | Found::Mention(_, text, _) => &text[..],
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        texts,
        ["\u{e9} &", "\u{e9} http://\u{e9}/", "\u{e9}\u{e9}", ") a:b"]
    );
    // The second byte of a character is a backslash.
    let found = decode(
        b"<script type=application/ld+json>{\"a\":\"http://b/\x95\x5C\"}</script>",
        encoding_rs::SHIFT_JIS,
    );
    let link = Found::JsonLink(
        "SCRIPT/#jsonld".into(),
        "http://b/\u{8868}".into(),
        Some("/a".into()),
    );
    assert!(found.contains(&link), "{found:?}");
}

#[test]
fn long_things_are_cut() {
    let unsupported = |page: &str| {
        let mut found = find_with(Html::new(Mentions::WithColon), page.as_bytes(), &[50_000]);
        let whole = find_with(
            Html::new(Mentions::WithColon),
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
    let found = unsupported(&format!(
        "<style>url(a){long}url(b)</style><style>url(c)</style>"
    ));
    assert!(
        matches!(&found[..], [Found::Link(_, a, ..), Found::Unsupported(_), Found::Link(_, c, ..)]
        if a == "a" && c == "c"),
        "{found:?}"
    );
    // What is cut off is not a reference.
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
            let look = |text: &[u8]| drop(find_with(Html::new(Mentions::WithColon), text, &[64]));
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
        let whole = find_with(Html::new(mentions), page.as_bytes(), &[page.len().max(1)]);
        prop_assert_eq!(find_with(Html::new(mentions), page.as_bytes(), &sizes), whole);
    }

    #[test]
    fn any_bytes_are_read(page in prop::collection::vec(any::<u8>(), 0..80), start in 0usize..4) {
        let start = ["", "<a href=\"", "<style>url(", "<script type=application/ld+json>[\""][start];
        let page = [start.as_bytes(), &page].concat();
        let encodings = [encoding_rs::UTF_8, encoding_rs::WINDOWS_1252, encoding_rs::GB18030];
        for encoding in encodings {
            let decode = |sizes: &[usize]| {
                let mut html = Html::new(Mentions::All);
                html.set_encoding(Converter::new(encoding));
                find_with(html, &page, sizes)
            };
            prop_assert_eq!(decode(&[1]), decode(&[page.len()]));
        }
    }
}
