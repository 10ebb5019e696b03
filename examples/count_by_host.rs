//! Counts the URIs of files by host, most frequent first. Files may be compressed.

use std::error::Error;
use urisieve::{CountBy, Mode, Sieve, input::Source};

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    let files = paths.into_iter().map(|path| Source::Path(path.into()));
    let sieve = Sieve::builder()
        .mode(Mode::Count)
        .count_by(CountBy::Host)
        .threads(2)
        .build();
    let stats = sieve.for_each_in(files, |counted| {
        let host = String::from_utf8_lossy(counted.uri);
        println!("{:>7} {host}", counted.count.unwrap_or_default());
    })?;
    match stats.failed_inputs {
        0 => Ok(()),
        failed => Err(format!("{failed} of the files could not be read").into()),
    }
}
