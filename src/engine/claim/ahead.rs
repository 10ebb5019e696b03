//! Decodes members of compressed streams before the stream reaches them, in workers
//! that would otherwise wait for a block. A decoded member is used when the stream
//! begins a member at the same offset, and dropped otherwise. A panic is also kept, and
//! reported when the stream reaches the member.
//!
//! Stretches are in the order of the stream. A worker that needs a stretch decodes it,
//! unless another worker is decoding it: then it decodes the next one.

use crate::engine::fault::{self, Panic};
use crate::engine::lock::lock;
use crate::unpack::{Decoded, Member, Stretch};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The number of stretches that may be here for one thread.
const ALONE: usize = 1;

/// The least number of bytes of text of a stretch that are decoded ahead.
const TEXT_LEAST: usize = 64 << 10;

/// The stretches, with the text of those that are decoded.
#[derive(Default)]
pub(in crate::engine) struct DecodeAhead {
    state: Mutex<AheadState>,
    /// A stretch was decoded.
    done: Condvar,
    /// The number of stretches that may be here.
    room: usize,
    /// The most bytes of text of a stretch.
    text_max: usize,
    /// The first input that is not read to its end. Only its members are decoded here:
    /// workers that read later inputs are busy without it.
    turn: AtomicUsize,
}

#[derive(Default)]
struct AheadState {
    stream: StreamId,
    entries: VecDeque<AheadEntry>,
    /// Buffers that may be used again, for texts and for the bytes of stretches.
    texts: Vec<Vec<u8>>,
    stored: Vec<Vec<u8>>,
}

/// A stream of compressed bytes: its input, and the number of compressions around it.
pub(in crate::engine) type StreamId = (usize, usize);

struct AheadEntry {
    range: Range<u64>,
    progress: AheadProgress,
}

enum AheadProgress {
    Waiting(Stretch),
    UnderWay,
    Done(Arc<Decoded>),
    /// The decoder panicked. The stream panics when it reaches the stretch.
    Panicked(Panic),
}

impl DecodeAhead {
    /// For this many threads, with at most `memory` bytes of text. One thread decodes a
    /// stretch when the stream reaches it.
    pub(in crate::engine) fn new(threads: usize, memory: usize) -> DecodeAhead {
        let room = if threads > 1 { threads + 2 } else { ALONE };
        DecodeAhead {
            room,
            text_max: (memory / room).max(TEXT_LEAST),
            ..DecodeAhead::default()
        }
    }

    /// Says that the inputs before number `input` are read to their ends.
    pub(in crate::engine) fn set_turn(&self, input: usize) {
        self.turn.store(input, Ordering::Relaxed);
    }

    /// Whether `input` is the first that is not read to its end.
    pub(in crate::engine) fn has_turn(&self, input: usize) -> bool {
        self.turn.load(Ordering::Relaxed) == input
    }

    /// Whether another stretch of `stream`, which was read up to `offset`, may be added.
    /// Stretches before that offset, and those of other streams, are dropped.
    pub(in crate::engine) fn has_room(&self, stream: StreamId, offset: u64) -> bool {
        if !self.has_turn(stream.0) {
            return false;
        }
        let mut state = lock(&self.state);
        if state.stream != stream {
            state.stream = stream;
            state.entries.clear();
        }
        while let Some(first) = state.entries.front()
            && first.range.end <= offset
        {
            let passed = state.entries.pop_front().map(|entry| entry.progress);
            if let Some(AheadProgress::Done(decoded)) = passed
                && let Some(decoded) = Arc::into_inner(decoded)
            {
                state.texts.push(decoded.text);
            }
        }
        state.entries.len() < self.room
    }

    /// The number of stretches that may be here.
    pub(in crate::engine) fn room(&self) -> usize {
        self.room
    }

    /// Whether no other thread decodes stretches.
    pub(in crate::engine) fn is_alone(&self) -> bool {
        self.room == ALONE
    }

    /// Returns a buffer for the bytes of a stretch.
    pub(in crate::engine) fn buffer(&self) -> Vec<u8> {
        lock(&self.state).stored.pop().unwrap_or_default()
    }

    /// Adds a stretch that is after all others. There must be room.
    pub(in crate::engine) fn add(&self, stretch: Stretch) {
        lock(&self.state).entries.push_back(AheadEntry {
            range: stretch.range(),
            progress: AheadProgress::Waiting(stretch),
        });
    }

    /// Decodes a stretch. Returns false when none waits.
    pub(in crate::engine) fn work(&self) -> bool {
        let mut state = lock(&self.state);
        let Some((range, stretch)) = state.entries.iter_mut().find_map(AheadEntry::claim) else {
            return false;
        };
        let stream = state.stream;
        let text = state.texts.pop().unwrap_or_default();
        drop(state);
        let mut decoded = fault::catch(|| {
            let decoded = stretch.decode(text, self.text_max);
            #[cfg(feature = "failpoints")]
            crate::engine::faultpoint::at("ahead", &decoded.text);
            decoded
        });
        let mut state = lock(&self.state);
        if let Ok(decoded) = &mut decoded {
            state.stored.push(std::mem::take(&mut decoded.stored));
        }
        let same = state.stream == stream;
        let entry = state.entries.iter_mut().find(|entry| entry.range == range);
        match (entry.filter(|_| same), decoded) {
            (Some(entry), Ok(decoded)) => entry.progress = AheadProgress::Done(Arc::new(decoded)),
            (Some(entry), Err(panic)) => entry.progress = AheadProgress::Panicked(panic),
            (None, Ok(decoded)) => state.texts.push(decoded.text),
            // The stretch is not needed any more.
            (None, Err(_)) => {}
        }
        drop(state);
        self.done.notify_all();
        true
    }

    /// Returns the member of `stream` that begins at `offset`, if a stretch has it.
    pub(in crate::engine) fn take(
        &self,
        stream: StreamId,
        offset: u64,
    ) -> Option<(Arc<Decoded>, Member)> {
        let mut state = lock(&self.state);
        loop {
            if state.stream != stream {
                return None;
            }
            let first = state.entries.front()?;
            match &first.progress {
                _ if first.range.start > offset => return None,
                AheadProgress::Panicked(panic) => {
                    let panic = panic.clone();
                    drop(state);
                    panic.resume();
                }
                AheadProgress::Done(decoded) => {
                    let member = decoded.member(offset)?.clone();
                    return Some((Arc::clone(decoded), member));
                }
                AheadProgress::UnderWay if !state.entries.iter().any(AheadEntry::waits) => {
                    state = self
                        .done
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
                AheadProgress::UnderWay | AheadProgress::Waiting(_) => {
                    drop(state);
                    self.work();
                    state = lock(&self.state);
                }
            }
        }
    }
}

impl AheadEntry {
    fn waits(&self) -> bool {
        matches!(self.progress, AheadProgress::Waiting(_))
    }

    /// Takes the stretch, if it waits, to decode it.
    fn claim(&mut self) -> Option<(Range<u64>, Stretch)> {
        if !self.waits() {
            return None;
        }
        match std::mem::replace(&mut self.progress, AheadProgress::UnderWay) {
            AheadProgress::Waiting(stretch) => Some((self.range.clone(), stretch)),
            _ => None,
        }
    }
}

#[cfg(all(test, feature = "decompress"))]
mod tests {
    use super::*;
    use crate::unpack::{Next, Stack, Unpack};
    use flate2::Compression;
    use flate2::read::GzEncoder;
    use std::io::{Cursor, Read};

    const MEMBERS: usize = 100;

    /// Members of some KiB, of digits that take half of their length.
    fn members() -> Vec<u8> {
        let (mut stream, mut state) = (Vec::new(), 1_u64);
        for _ in 0..MEMBERS {
            let mut digit = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                b'0' + (state >> 33) as u8 % 10
            };
            let text: Vec<u8> = std::iter::repeat_with(&mut digit).take(20_000).collect();
            let mut member = GzEncoder::new(&text[..], Compression::fast());
            member.read_to_end(&mut stream).unwrap();
        }
        stream
    }

    /// Also the first member behind a stretch, where there is one at a time, is of the next.
    #[test]
    fn each_member_is_decoded_ahead() {
        for threads in [1, 2] {
            let ahead = DecodeAhead::new(threads, 64 << 20);
            let mut stack = Stack::new(Box::new(Cursor::new(members())), Unpack::default());
            let (stream, mut out, mut taken) = ((0, 1), Vec::new(), 0);
            loop {
                match stack.next(&mut out, 1 << 16) {
                    Next::Hungry => {
                        stack.refill(&mut out, 1 << 16).unwrap();
                    }
                    Next::Member(offset) => {
                        while ahead.has_room(stream, offset) {
                            match stack.look_ahead(|| ahead.buffer()) {
                                Some(stretch) => ahead.add(stretch),
                                None if stack.waiting().is_none() => break,
                                None => {
                                    stack.refill(&mut out, 0).unwrap();
                                }
                            }
                        }
                        if let Some((decoded, member)) = ahead.take(stream, offset) {
                            stack.supply(decoded, &member);
                            taken += 1;
                        }
                    }
                    Next::End => break,
                    _ => {}
                }
            }
            assert_eq!((taken, out.len()), (MEMBERS, 20_000 * MEMBERS));
        }
    }
}
