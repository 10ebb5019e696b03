//! What lists of indicators match does not depend on the way a run goes, and every finding is
//! selected exactly if the matcher says so.

use proptest::prelude::*;
use urisieve::item::Finding;
use urisieve::{CountBy, Matcher, Mode, Sequence, Sieve};

const LIST: &str = "a.example\n=b.example\n*.b.example\nhttp://c.example/x*\nc.example/y\n\
    192.0.2.0/24\n!ok.a.example\nurn:isbn:0395363411\n||d.example/p\n";

fn matcher() -> Matcher {
    let mut builder = Matcher::builder();
    builder
        .add_list("l", LIST.as_bytes(), |bad| panic!("{bad}"))
        .unwrap();
    builder.build()
}

/// A finding with the lines of the entries that match it.
type Row = (Vec<u8>, u64, Vec<u64>);

fn row(finding: &Finding) -> Row {
    let lines = finding.context.matched.unwrap_or_default().entries();
    (
        finding.uri.to_vec(),
        finding.offset,
        lines.map(|entry| entry.line).collect(),
    )
}

proptest! {
    #[test]
    fn entries_are_those_of_the_matcher(
        uris in proptest::collection::vec(
            "(http://|HTTPS://|urn:isbn:)((ok\\.|x\\.|)[a-d]\\.example|192\\.0\\.[23]\\.1|0395363411)(/[pxy]{0,2})?[ \n]",
            0..40,
        ),
        block_size in 1usize..300, threads in 1usize..4,
    ) {
        let text = uris.concat();
        let matcher = std::sync::Arc::new(matcher());
        let mut wanted: Vec<Row> = Vec::new();
        let all = Sieve::builder().mode(Mode::All).build();
        all.for_each(text.as_bytes(), |finding| {
            let lines: Vec<u64> = matcher.entries_of(finding.uri).iter().map(|e| e.line).collect();
            if !lines.is_empty() {
                wanted.push((finding.uri.to_vec(), finding.offset, lines));
            }
        }).unwrap();
        let builder = || {
            let sieve = Sieve::builder().matcher(std::sync::Arc::clone(&matcher)).matched(true);
            sieve.block_size(block_size).threads(threads)
        };
        let mut found = Vec::new();
        let sieve = builder().mode(Mode::All).build();
        sieve.for_each(text.as_bytes(), |finding| found.push(row(finding))).unwrap();
        prop_assert_eq!(&found, &wanted);
        // Findings that are kept until the end have their entries, too.
        let mut found = Vec::new();
        let sieve = builder().mode(Mode::All).sequence(Sequence::Sorted).build();
        sieve.for_each(text.as_bytes(), |finding| found.push(row(finding))).unwrap();
        wanted.sort();
        prop_assert_eq!(&found, &wanted);
        let mut counts = std::collections::BTreeMap::new();
        for (_, _, lines) in &wanted {
            for line in lines {
                let entry = LIST.lines().nth(*line as usize - 1).unwrap();
                *counts.entry(entry.as_bytes().to_vec()).or_insert(0) += 1;
            }
        }
        let mut counted = std::collections::BTreeMap::new();
        let sieve = builder().mode(Mode::Count).count_by(CountBy::Match).build();
        let stats = sieve.for_each(text.as_bytes(), |finding| {
            counted.insert(finding.uri.to_vec(), finding.count.unwrap());
        }).unwrap();
        prop_assert_eq!(counted, counts);
        prop_assert_eq!(stats.occurrences, wanted.len() as u64);
    }
}
