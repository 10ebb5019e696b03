//! Locking, where a thread may have panicked while it held the lock: the others
//! go on.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks; what a panicking thread left is still whole, every change being one step.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
