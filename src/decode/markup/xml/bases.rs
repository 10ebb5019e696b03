//! The bases of XML (XML Base): each `xml:base` is relative to that of the elements around
//! it. Nothing is resolved here.

use crate::decode::event::{DocumentBase, Event};

/// The greatest depth of nested `xml:base`: real documents have few, and each takes
/// memory.
pub(super) const BASES_MAX: usize = 256;

/// The number of the outermost `xml:base`. The one below it is that of a page.
const FIRST: u32 = 2;

/// The numbers after all that are used here.
pub(super) const AFTER_BASES: u32 = FIRST + BASES_MAX as u32 - 1;

/// The open elements with `xml:base`.
#[derive(Debug, Default)]
pub(super) struct BaseStack {
    /// Their depths.
    depths: Vec<u32>,
}

impl BaseStack {
    /// Returns the number of the base that counts.
    pub fn current(&self) -> u32 {
        match self.depths.len() {
            0 => DocumentBase::DOCUMENT,
            len => FIRST + len as u32 - 1,
        }
    }

    /// Enters an element at `depth` with an `xml:base`, and returns its event. Bases
    /// beyond [`BASES_MAX`] do not count.
    pub fn enter(&mut self, depth: u32, reference: Vec<u8>) -> Event {
        if self.depths.len() == BASES_MAX {
            return Event::Unsupported("more than 256 xml:base inside each other");
        }
        let parent = self.current();
        self.depths.push(depth);
        Event::Base(DocumentBase {
            number: self.current(),
            parent,
            reference,
        })
    }

    /// Leaves the elements at `depth` and below it.
    pub fn leave(&mut self, depth: u32) {
        while self.depths.last().is_some_and(|&last| last >= depth) {
            self.depths.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_nest() {
        let mut bases = BaseStack::default();
        assert_eq!(bases.current(), DocumentBase::DOCUMENT);
        let numbers = |event: Event| match event {
            Event::Base(base) => (base.number, base.parent),
            other => panic!("{other:?}"),
        };
        assert_eq!(numbers(bases.enter(0, Vec::new())), (2, 0));
        assert_eq!(numbers(bases.enter(3, Vec::new())), (3, 2));
        bases.leave(4);
        assert_eq!(bases.current(), 3);
        bases.leave(3);
        assert_eq!(numbers(bases.enter(1, Vec::new())), (3, 2));
        bases.leave(0);
        assert_eq!(bases.current(), DocumentBase::DOCUMENT);
        for depth in 0..BASES_MAX as u32 {
            assert!(numbers(bases.enter(depth, Vec::new())).0 <= AFTER_BASES);
        }
        let more = bases.enter(BASES_MAX as u32, Vec::new());
        assert!(matches!(more, Event::Unsupported(_)));
        assert_eq!(bases.current(), AFTER_BASES);
    }
}
