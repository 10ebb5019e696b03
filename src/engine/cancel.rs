//! Decides when reading ends early: when the run is cancelled, or when no more findings
//! of an input are needed.

use crate::input::Stream;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Whether reading ends early: that of all inputs, or that of one.
#[derive(Clone, Debug)]
pub(super) struct Cancel {
    all: Option<Arc<AtomicBool>>,
    /// The number of inputs, from the first one on, of which no more is needed.
    finished: Arc<AtomicUsize>,
    /// The input that is read, where this is for one input.
    input: Option<usize>,
}

impl Cancel {
    /// Ends the reading of all inputs once `all` is true.
    pub(super) fn new(all: Option<Arc<AtomicBool>>) -> Cancel {
        Cancel {
            all,
            finished: Arc::default(),
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

    /// Whether no more is needed of `input`.
    pub(super) fn is_finished(&self, input: usize) -> bool {
        self.finished.load(Ordering::Relaxed) > input
    }

    /// Whether reading ends.
    pub(super) fn is_set(&self) -> bool {
        let all = self.all.as_ref();
        all.is_some_and(|flag| flag.load(Ordering::Relaxed))
            || self.is_finished(usize::MAX - 1)
            || self.input.is_some_and(|input| self.is_finished(input))
    }
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
