//! The tokenizer of HTML, by the states of the HTML Standard, with scripting off. The start
//! tags of some elements set the state; no tree is built for that.

use super::foreign::Foreign;
use super::marks::ByteMarks;
use super::name::{NameKey, NameSieve};
use super::piece::CurrentToken;
use super::script::{EndName, RawEnd, RawSearch, Script};
use super::tag::{TagEnd, TagScanner};
use super::token::{Attribute, MarkupToken, StartTag, TextKind, TokenKind};
use crate::syntax::steps;

/// The part that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// A text, of the kind [`HtmlTokenizer::content`].
    Content,
    StartTag,
    EndTag,
    /// The remaining bytes of a tag that is too long.
    Residue,
    Comment,
    /// A comment that ends at the first `>`.
    Bogus,
    Doctype,
}

/// The token that begins at a `<`.
enum Construct {
    Nothing,
    /// More bytes are needed.
    Unknown,
    Tag,
    EndTag,
    Comment,
    Doctype,
    Cdata,
    /// A bogus comment, and the length of its mark.
    Bogus(usize),
    /// `</>`
    Empty,
}

/// Reads HTML. See the module for the contract.
#[derive(Debug)]
pub struct HtmlTokenizer {
    phase: Phase,
    content: TextKind,
    pub(super) token: CurrentToken,
    end_name: EndName,
    script: Script,
    tag: TagScanner,
    foreign: Foreign,
    /// The number of open `<template>` elements.
    templates: u32,
}

const TITLE: NameKey = NameKey::of(b"title");
const TEXTAREA: NameKey = NameKey::of(b"textarea");
const STYLE: NameKey = NameKey::of(b"style");
const XMP: NameKey = NameKey::of(b"xmp");
const IFRAME: NameKey = NameKey::of(b"iframe");
const NOEMBED: NameKey = NameKey::of(b"noembed");
const NOFRAMES: NameKey = NameKey::of(b"noframes");
const SCRIPT: NameKey = NameKey::of(b"script");
const PLAINTEXT: NameKey = NameKey::of(b"plaintext");
const TEMPLATE: NameKey = NameKey::of(b"template");

/// The kinds of text that are the contents of elements of HTML in which tags are text.
const CONTENTS: [(&[NameKey], TextKind); 4] = [
    (&[TITLE, TEXTAREA], TextKind::Rcdata),
    (&[STYLE, XMP, IFRAME, NOEMBED, NOFRAMES], TextKind::Rawtext),
    (&[SCRIPT], TextKind::Script),
    (&[PLAINTEXT], TextKind::Plaintext),
];

/// Returns the kind of text that is the content of an element of HTML, if tags in it are text.
fn content_of(element: NameKey) -> Option<TextKind> {
    let is_of = |(elements, _): &&(&[NameKey], TextKind)| elements.contains(&element);
    CONTENTS.iter().find(is_of).map(|&(_, content)| content)
}

impl HtmlTokenizer {
    pub fn new() -> HtmlTokenizer {
        HtmlTokenizer {
            phase: Phase::Content,
            content: TextKind::Data,
            token: CurrentToken::START,
            end_name: EndName::new(NameKey::of(b""), b""),
            script: Script::default(),
            tag: TagScanner::default(),
            foreign: Foreign::default(),
            templates: 0,
        }
    }

    /// The end of the last token: all bytes before it may be dropped.
    pub fn position(&self) -> usize {
        self.token.at
    }

    /// The caller dropped the first `len` bytes of the window, at most
    /// [`HtmlTokenizer::position`].
    pub fn forget(&mut self, len: usize) {
        self.token.forget(len);
        self.script.forget(len);
    }

    /// The attributes of the last token, a start tag, in their order.
    pub fn attributes(&self) -> &[Attribute] {
        self.tag.attributes()
    }

    /// The marks of the last token, a text.
    pub fn marks(&self) -> ByteMarks {
        self.token.marks
    }

    /// Returns the next token of `bytes`, which begin where the last window began, without
    /// the dropped bytes. `None` means that `bytes` contain no further complete token.
    /// `last` means that no bytes follow: then `None` is the end, at `bytes.len()`.
    pub fn next(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        match self.phase {
            Phase::Content => match self.content {
                TextKind::Data => self.next_data(bytes, last),
                TextKind::Cdata => self.next_cdata(bytes, last),
                _ => self.next_raw(bytes, last),
            },
            Phase::StartTag | Phase::EndTag => self.next_tag(bytes, last),
            Phase::Residue => self.next_residue(bytes, last),
            Phase::Comment => self.next_comment(bytes, last),
            Phase::Bogus | Phase::Doctype => self.next_declaration(bytes, last),
        }
    }

    /// Whether texts and end tags of HTML change nothing here.
    #[inline]
    pub(super) fn is_passable(&self) -> bool {
        self.phase == Phase::Content
            && self.content == TextKind::Data
            && self.templates == 0
            && !self.foreign.allows_cdata()
            && self.token.is_new()
    }

    /// Has the names for which [`HtmlTokenizer::has_meaning`] holds.
    pub const SIEVE: NameSieve = {
        let mut sieve = NameSieve::of(&[TEMPLATE]).with(&Foreign::ROOTS);
        let mut row = 0;
        while row < CONTENTS.len() {
            sieve = sieve.with(CONTENTS[row].0);
            row += 1;
        }
        sieve
    };

    /// Whether a start tag of HTML with this name changes how the bytes after it are read.
    #[inline]
    pub(super) fn has_meaning(name: NameKey) -> bool {
        content_of(name).is_some() || name == TEMPLATE || Foreign::ROOTS.contains(&name)
    }

    fn next_data(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        let limit = self.token.limit(bytes);
        while let Some(found) = self.token.find_open(bytes, limit) {
            let opening = self.opening(&bytes[found + 1..], last);
            let mark = match opening {
                Construct::Nothing => {
                    self.token.searched = found + 1;
                    continue;
                }
                Construct::Unknown => return None,
                _ if found > self.token.at => return Some(self.token.text_before(found)),
                Construct::Tag => {
                    self.phase = Phase::StartTag;
                    self.tag.begin(b"<".len(), true);
                    return self.next_tag(bytes, last);
                }
                Construct::EndTag => return self.end_tag(bytes, last),
                Construct::Empty => {
                    let end = found + b"</>".len();
                    return Some(self.token.text(TextKind::Residue, found..end, end));
                }
                Construct::Cdata => {
                    self.content = TextKind::Cdata;
                    b"<![CDATA[".len()
                }
                Construct::Comment => {
                    self.phase = Phase::Comment;
                    b"<!--".len()
                }
                Construct::Doctype => {
                    self.phase = Phase::Doctype;
                    b"<!doctype".len()
                }
                Construct::Bogus(mark) => {
                    self.phase = Phase::Bogus;
                    mark
                }
            };
            self.token.begin_data(found + mark);
            return self.next(bytes, last);
        }
        self.token.open_text(bytes, limit, TextKind::Data, last)
    }

    /// The token that begins with a `<` before `rest`, between tags.
    fn opening(&self, rest: &[u8], last: bool) -> Construct {
        let missing = if last {
            Construct::Nothing
        } else {
            Construct::Unknown
        };
        match rest {
            [b'a'..=b'z' | b'A'..=b'Z', ..] => Construct::Tag,
            [b'/', b'a'..=b'z' | b'A'..=b'Z', ..] => Construct::EndTag,
            [b'/', b'>', ..] => Construct::Empty,
            [b'/', _, ..] => Construct::Bogus(b"</".len()),
            [b'!', rest @ ..] => self.declaration(rest, last),
            [b'?', ..] => Construct::Bogus(b"<".len()),
            [] | [b'/'] => missing,
            _ => Construct::Nothing,
        }
    }

    /// The token that begins with `<!` before `rest`.
    fn declaration(&self, rest: &[u8], last: bool) -> Construct {
        let begins = |mark: &[u8]| {
            let len = mark.len().min(rest.len());
            rest[..len].eq_ignore_ascii_case(&mark[..len])
        };
        let is = |mark: &[u8]| rest.len() >= mark.len() && begins(mark);
        const CDATA: &[u8] = b"[CDATA[";
        let has_cdata =
            self.foreign.allows_cdata() && rest.starts_with(&CDATA[..CDATA.len().min(rest.len())]);
        if is(b"--") {
            Construct::Comment
        } else if is(b"doctype") {
            Construct::Doctype
        } else if has_cdata && rest.len() >= CDATA.len() {
            Construct::Cdata
        } else if !last && (has_cdata || begins(b"--") || begins(b"doctype")) {
            Construct::Unknown
        } else {
            Construct::Bogus(b"<!".len())
        }
    }

    /// Continues a text that only its end tag ends.
    fn next_raw(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        let limit = self.token.limit(bytes);
        let search = RawSearch {
            bytes,
            from: self.token.searched,
            limit,
            name: self.end_name,
            last,
        };
        let end = match self.content {
            TextKind::Plaintext => RawEnd::Open(limit),
            TextKind::Script => self.script.find_end(search),
            _ => search.find_end(),
        };
        let (RawEnd::Tag(to) | RawEnd::Open(to)) = end;
        steps::count(to - search.from);
        match end {
            RawEnd::Tag(at) => {
                self.token.searched = at;
                if at > self.token.at {
                    return Some(self.text(at));
                }
                self.content = TextKind::Data;
                self.end_tag(bytes, last)
            }
            RawEnd::Open(at) => {
                self.token.searched = at;
                if at < limit {
                    return None;
                }
                self.token.open_text(bytes, limit, self.content, last)
            }
        }
    }

    fn next_cdata(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        let (token, is_end) = self.token.cdata(bytes, last);
        if is_end {
            self.content = TextKind::Data;
        }
        token
    }

    fn next_comment(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        let limit = self.token.limit(bytes);
        let data = self.token.data();
        while let Some(found) = self.token.find_close(bytes, limit, b"") {
            let end = match bytes[data..found] {
                [.., b'-', b'-'] => found - 2,
                [.., b'-', b'-', b'!'] => found - 3,
                // `<!-->` and `<!--->`
                [] | [b'-'] if !self.token.continues() => data,
                _ => continue,
            };
            self.phase = Phase::Content;
            return Some(self.token.comment(data..end, found + 1));
        }
        if self.token.is_full(limit) {
            let piece = self.token.piece(bytes, limit, None, CurrentToken::comment);
            return Some(piece);
        }
        if !last {
            return None;
        }
        self.phase = Phase::Content;
        let mark = match bytes[data..limit] {
            [.., b'-', b'-', b'!'] => 3,
            [.., b'-', b'-'] => 2,
            [.., b'-'] => 1,
            _ => 0,
        };
        Some(self.token.comment(data..limit - mark, limit))
    }

    /// Continues a construct that the first `>` ends.
    fn next_declaration(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        let limit = self.token.limit(bytes);
        let data = self.token.data();
        let token = match self.phase {
            Phase::Doctype => CurrentToken::doctype,
            _ => CurrentToken::comment,
        };
        let (end, close) = match self.token.find_close(bytes, limit, b"") {
            Some(found) => (found, 1),
            None if self.token.is_full(limit) => {
                return Some(self.token.piece(bytes, limit, None, token));
            }
            None if !last => return None,
            None => (limit, 0),
        };
        self.phase = Phase::Content;
        Some(token(&mut self.token, data..end, end + close))
    }

    fn end_tag(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        self.phase = Phase::EndTag;
        self.tag.begin(b"</".len(), false);
        self.next_tag(bytes, last)
    }

    fn next_tag(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        let read = self.token.tag::<false>(&mut self.tag, bytes, last)?;
        let is_start = self.phase == Phase::StartTag;
        self.phase = match read.cut {
            true => Phase::Residue,
            false => Phase::Content,
        };
        Some(match read.end {
            Some(end) if is_start => self.start_token(read.bytes, end, read.cut),
            Some(end) => self.end_token(read.bytes, end.len),
            None => self.token.broken_tag(read.bytes),
        })
    }

    fn next_residue(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        let (token, is_end) = self.token.residue::<false>(&mut self.tag, bytes, last);
        if is_end {
            self.phase = Phase::Content;
        }
        token
    }

    fn start_token(&mut self, tag: &[u8], end: TagEnd, cut: bool) -> MarkupToken {
        let name = self.tag.name();
        let key = NameKey::read(tag, name.clone());
        let attributes = self.tag.attributes();
        let attribute = |key: NameKey| {
            let mut all = attributes.iter();
            let found = all.find(|a| NameKey::read(tag, a.name_range(0)) == key);
            found.map(|attribute| attribute.value(tag))
        };
        let foreign = self.foreign.start(key, end.self_closing, attribute);
        let (in_template, at) = (self.templates > 0, self.token.at);
        if !foreign && HtmlTokenizer::SIEVE.may_have(&tag[name.clone()]) {
            self.switch(key, &tag[name.clone()]);
        }
        let start = StartTag {
            name: at + name.start..at + name.end,
            key,
            self_closing: end.self_closing,
            cut,
            foreign,
            in_template,
        };
        self.token.end(at + end.len, TokenKind::Start(start))
    }

    /// Sets the state that the start tag of an element of HTML demands.
    fn switch(&mut self, key: NameKey, name: &[u8]) {
        if let Some(content) = content_of(key) {
            self.content = content;
            self.end_name = EndName::new(key, name);
            self.script = Script::default();
        } else if key == TEMPLATE {
            self.templates = self.templates.saturating_add(1);
        }
    }

    fn end_token(&mut self, tag: &[u8], len: usize) -> MarkupToken {
        let name = self.tag.name();
        let key = NameKey::read(tag, name.clone());
        if !self.foreign.end(key) && key == TEMPLATE {
            self.templates = self.templates.saturating_sub(1);
        }
        let at = self.token.at;
        let name = at + name.start..at + name.end;
        self.token.end(at + len, TokenKind::End { name, key })
    }

    /// Ends a text before a tag.
    fn text(&mut self, end: usize) -> MarkupToken {
        let data = self.token.at..end;
        self.token.text(self.content, data, end)
    }
}
