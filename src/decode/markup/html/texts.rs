//! The text node that is being read. Its parts are joined: a `<wbr>` only allows a line
//! break, so that a URI may continue after it.

use super::super::tokens::ByteMarks;
use crate::decode::mentions::Mentions;
use crate::escape::References;
use std::ops::Range;

/// A longer text is written before its end is known, even if it has no URI.
const NODE_MAX: usize = 64 << 10;

/// The parts of a text node, in the window.
#[derive(Debug, Default)]
pub(super) struct TextNode {
    parts: Vec<Range<usize>>,
    pub references: Option<References>,
    /// The marks of the bytes of its parts.
    pub marks: ByteMarks,
    /// Whether the text continues one that was written.
    pub continues: bool,
    /// Whether the text is always written, as a part of a longer text.
    pub is_wanted: bool,
}

impl TextNode {
    /// Begins a text.
    pub fn begin(
        &mut self,
        (part, marks): (Range<usize>, ByteMarks),
        references: Option<References>,
        continues: bool,
    ) {
        let is_long = part.len() > NODE_MAX;
        self.marks = marks;
        self.parts.clear();
        self.parts.push(part);
        self.references = references;
        self.continues = continues;
        self.is_wanted = continues || is_long;
    }

    /// Adds a part. Returns false if the text would be too long.
    pub fn add(&mut self, (part, marks): (Range<usize>, ByteMarks)) -> bool {
        let start = self.parts.first().map_or(part.start, |first| first.start);
        let fits = part.end - start <= NODE_MAX;
        if fits {
            self.marks = self.marks.and(marks);
            self.parts.push(part);
        } else {
            self.is_wanted = true;
        }
        fits
    }

    /// The parts, in their order.
    pub fn parts(&self) -> &[Range<usize>] {
        &self.parts
    }

    /// The first byte of the text.
    pub fn start(&self) -> Option<usize> {
        self.parts.first().map(|part| part.start)
    }

    /// The end of its last byte.
    pub fn end(&self) -> Option<usize> {
        self.parts.last().map(|part| part.end)
    }

    /// Whether the marks of its bytes show that it has no URI.
    #[inline]
    pub fn is_unwanted(&self, mentions: Mentions) -> bool {
        !self.is_wanted && !mentions.may_want_marked(self.marks.has_colon_or_reference())
    }

    /// Removes the text.
    pub fn clear(&mut self) {
        self.parts.clear();
    }

    /// Drops the first `len` bytes of the window.
    pub fn forget(&mut self, len: usize) {
        if len == 0 {
            return;
        }
        for part in &mut self.parts {
            part.start -= len;
            part.end -= len;
        }
    }
}
