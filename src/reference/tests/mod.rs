//! Examples of every rule.

mod ends;
mod starts;
mod wrappers;

use super::*;
use crate::item::{Problem, Problems, Wrapper};

fn run(input: &str, options: &Options) -> Vec<Found> {
    extract(input.as_bytes(), options).found
}

fn texts_with(input: &str, options: &Options) -> Vec<String> {
    let texts = run(input, options).into_iter();
    texts
        .map(|found| String::from_utf8_lossy(&found.text).into_owned())
        .collect()
}

fn texts(input: &str) -> Vec<String> {
    texts_with(input, &Options::default())
}

/// The only URI of `input`.
fn only(input: &str) -> Found {
    let mut found = run(input, &Options::default());
    assert_eq!(found.len(), 1, "{input}");
    found.remove(0)
}

fn codes(problems: Problems) -> Vec<&'static str> {
    problems.iter().map(Problem::code).collect()
}

const NOTHING: [&str; 0] = [];

#[test]
fn any_bytes_are_accepted() {
    let pieces: [&[u8]; 24] = [
        b"http://",
        b"urn:ab:c",
        b"tel:1",
        b"<",
        b">",
        b"\"",
        b"'",
        b"(",
        b")",
        b"[",
        b"]",
        b"{",
        b"\\",
        b"\\u003",
        b"&quot;",
        b"&#",
        b"\n",
        b"\x0c",
        b" ",
        b"-",
        b",",
        "é‘ƒ".as_bytes(),
        b"\xff\xe2\x80",
        b"a.b",
    ];
    let options = Options {
        nested: true,
        abbreviated: true,
        hyphen: Hyphen::Both,
        opaque_all: true,
        ..Options::default()
    };
    let mut state = 1u32;
    for _ in 0..3000 {
        let mut input = Vec::new();
        for _ in 0..12 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            input.extend_from_slice(pieces[(state >> 16) as usize % pieces.len()]);
        }
        for found in extract(&input, &options).found {
            assert!(found.length > 0 && found.offset + found.length <= input.len());
        }
    }
}
