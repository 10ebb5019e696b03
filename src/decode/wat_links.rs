//! The links that the block of a WAT record lists: those of the page, with the positions
//! that they had in its markup, and those of its HTTP head. Nothing is resolved. Text
//! that is not such JSON ends the list; what comes after it is searched as text.

use super::http::ReferenceField;
use super::markup::metas;
use super::{refresh, rel};
use crate::item::{Charset, OwnedLink};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// More positions than a page has; further ones are not shared.
const SHARED_MAX: usize = 64;
/// The position of a reference in a `<meta>`, which a block does not state.
const META: &[u8] = b"META@/content";
/// Links of these elements are not followed when the page asks for it.
const FOLLOWED: [&[u8]; 2] = [b"A@/", b"AREA@/"];
/// The `rel` of these elements may ask the same of one link.
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
    /// The range of the reference in the block, as it is escaped there.
    pub range: Range<usize>,
    /// The reference, where it is escaped.
    pub text: Option<Vec<u8>>,
    pub link: Arc<OwnedLink>,
    /// Whether the base of the page counts, not only its URI.
    pub has_base: bool,
}

/// A string of JSON: its range without the quotes, and what it says.
#[derive(Debug, Default)]
struct JsonText<'t> {
    range: Range<usize>,
    text: Cow<'t, [u8]>,
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
        // It may come after the fields.
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
        let element = json.element()?;
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
        let element = json.element()?;
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

    /// Returns `link`, of which the links with the same position share one.
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

/// A position in a JSON text. Every method returns `None` at what is not JSON.
struct JsonCursor<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> JsonCursor<'t> {
    fn blanks(&mut self) {
        let is_blank = |b: &&u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n');
        self.at += self.text[self.at..].iter().take_while(is_blank).count();
    }

    /// Reads `byte`, if it is next after blanks.
    fn takes(&mut self, byte: u8) -> bool {
        self.blanks();
        let is_next = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Calls `read` and goes back.
    fn ahead<T>(&mut self, read: impl FnOnce(&mut JsonCursor<'t>) -> T) -> T {
        let mut copy = JsonCursor {
            text: self.text,
            at: self.at,
        };
        read(&mut copy)
    }

    /// Calls `member` with the name of each member of an object; it reads the value. A
    /// value of another kind is skipped.
    fn object(
        &mut self,
        mut member: impl FnMut(&mut JsonCursor<'t>, &[u8]) -> Option<()>,
    ) -> Option<()> {
        if !self.takes(b'{') {
            return self.skip();
        }
        if self.takes(b'}') {
            return Some(());
        }
        loop {
            let name = self.string()?;
            self.takes(b':').then_some(())?;
            member(self, &name.text)?;
            if self.takes(b'}') {
                return Some(());
            }
            self.takes(b',').then_some(())?;
        }
    }

    /// Calls `value` for each value of an array, or once for a value that is not an array.
    fn values(&mut self, mut value: impl FnMut(&mut JsonCursor<'t>) -> Option<()>) -> Option<()> {
        if !self.takes(b'[') {
            return value(self);
        }
        if self.takes(b']') {
            return Some(());
        }
        loop {
            value(self)?;
            if self.takes(b']') {
                return Some(());
            }
            self.takes(b',').then_some(())?;
        }
    }

    /// Reads an object that lists an element.
    fn element(&mut self) -> Option<Element<'t>> {
        let mut element = Element::default();
        self.object(|json, name| {
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

    /// Reads a value, and returns it if it is a string.
    fn any_string(&mut self) -> Option<Option<JsonText<'t>>> {
        self.blanks();
        match self.text.get(self.at) {
            Some(b'"') => self.string().map(Some),
            _ => self.skip().map(|()| None),
        }
    }

    /// Reads a string.
    fn string(&mut self) -> Option<JsonText<'t>> {
        self.takes(b'"').then_some(())?;
        let start = self.at;
        loop {
            let rest = &self.text[self.at..];
            self.at += memchr::memchr2(b'"', b'\\', rest)?;
            if self.text[self.at] == b'"' {
                break;
            }
            self.at += 2;
            (self.at <= self.text.len()).then_some(())?;
        }
        let range = start..self.at;
        self.at += 1;
        let raw = &self.text[range.clone()];
        let text = match memchr::memchr(b'\\', raw) {
            None => Cow::Borrowed(raw),
            Some(_) => Cow::Owned(unescaped(raw)),
        };
        Some(JsonText { range, text })
    }

    /// Skips a value, whatever it is.
    fn skip(&mut self) -> Option<()> {
        let mut depth = 0usize;
        loop {
            self.blanks();
            match self.text.get(self.at)? {
                b'"' => drop(self.string()?),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                _ => {
                    let is_token =
                        |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
                    let len = self.text[self.at..].iter().take_while(is_token).count();
                    (len > 0).then_some(())?;
                    self.at += len;
                }
            }
            if depth == 0 {
                return Some(());
            }
        }
    }
}

/// Returns the character that an escape at the start of `raw` encodes, and the length of
/// the escape. Half of a pair is U+FFFD.
fn escape(raw: &[u8]) -> (char, usize) {
    let unit = |at: usize| {
        let digits = raw.get(at..at + 6)?.strip_prefix(b"\\u")?;
        let digits = std::str::from_utf8(digits).ok()?;
        u16::from_str_radix(digits, 16).ok()
    };
    match raw.get(1) {
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{C}', 2),
        Some(b'n') => ('\n', 2),
        Some(b'r') => ('\r', 2),
        Some(b't') => ('\t', 2),
        Some(b'u') => match (unit(0), unit(6)) {
            (Some(high @ 0xD800..0xDC00), Some(low @ 0xDC00..0xE000)) => {
                let mut pair = char::decode_utf16([high, low]);
                (pair.next().and_then(Result::ok).unwrap_or('\u{FFFD}'), 12)
            }
            (Some(unit), _) => (char::from_u32(unit.into()).unwrap_or('\u{FFFD}'), 6),
            (None, _) => ('\u{FFFD}', 2),
        },
        Some(byte) if byte.is_ascii() => (char::from(*byte), 2),
        _ => ('\u{FFFD}', 1),
    }
}

/// Returns a string without its escapes (RFC 8259 section 7).
fn unescaped(raw: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(raw.len());
    let mut at = 0;
    while let Some(len) = memchr::memchr(b'\\', &raw[at..]) {
        text.extend_from_slice(&raw[at..at + len]);
        let (char, escaped) = escape(&raw[at + len..]);
        text.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
        at += len + escaped;
    }
    text.extend_from_slice(&raw[at..]);
    text
}

/// Returns the number of bytes at the start of `raw` that `len` bytes of its text are.
fn raw_len(raw: &[u8], len: usize) -> usize {
    let (mut at, mut text) = (0, 0);
    while text < len && at < raw.len() {
        match raw[at] {
            b'\\' => {
                let (char, escaped) = escape(&raw[at..]);
                text += char.len_utf8();
                at += escaped;
            }
            _ => {
                text += 1;
                at += 1;
            }
        }
    }
    at
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

    /// Returns path, reference and relations of each link, `!` before one that is not to
    /// be followed; after them the base.
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
        // No other place of the JSON counts.
        assert_eq!(
            links(r#"{"Envelope":{"Links":[{"path":"A@/href","url":"a"}]}}"#).len(),
            0
        );
    }

    proptest! {
        #[test]
        fn texts_come_back(text in "[a\"\\\\/\n\u{e9}\u{1F600} ]{0,12}", from in 0usize..30, to in 0usize..30) {
            let escaped: String = text.encode_utf16().map(|unit| match unit {
                b if b == u16::from(b'a') => "a".to_owned(),
                b if b == u16::from(b'/') => "\\/".to_owned(),
                _ => format!("\\u{unit:04x}"),
            }).collect();
            let raw = escaped.as_bytes();
            prop_assert_eq!(String::from_utf8(unescaped(raw)).unwrap(), text.clone());
            if let Some(part) = text.get(from..to.max(from)) {
                let range = raw_len(raw, from)..raw_len(raw, to.max(from));
                prop_assert_eq!(String::from_utf8(unescaped(&raw[range])).unwrap(), part);
            }
        }

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
