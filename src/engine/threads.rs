//! Threads for one piece of work that is shared: a pool of rayon, or scoped threads in a build
//! without it.

use super::{Error, ErrorKind};

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
        .map_err(|cause| Error::new(ErrorKind::Threads, std::io::Error::other(cause)))?;
    pool.broadcast(|_| work());
    Ok(())
}

/// Does the same without rayon and its crates.
#[cfg(not(feature = "rayon"))]
pub(super) fn call_on(threads: usize, work: impl Fn() + Sync) -> Result<(), Error> {
    use super::lock::lock;

    let may_work = std::sync::Mutex::new(false);
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
