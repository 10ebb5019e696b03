//! Any markup: the tokens are those of another tokenizer, they do not depend on the
//! windows, and the time is linear.

use super::*;
use crate::syntax::steps;
use proptest::prelude::*;

/// Each byte is searched a few times, also in windows that grow by one byte.
#[test]
fn hostile_markup_takes_linear_time() {
    const LEN: usize = 20_000;
    let starts = [
        "",
        "<a ",
        "<a b=\"",
        "<a b='",
        "<a b=",
        "</a ",
        "<!--",
        "<!-",
        "<!doctype ",
        "<?a ",
        "<title>",
        "<style>",
        "<script>",
        "<script><!--",
        "<script><!--<script>",
        "<svg>",
        "<svg><![CDATA[",
        "<svg><desc>",
        "<plaintext>",
        "<!DOCTYPE a [",
        "<template>",
    ];
    let pieces = [
        "<",
        "</",
        "<a",
        "<a ",
        "<a href=\"",
        "a ",
        "a=",
        "=",
        "/",
        "'",
        "\"",
        "&",
        "&#0",
        "-",
        "--",
        "-->",
        "<!",
        "<!--",
        "<!--<script>",
        "</script",
        "</title",
        "<script",
        "]]",
        "]]>",
        ">",
        "<svg>",
        "<g>",
        "</g>",
        "<desc>",
        "</desc>",
        "<p>",
        "<svg><p>",
        "<math><mi>",
        "<template>",
        "<![CDATA[",
        "<!DOCTYPE",
        "?",
        "<?",
        "<?x",
        "[",
        "é",
        "\0",
    ];
    for start in starts {
        for text in pieces {
            for piece in [1, 100, LEN] {
                let count = |look: &mut dyn FnMut(&[u8])| steps::of_text(start, text, LEN, look);
                let html =
                    count(&mut |text| read(&mut HtmlTokenizer::new(), text, piece, |_, _, _| {}));
                let xml =
                    count(&mut |text| read(&mut XmlTokenizer::new(), text, piece, |_, _, _| {}));
                assert!(
                    html.max(xml) <= 5 * LEN,
                    "{start} {text} {piece}: {html} {xml}"
                );
            }
        }
    }
    // A million attributes with other names, or with the same one.
    for numbers in [1_000_000, 1, 30_000] {
        let names = (0..1_000_000).map(|n| format!("a{} ", n % numbers));
        let text: String = std::iter::once("<a ".to_owned()).chain(names).collect();
        let count = steps::of_text("", &text, text.len(), |text| {
            read(&mut HtmlTokenizer::new(), text, 1 << 16, |_, _, _| {});
        });
        assert!(count < 16 * text.len(), "{numbers}: {count}");
    }
}

/// Parts of markup, more often than other bytes.
fn markup(with_foreign: bool) -> impl Strategy<Value = Vec<u8>> {
    const PARTS: &[&str] = &[
        "<",
        ">",
        "</",
        "/>",
        "=",
        "'",
        "\"",
        " ",
        "&",
        ";",
        "a",
        "b=c",
        "<a href='",
        "<p>",
        "<!--",
        "-->",
        "--!>",
        "-",
        "!",
        "<!",
        "<!doctype",
        "<?",
        "?>",
        "<![CDATA[",
        "]]>",
        "[",
        "]",
        "script",
        "<script>",
        "</script>",
        "<style",
        "</style>",
        "<title>",
        "</title>",
        "textarea",
        "<desc>",
        "foreignobject",
        "<template>",
        "&amp;",
        "&#60",
        "é",
        "😀",
        "\n",
        "plaintext",
        "<xmp>",
        "</xmp",
        "<noscript>",
    ];
    let foreign = ["<svg>", "</svg>", "<math>"];
    let parts = PARTS.iter().copied();
    let parts = parts.chain(foreign.into_iter().filter(|_| with_foreign));
    let part = prop_oneof![
        8 => prop::sample::select(parts.collect::<Vec<_>>()).prop_map(|part| part.as_bytes().to_vec()),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
        1 => (0..3 * REFERENCE_MAX).prop_map(|len| vec![b'x'; len]),
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn tokens_are_those_of_html5gum(text in markup(false)) {
        laws::same_as_html5gum(&text);
    }

    #[test]
    fn windows_of_any_size_give_the_same_tokens(text in markup(true), piece in 1..200usize) {
        prop_assert_eq!(
            tokens(small_html(), &text, piece),
            tokens(small_html(), &text, usize::MAX)
        );
        prop_assert_eq!(
            tokens(small_xml(), &text, piece),
            tokens(small_xml(), &text, usize::MAX)
        );
        prop_assert_eq!(
            tokens(HtmlTokenizer::new(), &text, piece),
            tokens(HtmlTokenizer::new(), &text, usize::MAX)
        );
        prop_assert_eq!(
            tokens(XmlTokenizer::new(), &text, piece),
            tokens(XmlTokenizer::new(), &text, usize::MAX)
        );
    }
}
