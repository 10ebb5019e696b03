//! References in attributes, style sheets, scripts and metas.

use super::*;

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
        "<my-element data-href=/a data-uri=a><p data-url='?b' data-original=c.png data-lazy-src=./d>",
        &[
            ("MY-ELEMENT@/data-href", "/a"),
            ("P@/data-url", "?b"),
            ("P@/data-original", "c.png"),
            ("P@/data-lazy-src", "./d"),
        ],
    );
    check_links(
        "<img data-srcset='a.png 1x, b 2x, /c 3x' data-lazy-srcset='d.png' data-src=true>",
        &[
            ("IMG@/data-srcset", "a.png"),
            ("IMG@/data-srcset", "/c"),
            ("IMG@/data-lazy-srcset", "d.png"),
        ],
    );
    check_links(
        "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"a\",\"b\\u002fc\"],\"eagerness\":\"d\"}],\
         \"prerender\":[{\"where\":{\"href_matches\":\"/e\"}}]}</script>",
        &[
            ("SCRIPT/#speculationrules", "a"),
            ("SCRIPT/#speculationrules", "b/c <- b\\u002fc"),
        ],
    );
    check_links(
        "<script type=importmap>{\"imports\":{\"m\":\"./m.js\",\"n\":\"bare\"},\
         \"scopes\":{\"/s/\":{\"m\":\"https://c.example/m.js\"}},\"integrity\":{\"./m.js\":\"/hash\"}}</script>",
        &[
            ("SCRIPT/#importmap", "./m.js"),
            ("SCRIPT/#importmap", "https://c.example/m.js"),
        ],
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
