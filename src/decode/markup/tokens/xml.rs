//! The tokenizer of XML, which accepts anything: broken markup is read as in HTML, or as
//! text. Names are compared byte by byte; namespaces and entities of a document type are
//! left to others.

use super::name::NameKey;
use super::piece::{CurrentToken, HOLD};
use super::subset::{Subset, SubsetEnd};
use super::tag::{TagEnd, TagScanner, is_blank};
use super::token::{Attribute, MarkupToken, StartTag, TextKind, TokenKind};
use crate::syntax::steps;

/// The part that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Text,
    StartTag,
    EndTag,
    /// The remaining bytes of a tag that is too long.
    Residue,
    /// The part ends in this mark and a `>`.
    Comment(&'static [u8]),
    Cdata,
    Instruction,
    /// The remaining bytes of an instruction that is too long.
    InstructionRest,
    Doctype,
}

/// Reads XML. See the module for the contract.
#[derive(Debug)]
pub struct XmlTokenizer {
    phase: Phase,
    pub(super) token: CurrentToken,
    tag: TagScanner,
    subset: Subset,
    /// Whether a `<` ends a tag and an instruction.
    is_bounded: bool,
    /// The end of the part of the window that was searched for it.
    bound: usize,
}

impl XmlTokenizer {
    pub fn new() -> XmlTokenizer {
        XmlTokenizer {
            phase: Phase::Text,
            token: CurrentToken::START,
            tag: TagScanner::default(),
            subset: Subset::default(),
            is_bounded: false,
            bound: 0,
        }
    }

    /// Ends a tag or an instruction at a `<` inside of it, which XML does not allow there,
    /// so that a missing quote or `>` does not hide the elements that follow.
    #[cfg(feature = "marc")]
    pub fn bounded(self) -> XmlTokenizer {
        XmlTokenizer {
            is_bounded: true,
            ..self
        }
    }

    /// The end of the last token: all bytes before it may be dropped.
    pub fn position(&self) -> usize {
        self.token.at
    }

    /// The caller dropped the first `len` bytes of the window, at most
    /// [`XmlTokenizer::position`].
    pub fn forget(&mut self, len: usize) {
        self.token.forget(len);
        self.bound = self.bound.saturating_sub(len);
    }

    /// The attributes of the last token, a start tag, in their order.
    pub fn attributes(&self) -> &[Attribute] {
        self.tag.attributes()
    }

    /// Does the same as [`super::HtmlTokenizer::next`].
    pub fn next(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        match self.phase {
            Phase::StartTag | Phase::EndTag | Phase::Instruction if self.is_bounded => {
                self.next_bounded(bytes, last)
            }
            Phase::Text => self.next_text(bytes, last),
            Phase::StartTag | Phase::EndTag => self.next_tag(bytes, last),
            Phase::Residue => {
                let (token, is_end) = self.token.residue::<true>(&mut self.tag, bytes, last);
                self.text_after(is_end);
                token
            }
            Phase::Cdata => {
                let (token, is_end) = self.token.cdata(bytes, last);
                self.text_after(is_end);
                token
            }
            Phase::Comment(mark) => self.next_comment(bytes, mark, last),
            Phase::Instruction => self.next_instruction(bytes, last),
            Phase::InstructionRest => self.next_instruction_rest(bytes, last),
            Phase::Doctype => self.next_doctype(bytes, last),
        }
    }

    /// Reads a tag or an instruction, at most up to the next `<`.
    fn next_bounded(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        loop {
            let from = self.bound.max(self.token.at + 1).min(bytes.len());
            let found = memchr::memchr2(b'<', b'>', &bytes[from..]).map(|len| from + len);
            let end = found.unwrap_or(bytes.len());
            steps::count(end - from);
            self.bound = end;
            match found.map(|at| bytes[at]) {
                Some(b'<') => {
                    let token = self.next_of_tag(&bytes[..end], false);
                    return token.or_else(|| self.next_of_tag(&bytes[..end], true));
                }
                // The `>` may be in quotes.
                Some(_) => self.bound = end + 1,
                None => return self.next_of_tag(bytes, last),
            }
            let token = self.next_of_tag(&bytes[..=end], false);
            if token.is_some() {
                return token;
            }
        }
    }

    fn next_of_tag(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        match self.phase {
            Phase::Instruction => self.next_instruction(bytes, last),
            _ => self.next_tag(bytes, last),
        }
    }

    fn text_after(&mut self, is_end: bool) {
        if is_end {
            self.phase = Phase::Text;
        }
    }

    fn next_text(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        let limit = self.token.limit(bytes);
        while let Some(found) = self.token.find_open(bytes, limit) {
            let Some((phase, mark)) = opening(&bytes[found + 1..], last)? else {
                self.token.searched = found + 1;
                continue;
            };
            if found > self.token.at {
                let data = self.token.at..found;
                return Some(self.token.text(TextKind::Data, data, found));
            }
            self.phase = phase;
            self.token.begin_data(found + mark);
            match phase {
                Phase::StartTag => self.tag.begin(mark, true),
                Phase::EndTag => self.tag.begin(mark, false),
                Phase::Doctype => self.subset = Subset::default(),
                _ => {}
            }
            return self.next(bytes, last);
        }
        self.token.open_text(bytes, limit, TextKind::Data, last)
    }

    fn next_tag(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        let read = self.token.tag::<true>(&mut self.tag, bytes, last)?;
        let is_start = self.phase == Phase::StartTag;
        self.phase = match read.cut {
            true => Phase::Residue,
            false => Phase::Text,
        };
        let (tag, cut) = (read.bytes, read.cut);
        let Some(TagEnd { len, self_closing }) = read.end else {
            return Some(self.token.broken_tag(tag));
        };
        let (name, at) = (self.tag.name(), self.token.at);
        let key = NameKey::read_exact(tag, name.clone());
        let name = at + name.start..at + name.end;
        let kind = match is_start {
            false => TokenKind::End { name, key },
            true => TokenKind::Start(StartTag {
                name,
                key,
                self_closing,
                cut,
                foreign: false,
                in_template: false,
            }),
        };
        Some(self.token.end(at + len, kind))
    }

    fn next_comment(
        &mut self,
        bytes: &[u8],
        mark: &'static [u8],
        last: bool,
    ) -> Option<MarkupToken> {
        let limit = self.token.limit(bytes);
        let data = self.token.data();
        let (data, end) = match self.token.find_close(bytes, limit, mark) {
            Some(found) => (data..found - mark.len(), found + 1),
            None if self.token.is_full(limit) => {
                let piece = self.token.piece(bytes, limit, None, CurrentToken::comment);
                return Some(piece);
            }
            None if !last => return None,
            None => (data..limit, limit),
        };
        self.phase = Phase::Text;
        Some(self.token.comment(data, end))
    }

    fn next_instruction(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        let limit = self.token.limit(bytes);
        let start = self.token.data();
        // The data of these have no `>`, but their `?` is forgotten more often.
        let is_xml = |target: &[u8]| match bytes[start..limit].strip_prefix(target) {
            Some([after, ..]) => ends_target(*after),
            _ => false,
        };
        let mark: &[u8] = match is_xml(b"xml") || is_xml(b"xml-stylesheet") {
            true => b"",
            false => b"?",
        };
        let found = self.token.find_close(bytes, limit, mark);
        let is_full = found.is_none() && self.token.is_full(limit);
        let (data_end, end) = match found {
            Some(found) => (found, found + 1),
            None if is_full => (limit - HOLD, limit - HOLD),
            None if !last => return None,
            None => (limit, limit),
        };
        let body = &bytes[start..data_end];
        let name = body.iter().position(|&byte| ends_target(byte));
        let target = start..name.map_or(data_end, |len| start + len);
        let mut data = target.end..data_end;
        if !is_full && bytes[data.clone()].ends_with(b"?") {
            data.end -= 1;
        }
        let blanks = bytes[data.clone()].iter().take_while(|b| is_blank(**b));
        data.start += blanks.count();
        self.phase = match is_full {
            true => Phase::InstructionRest,
            false => Phase::Text,
        };
        let token = TokenKind::Instruction { target, data };
        Some(self.token.end(end, token))
    }

    fn next_instruction_rest(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        let limit = self.token.limit(bytes);
        let data = self.token.at;
        match self.token.find_close(bytes, limit, b"?") {
            Some(found) => {
                self.phase = Phase::Text;
                let end = found + 1;
                Some(self.token.text(TextKind::Residue, data..end, end))
            }
            None => {
                let token = &mut self.token;
                token.open_text(bytes, limit, TextKind::Residue, last)
            }
        }
    }

    fn next_doctype(&mut self, bytes: &[u8], last: bool) -> Option<MarkupToken> {
        let limit = self.token.limit(bytes);
        let data = self.token.data();
        let is_last = last || self.token.is_full(limit);
        let end = match self.subset.read(&bytes[data..limit], is_last)? {
            SubsetEnd::Close(len) => (data + len, 1),
            SubsetEnd::Missing => (limit, 0),
        };
        self.phase = Phase::Text;
        Some(self.token.doctype(data..end.0, end.0 + end.1))
    }
}

/// Whether `byte` ends the target of an instruction.
fn ends_target(byte: u8) -> bool {
    is_blank(byte) || b"?>".contains(&byte)
}

/// The phase that begins with a `<` before `rest`, and the length of its mark. The
/// inner `None` means text, the outer one that more bytes are needed.
fn opening(rest: &[u8], last: bool) -> Option<Option<(Phase, usize)>> {
    let is_name = |byte: u8| byte.is_ascii_alphabetic() || b"_:".contains(&byte) || byte > 0x7F;
    let found = match *rest {
        [] | [b'/'] if !last => return None,
        [first, ..] if is_name(first) => (Phase::StartTag, 1),
        [b'/', first, ..] if is_name(first) => (Phase::EndTag, 2),
        [b'/', _, ..] => (Phase::Comment(b""), 2),
        [b'?', ..] => (Phase::Instruction, 2),
        [b'!', ref rest @ ..] => {
            let marks = [
                (b"--" as &[u8], Phase::Comment(b"--")),
                (b"[CDATA[", Phase::Cdata),
                (b"DOCTYPE", Phase::Doctype),
            ];
            let mut found = (Phase::Comment(b""), 2);
            for (mark, phase) in marks {
                let len = mark.len().min(rest.len());
                if rest[..len].eq_ignore_ascii_case(&mark[..len]) {
                    if len == mark.len() {
                        found = (phase, 2 + len);
                    } else if !last {
                        return None;
                    }
                }
            }
            found
        }
        _ => return Some(None),
    };
    Some(Some(found))
}
