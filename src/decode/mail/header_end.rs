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
}

/// Returns the end of the header at the start of `bytes`, of which the first `looked` bytes
/// are known to be in it (M3); `None` when more bytes are needed.
pub(super) fn header_end(
    bytes: &[u8],
    last: bool,
    looked: &mut usize,
    open: &[Multipart],
) -> Option<HeaderEnd> {
    let window = &bytes[..bytes.len().min(HEADER_MAX)];
    let last = last && window.len() == bytes.len();
    let is_full = window.len() == HEADER_MAX;
    let mut lines = HeaderLines {
        text: window,
        at: *looked,
        whole: last,
    };
    let at = |at| {
        Some(HeaderEnd {
            fields: at,
            content: at,
        })
    };
    while let Some((range, line)) = lines.next() {
        if line.starts_with(b"--") && boundary_of(line, open).is_some() {
            return at(range.start);
        }
        match HeaderLine::of(line) {
            HeaderLine::Empty => {
                return Some(HeaderEnd {
                    fields: range.start,
                    content: range.end,
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
                    return at(range.start);
                }
            }
        }
        *looked = range.end;
    }
    if is_full {
        // A line that is longer than that is divided.
        return at(if *looked > 0 { *looked } else { HEADER_MAX });
    }
    last.then(|| at(bytes.len())).flatten()
}
