//! Keys that are known before a run leave out what a known input does, in every mode and order,
//! for every block size, number of threads and limit of memory.

use crate::canonicalize::{Canonicalizer, Level};
use crate::dedup::{Answer, Keys, KnownKeys};
use crate::engine::{Builder, ErrorKind, Mode, Sequence, Sieve, Sink};
use crate::input::Source;
use crate::item::{Finding, Spelling};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Debug)]
struct KnownList {
    keys: BTreeSet<Vec<u8>>,
    /// Answers wait for the end.
    waits: bool,
}

impl KnownKeys for KnownList {
    fn ask_later(&self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<bool> {
        for (key, answer) in keys.iter().zip(answers) {
            if self.waits && *answer == Answer::New && self.may_have(keys.class(key)) {
                *answer = Answer::Deferred;
            }
        }
        Ok(self.waits)
    }

    fn ask(&self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()> {
        for (key, answer) in keys.iter().zip(answers) {
            // One that was deferred may be known.
            let class = keys.class(key);
            assert!(*answer != Answer::Deferred || self.may_have(class));
            if *answer != Answer::Known && self.keys.contains(class) {
                *answer = Answer::Known;
            }
        }
        Ok(())
    }
}

impl KnownList {
    /// Some are not known.
    fn may_have(&self, class: &[u8]) -> bool {
        self.keys.contains(class) || class.ends_with(b"7")
    }
}

#[derive(Default)]
struct ReportedRows(Vec<String>);

impl Sink for ReportedRows {
    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
        let uri = String::from_utf8_lossy(finding.uri);
        self.0.push(format!("{:?} {uri}", finding.count));
        Ok(ControlFlow::Continue(()))
    }

    fn group(&mut self, class: &Finding, spellings: &[Spelling]) -> io::Result<ControlFlow<()>> {
        let spellings = spellings.iter();
        let spellings: Vec<_> = spellings
            .map(|s| (s.count, String::from_utf8_lossy(s.text).into_owned()))
            .collect();
        let uri = String::from_utf8_lossy(class.uri);
        self.0
            .push(format!("{:?} {uri} {spellings:?}", class.count));
        Ok(ControlFlow::Continue(()))
    }
}

fn rows(sieve: Builder<Sieve>, sources: &[&str]) -> (Vec<String>, u64) {
    let mut rows = ReportedRows::default();
    let sources = sources.iter().map(|text| Source::Slice(text.as_bytes()));
    let stats = sieve.build().run(sources, &mut rows).unwrap();
    (rows.0, stats.distinct)
}

/// URIs, each in several spellings.
fn text() -> impl Strategy<Value = String> {
    let uri = (0u32..40, any::<bool>()).prop_map(|(n, upper)| match upper {
        true => format!("HTTP://a.example/{n}\n"),
        false => format!("http://a.example/{n}\n"),
    });
    prop::collection::vec(uri, 0..80).prop_map(|lines| lines.concat())
}

proptest! {
    #[test]
    fn known_keys_do_as_known_inputs_do(
        known in text(), first in text(), second in text(),
        mode in prop_oneof![Just(Mode::Distinct), Just(Mode::All), Just(Mode::Count), Just(Mode::Groups)],
        sequence in prop_oneof![Just(None), Just(Some(Sequence::Sorted)), Just(Some(Sequence::Unordered))],
        most in prop_oneof![2 => Just(None), 1 => (1u64..9).prop_map(Some)],
        threads in 1usize..4, block_size in 1usize..400, waits in any::<bool>(),
        limit in prop_oneof![Just(None), Just(Some(0usize)), Just(Some(3000))],
    ) {
        let counts = matches!(mode, Mode::Count | Mode::Groups);
        let builder = || {
            let sieve = Sieve::builder().mode(mode).threads(threads).block_size(block_size);
            let sieve = sieve.max_findings(most.filter(|_| !counts));
            let sieve = match limit {
                // Classes up to a limit must stay in memory.
                Some(limit) if counts || most.is_none() && mode != Mode::All => {
                    sieve.max_memory(limit)
                }
                _ => sieve,
            };
            match sequence {
                Some(sequence) => sieve.sequence(sequence),
                None => sieve,
            }
        };
        let mut wanted = rows(builder().known_inputs(1), &[&known, &first, &second]);
        let canonicalizer = Canonicalizer::new(Level::default());
        let keys = known.lines().map(|uri| canonicalizer.canonical(uri.as_bytes()).into_owned());
        let list = Arc::new(KnownList {
            keys: keys.collect(),
            waits,
        });
        let mut found = rows(builder().known_keys(list), &[&first, &second]);
        if sequence == Some(Sequence::Unordered) {
            wanted.0.sort();
            found.0.sort();
        }
        prop_assert_eq!(found, wanted);
    }
}

#[derive(Debug)]
struct BrokenKeys;

impl KnownKeys for BrokenKeys {
    fn ask(&self, _: &Keys<'_>, _: &mut [Answer]) -> io::Result<()> {
        Err(io::Error::other("a broken store"))
    }
}

#[test]
fn a_failure_ends_the_run() {
    let text = "http://a.example/ ".repeat(3000);
    for mode in [Mode::Distinct, Mode::All, Mode::Count, Mode::Groups] {
        for threads in [1, 3] {
            let sieve = Sieve::builder().mode(mode).threads(threads).block_size(100);
            let sieve = sieve.known_keys(Arc::new(BrokenKeys)).build();
            let mut found = 0;
            let error = sieve.for_each(text.as_bytes(), |_| found += 1).unwrap_err();
            assert_eq!((error.kind(), found), (ErrorKind::KnownKeys, 0), "{mode:?}");
            assert_eq!(error.to_string(), "a broken store");
        }
    }
}

/// Keys that become known when they were reported.
#[derive(Debug, Default)]
struct GrowingKeys {
    known: Mutex<BTreeSet<Vec<u8>>>,
    reported: Mutex<Vec<Vec<u8>>>,
    remembered: AtomicU64,
    crowded: AtomicU64,
}

impl KnownKeys for GrowingKeys {
    fn ask(&self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()> {
        let known = self.known.lock().unwrap();
        for (key, answer) in keys.iter().zip(answers) {
            if *answer == Answer::New && known.contains(keys.class(key)) {
                *answer = Answer::Known;
            }
        }
        Ok(())
    }

    fn remembered(&self) -> Option<u64> {
        Some(self.remembered.load(Ordering::Acquire))
    }

    fn reported(&self, findings: u64) {
        // Only each third time.
        if findings.is_multiple_of(3) {
            let reported = std::mem::take(&mut *self.reported.lock().unwrap());
            self.known.lock().unwrap().extend(reported);
            self.remembered.store(findings, Ordering::Release);
        }
    }

    fn crowded(&self) {
        self.crowded.fetch_add(1, Ordering::Relaxed);
    }
}

proptest! {
    /// Nothing is printed twice or lost while keys leave the memory.
    #[test]
    fn keys_that_grow_with_the_run_change_nothing(
        text in prop::collection::vec(0u32..300, 0..1500),
        threads in 1usize..4, block_size in 1usize..2000,
        limit in prop_oneof![Just(0usize), Just(30_000), Just(usize::MAX)],
    ) {
        let text: String = text.iter().map(|n| format!("http://a.example/{n}\n")).collect();
        let builder = || Sieve::builder().threads(threads).block_size(block_size);
        let wanted = rows(builder(), &[&text]).0;
        let growing = Arc::new(GrowingKeys::default());
        let sieve = builder().max_memory(limit).known_keys(Arc::clone(&growing) as Arc<dyn KnownKeys>);
        let mut found = Vec::new();
        let stats = sieve.build().for_each_in([Source::Slice(text.as_bytes())], |finding| {
            found.push(format!("None {}", String::from_utf8_lossy(finding.uri)));
            growing.reported.lock().unwrap().push(finding.uri.to_vec());
        }).unwrap();
        prop_assert_eq!(found, wanted);
        prop_assert_eq!(stats.deferred, 0);
    }
}
