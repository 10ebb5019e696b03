//! Batches that the sink has, whose memory is used again. A worker gets back those that it
//! filled, the most recent one first: it is in the cache of its core.

use crate::engine::batches::batch::Batch;
use crate::engine::lock::lock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The batches that the sink has, and how many workers there are.
#[derive(Debug, Default)]
pub(in crate::engine) struct SpareBatches {
    /// In the order in which the sink was given them.
    batches: Mutex<Vec<Arc<Batch>>>,
    workers: AtomicUsize,
}

impl SpareBatches {
    /// Returns the number of a new worker.
    pub(in crate::engine) fn add_worker(&self) -> usize {
        self.workers.fetch_add(1, Ordering::Relaxed)
    }

    /// Adds a batch that the sink has; a shard may still hold it.
    pub(in crate::engine) fn add(&self, batch: Arc<Batch>) {
        lock(&self.batches).push(batch);
    }

    /// Returns a batch that no shard holds, which is not cleared: the most recent one of this
    /// worker. Without one, it is the oldest one of the others, so that a new batch is only made
    /// while all are in use.
    pub(in crate::engine) fn take(&self, worker: usize) -> Option<Batch> {
        let mut batches = lock(&self.batches);
        let is_free = |batch: &Arc<Batch>| Arc::strong_count(batch) == 1;
        let own = batches
            .iter()
            .rposition(|batch| batch.worker == worker && is_free(batch));
        let found = own.or_else(|| batches.iter().position(is_free))?;
        let batch = batches.remove(found);
        drop(batches);
        Arc::into_inner(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(worker: usize, input: usize) -> Arc<Batch> {
        Arc::new(Batch {
            worker,
            input,
            ..Batch::default()
        })
    }

    #[test]
    fn a_worker_gets_back_its_last_batch_that_is_free() {
        let spare = SpareBatches::default();
        let (a, b) = (spare.add_worker(), spare.add_worker());
        let held = of(a, 3);
        for batch in [of(a, 0), of(b, 1), of(a, 2), Arc::clone(&held), of(b, 4)] {
            spare.add(batch);
        }
        let take = |worker| spare.take(worker).map(|batch| batch.input);
        assert_eq!([take(a), take(a)], [Some(2), Some(0)]);
        // The first one of the other.
        assert_eq!([take(a), take(b)], [Some(1), Some(4)]);
        assert_eq!([take(a), take(b)], [None, None]);
        drop(held);
        assert_eq!([take(b), take(b)], [Some(3), None]);
    }
}
