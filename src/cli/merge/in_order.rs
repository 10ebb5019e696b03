//! Files that are in the order of their URIs, read together: the entries with one URI after each
//! other, in the order of the files.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// A file at one of its entries.
pub(super) trait UriEntries {
    /// The URI of the entry.
    fn uri(&self) -> &[u8];

    /// Goes to the next entry. Returns false after the last one.
    ///
    /// # Errors
    /// A message that names the file and the place in it.
    fn advance(&mut self) -> Result<bool, String>;
}

/// A file with its number. The greatest of a heap is the one with the least URI; of those, the
/// first.
struct Numbered<E> {
    number: usize,
    entries: E,
}

impl<E: UriEntries> Ord for Numbered<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        let uris = other.entries.uri().cmp(self.entries.uri());
        uris.then_with(|| other.number.cmp(&self.number))
    }
}

impl<E: UriEntries> PartialOrd for Numbered<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E: UriEntries> PartialEq for Numbered<E> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<E: UriEntries> Eq for Numbered<E> {}

/// The files that have a further entry.
pub(super) struct InOrder<E> {
    heap: BinaryHeap<Numbered<E>>,
    uri: Vec<u8>,
}

impl<E: UriEntries> InOrder<E> {
    /// Goes to the first entry of each file.
    ///
    /// # Errors
    /// That of an entry.
    pub(super) fn new(files: Vec<E>) -> Result<InOrder<E>, String> {
        let mut heap = BinaryHeap::with_capacity(files.len());
        for (number, mut entries) in files.into_iter().enumerate() {
            if entries.advance()? {
                heap.push(Numbered { number, entries });
            }
        }
        Ok(InOrder {
            heap,
            uri: Vec::new(),
        })
    }

    /// Whether all entries were read.
    pub(super) fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Passes the entries with the next URI to `each`. Returns the URI, or nothing after the last one.
    ///
    /// # Errors
    /// That of an entry, and those of `each`.
    pub(super) fn next(
        &mut self,
        mut each: impl FnMut(&E) -> Result<(), String>,
    ) -> Result<Option<&[u8]>, String> {
        let Some(first) = self.heap.peek() else {
            return Ok(None);
        };
        self.uri.clear();
        self.uri.extend_from_slice(first.entries.uri());
        while let Some(mut same) = self.heap.peek_mut()
            && same.entries.uri() == self.uri
        {
            each(&same.entries)?;
            if !same.entries.advance()? {
                PeekMut::pop(same);
            }
        }
        Ok(Some(&self.uri))
    }
}
