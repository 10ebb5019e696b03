//! A value that the threads of Python share: one uses it, and the others wait without the
//! interpreter's lock.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A value, and the thread that uses it.
#[derive(Debug)]
pub(crate) struct Shared<T> {
    value: Mutex<T>,
    /// The number of the thread that uses the value; 0 for none.
    user: AtomicU64,
}

impl<T> Shared<T> {
    pub(crate) fn new(value: T) -> Shared<T> {
        Shared {
            value: Mutex::new(value),
            user: AtomicU64::new(0),
        }
    }

    /// Runs `work` on the value, when no other thread uses it any more.
    ///
    /// # Errors
    /// The errors of `work`, and `RuntimeError` in a handler of a signal that interrupts a use of
    /// the value by the same thread.
    pub(crate) fn with<R>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut T) -> PyResult<R>,
    ) -> PyResult<R> {
        let thread = thread_number();
        if self.user.load(Ordering::Relaxed) == thread {
            let why = "it is in use by the call that the handler of a signal interrupts";
            return Err(PyRuntimeError::new_err(why));
        }
        let value = self.value.lock_py_attached(py);
        let mut value = value.unwrap_or_else(PoisonError::into_inner);
        let _user = User::new(&self.user, thread);
        work(&mut value)
    }

    /// Locks the value in a thread that has released the interpreter's lock.
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does the same, unless another thread uses the value.
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        self.value.try_lock().ok()
    }
}

/// The use of a value by a thread, which ends when it is dropped.
struct User<'u>(&'u AtomicU64);

impl User<'_> {
    fn new(user: &AtomicU64, thread: u64) -> User<'_> {
        user.store(thread, Ordering::Relaxed);
        User(user)
    }
}

impl Drop for User<'_> {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// Returns the number of this thread, from 1.
fn thread_number() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static NUMBER: u64 = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    }
    NUMBER.with(|number| *number)
}
