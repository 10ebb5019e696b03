//! The links that the block of a WAT record lists: the links of the page, with their
//! positions in its markup, and the links of its HTTP head. Links are not resolved. Text
//! that is not such JSON ends the list; the text after it is searched.

use super::http::ReferenceField;
use super::json::{JsonCursor, JsonText, raw_len};
use super::markup::metas;
use super::{refresh, rel};
use crate::item::{Charset, OwnedLink};
use std::ops::Range;
use std::sync::Arc;

/// More positions than a page has; further ones are not shared.
const SHARED_MAX: usize = 64;
/// The position of a reference in a `<meta>`, which a block does not state.
const META: &[u8] = b"META@/content";
/// Links of these elements are not followed when the page asks for it.
const FOLLOWED: [&[u8]; 2] = [b"A@/", b"AREA@/"];
/// The `rel` of these elements may ask the same for one link.
const WITH_REL: [&[u8]; 3] = [b"A@/", b"AREA@/", b"FORM@/"];

/// The statements of the block about the page.
#[derive(Debug, Default)]
pub(super) struct ListedPage {
    /// The links, in the order of the block.
    pub links: Vec<ListedLink>,
    /// The reference of `<base>`.
    pub base: Option<Vec<u8>>,
    pub charset: Option<Charset>,
    /// Whether the record is the response to a request.
    pub is_response: bool,
    /// Whether the page asks that no link is followed.
    nofollow: bool,
    /// The positions of links so far.
    positions: Vec<Arc<OwnedLink>>,
}

/// A link of a page.
#[derive(Debug)]
pub(super) struct ListedLink {
    /// The range of the escaped reference in the block.
    pub range: Range<usize>,
    /// The reference, where it is escaped.
    pub text: Option<Vec<u8>>,
    pub link: Arc<OwnedLink>,
    /// Whether the base of the page counts, not only its URI.
    pub has_base: bool,
}

/// The strings of an object that lists an element.
#[derive(Debug, Default)]
struct Element<'t> {
    path: Option<JsonText<'t>>,
    url: Option<JsonText<'t>>,
    href: Option<JsonText<'t>>,
    rel: Option<JsonText<'t>>,
    content: Option<JsonText<'t>>,
    /// `name` or `property`.
    name: Option<JsonText<'t>>,
    http_equiv: Option<JsonText<'t>>,
}

/// Returns the links in the complete block `text`.
pub(super) fn read(text: &[u8]) -> ListedPage {
    let mut page = ListedPage::default();
    let mut json = JsonCursor { text, at: 0 };
    while json.at < text.len() && page.read_block(&mut json).is_some() {}
    if page.nofollow {
        for at in 0..page.links.len() {
            let link = &page.links[at].link;
            if !link.nofollow && FOLLOWED.iter().any(|path| link.path.starts_with(path)) {
                let link = OwnedLink {
                    nofollow: true,
                    ..OwnedLink::clone(link)
                };
                page.links[at].link = page.shared(link);
            }
        }
    }
    page
}

impl ListedPage {
    /// Reads an object; returns `None` at the first defect.
    fn read_block(&mut self, json: &mut JsonCursor) -> Option<()> {
        json.object(|json, name| match name {
            b"Envelope" => json.object(|json, name| match name {
                b"WARC-Header-Metadata" => json.object(|json, name| match name {
                    b"WARC-Type" => {
                        let kind = json.any_string()?;
                        self.is_response = kind.is_some_and(|kind| *kind.text == *b"response");
                        Some(())
                    }
                    _ => json.skip(),
                }),
                b"Payload-Metadata" => json.object(|json, name| match name {
                    b"HTTP-Response-Metadata" => self.read_response(json),
                    _ => json.skip(),
                }),
                _ => json.skip(),
            }),
            _ => json.skip(),
        })
    }

    fn read_response(&mut self, json: &mut JsonCursor) -> Option<()> {
        // The status may follow the fields.
        let status = json.ahead(|json| {
            let mut status = Vec::new();
            json.object(|json, name| match name {
                b"Response-Message" => json.object(|json, name| match name {
                    b"Status" => {
                        status = json.any_string()?.unwrap_or_default().text.into_owned();
                        Some(())
                    }
                    _ => json.skip(),
                }),
                _ => json.skip(),
            });
            status
        });
        json.object(|json, name| match name {
            b"Headers" => json.object(|json, name| {
                json.values(|json| {
                    let value = json.any_string()?;
                    self.add_field(name, value.unwrap_or_default(), &status, json.text);
                    Some(())
                })
            }),
            b"HTML-Metadata" => json.object(|json, name| match name {
                b"Head" => json.object(|json, name| match name {
                    b"Base" => {
                        self.base = json.any_string()?.map(|base| base.text.into_owned());
                        Some(())
                    }
                    b"Link" | b"Scripts" => json.values(|json| self.read_link(json)),
                    b"Metas" => json.values(|json| self.read_meta(json)),
                    _ => json.skip(),
                }),
                b"Links" => json.values(|json| self.read_link(json)),
                _ => json.skip(),
            }),
            _ => json.skip(),
        })
    }

    /// Adds the links in a value of a header field.
    fn add_field(&mut self, name: &[u8], value: JsonText, status: &[u8], block: &[u8]) {
        if name.eq_ignore_ascii_case(b"content-type") {
            self.charset = charset(&value.text).or(self.charset);
        }
        if name.eq_ignore_ascii_case(b"x-robots-tag") {
            // A colon follows the name of an agent.
            let is_of_all = !value.text.contains(&b':');
            self.nofollow |= is_of_all && metas::is_nofollow(&value.text);
        }
        let Some(field) = ReferenceField::named(name) else {
            return;
        };
        for (range, link) in field.links(&value.text, status) {
            self.add(&value, range, block, link, false);
        }
    }

    fn read_link(&mut self, json: &mut JsonCursor) -> Option<()> {
        let element = element(json)?;
        let path = element.path.unwrap_or_default().text;
        let Some(url) = element.url.or(element.href) else {
            return Some(());
        };
        let mut link = OwnedLink {
            path: path.into_owned(),
            ..OwnedLink::default()
        };
        rel::push_tokens(&element.rel.unwrap_or_default().text, &mut link.rel);
        let has_rel = WITH_REL.iter().any(|path| link.path.starts_with(path));
        link.nofollow = has_rel && rel::is_nofollow(&link.rel);
        let link = self.shared(link);
        self.add(&url, 0..url.text.len(), json.text, link, true);
        Some(())
    }

    fn read_meta(&mut self, json: &mut JsonCursor) -> Option<()> {
        let element = element(json)?;
        let name = element.name.unwrap_or_default().text;
        let Some(content) = element.content else {
            return Some(());
        };
        let http_equiv = element.http_equiv.unwrap_or_default().text;
        if http_equiv.eq_ignore_ascii_case(b"content-type") {
            self.charset = self.charset.or_else(|| charset(&content.text));
        }
        self.nofollow |= name.eq_ignore_ascii_case(b"robots") && metas::is_nofollow(&content.text);
        let url = match http_equiv.eq_ignore_ascii_case(b"refresh") {
            true => refresh::url(&content.text),
            false => {
                let text = content.text.trim_ascii();
                let is_url = metas::is_url_name(&name) || metas::is_url(text);
                is_url.then_some(0..content.text.len())
            }
        };
        if let Some(url) = url {
            let link = self.shared(OwnedLink {
                path: META.to_vec(),
                ..OwnedLink::default()
            });
            self.add(&content, url, json.text, link, true);
        }
        Some(())
    }

    /// Adds the link that is in this range of the text of `value`.
    fn add(
        &mut self,
        value: &JsonText,
        range: Range<usize>,
        block: &[u8],
        link: Arc<OwnedLink>,
        has_base: bool,
    ) {
        let text = value.text[range.clone()].to_vec();
        if text.is_empty() {
            return;
        }
        let raw = &block[value.range.clone()];
        let range = value.range.start + raw_len(raw, range.start)
            ..value.range.start + raw_len(raw, range.end);
        self.links.push(ListedLink {
            text: (block[range.clone()] != text[..]).then_some(text),
            range,
            link,
            has_base,
        });
    }

    /// Returns the shared copy of `link`: links with the same position share one.
    fn shared(&mut self, link: OwnedLink) -> Arc<OwnedLink> {
        if let Some(known) = self.positions.iter().find(|known| ***known == link) {
            return Arc::clone(known);
        }
        let link = Arc::new(link);
        if self.positions.len() < SHARED_MAX {
            self.positions.push(Arc::clone(&link));
        }
        link
    }
}

/// Returns the encoding that a media type states, for queries: UTF-8 instead of UTF-16.
fn charset(media_type: &[u8]) -> Option<Charset> {
    let mut parameters = media_type.split(|&b| b == b';').skip(1);
    let label = parameters.find_map(|parameter| {
        let (name, label) = parameter.split_at_checked("charset=".len() + leading(parameter))?;
        let is_charset = name.trim_ascii().eq_ignore_ascii_case(b"charset=");
        is_charset.then(|| label.trim_ascii().trim_ascii())
    })?;
    let label = label.strip_prefix(b"\"").unwrap_or(label);
    let label = label.strip_suffix(b"\"").unwrap_or(label);
    let encoding = encoding_rs::Encoding::for_label(label)?;
    Some(Charset::named(encoding.output_encoding().name()))
}

/// Returns the number of blanks at the start of `text`.
fn leading(text: &[u8]) -> usize {
    text.len() - text.trim_ascii_start().len()
}

/// Reads an object that lists an element.
fn element<'t>(json: &mut JsonCursor<'t>) -> Option<Element<'t>> {
    let mut element = Element::default();
    json.object(|json, name| {
        let place = match name {
            b"path" => &mut element.path,
            b"url" => &mut element.url,
            b"href" => &mut element.href,
            b"rel" => &mut element.rel,
            b"content" => &mut element.content,
            b"name" | b"property" => &mut element.name,
            b"http-equiv" => &mut element.http_equiv,
            _ => return json.skip(),
        };
        *place = json.any_string()?;
        Some(())
    })?;
    Some(element)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns a block with these members of the response.
    fn block(response: &str) -> String {
        format!(
            "{{\"Container\":{{}},\"Envelope\":{{\"Payload-Metadata\":{{\
             \"HTTP-Response-Metadata\":{{{response}}}}},\
             \"WARC-Header-Metadata\":{{\"WARC-Type\":\"response\"}}}}}}"
        )
    }

    /// Returns path, reference and relations of each link, `!` before a link that must
    /// not be followed; after them the base.
    fn links(text: &str) -> Vec<String> {
        let page = read(text.as_bytes());
        let string = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let links = page.links.iter().map(|found| {
            let raw = &text.as_bytes()[found.range.clone()];
            let reference = found.text.as_deref().unwrap_or(raw);
            let mark = if found.link.nofollow { "!" } else { "" };
            let (path, rel) = (string(&found.link.path), string(&found.link.rel));
            format!("{mark}{path} {} {rel}", string(reference))
                .trim_end()
                .to_owned()
        });
        let base = page
            .base
            .iter()
            .map(|base| format!("base {}", string(base)));
        links.chain(base).collect()
    }

    #[test]
    fn links_of_the_page() {
        let html = r#""HTML-Metadata":{"Links":[
            {"path":"A@/href","url":"a\/b?c=\u00e9&d","text":"x","rel":"NoFollow  Me"},
            {"url":"i.png","alt":"http://alt/","path":"IMG@/src"},
            {"path":"STYLE/#text","href":"s.css"},{"path":"A@/href"},{"path":"A@/href","url":7}],
            "Head":{"Base":"\/x\/","Title":"t","Scripts":[{"path":"SCRIPT@/src","url":"s.js"}],
            "Link":[{"path":"LINK@/href","url":"l","rel":"nofollow","type":"t"}],"Metas":[
            {"http-equiv":"REFRESH","content":"5; url=\"r\""},{"name":"og:image","content":"m.png"},
            {"property":"other","content":"\/\/h\/"},{"name":"other","content":"see http://h/"},
            {"name":"generator"}]}}"#;
        let wanted = [
            "!A@/href a/b?c=é&d nofollow me",
            "IMG@/src i.png",
            "STYLE/#text s.css",
            "SCRIPT@/src s.js",
            "LINK@/href l nofollow",
            "META@/content r",
            "META@/content m.png",
            "META@/content //h/",
            "base /x/",
        ];
        assert_eq!(links(&block(html)), wanted);
        assert!(read(block(html).as_bytes()).is_response);
    }

    #[test]
    fn links_of_the_head() {
        let head = |status: &str| {
            block(&format!(
                r#""Headers":{{"location":"\/moved","Link":["<a>; rel=\"Next\", <b>","<c>"],
                "Server":"<d>","Refresh":"1;e"}},"Response-Message":{{"Status":"{status}"}}"#
            ))
        };
        let always = [
            "HTTP@/link a next",
            "HTTP@/link b",
            "HTTP@/link c",
            "HTTP@/refresh e",
        ];
        assert_eq!(links(&head("200")), always);
        assert_eq!(links(&head("301"))[0], "HTTP@/location /moved");
    }

    #[test]
    fn pages_that_are_not_followed() {
        let links_ = r#""HTML-Metadata":{"Links":[{"path":"A@/href","url":"a"},{"path":"IMG@/src","url":"i"}]"#;
        let robots = block(&format!(
            r#"{links_},"Head":{{"Metas":[{{"name":"ROBOTS","content":"noindex, nofollow"}}]}}}}"#
        ));
        assert_eq!(links(&robots), ["!A@/href a", "IMG@/src i"]);
        for (value, wanted) in [("none", "!A@/href a"), ("otherbot: nofollow", "A@/href a")] {
            let header = block(&format!(
                r#"{links_}}},"Headers":{{"X-Robots-Tag":"{value}"}}"#
            ));
            assert_eq!(links(&header)[0], wanted);
        }
    }

    #[test]
    fn encodings() {
        let of = |response: &str| read(block(response).as_bytes()).charset.map(Charset::name);
        let header = |value: &str| format!(r#""Headers":{{"Content-Type":"{value}"}}"#);
        assert_eq!(
            of(&header("text/html; charset=latin1")),
            Some("windows-1252")
        );
        assert_eq!(
            of(&header("text/html;a=b; Charset=\\\"shift_jis\\\"")),
            Some("Shift_JIS")
        );
        assert_eq!(of(&header("text/html; charset=utf-16le")), Some("UTF-8"));
        assert_eq!(of(&header("text/html; charset=unknown")), None);
        let meta = r#""HTML-Metadata":{"Head":{"Metas":[{"http-equiv":"Content-Type","content":"text/html; charset=gbk"}]}}"#;
        assert_eq!(of(meta), Some("GBK"));
        assert_eq!(
            of(&format!("{meta},{}", header("x; charset=big5"))),
            Some("Big5")
        );
    }

    #[test]
    fn what_is_before_a_defect_counts() {
        let text = block(
            r#""HTML-Metadata":{"Links":[{"path":"A@/href","url":"a"},{"path":"A@/href","url":"b" x]}"#,
        );
        assert_eq!(links(&text), ["A@/href a"]);
        assert_eq!(links("text").len(), 0);
        let twice = block(r#""HTML-Metadata":{"Links":[{"path":"A@/href","url":"a"}]}"#).repeat(2);
        assert_eq!(links(&twice).len(), 2);
        // Links in other places of the JSON do not count.
        assert_eq!(
            links(r#"{"Envelope":{"Links":[{"path":"A@/href","url":"a"}]}}"#).len(),
            0
        );
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_read(parts in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", ",", ":", "\"Envelope\"", "\"Payload-Metadata\"", "\"Links\"",
            "\"HTTP-Response-Metadata\"", "\"HTML-Metadata\"", "\"url\"", "\"a\\", "\\u12", "\"", "1",
        ]), 0..40)) {
            let text = "{\"Envelope\":".to_owned() + &parts.concat();
            let page = read(text.as_bytes());
            let mut at = 0;
            for link in page.links {
                prop_assert!(link.range.start >= at && link.range.end <= text.len());
                at = link.range.end;
            }
        }
    }
}
