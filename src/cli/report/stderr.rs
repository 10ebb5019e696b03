//! Standard error. Failures to write there are ignored: a closed pipe or a full disk
//! changes neither the records nor the exit code.

use crate::cli::report::printable::printable;
use std::fmt::Arguments;
use std::io::{self, Write};

/// Writes a message of one line after the name of the program. Names in the message may
/// come from anywhere: control characters are escaped on a terminal.
pub(in crate::cli) fn say(message: Arguments) {
    let message = printable(message.to_string().as_bytes());
    line(format_args!("urisieve: {message}"));
}

/// Writes a line in one piece, so that lines of other processes do not mix with it.
pub(in crate::cli) fn line(text: Arguments) {
    write(format!("{text}\n").as_bytes());
}

/// Writes `text` as it is.
pub(in crate::cli) fn write(text: &[u8]) {
    let mut err = io::stderr().lock();
    let _ = err.write_all(text).and_then(|()| err.flush());
}

/// Returns a number of things, as a sentence has it: `1 record`, `2 records`.
pub(in crate::cli) fn number_of(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
