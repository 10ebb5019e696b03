//! Resolves two references against a base, and says at which level their URIs are equal:
//! `compare BASE ONE OTHER`.

use std::error::Error;
use urisieve::canonicalize::{Canonicalizer, Level};
use urisieve::syntax::resolve::{Rules, target};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [base, one, other] = &args[..] else {
        return Err("compare BASE ONE OTHER".into());
    };
    let resolve =
        |reference: &String| target(Rules::Rfc3986, base.as_bytes(), reference.as_bytes());
    let (one, other) = (resolve(one)?, resolve(other)?);
    for level in Level::ALL {
        let canonicalizer = Canonicalizer::new(*level);
        let canonical = [&one, &other].map(|uri| canonicalizer.canonical(uri));
        let [one, other] = canonical.map(|uri| String::from_utf8_lossy(&uri).into_owned());
        match one == other {
            true => println!("{}: equal: {one}", level.name()),
            false => println!("{}: {one} and {other}", level.name()),
        }
    }
    Ok(())
}
