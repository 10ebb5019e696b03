//! The threads of a run. All workers do the same: claim a block, do it, and hand in its
//! batch; the worker that hands in the batch which is written next also writes. What a block
//! is, and what is done with it, is left to the kind of work.

use super::deliver::{Delivery, Ordered};
use crate::engine::cancel::Cancel;
use crate::engine::fault::{self, Panic};
use crate::engine::lock::lock;
use crate::engine::{Error, threads};
use std::sync::Mutex;

/// A kind of work.
pub(in crate::engine) trait CrewWork: Sized {
    /// The result of a block, or of a part of one.
    type Batch: Ordered;
    /// The one who passes batches on to the sink.
    type Writer;

    /// Does blocks until there are no more, and [hands in](Crew::hand_in) their batches.
    /// `input` is set to the number of the input that is read.
    fn work_on(&self, crew: &Crew<Self>, input: &mut usize);

    /// Returns the writer. One worker at a time has it.
    fn writer(&self) -> &Mutex<Self::Writer>;

    /// Writes a batch. Returns false when the run ends.
    fn write(&self, writer: &mut Self::Writer, batch: &mut Self::Batch) -> bool;

    /// Takes a batch that was written, whose memory may be used again.
    fn recycle(&self, batch: Self::Batch);

    /// Has the writer end the run with a panic that is in no block, so that it has no
    /// position in the order.
    fn fail(&self, writer: &mut Self::Writer, panic: &Panic, input: usize);

    /// Ends the waits and the reading that belong to the work.
    fn stop(&self);
}

/// The state that the workers share. The lock of the writer is taken before that of the
/// queue.
pub(in crate::engine) struct Crew<W: CrewWork> {
    pub work: W,
    pub delivery: Delivery<W::Batch>,
    pub cancel: Cancel,
}

impl<W: CrewWork> Crew<W> {
    /// Does all blocks, with this many threads.
    ///
    /// # Errors
    /// Errors of starting threads.
    pub(in crate::engine) fn run(&self, number: usize) -> Result<(), Error>
    where
        Crew<W>: Sync,
    {
        threads::call_on(number, &|| self.run_here())
    }

    /// Does blocks on this thread until there are no more.
    pub(in crate::engine) fn run_here(&self) {
        let mut input = 0;
        if let Err(panic) = fault::catch(|| self.work.work_on(self, &mut input)) {
            self.work.fail(&mut lock(self.work.writer()), &panic, input);
            self.stop();
        }
    }

    /// Adds a batch to the queue, and writes those whose turn it is, unless another worker
    /// does.
    #[cfg(feature = "marc")]
    pub(in crate::engine) fn hand_in(&self, batch: W::Batch) {
        if self.delivery.add(batch) {
            self.write();
        }
    }

    /// Writes batches until the next one is not ready.
    pub(in crate::engine) fn write(&self) {
        let mut writer = lock(self.work.writer());
        while let Some(mut batch) = self.delivery.take() {
            if !self.work.write(&mut writer, &mut batch) {
                self.stop();
            }
            self.work.recycle(batch);
        }
    }

    /// Ends all waits and all reading.
    fn stop(&self) {
        self.cancel.finish_all();
        self.work.stop();
        self.delivery.stop();
    }
}
