//! The state of the lines of a text whose lines may be requests: whether they are read, and the
//! columns that a header named. `lines` reads them.

use crate::decode::{LOG_HEAD, LOG_RECORD_MAX, LineKind, LineReader, LogColumns};
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

    /// Reads a line without its end, which is the last of `len` bytes, as `reader` does it.
    pub(in crate::engine) fn read_line(
        &mut self,
        reader: &mut LineReader,
        line: &[u8],
        len: usize,
    ) -> LineKind {
        let begins = !std::mem::replace(&mut self.begun, true);
        let kind = match line.len() > LOG_RECORD_MAX {
            true => reader.read_cut(line, self.columns.as_ref()),
            false => reader.read(line, &mut self.columns, begins),
        };
        self.pass(kind, len);
        kind
    }

    /// Notes that a line with `len` bytes was of this kind.
    pub(in crate::engine) fn pass(&mut self, kind: LineKind, len: usize) {
        match self.mode {
            LineMode::Open if kind.is_of_log() => self.mode = LineMode::On,
            _ => self.read += len as u64,
        }
    }

    /// Whether the first bytes of the text have decided that no line is a request.
    pub(in crate::engine) fn ends_open(&mut self) -> bool {
        let ends = self.mode == LineMode::Open && self.read >= LOG_HEAD;
        if ends {
            self.mode = LineMode::Off;
        }
        ends
    }

    /// Returns the state after `text`, which begins a longer one and decides how that is read.
    pub(in crate::engine) fn after_head(reader: &mut LineReader, text: &[u8]) -> LineState {
        let mut state = LineState::start(Some(reader));
        let mut at = 0;
        while state.mode == LineMode::Open && !state.ends_open() && at < text.len() {
            let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end);
            let next = (end + 1).min(text.len());
            state.read_line(reader, &text[at..end], next - at);
            at = next;
        }
        if state.mode == LineMode::On {
            reader.pass_headers(&text[at..], &mut state.columns, !state.begun);
            state.begun = true;
        }
        state
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
