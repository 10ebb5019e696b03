//! The state of the lines of a text whose lines may be requests: whether they are read, and the
//! columns that a header named. `lines` reads them.

use crate::decode::{LineReader, LogColumns};
use std::sync::Arc;

/// The state of the lines of a text between two pieces of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::engine) struct LineState {
    pub mode: LineMode,
    /// The columns that the last header named.
    pub columns: Option<Arc<LogColumns>>,
    /// The number of bytes before the current line, as long as the mode is open.
    pub read: u64,
    /// A line was read.
    pub begun: bool,
}

/// Whether lines are read as requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::engine) enum LineMode {
    /// No line is.
    #[default]
    Off,
    /// No line of the first bytes was one so far.
    Open,
    On,
}

/// A line that is text, although it has the shape of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum OddLine {
    /// No host is known (G9).
    NoHost,
    /// The request is not one (G4).
    Garbage,
}

impl LineState {
    /// The state before the first line of a text.
    pub(in crate::engine) fn start(reader: Option<&LineReader>) -> LineState {
        LineState {
            mode: match reader {
                None => LineMode::Off,
                Some(reader) if reader.is_auto() => LineMode::Open,
                Some(_) => LineMode::On,
            },
            ..LineState::default()
        }
    }

    /// Returns the state after `text`, which consists of whole lines, if it is known before
    /// the lines are read.
    pub(in crate::engine) fn after(
        &self,
        reader: &mut LineReader,
        text: &[u8],
    ) -> Option<LineState> {
        if self.mode == LineMode::Open {
            return None;
        }
        let mut after = self.clone();
        if self.mode == LineMode::On {
            reader.pass_headers(text, &mut after.columns, !self.begun);
            after.begun |= !text.is_empty();
        }
        Some(after)
    }
}
