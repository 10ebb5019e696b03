//! Locking, where a thread may have panicked while it held the lock: the others
//! go on, at least until the run stops.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks. What a panicking thread left half done is used by nobody: its panic was
/// caught inside the lock, and ends the run.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
