//! The frontier of a crawler: reads references, one a line, each after the page that has it
//! and a tab, and prints each URI that is to be fetched, once.

use std::error::Error;
use std::io::{self, BufRead, Write};
use urisieve::Seen;
use urisieve::canonicalize::{Canonicalizer, Level};
use urisieve::syntax::Parts;
use urisieve::syntax::resolve::{Rules, target};

fn main() -> Result<(), Box<dyn Error>> {
    let input: Box<dyn BufRead> = match std::env::args_os().nth(1) {
        Some(path) => Box::new(io::BufReader::new(std::fs::File::open(path)?)),
        None => Box::new(io::stdin().lock()),
    };
    let canonicalizer = Canonicalizer::new(Level::Scheme)
        .strip_fragment(true)
        .drop_tracking();
    let mut seen = Seen::new(canonicalizer).max_memory(1 << 30);
    let mut out = io::stdout().lock();
    for line in input.lines() {
        let line = line?;
        let Some((page, reference)) = line.split_once('\t') else {
            continue;
        };
        // A reference whose page has no scheme is in no page that was fetched.
        let Ok(uri) = target(Rules::Rfc3986, page.as_bytes(), reference.as_bytes()) else {
            continue;
        };
        let is_fetched = matches!(Parts::of(&uri).scheme(), Some(b"http" | b"https"));
        if is_fetched && seen.insert(&uri)? {
            out.write_all(&uri)?;
            out.write_all(b"\n")?;
        }
    }
    Ok(())
}
