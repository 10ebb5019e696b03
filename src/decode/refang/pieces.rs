//! The text that replaces a part of a text, in pieces: each is as it was, or means a mark.

use std::ops::Range;

/// The text of a part, and the pieces that it was made of.
#[derive(Clone, Debug, Default)]
pub(super) struct RefangPieces {
    text: Vec<u8>,
    pieces: Vec<RefangPiece>,
    given: &'static str,
    is_closed: bool,
}

/// A piece of the raw text, and the end of the text that replaces it.
#[derive(Clone, Debug)]
struct RefangPiece {
    raw: Range<usize>,
    end: usize,
    is_copy: bool,
}

impl RefangPieces {
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.pieces.clear();
        self.given = "";
        self.is_closed = false;
    }

    /// Returns the text, without what was given to it.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Adds raw text as it is.
    pub(super) fn copy(&mut self, raw: &[u8], range: Range<usize>) {
        self.text.extend_from_slice(&raw[range.clone()]);
        self.push(range, true);
    }

    /// Adds `text` in the place of raw text.
    pub(super) fn replace(&mut self, raw: Range<usize>, text: &[u8]) {
        self.text.extend_from_slice(text);
        self.push(raw, false);
    }

    fn push(&mut self, raw: Range<usize>, is_copy: bool) {
        let end = self.text.len();
        self.pieces.push(RefangPiece { raw, end, is_copy });
    }

    /// Puts a scheme before the text, which the raw text lacks.
    pub(super) fn give(&mut self, scheme: &'static str) {
        self.given = scheme;
    }

    /// Whether a scheme was put before the text.
    pub(super) fn is_given(&self) -> bool {
        !self.given.is_empty()
    }

    /// Puts a `]` behind the text, which the raw text lacks.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
    }

    /// Removes the last piece, and returns where it began.
    pub(super) fn pop(&mut self) -> Option<usize> {
        let last = self.pieces.pop()?;
        self.text
            .truncate(self.pieces.last().map_or(0, |piece| piece.end));
        Some(last.raw.start)
    }

    /// Returns the number of pieces, for [`back_to`](RefangPieces::back_to).
    pub(super) fn mark(&self) -> usize {
        self.pieces.len()
    }

    /// Removes the pieces behind the first `count`.
    pub(super) fn back_to(&mut self, count: usize) {
        while self.pieces.len() > count {
            self.pop();
        }
    }

    /// Passes the raw range of each part, and the text in its place where that differs, to
    /// `emit`. `buffer` is for the text of one part.
    pub(super) fn emit(
        &self,
        buffer: &mut Vec<u8>,
        mut emit: impl FnMut(Range<usize>, Option<&[u8]>),
    ) {
        let mut from = 0;
        for (number, piece) in self.pieces.iter().enumerate() {
            let text = &self.text[from..piece.end];
            from = piece.end;
            let given = match number {
                0 => self.given,
                _ => "",
            };
            let is_closed = self.is_closed && number + 1 == self.pieces.len();
            if piece.is_copy && given.is_empty() && !is_closed {
                emit(piece.raw.clone(), None);
                continue;
            }
            // What is given stands with the first character, what closes with the last.
            let first = match piece.is_copy && !is_closed {
                true => first_len(text),
                false => text.len(),
            };
            let raw_end = match piece.is_copy && !is_closed {
                true => piece.raw.start + first,
                false => piece.raw.end,
            };
            buffer.clear();
            buffer.extend_from_slice(given.as_bytes());
            buffer.extend_from_slice(&text[..first]);
            buffer.extend_from_slice(if is_closed { b"]" } else { b"" });
            emit(piece.raw.start..raw_end, Some(buffer));
            if raw_end < piece.raw.end {
                emit(raw_end..piece.raw.end, None);
            }
        }
    }
}

/// The length of the first character.
fn first_len(text: &[u8]) -> usize {
    let rest = text.iter().skip(1);
    1 + rest.take_while(|byte| (0x80..0xC0).contains(*byte)).count()
}
