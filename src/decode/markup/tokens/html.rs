//! The tokenizer of HTML, by the states of the HTML Standard, scripting off. Which state
//! an element demands is known here: no tree is built for that.

use super::foreign::Foreign;
use super::name::NameKey;
use super::piece::{Limits, cut};
use super::script::{EndName, RawEnd, Script, find_end};
use super::tag::{TagEnd, TagScanner};
use super::token::{Attribute, MarkupToken, StartTag, TextKind, TokenKind};
use std::ops::Range;

/// What is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// A text, of the kind [`HtmlTokenizer::content`].
    Content,
    StartTag,
    EndTag,
    /// The rest of a tag that is too long.
    Residue,
    Comment,
    /// A comment that ends at the first `>`.
    Bogus,
    Doctype,
}

/// What begins at a `<`.
enum Opening {
    Nothing,
    /// More bytes are needed.
    Unknown,
    Tag,
    EndTag,
    Comment,
    Doctype,
    Cdata,
    /// A comment by mistake, and the length of what its data do not have.
    Bogus(usize),
    /// `</>`
    Empty,
}

/// Reads HTML. See the module for the contract.
#[derive(Debug)]
pub struct HtmlTokenizer {
    phase: Phase,
    content: TextKind,
    /// The end of the last token.
    at: usize,
    /// Where the data of the token begins that is being read.
    data: usize,
    /// What was searched for the token's end.
    searched: usize,
    /// Whether the token continues the last one.
    continues: bool,
    end_name: EndName,
    script: Script,
    tag: TagScanner,
    foreign: Foreign,
    /// How many `<template>` are open.
    templates: u32,
    limits: Limits,
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

impl HtmlTokenizer {
    pub fn new() -> HtmlTokenizer {
        HtmlTokenizer {
            phase: Phase::Content,
            content: TextKind::Data,
            at: 0,
            data: 0,
            searched: 0,
            continues: false,
            end_name: EndName::new(NameKey::of(b""), b""),
            script: Script::default(),
            tag: TagScanner::default(),
            foreign: Foreign::default(),
            templates: 0,
            limits: Limits::DEFAULT,
        }
    }

    /// A tokenizer that begins in the state of a kind of text, after a start tag.
    #[cfg(test)]
    pub fn in_state(content: TextKind, start_tag: &[u8]) -> HtmlTokenizer {
        HtmlTokenizer {
            content,
            end_name: EndName::new(NameKey::of(start_tag), start_tag),
            ..HtmlTokenizer::new()
        }
    }

    /// The end of the last token: all bytes before it may be dropped.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The caller dropped the first `len` bytes of the window, at most
    /// [`HtmlTokenizer::position`].
    pub fn forget(&mut self, len: usize) {
        self.at -= len;
        self.data = self.data.saturating_sub(len);
        self.searched -= len;
        self.script.forget(len);
    }

    /// The attributes of the last token, a start tag: of those with the same name the first.
    pub fn attributes(&self) -> &[Attribute] {
        self.tag.attributes()
    }

    /// Returns the next token of `bytes`, which begin where the last window began, but for
    /// what was dropped. `None` means that `bytes` hold no further complete token. `last`
    /// states that nothing follows them: then `None` means the end, at `bytes.len()`.
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

    fn next_data(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        let limit = self.limit(bytes);
        while let Some(len) = memchr::memchr(b'<', &bytes[self.searched..limit]) {
            let found = self.searched + len;
            self.searched = found;
            match self.opening(&bytes[found + 1..], last) {
                Opening::Nothing => self.searched = found + 1,
                Opening::Unknown => return None,
                _ if found > self.at => return Some(self.text(found)),
                Opening::Empty => return Some(self.residue(found + b"</>".len())),
                Opening::Cdata => {
                    self.content = TextKind::Cdata;
                    self.begin_data(found + b"<![CDATA[".len());
                    return self.next_cdata(bytes, last);
                }
                Opening::Tag => {
                    self.phase = Phase::StartTag;
                    self.tag.begin(b"<".len(), true);
                    return self.next_tag(bytes, last);
                }
                Opening::EndTag => return self.end_tag(bytes, last),
                Opening::Comment => {
                    self.phase = Phase::Comment;
                    self.begin_data(found + b"<!--".len());
                    return self.next_comment(bytes, last);
                }
                Opening::Doctype => {
                    self.phase = Phase::Doctype;
                    self.begin_data(found + b"<!doctype".len());
                    return self.next_declaration(bytes, last);
                }
                Opening::Bogus(mark) => {
                    self.phase = Phase::Bogus;
                    self.begin_data(found + mark);
                    return self.next_declaration(bytes, last);
                }
            }
        }
        self.searched = limit;
        self.text_up_to(bytes, limit, last)
    }

    /// What begins with a `<` before `rest`, between tags.
    fn opening(&self, rest: &[u8], last: bool) -> Opening {
        let missing = if last {
            Opening::Nothing
        } else {
            Opening::Unknown
        };
        match rest {
            [b'a'..=b'z' | b'A'..=b'Z', ..] => Opening::Tag,
            [b'/', b'a'..=b'z' | b'A'..=b'Z', ..] => Opening::EndTag,
            [b'/', b'>', ..] => Opening::Empty,
            [b'/', _, ..] => Opening::Bogus(b"</".len()),
            [b'!', rest @ ..] => self.declaration(rest, last),
            [b'?', ..] => Opening::Bogus(b"<".len()),
            [] | [b'/'] => missing,
            _ => Opening::Nothing,
        }
    }

    /// What begins with `<!` before `rest`.
    fn declaration(&self, rest: &[u8], last: bool) -> Opening {
        let begins = |mark: &[u8]| {
            let len = mark.len().min(rest.len());
            rest[..len].eq_ignore_ascii_case(&mark[..len])
        };
        let is = |mark: &[u8]| rest.len() >= mark.len() && begins(mark);
        const CDATA: &[u8] = b"[CDATA[";
        let has_cdata =
            self.foreign.allows_cdata() && rest.starts_with(&CDATA[..CDATA.len().min(rest.len())]);
        if is(b"--") {
            Opening::Comment
        } else if is(b"doctype") {
            Opening::Doctype
        } else if has_cdata && rest.len() >= CDATA.len() {
            Opening::Cdata
        } else if !last && (has_cdata || begins(b"--") || begins(b"doctype")) {
            Opening::Unknown
        } else {
            Opening::Bogus(b"<!".len())
        }
    }

    /// Continues a text that only its end tag ends.
    fn next_raw(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        let limit = self.limit(bytes);
        let (from, name) = (self.searched, self.end_name);
        let end = match self.content {
            TextKind::Plaintext => RawEnd::Open(limit),
            TextKind::Script => self.script.find_end(bytes, from, limit, name, last),
            _ => find_end(bytes, from, limit, name, last),
        };
        match end {
            RawEnd::Tag(at) => {
                self.searched = at;
                if at > self.at {
                    return Some(self.text(at));
                }
                self.content = TextKind::Data;
                self.end_tag(bytes, last)
            }
            RawEnd::Open(at) => {
                self.searched = at;
                match at < limit {
                    true => None,
                    false => self.text_up_to(bytes, limit, last),
                }
            }
        }
    }

    fn next_cdata(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        let limit = self.limit(bytes);
        let data = self.data.max(self.at);
        while let Some(len) = memchr::memchr(b'>', &bytes[self.searched..limit]) {
            let found = self.searched + len;
            self.searched = found + 1;
            if bytes[data..found].ends_with(b"]]") {
                let token = self.text_token(data..found - 2, found + 1);
                self.content = TextKind::Data;
                return Some(token);
            }
        }
        self.searched = limit;
        self.text_up_to(bytes, limit, last)
    }

    fn next_comment(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        let limit = self.limit(bytes);
        let data = self.data.max(self.at);
        while let Some(len) = memchr::memchr(b'>', &bytes[self.searched..limit]) {
            let found = self.searched + len;
            self.searched = found + 1;
            let body = &bytes[data..found];
            let end = match body {
                [.., b'-', b'-'] => found - 2,
                [.., b'-', b'-', b'!'] => found - 3,
                // `<!-->` and `<!--->`
                [] | [b'-'] if !self.continues => data,
                _ => continue,
            };
            return Some(self.comment(data..end, found + 1));
        }
        self.searched = limit;
        if self.is_full(limit) {
            return Some(self.cut_comment(bytes, data, limit));
        }
        if !last {
            return None;
        }
        let mark = match &bytes[data..limit] {
            [.., b'-', b'-', b'!'] => 3,
            [.., b'-', b'-'] => 2,
            [.., b'-'] => 1,
            _ => 0,
        };
        Some(self.comment(data..limit - mark, limit))
    }

    /// Continues what the first `>` ends.
    fn next_declaration(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        let limit = self.limit(bytes);
        let data = self.data.max(self.at);
        let found = memchr::memchr(b'>', &bytes[self.searched..limit]);
        match found {
            Some(len) => {
                let end = self.searched + len;
                Some(self.comment(data..end, end + 1))
            }
            None => {
                self.searched = limit;
                if self.is_full(limit) {
                    Some(self.cut_comment(bytes, data, limit))
                } else if last {
                    Some(self.comment(data..limit, limit))
                } else {
                    None
                }
            }
        }
    }

    fn end_tag(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        self.phase = Phase::EndTag;
        self.tag.begin(b"</".len(), false);
        self.next_tag(bytes, last)
    }

    fn next_tag(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        let limit = bytes.len().min(self.at.saturating_add(self.limits.tag));
        let tag = &bytes[self.at..limit];
        if let Some(end) = self.tag.read::<false>(tag) {
            let is_start = self.phase == Phase::StartTag;
            self.phase = Phase::Content;
            return Some(match is_start {
                true => self.start_token(tag, end, false),
                false => self.end_token(tag, end.len),
            });
        }
        if tag.len() == self.limits.tag {
            let len = self.tag.settled();
            let is_start = self.phase == Phase::StartTag;
            self.phase = Phase::Residue;
            self.tag.unite::<false>(tag);
            let end = TagEnd {
                len,
                self_closing: false,
            };
            let token = match is_start {
                true => self.start_token(tag, end, true),
                false => self.end_token(tag, len),
            };
            self.tag.forget(len);
            return Some(token);
        }
        if !last {
            return None;
        }
        self.phase = Phase::Content;
        Some(self.residue(limit))
    }

    /// Continues the rest of a tag that is too long.
    fn next_residue(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        let limit = self.limit(bytes);
        let rest = &bytes[self.at..limit];
        if let Some(end) = self.tag.read::<false>(rest) {
            self.phase = Phase::Content;
            return Some(self.residue(self.at + end.len));
        }
        if self.is_full(limit) {
            let end = cut(bytes, self.at, limit, None);
            self.tag.forget(end - self.at);
            let token = self.residue(end);
            self.continues = true;
            return Some(token);
        }
        if !last || rest.is_empty() {
            return None;
        }
        Some(self.residue(limit))
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
        let in_template = self.templates > 0;
        if !foreign {
            self.switch(key, &tag[name.clone()]);
        }
        let start = StartTag {
            name: self.at + name.start..self.at + name.end,
            key,
            self_closing: end.self_closing,
            cut,
            foreign,
            in_template,
        };
        self.token(self.at + end.len, TokenKind::Start(start))
    }

    /// Sets the state that the start tag of an element of HTML demands.
    fn switch(&mut self, key: NameKey, name: &[u8]) {
        self.content = match key {
            TITLE | TEXTAREA => TextKind::Rcdata,
            STYLE | XMP | IFRAME | NOEMBED | NOFRAMES => TextKind::Rawtext,
            SCRIPT => TextKind::Script,
            PLAINTEXT => TextKind::Plaintext,
            TEMPLATE => {
                self.templates = self.templates.saturating_add(1);
                return;
            }
            _ => return,
        };
        self.end_name = EndName::new(key, name);
        self.script = Script::default();
    }

    fn end_token(&mut self, tag: &[u8], len: usize) -> MarkupToken {
        let name = self.tag.name();
        let key = NameKey::read(tag, name.clone());
        if !self.foreign.end(key) && key == TEMPLATE {
            self.templates = self.templates.saturating_sub(1);
        }
        let name = self.at + name.start..self.at + name.end;
        self.token(self.at + len, TokenKind::End { name, key })
    }

    /// The text up to `limit`: all of it if nothing follows, or as much as a token may
    /// hold, or nothing yet.
    fn text_up_to(&mut self, bytes: &[u8], limit: usize, last: bool) -> Option<MarkupToken> {
        if self.is_full(limit) {
            let end = cut(bytes, self.at, limit, Some(self.content));
            let token = self.text(end);
            self.searched = self.searched.max(limit);
            self.continues = true;
            return Some(token);
        }
        match last && self.at < limit {
            true => Some(self.text(limit)),
            false => None,
        }
    }

    /// Whether the token that is being read may not grow beyond `limit`.
    fn is_full(&self, limit: usize) -> bool {
        limit - self.at == self.limits.text
    }

    fn text(&mut self, end: usize) -> MarkupToken {
        self.text_token(self.data.max(self.at)..end, end)
    }

    fn text_token(&mut self, data: Range<usize>, end: usize) -> MarkupToken {
        let (kind, continues) = (self.content, self.take_continues());
        self.token(
            end,
            TokenKind::Text {
                kind,
                data,
                continues,
            },
        )
    }

    fn residue(&mut self, end: usize) -> MarkupToken {
        let (kind, continues) = (TextKind::Residue, self.take_continues());
        let data = self.at..end;
        self.token(
            end,
            TokenKind::Text {
                kind,
                data,
                continues,
            },
        )
    }

    /// A comment or declaration that ends at `end`.
    fn comment(&mut self, data: Range<usize>, end: usize) -> MarkupToken {
        let continues = self.take_continues();
        let kind = match self.phase {
            Phase::Doctype => TokenKind::Doctype { data, continues },
            _ => TokenKind::Comment { data, continues },
        };
        self.phase = Phase::Content;
        self.token(end, kind)
    }

    fn cut_comment(&mut self, bytes: &[u8], data: usize, limit: usize) -> MarkupToken {
        let (end, phase) = (cut(bytes, self.at, limit, None), self.phase);
        let token = self.comment(data..end, end);
        self.phase = phase;
        self.searched = limit;
        self.continues = true;
        token
    }

    fn take_continues(&mut self) -> bool {
        std::mem::take(&mut self.continues)
    }

    fn token(&mut self, end: usize, kind: TokenKind) -> MarkupToken {
        let range = self.at..end;
        self.at = end;
        self.searched = end;
        MarkupToken { range, kind }
    }

    fn begin_data(&mut self, data: usize) {
        self.data = data;
        self.searched = data;
    }

    /// The end of the part of `bytes` that the token which is being read may cover.
    fn limit(&self, bytes: &[u8]) -> usize {
        bytes.len().min(self.at.saturating_add(self.limits.text))
    }
}
