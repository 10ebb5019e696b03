//! Standard output of the commands that only print text.

use crate::cli::report::{closed, messages};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use urisieve::output::Screen;

/// Returns the exit code of a command that only prints.
pub(in crate::cli) fn printed(result: io::Result<()>) -> ExitCode {
    let written = result.and_then(|()| closed::stdout());
    match written.and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            messages::usage(&format!("standard output: {error}"))
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Writes lines to standard output, with control characters escaped for a terminal.
pub(in crate::cli) fn print_lines(lines: &[u8]) -> io::Result<()> {
    closed::stdout()?;
    let mut out = io::stdout().lock();
    if !out.is_terminal() {
        return out.write_all(lines);
    }
    let mut safe = Vec::new();
    Screen::SAFE.lines(lines, &mut safe);
    out.write_all(&safe)
}
