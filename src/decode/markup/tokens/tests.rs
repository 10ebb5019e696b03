//! Tables of markup and its tokens, in windows of any size.

use super::piece::Limits;
use super::*;
use crate::escape::REFERENCE_MAX;
use crate::syntax::steps;
use proptest::prelude::*;
use std::ops::Range;

/// The same questions to both tokenizers.
trait Tokens {
    fn next_token(&mut self, window: &[u8], last: bool) -> Option<MarkupToken>;
    fn drop_read(&mut self) -> usize;
    fn list(&self) -> &[Attribute];
}

macro_rules! tokens {
    ($($tokenizer:ty),*) => {
        $(impl Tokens for $tokenizer {
            fn next_token(&mut self, window: &[u8], last: bool) -> Option<MarkupToken> {
                self.next(window, last)
            }
            fn drop_read(&mut self) -> usize {
                let len = self.position();
                self.forget(len);
                len
            }
            fn list(&self) -> &[Attribute] {
                self.attributes()
            }
        })*
    };
}

tokens!(HtmlTokenizer, XmlTokenizer);

/// Reads `text` in pieces of this size and calls `each` with the window and the token,
/// whose range in the window is checked.
fn read<T: Tokens>(
    tokenizer: &mut T,
    text: &[u8],
    piece: usize,
    mut each: impl FnMut(&T, &[u8], MarkupToken),
) {
    let (mut from, mut to, mut end) = (0, 0usize, 0);
    loop {
        to = to.saturating_add(piece).min(text.len());
        let window = &text[from..to];
        let last = to == text.len();
        while let Some(token) = tokenizer.next_token(window, last) {
            assert_eq!(token.range.start + from, end, "{}", text.escape_ascii());
            end = token.range.end + from;
            each(tokenizer, window, token);
        }
        from += tokenizer.drop_read();
        assert_eq!(from, end);
        if last {
            assert_eq!(end, text.len(), "{}", text.escape_ascii());
            return;
        }
    }
}

/// A token as the tables write it.
fn shown<T: Tokens>(tokenizer: &T, window: &[u8], token: &MarkupToken) -> String {
    let text = |range: &Range<usize>| match std::str::from_utf8(&window[range.clone()]) {
        Ok(text) => text.to_owned(),
        Err(_) => window[range.clone()].escape_ascii().to_string(),
    };
    let dots = |continues: bool| if continues { "…" } else { "" };
    match &token.kind {
        TokenKind::Start(tag) => {
            assert_eq!(tag.key, key(tokenizer, window, &tag.name));
            let mut shown = format!("<{}", text(&tag.name));
            for attribute in tokenizer.list() {
                let start = token.range.start;
                shown += if attribute.repeated { " again:" } else { " " };
                shown += &text(&attribute.name_range(start));
                let value = text(&attribute.value_range(start));
                shown += &match attribute.quoting {
                    Quoting::Absent => String::new(),
                    Quoting::Unquoted => format!("={value}"),
                    Quoting::Single => format!("='{value}'"),
                    Quoting::Double => format!("=\"{value}\""),
                };
            }
            for (flag, mark) in [
                (tag.self_closing, " /"),
                (tag.cut, " cut"),
                (tag.foreign, " foreign"),
                (tag.in_template, " template"),
            ] {
                shown += if flag { mark } else { "" };
            }
            shown + ">"
        }
        TokenKind::End { name, key: of } => {
            assert_eq!(*of, key(tokenizer, window, name));
            format!("</{}>", text(name))
        }
        TokenKind::Text {
            kind,
            data,
            continues,
        } => {
            let kind = match kind {
                TextKind::Data => "",
                TextKind::Rcdata => "rcdata:",
                TextKind::Rawtext => "raw:",
                TextKind::Script => "script:",
                TextKind::Plaintext => "plain:",
                TextKind::Cdata => "cdata:",
                TextKind::Residue => "residue:",
            };
            format!("{}{kind}{}", dots(*continues), text(data))
        }
        TokenKind::Comment { data, continues } => {
            format!("{}!{}", dots(*continues), text(data))
        }
        TokenKind::Doctype { data, continues } => {
            format!("{}doctype:{}", dots(*continues), text(data))
        }
        TokenKind::Instruction { target, data } => format!("?{}:{}", text(target), text(data)),
    }
}

fn key<T: Tokens>(_: &T, window: &[u8], name: &Range<usize>) -> NameKey {
    let exact = std::any::type_name::<T>().contains("Xml");
    match exact {
        true => NameKey::exact(&window[name.clone()]),
        false => NameKey::of(&window[name.clone()]),
    }
}

fn tokens<T: Tokens>(mut tokenizer: T, text: &[u8], piece: usize) -> Vec<String> {
    let mut tokens = Vec::new();
    read(&mut tokenizer, text, piece, |tokenizer, window, token| {
        tokens.push(shown(tokenizer, window, &token));
    });
    tokens
}

#[track_caller]
fn check<T: Tokens>(new: impl Fn() -> T, text: &str, expected: &str) {
    for piece in [usize::MAX, 1, 2, 3, 7] {
        let tokens = tokens(new(), text.as_bytes(), piece);
        assert_eq!(tokens.join("|"), expected, "{text} in pieces of {piece}");
    }
}

#[track_caller]
fn html(text: &str, expected: &str) {
    check(HtmlTokenizer::new, text, expected);
}

#[track_caller]
fn xml(text: &str, expected: &str) {
    check(XmlTokenizer::new, text, expected);
}

#[test]
fn tags_of_html() {
    html("", "");
    html("a<b>c</b >d", "a|<b>|c|</b>|d");
    html(
        "<A HREF=x  b = \"y>\" c='z'd e=/f/ g/h=\"\"i=>",
        "<A HREF=x b=\"y>\" c='z' d e=/f/ g h=\"\" i=>",
    );
    html(
        "<a/><a b/><a b=c/><a b='c'/><a / >",
        "<a />|<a b />|<a b=c/>|<a b='c' />|<a>",
    );
    html("<a =b==c '=x <>", "<a =b==c '=x <>");
    html("<a\tb\nc\rd\x0Ce>", "<a b c d e>");
    html("</a b=c/>", "</a>");
    html("<a a=1 A=2 b=3 a>", "<a a=1 again:A=2 b=3 again:a>");
    html("1<2 < 3<a", "1<2 < 3|residue:<a");
    html("<a b='>", "residue:<a b='>");
    html("</", "</");
    html("<", "<");
    html("a</>b</ c>d", "a|residue:</>|b|! c|d");
    html("<=><é><1>", "<=><é><1>");
}

/// So many attributes that they are sorted.
#[test]
fn the_first_of_equal_attributes_counts() {
    let mut text = String::from("<a");
    let mut expected = String::from("<a");
    for n in 0..100 {
        let again = if n < 50 { "" } else { "again:" };
        text += &format!(" k{}='{n}' K{}", n % 50, n % 7);
        expected += &format!(" {again}k{}='{n}' again:K{}", n % 50, n % 7);
    }
    html(&(text.clone() + ">"), &(expected + ">"));
    let twice: String = text.replace('K', "k");
    let tokens = tokens(XmlTokenizer::new(), (text + ">").as_bytes(), usize::MAX);
    assert_eq!(tokens[0].matches(" K").count(), 7);
    let tokens = self::tokens(XmlTokenizer::new(), (twice + ">").as_bytes(), usize::MAX);
    assert_eq!(tokens[0].matches(" k").count(), 50);
}

#[test]
fn comments_and_declarations_of_html() {
    html("<!--a--><!-- > --!>", "!a|! > ");
    html("<!--><!---><!----><!---->", "!|!|!|!");
    html("<!--a--->b<!-- -- ->", "!a-|b|! -- ->");
    html("<!---!>-->", "!-!>");
    html("<!--a--", "!a");
    html("<!--a--!", "!a");
    html("<!--", "!");
    html(
        "<!DOCTYPE html SYSTEM \">\"><!doctype",
        "doctype: html SYSTEM \"|\">|doctype:",
    );
    html(
        "<!x><?y?><![if IE]><![CDATA[a>b]]>",
        "!x|!?y?|![if IE]|![CDATA[a|b]]>",
    );
    html("<!-<!docty>", "!-<!docty");
    html("<?", "!?");
}

#[test]
fn texts_that_an_end_tag_ends() {
    html(
        "<title>a<b>&amp;</titl></TITLE >c",
        "<title>|rcdata:a<b>&amp;</titl>|</TITLE>|c",
    );
    html(
        "<Textarea></a></textareas></textarea",
        "<Textarea>|rcdata:</a></textareas></textarea",
    );
    for name in ["style", "xmp", "iframe", "noembed", "noframes"] {
        html(
            &format!("<{name}><!--</{name}/>--></a>"),
            &format!("<{name}>|raw:<!--|</{name}>|-->|</a>"),
        );
    }
    html("<noscript><a></noscript>", "<noscript>|<a>|</noscript>");
    html(
        "<plaintext/></plaintext><a>",
        "<plaintext />|plain:</plaintext><a>",
    );
    html("<style/>a</style>", "<style />|raw:a|</style>");
    // The end tag belongs to the last start tag.
    html(
        "<title></style></title><style></title></style>",
        "<title>|rcdata:</style>|</title>|<style>|raw:</title>|</style>",
    );
}

#[test]
fn scripts() {
    // The script ends at the bar.
    let script = |text: &str| {
        let (inside, rest) = text.split_once('|').unwrap_or((text, ""));
        let rest = rest.replace("</script>", "|</script>|");
        let whole = format!("<script>{}", text.replace('|', ""));
        html(&whole, &format!("<script>|script:{inside}{rest}"));
    };
    script("if (a<b) '</scripts>'|</script>c");
    script("<!--|</script>-->");
    script("<!--<script></script>-->|</script>c");
    script("<!--<script>-->|</script>c");
    script("<!--<script></script>|</script>c");
    script("<!--<scripts>|</script>c");
    script("<!-<script>|</script>c");
    script("<!--><script>|</script>c");
    script("<!---><script>|</script>c");
    script("<!-- - -- --<script>-<!--</script>|</script>c");
    script("<!--<SCRIPT/</Script >|</script>c");
    script("<!--<script");
    script("<!--<script></script");
    script("a<");
}

#[test]
fn svg_and_mathml() {
    html(
        "<svg><style><a></style></svg><style><a></style>",
        "<svg foreign>|<style foreign>|<a foreign>|</style>|</svg>|<style>|raw:<a>|</style>",
    );
    html("<svg/><![CDATA[a]]>", "<svg / foreign>|![CDATA[a]]");
    html(
        "<svg><![CDATA[a>]]b]]]>c<![CDATA[]]><![cdata[>",
        "<svg foreign>|cdata:a>]]b]|c|cdata:|![cdata[",
    );
    html("<svg><![CDATA[a]]", "<svg foreign>|cdata:a]]");
    // Integration points are HTML.
    html(
        "<svg><title><title><b></title></title><title/><script>",
        "<svg foreign>|<title foreign>|<title>|rcdata:<b>|</title>|</title>|<title / foreign>|<script foreign>",
    );
    html(
        "<svg><foreignObject><div><style><a></style></div></foreignObject><style>",
        "<svg foreign>|<foreignObject foreign>|<div>|<style>|raw:<a>|</style>|</div>|</foreignObject>|<style foreign>",
    );
    html(
        "<svg><desc><desc></desc><xmp></xmp></desc><xmp>",
        "<svg foreign>|<desc foreign>|<desc>|</desc>|<xmp>|</xmp>|</desc>|<xmp foreign>",
    );
    html(
        "<math><mi><mglyph><title></title></mglyph><b><title></title>",
        "<math foreign>|<mi foreign>|<mglyph foreign>|<title foreign>|</title>|</mglyph>|<b>|<title>|</title>",
    );
    html(
        "<math><annotation-xml><svg></svg><title></title></annotation-xml>",
        "<math foreign>|<annotation-xml foreign>|<svg foreign>|</svg>|<title foreign>|</title>|</annotation-xml>",
    );
    html(
        "<math><annotation-xml encoding=Text/HTML><style></style></math><style></style>",
        "<math foreign>|<annotation-xml encoding=Text/HTML foreign>|<style>|</style>|</math>|<style>|</style>",
    );
    // What ends them.
    for tag in ["<p>", "<img>", "<font color>", "<font SIZE=1>", "<table>"] {
        html(
            &format!("<svg><g>{tag}<xmp></xmp>"),
            &format!("<svg foreign>|<g foreign>|{tag}|<xmp>|</xmp>"),
        );
    }
    html(
        "<svg><font><font x=y><xmp>",
        "<svg foreign>|<font foreign>|<font x=y foreign>|<xmp foreign>",
    );
    html(
        "<div><svg></g></x></div><xmp></xmp>",
        "<div>|<svg foreign>|</g>|</x>|</div>|<xmp>|</xmp>",
    );
    html(
        "<svg><desc></div><svg><p><xmp></xmp></desc><xmp>",
        "<svg foreign>|<desc foreign>|</div>|<svg foreign>|<p>|<xmp>|</xmp>|</desc>|<xmp foreign>",
    );
    // An element that is open twice; one that is not open.
    html(
        "<svg><a><a></a></svg><xmp></xmp>",
        "<svg foreign>|<a foreign>|<a foreign>|</a>|</svg>|<xmp>|</xmp>",
    );
}

#[test]
fn templates_are_counted() {
    html(
        "<template><base><template></template><base></template><base></template><base>",
        "<template>|<base template>|<template template>|</template>|<base template>|</template>|<base>|</template>|<base>",
    );
    html(
        "<svg><template><base></template></svg><base>",
        "<svg foreign>|<template foreign>|<base foreign>|</template>|</svg>|<base>",
    );
}

/// What is deeper is counted, up to its end.
#[test]
fn foreign_elements_may_be_deep() {
    let text = format!(
        "<svg>{}{}<style></svg><style>",
        "<g>".repeat(500),
        "</g>".repeat(500)
    );
    let tokens = tokens(HtmlTokenizer::new(), text.as_bytes(), 1000);
    assert_eq!(tokens[1001..], ["<style foreign>", "</svg>", "<style>"]);
    let text = format!("<svg>{}<p><xmp><svg>", "<g>".repeat(500));
    let tokens = self::tokens(HtmlTokenizer::new(), text.as_bytes(), 1000);
    assert_eq!(tokens[501..], ["<p>", "<xmp>", "raw:<svg>"]);
}

#[test]
fn markup_of_xml() {
    xml(
        "<?xml version='1.0'?><a:b c=\"d\" C='e'/>f<g >&lt;</g >",
        "?xml:version='1.0'|<a:b c=\"d\" C='e' />|f|<g>|&lt;|</g>",
    );
    xml(
        "<é/><title><b></title><script>a<b></script>",
        "<é />|<title>|<b>|</title>|<script>|a|<b>|</script>",
    );
    xml(
        "<!-- > - -- --!> --><![CDATA[<a>]] ]]]]><!---->",
        "! > - -- --!> |cdata:<a>]] ]]|!",
    );
    xml("<!--><a>-->", "!><a>");
    xml(
        "<?php echo '>'; ?><?a?><? b?><?c",
        "?php:echo '>'; |?a:|?:b|?c:",
    );
    xml(
        "<!DOCTYPE a [<!ENTITY b ']>'><!-- ' ]> --><?c ]> ?>] ><a>",
        "doctype: a [<!ENTITY b ']>'><!-- ' ]> --><?c ]> ?>] |<a>",
    );
    xml(
        "<!DOCTYPE a SYSTEM '[' \"x\"><a>",
        "doctype: a SYSTEM '[' \"x\"|<a>",
    );
}

#[test]
fn broken_xml_is_read_on() {
    xml("a < b <1> </><a", "a < b <1> |!|residue:<a");
    xml("</><b>", "!|<b>");
    xml("<a <b c=d<e></f <g/>", "<a>|<b c=d>|<e>|</f>|<g />");
    xml("<a b=c d e=f/>", "<a b=c d e=f/>");
    xml("<?xml version=\"1.0\"><a>", "?xml:version=\"1.0\"|<a>");
    xml(
        "<?xml-stylesheet href='x'><a>",
        "?xml-stylesheet:href='x'|<a>",
    );
    xml("<!DOCTYPE a \"b><c>", "doctype: a \"b|<c>");
    xml(
        "<!DOCTYPE a [<!ENTITY b 'c><d>",
        "doctype: a [<!ENTITY b 'c|<d>",
    );
    xml("<!DOCTYPE a", "doctype: a");
    xml("<!--a--", "!a--");
    xml("<![CDATA[a]]", "cdata:a]]");
    xml("<!x><![INCLUDE[<!doctype>", "!x|![INCLUDE[<!doctype");
}

const SMALL: Limits = Limits {
    tag: 100,
    text: 2 * REFERENCE_MAX,
};

fn small_html() -> HtmlTokenizer {
    let mut tokenizer = HtmlTokenizer::new();
    tokenizer.token.limits = SMALL;
    tokenizer
}

fn small_xml() -> XmlTokenizer {
    let mut tokenizer = XmlTokenizer::new();
    tokenizer.token.limits = SMALL;
    tokenizer
}

/// A tag that is too long: its first attributes, and a text up to its `>`.
#[test]
fn long_tags_are_cut() {
    let long = "x".repeat(100);
    let rest = format!("residue:b='{long}>'c>");
    check(
        small_html,
        &format!("<a href=\"d\"b='{long}>'c>e"),
        &format!("<a href=\"d\" cut>|{rest}|e"),
    );
    check(
        small_xml,
        &format!("<a href=\"d\"b='{long}>'c>e"),
        &format!("<a href=\"d\" cut>|{rest}|e"),
    );
    let rest = format!("residue:{long}/>", long = &long[..1]);
    check(
        small_html,
        &format!("<{long}/><b>"),
        &format!("<{} cut>|{rest}|<b>", &long[1..]),
    );
    // The end of the tag is that of the Standard, and so is the text after it.
    let text = format!("<script a='{long}' src=b></script>");
    let rest = format!("residue:a='{long}' src=b>");
    check(small_html, &text, &format!("<script cut>|{rest}|</script>"));
    let text = format!("</script a='{long}'>");
    check(small_html, &text, &format!("</script>|residue:a='{long}'>"));
    let text = format!("<a b='{long}>");
    check(small_html, &text, &format!("<a cut>|residue:b='{long}>"));
    check(
        small_html,
        &format!("<a {}>", " ".repeat(200)),
        &format!("<a cut>|residue:{}>", " ".repeat(201)),
    );
    // The attributes of the part that is read are not looked for in the rest.
    let names: String = ('a'..='z')
        .chain('0'..='9')
        .map(|name| format!(" {name}"))
        .collect();
    check(
        small_html,
        &format!("<a{names} b='{long}'>"),
        &format!("<a{names} cut>|residue:b='{long}'>"),
    );
    // No more attributes are held than fit.
    let mut tokenizer = small_html();
    let many: String = (0..1000).map(|n| format!("{n}/")).collect();
    let (mut most, mut len) = (0, 0);
    read(
        &mut tokenizer,
        format!("<a {many}>").as_bytes(),
        10,
        |t, window, _| {
            most = most.max(t.attributes().len());
            len = len.max(window.len());
        },
    );
    assert!((30..50).contains(&most), "{most}");
    assert!(len <= SMALL.text + 10);
}

/// Long texts come in pieces that end before a reference, a mark or a character.
#[test]
fn long_texts_come_in_pieces() {
    const KINDS: [&str; 7] = [
        "rcdata:", "raw:", "script:", "cdata:", "plain:", "doctype:", "!",
    ];
    let limit = SMALL.text;
    let pieces = |new: &dyn Fn() -> HtmlTokenizer, text: &str| {
        let tokens = tokens(new(), text.as_bytes(), usize::MAX);
        for piece in [1, 10, limit, limit + 1] {
            assert_eq!(self::tokens(new(), text.as_bytes(), piece), tokens);
        }
        tokens
    };
    for before in limit - 20..limit + 20 {
        for (text, end) in [
            ("|&amp;é&#x00000000041;", ""),
            ("<title>|&eacute;", "</title>"),
            ("<!--|--b", "-->"),
            ("<!--|--b", "--!>"),
            ("<!-|", ">"),
            ("<!doctype|", ">"),
            ("<script><!--<script></script>-->|</scripts>b", "</script>"),
            ("<script><!--<script>-->|", "</script>"),
            ("<style>|</styl>€", "</style>"),
            ("<svg><![CDATA[|]]", "]]>"),
            ("<plaintext>|😀", ""),
        ] {
            let short = format!("{text}{end}").replace('|', "");
            let whole = tokens(HtmlTokenizer::new(), short.as_bytes(), 9);
            let (mark, inside) = text.split_once('|').unwrap();
            let fill = "y".repeat(before);
            let tokens = pieces(&small_html, &format!("{mark}{fill}{inside}{end}"));
            let mut united: Vec<String> = Vec::new();
            for token in tokens {
                let Some(piece) = token.strip_prefix('…') else {
                    united.push(token);
                    continue;
                };
                let mut kinds = KINDS.iter();
                let piece = kinds.find_map(|kind| piece.strip_prefix(kind));
                let last = united.last_mut().unwrap();
                // No part of a character or reference.
                let open = last.rfind('&').filter(|&at| !last[at..].contains(';'));
                assert_eq!(open, None, "{last}");
                last.push_str(piece.unwrap_or_else(|| &token['…'.len_utf8()..]));
            }
            let united: Vec<String> = united
                .iter()
                .map(|token| token.replace(&fill, ""))
                .collect();
            assert_eq!(united, whole, "{text}{end} with {before}");
        }
    }
    let (xs, kept) = ("é".repeat(limit), |text: &str| text.matches("é").count());
    let tokens = pieces(&small_html, &format!("a{xs}"));
    assert_eq!(tokens.iter().map(|token| kept(token)).sum::<usize>(), limit);
    // An instruction and a declaration of XML.
    let ys = "y".repeat(limit);
    let (first, rest) = ys.split_at(limit - 9);
    let expected = format!("?php:{first}|residue:{rest}?>|<a>");
    check(small_xml, &format!("<?php {ys}?><a>"), &expected);
    let text = format!("<!DOCTYPE a [<!ENTITY b '> {ys}");
    let rest = format!(" {ys}");
    let tokens = self::tokens(small_xml(), text.as_bytes(), 5);
    assert_eq!(
        tokens[..2],
        [
            "doctype: a [<!ENTITY b '".to_owned(),
            rest[..limit - 3].to_owned()
        ]
    );
}

/// Each byte is searched a few times, in windows that grow by a byte, too.
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
