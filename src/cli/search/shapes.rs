//! Prints only the first URI of each shape.

use std::collections::HashSet;
use urisieve::syntax::shape;

/// The shapes so far.
#[derive(Debug)]
pub(super) struct OnePerShape {
    /// Whether values of parameters belong to shapes.
    values: bool,
    seen: HashSet<Vec<u8>>,
    buffer: Vec<u8>,
}

impl OnePerShape {
    pub(super) fn new(values: bool) -> OnePerShape {
        OnePerShape {
            values,
            seen: HashSet::new(),
            buffer: Vec::new(),
        }
    }

    /// Whether `uri` is the first one of its shape.
    pub(super) fn is_first(&mut self, uri: &[u8]) -> bool {
        self.buffer.clear();
        shape(uri, self.values, &mut self.buffer);
        !self.seen.contains(&self.buffer) && self.seen.insert(self.buffer.clone())
    }
}
