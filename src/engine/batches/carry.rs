//! The bytes that are carried from one piece of a text to the next when there is no safe cut
//! between them: the bytes that are not decided yet and their left context.

use super::line_state::OddLine;
use crate::decode::{Records, RefangState};
use crate::delimit::Overrun;
use crate::item::{IdentifierKind, LineHead, Loss, OffsetMap};

/// The bytes that are not decided at the end of a piece of text.
#[derive(Debug, Default)]
pub(in crate::engine) struct Carry {
    /// The last bytes of the piece: what is not decided, and its left context.
    pub bytes: Vec<u8>,
    /// The number of raw bytes that `bytes` were decoded from, up to the end of the
    /// piece.
    pub raw_len: u64,
    /// The map of `bytes`, where that is not the one of its encoding.
    pub map: Option<OffsetMap>,
    /// The offset in `bytes` at which scanning resumes.
    pub resume: usize,
    /// The offset in `bytes` from which the next candidate may start.
    pub floor: usize,
    /// The run at `resume` that is too long and has not ended.
    pub overrun: Option<Overrun>,
    /// At `resume` is the end of an identifier of this kind, which a list may continue.
    pub listed: Option<IdentifierKind>,
    pub refang: RefangCarry,
    /// The state of reading, where the text is a list.
    pub reading: ListReading,
    /// The beginning of the line that holds the first of `bytes`, and whether it is the whole
    /// line up to there.
    pub head: (Vec<u8>, bool),
    /// The raw offset before which nothing is found any more.
    pub decided: u64,
    /// Losses at raw offsets behind that, in order.
    pub losses: Vec<(u64, Loss)>,
    /// Lines at raw offsets behind that which state no usable request, in order.
    pub odd_lines: Vec<(u64, OddLine)>,
    /// The line behind them that is not read yet, where lines may be requests.
    pub line: OpenLine,
}

/// The state of undoing marks of defanging between two pieces.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::engine) struct RefangCarry {
    /// The state at the first of the bytes.
    pub state: RefangState,
    /// The bytes of refanged text between the start of the mark at `resume` and the place in it
    /// where scanning resumes, and the same of `floor`: a mark may stand for more than a URI.
    pub inside: [usize; 2],
}

/// The unread line at the end of a piece.
#[derive(Debug, Default)]
pub(in crate::engine) struct OpenLine {
    pub bytes: Vec<u8>,
    /// The line is too long: all of it is text.
    pub is_text: bool,
}

impl Carry {
    /// Returns what is carried into the start of a text: nothing.
    pub(in crate::engine) fn start() -> Carry {
        Carry {
            head: (Vec::new(), true),
            ..Carry::default()
        }
    }

    /// Returns the beginning of the line that holds the first byte.
    pub(in crate::engine) fn head(&self) -> LineHead<'_> {
        LineHead {
            text: &self.head.0,
            open: self.head.1,
        }
    }
}

/// The state of reading a list between two pieces of it.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct ListReading {
    /// The way in which records are read; `None` until that is known.
    pub records: Option<Records>,
    /// The current record is too long: the rest of it is skipped.
    pub too_long: bool,
    /// The table lacks the column: the rest of it is skipped.
    pub lacks_column: bool,
}
