//! The place in the window, which every tokenizer keeps in the same way; limits, and the
//! place at which a text that exceeds one is cut. A cut depends only on the bytes, so
//! windows of any size yield the same pieces.

use super::marks::{ByteMarks, find_marked};
use super::tag::{TagEnd, TagScanner};
use super::token::{MarkupToken, TextKind, TokenKind};
use crate::escape::REFERENCE_MAX;
use crate::syntax::steps;
use std::ops::Range;

/// The most bytes of a tag that are read as a tag: more than any page needs that is not
/// made to exhaust memory (an image inside an attribute has some hundred KiB). A tag has at
/// most half as many attributes, and all of them are held.
pub const TAG_MAX: usize = 1 << 20;

/// The most bytes of a text or comment in one token. Nearly all scripts and styles are
/// shorter and form one token, and the caller's window has the same limit as for tags.
pub const TEXT_MAX: usize = 1 << 20;

/// The limits of a tokenizer. Tests have smaller limits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub tag: usize,
    pub text: usize,
}

impl Limits {
    pub const DEFAULT: Limits = Limits {
        tag: TAG_MAX,
        text: TEXT_MAX,
    };
}

/// The most bytes before a cut that belong to the end of a comment, script or section.
pub(super) const HOLD: usize = 3;

/// Returns the place at which the text from `start` to `limit` is cut, such that no end
/// mark, no character of UTF-8 and no character reference is divided.
fn cut(bytes: &[u8], start: usize, limit: usize, kind: Option<TextKind>) -> usize {
    let mut cut = limit - HOLD;
    for back in 1..=HOLD {
        match bytes[cut - back] {
            0x80..=0xBF => {}
            lead => {
                let len = match lead {
                    0xC2..=0xDF => 2,
                    0xE0..=0xEF => 3,
                    0xF0..=0xF4 => 4,
                    _ => 1,
                };
                if len > back {
                    cut -= back;
                }
                break;
            }
        }
    }
    if kind.is_some_and(TextKind::has_references) {
        let from = cut.saturating_sub(REFERENCE_MAX).max(start + 1);
        if let Some(at) = memchr::memrchr(b'&', &bytes[from..cut]) {
            cut = from + at;
        }
    }
    cut
}

/// The token that is being read, in a window.
#[derive(Debug)]
pub(super) struct CurrentToken {
    /// The end of the last token.
    pub at: usize,
    /// The bytes that were searched for the end of the token.
    pub searched: usize,
    /// The start of its data, if not at `at`.
    data: usize,
    /// Whether the token continues the last one.
    continues: bool,
    /// The marks of the bytes that were searched for a `<`, and those of the last token.
    found: ByteMarks,
    pub marks: ByteMarks,
    pub limits: Limits,
}

/// A tag, up to the last byte that was read.
pub(super) struct ReadTag<'b> {
    /// All its bytes in the window, within the limit.
    pub bytes: &'b [u8],
    /// `None` if the input ends in the tag.
    pub end: Option<TagEnd>,
    /// Whether the tag is too long.
    pub cut: bool,
}

impl CurrentToken {
    pub const START: CurrentToken = CurrentToken {
        at: 0,
        searched: 0,
        data: 0,
        continues: false,
        found: ByteMarks::None,
        marks: ByteMarks::Unknown,
        limits: Limits::DEFAULT,
    };

    /// The first `len` bytes of the window were dropped.
    #[inline]
    pub fn forget(&mut self, len: usize) {
        self.at -= len;
        self.searched -= len;
        self.data = self.data.saturating_sub(len);
    }

    /// The data of the token begin at `data`.
    pub fn begin_data(&mut self, data: usize) {
        self.data = data;
        self.searched = data;
    }

    /// The start of the data of the token.
    pub fn data(&self) -> usize {
        self.data.max(self.at)
    }

    pub fn continues(&self) -> bool {
        self.continues
    }

    /// The end of the part of `bytes` that a text or comment may cover.
    pub fn limit(&self, bytes: &[u8]) -> usize {
        bytes.len().min(self.at.saturating_add(self.limits.text))
    }

    /// Whether the token may not grow beyond `limit`.
    pub fn is_full(&self, limit: usize) -> bool {
        limit - self.at == self.limits.text
    }

    /// Finds the next `>` up to `limit`, directly after `mark` in the data.
    pub fn find_close(&mut self, bytes: &[u8], limit: usize, mark: &[u8]) -> Option<usize> {
        let data = self.data();
        while let Some(len) = memchr::memchr(b'>', &bytes[self.searched..limit]) {
            let found = self.searched + len;
            steps::count(len + 1);
            self.searched = found + 1;
            if bytes[data..found].ends_with(mark) {
                return Some(found);
            }
        }
        steps::count(limit - self.searched);
        self.searched = limit;
        None
    }

    /// Finds the next `<` up to `limit`, which is often the first byte.
    #[inline]
    pub fn find_open(&mut self, bytes: &[u8], limit: usize) -> Option<usize> {
        let rest = &bytes[self.searched..limit];
        let (found, marks) = match rest.first() {
            Some(b'<') => (Some(0), ByteMarks::None),
            _ => find_marked(rest, b'<'),
        };
        self.found = self.found.and(marks);
        let len = found.unwrap_or(rest.len());
        steps::count(len + 1);
        self.searched += len;
        found.map(|_| self.searched)
    }

    /// Ends the token.
    #[inline]
    pub fn end(&mut self, end: usize, kind: TokenKind) -> MarkupToken {
        let range = self.at..end;
        self.at = end;
        self.searched = end;
        self.continues = false;
        self.found = ByteMarks::None;
        self.marks = ByteMarks::Unknown;
        MarkupToken { range, kind }
    }

    /// Whether no byte of the token was searched.
    #[inline]
    pub fn is_new(&self) -> bool {
        self.searched == self.at && !self.continues
    }

    /// Passes the bytes up to `end`, of which no token is made.
    #[inline]
    pub fn pass(&mut self, end: usize) {
        self.at = end;
        self.searched = end;
    }

    /// Ends a text between tags, all of which was searched for a `<`.
    #[inline]
    pub fn text_before(&mut self, open: usize) -> MarkupToken {
        let marks = self.found;
        let token = self.text(TextKind::Data, self.at..open, open);
        self.marks = marks;
        token
    }

    /// Ends a text at `end`.
    #[inline]
    pub fn text(&mut self, kind: TextKind, data: Range<usize>, end: usize) -> MarkupToken {
        let continues = self.continues;
        let text = TokenKind::Text {
            kind,
            data,
            continues,
        };
        self.end(end, text)
    }

    pub fn comment(&mut self, data: Range<usize>, end: usize) -> MarkupToken {
        let continues = self.continues;
        self.end(end, TokenKind::Comment { data, continues })
    }

    pub fn doctype(&mut self, data: Range<usize>, end: usize) -> MarkupToken {
        let continues = self.continues;
        self.end(end, TokenKind::Doctype { data, continues })
    }

    /// Ends a piece before `limit`, where the token is full; `token` makes it of its data
    /// and its end. The next token continues it.
    pub fn piece(
        &mut self,
        bytes: &[u8],
        limit: usize,
        kind: Option<TextKind>,
        token: impl FnOnce(&mut CurrentToken, Range<usize>, usize) -> MarkupToken,
    ) -> MarkupToken {
        let (end, searched) = (cut(bytes, self.at, limit, kind), self.searched);
        let token = token(self, self.data()..end, end);
        self.searched = searched.max(limit);
        // Some bytes of the next token are not searched again.
        self.found = ByteMarks::Unknown;
        self.continues = true;
        token
    }

    /// The text up to `limit`, without an end: all of it if no bytes follow, or as much as
    /// a token may contain, or `None` if more bytes are needed.
    pub fn open_text(
        &mut self,
        bytes: &[u8],
        limit: usize,
        kind: TextKind,
        last: bool,
    ) -> Option<MarkupToken> {
        let text = |token: &mut CurrentToken, data, end| token.text(kind, data, end);
        if self.is_full(limit) {
            Some(self.piece(bytes, limit, Some(kind), text))
        } else if last && self.at < limit {
            Some(text(self, self.data()..limit, limit))
        } else {
            None
        }
    }

    /// Continues a CDATA section. The flag is true at its end.
    pub fn cdata(&mut self, bytes: &[u8], last: bool) -> (Option<MarkupToken>, bool) {
        let limit = self.limit(bytes);
        match self.find_close(bytes, limit, b"]]") {
            Some(found) => {
                let data = self.data()..found - 2;
                (Some(self.text(TextKind::Cdata, data, found + 1)), true)
            }
            None => (self.open_text(bytes, limit, TextKind::Cdata, last), false),
        }
    }

    /// Continues a tag. Returns `None` if more bytes are needed.
    #[inline]
    pub fn tag<'b, const XML: bool>(
        &self,
        scanner: &mut TagScanner,
        bytes: &'b [u8],
        last: bool,
    ) -> Option<ReadTag<'b>> {
        let limit = bytes.len().min(self.at.saturating_add(self.limits.tag));
        let bytes = &bytes[self.at..limit];
        let end = scanner.read::<XML>(bytes);
        let cut = end.is_none() && bytes.len() == self.limits.tag;
        let end = match end {
            None if cut => Some(scanner.cut::<XML>(bytes)),
            None if !last => return None,
            end => end,
        };
        Some(ReadTag { bytes, end, cut })
    }

    /// The text of a tag in which the input ends.
    pub fn broken_tag(&mut self, tag: &[u8]) -> MarkupToken {
        let end = self.at + tag.len();
        self.text(TextKind::Residue, self.at..end, end)
    }

    /// Continues a tag that is too long. The flag is true at its end.
    pub fn residue<const XML: bool>(
        &mut self,
        tag: &mut TagScanner,
        bytes: &[u8],
        last: bool,
    ) -> (Option<MarkupToken>, bool) {
        let limit = self.limit(bytes);
        if let Some(end) = tag.read::<XML>(&bytes[self.at..limit]) {
            let end = self.at + end.len;
            return (Some(self.text(TextKind::Residue, self.at..end, end)), true);
        }
        let start = self.at;
        let token = self.open_text(bytes, limit, TextKind::Residue, last);
        tag.forget(self.at - start);
        (token, false)
    }
}
