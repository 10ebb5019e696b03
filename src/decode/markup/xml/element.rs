//! The text of an element that is a reference or a document: the text, with its CDATA
//! sections, is held until the element ends.

use super::vocabulary::XmlContent;
use crate::escape::References;
use crate::item::OwnedLink;
use std::ops::Range;
use std::sync::Arc;

/// The most bytes of such a text that are held: more than any feed has.
pub(super) const TEXT_MAX: usize = 1 << 20;

/// An open element whose text is held.
#[derive(Debug)]
pub(super) struct OpenElement {
    pub content: XmlContent,
    /// The position of its text.
    pub link: Option<Arc<OwnedLink>>,
    /// The parts of the text, in the window, and the character references in each.
    parts: Vec<(Range<usize>, Option<References>)>,
    /// The comments after the text, which are written after it.
    comments: Vec<Range<usize>>,
}

impl OpenElement {
    /// Creates an element without text.
    pub fn new(content: XmlContent, link: Option<Arc<OwnedLink>>) -> OpenElement {
        OpenElement {
            content,
            link,
            parts: Vec::new(),
            comments: Vec::new(),
        }
    }

    /// Whether the text may reach up to `end`.
    pub fn may_reach(&self, end: usize) -> bool {
        self.start().is_none_or(|start| end - start <= TEXT_MAX)
    }

    /// Adds a part.
    pub fn add(&mut self, part: Range<usize>, references: Option<References>) {
        if !part.is_empty() {
            self.parts.push((part, references));
        }
    }

    /// Adds a comment after the text.
    pub fn add_comment(&mut self, comment: Range<usize>) {
        self.comments.push(comment);
    }

    /// Forgets the comments, because the text continues. Returns whether there were any.
    pub fn drop_comments(&mut self) -> bool {
        let is_any = !self.comments.is_empty();
        self.comments.clear();
        is_any
    }

    /// Ends the text. Only blanks follow its comments. Returns the comments.
    pub fn end(&mut self) -> Vec<Range<usize>> {
        if let Some(first) = self.comments.first() {
            self.parts.retain(|(part, _)| part.end <= first.start);
        }
        std::mem::take(&mut self.comments)
    }

    /// The parts, in their order.
    pub fn parts(&self) -> &[(Range<usize>, Option<References>)] {
        &self.parts
    }

    /// The first byte of its text.
    pub fn start(&self) -> Option<usize> {
        self.parts.first().map(|part| part.0.start)
    }

    /// The bytes of its text.
    pub fn range(&self) -> Option<Range<usize>> {
        Some(self.start()?..self.parts.last()?.0.end)
    }

    /// Drops the first `len` bytes of the window.
    pub fn forget(&mut self, len: usize) {
        let parts = self.parts.iter_mut().map(|(part, _)| part);
        for part in parts.chain(&mut self.comments) {
            part.start -= len;
            part.end -= len;
        }
    }
}
