//! The characters of a text that is decoded, each with its raw bytes.

use std::ops::Range;

/// A character of a text, and the raw bytes that it comes from.
#[derive(Clone, Debug)]
pub(super) struct TextPiece {
    pub char: char,
    pub raw: Range<usize>,
}

/// The characters of a text that is decoded.
#[derive(Debug)]
pub(super) struct TextPieces<'d> {
    pub pieces: &'d mut Vec<TextPiece>,
    /// Whether characters are unknown.
    pub is_lossy: bool,
}

impl TextPieces<'_> {
    /// Adds a character that these raw bytes encode.
    pub fn push(&mut self, char: char, raw: Range<usize>) {
        self.pieces.push(TextPiece { char, raw });
    }

    /// Adds a replacement for these raw bytes.
    pub fn lose(&mut self, raw: Range<usize>) {
        self.is_lossy = true;
        self.push(char::REPLACEMENT_CHARACTER, raw);
    }
}
