//! The lines before each batch. They are known once all batches before it are handed in, which
//! may be before its turn to be written.

use crate::engine::batches::batch::{Batch, Turn};
use crate::engine::batches::lines::{LineCount, Remembered};
use crate::engine::lock::lock;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Batches whose lines are not all counted.
#[derive(Debug, Default)]
pub(in crate::engine) struct Numbering {
    waiting: Mutex<UnnumberedBatches>,
}

#[derive(Debug, Default)]
struct UnnumberedBatches {
    /// The position of the batch whose lines are counted next.
    next: Turn,
    /// The lines before it.
    lines: LineCount,
    batches: BTreeMap<Turn, Arc<Batch>>,
}

impl Numbering {
    /// Adds a batch. Returns those of which the lines before them are known now, in their order;
    /// each is returned once. `remembered` is that of an input.
    pub(in crate::engine) fn add(
        &self,
        batch: Arc<Batch>,
        remembered: impl Fn(usize) -> Remembered,
    ) -> Vec<(Arc<Batch>, LineCount)> {
        let mut numbered = Vec::new();
        let mut waiting = lock(&self.waiting);
        waiting.batches.insert(batch.order.turn, batch);
        let UnnumberedBatches {
            next,
            lines,
            batches,
        } = &mut *waiting;
        while let Some(batch) = batches.remove(next) {
            lines.enter(batch.input);
            let before = lines.clone();
            lines.leave(&batch.lines, remembered(batch.input));
            *next = batch.next_turn();
            numbered.push((batch, before));
        }
        numbered
    }
}
