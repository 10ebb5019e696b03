//! The formatting of findings by workers, for sinks that write bytes: of each batch whose keys
//! are answered and, where lines are counted, whose place among these is known.

use crate::engine::FormatFindings;
use crate::engine::ask::lists::Lists;
use crate::engine::batches::batch::Batch;
use crate::engine::batches::findings::Findings;
use crate::engine::batches::formatted::Formatted;
use crate::engine::batches::lines::LineCount;
use crate::engine::fault;
use crate::engine::lock::lock;
use crate::engine::order::numbering::Numbering;
use std::sync::{Arc, Mutex};

/// The formatting of findings.
pub(in crate::engine) struct Formatting {
    pub formatter: Arc<dyn FormatFindings>,
    /// Every item is reported, whatever the answer to its key.
    pub all: bool,
    /// The number of known inputs, which come first: nothing of them is reported.
    pub known: usize,
    /// Set where lines are counted.
    pub numbering: Option<Numbering>,
    pub lists: Arc<Lists>,
    /// Buffers whose bytes were written.
    pub spare: Mutex<Vec<Vec<u8>>>,
}

impl Formatting {
    /// Formats `batch`, or notes that it waits for the lines of others, and calls `deliver` with
    /// each batch that is ready. Without memory, which `has_memory` says, formatting is left to
    /// the writer.
    pub(in crate::engine) fn each_ready(
        &self,
        batch: Arc<Batch>,
        has_memory: impl Fn() -> bool,
        mut deliver: impl FnMut(Arc<Batch>),
    ) {
        let mut format = |batch: Arc<Batch>, lines: Option<&LineCount>| {
            if has_memory()
                && let Some(formatted) = self.format(&batch, lines)
            {
                // A batch is ready once.
                let _ = batch.formatted.set(formatted);
            }
            deliver(batch);
        };
        let Some(numbering) = &self.numbering else {
            return format(batch, None);
        };
        for (batch, lines) in numbering.add(batch, |input| self.lists.remembered(input)) {
            format(batch, Some(&lines));
        }
    }

    /// Takes the buffer of a batch that was written, for another one.
    pub(in crate::engine) fn recycle(&self, batch: &mut Batch) {
        if let Some(Formatted { mut bytes, .. }) = batch.formatted.take() {
            bytes.clear();
            lock(&self.spare).push(bytes);
        }
    }

    fn format(&self, batch: &Batch, lines: Option<&LineCount>) -> Option<Formatted> {
        if batch.items.is_empty() || batch.input < self.known || batch.fault.get().is_some() {
            return None;
        }
        let buffer = lock(&self.spare).pop().unwrap_or_default();
        let findings = Findings::new(batch, lines, self.all);
        // The writer meets a panic at the same finding, and names it.
        fault::catch(|| findings.formatted(&*self.formatter, buffer)).ok()
    }
}
