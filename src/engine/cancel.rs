//! Decides when reading ends early: when the run is cancelled, when no more findings of an
//! input are needed, or when a panic ended an input.

use crate::engine::batches::batch::Turn;
use crate::engine::lock::lock;
use crate::input::Stream;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Whether reading ends early: that of all inputs, or that of one.
#[derive(Clone, Debug)]
pub(super) struct Cancel {
    /// Reading ends once one of these is true.
    all: Arc<[Arc<AtomicBool>]>,
    /// The number of inputs, from the first one on, of which no more is needed.
    finished: Arc<AtomicUsize>,
    broken: Arc<BrokenInputs>,
    /// The input that is read, where this is for one input.
    input: Option<usize>,
}

impl Cancel {
    /// Ends the reading of all inputs once one of `all` is true.
    pub(super) fn new(all: &[Arc<AtomicBool>]) -> Cancel {
        Cancel {
            all: Arc::from(all),
            finished: Arc::default(),
            broken: Arc::default(),
            input: None,
        }
    }

    /// The same for one input.
    pub(super) fn of(&self, input: usize) -> Cancel {
        Cancel {
            input: Some(input),
            ..self.clone()
        }
    }

    /// Says that no more is needed of `input`, nor of those before it.
    pub(super) fn finish(&self, input: usize) {
        self.finished.fetch_max(input + 1, Ordering::Relaxed);
    }

    /// Says that no more is needed of any input.
    pub(super) fn finish_all(&self) {
        self.finished.store(usize::MAX, Ordering::Relaxed);
    }

    /// Says that a panic took the place of the block at `turn`: no more is read of its input.
    pub(super) fn break_off(&self, turn: Turn) {
        let mut blocks = lock(&self.broken.blocks);
        let block = blocks.entry(turn.input).or_insert(turn.block);
        *block = turn.block.min(*block);
        self.broken.are_some.store(true, Ordering::Release);
    }

    /// Whether a panic took the place of a block before that at `turn`, in the same input.
    pub(super) fn is_broken_before(&self, turn: Turn) -> bool {
        let broken = self.broken_at(turn.input);
        broken.is_some_and(|block| block < turn.block)
    }

    /// Returns the number of the first block of `input` whose place a panic took.
    fn broken_at(&self, input: usize) -> Option<u64> {
        if !self.broken.are_some.load(Ordering::Acquire) {
            return None;
        }
        lock(&self.broken.blocks).get(&input).copied()
    }

    /// Whether no more is needed of `input`.
    pub(super) fn is_finished(&self, input: usize) -> bool {
        self.finished.load(Ordering::Relaxed) > input || self.broken_at(input).is_some()
    }

    /// Whether reading ends.
    pub(super) fn is_set(&self) -> bool {
        self.all.iter().any(|flag| flag.load(Ordering::Relaxed))
            || self.is_finished(usize::MAX - 1)
            || self.input.is_some_and(|input| self.is_finished(input))
    }
}

/// The inputs that a panic ended.
#[derive(Debug, Default)]
struct BrokenInputs {
    /// There are any.
    are_some: AtomicBool,
    /// The number of the block whose place the panic took, by the number of the input.
    blocks: Mutex<BTreeMap<usize, u64>>,
}

/// A stream that ends when the run is cancelled.
pub(super) struct Cancelled<'s> {
    pub stream: Stream<'s>,
    pub cancel: Cancel,
}

impl Read for Cancelled<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let cancel = &self.cancel;
        if self.stream.watch().wait(|| cancel.is_set()) {
            return Ok(0);
        }
        self.stream.read(buffer)
    }
}
