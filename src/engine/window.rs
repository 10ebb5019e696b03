//! The inputs that are open, and from which of them a worker takes its next block: the
//! first one, in their order, that gives one now. When there is none a worker opens
//! the next input, unless too many are open. What takes time is done outside the
//! lock: whoever pulls from a stream, opens an input or asks for the next one has it
//! to itself, and the others go on with what is left.

use super::ahead::Ahead;
use super::batch::{Next, Turn};
use super::block::{Body, Claim};
use super::blocks::{Input, Opening};
use super::deliver::{Delivery, Room};
use super::error::{Error, ErrorKind};
use super::fault::{self, Panic};
use super::lock::lock;
use crate::input::Source;
use std::collections::VecDeque;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// How many inputs may be open, for each of several threads. Of those that are read at
/// once there are at most as many as threads; the others wait for a writer.
const OPEN: usize = 2;

/// How often a worker looks whether anything changed before it waits to be woken, and
/// how long it pauses between: to ask for the next file takes less time than to wake.
const LOOKS: usize = 64;
const PAUSE: usize = 8;

/// All inputs.
pub(super) struct Window<'s> {
    state: Mutex<State<'s>>,
    /// Something may be claimed that could not be, or there is nothing more.
    changed: Condvar,
    /// How often that was so.
    changes: AtomicUsize,
    opening: Opening,
    ahead: Arc<Ahead>,
    /// So many inputs may be open.
    most: usize,
}

type Sources<'s> = Box<dyn Iterator<Item = Source<'s>> + Send + 's>;

struct State<'s> {
    /// Where inputs come from, unless a worker has it.
    sources: Option<Sources<'s>>,
    /// How many inputs it gave.
    given: usize,
    /// It gives no more, or is not asked any more.
    is_over: bool,
    /// In the order of the inputs.
    open: VecDeque<Slot<'s>>,
    /// How many blocks were claimed.
    claimed: u64,
    /// How many workers wait.
    waiting: usize,
    /// One of them waits for the sink.
    is_full: bool,
    stopped: bool,
}

/// The place of an input that is open.
struct Slot<'s> {
    number: usize,
    /// Unless a worker has it.
    input: Option<Input<'s>>,
}

/// What a worker does next.
enum Task<'s> {
    /// It takes the next block of the input at this place, which is only named.
    Name(usize),
    Pull(Input<'s>),
    Open(Sources<'s>),
    Wait,
    End,
}

impl<'s> Window<'s> {
    /// For so many threads.
    pub(super) fn new(
        sources: impl Iterator<Item = Source<'s>> + Send + 's,
        threads: usize,
        opening: Opening,
    ) -> Window<'s> {
        Window {
            state: Mutex::new(State {
                sources: Some(Box::new(sources)),
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
            ahead: Arc::clone(&opening.ahead),
            opening,
            most: if threads > 1 { OPEN * threads } else { 1 },
        }
    }

    /// The next block; `spare` is a buffer to use for it. A panic of what gives the
    /// inputs, or of one of them, takes the place of a block. Waits while nothing may be
    /// begun, and decodes members meanwhile.
    pub(super) fn claim(&self, delivery: &Delivery, spare: &mut Vec<u8>) -> Option<Claim<'s>> {
        let mut state = lock(&self.state);
        let mut looks_again = true;
        loop {
            match self.task(&mut state, &delivery.room()) {
                Task::Name(place) => {
                    let (claim, ended) = self.name(&mut state, place)?;
                    drop(state);
                    return Some(match ended {
                        Some(input) => closed(input, claim),
                        None => claim,
                    });
                }
                Task::Pull(input) => {
                    drop(state);
                    return Some(self.pull(input, spare));
                }
                Task::Open(sources) => {
                    drop(state);
                    if let Some(claim) = self.open(sources, spare) {
                        return Some(claim);
                    }
                    state = lock(&self.state);
                }
                Task::End => {
                    // Whether reading was cancelled nobody else may have seen.
                    self.wake_all(&state);
                    return None;
                }
                Task::Wait if looks_again => {
                    let changes = self.changes.load(Ordering::Relaxed);
                    drop(state);
                    looks_again = self.ahead.work() || self.changes_soon(changes);
                    state = lock(&self.state);
                }
                Task::Wait => {
                    state.waiting += 1;
                    let woken = self.changed.wait(state);
                    state = woken.unwrap_or_else(PoisonError::into_inner);
                    state.waiting -= 1;
                    looks_again = true;
                }
            }
        }
    }

    /// Whether there are soon more `changes` than so many.
    fn changes_soon(&self, changes: usize) -> bool {
        (0..LOOKS).any(|_| {
            (0..PAUSE).for_each(|_| spin_loop());
            self.changes.load(Ordering::Relaxed) != changes
        })
    }

    fn task(&self, state: &mut State<'s>, room: &Room) -> Task<'s> {
        if state.stopped {
            return Task::End;
        }
        let claimed = state.claimed;
        let mut is_full = false;
        let may_begin = |slot: (usize, &Slot<'s>)| {
            let (place, Some(input)) = (slot.0, &slot.1.input) else {
                return false;
            };
            // Whoever waits for a writer is not missed elsewhere, when it is the first
            // input that is waited for.
            let is_ready = place == 0 || input.reads_at_once();
            let has_room = room.is_for(input.turn(), claimed);
            is_full |= is_ready && !has_room;
            is_ready && has_room
        };
        if let Some(place) = state.open.iter().enumerate().position(may_begin) {
            state.claimed += 1;
            let input = &mut state.open[place].input;
            return match input.take_if(|input| !input.is_named()) {
                Some(input) => Task::Pull(input),
                None => Task::Name(place),
            };
        }
        state.is_over |= self.opening.cancel.is_set();
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
                        return Task::Open(sources);
                    }
                }
            }
        }
        state.is_full |= is_full;
        match state.is_over && state.open.is_empty() && state.sources.is_some() {
            true => Task::End,
            false => Task::Wait,
        }
    }

    /// Claims the next block of the input at `place`, if it is there; the input is given
    /// when that is its last.
    fn name(&self, state: &mut State<'s>, place: usize) -> Option<(Claim<'s>, Option<Input<'s>>)> {
        let input = &mut state.open[place].input;
        let claim = input.as_mut()?.claim(&self.opening, &mut Vec::new());
        if claim.next == Next::Block {
            return Some((claim, None));
        }
        let ended = input.take();
        self.remove(state, place);
        Some((claim, ended))
    }

    /// Claims the next block of an input that is nobody else's.
    fn pull(&self, mut input: Input<'s>, spare: &mut Vec<u8>) -> Claim<'s> {
        let turn = input.turn();
        match fault::catch(|| input.claim(&self.opening, spare)) {
            Ok(claim) if claim.next == Next::Block => {
                self.put_back(input);
                claim
            }
            Ok(claim) => {
                self.put_away(turn.input);
                closed(input, claim)
            }
            Err(panic) => {
                self.give_up(turn.input);
                panicked(&panic, turn, "while the input was read")
            }
        }
    }

    /// Opens the next input and claims its first block, if there is one.
    fn open(&self, mut sources: Sources<'s>, spare: &mut Vec<u8>) -> Option<Claim<'s>> {
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
                return Some(panicked(&panic, turn, "before the input was known"));
            }
        };
        state.given += 1;
        state.open.push_back(Slot {
            number: turn.input,
            input: None,
        });
        self.wake_one(&state);
        drop(state);
        match fault::catch(|| self.opening.open(source, turn.input, spare)) {
            Ok(Ok(input)) => Some(self.pull(input, spare)),
            Ok(Err(cause)) => {
                self.put_away(turn.input);
                let error = Error::new(ErrorKind::Open(turn.input), cause);
                Some(Claim {
                    turn,
                    next: Next::Input,
                    body: Body::Failed(error),
                })
            }
            Err(panic) => {
                self.give_up(turn.input);
                Some(panicked(&panic, turn, "while the input was opened"))
            }
        }
    }

    fn put_back(&self, input: Input<'s>) {
        let mut state = lock(&self.state);
        let number = input.turn().input;
        if let Some(slot) = state.open.iter_mut().find(|slot| slot.number == number) {
            slot.input = Some(input);
        }
        self.wake_one(&state);
    }

    /// All blocks of input `number` were claimed.
    fn put_away(&self, number: usize) {
        let mut state = lock(&self.state);
        if let Some(place) = state.open.iter().position(|slot| slot.number == number) {
            self.remove(&mut state, place);
        }
    }

    /// Input `number` panicked: what comes after it is not reported.
    fn give_up(&self, number: usize) {
        lock(&self.state).is_over = true;
        self.put_away(number);
    }

    fn remove(&self, state: &mut State<'s>, place: usize) {
        state.open.remove(place);
        let first = state.open.front().map_or(state.given, |slot| slot.number);
        self.ahead.set_turn(first);
        match state.is_over && state.open.is_empty() {
            true => self.wake_all(state),
            false => self.wake_one(state),
        }
    }

    /// The sink took something.
    pub(super) fn make_room(&self) {
        let mut state = lock(&self.state);
        if std::mem::take(&mut state.is_full) {
            self.wake_all(&state);
        }
    }

    /// Lets nobody wait any more, and gives no more blocks.
    pub(super) fn stop(&self) {
        let mut state = lock(&self.state);
        state.stopped = true;
        self.wake_all(&state);
    }

    /// One thing may be claimed that could not be.
    fn wake_one(&self, state: &State) {
        self.changes.fetch_add(1, Ordering::Relaxed);
        if state.waiting > 0 {
            self.changed.notify_one();
        }
    }

    fn wake_all(&self, state: &State) {
        self.changes.fetch_add(1, Ordering::Relaxed);
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }
}

/// Closes the input of whose blocks `claim` is the last.
fn closed<'s>(input: Input<'s>, claim: Claim<'s>) -> Claim<'s> {
    let turn = claim.turn;
    match fault::catch(|| drop(input)) {
        Ok(()) => claim,
        Err(panic) => panicked(&panic, turn, "while the input was closed"),
    }
}

/// A panic in place of a block.
fn panicked<'s>(panic: &Panic, turn: Turn, place: &str) -> Claim<'s> {
    Claim {
        turn,
        next: Next::Nothing,
        body: Body::Panicked(panic.error(turn.input, place)),
    }
}
