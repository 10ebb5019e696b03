//! `find` gives what a sieve gives that reports every occurrence.

use super::harness::{Extraction, Found, Rules, Run, Way, reference};
use super::texts;
use crate::random;
use crate::rule_sets::{delimited, finder};
use proptest::prelude::*;
use urisieve::{Finder, Match, Mode, Sieve, each, find};

/// What `find` finds by these rules.
fn found(text: &[u8], rules: &Rules) -> Vec<Found> {
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
    finder(&rules.0).build().find(text).map(found).collect()
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
    #![proptest_config(random::cases(10))]

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

proptest! {
    /// A `str` is never taken for UTF-16, however many NULs it has.
    #[test]
    fn ranges_of_strings_lie_between_characters(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "\0", "\0\0", "h\0t\0t\0p\0:\0/\0/\0", "\0h\0t\0t\0p\0:\0/\0/\0a", "http://a.example/", "www.a.example",
                "hxxp://a[.]example", "\u{e9}", "\u{1F600}", "\u{FEFF}", "\u{FFFE}", "<", ">", "\n", " ", "isbn 0395363411",
                "<!doctype html>",
            ]),
            0..30,
        ),
        spread in any::<bool>(),
    ) {
        let mut text: String = pieces.concat();
        if spread {
            text = text.chars().flat_map(|char| ['\0', char]).collect();
        }
        let finder = Finder::builder().abbreviated(true).refang(true);
        let finder = finder.bare(urisieve::item::IdentifierKinds::all()).build();
        for found in find(&text).chain(finder.find(&text)) {
            prop_assert!(text.get(found.range()).is_some(), "{:?} {found:?}", text);
            prop_assert_eq!(found.as_str(), text.get(found.range()));
        }
    }
}

/// JSON's `\u0000` brings NULs into strings.
#[test]
fn a_string_is_no_utf16() {
    let text = "\0h\0t\0t\0p\0:\0/\0/\0a\0\u{e9}";
    assert_eq!(find(text).next(), None);
    let text = "\0h\0t\0t\0p\0:\0/\0/\0a\0 http://b.example/\u{e9}";
    let ranges: Vec<_> = find(text).map(|found| &text[found.range()]).collect();
    assert_eq!(ranges, ["http://b.example/\u{e9}"]);
}

/// A text is UTF-16 only where that is stated, and may begin with a byte-order mark.
#[test]
fn encodings_are_seen_as_a_sieve_sees_them() {
    let words = "http://\u{e9}.example/ and <http://a.example/\nb>";
    let utf16 = |order: fn(u16) -> [u8; 2]| {
        let units = words.encode_utf16();
        units.flat_map(order).collect::<Vec<u8>>()
    };
    let marked = ["\u{FEFF}", words].concat().into_bytes();
    let texts = [
        (utf16(u16::to_le_bytes), true),
        (utf16(u16::to_be_bytes), true),
        (marked, false),
    ];
    for (text, is_utf16) in texts {
        let mut wanted = Vec::new();
        let sieve = Sieve::builder().mode(Mode::All).utf16(is_utf16).build();
        let add = &mut each(|finding| {
            wanted.push((finding.uri.to_vec(), finding.offset as usize));
        });
        sieve.run([&text[..]], add).unwrap();
        assert_eq!(wanted.len(), 2);
        assert_eq!(find(&text).count(), if is_utf16 { 0 } else { 2 });
        let found = Finder::builder().utf16(is_utf16).build().find(&text);
        let found = found.map(|found| (found.uri().to_vec(), found.start()));
        assert_eq!(found.collect::<Vec<_>>(), wanted);
    }
}
