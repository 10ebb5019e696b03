//! The statements of a page about itself: its bases and its encoding; pages inside of
//! pages.

use super::*;

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
            let found = find_with(
                Html::new(Mentions::None.into(), 0),
                page(len).as_bytes(),
                &[size],
            );
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
    // The documents are not nested deeply.
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
        let mut html = Html::new(Mentions::WithColon.into(), 0);
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
