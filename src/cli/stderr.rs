//! Standard error. What cannot be written there is dropped: a reader that went
//! away or a full disk changes neither the records nor the exit code.

use std::fmt::Arguments;
use std::io::{self, Write};

/// Writes a message after the name of the program.
pub(super) fn say(message: Arguments) {
    line(format_args!("urisieve: {message}"));
}

/// Writes a line, in one piece: lines of other processes do not mix with it.
pub(super) fn line(text: Arguments) {
    write(format!("{text}\n").as_bytes());
}

/// Writes `text` as it is.
pub(super) fn write(text: &[u8]) {
    let mut err = io::stderr().lock();
    let _ = err.write_all(text).and_then(|()| err.flush());
}
