//! Threads for one piece of work that is shared: a pool of rayon, or scoped threads in a build
//! without it.

use super::lock::lock;
use super::{Error, ErrorKind, THREADS_MAX, fault};
use crate::indicators::{ListJob, ListJobs, MatcherBuilder};
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
    call_on(threads, &work)?;
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

impl MatcherBuilder {
    /// Sets how many threads read lists of lines and build the tables; default 1. The matcher is the
    /// same with every number. If threads cannot be started, this one does the work.
    ///
    /// ```
    /// let mut builder = urisieve::Matcher::builder().threads(2);
    /// builder.add_list("l", &b"a.example\nb.example\n"[..], |_| ())?;
    /// assert!(builder.build().matches(b"http://b.example/"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn threads(self, threads: usize) -> MatcherBuilder {
        self.jobs(ListJobs {
            threads: threads.clamp(1, THREADS_MAX),
            run: run_jobs,
        })
    }
}

fn run_jobs(threads: usize, jobs: Vec<ListJob>) {
    let threads = threads.min(jobs.len());
    let left = Mutex::new(jobs);
    let work = || {
        loop {
            let Some(job) = lock(&left).pop() else { break };
            job();
        }
    };
    if call_on(threads, &work).is_err() {
        work();
    }
}

/// Calls `work`, which catches its panics, on this thread and on new ones, together this many, and
/// waits for all. A thread that only waits would keep its processor from a new one: two that are
/// woken at the same time would share the other one.
///
/// # Errors
/// Errors of starting a thread. Then `work` is not called at all.
pub(super) fn call_on(threads: usize, work: &(dyn Fn() + Sync)) -> Result<(), Error> {
    match threads {
        0 | 1 => {
            work();
            Ok(())
        }
        _ => call_beside(threads - 1, work),
    }
}

/// Calls `work` on this thread and on this many new ones, which a pool of rayon has.
#[cfg(feature = "rayon")]
fn call_beside(more: usize, work: &(dyn Fn() + Sync)) -> Result<(), Error> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(more)
        .build()
        .map_err(|cause| Error::new(ErrorKind::Threads, io::Error::other(cause)))?;
    pool.in_place_scope(|scope| {
        scope.spawn_broadcast(|_, _| work());
        work();
    });
    Ok(())
}

/// Does the same without rayon and its crates.
#[cfg(not(feature = "rayon"))]
fn call_beside(more: usize, work: &(dyn Fn() + Sync)) -> Result<(), Error> {
    let may_work = Mutex::new(false);
    std::thread::scope(|scope| {
        let mut held = lock(&may_work);
        for _ in 0..more {
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
        drop(held);
        work();
        Ok(())
    })
}
