//! The URIs that were found inside another one (S6, I13), and the texts that they stand in.

use super::layer::InnerLayer;
use crate::item::{Marks, NestedBy};
use std::ops::Range;

/// The URIs inside another one, of which at most eight are kept. Its buffers are used again.
///
/// ```
/// use urisieve::delimit::{Config, Delimiter, InnerUris};
/// let delimiter = Delimiter::new(Config::default().nested(true));
/// let mut inner = InnerUris::default();
/// let uri = b"http://a.example/?u=http%3A%2F%2Fb.example%2F";
/// assert_eq!(delimiter.nested_in(uri, &mut inner).count(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct InnerUris {
    pub(super) found: Vec<InnerUri>,
    /// More URIs are inside, or parts are encoded more often than they are decoded.
    pub(super) has_more: bool,
    /// The decoded texts that have URIs, one after the other.
    pub(super) text: Vec<u8>,
    /// The offset in the outer URI from which each of these bytes was read; that of the end
    /// after each text, which has a byte more for it.
    pub(super) starts: Vec<u32>,
    pub(super) layers: Vec<InnerLayer>,
}

/// A URI inside another one.
#[derive(Clone, Debug)]
pub(super) struct InnerUri {
    /// The range in the outer URI.
    pub range: Range<usize>,
    /// The range of the text: in the outer URI if it stands there as it is, or else in the
    /// decoded texts.
    pub text: Range<usize>,
    /// The end of the text that it is a part of.
    pub text_end: usize,
    pub marks: Marks,
}

impl InnerUri {
    /// Whether its text is one of the outer URI.
    pub(super) fn is_plain(&self) -> bool {
        self.marks.nested_by == Some(NestedBy::Plain)
    }
}

impl InnerUris {
    /// Forgets the last URIs.
    pub(super) fn clear(&mut self) {
        self.found.clear();
        self.text.clear();
        self.starts.clear();
        self.has_more = false;
    }

    /// Whether there are more than are reported.
    pub(in crate::delimit) fn has_more(&self) -> bool {
        self.has_more
    }

    /// Returns the decoded texts.
    pub(in crate::delimit) fn decoded(&self) -> &[u8] {
        &self.text
    }

    /// Returns the offset in the outer URI from which the byte at `at` of the decoded texts was
    /// read.
    pub(in crate::delimit) fn outer_offset(&self, at: usize) -> usize {
        self.starts[at] as usize
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns the URIs inside `outer`, which was searched last, and their marks.
    pub(crate) fn uris<'u>(
        &'u self,
        outer: &'u [u8],
    ) -> impl Iterator<Item = (&'u [u8], Marks)> + use<'u> {
        self.found.iter().map(move |found| {
            let text = match found.is_plain() {
                true => &outer[found.text.clone()],
                false => &self.text[found.text.clone()],
            };
            (text, found.marks)
        })
    }

    /// Returns the text from the start of the URI with this number to the end of `outer`, which
    /// is written into `buffer` where it is decoded at first; nothing for a number without one.
    pub(crate) fn text_to_outer_end<'u>(
        &self,
        number: usize,
        outer: &'u [u8],
        buffer: &'u mut Vec<u8>,
    ) -> &'u [u8] {
        let Some(found) = self.found.get(number) else {
            return b"";
        };
        if found.is_plain() {
            return &outer[found.text.start..];
        }
        buffer.clear();
        buffer.extend_from_slice(&self.text[found.text.start..found.text_end]);
        buffer.extend_from_slice(&outer[self.outer_offset(found.text_end)..]);
        buffer
    }
}
