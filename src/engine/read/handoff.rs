//! Passes the end of each block on to the next block of the input: where the block ended
//! and, when that is inside a URI or a record, what the next block continues.

use super::content::part::{PartContent, PassedDecoder};
use crate::engine::batches::batch::Turn;
use crate::engine::batches::carry::Carry;
use crate::engine::batches::line_state::LineState;
use crate::engine::lock::lock;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Condvar, Mutex, PoisonError};

/// The end of a block.
#[derive(Debug, Default)]
pub(in crate::engine) struct Ended {
    /// The raw offset of the first byte that it left to the next block.
    pub at: u64,
    /// The unfinished rest, if any.
    pub unfinished: Option<Unfinished>,
    /// The text after `at` could not be read, which was reported.
    pub failed: bool,
}

/// The unfinished rest of a block.
#[derive(Debug)]
pub(in crate::engine) enum Unfinished {
    Text(Box<Carry>),
    /// A record of a container.
    Record(Box<PartContent>),
}

/// The ends of blocks that the next blocks did not take yet. Every block but the last one
/// of an input posts its end once, and every block but the first one takes or declines
/// once the end of the block before it. The two blocks need not agree on that end, since
/// the file may change between two reads. A worker that waits here waits only for a block
/// that another worker has. A block that panicked is given up: the next block continues from
/// nothing, and is not reported.
#[derive(Debug, Default)]
pub(in crate::engine) struct Handoff {
    ends: Mutex<Ends>,
    /// A block posted, or the run stops.
    posted: Condvar,
}

#[derive(Debug, Default)]
struct Ends {
    wanted: HashMap<Turn, Wanted<Ended>>,
    /// The states of lines after blocks. A block posts its own as soon as it is known, which
    /// may be before its end.
    lines: HashMap<Turn, Wanted<LineState>>,
    /// The decoders that blocks passed on before their ends.
    decoders: HashMap<Turn, PassedDecoder>,
    /// No worker waits any more.
    stopped: bool,
}

/// The statement of a block to the next one, where only one of the two blocks has posted or
/// declined it.
#[derive(Debug)]
enum Wanted<T> {
    Posted(T),
    /// The next block does not need it.
    Declined,
}

/// Posts `stated` by the block at `turn`.
fn post_in<T>(wanted: &mut HashMap<Turn, Wanted<T>>, turn: Turn, stated: T) {
    match wanted.entry(turn) {
        Entry::Occupied(declined) => drop(declined.remove()),
        Entry::Vacant(place) => drop(place.insert(Wanted::Posted(stated))),
    }
}

/// Declines the statement of the block at `turn`.
fn decline_in<T>(wanted: &mut HashMap<Turn, Wanted<T>>, turn: Turn) {
    match wanted.entry(turn) {
        Entry::Occupied(posted) => drop(posted.remove()),
        Entry::Vacant(place) => drop(place.insert(Wanted::Declined)),
    }
}

impl Handoff {
    /// Posts the end of the block at `turn`.
    pub(in crate::engine) fn post(&self, turn: Turn, ended: Ended) {
        post_in(&mut lock(&self.ends).wanted, turn, ended);
        self.posted.notify_all();
    }

    /// Posts the state of lines after the block at `turn`. Every block that posts its end
    /// posts it once.
    pub(in crate::engine) fn post_lines(&self, turn: Turn, lines: LineState) {
        post_in(&mut lock(&self.ends).lines, turn, lines);
        self.posted.notify_all();
    }

    /// Waits for the state of lines after the block before that at `turn`, and returns it.
    /// Returns `None` for the first block, and when the run stops.
    pub(in crate::engine) fn take_lines(&self, turn: Turn) -> Option<LineState> {
        let before = block_before(turn)?;
        let mut ends = lock(&self.ends);
        while !ends.stopped {
            if let Some(Wanted::Posted(lines)) = ends.lines.remove(&before) {
                return Some(lines);
            }
            ends = self
                .posted
                .wait(ends)
                .unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Posts a state of lines for the block at `turn`, unless it posted its own.
    fn give_up_lines(&self, turn: Turn) {
        lock(&self.ends)
            .lines
            .entry(turn)
            .or_insert_with(|| Wanted::Posted(LineState::default()));
        self.posted.notify_all();
    }

    /// Declines the state of lines after the block before that at `turn`.
    pub(in crate::engine) fn decline_lines(&self, turn: Turn) {
        if let Some(before) = block_before(turn) {
            decline_in(&mut lock(&self.ends).lines, before);
        }
    }

    /// Passes on the decoder of the record that is open at the end of the block at `turn`,
    /// before this end is posted.
    pub(in crate::engine) fn pass_on(&self, turn: Turn, decoder: PassedDecoder) {
        lock(&self.ends).decoders.insert(turn, decoder);
        self.posted.notify_all();
    }

    /// Waits for the decoder of the record that is open at the start of the block at
    /// `turn`, and returns it. Returns `None` where it comes with the end of the block
    /// before, where no record is open, and when the run stops.
    pub(in crate::engine) fn take_decoder(&self, turn: Turn) -> Option<PassedDecoder> {
        let before = block_before(turn)?;
        let mut ends = lock(&self.ends);
        while !ends.stopped {
            if let Some(decoder) = ends.decoders.remove(&before) {
                return Some(decoder);
            }
            if ends.wanted.contains_key(&before) {
                return None;
            }
            ends = self
                .posted
                .wait(ends)
                .unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Waits for the end of the block before that at `turn`, and returns it. Returns `None`
    /// when the run stops.
    pub(in crate::engine) fn take_before(&self, turn: Turn) -> Option<Ended> {
        let Some(before) = block_before(turn) else {
            return Some(Ended::default());
        };
        let mut ends = lock(&self.ends);
        while !ends.stopped {
            if let Some(Wanted::Posted(ended)) = ends.wanted.remove(&before) {
                return Some(ended);
            }
            ends = self
                .posted
                .wait(ends)
                .unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Ends all waits.
    pub(in crate::engine) fn stop(&self) {
        lock(&self.ends).stopped = true;
        self.posted.notify_all();
    }

    /// Gives up the block at `turn`, which panicked before it posted its end. The next block
    /// does not wait for it.
    pub(in crate::engine) fn give_up(&self, turn: Turn) {
        // Whether the block took the end of the one before it is not known.
        self.decline_before(turn);
        self.decline_lines(turn);
        let start = Turn { part: 0, ..turn };
        self.post(start, Ended::default());
        self.give_up_lines(start);
    }

    /// Declines the end of the block before that at `turn`.
    pub(in crate::engine) fn decline_before(&self, turn: Turn) {
        let Some(before) = block_before(turn) else {
            return;
        };
        let mut ends = lock(&self.ends);
        ends.decoders.remove(&before);
        decline_in(&mut ends.wanted, before);
    }
}

/// The position of the block before that at `turn`, in the same input.
fn block_before(turn: Turn) -> Option<Turn> {
    Some(Turn {
        block: turn.block.checked_sub(1)?,
        part: 0,
        ..turn
    })
}
