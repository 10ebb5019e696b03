//! Codes pieces of output on several threads and returns them in order. The caller
//! chooses the coding and writes the bytes, so an error of the destination never occurs
//! on another thread.

use std::collections::VecDeque;
use std::io;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

/// The number of pieces that may wait for each thread, besides the one that it codes.
const AHEAD: usize = 2;

/// Turns the bytes of a piece into those that are written.
pub(in crate::cli) trait Coder: Send {
    /// Appends the coded bytes of `piece` to its `coded`.
    ///
    /// # Errors
    /// Errors of the coding; no piece follows then.
    fn code(&mut self, piece: &mut OutputPiece) -> io::Result<()>;
}

/// A part of the output. Its buffers are used again.
#[derive(Debug, Default)]
pub(in crate::cli) struct OutputPiece {
    pub bytes: Vec<u8>,
    /// The number of bytes at the beginning that belong to the piece before it.
    pub before: usize,
    pub end: PieceEnd,
    pub coded: Vec<u8>,
}

/// The follower of a piece: another piece, a pause or the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) enum PieceEnd {
    #[default]
    Piece,
    /// A pause: a reader can decode all that was written so far.
    Pause,
    Nothing,
}

/// The coders, and which threads they belong to.
pub(in crate::cli) enum Coders {
    /// Each piece is coded on its own. The last coder belongs to the thread of the caller,
    /// which codes when it would have to wait. Each other one has a thread.
    Alike(Vec<Box<dyn Coder>>),
    /// One coder codes all pieces in order: on another thread if `true`, else on the
    /// thread of the caller.
    Single(Box<dyn Coder>, bool),
}

/// Pieces that are being coded. Threads are started when a second piece follows the
/// first: short outputs need none.
pub(in crate::cli) struct Pieces {
    /// The coder of this thread.
    own: Option<Box<dyn Coder>>,
    /// Those of threads that are not started yet.
    others: Vec<Box<dyn Coder>>,
    threads: Vec<JoinHandle<()>>,
    queue: Arc<Queue>,
    /// Pieces that were not returned yet, in order.
    pending: VecDeque<Receiver<io::Result<OutputPiece>>>,
}

/// Pieces that no thread has taken yet.
#[derive(Default)]
struct Queue {
    state: Mutex<QueueState>,
    added: Condvar,
}

#[derive(Default)]
struct QueueState {
    jobs: VecDeque<Job>,
    closed: bool,
}

struct Job {
    piece: OutputPiece,
    /// Dropped without a message when coding panics; the caller then receives an error.
    done: Sender<io::Result<OutputPiece>>,
}

impl Pieces {
    pub(in crate::cli) fn new(coders: Coders) -> Pieces {
        let (own, others) = match coders {
            Coders::Alike(mut coders) => (coders.pop(), coders),
            Coders::Single(coder, true) => (None, vec![coder]),
            Coders::Single(coder, false) => (Some(coder), Vec::new()),
        };
        Pieces {
            own,
            others,
            threads: Vec::new(),
            queue: Arc::default(),
            pending: VecDeque::new(),
        }
    }

    /// Adds a piece. Call [`next`](Pieces::next) until there is nothing after it.
    ///
    /// # Errors
    /// Errors of starting threads and, where the piece is coded here, of coding.
    pub(in crate::cli) fn add(&mut self, mut piece: OutputPiece) -> io::Result<()> {
        let (done, receiver) = channel();
        let is_short = self.threads.is_empty() && piece.end != PieceEnd::Piece;
        let here = match is_short {
            true => self.own.as_mut().or(self.others.last_mut()),
            false if self.others.is_empty() && self.threads.is_empty() => self.own.as_mut(),
            false => None,
        };
        self.pending.push_back(receiver);
        if let Some(coder) = here {
            coder.code(&mut piece)?;
            let _ = done.send(Ok(piece));
            return Ok(());
        }
        self.start()?;
        self.queue.lock().jobs.push_back(Job { piece, done });
        self.queue.added.notify_one();
        Ok(())
    }

    /// Returns the next piece, if it is coded. Waits for it if too many pieces are being
    /// coded or, with `all`, if there is any.
    ///
    /// # Errors
    /// Errors of coding.
    ///
    /// # Panics
    /// If coding panicked.
    pub(in crate::cli) fn next(&mut self, all: bool) -> io::Result<Option<OutputPiece>> {
        let most = match all {
            true => 0,
            false => self.threads.len() * (1 + AHEAD),
        };
        while let Some(first) = self.pending.front() {
            let done = match first.try_recv() {
                Err(TryRecvError::Empty) if self.pending.len() <= most => return Ok(None),
                done => done.ok(),
            };
            if done.is_none() && self.help() {
                continue;
            }
            let first = self.pending.pop_front();
            return match done.or_else(|| first?.recv().ok()) {
                Some(piece) => piece.map(Some),
                None => Err(self.fail()),
            };
        }
        Ok(None)
    }

    /// Codes a piece on this thread. Returns false if this thread has no coder or no piece
    /// waits.
    fn help(&mut self) -> bool {
        let Some(coder) = &mut self.own else {
            return false;
        };
        let job = self.queue.lock().jobs.pop_front();
        let Some(job) = job else {
            return false;
        };
        job.work(&mut **coder);
        true
    }

    fn start(&mut self) -> io::Result<()> {
        for mut coder in self.others.drain(..) {
            let queue = Arc::clone(&self.queue);
            let work = move || {
                while let Some(job) = queue.wait() {
                    job.work(&mut *coder);
                }
            };
            let thread = Builder::new().name("output".to_owned()).spawn(work)?;
            self.threads.push(thread);
        }
        Ok(())
    }

    /// Resumes the panic of the thread that should have coded a piece.
    fn fail(&mut self) -> io::Error {
        for thread in self.stop() {
            if let Err(panic) = thread.join() {
                resume_unwind(panic);
            }
        }
        io::Error::other("a part of the output is missing")
    }

    /// Makes the threads end, and returns them.
    fn stop(&mut self) -> Vec<JoinHandle<()>> {
        let mut state = self.queue.lock();
        state.closed = true;
        state.jobs.clear();
        drop(state);
        self.queue.added.notify_all();
        std::mem::take(&mut self.threads)
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        for thread in self.stop() {
            // The pieces are not needed any more.
            let _ = thread.join();
        }
    }
}

impl Job {
    fn work(mut self, coder: &mut dyn Coder) {
        let done = coder.code(&mut self.piece).map(|()| self.piece);
        // If the receiver is gone, the run is ending.
        let _ = self.done.send(done);
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next piece. Returns `None` after the last one.
    fn wait(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            match state.jobs.pop_front() {
                Some(job) => return Some(job),
                None if state.closed => return None,
                None => {
                    let waited = self.added.wait(state);
                    state = waited.unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Writes the bytes twice; panics at `P`, fails at `E`.
    struct Twice;

    impl Coder for Twice {
        fn code(&mut self, piece: &mut OutputPiece) -> io::Result<()> {
            match piece.bytes.first() {
                Some(b'P') => panic!("the piece asks for it"),
                Some(b'E') => return Err(io::ErrorKind::InvalidData.into()),
                _ => {}
            }
            piece.coded.extend_from_slice(&piece.bytes);
            piece.coded.extend_from_slice(&piece.bytes);
            Ok(())
        }
    }

    fn all_coders() -> Vec<Coders> {
        let alike = |count| Coders::Alike((0..count).map(|_| Box::new(Twice) as _).collect());
        let single = |apart| Coders::Single(Box::new(Twice), apart);
        vec![alike(1), alike(2), alike(8), single(false), single(true)]
    }

    /// The results of pieces that begin with these bytes; the last one is the end.
    fn coded(coders: Coders, first: &[u8]) -> io::Result<Vec<u8>> {
        let mut pieces = Pieces::new(coders);
        let mut coded = Vec::new();
        for (number, &byte) in first.iter().enumerate() {
            let is_last = number + 1 == first.len();
            pieces.add(OutputPiece {
                bytes: vec![byte],
                end: if is_last {
                    PieceEnd::Nothing
                } else {
                    PieceEnd::Piece
                },
                ..OutputPiece::default()
            })?;
            while let Some(piece) = pieces.next(is_last)? {
                coded.extend(piece.coded);
            }
        }
        Ok(coded)
    }

    #[test]
    fn pieces_come_back_in_their_order() {
        for coders in all_coders() {
            let bytes: Vec<u8> = (0..60).collect();
            let twice: Vec<u8> = bytes.iter().flat_map(|&byte| [byte, byte]).collect();
            assert_eq!(coded(coders, &bytes).unwrap(), twice);
        }
        for coders in all_coders() {
            assert_eq!(coded(coders, b"a").unwrap(), b"aa");
        }
    }

    #[test]
    fn an_error_comes_back() {
        for at in [0, 7, 59] {
            let mut bytes = [b'a'; 60];
            bytes[at] = b'E';
            for coders in all_coders() {
                let error = coded(coders, &bytes).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::InvalidData);
            }
        }
    }

    #[test]
    fn a_panic_goes_on_here() {
        for at in [0, 7, 59] {
            let mut bytes = [b'a'; 60];
            bytes[at] = b'P';
            for coders in all_coders() {
                let ended = catch_unwind(AssertUnwindSafe(|| coded(coders, &bytes)));
                let panic = ended.unwrap_err();
                assert_eq!(panic.downcast_ref(), Some(&"the piece asks for it"));
            }
        }
    }
}
