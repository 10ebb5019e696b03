//! Prints every URI of a file, or of standard input, and the bytes that it takes there.

use std::io::{self, Read, Write};

fn main() -> io::Result<()> {
    let mut text = Vec::new();
    match std::env::args_os().nth(1) {
        Some(path) => text = std::fs::read(path)?,
        None => drop(io::stdin().read_to_end(&mut text)?),
    }
    let mut out = io::stdout().lock();
    for found in urisieve::find(&text) {
        let uri = String::from_utf8_lossy(found.uri());
        writeln!(out, "{:?} {uri}", found.range())?;
    }
    Ok(())
}
