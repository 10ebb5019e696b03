//! The lines of a content at which a part or a message may begin. Most lines are passed without
//! a look at each.

use memchr::memmem::Finder;
use std::sync::LazyLock;

/// The beginnings of lines that may be a boundary, or the first one of a message.
static MARKS: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| [Finder::new(b"\n--"), Finder::new(b"\nFrom ")]);

/// A last line of this length, with the line feed before it, may begin with a mark that is cut
/// off.
const CUT_MAX: usize = 5;

/// Finds the starts of lines that begin with a mark, and that of a last line which may.
#[derive(Debug)]
pub(super) struct LineStarts<'b> {
    bytes: &'b [u8],
    /// The next line of each kind, if it was looked for; [`NOWHERE`] if none follows.
    next: [usize; 2],
}

/// The start of a line that is not there.
const NOWHERE: usize = usize::MAX;

impl<'b> LineStarts<'b> {
    /// Looks for boundaries, if there may be `parts`, and for `messages`.
    pub fn new(bytes: &'b [u8], parts: bool, messages: bool) -> LineStarts<'b> {
        let next = |is_wanted| if is_wanted { 0 } else { NOWHERE };
        LineStarts {
            bytes,
            next: [next(parts), next(messages)],
        }
    }

    /// Returns the start of the first such line whose line feed is at `at` or behind it.
    pub fn after(&mut self, at: usize) -> Option<usize> {
        for (next, mark) in self.next.iter_mut().zip(&*MARKS) {
            if *next <= at {
                let found = mark.find(&self.bytes[at..]);
                *next = found.map_or(NOWHERE, |found| at + found + 1);
            }
        }
        let near = self.next[0].min(self.next[1]);
        if near != NOWHERE {
            return Some(near);
        }
        let from = self.bytes.len().saturating_sub(CUT_MAX).max(at);
        memchr::memrchr(b'\n', &self.bytes[from..]).map(|end| from + end + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_marks_are_found() {
        let found = |text: &str, parts, messages| {
            let mut starts = LineStarts::new(text.as_bytes(), parts, messages);
            let next = |at: &usize| starts.after(*at);
            std::iter::successors(Some(0), next)
                .skip(1)
                .collect::<Vec<_>>()
        };
        let text = "--a\n--b\nFrom c\n-d\n\n--\nFrom \nx\n";
        assert_eq!(found(text, true, true), [4, 8, 19, 22, 30]);
        assert_eq!(found(text, true, false), [4, 19, 30]);
        assert_eq!(found(text, false, true), [8, 22, 30]);
        for (text, wanted) in [("a\nFrom", 2), ("a\n-", 2), ("\n\n", 2), ("a\n", 2)] {
            assert_eq!(found(text, true, true), [wanted], "{text:?}");
        }
        assert_eq!(found("a\nFromb", true, true), [0; 0]);
    }
}
