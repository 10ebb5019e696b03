//! The result of an extraction.

use crate::item::Marks;

/// One reported URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The text: line breaks removed, escapes decoded, not canonical. Without a scheme
    /// when it is abbreviated (S7).
    pub text: Vec<u8>,
    /// The text with the marks of defanging as written (R1).
    pub original: Vec<u8>,
    /// For each byte of `text`, or of `original` where that is an identifier without a
    /// scheme, the raw offset that it was read from.
    pub places: Vec<usize>,
    /// Raw bytes from the start of the input to its first byte.
    pub offset: usize,
    /// Raw bytes from there to its end.
    pub length: usize,
    /// Details of the occurrence.
    pub marks: Marks,
}

/// The findings of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extraction {
    /// The URIs, in the order of their records.
    pub found: Vec<Found>,
    /// The offsets of candidates that are too long to be reported (B7).
    pub too_long: Vec<usize>,
}
