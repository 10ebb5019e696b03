//! Takes locks that a panicking thread may have held: the other threads continue until the
//! run stops.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes the lock, also when a thread panicked while it held it. The run ends with that
/// panic, and what the thread left unfinished is not used.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
