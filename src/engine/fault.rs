//! Turns a panic into an error. A panic is caught where the input and the work in progress
//! are known. One in what reads an input ends the input; one in a callback, in the sink or
//! in the engine ends the run.

use crate::engine::error::{Error, ErrorKind};
use std::any::Any;
use std::fmt::Display;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A panic that was caught.
#[derive(Clone, Debug)]
pub(super) struct Panic {
    message: String,
    /// A function of the caller panicked, not a stage.
    pub is_of_caller: bool,
}

/// The payload of a panic of a function of the caller.
struct OfCaller(Box<dyn Any + Send>);

/// Does `work` and returns its result, or its panic. After a panic, values that `work`
/// was changing may be inconsistent: the caller must not use them any more.
pub(super) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Panic> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match payload.downcast::<OfCaller>() {
        Ok(of_caller) => Panic {
            message: message(of_caller.0),
            is_of_caller: true,
        },
        Err(payload) => Panic {
            message: message(payload),
            is_of_caller: false,
        },
    })
}

/// Calls a function of the caller while an input is read. If it panics, the panic that
/// [`catch`] returns says so.
pub(super) fn call<T>(function: impl FnOnce() -> T) -> T {
    let called = catch_unwind(AssertUnwindSafe(function));
    called.unwrap_or_else(|payload| resume_unwind(Box::new(OfCaller(payload))))
}

/// Returns the message of a panic.
fn message(payload: Box<dyn Any + Send>) -> String {
    let payload = match payload.downcast::<String>() {
        Ok(text) => return *text,
        Err(payload) => payload,
    };
    match payload.downcast::<&'static str>() {
        Ok(text) => (*text).to_owned(),
        Err(payload) => {
            // The payload may be a type of the caller, whose destructor may panic.
            std::mem::forget(payload);
            "a panic whose payload is not text".to_owned()
        }
    }
}

impl Panic {
    /// Returns the error of a run or of an input that this panic ends. `place` names where
    /// the panic occurred.
    pub(super) fn error(&self, input: usize, place: impl Display) -> Error {
        let cause = io::Error::other(format!("{place}: {}", self.message));
        let error = Error::new(ErrorKind::Panic(input), cause);
        match self.is_of_caller {
            true => error.of_caller(),
            false => error,
        }
    }

    /// Resumes the panic on this thread.
    pub(super) fn resume(self) -> ! {
        resume_unwind(Box::new(self.message))
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::{Mode, Sieve, each};
    use crate::item::Finding;

    #[test]
    fn a_closure_of_the_caller_is_named() {
        let sieve = Sieve::builder().mode(Mode::All).build();
        let text = b"http://a.example/";
        let panics = |_: &Finding| {
            if !text.is_empty() {
                panic!("mine")
            }
        };
        let errors = [
            sieve.for_each(text, panics).map(drop),
            sieve.run_here([&text[..]], &mut each(panics)).map(drop),
            sieve
                .text_search()
                .and_then(|mut search| search.search(text, panics)),
        ];
        for error in errors {
            let shown = error.unwrap_err().to_string();
            let start = "input 0: a function of the caller panicked while ";
            assert!(
                shown.starts_with(start) && shown.ends_with(": mine"),
                "{shown}"
            );
        }
    }
}
