//! What is said on standard error: `urisieve: FILE: OFFSET: cause`, the first
//! ten of a kind, then how many more.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use urisieve::engine::{Error, ErrorKind};
use urisieve::item::{Loss, LossKind};

/// Messages of one kind that are named one by one.
const NAMED: u64 = 10;

/// The names of the inputs, by their numbers.
#[derive(Clone, Debug)]
pub(super) struct Names {
    names: Arc<Mutex<Vec<Arc<[u8]>>>>,
    stdin: &'static str,
}

impl Names {
    pub(super) fn new(stdin: &'static str) -> Names {
        Names {
            names: Arc::default(),
            stdin,
        }
    }

    pub(super) fn add(&self, path: &Path) {
        self.push(path.as_os_str().as_encoded_bytes());
    }

    pub(super) fn add_stdin(&self) {
        self.push(self.stdin.as_bytes());
    }

    fn push(&self, name: &[u8]) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.push(Arc::from(name));
    }

    /// How many inputs there were.
    pub(super) fn count(&self) -> usize {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.len()
    }

    /// The name of an input.
    pub(super) fn get(&self, input: usize) -> Arc<[u8]> {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.get(input).cloned().unwrap_or_default()
    }
}

/// Says what went wrong.
#[derive(Debug)]
pub(super) struct Messages {
    names: Names,
    max_length: usize,
    /// Whether anything is said at all.
    speaks: bool,
    errors: u64,
    too_long: u64,
}

impl Messages {
    pub(super) fn new(names: Names, max_length: usize, speaks: bool) -> Messages {
        Messages {
            names,
            max_length,
            speaks,
            errors: 0,
            too_long: 0,
        }
    }

    pub(super) fn error(&mut self, error: &Error) {
        self.errors += 1;
        if self.errors > NAMED {
            return;
        }
        let cause = error.cause();
        match error.kind() {
            ErrorKind::Open(input) => self.say(input, format_args!("{cause}")),
            ErrorKind::Read(input, offset) => self.say(input, format_args!("{offset}: {cause}")),
            _ => self.fatal(error),
        }
    }

    pub(super) fn loss(&mut self, loss: &Loss) {
        match loss.kind {
            LossKind::TooLong => {
                self.too_long += 1;
                if self.too_long <= NAMED {
                    let (offset, most) = (loss.offset, self.max_length);
                    self.say(
                        loss.input,
                        format_args!(
                            "{offset}: a URI longer than {most} bytes is not printed; \
                             --max-length raises the limit"
                        ),
                    );
                }
            }
            _ => self.say(
                loss.input,
                format_args!("{}: something is lost", loss.offset),
            ),
        }
    }

    /// Says how many were not named; true when there was any message.
    pub(super) fn finish(&self) -> bool {
        for (count, what) in [
            (self.errors, "inputs could not be read"),
            (self.too_long, "URIs were longer than the limit"),
        ] {
            if count > NAMED && self.speaks {
                eprintln!("urisieve: {} more {what}, {count} in all", count - NAMED);
            }
        }
        self.errors + self.too_long > 0
    }

    /// Says why the run stopped.
    pub(super) fn fatal(&self, error: &Error) {
        if self.speaks {
            eprintln!("urisieve: {error}");
        }
    }

    fn say(&self, input: usize, what: std::fmt::Arguments) {
        if !self.speaks {
            return;
        }
        let name = self.names.get(input);
        eprintln!("urisieve: {}: {what}", printable(&name));
    }
}

/// A name without what a terminal would obey.
fn printable(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    name.chars()
        .map(|c| if c.is_control() { '\u{FFFD}' } else { c })
        .collect()
}

/// Flags that do not fit together.
pub(super) fn usage(message: &str) {
    eprintln!("urisieve: {message}");
}
