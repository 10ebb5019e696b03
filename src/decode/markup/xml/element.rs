//! The text of an element that is a reference or a document: it is held until the element
//! ends, with CDATA sections in it.

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
    pub link: Arc<OwnedLink>,
    /// The parts of the text, in the window, and the character references in each.
    parts: Vec<(Range<usize>, Option<References>)>,
}

impl OpenElement {
    /// Creates an element without text.
    pub fn new(content: XmlContent, link: Arc<OwnedLink>) -> OpenElement {
        OpenElement {
            content,
            link,
            parts: Vec::new(),
        }
    }

    /// Adds a part. Returns false if the text would be too long.
    pub fn add(&mut self, part: Range<usize>, references: Option<References>) -> bool {
        let start = self.start().unwrap_or(part.start);
        let fits = part.end - start <= TEXT_MAX;
        if fits && !part.is_empty() {
            self.parts.push((part, references));
        }
        fits
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
        for (part, _) in &mut self.parts {
            part.start -= len;
            part.end -= len;
        }
    }
}
