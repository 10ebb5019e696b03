//! Panics of the program: each is a bug, and reported as one. The hook remembers
//! where they were; the library only knows what they say. The code that catches a
//! panic reports it, and `main` those that were not caught.

use crate::cli::report::stderr;
use std::any::Any;
use std::fmt::Display;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

/// The request to the user who sees one.
const REPORT: &str = "this is a bug, please report it";

/// The panics of this process.
static SEEN: Mutex<LastPanic> = Mutex::new(LastPanic {
    panics: Vec::new(),
    is_reported: false,
});

struct LastPanic {
    /// The text and the place in the source of each panic.
    panics: Vec<(String, String)>,
    /// One of them was reported, or was to be.
    is_reported: bool,
}

/// Runs `command`, whatever panics in it or in a thread of it: the exit code is then 2.
pub(in crate::cli) fn reported(command: impl FnOnce() -> ExitCode) -> ExitCode {
    let noisy = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        remember(info);
        if noisy {
            print(info);
        }
    }));
    let code = panic::catch_unwind(AssertUnwindSafe(command));
    let code = code.unwrap_or_else(|payload| {
        // To drop it may panic again.
        std::mem::forget(payload);
        ExitCode::from(2)
    });
    let seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let Some((message, place)) = seen.panics.first() else {
        return code;
    };
    if !seen.is_reported {
        stderr::say(format_args!(
            "internal error: {message} ({place}); {REPORT}"
        ));
    }
    ExitCode::from(2)
}

fn remember(info: &PanicHookInfo) {
    let message = text(info.payload());
    let place = info.location();
    let place = place.map(|place| format!("{}:{}", place.file(), place.line()));
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    seen.panics.push((message, place.unwrap_or_default()));
}

/// The text of a panic, if it has one.
fn text(payload: &dyn Any) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    text.unwrap_or_default().to_owned()
}

/// The reach of a panic: the input that was read, or the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum PanicEnds {
    Input,
    Run,
}

/// Returns the report of a panic; `cause` ends with its message.
pub(in crate::cli) fn report(cause: &dyn Display, ends: PanicEnds) -> String {
    let cause = cause.to_string();
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    seen.is_reported = true;
    let place = seen.panics.iter().find(|panic| cause.ends_with(&panic.0));
    let place = place.map_or("", |panic| &panic.1);
    let ends = match ends {
        PanicEnds::Input => "the rest of the input is not read",
        PanicEnds::Run => "what comes before it is printed",
    };
    format!("internal error {cause} ({place}); {ends}; {REPORT}")
}
