//! Law L2 without a clock: how far a text is looked through (`syntax::steps`) grows as
//! the text does, for texts that a careless scanner walks again and again.

#[path = "../../tests/hostile/mod.rs"]
mod hostile;

use super::{Mode, Sieve, SieveBuilder};
use crate::delimit::{Config, Wrap};
use crate::item::Finding;
use crate::syntax::steps;

/// Units besides those of law L2 that some rule looks ahead from, or back.
const MORE: &[&str] = &[
    "@",
    "a@",
    "a:a@",
    "[x]",
    "a",
    "www.",
    "hxxp[:]//",
    "?x://a",
    "x://a%zz",
    "jdbc:",
    ",",
    ";",
    "'",
    "\\\"",
    "&quot;",
    "10.1/",
    "//",
    "/a:/",
    "\\u003a",
    "\\x3a",
    "/10.1/<1",
];

/// What stands before them once, so that they are part of something.
const STARTS: &[&str] = &[
    "",
    "http://",
    "http://a/",
    "http://a@",
    "<http://a/",
    "\"http://a/",
    "(http://a/",
    "[http://a/",
    "“http://a/",
    "view-source:http://",
];

fn units() -> impl Iterator<Item = &'static str> {
    hostile::units().chain(MORE.iter().copied())
}

fn sieves() -> [SieveBuilder; 3] {
    let sieve = || Sieve::builder().mode(Mode::All).threads(1);
    let derived = Config::default().nested(true).strict(true);
    let more = Config::default().wrap(Wrap::Any).opaque_all(true);
    [
        sieve(),
        sieve().block_size(20_000).delimit(derived),
        sieve().delimit(more).abbreviated(true).refang(true),
    ]
}

fn steps(sieve: &SieveBuilder, start: &str, unit: &str, len: usize) -> usize {
    steps::of_text(start, unit, len, |text| {
        let sieve = sieve.clone().build();
        sieve.slice(text, &mut |_: &Finding<'_>| {}).unwrap();
    })
}

/// How often a byte is looked at, on average, at most.
const MOST: usize = 32;

/// The same where each unit begins an opaque URI, whose shape is sought in the next 128
/// bytes, in 512 for `magnet` (S3).
const MOST_FOR_A_SHAPE: usize = 160;
const OPAQUE: &[&str] = &["mailto:", "news:", "magnet:?", "tag:"];

/// Whatever stands before the units; also in one candidate of the greatest length.
#[test]
fn no_byte_is_looked_at_again_and_again() {
    const LEN: usize = 160_000;
    let mut bad = Vec::new();
    for (number, sieve) in sieves().iter().enumerate() {
        for start in STARTS {
            for unit in units() {
                let most = match OPAQUE.contains(&unit) {
                    true => MOST_FOR_A_SHAPE,
                    false => MOST,
                };
                let each = steps(sieve, start, unit, LEN) / LEN;
                if each > most {
                    bad.push(format!("{each} sieve {number} {start:?} {unit:?}"));
                }
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// Twice the text takes twice the steps.
#[test]
fn steps_grow_as_the_text_does() {
    let [sieve, ..] = sieves();
    for unit in units() {
        let [one, two] = [1 << 20, 2 << 20].map(|len| steps(&sieve, "", unit, len));
        assert!(one >= 1 << 19, "{unit:?}: {one} steps were counted");
        assert!(two * 10 <= one * 22, "{unit:?}: {one} and {two} steps");
    }
}
