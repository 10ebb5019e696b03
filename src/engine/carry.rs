//! How a block ended, for the next one: where, and, when that is inside something
//! (where no safe cut is near), the bytes that are not decided and what stood to
//! their left.

use super::content::Content;
use super::lock::lock;
use super::records::Reading;
use crate::delimit::Overrun;
use crate::item::Leader;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Condvar, Mutex, PoisonError};

/// How a block ended.
#[derive(Debug, Default)]
pub(super) struct Ended {
    /// Raw offset of the first byte that it left to the next block.
    pub at: u64,
    /// What it did not decide, when it ended inside something.
    pub carry: Option<Carry>,
    /// Why what follows `at` was not read; that was reported already.
    pub failed: bool,
}

/// What a block did not decide.
#[derive(Debug, Default)]
pub(super) struct Carry {
    /// The last bytes of the block: what is not decided, and its left context.
    pub bytes: Vec<u8>,
    /// Raw bytes that `bytes` stand for.
    pub raw_len: u64,
    /// Where in `bytes` scanning goes on.
    pub resume: usize,
    /// Where in `bytes` the next candidate may start.
    pub floor: usize,
    /// A run that is too long goes on at `resume`.
    pub overrun: Option<Overrun>,
    /// How the records of a list go on.
    pub reading: Reading,
    /// The record that the block ended in; all else is empty then.
    pub content: Option<Box<Content>>,
    /// The leader of the line that holds the first of `bytes`, and whether it may
    /// still become longer.
    pub leader: (Vec<u8>, bool),
}

impl Carry {
    /// Nothing at all: the start of a text.
    pub(super) fn start() -> Carry {
        Carry {
            leader: (Vec::new(), true),
            ..Carry::default()
        }
    }

    pub(super) fn leader(&self) -> Leader<'_> {
        Leader {
            text: &self.leader.0,
            open: self.leader.1,
        }
    }
}

/// Where the end of a block waits for the next one. Every block posts here once,
/// whatever became of it, and every block takes or declines once what the one
/// before it posted. Two blocks need not agree on how the first one ended (the
/// file may change between two reads): whoever waits here waits for work under
/// way, and for nothing else.
#[derive(Debug, Default)]
pub(super) struct Handoff {
    ends: Mutex<HashMap<u64, Wanted>>,
    posted: Condvar,
}

/// The end of a block that only one of two blocks has come to.
#[derive(Debug)]
enum Wanted {
    Posted(Ended),
    /// The next block does not ask for it.
    Declined,
}

impl Handoff {
    /// Says how block `seq` ended.
    pub(super) fn post(&self, seq: u64, ended: Ended) {
        match lock(&self.ends).entry(seq) {
            Entry::Occupied(declined) => drop(declined.remove()),
            Entry::Vacant(place) => drop(place.insert(Wanted::Posted(ended))),
        }
        self.posted.notify_all();
    }

    /// How the block before `seq` ended; waits until that is known.
    pub(super) fn take_before(&self, seq: u64) -> Ended {
        let Some(before) = seq.checked_sub(1) else {
            return Ended::default();
        };
        let mut ends = lock(&self.ends);
        loop {
            if let Some(Wanted::Posted(ended)) = ends.remove(&before) {
                return ended;
            }
            ends = self
                .posted
                .wait(ends)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Block `seq` need not know how the one before it ended.
    pub(super) fn decline_before(&self, seq: u64) {
        let Some(before) = seq.checked_sub(1) else {
            return;
        };
        match lock(&self.ends).entry(before) {
            Entry::Occupied(posted) => drop(posted.remove()),
            Entry::Vacant(place) => drop(place.insert(Wanted::Declined)),
        }
    }
}
