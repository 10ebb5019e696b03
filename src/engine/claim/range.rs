//! The part of a plain text that belongs to a range of its bytes, and the state of lines at
//! its start. The ends of the part depend on the bytes before the ends of the range only, so
//! the readers of two neighbouring ranges agree on them.

use crate::decode::LineReader;
use crate::engine::batches::block::{RANGE_FIRST, RangeLines};
use crate::engine::batches::line_state::{LineMode, LineState};
use crate::input::ReadAt;
use crate::scan::{Cut, Cutter};
use std::ops::Range;
use std::sync::Arc;

/// The bytes by which the search for a safe cut goes back.
const STEP: u64 = 256 << 10;

/// Returns the part of the text `from` to `len` that belongs to the range of `bytes`.
pub(super) fn part_of(
    source: &dyn ReadAt,
    (from, len): (u64, u64),
    cutter: &Cutter,
    bytes: &Range<u64>,
) -> Range<u64> {
    let end = |nominal: u64| match nominal {
        0..RANGE_FIRST => from,
        _ if nominal >= len => len,
        _ => cut_before(source, from, cutter, nominal),
    };
    let start = end(bytes.start);
    // A range without bytes has no part.
    start..match bytes.is_empty() {
        true => start,
        false => end(bytes.end).max(start),
    }
}

/// Returns the last safe cut before `nominal` that is found, or where the text begins. Where
/// the bytes cannot be read it is `nominal`, and the reader of the bytes reports that.
fn cut_before(source: &dyn ReadAt, from: u64, cutter: &Cutter, nominal: u64) -> u64 {
    let mut window = Vec::new();
    let mut end = nominal;
    while end > from {
        let start = end
            .saturating_sub(STEP + cutter.look_back() as u64)
            .max(from);
        window.resize((end - start) as usize, 0);
        let (filled, read) = source.fill_at(&mut window, start);
        if filled < window.len() || read.is_err() {
            return nominal;
        }
        if let Cut::Safe(at) = cutter.cut(&window, start == from) {
            return start + at as u64;
        }
        end = match start == from {
            true => from,
            false => end - STEP,
        };
    }
    from
}

/// Returns how the lines of the part of a text are read, whose first bytes `head` are, if they
/// may be requests.
pub(super) fn lines_of(
    mut reader: LineReader,
    head: &[u8],
    (text, part): (Range<u64>, &Range<u64>),
) -> Arc<RangeLines> {
    let mut state = LineState::after_head(&mut reader, head);
    // The text is longer than the bytes that decide.
    if state.mode == LineMode::Open {
        state.mode = LineMode::Off;
    }
    let (begins, ends) = (part.start == text.start, part.end == text.end);
    Arc::new(RangeLines {
        before: (!begins).then(|| state.clone()),
        behind: (!ends).then_some(state.columns),
    })
}
