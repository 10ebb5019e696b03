//! Threads for one piece of work that is shared: a pool of rayon, or scoped threads in a build
//! without it.

use super::lock::lock;
use super::{Error, ErrorKind, fault};
use std::io;
use std::sync::{Mutex, PoisonError};

/// Calls `work` on this many threads, or on this one. Each gives it what takes the next of
/// `items`, until none is left, or `work` fails on one of the threads; `place` says where.
///
/// # Errors
/// The error of a set, or a panic, of the first that failed. Errors of starting a thread.
pub(super) fn share<T: Send>(
    (threads, place): (usize, &str),
    items: Vec<T>,
    work: impl Fn(&mut dyn FnMut() -> Option<T>) -> io::Result<()> + Sync,
) -> Result<(), Error> {
    let threads = threads.min(items.len());
    let (left, failed) = (Mutex::new(items), Mutex::new(None));
    let work = || {
        let error = match fault::catch(|| work(&mut || lock(&left).pop())) {
            Ok(Ok(())) => return,
            Ok(Err(cause)) => Error::of_set(cause),
            Err(panic) => panic.error(0, place),
        };
        lock(&left).clear();
        lock(&failed).get_or_insert(error);
    };
    if threads <= 1 {
        work();
    } else {
        call_on(threads, work)?;
    }
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Calls `work`, which catches its panics, on this many new threads at the same time, and
/// waits for them.
///
/// # Errors
/// Errors of starting a thread. Then `work` is not called at all.
#[cfg(feature = "rayon")]
pub(super) fn call_on(threads: usize, work: impl Fn() + Sync) -> Result<(), Error> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|cause| Error::new(ErrorKind::Threads, io::Error::other(cause)))?;
    pool.broadcast(|_| work());
    Ok(())
}

/// Does the same without rayon and its crates.
#[cfg(not(feature = "rayon"))]
pub(super) fn call_on(threads: usize, work: impl Fn() + Sync) -> Result<(), Error> {
    let may_work = Mutex::new(false);
    std::thread::scope(|scope| {
        let mut held = lock(&may_work);
        for _ in 0..threads {
            let work = || {
                let may_work = *lock(&may_work);
                if may_work {
                    work();
                }
            };
            let started = std::thread::Builder::new().spawn_scoped(scope, work);
            started.map_err(|cause| Error::new(ErrorKind::Threads, cause))?;
        }
        *held = true;
        Ok(())
    })
}
