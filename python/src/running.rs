//! Runs calls without the interpreter's lock, so that Ctrl-C ends them, and turns a
//! panic into a `RuntimeError`.

use crate::boundary::message;
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;
use urisieve::{Error, ErrorKind};

/// Texts with fewer bytes are processed before a user can press a key.
pub(crate) const SHORT: usize = 1 << 20;

/// The interval at which signals are checked.
pub(crate) const GLANCE: Duration = Duration::from_millis(40);

/// Runs `work`; a panic is an exception.
///
/// # Errors
/// The errors of `work`, and `RuntimeError` for a panic, which is a bug.
pub(crate) fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(bug(message(&*panic))))
}

/// Returns the exception for a panic.
pub(crate) fn bug(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("{what} (this is a bug, please report it)"))
}

/// Runs `work` on `size` bytes without the interpreter's lock. Long work runs on its own
/// thread, so that a signal such as that of Ctrl-C is handled: the signal sets `cancel`,
/// which must end the work soon.
///
/// # Errors
/// The exception that a signal raises, and `RuntimeError` for a panic.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    size: usize,
    cancel: &AtomicBool,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let mut work = Some(work);
    let done = match size < SHORT {
        true => None,
        false => py.detach(|| beside(cancel, &mut work))?,
    };
    let result = match (done, work) {
        (Some(result), _) => result,
        (None, Some(work)) => py.detach(|| catch_unwind(AssertUnwindSafe(work))),
        (None, None) => return Err(bug("the work is gone")),
    };
    result.map_err(|panic| bug(message(&*panic)))
}

/// Runs `work` on another thread; returns `None` and leaves `work` when no thread can
/// be started.
fn beside<T: Send, W: FnOnce() -> T + Send>(
    cancel: &AtomicBool,
    work: &mut Option<W>,
) -> PyResult<Option<thread::Result<T>>> {
    let slot = std::sync::Mutex::new(work.take());
    let (done, waiting) = mpsc::channel();
    let result = thread::scope(|scope| {
        let slot = &slot;
        let started = thread::Builder::new().spawn_scoped(scope, move || {
            let work = slot.lock().ok().and_then(|mut slot| slot.take());
            if let Some(work) = work {
                let _ = done.send(catch_unwind(AssertUnwindSafe(work)));
            }
        });
        if started.is_err() {
            return Ok(None);
        }
        loop {
            match waiting.recv_timeout(GLANCE) {
                Ok(result) => return Ok(Some(result)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(raised) = Python::attach(|py| py.check_signals()) {
                        cancel.store(true, Ordering::Relaxed);
                        let _ = waiting.recv();
                        return Err(raised);
                    }
                }
            }
        }
    });
    *work = slot.into_inner().unwrap_or_default();
    result
}

/// The least number of rows for which a thread is started, if rows are short.
pub(crate) const SHORT_ROWS: usize = 1 << 11;

/// Runs `work` in `threads` threads on parts of `rows` rows, at `least` so many in each;
/// returns the results in order.
pub(crate) fn in_parts<T: Send>(
    rows: usize,
    threads: usize,
    least: usize,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> impl Iterator<Item = T> {
    let threads = threads.min(rows / least).max(1);
    let step = rows.div_ceil(threads);
    let part = |at: usize| (at * step).min(rows)..((at + 1) * step).min(rows);
    side_by_side(threads, |at| work(part(at))).into_iter()
}

/// Runs `work` in `threads` threads with the number of each; returns the results in their
/// order.
pub(crate) fn side_by_side<T: Send>(threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let work = &work;
    thread::scope(|scope| {
        let start = |at: usize| {
            let started = thread::Builder::new().spawn_scoped(scope, move || work(at));
            (at, started)
        };
        let others: Vec<_> = (1..threads).map(start).collect();
        let mut done = vec![work(0)];
        done.extend(others.into_iter().map(
            |(at, other)| match other.map(ScopedJoinHandle::join) {
                Ok(Ok(result)) => result,
                Ok(Err(panic)) => resume_unwind(panic),
                // No further thread can be started.
                Err(_) => work(at),
            },
        ));
        done
    })
}

/// # Errors
/// `RuntimeError`, if texts in memory `failed`: only a bug keeps one from being searched.
pub(crate) fn all_searched(failed: u64) -> PyResult<()> {
    match failed {
        0 => Ok(()),
        failed => Err(bug(&format!("{failed} texts could not be searched"))),
    }
}

/// Returns the exception for an error of a run.
pub(crate) fn run_error(error: &Error) -> PyErr {
    match error.kind() {
        ErrorKind::Panic(_) => bug(&error.cause().to_string()),
        _ => os_error(error.cause(), None),
    }
}

/// Returns the `OSError` for `error`; Python chooses the subclass by its number.
pub(crate) fn os_error(error: &io::Error, path: Option<&str>) -> PyErr {
    match (error.raw_os_error(), path) {
        (Some(number), Some(path)) => {
            PyOSError::new_err((number, plain(error, number), path.to_owned()))
        }
        (Some(number), None) => PyOSError::new_err((number, plain(error, number))),
        (None, Some(path)) => PyOSError::new_err(format!("{path}: {error}")),
        (None, None) => PyOSError::new_err(error.to_string()),
    }
}

/// Returns the text of an error without its number, which Python adds.
fn plain(error: &io::Error, number: i32) -> String {
    let text = error.to_string();
    let suffix = format!(" (os error {number})");
    text.strip_suffix(&suffix).unwrap_or(&text).to_owned()
}
