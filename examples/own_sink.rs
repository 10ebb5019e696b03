//! A sink of one's own: prints the first three URIs of a file, then ends the run, and
//! reports what could not be read.

use std::io;
use std::ops::ControlFlow;
use urisieve::{Error, Sieve, Sink, input::Source, item::Finding};

struct First {
    left: usize,
}

impl Sink for First {
    fn finding(&mut self, finding: &Finding<'_>) -> io::Result<ControlFlow<()>> {
        println!("{}", String::from_utf8_lossy(finding.uri));
        self.left -= 1;
        Ok(match self.left {
            0 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        })
    }

    fn error(&mut self, error: Error) {
        eprintln!("{error}");
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut first = First { left: 3 };
    let path = std::env::args_os().nth(1).unwrap_or_default();
    let sieve = Sieve::builder().build();
    let stats = sieve.run([Source::Path(path.into())], &mut first)?;
    match stats.failed_inputs {
        0 => Ok(()),
        _ => Err("the file could not be read".into()),
    }
}
