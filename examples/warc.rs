//! Prints every URI in the records of a web archive, behind the URI of its record.

use urisieve::{Error, Mode, Sieve, Source};

fn main() -> Result<(), Error> {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    let archives = paths.into_iter().map(|path| Source::Path(path.into()));
    let sieve = Sieve::builder().mode(Mode::All).build();
    sieve.for_each_in(archives, |finding| {
        let record = finding.context.warc.unwrap_or_default();
        let target = String::from_utf8_lossy(record.target_uri);
        println!("{target}\t{}", String::from_utf8_lossy(finding.uri));
    })?;
    Ok(())
}
