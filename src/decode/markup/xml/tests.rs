//! Documents, and the URIs that are found in them, in pieces of any size.

use super::*;
use crate::decode::event::{DocumentBase, MarkupValue, ValueKind};
use crate::decode::in_pieces::{PushedEvent, push_in_pieces};
use crate::decode::mentions::Mentions;
use crate::item::Schemes;
use crate::syntax::resolve::{Rules, resolve};
use proptest::prelude::*;
use std::collections::HashMap;

const URL: &str = "http://h.example/d/p.xml";

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The values that a decoder finds: links as `path target`, mentions as `path [text]`,
/// with the relation in front of a link that has one.
struct Finder {
    found: Vec<String>,
    bases: HashMap<u32, String>,
}

impl Finder {
    fn new() -> Finder {
        Finder {
            found: Vec::new(),
            bases: HashMap::from([(DocumentBase::DOCUMENT, URL.to_owned())]),
        }
    }

    fn target(&self, base: u32, reference: &[u8]) -> String {
        let mut out = Vec::new();
        let base = self.bases[&base].as_bytes();
        resolve(Rules::Whatwg, base, reference, &mut out).unwrap();
        shown(&out)
    }

    fn add(&mut self, pushed: PushedEvent) {
        match pushed.event {
            Event::Skipped(_) | Event::Charset(_) => {}
            Event::Value(value) => {
                if let Some(map) = pushed.map {
                    let mut places = map.places(pushed.text);
                    let (from, len) = places.span(0..pushed.text.len());
                    assert!(from + len <= pushed.raw.len() as u64);
                }
                self.value(value, pushed.text);
            }
            Event::Base(base) => {
                let target = self.target(base.parent, &base.reference);
                self.bases.insert(base.number, target);
            }
            Event::Unsupported(cause) => self.found.push(format!("! {cause}")),
            other => panic!("{other:?}"),
        }
    }

    fn value(&mut self, value: &MarkupValue, text: &[u8]) {
        let link = value.link.as_ref().unwrap();
        let path = match link.rel.is_empty() {
            true => shown(&link.path),
            false => format!("{} {}", shown(&link.rel), shown(&link.path)),
        };
        match value.kind {
            ValueKind::Text { continues: true } => {
                let last = self.found.last_mut().unwrap();
                assert_eq!(last.pop(), Some(']'));
                *last = format!("{last}{}]", shown(text));
            }
            ValueKind::Text { .. } => self.found.push(format!("{path} [{}]", shown(text))),
            ValueKind::Reference(schemes) => {
                assert_eq!(schemes, Schemes::Any);
                let target = self.target(value.base, text);
                self.found.push(format!("{path} {target}"));
            }
        }
    }
}

/// Returns the values that `decoder` finds in `document`, pushed in pieces of these
/// sizes.
fn find_with(mut decoder: Box<dyn Decode>, document: &[u8], sizes: &[usize]) -> Vec<String> {
    let mut finder = Finder::new();
    push_in_pieces(&mut *decoder, document, sizes, |pushed| finder.add(pushed));
    finder.found
}

#[track_caller]
fn check_with(mentions: Mentions, document: &str, wanted: &[&str]) {
    for size in [document.len().max(1), 1, 2, 7, 100] {
        let decoder = Box::new(Xml::new(mentions.into()));
        let found = find_with(decoder, document.as_bytes(), &[size]);
        assert_eq!(found, wanted, "{document} by {size}");
    }
}

/// Checks the links.
#[track_caller]
fn check(document: &str, wanted: &[&str]) {
    check_with(Mentions::None, document, wanted);
}

#[test]
fn sitemaps() {
    check(
        "<?xml version=\"1.0\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
         <url><loc> http://h.example/a?x=1&amp;y=2\n</loc><lastmod>2026-01-01</lastmod>\
         <image:image><image:loc>http://img.example/1.jpg</image:loc></image:image>\
         <video:player_loc>v</video:player_loc>\
         <xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"/de/a\"/></url>\
         <url><loc><![CDATA[http://h.example/b?c=1&d=2]]></loc></url></urlset>",
        &[
            "LOC/#text http://h.example/a?x=1&y=2",
            "IMAGE:LOC/#text http://img.example/1.jpg",
            "VIDEO:PLAYER_LOC/#text http://h.example/d/v",
            "alternate XHTML:LINK@/href http://h.example/de/a",
            "LOC/#text http://h.example/b?c=1&d=2",
        ],
    );
    check(
        "<?xml-stylesheet type=\"text/xsl\" href=\"/main.xsl\"?><!-- http://no.example/ -->\
         <sitemapindex><?xml-stylesheet href='no'?><sitemap><loc>s1.xml</loc></sitemap>",
        &[
            "?XML-STYLESHEET@/href http://h.example/main.xsl",
            "LOC/#text http://h.example/d/s1.xml",
        ],
    );
}

/// Text in parts is one reference, which the end of its element completes.
#[test]
fn the_text_of_an_element() {
    check(
        "<urlset><loc>a<!-- b -->c<![CDATA[&d]]>&#x65;</loc><loc/><loc>x<b/>y</loc><loc>cut",
        &["LOC/#text http://h.example/d/ac&de"],
    );
    let long = format!(
        "<urlset><loc>{}</loc><loc>b</loc>",
        "a".repeat(element::TEXT_MAX + 1)
    );
    let decoder = Box::new(Xml::new(Mentions::None.into()));
    let found = find_with(decoder, long.as_bytes(), &[1 << 18]);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with('!'));
}

#[test]
fn rss() {
    check(
        "<rss version=\"2.0\" xmlns:media=\"http://search.yahoo.com/mrss/\"><channel><link>/c</link>\
         <docs>http://docs.example/rss</docs><image><url>i.png</url></image><url>no</url>\
         <item><link>/one</link><guid isPermaLink=\"false\">http://h.example/?p=1</guid>\
         <comments>/one#c</comments><enclosure url=\"a.mp3\" length=\"1\" type=\"audio/mpeg\"/>\
         <media:thumbnail url=\"t.jpg\"/><atom:link rel=\"Self\" href=\"f\"/>\
         <description>&lt;a href=\"d1?a&amp;amp;b\"&gt;x&lt;/a&gt; http://text.example/</description>\
         <content:encoded><![CDATA[<base href=\"/b/\"><img src=\"i.png\">]]></content:encoded></item>\
         <item><guid>http://h.example/two</guid></item><item><guid>tag-3</guid></item></channel></rss>",
        &[
            "LINK/#text http://h.example/c",
            "DOCS/#text http://docs.example/rss",
            "URL/#text http://h.example/d/i.png",
            "LINK/#text http://h.example/one",
            "COMMENTS/#text http://h.example/one#c",
            "ENCLOSURE@/url http://h.example/d/a.mp3",
            "MEDIA:THUMBNAIL@/url http://h.example/d/t.jpg",
            "self ATOM:LINK@/href http://h.example/d/f",
            "A@/href http://h.example/d/d1?a&b",
            "IMG@/src http://h.example/b/i.png",
            "GUID/#text http://h.example/two",
        ],
    );
}

#[test]
fn atom() {
    check(
        "<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:base=\"http://base.example/f/\">\
         <id>http://id.example/feed</id><link rel=\"self\" href=\"feed.atom\"/><icon>/i.ico</icon>\
         <author><uri>me</uri></author><entry xml:base=\"e1/\"><id>urn:uuid:1</id>\
         <link href=\"post\"/><content type=\"html\">&lt;img src=\"p.png\"&gt;</content></entry>\
         <entry><link href=\"two\"/><content type=\"xhtml\"><div xml:base=\"/r/\"><base href=\"/no/\"/>\
         <a rel=\"nofollow\" href=\"x\">x</a><script src=\"s\"/><a href=\"y\"/></div><b href=\"z\"/></content>\
         </entry><entry><content src=\"c.pdf\" type=\"application/pdf\"/><b href=\"no\"/></entry></feed>",
        &[
            "self LINK@/href http://base.example/f/feed.atom",
            "ICON/#text http://base.example/i.ico",
            "URI/#text http://base.example/f/me",
            "LINK@/href http://base.example/f/e1/post",
            "IMG@/src http://base.example/f/e1/p.png",
            "LINK@/href http://base.example/f/two",
            "nofollow A@/href http://base.example/r/x",
            "SCRIPT@/src http://base.example/r/s",
            "A@/href http://base.example/r/y",
            "B@/href http://base.example/f/z",
            "CONTENT@/src http://base.example/f/c.pdf",
        ],
    );
    check(
        "<a:feed><a:link href=\"x\"/><link href=\"no\"/><a:icon>i</a:icon></a:feed>",
        &[
            "A:LINK@/href http://h.example/d/x",
            "A:ICON/#text http://h.example/d/i",
        ],
    );
}

#[test]
fn pages_and_drawings() {
    check(
        "<?xml version=\"1.0\"?><!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \
         \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\"><html xml:base=\"http://nobase.example/\">\
         <head><link rel=\"icon\" href=\"f.ico\"/><base href=\"/q/\"/><script>//<![CDATA[\n\
         var s = \"<a href='no'>\";\n//]]></script><style>a{b:url(s.png?a&amp;b)}</style>\
         <style><![CDATA[a{b:url(t.png?a&amp;b)}]]></style></head>\
         <body><p><a href=\"x?a=1&amp;b=2&eacute;\">x</a><![CDATA[<a href=\"no2\">]]></p></body></html>",
        &[
            "icon LINK@/href http://h.example/q/f.ico",
            "STYLE/#text http://h.example/q/s.png?a&b",
            "STYLE/#text http://h.example/q/t.png?a&amp;b",
            "A@/href http://h.example/q/x?a=1&b=2&eacute;",
        ],
    );
    check(
        "<svg xml:base=\"/s/\"><use xlink:href=\"u.svg\"/><rect fill=\"url(p)\"/><a href=\"a\"/>\
         <style/><text>url(no)</text></svg>",
        &[
            "USE@/xlink:href http://h.example/s/u.svg",
            "RECT@/fill http://h.example/s/p",
            "A@/href http://h.example/s/a",
        ],
    );
}

#[test]
fn other_xml() {
    check(
        "<?xml version=\"1.0\"?><?xml-stylesheet href='s.css?a=1&amp;b=2' type='text/css'?>\
         <doc xmlns=\"http://ns.example/doc\" xml:base=\"sub/\"><xi:include href=\"chap1.xml\"/>\
         <ref xlink:href=\"r.html#z\">see http://text.example/</ref><?other href=\"no.css\"?>\
         <item href=\"plain.html\">y</item></doc>",
        &[
            "?XML-STYLESHEET@/href http://h.example/d/s.css?a=1&b=2",
            "XI:INCLUDE@/href http://h.example/d/sub/chap1.xml",
            "REF@/xlink:href http://h.example/d/sub/r.html#z",
        ],
    );
}

#[test]
fn all_other_text_is_mentions() {
    check_with(
        Mentions::WithColon,
        "<?xml version='1.0' a='x:'?><!DOCTYPE a SYSTEM 'b:c'><?p d:e?><rss xmlns:f=\"g:h\">i:j &lt;&amp;\
         <!-- k:l --><title href='m:&amp;n'>o:p<![CDATA[q:r]]></title><link>s<b/>t:u</link>\
         <guid>v</guid><description>w: &lt;a title='x:y'></description></rss>",
        &[
            "#comment [ a SYSTEM 'b:c']",
            "#comment [d:e]",
            "RSS@/xmlns:f [g:h]",
            "#text [i:j <&]",
            "#comment [ k:l ]",
            "TITLE@/href [m:&n]",
            "#text [o:p]",
            "#text [q:r]",
            "#text [t:u]",
            "#text [w: ]",
            "A@/title [x:y]",
        ],
    );
}

#[test]
fn uris_in_the_place_of_names() {
    check_with(
        Mentions::WithColon,
        "<a><http://b/c d='e:f'></a http://g/><h i http://j/ xlink:href='k' xlink:href='l:m'>",
        &[
            "#text [<http://b/c ]",
            "HTTP:@/d [e:f]",
            "#text [ http://g/>]",
            "#text [http://j/ ]",
            "H@/xlink:href http://h.example/d/k",
            "H@/xlink:href [l:m]",
        ],
    );
}

/// Tokens inside of a text that is held that do not belong to it.
#[test]
fn comments_in_the_text_of_an_element() {
    let check = |inside: &str, wanted: &[&str]| {
        let document = format!("<rss><link>{inside}</link><a b='c:d'/></rss>");
        check_with(
            Mentions::WithColon,
            &document,
            &[wanted, &["A@/b [c:d]"]].concat(),
        );
    };
    let link = "LINK/#text http://h.example/d/a";
    check("<!-- x:y -->a", &["#comment [ x:y ]", link]);
    check(
        " <!--x:y--> <?p x:z?>a",
        &["#comment [x:y]", "#comment [x:z]", link],
    );
    check(
        "a<!--x:y--> <!--no--><!x:z>",
        &[link, "#comment [x:y]", "#comment [x:z]"],
    );
    check("<![CDATA[a]]>\n<!--x:y-->\n", &[link, "#comment [x:y]"]);
    check("<!--x:y-->", &["#comment [x:y]"]);
    // These could only be written before the text that they are in.
    let lost = "! a comment inside the text of an XML element";
    check("<!--x--><!-- -->a<!--x--><![CDATA[]]>", &[link]);
    check("/<!--x:y--><!--x:z-->d/a<!--x-->", &[lost, link]);
    // A text that is not held is not limited.
    check_with(
        Mentions::WithColon,
        "<rss><link>a<!--x:y-->",
        &["#comment [x:y]"],
    );
    check_with(
        Mentions::WithColon,
        "<rss><description><!--x:y-->&lt;a href=b&gt;c:d<!--x:z--></description>",
        &[
            "#comment [x:y]",
            "A@/href http://h.example/d/b",
            "#text [c:d]",
            "#comment [x:z]",
        ],
    );
}

/// Comments do not count toward the limit of the text.
#[test]
fn long_comments_in_the_text_of_an_element() {
    let comments = "<!--x:y-->".repeat(element::TEXT_MAX / 10 + 1);
    let document = format!("<rss><link>a{comments}b</link><link>c</link></rss>");
    let decoder = Box::new(Xml::new(Mentions::None.into()));
    let found = find_with(decoder, document.as_bytes(), &[1 << 18]);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with('!') && found[1].ends_with("/c"));
}

#[test]
fn bases_beyond_the_limit_do_not_count() {
    let count = bases::BASES_MAX + 2;
    let open = "<a xml:base=\"b/\">".repeat(count);
    let close = "</a>".repeat(count - 1);
    let document = format!("{open}<a xlink:href=\"x\"/>{close}<a xlink:href=\"y\"/>");
    let decoder = Box::new(Xml::new(Mentions::None.into()));
    let found = find_with(decoder, document.as_bytes(), &[1000]);
    let deep = format!(
        "A@/xlink:href http://h.example/d/{}x",
        "b/".repeat(bases::BASES_MAX)
    );
    assert!(
        found[..2].iter().all(|found| found.starts_with('!')),
        "{found:?}"
    );
    assert_eq!(found[2..], [&deep, "A@/xlink:href http://h.example/d/b/y"]);
}

/// Documents in other encodings, with offsets in their own bytes.
#[test]
fn encodings() {
    let text = "<urlset><url><loc>/é?&#233;&amp;</loc></url><!-- é b: --></urlset>";
    let wanted = [
        "LOC/#text http://h.example/%C3%A9?%C3%A9&",
        "#comment [ é b: ]",
    ];
    let utf16 = text.encode_utf16();
    let documents = [
        [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
        [
            b"\xFF\xFE".to_vec(),
            utf16.clone().flat_map(u16::to_le_bytes).collect(),
        ]
        .concat(),
        utf16.flat_map(u16::to_be_bytes).collect(),
        [
            b"<?xml version='1.0' encoding='iso-8859-1'?>".to_vec(),
            encoding_rs::WINDOWS_1252.encode(text).0.into_owned(),
        ]
        .concat(),
    ];
    for document in documents {
        for size in [1, 3, document.len()] {
            let decoder = xml_decoder(&Part::default(), &ContentReading::default());
            assert_eq!(find_with(decoder, &document, &[size]), wanted);
        }
    }
}

proptest! {
    #[test]
    fn pieces_change_nothing(
        root in prop::sample::select(vec!["urlset", "rss", "a:feed", "feed", "html", "svg", "doc"]),
        parts in prop::collection::vec(prop::sample::select(vec![
            "<loc>", "</loc>", "<link>", "</link>", "<link rel='a' href='b:c'/>", "<guid>", "</guid>",
            "<description>", "</description>", "<content type='html'>", "<content type='xhtml'>",
            "</content>", "<image>", "<url>", "</url>", "</image>", "<a href='x' xml:base='y/'>",
            "</a>", "<base href='z'/>", "<![CDATA[", "]]>", "<!-- m:n -->", "<?p q:r?>", "&lt;a href=x&gt;",
            "&amp;", "http://h/", "tag:a", " ", "<style>", "</style>", "url(i.png)", "<script>",
            "</script>", "<", ">", "'", "é", "<img src='x'/>", "<http://s/", "</t http://u/>",
        ]), 0..24),
        sizes in prop::collection::vec(1usize..12, 1..20),
        all in any::<bool>(),
    ) {
        let document = format!("<{root}>{}", parts.concat());
        let mentions = if all { Mentions::All } else { Mentions::None };
        let find = |sizes: &[usize]| {
            let decoder = Box::new(Xml::new(mentions.into()));
            find_with(decoder, document.as_bytes(), sizes)
        };
        prop_assert_eq!(find(&sizes), find(&[document.len()]));
    }
}
