//! What a block that ends inside something hands to the next (where no safe cut
//! is near): the bytes that are not decided and what stood to their left.

use super::records::Reading;
use crate::delimit::Overrun;
use crate::item::Leader;
use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How a block ended.
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

/// Where carries wait for the next block. A block is always claimed after the
/// one before it, so whoever waits here waits for work under way.
#[derive(Debug, Default)]
pub(super) struct Handoff {
    carries: Mutex<HashMap<u64, Carry>>,
    posted: Condvar,
}

impl Handoff {
    /// Leaves what block `seq` hands on.
    pub(super) fn post(&self, seq: u64, carry: Carry) {
        lock(&self.carries).insert(seq, carry);
        self.posted.notify_all();
    }

    /// What the block before `seq` handed on; waits for it.
    pub(super) fn take_before(&self, seq: u64) -> Carry {
        let mut carries = lock(&self.carries);
        loop {
            if let Some(carry) = seq
                .checked_sub(1)
                .and_then(|before| carries.remove(&before))
            {
                return carry;
            }
            carries = self
                .posted
                .wait(carries)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Locks; what a panicking thread left is still whole, every change being one step.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
