//! Where the header of a message or a part ends: at an empty line, at a boundary, or at lines
//! that are not fields (M3).

use super::boundary::{Multipart, boundary_of};
use super::header::{HEADER_MAX, HeaderLine, HeaderLines, is_from};

/// The end of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeaderEnd {
    /// The end of its fields.
    pub fields: usize,
    /// The start of the content.
    pub content: usize,
    /// Whether a line is not part of a field.
    pub has_others: bool,
}

/// How far a header was looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HeaderLook {
    /// This number of bytes is known to be in the header.
    at: usize,
    has_others: bool,
}

impl HeaderLook {
    fn add(&mut self, line: &[u8]) {
        // A line of an mbox may be before the fields.
        self.has_others |= HeaderLine::of(line) == HeaderLine::Other && !is_from(line);
    }
}

/// Returns the end of the header at the start of `bytes`, which was `looked` at so far (M3);
/// `None` when more bytes are needed.
pub(super) fn header_end(
    bytes: &[u8],
    last: bool,
    looked: &mut HeaderLook,
    open: &[Multipart],
) -> Option<HeaderEnd> {
    let window = &bytes[..bytes.len().min(HEADER_MAX)];
    let last = last && window.len() == bytes.len();
    let is_full = window.len() == HEADER_MAX;
    let mut lines = HeaderLines {
        text: window,
        at: looked.at,
        whole: last,
    };
    let end = |at, looked: &HeaderLook| {
        Some(HeaderEnd {
            fields: at,
            content: at,
            has_others: looked.has_others,
        })
    };
    while let Some((range, line)) = lines.next() {
        if line.starts_with(b"--") && boundary_of(line, open).is_some() {
            return end(range.start, looked);
        }
        match HeaderLine::of(line) {
            HeaderLine::Empty => {
                return Some(HeaderEnd {
                    fields: range.start,
                    content: range.end,
                    has_others: looked.has_others,
                });
            }
            HeaderLine::Field(_) => {}
            HeaderLine::Fold if range.start > 0 => {}
            HeaderLine::Other if range.start == 0 && is_from(line) => {}
            HeaderLine::Fold | HeaderLine::Other => {
                let mut following = HeaderLines { ..lines };
                let next = following.next().map(|(_, line)| line);
                if next.is_none() && !last && !is_full {
                    return None;
                }
                let is_field = next.is_some_and(|line| {
                    matches!(
                        HeaderLine::of(line),
                        HeaderLine::Field(_) | HeaderLine::Fold
                    )
                });
                if !is_field {
                    return end(range.start, looked);
                }
                looked.add(line);
            }
        }
        looked.at = range.end;
    }
    if is_full {
        if looked.at == 0 {
            // A line that is longer than that is divided.
            looked.add(window);
            looked.at = HEADER_MAX;
        }
        return end(looked.at, looked);
    }
    last.then(|| end(bytes.len(), looked)).flatten()
}
