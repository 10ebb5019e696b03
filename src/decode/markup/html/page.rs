//! The decoder of a page, which interprets each token. The tokenizer runs on the raw
//! bytes, which are kept until the token, its text and the base of the page are
//! complete.

use super::super::charset::Language;
use super::super::convert::Converter;
use super::super::document::MarkupDecoder;
use super::super::metas;
use super::super::script_json::ScriptJson;
use super::super::tokens::{
    Attribute, ByteMarks, HtmlTokenizer, MarkupToken, NameKey, NameSieve, Passing, Quoting,
    StartTag, TEXT_MAX, TextKind, TokenKind,
};
use super::attribute::{self, AttributeKind, kind_of, may_have_kind};
use super::positions::{AttributePosition, TextPosition};
use super::source::{Joined, TextMaker};
use super::tag::{TagBytes, UriBegin};
use super::texts::TextNode;
use super::values::{Surroundings, ValuePosition, ValueReading, ValueWriter};
use super::writer::PAGE_BASE;
use crate::decode::event::{
    Decode, DecodedValue, DocumentBase, Event, MarkupValue, Output, ValueKind,
};
use crate::decode::mentions::Mentions;
use crate::decode::rel;
use crate::escape::{REFERENCE_MAX, References};
use std::ops::Range;

/// The greatest depth of documents that are nested in `srcdoc`.
const DEPTH_MAX: usize = 8;

/// Has the names of elements whose start tags are not passed.
static NOT_PASSED: NameSieve = HtmlTokenizer::SIEVE.with(&attribute::LINKED);

/// Decodes HTML.
#[derive(Debug)]
pub(in crate::decode) struct Html {
    tokens: HtmlTokenizer,
    page: PageReader,
}

/// The state of reading a page, from tokens of HTML or, for pages in XML, of XML.
#[derive(Debug)]
pub(in crate::decode::markup) struct PageReader {
    is_xml: bool,
    /// The number of documents around this one, in `srcdoc`.
    depth: usize,
    pub maker: TextMaker,
    pub joined: Joined,
    pub around: Surroundings,
    node: TextNode,
    /// The marks of the current token, a text.
    marks: ByteMarks,
    /// Whether the last token only allows a line break in the text.
    after_break: bool,
    content: ElementContent,
    /// Whether the element with the last text was too long.
    is_too_long: bool,
    /// Whether links of the page are not followed.
    nofollow: bool,
    /// The relations of an element.
    rel: Vec<u8>,
}

/// The meaning of the text after a start tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ElementContent {
    #[default]
    Text,
    Style,
    Script,
    Json(ScriptJson),
}

impl Html {
    /// Creates a decoder of a document in UTF-8, inside of `depth` others.
    pub fn new(around: Surroundings, depth: usize) -> Html {
        Html {
            tokens: HtmlTokenizer::new(),
            page: PageReader {
                depth,
                ..PageReader::new(around)
            },
        }
    }
}

impl MarkupDecoder for Html {
    const LANGUAGE: Language = Language::Html;

    fn set_encoding(&mut self, converter: Converter) {
        self.page.maker.set_converter(converter);
    }
}

impl Decode for Html {
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        self.read::<true>(bytes, last, out)
    }
}

impl Html {
    /// Reads the bytes as [`Decode::push`] does. `PASS`: markup that means nothing is passed.
    pub(super) fn read<const PASS: bool>(
        &mut self,
        bytes: &[u8],
        last: bool,
        out: &mut Output,
    ) -> usize {
        let Html { tokens, page } = self;
        loop {
            if PASS && page.comes_to_rest(bytes, tokens.position(), out) {
                let passing = Passing {
                    needs_no_text: page.around.mentions == Mentions::None,
                    may_want: |raw: &[u8]| page.around.may_want(raw, Some(true)),
                    linked: &attribute::LINKED,
                    sieve: &NOT_PASSED,
                    is_plain: |name: &[u8]| !may_have_kind(name),
                };
                tokens.pass(bytes, passing);
            }
            let Some(token) = tokens.next(bytes, last) else {
                break;
            };
            page.marks = tokens.marks();
            page.token(bytes, &token, tokens.attributes(), out);
        }
        if last {
            page.end(bytes, out);
        }
        let read = page.settle(tokens.position(), out);
        tokens.forget(read.min(tokens.position()));
        read
    }
}

impl PageReader {
    fn new(around: Surroundings) -> PageReader {
        PageReader {
            is_xml: false,
            depth: 0,
            maker: TextMaker::default(),
            joined: Joined::default(),
            around,
            node: TextNode::default(),
            marks: ByteMarks::default(),
            after_break: false,
            content: ElementContent::default(),
            is_too_long: false,
            nofollow: false,
            rel: Vec::new(),
        }
    }

    /// Creates a page whose tokens are those of XML.
    pub fn of_xml(around: Surroundings) -> PageReader {
        PageReader {
            is_xml: true,
            ..PageReader::new(around)
        }
    }

    /// The character references in texts.
    fn in_texts(&self) -> References {
        match self.is_xml {
            true => References::Xml,
            false => References::HtmlText,
        }
    }

    /// The character references in attributes.
    fn in_attributes(&self) -> References {
        match self.is_xml {
            true => References::Xml,
            false => References::HtmlAttribute,
        }
    }

    /// Whether texts and tags in which nothing is wanted change nothing from `position` on. A text
    /// before it ends, unless `<wbr>` may follow.
    #[inline]
    fn comes_to_rest(&mut self, window: &[u8], position: usize, out: &mut Output) -> bool {
        if self.after_break
            || self.content != ElementContent::Text
            || self.around.mentions == Mentions::All
        {
            return false;
        }
        if self.node.start().is_some() {
            if let [] | [_] | [b'<', b'w' | b'W', ..] = window[position..] {
                return false;
            }
            self.end_node(window, out);
        }
        true
    }

    /// Ends the page; the window has its last bytes.
    pub fn end(&mut self, window: &[u8], out: &mut Output) {
        self.end_node(window, out);
        self.around.writer.skip_to(window.len(), out);
        self.around.writer.release(out);
    }

    /// Writes the complete part of the window, of which the bytes before `position`
    /// were read. Returns the number of bytes that were written, which the caller
    /// drops.
    pub fn settle(&mut self, position: usize, out: &mut Output) -> usize {
        let settled = self.node.start().unwrap_or(position);
        self.around.writer.skip_to(settled.min(position), out);
        let read = self.around.writer.written();
        self.around.writer.forget(read);
        self.node.forget(read);
        read
    }

    /// Reads a token.
    pub fn token(
        &mut self,
        window: &[u8],
        token: &MarkupToken,
        attributes: &[Attribute],
        out: &mut Output,
    ) {
        let range = token.range.clone();
        let after_break = std::mem::take(&mut self.after_break);
        match &token.kind {
            TokenKind::Text {
                kind,
                data,
                continues,
            } => {
                if !after_break {
                    self.end_node(window, out);
                }
                self.around.writer.begin(range.start, out);
                self.text(window, *kind, data.clone(), (*continues, after_break), out);
            }
            TokenKind::Start(start) if start.key == attribute::WBR && !start.foreign => {
                self.after_break = self.node.start().is_some();
            }
            TokenKind::Start(start) => {
                self.end_node(window, out);
                self.around.writer.begin(range.start, out);
                let tag = TagBytes::new(window, range, start, attributes);
                self.start_tag(&tag, out);
            }
            TokenKind::Comment { data, continues } | TokenKind::Doctype { data, continues } => {
                self.end_node(window, out);
                self.around.writer.begin(range.start, out);
                self.node
                    .begin((data.clone(), self.marks), None, *continues);
                self.write_node(window, TextPosition::Comment, out);
            }
            TokenKind::End { name, .. } => {
                self.end_node(window, out);
                self.content = ElementContent::Text;
                if name.end + 1 < range.end {
                    let tag = range.start..name.end;
                    let begin = UriBegin::of(window, name.clone(), self.around.mentions);
                    let from = if begin.is_some() { tag.start } else { tag.end };
                    self.search(&window[from..range.end], from, out);
                }
            }
            TokenKind::Instruction { .. } => {
                self.end_node(window, out);
                self.content = ElementContent::Text;
            }
        }
    }

    /// Reads a text, which may continue the text before it, as a part of one text or
    /// after a break.
    fn text(
        &mut self,
        window: &[u8],
        kind: TextKind,
        data: Range<usize>,
        (continues, after_break): (bool, bool),
        out: &mut Output,
    ) {
        let references = kind.has_references().then_some(self.in_texts());
        let content = match kind {
            TextKind::Data | TextKind::Cdata | TextKind::Rawtext | TextKind::Script => self.content,
            TextKind::Rcdata | TextKind::Plaintext | TextKind::Residue => ElementContent::Text,
        };
        if content == ElementContent::Text {
            return self.add_text(window, data, references, (continues, after_break), out);
        }
        self.end_node(window, out);
        // A text that the tokenizer cut is at least this long.
        let is_cut = data.len() + 2 * REFERENCE_MAX > TEXT_MAX;
        let (link, around, reading) = match content {
            ElementContent::Text => return,
            ElementContent::Script => {
                self.node.begin((data, self.marks), references, continues);
                return self.write_node(window, TextPosition::Script, out);
            }
            ElementContent::Style => {
                let style = TextPosition::Style;
                (style, style, ValueReading::StyleElement { is_cut })
            }
            ElementContent::Json(kind) => {
                let reading = ValueReading::Json { kind, is_cut };
                (kind.into(), TextPosition::Script, reading)
            }
        };
        if continues {
            // References in the text are not found.
            let is_more = std::mem::replace(&mut self.is_too_long, true);
            if !is_more {
                let cause = "a style sheet or JSON text in a page, longer than 1 MiB";
                self.around.writer.note(Event::Unsupported(cause), out);
            }
            self.node.begin((data, self.marks), references, is_more);
            self.node.is_wanted = true;
            return self.write_node(window, link, out);
        }
        self.is_too_long = false;
        let position = ValuePosition::Element(link, around);
        let raw = (&window[data.clone()], data.start);
        self.value(raw, references, position, reading, out);
    }

    /// Writes the value whose bytes are `raw`, at the offset `at` of the window.
    pub fn value(
        &mut self,
        (raw, at): (&[u8], usize),
        references: Option<References>,
        position: ValuePosition,
        reading: ValueReading,
        out: &mut Output,
    ) {
        let source = self.maker.text(raw, references);
        ValueWriter::new(&mut self.around, out, at, source, position).write(reading);
    }

    /// Writes an event without bytes for the token at the offset `at`.
    pub fn note(&mut self, at: usize, event: Event, out: &mut Output) {
        self.around.writer.skip_to(at, out);
        self.around.writer.note(event, out);
    }

    /// Reports a tag that is too long.
    pub fn note_cut(&mut self, tag: &TagBytes, out: &mut Output) {
        if tag.start.cut {
            self.note(tag.at, Event::Unsupported("a tag longer than 1 MiB"), out);
        }
    }

    /// Adds text between tags.
    fn add_text(
        &mut self,
        window: &[u8],
        data: Range<usize>,
        references: Option<References>,
        (continues, after_break): (bool, bool),
        out: &mut Output,
    ) {
        if self.around.mentions == Mentions::None {
            return;
        }
        if after_break && self.node.references != references {
            // The rest of a tag that is cut off: the text before it may still be unwritten.
            self.end_node(window, out);
            return self.node.begin((data, self.marks), references, false);
        }
        if !after_break {
            return self.node.begin((data, self.marks), references, continues);
        }
        if self.node.add((data.clone(), self.marks)) {
            return;
        }
        let end = self.node.end().unwrap_or(data.start);
        self.end_node(window, out);
        self.node.begin((end..end, self.marks), references, true);
        self.node.add((data, self.marks));
    }

    /// Writes the text that is being read, whose end is known.
    #[inline]
    pub fn end_node(&mut self, window: &[u8], out: &mut Output) {
        if self.node.start().is_none() {
            return;
        }
        // Most texts have no URI by their marks.
        match self.node.is_unwanted(self.around.mentions) {
            true => self.node.clear(),
            false => self.write_node(window, TextPosition::Text, out),
        }
    }

    /// Writes the text of the node, if it may hold a URI.
    fn write_node(&mut self, window: &[u8], position: TextPosition, out: &mut Output) {
        let node = &mut self.node;
        let parts = node.parts();
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
            return;
        };
        let bytes = first.start..last.end;
        let is_wanted = match parts {
            _ if node.is_wanted && self.around.mentions != Mentions::None => Some(true),
            [part] => self.around.wants_raw(&window[part.clone()], node.marks),
            _ if node.is_unwanted(self.around.mentions) => Some(false),
            // A tag between parts may be inside of a URI.
            _ => None,
        };
        if is_wanted == Some(false) {
            return node.clear();
        }
        let first = (&window[first.clone()], node.marks);
        let mut source = self.maker.marked_text(first, node.references);
        let is_text = position == TextPosition::Text;
        if parts.len() > 1 || is_text && source.has_soft_hyphens() {
            self.joined.clear();
            for part in parts {
                let text = self.maker.text(&window[part.clone()], node.references);
                self.joined.push(text, (part.start - bytes.start) as u64);
            }
            source = self.joined.source();
        }
        if is_wanted.unwrap_or_else(|| self.around.wants(source.text)) {
            let continues = node.continues;
            let mut value = MarkupValue::new(0, ValueKind::Text { continues });
            value.link = self.around.positions.text(position);
            value.base = self.around.writer.base();
            if let Some(map) = source.map {
                let target = self.around.writer.target(out);
                target.text.extend_from_slice(source.text);
                let (number, own) = target.add_map();
                map.part_into(0..source.text.len(), source.text, own);
                value.decoded = Some(DecodedValue {
                    len: source.text.len(),
                    map: Some(number),
                });
            }
            self.around.writer.value(bytes, value, out);
        }
        node.clear();
    }

    fn start_tag(&mut self, tag: &TagBytes, out: &mut Output) {
        let StartTag { key, foreign, .. } = *tag.start;
        let is_empty = tag.start.self_closing && (foreign || self.is_xml);
        let in_attributes = self.in_attributes();
        self.note_cut(tag, out);
        self.content = match key {
            _ if is_empty => ElementContent::Text,
            attribute::STYLE => ElementContent::Style,
            attribute::SCRIPT if !foreign => match self.json_of_script(tag) {
                Some(kind) => ElementContent::Json(kind),
                None => ElementContent::Script,
            },
            _ => ElementContent::Text,
        };
        self.rel.clear();
        let mut nofollow = false;
        match key {
            attribute::BASE if !foreign && !tag.start.in_template => self.set_base(tag, out),
            _ if !self.around.positions.are_kept() => {}
            attribute::META if !tag.start.in_template => self.nofollow |= self.is_nofollow(tag),
            attribute::A | attribute::AREA | attribute::FORM | attribute::LINK => {
                if let Some(value) = tag.value(attribute::REL) {
                    let source = self.maker.marked_text(value, Some(in_attributes));
                    rel::push_tokens(source.text, &mut self.rel);
                }
                let is_of_page = self.nofollow && key != attribute::FORM;
                nofollow = key != attribute::LINK && (is_of_page || rel::is_nofollow(&self.rel));
            }
            _ => {}
        }
        let has_position = |attribute: &Attribute| {
            let name = attribute.name(tag.bytes);
            let attribute_key = || NameKey::read(tag.bytes, attribute.name_range(0));
            may_have_kind(name) && kind_of(key, attribute_key()) != AttributeKind::Other
        };
        let mut read = 0;
        if let Some(text) = tag.text(self.around.mentions, has_position) {
            read = text.end;
            self.text_of_tag(tag, text, out);
        }
        for (number, attribute) in tag.attributes.iter().enumerate() {
            if attribute.quoting != Quoting::Absent && attribute.name_range(0).start >= read {
                self.attribute(tag, attribute, nofollow, out);
            } else if attribute.name_range(0).start >= read
                && let Some(text) =
                    tag.text_of_attribute(number, self.around.mentions, has_position)
            {
                read = text.end;
                self.text_of_tag(tag, text, out);
            }
        }
    }

    /// Searches a range of a tag as text.
    pub fn text_of_tag(&mut self, tag: &TagBytes, text: Range<usize>, out: &mut Output) {
        self.search(&tag.bytes[text.clone()], tag.at + text.start, out);
    }

    /// Searches `raw`, which is at `at` in the window, as text.
    fn search(&mut self, raw: &[u8], at: usize, out: &mut Output) {
        if self.around.may_want(raw, None) {
            let position = ValuePosition::Element(TextPosition::Text, TextPosition::Text);
            let reading = ValueReading::Attribute(AttributeKind::Other);
            let in_texts = Some(self.in_texts());
            self.value((raw, at), in_texts, position, reading, out);
        }
    }

    fn attribute(
        &mut self,
        tag: &TagBytes,
        attribute: &Attribute,
        nofollow: bool,
        out: &mut Output,
    ) {
        let name = attribute.name(tag.bytes);
        // The first of equal attributes counts; the others are text.
        let may_have_kind = may_have_kind(name) && !attribute.repeated;
        let has_some = attribute.marks.has_colon_or_reference();
        if !may_have_kind && !self.around.mentions.may_want_marked(has_some) {
            return;
        }
        let key = NameKey::read(tag.bytes, attribute.name_range(0));
        let kind = match may_have_kind {
            true => kind_of(tag.start.key, key),
            false => AttributeKind::Other,
        };
        let raw = attribute.value(tag.bytes);
        let marked = (raw, attribute.marks);
        let reading = match kind {
            AttributeKind::Other => self.around.reading_of_text(marked),
            kind => Some(ValueReading::Attribute(kind)),
        };
        let Some(mut reading) = reading else {
            return;
        };
        let range = attribute.value_range(tag.at);
        let in_attributes = self.in_attributes();
        if kind == AttributeKind::Srcdoc && self.srcdoc(raw, range.start, out) {
            return;
        }
        if kind == AttributeKind::Content {
            reading = self.content_of_meta(tag, marked);
        }
        let position = AttributePosition {
            keys: (tag.start.key, key),
            element: &tag.bytes[tag.start.name.start - tag.at..tag.start.name.end - tag.at],
            attribute: name,
            rel: &self.rel,
            nofollow,
        };
        let source = self.maker.marked_text(marked, Some(in_attributes));
        if kind == AttributeKind::Url && source.map.is_none() {
            return self.around.reference((raw, range.start), &position, out);
        }
        let position = ValuePosition::Attribute(position);
        ValueWriter::new(&mut self.around, out, range.start, source, position).write(reading);
    }

    /// Returns the kind of the JSON that the text of a `<script>` is.
    fn json_of_script(&mut self, tag: &TagBytes) -> Option<ScriptJson> {
        let value = tag.value(attribute::TYPE)?;
        let in_attributes = self.in_attributes();
        ScriptJson::of(self.maker.marked_text(value, Some(in_attributes)).text)
    }

    /// Reads a `<base>`, of which the first with `href` counts.
    fn set_base(&mut self, tag: &TagBytes, out: &mut Output) {
        let Some(value) = tag.value(attribute::HREF) else {
            return;
        };
        let in_attributes = self.in_attributes();
        if !self.around.writer.has_base() {
            let source = self.maker.marked_text(value, Some(in_attributes));
            let reference = source.text.to_vec();
            self.around.writer.skip_to(tag.at, out);
            self.around.writer.set_base(reference, out);
        }
    }

    /// Whether a `<meta>` asks that no link is followed.
    fn is_nofollow(&mut self, tag: &TagBytes) -> bool {
        self.has_value(tag, attribute::NAME, |name| {
            name.eq_ignore_ascii_case(b"robots")
        }) && self.has_value(tag, attribute::CONTENT, metas::is_nofollow)
    }

    /// Returns the way in which the content of a `<meta>` is read.
    fn content_of_meta(&mut self, tag: &TagBytes, content: (&[u8], ByteMarks)) -> ValueReading {
        let in_attributes = self.in_attributes();
        let is_refresh = |value: &[u8]| value.eq_ignore_ascii_case(b"refresh");
        if self.has_value(tag, attribute::HTTP_EQUIV, is_refresh) {
            return ValueReading::Refresh;
        }
        let is_named = self.has_value(tag, attribute::NAME, metas::is_url_name)
            || self.has_value(tag, attribute::PROPERTY, metas::is_url_name);
        let source = self.maker.marked_text(content, Some(in_attributes));
        ValueReading::Attribute(match is_named || metas::is_url(source.text) {
            true => AttributeKind::Url,
            false => AttributeKind::Other,
        })
    }

    /// Whether the value of an attribute is accepted.
    fn has_value(
        &mut self,
        tag: &TagBytes,
        name: NameKey,
        accepts: impl Fn(&[u8]) -> bool,
    ) -> bool {
        let value = tag.value(name);
        let in_attributes = self.in_attributes();
        value.is_some_and(|value| accepts(self.maker.marked_text(value, Some(in_attributes)).text))
    }

    /// Decodes the document in a `srcdoc` at `at`. Returns false when it is nested too
    /// deeply and therefore text.
    fn srcdoc(&mut self, raw: &[u8], at: usize, out: &mut Output) -> bool {
        let in_attributes = self.in_attributes();
        self.around.writer.skip_to(at, out);
        if self.depth == DEPTH_MAX {
            let cause = "documents in each other more than 8 times";
            self.around.writer.note(Event::Unsupported(cause), out);
            return false;
        }
        let source = self.maker.text(raw, Some(in_attributes));
        let mut inner = Output::default();
        Html::new(self.around.nested(), self.depth + 1).push(source.text, true, &mut inner);
        let depends_on_base = |event: &Event| match event {
            Event::Value(value) => {
                value.base == DocumentBase::DOCUMENT
                    && matches!(value.kind, ValueKind::Reference(_))
            }
            event => matches!(event, Event::Base(_)),
        };
        if inner.events.iter().any(depends_on_base) {
            self.around.writer.need_base(out);
        }
        let writer = &mut self.around.writer;
        writer.nested(&inner, source, raw.len(), PAGE_BASE, out);
        true
    }
}
