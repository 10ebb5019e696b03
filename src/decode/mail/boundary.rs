//! The boundaries of multiparts (RFC 2046 section 5.1.1), and the multiparts that are open.

use super::leaf::MessageFacts;

/// The longest boundary. RFC 2046 allows 70 bytes.
pub(super) const BOUNDARY_MAX: usize = 200;

/// The longest line that is a boundary, with the blanks behind it.
pub(super) const LINE_MAX: usize = 1024;

/// A multipart that is open.
#[derive(Clone, Debug)]
pub(super) struct Multipart {
    /// The number of the part, empty for that of the whole message.
    pub path: Vec<u8>,
    pub boundary: Vec<u8>,
    /// The number of its parts so far.
    pub parts: u32,
    /// Whether its parts are messages where they have no type (RFC 2046 section 5.1.5).
    pub is_digest: bool,
    /// Whether its boundary was found.
    pub is_found: bool,
    pub message: MessageFacts,
    /// The base for its parts.
    pub base: Vec<u8>,
    /// The number of multiparts and messages around its parts.
    pub depth: usize,
}

/// A line that is the boundary of an open multipart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BoundaryLine {
    /// The number of the multipart.
    pub number: usize,
    /// Whether the line ends it.
    pub is_end: bool,
}

/// Returns the multipart whose boundary `line` is: the innermost one that it opens a part of,
/// or else the innermost one that it ends (M8).
pub(super) fn boundary_of(line: &[u8], open: &[Multipart]) -> Option<BoundaryLine> {
    let line = line.strip_suffix(b"\n").unwrap_or(line).trim_ascii_end();
    let text = line.strip_prefix(b"--")?;
    let innermost = |text: &[u8]| open.iter().rposition(|of| of.boundary == text);
    let of = |number: Option<usize>, is_end| {
        Some(BoundaryLine {
            number: number?,
            is_end,
        })
    };
    of(innermost(text), false).or_else(|| of(innermost(text.strip_suffix(b"--")?), true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_are_whole_lines() {
        let multipart = |boundary: &str| Multipart {
            path: Vec::new(),
            boundary: boundary.into(),
            parts: 0,
            is_digest: false,
            is_found: false,
            message: MessageFacts::default(),
            base: Vec::new(),
            depth: 0,
        };
        let open = ["x", "x--", "y", "x"].map(multipart);
        for (line, number, is_end) in [
            ("--x", 3, false),
            ("--x \t\r\n", 3, false),
            ("--x--", 1, false),
            ("--x----", 1, true),
            ("--y--\n", 2, true),
        ] {
            let found = boundary_of(line.as_bytes(), &open);
            assert_eq!(found, Some(BoundaryLine { number, is_end }), "{line}");
        }
        for line in ["--x_alt", "-x", " --x", "--xy", "--", "--y-"] {
            assert_eq!(boundary_of(line.as_bytes(), &open), None, "{line}");
        }
    }
}
