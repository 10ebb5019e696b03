//! Tags, comments, texts and foreign elements of HTML.

use super::*;

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

/// There are enough attributes for them to be sorted.
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
    // Tags that end foreign content.
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

/// Deeper elements are counted, up to their ends.
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
