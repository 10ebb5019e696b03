//! `find` gives what a sieve gives that reports every occurrence.

use super::harness::{Extraction, Found, Rules, Run, Way, config, delimited, reference};
use super::texts;
use proptest::prelude::*;
use urisieve::{Finder, Match, Mode, Sieve, find};

/// What `find` finds by these rules.
fn found(text: &[u8], rules: &Rules) -> Vec<Found> {
    let finder = Finder::new()
        .delimit(config(&rules.0))
        .abbreviated(rules.0.abbreviated)
        .bare(rules.0.identifiers)
        .refang(rules.0.refang);
    let found = |found: Match| {
        assert_eq!(found.as_bytes(), &text[found.range()]);
        Found {
            text: Vec::new(),
            uri: found.uri().to_vec(),
            offset: found.start(),
            length: found.end() - found.start(),
            marks: delimited(found.marks()),
        }
    };
    finder.find(text).map(found).collect()
}

/// The same of others; a match does not have the original with marks, but without folds.
fn without_originals(extraction: Extraction) -> Vec<Found> {
    let mut found = extraction.found;
    for found in &mut found {
        found.text.clear();
    }
    found
}

proptest! {
    #[test]
    fn find_gives_what_the_reference_gives(text in texts::pieces(24), rules in texts::rules()) {
        let wanted = without_originals(reference(&text, &rules));
        prop_assert_eq!(found(&text, &rules), wanted);
    }

    #[test]
    fn strings_are_found_in_strings(text in texts::lines(20)) {
        let text = String::from_utf8(text).unwrap();
        for found in find(&text) {
            prop_assert_eq!(found.as_str(), Some(&text[found.range()]));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Texts of many windows, with safe cuts and without.
    #[test]
    fn find_gives_what_one_block_gives(
        lines in texts::lines(60),
        pieces in texts::pieces(40),
        rules in texts::rules(),
        joined in any::<bool>(),
    ) {
        let mut unit = [lines, pieces].concat();
        if joined {
            unit.retain(|byte| !b"\r\n".contains(byte));
        }
        unit.push(b' ');
        let text = unit.repeat(200_000 / unit.len() + 1);
        let run = Run {
            text: &text,
            rules: &rules,
            way: Way::Slice,
            block: 1 << 20,
            threads: 1,
        };
        let wanted = run.extract();
        prop_assert_eq!(found(&text, &rules), without_originals(wanted));
    }
}

/// The text may be UTF-16, or begin with a byte-order mark.
#[test]
fn encodings_are_seen_as_a_sieve_sees_them() {
    let words = "http://\u{e9}.example/ and <http://a.example/\nb>";
    let utf16 = |order: fn(u16) -> [u8; 2]| {
        let units = words.encode_utf16();
        units.flat_map(order).collect::<Vec<u8>>()
    };
    let marked = ["\u{FEFF}", words].concat().into_bytes();
    for text in [utf16(u16::to_le_bytes), utf16(u16::to_be_bytes), marked] {
        let mut wanted = Vec::new();
        let sieve = Sieve::builder().mode(Mode::All).build();
        let add = &mut |finding: &urisieve::Finding<'_>| {
            wanted.push((finding.uri.to_vec(), finding.offset as usize));
        };
        sieve.slice(&text, add).unwrap();
        assert_eq!(wanted.len(), 2);
        let found = find(&text).map(|found| (found.uri().to_vec(), found.start()));
        assert_eq!(found.collect::<Vec<_>>(), wanted);
    }
}
