//! How a block ended, for the next one, which waits for it: where, and, when that is
//! inside something, what goes on there.

use super::carry::Carry;
use super::content::PartContent;
use super::lock::lock;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Condvar, Mutex, PoisonError};

/// How a block ended.
#[derive(Debug, Default)]
pub(super) struct Ended {
    /// Raw offset of the first byte that it left to the next block.
    pub at: u64,
    /// What it did not finish, when it ended inside something.
    pub unfinished: Option<Unfinished>,
    /// Why what follows `at` was not read; that was reported already.
    pub failed: bool,
}

/// What a block ended inside.
#[derive(Debug)]
pub(super) enum Unfinished {
    Text(Carry),
    /// A record of a container.
    Record(Box<PartContent>),
}

/// Where the end of a block waits for the next one. Every block posts here once,
/// whatever became of it, and every block takes or declines once what the one
/// before it posted. Two blocks need not agree on how the first one ended (the
/// file may change between two reads): whoever waits here waits for work under
/// way, and for nothing else. A block that panicked posts nothing, but then the run
/// stops.
#[derive(Debug, Default)]
pub(super) struct Handoff {
    ends: Mutex<Ends>,
    /// A block posted, or the run stops.
    posted: Condvar,
}

#[derive(Debug, Default)]
struct Ends {
    wanted: HashMap<u64, Wanted>,
    /// Nobody waits any more.
    stopped: bool,
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
        match lock(&self.ends).wanted.entry(seq) {
            Entry::Occupied(declined) => drop(declined.remove()),
            Entry::Vacant(place) => drop(place.insert(Wanted::Posted(ended))),
        }
        self.posted.notify_all();
    }

    /// How the block before `seq` ended; waits until that is known. `None` when the run
    /// stops.
    pub(super) fn take_before(&self, seq: u64) -> Option<Ended> {
        let Some(before) = seq.checked_sub(1) else {
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

    /// Lets nobody wait any more.
    pub(super) fn stop(&self) {
        lock(&self.ends).stopped = true;
        self.posted.notify_all();
    }

    /// Block `seq` need not know how the one before it ended.
    pub(super) fn decline_before(&self, seq: u64) {
        let Some(before) = seq.checked_sub(1) else {
            return;
        };
        match lock(&self.ends).wanted.entry(before) {
            Entry::Occupied(posted) => drop(posted.remove()),
            Entry::Vacant(place) => drop(place.insert(Wanted::Declined)),
        }
    }
}
