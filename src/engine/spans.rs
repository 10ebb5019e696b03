//! Where what is found in a segment stands in the raw bytes, and what is to be said
//! of it because of damage.

use super::problems;
use crate::item::{Places, Problems, Segment};
use std::ops::Range;

/// Raw offsets and lengths, asked for from left to right.
pub(super) struct Spans<'t> {
    places: Places<'t>,
    /// The raw offset from which on what is found may be wrong.
    doubt: Option<u64>,
}

impl<'t> Spans<'t> {
    pub(super) fn new(segment: &Segment<'t>, doubt: Option<u64>) -> Spans<'t> {
        let places = segment.places();
        Spans { places, doubt }
    }

    /// The raw offset and length of what stands in `range`.
    pub(super) fn of(&mut self, range: Range<usize>) -> (u64, u64) {
        self.places.span(range)
    }

    /// The raw offset of the place `at`.
    pub(super) fn offset(&mut self, at: usize) -> u64 {
        self.places.raw(at)
    }

    /// What damage makes of what has this raw offset and length.
    pub(super) fn problems(&self, place: (u64, u64)) -> Problems {
        problems::of_damage(self.doubt, place)
    }
}
