//! A panic as an error of the run: caught where it is known what was being done,
//! and of which input. Who ends the run is left to `crew` and `write`.

use super::error::{Error, ErrorKind};
use std::any::Any;
use std::fmt::Display;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A panic that was caught.
#[derive(Clone, Debug)]
pub(super) struct Panic {
    message: String,
}

/// Does `work`, or gives its panic. What `work` changes may be half changed then:
/// the caller uses it no more.
pub(super) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Panic> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| Panic {
        message: message(payload),
    })
}

/// What a panic says.
fn message(payload: Box<dyn Any + Send>) -> String {
    let payload = match payload.downcast::<String>() {
        Ok(text) => return *text,
        Err(payload) => payload,
    };
    match payload.downcast::<&'static str>() {
        Ok(text) => (*text).to_owned(),
        Err(payload) => {
            // To drop what somebody else made may panic again.
            std::mem::forget(payload);
            "a panic whose payload is no text".to_owned()
        }
    }
}

impl Panic {
    /// The error of a run that it ends; `place` says where it was met.
    pub(super) fn error(&self, input: usize, place: impl Display) -> Error {
        let cause = io::Error::other(format!("{place}: {}", self.message));
        Error::new(ErrorKind::Panic(input), cause)
    }

    /// Goes on with it on this thread.
    pub(super) fn resume(self) -> ! {
        resume_unwind(Box::new(self.message))
    }
}
