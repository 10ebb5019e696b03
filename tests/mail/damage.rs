//! Every cut and every changed byte of a mail: nothing panics, and parts that are not touched
//! are read.

use crate::read::{reported, twelve_parts};

#[test]
fn every_cut_leaves_the_parts_before_it() {
    let mail = twelve_parts();
    let whole = reported(&mail);
    // The end of each boundary line, and the findings before it.
    let mut ends = Vec::new();
    for at in 0..mail.len() {
        if mail[at..].starts_with(b"\r\n--outer") {
            ends.push(at);
        }
    }
    for len in (0..mail.len()).step_by(3) {
        let got = reported(&mail[..len]);
        let Some(end) = ends.iter().rev().find(|end| **end <= len) else {
            continue;
        };
        // Bodies with their own offsets are compared by the number of findings before them.
        let is_before = |found: &&crate::read::Found| {
            let name = found.uri.as_bytes();
            let at = memchr::memmem::find(&mail[..*end], &name[..name.len().min(12)]);
            at.is_some() && found.offset + found.length <= *end as u64
        };
        for found in whole.found.iter().filter(is_before) {
            if !found.uri.contains("64.") {
                assert!(got.found.contains(found), "{found:?} at {len}");
            }
        }
    }
}

#[test]
fn every_flip_leaves_the_other_parts() {
    let mail = twelve_parts();
    let whole = reported(&mail);
    for at in (0..mail.len()).step_by(5) {
        for bit in [0, 2, 5, 7] {
            let mut flipped = mail.clone();
            flipped[at] ^= 1 << bit;
            let got = reported(&flipped);
            let missing = whole
                .found
                .iter()
                .filter(|found| !got.uris().contains(&&found.uri[..]));
            let missing = missing.count();
            // A boundary or a type that is lost changes how its part is read.
            assert!(missing <= 14, "{missing} at {at}, bit {bit}");
        }
    }
}
