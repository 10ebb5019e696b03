//! The laws of extraction (L1 to L5) as property tests: whatever the block size,
//! the way of reading and the number of threads, the records are those of the
//! slow reference.

mod harness;
mod texts;

use harness::{Rules, Way, check, extract, reference};
use proptest::prelude::*;
use urisieve::canonicalize::{Canonicalizer, Level};
use urisieve::engine::{Mode, Sieve};
use urisieve::item::{Finding, Wrapper};

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    /// L1, L5: one block and many have the same result as the reference.
    #[test]
    fn l5_the_reference_agrees(text in texts::pieces(24), rules in texts::rules()) {
        let wanted = reference(&text, &rules);
        for (block, threads) in [(64 << 10, 1), (1, 1), (2, 1), (3, 2), (7, 1), (64, 2)] {
            let got = extract(&text, &rules, Way::Slice, block, threads);
            prop_assert_eq!(&got, &wanted, "block {}, threads {}", block, threads);
        }
    }

    /// L5 on random bytes.
    #[test]
    fn l5_on_any_bytes(text in proptest::collection::vec(any::<u8>(), 0..200), rules in texts::rules()) {
        prop_assert_eq!(extract(&text, &rules, Way::Slice, 5, 1), reference(&text, &rules));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// L1: every way of reading.
    #[test]
    fn l1_every_way_of_reading(text in texts::pieces(40), rules in texts::rules()) {
        check(&text, &rules);
    }

    /// L1: wrappers over lines, in lines enough for safe cuts.
    #[test]
    fn l1_many_lines(text in texts::lines(60), rules in texts::rules()) {
        let wanted = reference(&text, &rules);
        for (block, threads) in [(1, 1), (7, 2), (64, 1), (100, 2), (1000, 8)] {
            let got = extract(&text, &rules, Way::Slice, block, threads);
            prop_assert_eq!(&got, &wanted, "block {}, threads {}", block, threads);
        }
    }
}

proptest! {
    /// L3: an occurrence can be found again at its offset.
    #[test]
    fn l3_offsets_are_exact(text in texts::pieces(24)) {
        let rules = Rules::default();
        for found in extract(&text, &rules, Way::Slice, 64, 1).found {
            let raw = &text[found.offset..found.offset + found.length];
            let folds = found.marks.wrapped > 0;
            let escaped = raw.contains(&b'\\');
            if !folds && !escaped {
                prop_assert_eq!(raw, &found.text[..]);
            }
            prop_assert!(raw[0].is_ascii_alphabetic());
            // Without its opener what a wrapper held may be no URI.
            if found.marks.wrapper == Wrapper::None {
                let again = extract(&text[found.offset..], &rules, Way::Slice, 64, 1).found;
                prop_assert_eq!(again.first().map(|f| f.offset), Some(0));
            }
        }
    }

    /// L4: a list of canonical URIs in `<...>` gives the same list.
    #[test]
    fn l4_a_list_of_canonical_uris_is_a_fixed_point(text in texts::pieces(40)) {
        let canonicalizer = Canonicalizer::new(Level::Lexical);
        let mut list: Vec<Vec<u8>> = Vec::new();
        for found in extract(&text, &Rules::default(), Way::Slice, 64, 1).found {
            let mut buffer = Vec::new();
            let uri = canonicalizer.canonicalize(&found.text, &mut buffer).to_vec();
            let has_reference = uri.contains(&b'&') && uri.contains(&b';');
            if urisieve::syntax::validate(&uri).is_ok() && !has_reference {
                list.push(uri);
            }
        }
        let lines: Vec<u8> = list
            .iter()
            .flat_map(|uri| [&b"<"[..], uri, b">\n"].concat())
            .collect();
        let mut again = Vec::new();
        Sieve::builder()
            .mode(Mode::All)
            .build()
            .slice(&lines, &mut |f: &Finding<'_>| again.push(f.uri.to_vec()))
            .unwrap();
        prop_assert_eq!(again, list);
    }

    /// The first of each class, by position, whatever the threads; and counts.
    #[test]
    fn each_class_once_first_seen_first(text in texts::lines(60), block in 1usize..200) {
        let run = |mode: Mode, block: usize, threads: usize| {
            let mut found = Vec::new();
            Sieve::builder()
                .mode(mode)
                .originals(true)
                .block_size(block)
                .threads(threads)
                .build()
                .slice(&text, &mut |f: &Finding<'_>| {
                    found.push((f.uri.to_vec(), f.original.to_vec(), f.offset, f.count));
                })
                .unwrap();
            found
        };
        let all = run(Mode::All, 1 << 16, 1);
        let mut first: Vec<_> = Vec::new();
        let mut counts = std::collections::HashMap::<Vec<u8>, u64>::new();
        for finding in &all {
            let count = counts.entry(finding.0.clone()).or_default();
            if *count == 0 {
                first.push(finding.clone());
            }
            *count += 1;
        }
        for threads in [1, 2, 8] {
            prop_assert_eq!(&run(Mode::Distinct, block, threads), &first);
            let mut wanted = first.clone();
            for finding in &mut wanted {
                finding.3 = Some(counts[&finding.0]);
            }
            wanted.sort_by(|a, b| b.3.cmp(&a.3).then_with(|| a.0.cmp(&b.0)));
            prop_assert_eq!(run(Mode::Count, block, threads), wanted);
        }
    }
}

/// L2: inputs that a naive scanner reads again and again, at a size where a quadratic
/// one would not end; the number of findings is known.
#[test]
fn l2_long_inputs_end() {
    let size = 4 << 20;
    for (unit, each) in [
        (":", 0),
        ("http://", 0),
        ("<http://", 0),
        ("<http://a/", 1),
        ("\"http://a", 1),
        ("((((", 0),
        ("%41", 0),
        ("\u{e9}", 0),
        ("mailto:", 0),
        ("news:", 0),
        ("blob:http://-/", 0),
        ("http://-/", 0),
        ("“http://a/ ", 1),
        ("x\n", 0),
        ("&lt;http://a/", 1),
        ("\\", 0),
        ("&amp;", 0),
        ("URL:", 0),
        ("http://a.example/x[ ", 1),
        ("(http://a/\n", 1),
        ("<ht\n", 0),
        ("http://a,", 1),
        ("\"http://a/\\x22", 1),
        ("=\"http://a/\n ", 1),
        ("http://a/[b] ", 1),
    ] {
        let text = unit.repeat(size / unit.len());
        let stats = Sieve::builder()
            .mode(Mode::All)
            .build()
            .slice(text.as_bytes(), &mut |_: &Finding<'_>| {})
            .unwrap();
        let wanted = (each * (text.len() / unit.len())) as u64;
        assert_eq!(stats.occurrences, wanted, "{unit:?}");
    }
}

/// L2: runs without an end; each is at most one candidate, which is too long.
#[test]
fn l2_runs_without_an_end() {
    for unit in [
        "http://a/[",
        "http://a/(",
        "“http://a/",
        "(http://a/、",
        "magnet:?",
        "cid:@",
        "a/&amp;",
        "http://a/[x](",
        "'http://a/(",
        "urn:a-b:",
        "http://a/[]",
        "tag:",
        "(http://a/[",
        "http://a/<1:2>",
        "(http://a/\n-/",
        "http://a,;",
        "[http://a/]",
    ] {
        let text = unit.repeat((1 << 20) / unit.len());
        let mut last = 0;
        Sieve::builder()
            .mode(Mode::All)
            .build()
            .slice(text.as_bytes(), &mut |f: &Finding<'_>| {
                assert!(f.offset >= last, "{unit}");
                last = f.offset;
            })
            .unwrap();
    }
}
