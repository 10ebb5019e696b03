//! XML: sitemaps, feeds, pages and drawings, and any other XML. The root decides which
//! elements and attributes hold references. External entities are not read, and only
//! the five entities of XML are known.

mod bases;
mod element;
mod stylesheet;
#[cfg(test)]
mod tests;
mod vocabulary;

use super::charset::Language;
use super::convert::Converter;
use super::document::{MarkupDecoder, MarkupDocument};
use super::html::{
    AttributeKind, AttributePosition, Html, PageReader, Surroundings, TagBytes, ValuePosition,
    ValueReading, ValueWriter,
};
use super::tokens::{
    Attribute, MarkupToken, NameKey, Quoting, StartTag, TextKind, TokenKind, XmlTokenizer,
};
use crate::decode::content_reading::ContentReading;
use crate::decode::event::{Decode, Event, Output};
use crate::decode::rel;
use crate::escape::References;
use crate::item::Part;
use crate::syntax::scheme;
use bases::{AFTER_BASES, BaseStack};
use element::OpenElement;
use std::ops::Range;
use vocabulary::{ElementName, QualifiedName, Vocabulary, XmlContent};

/// Decodes XML.
#[derive(Debug)]
pub(in crate::decode) struct Xml {
    tokens: XmlTokenizer,
    tree: Tree,
}

/// The state of a document.
#[derive(Debug)]
struct Tree {
    page: PageReader,
    root: Option<Root>,
    /// The number of open elements.
    depth: u32,
    /// The depths of the last open `image` and of an element that contains XHTML.
    image: Option<u32>,
    xhtml: Option<u32>,
    bases: BaseStack,
    open: Option<OpenElement>,
    /// The relations of an element.
    rel: Vec<u8>,
}

#[derive(Debug)]
struct Root {
    vocabulary: Vocabulary,
    prefix: Vec<u8>,
}

impl Root {
    /// Whether this is its prefix. Most names have no prefix, and comparing empty
    /// slices, which point nowhere, takes 100 ns on processors whose masked loads then
    /// fault.
    fn has_prefix(&self, prefix: &[u8]) -> bool {
        match prefix {
            [] => self.prefix.is_empty(),
            prefix => self.prefix == prefix,
        }
    }
}

/// Returns the decoder of the XML document that `part` describes, in any encoding: a
/// sitemap, a feed, a page, or any other.
///
/// ```
/// use urisieve::decode::{ContentReading, Event, Output, xml_decoder};
/// use urisieve::item::Part;
/// let mut out = Output::default();
/// let sitemap = b"<urlset><url><loc>http://a.example/</loc></url></urlset>";
/// xml_decoder(&Part::default(), &ContentReading::default()).push(sitemap, true, &mut out);
/// let values = out.events.iter().filter_map(|event| match event {
///     Event::Value(value) => Some((value.raw, &value.link.as_ref()?.path[..])),
///     _ => None,
/// });
/// assert!(values.eq([(17, &b"LOC/#text"[..])]));
/// ```
pub fn xml_decoder(part: &Part, reading: &ContentReading) -> Box<dyn Decode> {
    Box::new(MarkupDocument::new(
        part,
        Xml::new(Surroundings::of(reading)),
    ))
}

impl Xml {
    /// Creates a decoder of a document in UTF-8.
    pub fn new(around: Surroundings) -> Xml {
        Xml {
            tokens: XmlTokenizer::new(),
            tree: Tree {
                page: PageReader::of_xml(around),
                root: None,
                depth: 0,
                image: None,
                xhtml: None,
                bases: BaseStack::default(),
                open: None,
                rel: Vec::new(),
            },
        }
    }
}

impl MarkupDecoder for Xml {
    const LANGUAGE: Language = Language::Xml;

    fn set_encoding(&mut self, converter: Converter) {
        self.tree.page.maker.set_converter(converter);
    }
}

impl Decode for Xml {
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        let Xml { tokens, tree } = self;
        while let Some(token) = tokens.next(bytes, last) {
            tree.token(bytes, &token, tokens.attributes(), out);
        }
        if last {
            tree.end_element(bytes, false, out);
            tree.page.end(bytes, out);
        }
        let held = tree.open.as_ref().and_then(OpenElement::start);
        let read = tree.page.settle(held.unwrap_or(tokens.position()), out);
        tokens.forget(read.min(tokens.position()));
        if let Some(open) = &mut tree.open {
            open.forget(read);
        }
        read
    }
}

impl Tree {
    fn token(
        &mut self,
        window: &[u8],
        token: &MarkupToken,
        attributes: &[Attribute],
        out: &mut Output,
    ) {
        let range = token.range.clone();
        match &token.kind {
            TokenKind::Start(start) => {
                let tag = TagBytes::new(window, range, start, attributes);
                self.start(window, token, &tag, out);
            }
            TokenKind::End { .. } => self.end(window, token, out),
            TokenKind::Text { kind, data, .. } if *kind != TextKind::Residue => {
                let references = kind.has_references().then_some(References::Xml);
                if !self.add(data.clone(), references, window, out) {
                    self.page.token(window, token, &[], out);
                }
            }
            _ if self.open.is_some() => self.inside(window, token, out),
            TokenKind::Instruction { target, data } => {
                let is_stylesheet = &window[target.clone()] == b"xml-stylesheet";
                if is_stylesheet && self.root.is_none() {
                    self.stylesheet(window, data.clone(), out);
                } else if &window[target.clone()] != b"xml" {
                    self.comment(window, data.clone(), false, out);
                }
            }
            _ => self.page.token(window, token, &[], out),
        }
    }

    /// Adds text to the element whose text is held. Returns false if no text is held, or if
    /// it would be too long.
    fn add(
        &mut self,
        data: Range<usize>,
        references: Option<References>,
        window: &[u8],
        out: &mut Output,
    ) -> bool {
        let Some(open) = &mut self.open else {
            return false;
        };
        if !open.may_reach(data.end) {
            self.end_long_element(window, out);
            return false;
        }
        let is_blank = window[data.clone()].trim_ascii().is_empty();
        match open.start() {
            None if is_blank => return true,
            Some(start) if !is_blank && open.drop_comments() => {
                let cause = "a comment inside the text of an XML element";
                self.page.note(start, Event::Unsupported(cause), out);
            }
            _ => {}
        }
        open.add(data, references);
        true
    }

    /// Reads a token inside of an element whose text is held that does not belong to the
    /// text. The text may continue after it.
    fn inside(&mut self, window: &[u8], token: &MarkupToken, out: &mut Output) {
        let (data, continues) = match &token.kind {
            TokenKind::Comment { data, continues } | TokenKind::Doctype { data, continues } => {
                (data.clone(), *continues)
            }
            TokenKind::Instruction { data, .. } => (data.clone(), false),
            _ => {
                self.end_element(window, false, out);
                return self.page.token(window, token, &[], out);
            }
        };
        let Some(open) = &mut self.open else { return };
        if !open.may_reach(token.range.end) {
            self.end_long_element(window, out);
        } else if open.start().is_some() {
            if self.page.around.wants(&window[data.clone()]) {
                open.add_comment(data);
            }
            return;
        }
        self.comment(window, data, continues, out);
    }

    /// Reads a comment, or a token that is read like one.
    fn comment(&mut self, window: &[u8], data: Range<usize>, continues: bool, out: &mut Output) {
        let range = data.clone();
        let kind = TokenKind::Comment { data, continues };
        self.page
            .token(window, &MarkupToken { range, kind }, &[], out);
    }

    /// Ends an element whose text is too long to be held.
    fn end_long_element(&mut self, window: &[u8], out: &mut Output) {
        self.end_element(window, false, out);
        let cause = "the text of an XML element, longer than 1 MiB";
        self.page.around.writer.note(Event::Unsupported(cause), out);
    }

    /// Reads the `href` of a style sheet.
    fn stylesheet(&mut self, window: &[u8], data: Range<usize>, out: &mut Output) {
        let Some(value) = stylesheet::value(&window[data.clone()], b"href") else {
            return;
        };
        let bytes = data.start + value.start..data.start + value.end;
        let (element, attribute) = (&b"?xml-stylesheet"[..], &b"href"[..]);
        let position = ValuePosition::Attribute(AttributePosition {
            keys: (NameKey::of(element), NameKey::of(attribute)),
            element,
            attribute,
            rel: b"",
            nofollow: false,
        });
        let raw = (&window[bytes.clone()], bytes.start);
        let reading = ValueReading::Attribute(AttributeKind::Url);
        let page = &mut self.page;
        page.value(raw, Some(References::Xml), position, reading, out);
    }

    fn start(&mut self, window: &[u8], token: &MarkupToken, tag: &TagBytes, out: &mut Output) {
        let StartTag {
            key, self_closing, ..
        } = *tag.start;
        let name = QualifiedName::of(&window[tag.start.name.clone()]);
        self.end_element(window, false, out);
        if self.root.is_none() {
            let vocabulary = Vocabulary::of_root(name);
            if vocabulary != Vocabulary::Page {
                // A `<base>` does not govern the values before it.
                self.page.around.writer.release(out);
            }
            self.root = Some(Root {
                vocabulary,
                prefix: name.prefix.to_vec(),
            });
        }
        let Some(root) = &self.root else { return };
        let vocabulary = root.vocabulary;
        let element = ElementName {
            name,
            in_image: self.image.is_some_and(|image| image + 1 == self.depth),
            of_root: root.has_prefix(name.prefix),
        };
        if vocabulary != Vocabulary::Page {
            self.set_base(window, tag, out);
        }
        let is_page = vocabulary == Vocabulary::Page;
        let has_kinds = is_page || vocabulary == Vocabulary::Drawing || self.xhtml.is_some();
        // Only a page has a `<base>`.
        if has_kinds && (is_page || key != NameKey::of(b"base")) {
            self.page.token(window, token, tag.attributes, out);
        } else {
            self.page.end_node(window, out);
            self.attributes(vocabulary, element, tag, out);
        }
        if self_closing {
            return self.leave(self.depth);
        }
        if !has_kinds {
            let raw = |name: &[u8]| {
                let found = tag.attributes.iter().find(|a| a.name(tag.bytes) == name);
                found.map(|attribute| attribute.value(tag.bytes))
            };
            match vocabulary.content(element, raw) {
                XmlContent::Text => {}
                XmlContent::Xhtml => self.xhtml = Some(self.depth),
                content => {
                    let name = &window[tag.start.name.clone()];
                    let link = self.page.around.positions.element(key, name);
                    self.open = Some(OpenElement::new(content, link));
                }
            }
            if name.local == b"image" && name.prefix.is_empty() {
                self.image = Some(self.depth);
            }
        }
        self.depth = self.depth.saturating_add(1);
    }

    /// Reads an `xml:base`.
    fn set_base(&mut self, window: &[u8], tag: &TagBytes, out: &mut Output) {
        let is_base = |attribute: &&Attribute| attribute.name(tag.bytes) == b"xml:base";
        if let Some(attribute) = tag.attributes.iter().find(is_base) {
            self.page.end_node(window, out);
            let raw = attribute.value(tag.bytes);
            let source = self.page.maker.text(raw, Some(References::Xml));
            let event = self.bases.enter(self.depth, source.text.to_vec());
            self.page.note(tag.at, event, out);
            self.page.around.writer.document = self.bases.current();
        }
    }

    /// Reads the attributes of an element that is not of a page.
    fn attributes(
        &mut self,
        vocabulary: Vocabulary,
        element: ElementName,
        tag: &TagBytes,
        out: &mut Output,
    ) {
        self.page.note_cut(tag, out);
        let has_position =
            |attribute: &Attribute| vocabulary.has_link(element, attribute.name(tag.bytes));
        let mentions = self.page.around.mentions;
        let mut read = 0;
        if let Some(text) = tag.text(mentions, has_position) {
            read = text.end;
            self.page.text_of_tag(tag, text, out);
        }
        self.rel.clear();
        let rel = tag.attributes.iter().find(|a| a.name(tag.bytes) == b"rel");
        if let Some(attribute) = rel.filter(|_| element.name.local == b"link") {
            let raw = attribute.value(tag.bytes);
            let source = self.page.maker.text(raw, Some(References::Xml));
            rel::push_tokens(source.text, &mut self.rel);
        }
        for (number, attribute) in tag.attributes.iter().enumerate() {
            if attribute.name_range(0).start < read {
                continue;
            }
            if attribute.quoting == Quoting::Absent {
                if let Some(text) = tag.text_of_attribute(number, mentions, has_position) {
                    read = text.end;
                    self.page.text_of_tag(tag, text, out);
                }
                continue;
            }
            let name = attribute.name(tag.bytes);
            let raw = attribute.value(tag.bytes);
            // The first of equal attributes counts; the others are text.
            let is_link = !attribute.repeated && has_position(attribute);
            let reading = match is_link {
                true => Some(ValueReading::Attribute(AttributeKind::Url)),
                false => self.page.around.reading_of_text((raw, attribute.marks)),
            };
            let Some(reading) = reading else {
                continue;
            };
            let position = ValuePosition::Attribute(AttributePosition {
                keys: (tag.start.key, NameKey::exact(name)),
                element: &tag.bytes[tag.start.name.start - tag.at..tag.start.name.end - tag.at],
                attribute: name,
                rel: &self.rel,
                nofollow: false,
            });
            let raw = (raw, attribute.value_range(tag.at).start);
            let page = &mut self.page;
            page.value(raw, Some(References::Xml), position, reading, out);
        }
    }

    fn end(&mut self, window: &[u8], token: &MarkupToken, out: &mut Output) {
        self.depth = self.depth.saturating_sub(1);
        self.end_element(window, true, out);
        self.page.token(window, token, &[], out);
        self.leave(self.depth);
    }

    /// Leaves the elements at `depth` and below it.
    fn leave(&mut self, depth: u32) {
        self.xhtml = self.xhtml.filter(|&xhtml| xhtml < depth);
        self.image = self.image.filter(|&image| image < depth);
        self.bases.leave(depth);
        self.page.around.writer.document = self.bases.current();
    }

    /// Writes the text that is held. If the element ends here, the text is its content;
    /// otherwise only a document in the text is read.
    fn end_element(&mut self, window: &[u8], is_whole: bool, out: &mut Output) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        let comments = open.end();
        if let Some(bytes) = open.range() {
            self.write_element(window, (&open, bytes), is_whole, out);
        }
        for data in comments {
            self.comment(window, data, false, out);
        }
    }

    fn write_element(
        &mut self,
        window: &[u8],
        (open, bytes): (&OpenElement, Range<usize>),
        is_whole: bool,
        out: &mut Output,
    ) {
        let PageReader {
            maker,
            joined,
            around,
            ..
        } = &mut self.page;
        let source = match open.parts() {
            [(part, references)] => maker.text(&window[part.clone()], *references),
            parts => {
                joined.clear();
                for (part, references) in parts {
                    let text = maker.text(&window[part.clone()], *references);
                    joined.push(text, (part.start - bytes.start) as u64);
                }
                joined.source()
            }
        };
        if open.content == XmlContent::Html {
            let mut inner = Output::default();
            Html::new(around.nested(), 0).push(source.text, true, &mut inner);
            around.writer.skip_to(bytes.start, out);
            let writer = &mut around.writer;
            return writer.nested(&inner, source, bytes.len(), AFTER_BASES, out);
        }
        let is_absolute = || scheme::prefix_len(source.text.trim_ascii()).is_some();
        let kind = match open.content {
            XmlContent::Link if is_whole => AttributeKind::Url,
            XmlContent::AbsoluteLink if is_whole && is_absolute() => AttributeKind::Url,
            _ => AttributeKind::Other,
        };
        let position = ValuePosition::Link(open.link.as_ref());
        ValueWriter::new(around, out, bytes.start, source, position)
            .write(ValueReading::Attribute(kind));
    }
}
