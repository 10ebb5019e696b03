//! Threads for one piece of work that is shared.

use super::lock::lock;
use super::{Error, ErrorKind};
use std::sync::Mutex;
use std::thread;

/// Calls `work`, which catches its panics, on this many new threads at the same time, and
/// waits for them.
///
/// # Errors
/// Errors of starting a thread. Then `work` is not called at all.
pub(super) fn call_on(threads: usize, work: impl Fn() + Sync) -> Result<(), Error> {
    let may_work = Mutex::new(false);
    thread::scope(|scope| {
        let mut held = lock(&may_work);
        for _ in 0..threads {
            let work = || {
                let may_work = *lock(&may_work);
                if may_work {
                    work();
                }
            };
            let started = thread::Builder::new().spawn_scoped(scope, work);
            started.map_err(|cause| Error::new(ErrorKind::Threads, cause))?;
        }
        *held = true;
        Ok(())
    })
}
