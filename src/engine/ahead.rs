//! Members of compressed streams that are decoded before the stream comes to
//! them, by workers that would wait for a block. What is decoded here is used
//! when the stream begins a member at that very place, and dropped otherwise. A
//! panic waits for the stream, too: it is reported in the order of the texts.
//!
//! Stretches wait in the order of the stream. Whoever needs one that nobody has
//! begun decodes it; while another is at it, the next one is decoded instead.

use super::fault::{self, Panic};
use super::lock::lock;
use crate::unpack::{Decoded, Member, Stretch};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Stretches and what was made of them.
#[derive(Default)]
pub(super) struct Ahead {
    state: Mutex<State>,
    /// A stretch was decoded.
    done: Condvar,
    /// So many stretches may be here.
    room: usize,
    /// The first input that is not read to its end: only its members are decoded here.
    /// Whoever reads a later one has enough to do.
    turn: AtomicUsize,
}

#[derive(Default)]
struct State {
    stream: StreamId,
    entries: VecDeque<Entry>,
    /// Buffers that were used.
    spare: Vec<Vec<u8>>,
}

/// A stream of compressed bytes: its input, and how many compressions lie in each other.
pub(super) type StreamId = (usize, usize);

struct Entry {
    range: Range<u64>,
    progress: Progress,
}

enum Progress {
    Waiting(Stretch),
    UnderWay,
    Done(Arc<Decoded>),
    /// Its decoder panicked: the stream does when it comes there.
    Panicked(Panic),
}

impl Ahead {
    /// For so many threads; one thread has nobody to decode ahead.
    pub(super) fn new(threads: usize) -> Ahead {
        Ahead {
            room: if threads > 1 { threads + 2 } else { 0 },
            ..Ahead::default()
        }
    }

    /// Inputs before number `input` are read to their ends.
    pub(super) fn set_turn(&self, input: usize) {
        self.turn.store(input, Ordering::Relaxed);
    }

    /// Whether another stretch of `stream` may be added. Those of other streams are
    /// done with.
    pub(super) fn has_room(&self, stream: StreamId) -> bool {
        if self.room == 0 || self.turn.load(Ordering::Relaxed) != stream.0 {
            return false;
        }
        let mut state = lock(&self.state);
        if state.stream != stream {
            state.stream = stream;
            state.entries.clear();
        }
        state.entries.len() < self.room
    }

    /// How many stretches may be here.
    pub(super) fn room(&self) -> usize {
        self.room
    }

    /// Adds a stretch that lies after those which are here, when there is room.
    pub(super) fn add(&self, stretch: Stretch) {
        lock(&self.state).entries.push_back(Entry {
            range: stretch.range(),
            progress: Progress::Waiting(stretch),
        });
    }

    /// Decodes a stretch, if one waits.
    pub(super) fn work(&self) -> bool {
        let mut state = lock(&self.state);
        let Some((range, stretch)) = state.entries.iter_mut().find_map(Entry::claim) else {
            return false;
        };
        let stream = state.stream;
        let text = state.spare.pop().unwrap_or_default();
        drop(state);
        let decoded = fault::catch(|| {
            let decoded = stretch.decode(text);
            #[cfg(feature = "failpoints")]
            super::faultpoint::at("ahead", &decoded.text);
            decoded
        });
        let mut state = lock(&self.state);
        let same = state.stream == stream;
        let entry = state.entries.iter_mut().find(|entry| entry.range == range);
        match (entry.filter(|_| same), decoded) {
            (Some(entry), Ok(decoded)) => entry.progress = Progress::Done(Arc::new(decoded)),
            (Some(entry), Err(panic)) => entry.progress = Progress::Panicked(panic),
            (None, Ok(decoded)) => state.spare.push(decoded.text),
            // Nobody needs it.
            (None, Err(_)) => {}
        }
        drop(state);
        self.done.notify_all();
        true
    }

    /// The member of `stream` that begins at `offset`, if it is one of a stretch.
    /// Stretches before it are done with.
    pub(super) fn take(&self, stream: StreamId, offset: u64) -> Option<(Arc<Decoded>, Member)> {
        if self.room == 0 {
            return None;
        }
        let mut state = lock(&self.state);
        loop {
            if state.stream != stream {
                return None;
            }
            while let Some(first) = state.entries.front()
                && first.range.end <= offset
            {
                let passed = state.entries.pop_front().map(|entry| entry.progress);
                if let Some(Progress::Done(decoded)) = passed
                    && let Some(decoded) = Arc::into_inner(decoded)
                {
                    state.spare.push(decoded.text);
                }
            }
            let first = state.entries.front()?;
            match &first.progress {
                _ if first.range.start > offset => return None,
                Progress::Panicked(panic) => {
                    let panic = panic.clone();
                    drop(state);
                    panic.resume();
                }
                Progress::Done(decoded) => {
                    let member = decoded.member(offset)?.clone();
                    return Some((Arc::clone(decoded), member));
                }
                Progress::UnderWay if !state.entries.iter().any(Entry::waits) => {
                    state = self
                        .done
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                Progress::UnderWay | Progress::Waiting(_) => {
                    drop(state);
                    self.work();
                    state = lock(&self.state);
                }
            }
        }
    }
}

impl Entry {
    fn waits(&self) -> bool {
        matches!(self.progress, Progress::Waiting(_))
    }

    /// What waits to be decoded, for the one who decodes it.
    fn claim(&mut self) -> Option<(Range<u64>, Stretch)> {
        if !self.waits() {
            return None;
        }
        match std::mem::replace(&mut self.progress, Progress::UnderWay) {
            Progress::Waiting(stretch) => Some((self.range.clone(), stretch)),
            _ => None,
        }
    }
}
