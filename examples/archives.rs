//! Prints every URI in the files below a directory, compressed or archived ones too: the
//! number of the file, the place in it, and the URI. Ends at the first pipe that is closed.

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use urisieve::{Mode, Sieve, input::Walk};

fn main() -> Result<(), Box<dyn Error>> {
    let directory = PathBuf::from(std::env::args_os().nth(1).unwrap_or_else(|| ".".into()));
    let sieve = Sieve::builder().mode(Mode::All).threads(2).build();
    let mut out = io::stdout().lock();
    let mut failed = 0;
    for finding in sieve.findings(Walk::default().sources(&directory)) {
        match finding {
            Ok(finding) => {
                let member = finding.context.member.as_deref().unwrap_or_default();
                let member = String::from_utf8_lossy(member);
                let uri = String::from_utf8_lossy(&finding.uri);
                writeln!(
                    out,
                    "{}\t{member}\t{}\t{uri}",
                    finding.input, finding.offset
                )?;
            }
            Err(error) => {
                eprintln!("{error}");
                failed += 1;
            }
        }
    }
    match failed {
        0 => Ok(()),
        _ => Err("not all files could be read".into()),
    }
}
