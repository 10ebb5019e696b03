//! Reads a log line by line, as it grows, and prints for each URI the number of its line and
//! the URI, without passwords and tokens.

use std::error::Error;
use std::io::{self, BufRead, Write};
use urisieve::canonicalize::Redactor;
use urisieve::{Mode, Sieve};

fn main() -> Result<(), Box<dyn Error>> {
    let mut input: Box<dyn BufRead> = match std::env::args_os().nth(1) {
        Some(path) => Box::new(io::BufReader::new(std::fs::File::open(path)?)),
        None => Box::new(io::stdin().lock()),
    };
    let sieve = Sieve::builder()
        .mode(Mode::All)
        .refang(true)
        .redact(Redactor::secrets())
        .build();
    // A search keeps its buffers, and so does the loop.
    let (mut search, mut line) = (sieve.text_search()?, Vec::new());
    let mut out = io::stdout().lock();
    let mut written = Ok(());
    while written.is_ok() && input.read_until(b'\n', &mut line)? > 0 {
        search.search(&line, |finding| {
            let number = finding.input + 1;
            let uri = String::from_utf8_lossy(finding.uri);
            let line = writeln!(out, "{number}\t{uri}");
            written = std::mem::replace(&mut written, Ok(())).and(line);
        })?;
        line.clear();
    }
    Ok(written?)
}
