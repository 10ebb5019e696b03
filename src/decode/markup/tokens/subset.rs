//! The end of a document type declaration of XML: its internal subset between brackets
//! has declarations, quoted texts, comments and instructions, which may hold a `>`.

use crate::syntax::steps;

/// The end of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SubsetEnd {
    /// At the `>` here.
    Close(usize),
    /// The subset has no `>`.
    Missing,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// Before or after the brackets.
    #[default]
    Outside,
    Inside,
    /// A text that ends at this quote, inside the brackets or not.
    Quoted(u8, bool),
    /// A comment, whose text begins here.
    Comment(usize),
    Instruction,
}

/// Reads a declaration. Its offsets count from the end of `<!DOCTYPE`.
#[derive(Debug, Default)]
pub(super) struct Subset {
    phase: Phase,
    read: usize,
    /// The first `>`: the end of a declaration that has no other end.
    first: Option<usize>,
}

impl Subset {
    /// Continues to read `text`, which begins with the bytes that were read before. With
    /// `last`, no bytes follow: a declaration without an end is ended by its first `>`.
    pub fn read(&mut self, text: &[u8], last: bool) -> Option<SubsetEnd> {
        while let Some(&byte) = text.get(self.read) {
            let at = self.read;
            steps::count(1);
            let before = &text[..at];
            if byte == b'>' {
                self.first.get_or_insert(at);
            }
            self.phase = match (self.phase, byte) {
                // No identifier has a `>`, and a quote may be missing.
                (Phase::Outside | Phase::Quoted(_, false), b'>') => {
                    return Some(SubsetEnd::Close(at));
                }
                (Phase::Outside, b'[') => Phase::Inside,
                (Phase::Inside, b']') => Phase::Outside,
                (Phase::Outside, b'"' | b'\'') => Phase::Quoted(byte, false),
                (Phase::Inside, b'"' | b'\'') => Phase::Quoted(byte, true),
                (Phase::Quoted(quote, false), _) if byte == quote => Phase::Outside,
                (Phase::Quoted(quote, true), _) if byte == quote => Phase::Inside,
                (Phase::Inside, b'-') if before.ends_with(b"<!-") => Phase::Comment(at + 1),
                (Phase::Inside, b'?') if before.ends_with(b"<") => Phase::Instruction,
                (Phase::Comment(from), b'>') if before[from..].ends_with(b"--") => Phase::Inside,
                (Phase::Instruction, b'>') if before.ends_with(b"?") => Phase::Inside,
                (phase, _) => phase,
            };
            self.read += 1;
        }
        let end = self.first.map_or(SubsetEnd::Missing, SubsetEnd::Close);
        last.then_some(end)
    }
}
