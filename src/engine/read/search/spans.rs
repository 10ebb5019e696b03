//! Finds the raw offsets of what is found in a segment, and marks what may be damaged.

use super::problems;
use crate::item::{Places, Problems, Segment};
use std::ops::Range;

/// Returns raw offsets and lengths, from left to right.
pub(in crate::engine) struct Spans<'t> {
    places: Places<'t>,
    /// The raw offset from which on findings may be damaged.
    doubt: Option<u64>,
}

impl<'t> Spans<'t> {
    pub(in crate::engine) fn new(segment: &Segment<'t>, doubt: Option<u64>) -> Spans<'t> {
        let places = segment.places();
        Spans { places, doubt }
    }

    /// Returns the raw offset and length of `range`.
    #[inline]
    pub(in crate::engine) fn of(&mut self, range: Range<usize>) -> (u64, u64) {
        self.places.span(range)
    }

    /// Returns the raw offset of `at`.
    pub(in crate::engine) fn offset(&mut self, at: usize) -> u64 {
        self.places.raw(at)
    }

    /// Returns the mark of a finding with this raw offset and length.
    pub(in crate::engine) fn problems(&self, place: (u64, u64)) -> Problems {
        problems::of_damage(self.doubt, place)
    }
}
