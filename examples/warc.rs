//! Prints every URI in the records of web archives, behind the URI of its record, and names
//! the archives that could not be read.

use std::io;
use std::ops::ControlFlow;
use urisieve::{Error, Mode, Sieve, Sink, input::Source, item::Finding};

struct Print;

impl Sink for Print {
    fn finding(&mut self, finding: &Finding<'_>) -> io::Result<ControlFlow<()>> {
        let record = finding.context.warc.unwrap_or_default();
        let target = String::from_utf8_lossy(record.target_uri);
        println!("{target}\t{}", String::from_utf8_lossy(finding.uri));
        Ok(ControlFlow::Continue(()))
    }

    fn error(&mut self, error: Error) {
        eprintln!("{error}");
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    let archives = paths.into_iter().map(|path| Source::Path(path.into()));
    let sieve = Sieve::builder().mode(Mode::All).build();
    let stats = sieve.run(archives, &mut Print)?;
    match stats.failed_inputs {
        0 => Ok(()),
        _ => Err("not all archives could be read".into()),
    }
}
