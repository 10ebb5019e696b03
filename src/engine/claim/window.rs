//! The open inputs. A worker claims its next block from the first open input, in order,
//! that has one ready. If no input has, the worker opens the next input, unless too many
//! are open. What takes time is done outside the lock: the worker takes the stream or the
//! iterator over the inputs, and the other workers use the rest.

use super::ahead::DecodeAhead;
use super::blocks::{InputOpener, OpenInput};
use crate::engine::batches::batch::{BatchNext, Turn};
use crate::engine::batches::block::{BlockBody, Claim};
use crate::engine::error::{Error, ErrorKind};
use crate::engine::fault::{self, Panic};
use crate::engine::lock::lock;
use crate::engine::order::deliver::{Delivery, Ordered, Room};
use crate::input::{Source, SourceName, open_files_max};
use std::collections::VecDeque;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The number of inputs that may be open, for each of several threads, where the system
/// allows as many. At most one for each thread can be read without a wait; the others are
/// pipes.
const OPEN: usize = 2;

/// The number of times that a worker checks for a change before it sleeps, and its pause between
/// two checks. The next file is opened in less time than a worker takes to wake up.
const LOOKS: usize = 64;
const PAUSE: usize = 8;

/// Returns how many inputs may be open for this many threads.
pub(in crate::engine) fn open_inputs_max(threads: usize) -> usize {
    match threads {
        1 => 1,
        // Each worker may also have a block of a file that is read to its end.
        _ => (open_files_max() / 2)
            .saturating_sub(threads)
            .clamp(1, OPEN * threads),
    }
}

/// All inputs, which the iterator `I` gives. It is `Send` where there are several threads.
pub(in crate::engine) struct Window<'s, I: ?Sized> {
    state: Mutex<WindowState<'s, I>>,
    /// Something can be claimed that could not be before, or there is nothing more.
    changed: Condvar,
    /// The number of such changes.
    changes: AtomicUsize,
    opener: InputOpener,
    ahead: Arc<DecodeAhead>,
    /// The number of inputs that may be open.
    most: usize,
}

struct WindowState<'s, I: ?Sized> {
    /// The iterator over the inputs, unless a worker has it.
    sources: Option<Box<I>>,
    /// The number of inputs that it returned.
    given: usize,
    /// Whether the input has ended, or is not used any more.
    is_over: bool,
    /// The open inputs, in order.
    open: VecDeque<OpenSlot<'s>>,
    /// The number of blocks that were claimed.
    claimed: u64,
    /// The number of workers that wait.
    waiting: usize,
    /// A worker waits for the sink.
    is_full: bool,
    stopped: bool,
}

/// An open input.
struct OpenSlot<'s> {
    number: usize,
    /// `None` while a worker has it.
    input: Option<OpenInput<'s>>,
}

/// The next step of a worker.
enum WorkerTask<'s, I: ?Sized> {
    /// The next block of the file at this index, which is only a range.
    Name(usize),
    Pull(OpenInput<'s>),
    Open(Box<I>),
    Wait,
    End,
}

impl<'s, I: Iterator<Item = Source<'s>> + ?Sized> Window<'s, I> {
    /// For this many threads, with at most `most` open inputs.
    pub(in crate::engine) fn new(
        sources: Box<I>,
        most: usize,
        opener: InputOpener,
    ) -> Window<'s, I> {
        Window {
            state: Mutex::new(WindowState {
                sources: Some(sources),
                given: 0,
                is_over: false,
                open: VecDeque::new(),
                claimed: 0,
                waiting: 0,
                is_full: false,
                stopped: false,
            }),
            changed: Condvar::new(),
            changes: AtomicUsize::new(0),
            ahead: Arc::clone(&opener.ahead),
            opener,
            most,
        }
    }

    /// Claims the next block; `spare` is a buffer that may be used for it. A panic of an
    /// input takes the place of its last block; one of the iterator over the inputs, that of
    /// the last block of all. While no block may be begun, the worker decodes members, or
    /// waits.
    pub(in crate::engine) fn claim(
        &self,
        delivery: &Delivery<impl Ordered>,
        spare: &mut Vec<u8>,
    ) -> Option<Claim<'s>> {
        let mut state = lock(&self.state);
        let mut looks_again = true;
        loop {
            match self.task(&mut state, &delivery.room()) {
                WorkerTask::Name(place) => {
                    let (claim, ended) = self.name(&mut state, place)?;
                    drop(state);
                    return Some(match ended {
                        Some(input) => closed(input, claim),
                        None => claim,
                    });
                }
                WorkerTask::Pull(input) => {
                    drop(state);
                    return Some(self.pull(input, spare));
                }
                WorkerTask::Open(sources) => {
                    drop(state);
                    if let Some(claim) = self.open(sources, spare) {
                        return Some(claim);
                    }
                    state = lock(&self.state);
                }
                WorkerTask::End => {
                    // The other workers may not have noticed that the run was cancelled.
                    self.wake_all(&state);
                    return None;
                }
                WorkerTask::Wait if looks_again => {
                    let changes = self.changes.load(Ordering::Relaxed);
                    drop(state);
                    looks_again = self.ahead.work() || self.changes_soon(changes);
                    state = lock(&self.state);
                }
                WorkerTask::Wait => {
                    state.waiting += 1;
                    let woken = self.changed.wait(state);
                    state = woken.unwrap_or_else(PoisonError::into_inner);
                    state.waiting -= 1;
                    looks_again = true;
                }
            }
        }
    }

    /// Whether the number of changes soon differs from `changes`.
    fn changes_soon(&self, changes: usize) -> bool {
        (0..LOOKS).any(|_| {
            (0..PAUSE).for_each(|_| spin_loop());
            self.changes.load(Ordering::Relaxed) != changes
        })
    }

    fn task(&self, state: &mut WindowState<'s, I>, room: &Room) -> WorkerTask<'s, I> {
        if state.stopped {
            return WorkerTask::End;
        }
        let claimed = state.claimed;
        let mut is_full = false;
        let may_begin = |slot: (usize, &OpenSlot<'s>)| {
            let (place, Some(input)) = (slot.0, &slot.1.input) else {
                return false;
            };
            // A worker may wait for the writer of a pipe when the pipe is the first
            // input: all others then wait for that as well.
            let is_ready = place == 0 || input.reads_at_once();
            let has_room = room.is_for(input.turn(), claimed);
            is_full |= is_ready && !has_room;
            is_ready && has_room
        };
        if let Some(place) = state.open.iter().enumerate().position(may_begin) {
            state.claimed += 1;
            let input = &mut state.open[place].input;
            return match input.take_if(|input| !input.is_named()) {
                Some(input) => WorkerTask::Pull(input),
                None => WorkerTask::Name(place),
            };
        }
        state.is_over |= self.opener.cancel.is_set();
        if !state.is_over && state.open.len() < self.most {
            let turn = Turn {
                input: state.given,
                ..Turn::default()
            };
            match room.is_for(turn, claimed) {
                false => is_full = true,
                true => {
                    if let Some(sources) = state.sources.take() {
                        state.claimed += 1;
                        return WorkerTask::Open(sources);
                    }
                }
            }
        }
        state.is_full |= is_full;
        match state.is_over && state.open.is_empty() && state.sources.is_some() {
            true => WorkerTask::End,
            false => WorkerTask::Wait,
        }
    }

    /// Claims the next block of the input at the index `place`. Also returns the input
    /// when that is its last block.
    fn name(
        &self,
        state: &mut WindowState<'s, I>,
        place: usize,
    ) -> Option<(Claim<'s>, Option<OpenInput<'s>>)> {
        let input = &mut state.open[place].input;
        let claim = input.as_mut()?.claim(&self.opener, &mut Vec::new());
        if claim.next == BatchNext::Block {
            return Some((claim, None));
        }
        let ended = input.take();
        self.remove(state, place);
        Some((claim, ended))
    }

    /// Claims the next block of an input that this worker has.
    fn pull(&self, mut input: OpenInput<'s>, spare: &mut Vec<u8>) -> Claim<'s> {
        let turn = input.turn();
        match fault::catch(|| input.claim(&self.opener, spare)) {
            Ok(claim) if claim.next == BatchNext::Block => {
                self.put_back(input);
                claim
            }
            Ok(claim) => {
                self.close_input(turn.input);
                closed(input, claim)
            }
            Err(panic) => {
                self.close_input(turn.input);
                let name = input.name.clone();
                // A reader that panicked may do so again when it is dropped.
                let _ = fault::catch(|| drop(input));
                panicked(&panic, (turn, name), "while the input was read")
            }
        }
    }

    /// Opens the next input and claims its first block. Returns `None` when there is no
    /// input.
    fn open(&self, mut sources: Box<I>, spare: &mut Vec<u8>) -> Option<Claim<'s>> {
        let given = fault::catch(|| sources.next());
        let mut state = lock(&self.state);
        state.sources = Some(sources);
        let turn = Turn {
            input: state.given,
            ..Turn::default()
        };
        let source = match given {
            Ok(Some(source)) => source,
            Ok(None) => {
                state.is_over = true;
                state.claimed -= 1;
                self.wake_all(&state);
                return None;
            }
            Err(panic) => {
                state.is_over = true;
                self.wake_all(&state);
                let error = panic.error(turn.input, "before the input was known");
                return Some(Claim {
                    turn,
                    next: BatchNext::Nothing,
                    body: BlockBody::Panicked(error),
                    name: None,
                    lines: false,
                });
            }
        };
        state.given += 1;
        state.open.push_back(OpenSlot {
            number: turn.input,
            input: None,
        });
        self.wake_one(&state);
        drop(state);
        let name = source.name();
        match fault::catch(|| self.opener.open(source, turn.input, spare)) {
            Ok(Ok(input)) => Some(self.pull(input, spare)),
            Ok(Err(cause)) => {
                self.close_input(turn.input);
                let error = Error::new(ErrorKind::Open(turn.input), cause);
                Some(Claim {
                    turn,
                    next: BatchNext::Input,
                    body: BlockBody::Failed(error),
                    name,
                    lines: false,
                })
            }
            Err(panic) => {
                self.close_input(turn.input);
                Some(panicked(&panic, (turn, name), "while the input was opened"))
            }
        }
    }

    fn put_back(&self, input: OpenInput<'s>) {
        let mut state = lock(&self.state);
        let number = input.turn().input;
        if let Some(slot) = state.open.iter_mut().find(|slot| slot.number == number) {
            slot.input = Some(input);
        }
        self.wake_one(&state);
    }

    /// Removes input `number`, all blocks of which were claimed.
    fn close_input(&self, number: usize) {
        let mut state = lock(&self.state);
        if let Some(place) = state.open.iter().position(|slot| slot.number == number) {
            self.remove(&mut state, place);
        }
    }

    fn remove(&self, state: &mut WindowState<'s, I>, place: usize) {
        state.open.remove(place);
        let first = state.open.front().map_or(state.given, |slot| slot.number);
        self.ahead.set_turn(first);
        match state.is_over && state.open.is_empty() {
            true => self.wake_all(state),
            false => self.wake_one(state),
        }
    }

    /// Says that the sink took a batch.
    pub(in crate::engine) fn make_room(&self) {
        let mut state = lock(&self.state);
        if std::mem::take(&mut state.is_full) {
            self.wake_all(&state);
        }
    }

    /// Ends all waits. No more blocks are claimed.
    pub(in crate::engine) fn stop(&self) {
        let mut state = lock(&self.state);
        state.stopped = true;
        self.wake_all(&state);
    }

    /// Wakes a worker because one thing can be claimed that could not be before.
    fn wake_one(&self, state: &WindowState<'s, I>) {
        self.changes.fetch_add(1, Ordering::Relaxed);
        if state.waiting > 0 {
            self.changed.notify_one();
        }
    }

    fn wake_all(&self, state: &WindowState<'s, I>) {
        self.changes.fetch_add(1, Ordering::Relaxed);
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }
}

/// Closes the input, whose last block is `claim`.
fn closed<'s>(input: OpenInput<'s>, claim: Claim<'s>) -> Claim<'s> {
    let turn = claim.turn;
    match fault::catch(|| drop(input)) {
        Ok(()) => claim,
        Err(panic) => panicked(&panic, (turn, claim.name), "while the input was closed"),
    }
}

/// A claim that has a panic of the input in place of its last block.
fn panicked<'s>(panic: &Panic, (turn, name): (Turn, Option<SourceName>), place: &str) -> Claim<'s> {
    Claim {
        turn,
        next: BatchNext::Input,
        body: BlockBody::Failed(panic.error(turn.input, place)),
        name,
        lines: false,
    }
}
