//! Tests law L2 without a clock: the number of bytes that are examined
//! (`syntax::steps`) is proportional to the size of the text, for texts that a careless
//! scanner examines repeatedly. Steps are counted, so small texts suffice.

#[path = "../../../tests/kit/hostile.rs"]
mod hostile;

use crate::delimit::{Config, Wrap, WrapLimit};
use crate::engine::{Builder, Mode, Sieve, each};
use crate::item::IdentifierKinds;
use crate::syntax::steps;

/// More units than those of law L2: some rule looks ahead or back from each.
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
    "a%3A%2F%2F",
    "x%253A%252F%252Fa&",
    "%2525",
    "aHR0cDovL2E",
    "/aHR0cDovL2E",
];

/// Texts that precede the units once, so that the units are part of something.
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

/// The limits are an eighth of the default ones, so that a small text reaches them.
const MAX_LENGTH: usize = 8 << 10;
const WRAP_LIMIT: WrapLimit = WrapLimit {
    bytes: 1 << 10,
    lines: 20,
};

fn sieves() -> [Builder<Sieve>; 3] {
    let sieve = || Sieve::builder().mode(Mode::All).threads(1);
    let config = || {
        Config::default()
            .max_length(MAX_LENGTH)
            .wrap_limit(WRAP_LIMIT)
    };
    let derived = config().nested(true).nested_base64(true).strict(true);
    let more = config().wrap(Wrap::Any).opaque_all(true);
    [
        sieve().delimit(config()),
        sieve().block_size(2_500).delimit(derived),
        sieve()
            .delimit(more)
            .abbreviated(true)
            .refang(true)
            .bare(IdentifierKinds::all()),
    ]
}

fn steps(sieve: &Builder<Sieve>, start: &str, unit: &str, len: usize) -> usize {
    steps::of_text(start, unit, len, |text| {
        let sieve = sieve.clone().build();
        sieve.run([text], &mut each(|_| {})).unwrap();
    })
}

/// The greatest number of times that a byte may be examined, on average.
const MOST: usize = 32;

/// The same where each unit begins an opaque URI, whose shape is checked in the next 128
/// bytes, or 512 for `magnet` (S3).
const MOST_FOR_A_SHAPE: usize = 160;
const OPAQUE: &[&str] = &["mailto:", "news:", "magnet:?", "tag:"];

/// After every start, and in candidates of the greatest length.
#[test]
fn bytes_are_not_examined_repeatedly() {
    const LEN: usize = 20_000;
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

/// A text of twice the size takes twice as many steps.
#[test]
fn steps_are_proportional_to_the_size_of_the_text() {
    const LEN: usize = 100_000;
    let [sieve, ..] = sieves();
    for unit in units() {
        let [one, two] = [LEN, 2 * LEN].map(|len| steps(&sieve, "", unit, len));
        assert!(one >= LEN / 2, "{unit:?}: {one} steps were counted");
        assert!(two * 10 <= one * 22, "{unit:?}: {one} and {two} steps");
    }
}

/// Bytes that were found ahead are kept: the `@` of a userinfo for all commas before it (B8).
#[test]
fn what_was_found_ahead_is_not_looked_for_again() {
    let [sieve, ..] = sieves();
    let unit = format!("http://{}@a/ ", ",".repeat(1000));
    let len = 20 * unit.len();
    let each = steps(&sieve, "", &unit, len) / len;
    assert!(each <= 16, "{each}");
}
