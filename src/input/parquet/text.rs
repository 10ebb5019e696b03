//! The rows of a table as a text that is read like a file: the text is made in pieces.

use std::io::{self, Read};

/// Makes the pieces of a text.
pub(super) trait TableText {
    /// Appends the next piece to `text`, which may be empty. Returns false after the last one.
    fn append(&mut self, text: &mut Vec<u8>) -> io::Result<bool>;
}

/// A text in pieces.
pub(super) struct ParquetText<P> {
    pieces: P,
    text: Vec<u8>,
    /// The number of bytes of `text` that were returned.
    at: usize,
}

impl<P> ParquetText<P> {
    /// Creates the text that begins with `text`.
    pub(super) fn new(pieces: P, text: Vec<u8>) -> ParquetText<P> {
        ParquetText {
            pieces,
            text,
            at: 0,
        }
    }
}

impl<P: TableText> Read for ParquetText<P> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() {
            self.text.clear();
            self.at = 0;
            if !self.pieces.append(&mut self.text)? {
                return Ok(0);
            }
        }
        let len = (&self.text[self.at..]).read(buffer)?;
        self.at += len;
        Ok(len)
    }
}
