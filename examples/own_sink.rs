//! A sink of one's own: prints the first three URIs of a file, then ends the run, and
//! reports what could not be read.

use std::io;
use urisieve::{Error, Finding, Sieve, Sink, Source};

struct First {
    left: usize,
}

impl Sink for First {
    fn finding(&mut self, finding: &Finding<'_>) -> io::Result<()> {
        println!("{}", String::from_utf8_lossy(finding.uri));
        self.left -= 1;
        match self.left {
            0 => Err(io::Error::other("enough")),
            _ => Ok(()),
        }
    }

    fn error(&mut self, error: Error) {
        eprintln!("{error}");
    }
}

fn main() -> Result<(), Error> {
    let mut first = First { left: 3 };
    let path = std::env::args_os().nth(1).unwrap_or_default();
    match Sieve::builder()
        .build()
        .run([Source::Path(path.into())], &mut first)
    {
        Err(_) if first.left == 0 => Ok(()),
        ended => ended.map(drop),
    }
}
